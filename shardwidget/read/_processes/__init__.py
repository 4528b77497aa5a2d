"""Programs of several processes: what all of them do together, and who is missing.

A reader that compiles or runs something for several processes does it inside ``together`` or ``compiling``.

- ``together`` prints what a call is about to do, lets all processes arrive, and watches them until its end.
- ``arrival`` makes all of them arrive at the same call, or all give it up: the first verdict counts, and all follow it.
- ``watch`` sends signs of life meanwhile, and reports who sends none.

Traps: a process that begins a collective alone waits in it forever, so nothing may be sent before all have arrived.
What a process may do alone (reading shapes, compiling for CPU or TPU) is announced and begun at once. Processes talk by
keys of JAX's coordination service (``_jax.Board``), never by collectives.
"""
