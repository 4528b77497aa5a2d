"""The algorithms of a collective side by side: rounds, and what their links carry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.collective import Plan
from shardwidget.document.wire import VERSION

__all__ = ["Algorithm", "Algorithms", "Network"]


@dataclass(frozen=True)
class Network:
    """How the devices of a group are connected, for estimates."""

    name: str
    topology: Literal["torus", "switch"]
    """``torus``: the group is a ring of links. ``switch``: every device reaches every other directly."""
    bandwidth: float
    """Bytes per second that a link carries in one direction (torus), or that a device sends (switch)."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, and how much each of its rounds sends. A chunk is ``Algorithms.chunk`` of a block."""

    plan: Plan
    sent: tuple[float, ...]
    """For each round, the most chunks that any device sends."""
    busiest: tuple[float, ...]
    """For each round, the chunks that pass the busiest link of a ring in one direction."""


@dataclass(frozen=True, repr=False)
class Algorithms(Document):
    """A collective in a group of n devices, by each of its algorithms.

    A round takes ``start`` plus the time of the bytes that the busiest link carries. A message takes the shorter way
    round a ring; where both are equally long, half of it takes each.
    """

    collective: str
    """JAX's name for it: ``psum``, ``all_gather`` …"""
    n: int
    """The number of devices in the group."""
    nbytes: int
    """Bytes of the operand on each device: its block."""
    chunk: float
    """The fraction of a block that one chunk is."""
    algorithms: tuple[Algorithm, ...]
    networks: tuple[Network, ...]
    start: float
    """Seconds that a message takes to start, however far it goes."""
    kind: Literal["algorithms"] = field(default="algorithms", init=False)
    version: int = field(default=VERSION, init=False)

    def seconds(self, algorithm: int, network: int = 0, nbytes: int | None = None) -> float:
        """Estimated time of an algorithm.

        Args:
            algorithm: index in ``algorithms``.
            network: index in ``networks``.
            nbytes: bytes of a device's block; None for ``nbytes``.
        """
        one, wires = self.algorithms[algorithm], self.networks[network]
        carried = sum(one.busiest if wires.topology == "torus" else one.sent)
        size = self.nbytes if nbytes is None else nbytes
        return len(one.plan.rounds) * self.start + carried * self.chunk * size / wires.bandwidth

    def equal(self, a: int, b: int, network: int = 0) -> float | None:
        """The bytes of a block for which two algorithms take the same time; None where one is never slower."""
        at_none = self.seconds(a, network, 0) - self.seconds(b, network, 0)
        slope = self.seconds(b, network, 1) - self.seconds(b, network, 0)
        slope -= self.seconds(a, network, 1) - self.seconds(a, network, 0)
        return at_none / slope if at_none * slope > 0 else None
