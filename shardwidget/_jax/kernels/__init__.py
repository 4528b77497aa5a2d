"""What a Pallas TPU kernel does on each device, recorded while JAX interprets it on CPU devices.

JAX 0.9 – 0.12: the interpreter (``pltpu.InterpretParams``) is public, what it calls for each operation is not. Each of
its operations is a callback, made while the kernel is lowered; the recorder stands in for the function that makes them.

- ``interpreter``: which kernels it can interpret.
- ``record``: what is recorded; ``callbacks``: how it is read from the interpreter's calls.
- ``watch``: all kernels while they run; ``recording``: the run.
"""

from shardwidget._jax.kernels.interpreter import (
    NotForTpusError,
    interpreted,
    interprets_kernels,
    kernel_name,
    kernel_sends,
)
from shardwidget._jax.kernels.record import Action, Buffer, Place, RecordedKernel
from shardwidget._jax.kernels.recording import recorded_kernels

__all__ = [
    "Action",
    "Buffer",
    "NotForTpusError",
    "Place",
    "RecordedKernel",
    "interpreted",
    "interprets_kernels",
    "kernel_name",
    "kernel_sends",
    "recorded_kernels",
]
