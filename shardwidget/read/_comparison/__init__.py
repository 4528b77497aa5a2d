"""``read.comparison``: what the types of a program say, beside where the compiled program puts its values.

A function and its arguments go in, a ``Comparison`` with a row for each equation comes out. ``comparison`` is called;
arrays by themselves are compared in ``arrays``.

- ``question`` takes the arguments off their mesh, so that the same call can be made on meshes of other axis types.
- ``base`` traces the function once: on its own mesh, or on an Auto one where that stops. ``tree`` makes lines of the
  jaxpr, of inner functions, loops and branches too; everything below is found for these lines.
- ``lowered`` gives each equation a name of its own, which leads from a collective back to its line. ``concrete``
  compiles the jaxpr twice at once: as it is, for collectives, and with an inspection after every equation, for
  shardings.
- ``traced`` traces the function on an Explicit mesh and continues with a fix wherever JAX stops; ``aligned`` matches
  the equations of that trace with the lines. ``run`` applies the lines one by one instead, where the function cannot
  be traced to its end there. ``explicit`` holds what both find, and
  ``types`` chooses between them.
- ``ways`` proposes fixes, ``fix`` tries each, ``written`` writes it into the user's lines, ``pasting`` traces
  those, and ``price`` compiles the equation with it to count bytes.
- ``rows`` and ``ends`` make the rows of the document; ``specs`` says why JAX refuses a spec of a ``shard_map`` or the
  carry of a loop.
- ``reasons`` says why values are split, from Shardy's record; ``alternatives`` compiles what would be otherwise.
- ``explained`` says it of a program that is compiled already: values are ``propagated``, not inspected, and ``owners``
  finds the lines of its collectives.

Traps: line k is row k + 1, because the first row is that of the arguments. A line without a match among the equations
of the Explicit trace has no type. Inspections keep XLA from fusing and can add collectives: such lines are marked.
Another choice of fixes traces and compiles again, and has other lines: ``on_lines`` assigns what is known to the first.
"""
