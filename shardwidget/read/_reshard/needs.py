"""What devices lack of an array's new layout, from which of them it comes, and over which mesh axes."""

from __future__ import annotations

import math

import numpy as np

from shardwidget.document import Flow, Placement


def lacking(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """How many elements each device needs and does not have, shape ``[devices]``.

    Args:
        before: what each holds, as ``Placement.boxes``: shape ``[devices, rank, 2]``.
        after: what each is to hold, of the same devices.
    """
    return _volume(after) - _volume(_common(before, after))


def crossed(before: Placement, after: np.ndarray) -> tuple[str, ...]:
    """The mesh axes that separate devices from those that have what they need, in mesh order.

    An element is on the devices with one index on each axis that cuts its dimension, and any on the other axes; so
    only axes that cut the array before are crossed.

    Args:
        before: where the array is, cut only by mesh axes.
        after: what each device of its mesh is to hold, shape ``[devices, rank, 2]``.
    """
    mesh = before.mesh
    sizes = {a.name: a.size for a in mesh.axes}
    digits = dict(zip(sizes, np.unravel_index(np.arange(mesh.size), mesh.shape), strict=False))
    needs = _volume(after) > 0
    found: set[str] = set()
    for d, dim in enumerate(before.dims):
        if not dim.axes:
            continue
        radices = [sizes[axis] for axis in dim.axes]
        block = max(1, dim.size // math.prod(radices))
        own = np.ravel_multi_index([digits[axis] for axis in dim.axes], radices)
        first, end = after[:, d, 0] // block, -(-after[:, d, 1] // block)
        cases = np.unique(np.ravel_multi_index([own, first, end], _most(own, first, end))[needs])
        for at, start, stop in zip(*np.unravel_index(cases, _most(own, first, end)), strict=True):
            here, parts = np.unravel_index(at, radices), np.unravel_index(np.arange(start, stop), radices)
            found |= {axis for axis, part, is_at in zip(dim.axes, parts, here, strict=True) if (part != is_at).any()}
    return tuple(name for name in sizes if name in found)


def flows(before: Placement, after: Placement, itemsize: int) -> tuple[Flow, ...]:
    """How many bytes each device needs from which other: of several devices that have a piece, from the nearest.

    The nearest is the device itself, then the one whose mesh coordinates differ on the fewest axes, then the first.

    Args:
        before: where the array is.
        after: where it is to be; its devices may be others.
        itemsize: bytes of an element.
    """
    tiles, tile_of = np.unique(before.boxes, axis=0, return_inverse=True)
    tile_of = tile_of.ravel()
    size = before.mesh.size
    coordinates = np.stack(np.unravel_index(np.arange(size), before.mesh.shape), axis=1)
    at = {device: position for position, device in enumerate(before.device_ids)}
    found: dict[tuple[int, int], int] = {}
    for target, device in enumerate(after.device_ids):
        own = at.get(device)
        distance = np.zeros(size) if own is None else (coordinates != coordinates[own]).sum(axis=1)
        wanted = _volume(_common(tiles, after.boxes[target][None]))
        for tile in np.flatnonzero(wanted).tolist():
            holders = np.flatnonzero(tile_of == tile)
            source = int(holders[distance[holders].argmin()])
            if source != own:
                found[source, target] = found.get((source, target), 0) + int(wanted[tile]) * itemsize
    return tuple(Flow(source, target, count) for (source, target), count in sorted(found.items()))


def _most(*columns: np.ndarray) -> list[int]:
    return [int(column.max()) + 1 for column in columns]


def _common(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    starts = np.maximum(one[..., 0], other[..., 0])
    return np.stack([starts, np.maximum(starts, np.minimum(one[..., 1], other[..., 1]))], axis=-1)


def _volume(boxes: np.ndarray) -> np.ndarray:
    return (boxes[..., 1] - boxes[..., 0]).prod(axis=-1)
