"""How fast one device computes and reads its memory: the makers' figures, as the scaling book lists them."""

from __future__ import annotations

from dataclasses import dataclass

_TPUS, _GPUS = "jax-ml/scaling-book tpus.md", "jax-ml/scaling-book gpus.md"


@dataclass(frozen=True)
class Rate:
    """The most that one device does. Create one to use numbers of your own."""

    name: str
    flops: float
    """Floating-point operations a second, bf16 in matrix units, dense."""
    memory: float
    """Bytes a second between the chip and its memory."""
    source: str = "user"


_ALL = (
    Rate("TPU v3", 1.4e14 / 2, 9.0e11 / 2, f"{_TPUS}; a chip is two devices"),
    Rate("TPU v4p", 2.75e14, 1.2e12, _TPUS),
    Rate("TPU v5p", 4.59e14, 2.8e12, _TPUS),
    Rate("TPU v5e", 1.97e14, 8.1e11, _TPUS),
    Rate("TPU v6e", 9.2e14, 1.6e12, _TPUS),
    Rate("TPU7x", 2.3e15 / 2, 7.4e12 / 2, f"{_TPUS}; a chip is two devices"),
    Rate("A100", 3.1e14, 2.0e12, _GPUS),
    Rate("H100", 9.9e14, 3.4e12, _GPUS),
    Rate("H200", 9.9e14, 4.8e12, _GPUS),
    Rate("B200", 2.3e15, 8.0e12, _GPUS),
)

RATES = {rate.name: rate for rate in _ALL}
"""Known devices by the name of their interconnect in ``cost.INTERCONNECTS``."""
