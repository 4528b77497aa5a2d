"""Memory of one device, by the name of its chip: what the makers' pages say.

They write GB and mean 2³⁰ bytes, as their drivers count. A runtime keeps some of it for itself.
"""

from __future__ import annotations

from shardwidget.document import Chip

_GIB = 2**30
_TPU = "docs.cloud.google.com/tpu/docs/"
_DGX = "docs.nvidia.com/dgx/"

_ALL = (
    Chip("TPU v4", 32 * _GIB, f"{_TPU}v4"),
    Chip("TPU v5e", 16 * _GIB, f"{_TPU}v5e"),
    Chip("TPU v5p", 95 * _GIB, f"{_TPU}v5p"),
    Chip("TPU v6e", 32 * _GIB, f"{_TPU}v6e"),
    Chip("TPU7x", 96 * _GIB, f"{_TPU}tpu7x: 192 GiB a chip, which is two devices"),
    Chip("A100 40GB", 40 * _GIB, f"{_DGX}dgxa100-user-guide: 320 GB in 8"),
    Chip("A100 80GB", 80 * _GIB, f"{_DGX}dgxa100-user-guide: 640 GB in 8"),
    Chip("H100", 80 * _GIB, f"{_DGX}dgxh100-user-guide: 640 GB in 8"),
    Chip("H200", 141 * _GIB, f"{_DGX}dgxh100-user-guide: 1,128 GB in 8"),
    Chip("B200", 180 * _GIB, f"{_DGX}dgxb200-user-guide: 1,440 GB in 8"),
)

CHIPS = {chip.name: chip for chip in _ALL}
"""Known chips by name."""

NO_SUCH_CHIP = "chip={given!r} is not known. Give one of {names}, or the bytes of a device's memory: chip=24 * 2**30."


def chips(first: str | int | None, kind: str) -> tuple[tuple[Chip, ...], int | None]:
    """The chips to choose from, and the index of the one that is selected at first; None for none.

    Args:
        first: the name of a chip, or the bytes of a device's memory; None for the first chip whose name is in
            ``kind``.
        kind: what the devices are called, by JAX or by people: ``TPU v5e``, ``NVIDIA A100-SXM4-80GB``.

    Raises:
        ValueError: there is no such chip, or the bytes are not positive.
    """
    if isinstance(first, int) and not isinstance(first, bool) and first > 0:
        return (Chip("own number", first, "given"), *_ALL), 0
    if first is not None and first not in CHIPS:
        raise ValueError(NO_SUCH_CHIP.format(given=first, names=", ".join(map(repr, CHIPS))))
    names = [first] if first else [name for name in CHIPS if all(word in kind for word in name.split())]
    return _ALL, list(CHIPS).index(names[0]) if names else None
