"""What a program is compiled for: the machine in words, its links, and the interconnect that fits."""

from __future__ import annotations

import re

from shardwidget import cost
from shardwidget.document import Mesh

# By ``Device.device_kind``, in lower case, first match first.
_KINDS = (
    ("tpu v5 lite", "TPU v5e"),
    ("tpu v5e", "TPU v5e"),
    ("tpu v6", "TPU v6e"),
    ("tpu v5", "TPU v5p"),
    ("tpu v4", "TPU v4p"),
    ("tpu v3", "TPU v3"),
    ("tpu7", "TPU7x"),
    ("tpu v7", "TPU7x"),
    ("gb200", "GB200 NVL72"),
    ("b200", "B200"),
    ("h200", "H200"),
    ("h100", "H100"),
    ("a100", "A100"),
)


def known_interconnect(mesh: Mesh) -> cost.Interconnect | None:
    """The interconnect of a mesh's devices; None where it is not known (CPU)."""
    kind = mesh.kind.lower()
    return next((cost.INTERCONNECTS[name] for part, name in _KINDS if part in kind), None)


def interconnect_of(mesh: Mesh, chosen: str | cost.Interconnect | None) -> cost.Interconnect:
    """The interconnect to estimate for: the one that is chosen, else the devices' own, else the first known.

    Raises:
        ValueError: the chosen name is not known.
    """
    if isinstance(chosen, cost.Interconnect):
        return chosen
    if chosen is not None:
        if chosen not in cost.INTERCONNECTS:
            raise ValueError(
                f"no interconnect {chosen!r}; known are {', '.join(cost.INTERCONNECTS)}, or give a cost.Interconnect"
            )
        return cost.INTERCONNECTS[chosen]
    return known_interconnect(mesh) or next(iter(cost.INTERCONNECTS.values()))


def target_of(mesh: Mesh) -> str:
    """What a program is compiled for, in words: ``TPU v5e 4×4``, ``8 CPU devices``."""
    known = known_interconnect(mesh)
    if mesh.coords and known:
        sizes = [n for n in extents(mesh) if n > 1] or [1]
        return f"{known.name} {'×'.join(map(str, sizes))}"
    if mesh.platform == "cpu":
        return f"{mesh.size} CPU device{'s' * (mesh.size > 1)}"
    return f"{mesh.size} × {re.sub(r'^NVIDIA ', '', mesh.kind) or 'device'}"


def extents(mesh: Mesh) -> tuple[int, ...]:
    """How many devices stand along each physical coordinate."""
    return tuple(int(c.array().max()) - int(c.array().min()) + 1 for c in mesh.coords)


def wraps_of(mesh: Mesh) -> tuple[bool, ...]:
    """Whether each physical coordinate has wraparound links, by its extent (scaling-book, tpus.md)."""
    known = known_interconnect(mesh)
    if known is None or known.topology != "torus":
        return tuple(False for _ in mesh.coords)
    return tuple(n > 1 and n % known.wrap == 0 for n in extents(mesh))
