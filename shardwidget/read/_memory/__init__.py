"""``read.memory`` and ``read.remedies``: what is alive while a compiled program runs, and what would lower its peak.

A function and its arguments, or a compiled program, go in; a ``Memory`` comes out: each buffer with the steps from the
one that makes it to the last that needs it. ``memory`` is called.

- ``liveness`` walks through the text of the scheduled module, whose order is that of execution, and makes a slot
  (``slots``) of every result; ``reuse`` says whose memory a result takes, ``shapes`` gives the bytes of types.
- ``assignment`` then puts slots where the compiler says it puts them: CPU reports it, TPU has it in the serialized
  executable, and XLA dumps it for a program that needs too much memory. For a text alone, and on GPUs, ``results``
  counts results from the first step on, as the compiler allocates them: for CPU and GPU with temporaries in their
  memory, for TPU only where it reports that it allocates them throughout.
- ``splits`` finds the mesh axes that divide a temporary, by the operation's name before compilation and its shape.
- ``names`` calls slots by arguments, results, lines and variables, and constants by what the function closes over
  (``closed_over``); ``memory`` makes the document.
- ``remedies`` compiles the function in other ways and keeps those with a lower peak; ``changes`` are donations of
  state and specs of whole trees, ``recomputed`` writes ``jax.checkpoint`` into the source of the user's functions, and
  puts it around those that exist for as long as the program is traced.

Traps: one iteration of a loop stands for all, so a step is not a moment. What reuses memory of another (a bitcast, an
update in place, the carry of a loop) owns none, and counts as free. A ``Compiled`` is never compiled again: a program
that does not fit is known only from its function or its ``Lowered``. An argument is alive to the end, donated or not: a
result that takes its place costs nothing. Names and shapes may fit several ways of splitting; the axes are then None.
"""
