"""``read.namespace``: which names of a session hold which arrays, and what the last cell changed.

Values by name go in, a ``Namespace`` comes out. ``namespace`` looks once; the Inspector keeps a ``Looks`` (``look``),
and looks after every cell.

- ``walk`` finds the arrays in the values that names hold.
- ``records`` says which array is which by weak references, and keeps the type of each.
- ``loose`` finds live arrays that no name holds.
- ``moment`` sums up what each name holds now, and takes over from the look before what has not changed.
- ``frame`` puts the devices of all meshes in one order, for bytes on each device.
- ``changes`` compares a name's arrays before and now; ``look`` makes the document, with the flags of ``read._model``.

Traps: nothing here may keep an array alive: only records are stored, and values only passed on. It runs after every
cell, over everything that exists, so a name that holds what it held must cost next to nothing. An array counts for the
first name that holds it. Python reuses the id of an array that is gone. Reading values makes arrays of single shards,
which ``jax.live_arrays`` lists too: they are recognized by their address and not counted.
"""
