"""The chips that a search is for: a topology on paper, or devices that are there."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from jax.sharding import Mesh

from shardwidget import _tpu, cost
from shardwidget.chips import CHIPS, chips
from shardwidget.document import Chip, MeshAxis
from shardwidget.document import Mesh as MeshDocument
from shardwidget.rates import RATES
from shardwidget.read._mesh import read_devices
from shardwidget.read._target import interconnect_of, routes_of, spans_of, target_of
from shardwidget.torus import Routes, Span

NO_TOPOLOGY = (
    "mesh={given!r} is no topology. Give a generation and chips along each physical axis, 'v5e:4x4', 'v5p:4x4x4', or "
    "how many chips, 'v5p:64', with a generation among {known}; or a jax.sharding.Mesh, whose devices are searched for."
)

WHICH_CHIPS = (
    "mesh={given!r} says how many chips, and not of which generation: give both, 'v5e:{count}' or 'v5p:{count}' "
    "(generations are {known}), or chips along each physical axis, 'v5p:4x4x4'."
)

NO_BOX = (
    "there is no slice {box} of {generation}: along each of its {axes} physical axes are 1 chip, 2 or a multiple of 4. "
    "Give '{generation}:{example}', or how many chips, '{generation}:16'."
)

TOO_LARGE = "{given} has {count} chips; the largest slice of {name} has {most}."

NO_SLICE = "there is no slice of {count} chips of {generation}: {near} are."

_KINDS = {
    "v3": ("TPU v3", 2),
    "v4": ("TPU v4", 1),
    "v5e": ("TPU v5 lite", 1),
    "v5p": ("TPU v5", 1),
    "v6e": ("TPU v6 lite", 1),
    "tpu7x": ("TPU7x", 2),
}
"""What JAX calls devices of a generation, and how many a chip is."""


class Machine:
    """Devices to search for.

    Args:
        mesh: a topology, or a mesh of devices that are there.

    Raises:
        ValueError: there is no such topology.
        TypeError: it is neither.
    """

    def __init__(self, mesh: str | Mesh) -> None:
        if isinstance(mesh, int | str) and not isinstance(mesh, bool) and (words := str(mesh)).isdecimal():
            error = ValueError if isinstance(mesh, str) else TypeError
            raise error(WHICH_CHIPS.format(given=mesh, count=int(words) or 64, known=", ".join(_KINDS)))
        mesh = _slice(mesh) if isinstance(mesh, str) else mesh
        self.topology = mesh if isinstance(mesh, str) else ""
        self._real = isinstance(mesh, Mesh)
        if isinstance(mesh, Mesh):
            self.devices = list(mesh.devices.flat)
        elif isinstance(mesh, str):
            self.devices = _on_paper(mesh)
        else:
            raise TypeError(NO_TOPOLOGY.format(given=mesh, known=", ".join(_KINDS)))
        document = read_devices(self.devices)
        self.chips = len({(d.coords, d.slice_index) for d in self.devices}) if self.topology else len(self.devices)
        self.size = len(self.devices)
        self.platform = document.platform
        self.target = target_of(document)
        found = interconnect_of(document.kind)
        self.stands_in = "" if found else cost.DEFAULT
        """The chip whose figures are used because these devices' are not known; empty where they are."""
        self.interconnect = cost.INTERCONNECTS[found or cost.DEFAULT]
        self.speed = RATES.get(self.interconnect.name) or RATES[cost.DEFAULT]
        known, index = chips(None, "" if not found else _chip_words(self.interconnect.name, document.kind))
        self.chip: Chip | None = None if index is None else known[index]
        if self.topology and self.size > self.interconnect.pod * _KINDS[_generation(self.topology)][1]:
            of = {"given": mesh, "count": self.size, "name": self.interconnect.name, "most": self.interconnect.pod}
            raise ValueError(TOO_LARGE.format(**of))

    def layout(self, sizes: Sequence[tuple[str, int]]) -> Layout:
        """The devices as a mesh of these axes would have them."""
        return _layout(self, tuple(sizes))

    def mesh(self, sizes: Sequence[tuple[str, int]]) -> Mesh:
        """A mesh to compile for.

        Raises:
            ImportError: it needs libtpu, which is not installed.
        """
        names, shape = tuple(n for n, _ in sizes) or ("data",), tuple(s for _, s in sizes) or (1,)
        if not self._real:
            return _tpu.tpu_mesh(self.topology, names, shape=shape)
        return Mesh(_grid(self.devices, shape, names), names)


