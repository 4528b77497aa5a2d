"""``read.program``: the collectives of a compiled program, by the user's mesh axes and source lines.

A function and its arguments, a compiled program or the text of one go in; a ``Program`` comes out. ``programs`` is what
users call; other readers (comparisons, memory, runs) start from the same ``Executable``.

- ``executable`` compiles what is not compiled yet, and finds the user's mesh; ``target`` says what it is compiled for.
- ``module`` reads the text: instructions, computations, the tables of source lines. Every JAX and every backend gives
  it. ``pasted`` reads groups that were copied out of one, without a module.
- ``loops`` walks from the entry inwards: which collectives there are, how often each runs, what it is in; ``trips``
  counts the turns of a loop.
- ``groups`` expands XLA's notations for who takes part, ``axes`` finds the user's mesh axes in the groups, and
  ``megascale`` reads transfers between TPU slices, which are sends to the host.
- ``origin`` finds the user's line; ``remark`` and ``resliced`` what deserves a look; ``widened`` where a CPU sends a
  wider dtype than the program has.
- ``hlo_collective`` makes the document's collective of all that; ``reading`` has those of a module.
- ``analysis`` is what the compiler reports itself; ``timing`` measures calls.

Traps: names of axes are gone from the module, so they are recovered from groups alone. What ids in groups count
(replicas, partitions, all devices) depends on other attributes and on the collective. The order of devices is that of
the program's device assignment, not of the mesh. What the compiler calls each collective, and which others it may turn
it into, is in ``shardwidget.collectives``. An instruction that cannot be read is named in ``unread``, and raises
nothing.
"""
