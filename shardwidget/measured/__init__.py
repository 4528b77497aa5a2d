"""Arithmetic of measured runs: which devices waited, what a call's time went into, clocks. No JAX.

The events of devices go in (``Measured``), a ``Run`` comes out: ``read.run`` reads the events, ``Run.merge`` joins the
runs of several processes.

- ``events`` are columns: position, call, operation, start, end, in nanoseconds of one clock.
- ``waits`` finds the last arrival at each execution of a collective; what a device spends in it before is waiting.
- ``cover`` unites intervals, to tell communication that is hidden behind compute from communication that is not.
- ``build`` computes times of collectives, shares and totals, and ``lanes`` packs events for the document.
- ``lanes`` unpacks them again for ``merge``, which aligns the clocks of processes on the collectives that they share,
  and for ``chrome``, which writes Chrome's trace format.

Traps: a collective moves data from its last member's arrival on, so its time is not the duration of its event. Waiting
for devices of other processes is known only after merging. Above 200,000 events short neighbours are joined in lanes,
after everything else is computed.
"""
