"""What a program is compiled for: its devices in words, how they are connected, which links wrap around."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shardwidget import cost
from shardwidget.document import Mesh

_TPUS = {
    "TPU v3": "TPU v3",
    "TPU v4": "TPU v4p",
    "TPU v5": "TPU v5p",
    "TPU v5p": "TPU v5p",
    "TPU v5 lite": "TPU v5e",
    "TPU v5e": "TPU v5e",
    "TPU v6 lite": "TPU v6e",
    "TPU v6e": "TPU v6e",
    "TPU7x": "TPU7x",
}
"""Names in ``cost.INTERCONNECTS`` by ``Device.device_kind``."""

_SHORT = {"TPU v4p": "TPU v4"}
"""The common name of a generation where the table of figures has another one."""


def interconnect_of(kind: str) -> str:
    """The name in ``cost.INTERCONNECTS`` that fits devices of a kind; empty where none does."""
    if kind in _TPUS:
        return _TPUS[kind]
    found = re.search(r"\b(GB200|B200|H200|H100|A100)\b", kind)
    return next((name for name in cost.INTERCONNECTS if name.startswith(found[1])), "") if found else ""


def target_of(mesh: Mesh) -> str:
    """The devices in words: ``TPU v5e 4×4``, ``8 CPU devices``, ``8 × NVIDIA H100 80GB HBM3``."""
    if mesh.platform == "cpu":
        return f"{mesh.size} CPU device{'s' if mesh.size > 1 else ''}"
    known = interconnect_of(mesh.kind) if mesh.platform == "tpu" else ""
    kind = _SHORT.get(known, known) or mesh.kind
    slices = _slices(mesh)
    boxes = {_box(mesh, positions) for positions in slices}
    if len(boxes) == 1 and (box := boxes.pop()):
        while len(box) > 2 and box[-1] == 1:
            box = box[:-1]
        each = f"{len(slices)} slices of " * (len(slices) > 1)
        return f"{each}{kind} {'×'.join(map(str, box))}"
    return f"{mesh.size} × {kind}"


def wraps_of(mesh: Mesh) -> tuple[bool, ...]:
    """Whether each physical coordinate has wraparound links: where the devices fill a box, by its sizes."""
    interconnect = cost.INTERCONNECTS.get(interconnect_of(mesh.kind))
    boxes = {_box(mesh, positions) for positions in _slices(mesh)}
    box = boxes.pop() if len(boxes) == 1 else ()
    if not box or interconnect is None or interconnect.topology != "torus":
        return (False,) * len(mesh.coords)
    wraps = tuple(size % interconnect.wrap == 0 for size in box)
    return wraps if interconnect.axes < 3 or all(wraps) else (False,) * len(box)


def is_ring(mesh: Mesh) -> bool:
    """Whether the devices, in their order, are a ring of links: four or more, each a neighbour of the next."""
    if mesh.size < 4 or not mesh.coords or mesh.slices is not None:
        return False
    at = np.stack([column.array() for column in mesh.coords], axis=1)
    apart = np.abs(at - np.roll(at, -1, axis=0))
    around = np.ptp(at, axis=0) * np.array(wraps_of(mesh))
    steps = np.where((apart == around) & (around > 0), 1, apart)
    return bool((steps.sum(axis=1) == 1).all())


class PhysicalLayout(NamedTuple):
    """How groups are laid out on the physical links."""

    box: tuple[int, ...]
    """Chips along each physical axis of the box that each group fills, without axes of one chip; empty where the
    groups fill no boxes, or different ones."""
    rings: bool
    """Whether all links along them wrap around: a part of a ring does not."""


def physical_layout(groups: Sequence[Sequence[int]], mesh: Mesh) -> PhysicalLayout | None:
    """How groups are laid out on the physical links; None where devices have no coordinates."""
    if not mesh.coords:
        return None
    columns = np.stack([column.array() for column in mesh.coords])
    slices = mesh.slices.array() if mesh.slices is not None else np.zeros(mesh.size, int)
    boxes = set()
    for group in groups:
        at = columns[:, list(group)]
        if len(set(slices[list(group)].tolist())) > 1:
            boxes.add(())
            continue
        sizes = tuple((at.max(axis=1) - at.min(axis=1) + 1).tolist())
        fills = math.prod(sizes) == len(group) == len(set(map(tuple, at.T.tolist())))
        boxes.add(sizes if fills else ())
    box = boxes.pop() if len(boxes) == 1 else ()
    if not box:
        return PhysicalLayout((), False)
    along = [k for k, size in enumerate(box) if size > 1]
    (whole, *others), wraps = {_box(mesh, positions) for positions in _slices(mesh)}, wraps_of(mesh)
    whole = () if others else whole
    return PhysicalLayout(
        tuple(box[k] for k in along), bool(whole) and all(wraps[k] and box[k] == whole[k] for k in along)
    )


def _slices(mesh: Mesh) -> list[np.ndarray]:
    """Mesh positions of the devices of each slice: all, where there is one."""
    if mesh.slices is None:
        return [np.arange(mesh.size)]
    of = mesh.slices.array()
    return [np.flatnonzero(of == one) for one in np.unique(of)]


def _box(mesh: Mesh, positions: np.ndarray) -> tuple[int, ...]:
    """Sizes of the physical box that some devices fill; empty where they fill none, or share coordinates."""
    if not mesh.coords:
        return ()
    columns = [column.array()[positions] for column in mesh.coords]
    box = tuple(int(c.max() - c.min()) + 1 for c in columns)
    return box if math.prod(box) == len(positions) == len(set(zip(*columns, strict=True))) else ()
