"""``read.kernel``: a Pallas kernel that sends, device by device, with its races and its deadlocks.

- ``kernel``: the reader. JAX interprets the kernel once; ``_jax.kernels`` records what each core does.
- ``slots``: buffers, cut where what is read, written and copied is cut.
- ``reading``: what was recorded, as operations of a machine, accesses and blocks; ``faults`` puts into words.
- ``machine``: the order of events that semaphores enforce, and which of them can happen before others.
- ``races``: accesses of one slot that nothing orders, an order that shows it, and what would order them.
- ``contents``: which block a slot holds at which moment of an order.

What a core does is taken to be the same in every order: a kernel that branches on values that race may do otherwise.
Every semaphore is waited for by one core alone, so an event that can happen stays possible whatever else happens. So
what can happen before a copy ends is what happens when the copy is withheld and all else goes on for as long as it can:
one run answers exactly, for all orders. A race needs no luck to be found, and a kernel without one raises no alarm.
"""
