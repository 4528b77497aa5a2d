"""What a program is compiled for: its devices in words, how they are connected, and what collectives take there."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from shardwidget import cost
from shardwidget.collectives import Call
from shardwidget.document import Mesh
from shardwidget.torus import Routes, Span, rings, routes

_CALLED = {"TPU v4": "TPU v4p", "TPU v5": "TPU v5p", "TPU v5 lite": "TPU v5e", "TPU v6 lite": "TPU v6e"}
"""Names in ``cost.INTERCONNECTS`` by ``Device.device_kind``, where they are others."""

_SHORT = {"TPU v4p": "TPU v4"}
"""The common name of a generation where the table of figures has another one."""


def interconnect_of(kind: str) -> str:
    """The name in ``cost.INTERCONNECTS`` that fits devices of a kind; empty where none does."""
    if (name := _CALLED.get(kind, kind)) in cost.INTERCONNECTS:
        return name
    switches = (name for name, known in cost.INTERCONNECTS.items() if known.topology == "switch")
    return next((name for name in switches if re.search(rf"\b{name.split()[0]}\b", kind)), "")


def target_of(mesh: Mesh) -> str:
    """The devices in words: ``TPU v5e 4×4``, ``8 CPU devices``, ``8 × NVIDIA H100 80GB HBM3``."""
    if mesh.platform == "cpu":
        return f"{mesh.size} CPU device{'s' if mesh.size > 1 else ''}"
    if mesh.platform != "tpu":  # Coordinates that JAX gives to GPUs are ordinals, not places.
        return f"{mesh.size} × {mesh.kind}"
    known = interconnect_of(mesh.kind)
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
    return rings(box, interconnect.wrap, interconnect.axes)


def is_ring(mesh: Mesh) -> bool:
    """Whether the devices, in their order, are a ring of links: four or more, each a neighbour of the next."""
    if mesh.size < 4 or not mesh.coords or mesh.slices is not None:
        return False
    at = np.stack([column.array() for column in mesh.coords], axis=1)
    apart = np.abs(at - np.roll(at, -1, axis=0))
    around = np.ptp(at, axis=0) * np.array(wraps_of(mesh))
    steps = np.where((apart == around) & (around > 0), 1, apart)
    return bool((steps.sum(axis=1) == 1).all())


def estimates(
    call: Call, whole: int, mesh: Mesh, interconnects: Sequence[cost.Interconnect], own: cost.Interconnect | None
) -> list[cost.Estimate]:
    """What a collective takes on each interconnect: on the devices' own by their real links, on others by its axes.

    Args:
        call: the collective.
        whole: as of ``cost.estimate``.
        mesh: the mesh, as a document.
        interconnects: what times are estimated for.
        own: the one of them that connects these devices; None where none does.
    """
    sizes = [axis.size for name in call.axes for axis in mesh.axes if axis.name == name]
    sizes = sizes if math.prod(sizes) == call.n else [call.n]
    ids = mesh.device_ids.array().tolist() if mesh.platform == "gpu" else None
    spans = spans_of(call.groups, mesh) if own else None
    routes = routes_of(call.groups, call.pairs, mesh) if own and call.pairs else None
    return [
        cost.estimate(call, spans or sizes, whole, ici, routes=routes, ids=ids)
        if ici is own
        else cost.estimate(call, sizes, whole, ici)
        for ici in interconnects
    ]


def spans_of(groups: Sequence[Sequence[int]], mesh: Mesh) -> list[Span] | None:
    """How groups lie along the physical axes, without those on which they have one chip.

    Each must fill a box of chips, perhaps with the same gaps everywhere, which other groups fill; and all in the same
    way. A group of the devices of one chip is taken as one link, though they are connected by more.

    Args:
        groups: mesh positions.
        mesh: the mesh, as a document.

    Returns:
        The spans; of groups that fill no such boxes, one line. None where devices have no coordinates.
    """
    if not mesh.coords:
        return None
    columns = np.stack([column.array() for column in mesh.coords])
    slices = mesh.slices.array() if mesh.slices is not None else np.zeros(mesh.size, int)
    boxes = {_box(mesh, positions) for positions in _slices(mesh)}
    (whole, *others), wraps = boxes, wraps_of(mesh)
    cores = mesh.size // len(set(zip(*columns, slices, strict=True)))
    found: set[tuple[Span, ...]] = set()
    for group in groups:
        chips = np.unique(columns[:, list(group)], axis=1)
        places = [np.unique(column) for column in chips]
        steps = [np.unique(np.diff(place)) for place in places]
        regular = all(len(step) < 2 for step in steps) and math.prod(map(len, places)) == chips.shape[1]
        if not regular or len(group) % chips.shape[1] or len(set(slices[list(group)].tolist())) > 1:
            found.add(())
            continue
        apart = cores * chips.shape[1] // len(group)
        spans = []
        for k, (place, step) in enumerate(zip(places, steps, strict=True)):
            if len(place) > 1:
                stride = int(step[0])
                around = bool(whole) and not others and wraps[k] and len(place) * stride == whole[k]
                spans.append(Span(len(place), around, stride, stride * apart))
        found.add(tuple(spans))
    spans = found.pop() if len(found) == 1 else ()
    return list(spans) or [Span(max(map(len, groups)), ring=False)]


def routes_of(groups: Sequence[Sequence[int]], pairs: Sequence[tuple[int, int]], mesh: Mesh) -> Routes | None:
    """What a permutation asks of the links; None where devices have no coordinates, or it leaves a slice.

    Args:
        groups: mesh positions.
        pairs: places in a group that send, and to which.
        mesh: the mesh, as a document.
    """
    if not mesh.coords or mesh.slices is not None:
        return None
    columns = np.stack([column.array() for column in mesh.coords])
    columns = columns - columns.min(axis=1, keepdims=True)
    ends = np.array([(group[a], group[b]) for group in groups for a, b in pairs if a != b])
    around = [int(column.max()) + 1 if wraps else 0 for column, wraps in zip(columns, wraps_of(mesh), strict=True)]
    return routes(columns[:, ends[:, 0]], columns[:, ends[:, 1]], around) if len(ends) else None


def _slices(mesh: Mesh) -> list[np.ndarray]:
    """Mesh positions of the devices of each slice: all, where there is one."""
    if mesh.slices is None:
        return [np.arange(mesh.size)]
    of = mesh.slices.array()
    return [np.flatnonzero(of == one) for one in np.unique(of)]


def _box(mesh: Mesh, positions: np.ndarray) -> tuple[int, ...]:
    """Sizes of the physical box of chips that some devices fill; empty where they fill none."""
    if not mesh.coords:
        return ()
    columns = [column.array()[positions] for column in mesh.coords]
    box = tuple(int(c.max() - c.min()) + 1 for c in columns)
    cores = set(Counter(zip(*columns, strict=True)).values())
    return box if len(cores) == 1 and math.prod(box) * cores.pop() == len(positions) else ()
