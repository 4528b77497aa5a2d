"""The links between chips: which of them the transfers of a mesh's axes, or of a program's collectives, cross."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Crossing", "DeviceOrder", "Links"]


@dataclass(frozen=True)
class Crossing:
    """The transfers of groups of devices, all groups at once: each group passes its blocks round a ring, in order.

    A hop goes along the first physical axis first, the shorter way. A ring is used in both directions, so a link counts
    once for each hop that crosses it.
    """

    name: str
    """The mesh axes, ``data``, ``data, model``; with the kind of collective where it is one that makes no ring. Of
    several permutations, with its pairs: ``model, 0→1 2→3``."""
    axes: tuple[str, ...]
    """The mesh axes whose groups these are; empty for irregular groups."""
    size: int
    """Devices of a group."""
    links_a_hop: float
    """Links that a hop crosses, on average; between the devices of one chip it crosses none."""
    most_links: int
    """Links that the longest hop crosses."""
    busiest: int
    """Hops that cross the link that carries most."""
    wraparound: tuple[int, ...]
    """The physical axes whose wraparound links are crossed."""
    within_chips: float
    """The share of hops that stay within a chip."""
    hosts: int
    """The hosts that a group is on, at most."""
    load: Ints
    """Hops that cross each link: for each physical axis, and each chip of the box (first axis slowest), the link from
    that chip to the next along the axis."""
    bytes: int = 0
    """With a program: bytes that a hop carries in a call, both directions together. 0 without one."""
    collectives: tuple[int, ...] = ()
    """With a program: the indices of its collectives that make these hops."""
    of: tuple[str, ...] = ()
    """With a program: those collectives in words, one a line of code, most bytes first: ``2 all-gathers, line 41``."""


@dataclass(frozen=True)
class DeviceOrder:
    """One order of devices: where each position of a mesh is on the chips."""

    name: str
    mesh: Mesh
    chips: tuple[int, ...]
    """Chips along each physical axis of the box that the devices fill."""
    wraps: tuple[bool, ...]
    """Whether each physical axis has wraparound links."""
    devices_a_chip: int
    links: int
    """The number of links."""
    crossings: tuple[Crossing, ...]
    busiest: int = 0
    """Hops of all crossings together on the link that carries most."""
    idle: int = 0
    """Links that none crosses."""
    bytes: int = 0
    """With a program: bytes on the link that carries most, in a call."""
    most: tuple[int, int] = (-1, -1)
    """The link that carries most: the physical axis, and the chip that it leads from. -1 where all are idle."""
    seconds: float = 0.0
    """With a program: how long that link takes for them at its full rate, an estimate."""


@dataclass(frozen=True, repr=False)
class Links(Document):
    """Device orders of a mesh side by side, on the links of their chips."""

    orders: tuple[DeviceOrder, ...]
    target: str
    """The chips in words: ``TPU v5p 4×4×4``."""
    answer: str
    """What differs between them, or what the only one does, in a sentence."""
    program: str = ""
    """The program whose collectives these are; empty for all axes of the mesh at once."""
    kind: Literal["links"] = field(default="links", init=False)
    version: int = field(default=VERSION, init=False)
