"""``read.run``: what every device did, and when, in measured calls of a program.

A function and its arguments go in, or a profile that was taken before and its program; a ``Run`` comes out. ``run`` is
called.

- It compiles the program and reads it as ``read.program`` does, then makes the calls under JAX's profiler.
- ``xspace`` reads the profile's protocol buffer into columns; ``trace`` finds the events of instructions in it, of CPU,
  TPU and GPU in one form.
- ``join`` finds the instruction of each name: its line, its loops, its collective.
- ``calls`` joins the halves of asynchronous collectives, numbers calls, and assigns devices to mesh positions.
- ``shardwidget.measured`` computes the run from these events; ``host`` says what times on this machine do not show.

Traps: a profile has 100,000 events a second, so everything is a column, and nothing is an object for each event. The
profiler counts devices by their ordinal on the host, and does not always say which call an event is in: it then
follows from how often each instruction ran. Events of a loop and of what it runs overlap: only the inner ones count.
A profile of another program has other names, and is refused.
"""
