"""``read.reshard_plan``: what moving arrays to another layout would do.

``layouts`` finds how an array is laid out before and after, ``needs`` which device lacks what and who has it,
``compiled`` by which collectives XLA moves it; ``plan`` is what users call.
"""
