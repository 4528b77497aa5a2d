"""``read.search``: which mesh and specs a training step is fastest with.

- ``step``: the user's function, traced once, its calls inlined; lowered for a mesh with specs and constraints.
- ``dims``: dimensions that the program ties together; ``roles``: which of them are batch, sequence, d_model, heads …
- ``plans``: axes given to groups, the spec of every value that follows, and all plans of a number of chips.
- ``machine``: a topology on paper, laid out as ``tpu_mesh`` does; peaks of chips.
- ``walk``, ``alive``: what a program takes that Shardy has divided: collectives, products; memory.
  ``gathers``: which equal gathers XLA makes one; ``sums``: which it scatters; ``tables``: rows that are looked up.
- ``compiling``: the same by the compiler, kept on disk. ``code``: a candidate as Python.
- ``tried``: a candidate, of a plan or "now". ``run``: all of it in order; what was known stays when it is interrupted.
- ``ranking``: what they are ordered by.
- ``search``: what the user asks for, checked; other numbers of chips and sizes of the batch.

A candidate is specs of arguments and constraints on activations: with specs alone, propagation splits activations by
d_model and keeps the batch whole.
"""
