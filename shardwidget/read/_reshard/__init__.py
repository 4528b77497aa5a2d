"""``read.reshard_plan``: what moving arrays to another layout would do.

``layouts`` says how an array lies before and after, ``needs`` which device lacks what and who has it, ``compiled`` by
which collectives XLA moves it; ``entry`` is what users call.
"""
