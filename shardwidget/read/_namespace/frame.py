"""The devices of all arrays together, and what an array puts on each of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import jax
import numpy as np

from shardwidget.document import Ints, Mesh
from shardwidget.document.namespace import DeviceGroup
from shardwidget.read._namespace.records import ArrayKind

STATISTICS = ("bytes_in_use", "peak_bytes_in_use", "bytes_limit")
"""Their names in ``Device.memory_stats``."""


@dataclass(frozen=True)
class DeviceFrame:
    """Meshes in the order in which the document has them, and each device once."""

    order: tuple[int, ...]
    """Index of each mesh among those that were read."""
    meshes: tuple[Mesh, ...]
    devices: tuple[tuple[str, int], ...]
    """Platform and ``Device.id`` of each."""
    places: dict[int, np.ndarray]
    """For each mesh, in ``order``, the index in ``devices`` of every position."""
    vectors: dict[int, np.ndarray]
    """Bytes on each of the devices of an array of a kind, for the kinds asked for so far."""

    @staticmethod
    def of(meshes: Sequence[Mesh], order: tuple[int, ...]) -> DeviceFrame:
        """A frame of meshes in an order, the main one first."""
        index: dict[tuple[str, int], int] = {}
        places = {}
        for at in order:
            mesh = meshes[at]
            ids = mesh.device_ids.array().tolist()
            places[at] = np.array([index.setdefault((mesh.platform, i), len(index)) for i in ids])
        return DeviceFrame(order, tuple(meshes[at] for at in order), tuple(index), places, {})

    @property
    def mesh(self) -> Mesh | None:
        """The main mesh; None where no array is on any device."""
        return self.meshes[0] if self.meshes else None

    def vector(self, index: int, kind: ArrayKind) -> np.ndarray:
        """Bytes on each device, int64, shape ``[devices]``.

        Args:
            index: of the kind, the key that it is cached under.
            kind: the kind itself.
        """
        known = self.vectors.get(index)
        if known is None:
            known = self.vectors[index] = np.zeros(len(self.devices), np.int64)
            if kind.placement is not None:
                known[self.places[kind.type.mesh]] = kind.placement.shard_bytes
        return known

    def total(self, counts: Counter[int], kinds: Sequence[ArrayKind]) -> np.ndarray:
        """Bytes on each device, for a number of arrays of each kind."""
        out = np.zeros(len(self.devices), np.int64)
        for index, count in counts.items():
            if kinds[index].placement is not None:
                out += count * self.vector(index, kinds[index])
        return out


def order(kinds: Sequence[ArrayKind], counts: Counter[int], meshes: Sequence[Mesh]) -> tuple[int, ...]:
    """The meshes that arrays are on: those with axes, with the most devices and then the most bytes first."""
    held: Counter[int] = Counter()
    for index, count in counts.items():
        if kinds[index].placement is not None:
            held[kinds[index].type.mesh] += count * kinds[index].bytes
    return tuple(sorted(held, key=lambda m: (-meshes[m].size, not meshes[m].axes, -held[m])))


def groups(frame: DeviceFrame, held: np.ndarray, own: np.ndarray, added: np.ndarray, freed: np.ndarray) -> tuple:
    """Groups of devices on which everything is the same, most bytes first.

    Args:
        frame: the devices.
        held: bytes of all arrays on each, shape ``[devices]``; likewise the others.
        own: bytes without copies.
        added: bytes that are new.
        freed: bytes that are no longer there.
    """
    statistics = _statistics(frame.devices)
    columns = (column.tolist() for column in (held, own, added, freed))
    found: dict[tuple, list[int]] = defaultdict(list)
    for device, row in enumerate(zip(*columns, statistics, strict=True)):
        found[row].append(device)
    out = [
        DeviceGroup(Ints.pack(devices), held, own, added, freed, *statistics)
        for (held, own, added, freed, statistics), devices in found.items()
    ]
    return tuple(sorted(out, key=lambda group: -group.held))


def _statistics(devices: Sequence[tuple[str, int]]) -> list[tuple[int | None, ...]]:
    """What the backend reports about the memory of each device of this process."""
    none = (None,) * len(STATISTICS)
    out = dict.fromkeys(devices, none)
    for platform in {platform for platform, _ in devices if platform}:
        for device in jax.local_devices(backend=platform):
            found = device.memory_stats()
            # A backend that reports nothing about one device reports nothing about any.
            if not found:
                break
            if (platform, device.id) in out:
                out[platform, device.id] = tuple(found.get(name) for name in STATISTICS)
    return list(out.values())