class Layout:
    """How the axes of one mesh lie on the chips."""

    def __init__(self, machine: Machine, sizes: tuple[tuple[str, int], ...]) -> None:
        self._machine = machine
        self._sizes = dict(sizes)
        self._known: dict[Any, list[Span] | list[int]] = {}

    @cached_property
    def _document(self) -> MeshDocument:
        names, shape = tuple(self._sizes) or ("data",), tuple(self._sizes.values()) or (1,)
        devices = list(_grid(self._machine.devices, shape, names).flat)
        axes = tuple(MeshAxis(n, s, "Auto") for n, s in zip(names, shape, strict=True))
        return read_devices(devices, axes)

    def spans(self, over: tuple[tuple[str, int], ...]) -> Sequence[Span | int]:
        """How a group over some axes lies on the links; the sizes of the axes where devices have no coordinates."""
        if over not in self._known:
            self._known[over] = self._spans(over)
        return self._known[over]

    def ring(self, over: tuple[tuple[str, int], ...]) -> Routes | None:
        """What passing around the groups over some axes asks of the links; None where devices have no coordinates."""
        if (groups := self._groups(over)) is None:
            return None
        n = len(groups[0])
        return routes_of(groups, [(k, (k + 1) % n) for k in range(n)], self._document)

    def _groups(self, over: tuple[tuple[str, int], ...]) -> list[list[int]] | None:
        """Positions of each group; None where devices have no coordinates, or an axis is only a part of one."""
        if not self._document.coords or not all(self._sizes.get(name) == size for name, size in over):
            return None
        shape = [axis.size for axis in self._document.axes]
        places = [k for k, axis in enumerate(self._document.axes) if axis.name in dict(over)]
        positions = np.moveaxis(np.arange(math.prod(shape)).reshape(shape), places, range(-len(places), 0))
        return positions.reshape(-1, math.prod(size for _, size in over)).tolist()

    def _spans(self, over: tuple[tuple[str, int], ...]) -> Any:
        sizes = [size for _, size in over]
        groups = self._groups(over)
        return sizes if groups is None else spans_of(groups, self._document) or sizes


@lru_cache(maxsize=256)
def _layout(machine: Machine, sizes: tuple[tuple[str, int], ...]) -> Layout:
    return Layout(machine, sizes)


def _grid(devices: Sequence[Any], shape: tuple[int, ...], names: tuple[str, ...]) -> np.ndarray:
    """The devices as ``tpu_mesh`` lays them out; those of other platforms in their order."""
    if devices[0].platform != "tpu":
        return np.array(devices).reshape(shape)
    return _tpu.grid(SimpleNamespace(devices=list(devices)), 1, shape, names)


@dataclass(frozen=True)
class _Paper:
    """A device of a topology that is only on paper."""

    id: int
    coords: tuple[int, int, int]
    core_on_chip: int
    device_kind: str
    platform: str = "tpu"
    process_index: int = 0
    slice_index: int = 0


def _generation(topology: str) -> str:
    return topology.partition(":")[0].lower()


POD = {
    "v3": (32, 32, 1),
    "v4": (16, 16, 16),
    "v5e": (16, 16, 1),
    "v5p": (16, 20, 28),
    "v6e": (16, 16, 1),
    "tpu7x": (4, 4, 576),
}
"""Chips along each axis of a pod (jax-ml/scaling-book, tpus.md)."""


def _slice(topology: str) -> str:
    """``v5p:4x4x4`` of ``v5p:64``; anything else as it is."""
    generation, _, count = topology.lower().partition(":")
    if generation not in POD or not count.isdecimal() or not int(count):
        return topology
    if (box := box_of(generation, int(count))) is None:
        near = [n for n in (2**k for k in range(14)) if n <= 2 * int(count) and box_of(generation, n)][-3:]
        words = ", ".join(map(str, near))
        raise ValueError(NO_SLICE.format(count=count, generation=generation, near=words))
    return f"{generation}:{'x'.join(map(str, box))}"


def box_of(generation: str, chips: int) -> tuple[int, ...] | None:
    """The box of a number of chips that is nearest to a cube, with rings where it can have them; or None."""
    pod = POD[generation]
    flat = pod[2] == 1
    boxes = [
        (a, b, chips // (a * b))
        for a in range(1, min(pod[0], chips) + 1)
        for b in range(a, min(pod[1], chips) + 1)
        if chips % (a * b) == 0
    ]
    legal = [box for box in boxes if (box[2] == 1 if flat else box[1] <= box[2] <= pod[2])]
    legal = [box for box in legal if all(n < 3 or n % 4 == 0 for n in box)]
    if not legal:
        return None
    rings = [box for box in legal if all(n % 4 == 0 for n in box)]
    best = min(rings or legal, key=lambda box: (max(box) - min(n for n in box[: 2 if flat else 3]), box))
    best = tuple(sorted(best, key=lambda n: (n == 1, n)))
    return best[:2] if flat else best


def _on_paper(topology: str) -> list[_Paper]:
    generation, _, sizes = topology.lower().partition(":")
    if generation not in _KINDS or not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){0,2}", sizes):
        raise ValueError(NO_TOPOLOGY.format(given=topology, known=", ".join(_KINDS)))
    x, y, z = box = ([int(n) for n in sizes.split("x")] + [1, 1])[:3]
    flat = POD[generation][2] == 1
    if (flat and z > 1) or not all(n < 3 or n % 4 == 0 for n in box):
        example = "4x4" if flat else "4x4x4"
        raise ValueError(NO_BOX.format(box=sizes, generation=generation, axes=2 if flat else 3, example=example))
    kind, cores = _KINDS[generation]
    places = ((i, j, k, core) for k in range(z) for j in range(y) for i in range(x) for core in range(cores))
    return [_Paper(n, (i, j, k), core, kind) for n, (i, j, k, core) in enumerate(places)]


def _chip_words(interconnect: str, kind: str) -> str:
    name = "TPU v4" if interconnect == "TPU v4p" else interconnect
    return name if name in CHIPS else kind
