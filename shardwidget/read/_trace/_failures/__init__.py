"""A program that stops: how far it got, why, and what fixes it.

JAX's exception goes in, a ``Failure`` comes out. ``stopped`` recovers the equations up to the stop and tells its kind
from JAX's message. ``failure`` has one explanation for each kind, one file for each cause: it names the value and the
mesh axes, and finds the step since which the value varies. ``changes`` writes fixes into the user's source, by
``explanation`` with what several have in common; ``reducer`` finds which function completes a sum, a mean, a maximum,
``partial`` where the program needs one. Each is a ``proposal`` until ``trials`` has traced and run it, and compared it,
on ``samples`` of arguments, with what the function gives on the whole array.
"""
