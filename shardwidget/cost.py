"""Estimated time of a collective: the roofline of the scaling book. Every figure here is an estimate.

``seconds = max(latency, bandwidth)``, with V the bytes of the gathered array and N the ranks of a group:

- Torus (TPU): ``max(T_min · Σ|X|/2, V / (W · axes))`` for all-gather and reduce-scatter, twice that for all-reduce, a
  quarter of the bandwidth part for all-to-all. W counts both directions of a link (jax-ml/scaling-book, sharding.md).
  Without wraparound the time doubles (tpus.md).
- Switch (NVLink): ``V · (N−1) / (N · W)``, W being what one device sends; twice that for all-reduce, an N-th for
  all-to-all; between nodes at least V over what a node sends (gpus.md). No latency is tabulated there.
- Permutation and broadcast are inferred, not in the book: a block crosses one direction of a link per hop; a broadcast
  takes as long as an all-gather of the block.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from shardwidget._format import duration
from shardwidget.collectives import STATEMENTS, Call, Statement, statement_of
from shardwidget.document import Network


@dataclass(frozen=True)
class Interconnect:
    """What connects the devices. Create one to use numbers of your own."""

    name: str
    topology: Literal["torus", "switch"]
    bandwidth: float
    """Bytes per second. Torus: of one axis of a device, both directions together. Switch: that a device sends."""
    axes: int = 1
    """Torus: physical axes that a device has links on."""
    wrap: int = 4
    """Torus: a physical axis whose size is a multiple of this has wraparound links. With three axes, only where
    all of them are multiples: optical switches close the rings, and connect whole cubes."""
    pod: int = 0
    """Devices that it connects, 0 for any number: of a pod (torus), or of a node (switch)."""
    node_bandwidth: float = 0.0
    """Switch: bytes per second that a whole node sends to other nodes; 0 where not known."""
    between_slices: float = 0.0
    """Torus: bytes per second that a device sends to other slices, over the data centre network; 0 where not known."""
    source: str = "user"
    """Where the figures are from."""


@dataclass(frozen=True)
class Estimate:
    """An estimated time and how it is computed."""

    latency_s: float
    bandwidth_s: float
    arithmetic: str
    """For example ``bandwidth 2097152 B / 9e+10 B/s = 23.3 µs, latency 1 µs · 4/2 = 2 µs``."""
    note: str
    """That it is an estimate, and what it assumes."""

    @property
    def seconds(self) -> float:
        """The greater of the two parts."""
        return max(self.latency_s, self.bandwidth_s)

    @property
    def bound(self) -> Literal["latency", "bandwidth"]:
        """Which part it is."""
        return "latency" if self.latency_s > self.bandwidth_s else "bandwidth"


_TPUS, _GPUS = "jax-ml/scaling-book tpus.md", "jax-ml/scaling-book gpus.md"

# Links: one direction is half of the bandwidth given here. "p" chips wrap on cubes of 4×4×4, "e" chips on a full 16.
_ALL = (
    Interconnect("TPU v3", "torus", 2e11, axes=2, wrap=32, pod=32 * 32, source=f"{_TPUS}; wraparound inferred"),
    Interconnect("TPU v4p", "torus", 9e10, axes=3, wrap=4, pod=16 * 16 * 16, between_slices=6.25e09, source=_TPUS),
    Interconnect("TPU v5p", "torus", 1.8e11, axes=3, wrap=4, pod=16 * 20 * 28, between_slices=6.25e09, source=_TPUS),
    Interconnect("TPU v5e", "torus", 9e10, axes=2, wrap=16, pod=16 * 16, between_slices=3.125e09, source=_TPUS),
    Interconnect("TPU v6e", "torus", 1.8e11, axes=2, wrap=16, pod=16 * 16, between_slices=1.25e10, source=_TPUS),
    Interconnect(
        "TPU7x",
        "torus",
        1.8e11,
        axes=3,
        wrap=4,
        pod=4 * 4 * 576,
        between_slices=1.25e10,
        source=f"{_TPUS}; wraparound inferred",
    ),
    Interconnect("A100", "switch", 3e11, pod=8, node_bandwidth=2e11, source=f"{_GPUS}; node: eight 200 Gb/s links"),
    Interconnect("H100", "switch", 4.5e11, pod=8, node_bandwidth=4e11, source=_GPUS),
    Interconnect("H200", "switch", 4.5e11, pod=8, node_bandwidth=4e11, source=f"{_GPUS}; node as H100's"),
    Interconnect("B200", "switch", 9e11, pod=8, node_bandwidth=4e11, source=_GPUS),
    Interconnect("GB200 NVL72", "switch", 9e11, pod=72, node_bandwidth=3.6e12, source=_GPUS),
)

INTERCONNECTS = {interconnect.name: interconnect for interconnect in _ALL}
"""Known interconnects by name."""

DEFAULT = "TPU v5e"
"""What estimates are for where neither the user nor the devices determine it: what a free notebook has."""

NO_SUCH_INTERCONNECT = (
    "interconnect={given!r} is not known. Give one of {names}, or numbers of your own: "
    "shardwidget.Interconnect('mine', 'switch', bandwidth=4.5e11)."
)


def interconnects(first: str | Interconnect | None = None) -> tuple[Interconnect, ...]:
    """The interconnects that estimates are made for: the known ones, a chosen one first.

    Args:
        first: a name among ``INTERCONNECTS``, or one of your own, which replaces a known one of the same name.

    Raises:
        ValueError: there is none of this name.
        TypeError: it is neither a name nor an ``Interconnect``.
    """
    if first is None:
        return _ALL
    if isinstance(first, str) and first in INTERCONNECTS:
        first = INTERCONNECTS[first]
    if not isinstance(first, Interconnect):
        words = NO_SUCH_INTERCONNECT.format(given=first, names=", ".join(map(repr, INTERCONNECTS)))
        raise (ValueError if isinstance(first, str) else TypeError)(words)
    return first, *(known for known in _ALL if known.name != first.name)


def networks(of: Sequence[Interconnect]) -> tuple[Network, ...]:
    """The same for messages: what a link of each carries one way."""
    return tuple(
        Network(one.name, one.topology, one.bandwidth / 2 if one.topology == "torus" else one.bandwidth) for one in of
    )


LABEL = "estimate (scaling-book roofline)"


def estimate(
    collective: Call | str,
    sizes: Sequence[int],
    whole_bytes: float,
    interconnect: Interconnect,
    *,
    wraparound: bool | None = None,
    between_slices: bool = False,
    t_min: float = 1e-6,
) -> Estimate:
    """Estimates the time of a collective.

    Args:
        collective: a call, or its kind alone (a ppermute is then one between neighbours).
        sizes: sizes of the mesh axes it goes over, each assumed to have a physical axis of its own; their product is N.
        whole_bytes: V, bytes of the gathered array (``gathered_bytes``); of the block for ppermute and pbroadcast. For
            an array that is sharded over further axes too, those of its part.
        interconnect: one of ``INTERCONNECTS``, or your own.
        wraparound: torus: whether the axes are rings; None to infer it from their sizes.
        between_slices: torus: whether each device of a group is on another slice, across the data centre network.
        t_min: torus: latency of one hop in seconds. The book gives 1 µs, in one place as 0.5 µs.
    """
    if isinstance(collective, str):
        statement, pairs = _named(collective), ((0, 1),)
    else:
        statement, pairs = collective.statement, collective.pairs
    moving = [pair for pair in pairs if pair[0] != pair[1]]
    if not statement.communicates or math.prod(sizes) == 1 or (statement.by_pairs and not moving):
        return Estimate(0.0, 0.0, "nothing is sent", LABEL)
    if between_slices and interconnect.between_slices:
        network = Interconnect(interconnect.name, "switch", interconnect.between_slices)
        return _switch(statement, math.prod(sizes), whole_bytes, network, ["over the network between slices, inferred"])
    if interconnect.topology == "switch":
        return _switch(statement, math.prod(sizes), whole_bytes, interconnect)
    wraps = all(size % interconnect.wrap == 0 for size in sizes if size > 1) if wraparound is None else wraparound
    if statement.by_pairs:
        return _permutation_on_torus(_hops(moving, sizes, wraps), whole_bytes, interconnect, t_min)
    return _torus(statement, [size for size in sizes if size > 1], whole_bytes, interconnect, wraps, t_min)


def _named(kind: str) -> Statement:
    statement = statement_of(kind)
    if statement is None:
        kinds = ", ".join(repr(one.kind) for one in STATEMENTS if one.communicates)
        raise ValueError(f"{kind!r} is not a collective. Give one of {kinds}, or a Call.")
    return statement


def _torus(
    statement: Statement, sizes: Sequence[int], v: float, ici: Interconnect, wraps: bool, t_min: float
) -> Estimate:
    factor = float(sum(phase.torus for phase in statement.phases)) * (1 if wraps else 2)
    axes = min(len(sizes), ici.axes)
    hops = len(statement.phases) * sum(size / 2 if wraps else size - 1 for size in sizes)
    notes = [
        "no wraparound, which takes twice the time" * (not wraps),
        f"the devices have links on {ici.axes} axes only" * (len(sizes) > ici.axes),
        f"more devices than a pod has ({ici.pod}): the slower network between pods is left out"
        * (0 < ici.pod < math.prod(sizes)),
        "inferred for a broadcast" * (statement.semantics.starts == "source"),
    ]
    return _estimate(
        (hops * t_min, f"{hops:g} · {duration(t_min)}"),
        (factor * v / (ici.bandwidth * axes), f"{factor:g} · {v:.15g} B / ({ici.bandwidth:g} B/s · {axes})"),
        notes,
    )


def _permutation_on_torus(hops: int, v: float, ici: Interconnect, t_min: float) -> Estimate:
    one_way = ici.bandwidth / 2
    return _estimate(
        (hops * t_min, f"{hops} · {duration(t_min)}"),
        (hops * v / one_way, f"{hops} · {v:.15g} B / {one_way:g} B/s"),
        ["inferred for a permutation: the farthest pair decides"],
    )


def _switch(statement: Statement, n: int, v: float, nvlink: Interconnect, remarks: Sequence[str] = ()) -> Estimate:
    phases = statement.phases
    share = sum((phase.sends(n) for phase in phases), Fraction(0)) if phases else Fraction(1)
    text = f"{v:.15g} B" if share == 1 else f"{v:.15g} B · {share}"
    inside = (v * float(share) / nvlink.bandwidth, f"{text} / {nvlink.bandwidth:g} B/s")
    inferred = statement.by_pairs or any(phase.inferred_inside for phase in phases)
    notes = ["no latency is tabulated", "inferred" * inferred, *remarks]
    if 0 < nvlink.pod < n:
        if not nvlink.node_bandwidth:
            raise ValueError(
                f"{nvlink.name} connects {nvlink.pod} devices and the group has {n}: "
                "set Interconnect.node_bandwidth, the bytes per second that a node sends to others"
            )
        leaving = sum((phase.leaves(n, nvlink.pod) for phase in phases), Fraction(0)) if phases else nvlink.pod
        text = f"{v:.15g} B" if leaving == 1 else f"{v:.15g} B · {leaving}"
        between = (v * float(leaving) / nvlink.node_bandwidth, f"{text} / {nvlink.node_bandwidth:g} B/s of a node")
        inferred = statement.by_pairs or any(phase.inferred for phase in phases)
        notes.append(f"between nodes of {nvlink.pod}" + ", inferred" * inferred)
        inside = max(inside, between)
    return _estimate((0.0, "not known"), inside, notes)


def _hops(pairs: Sequence[tuple[int, int]], sizes: Sequence[int], wraps: bool) -> int:
    """Links between the two ranks that are farthest apart, with ranks in row-major order on a grid."""
    source, target = (np.stack(np.unravel_index([pair[end] for pair in pairs], sizes)) for end in (0, 1))
    apart = np.abs(source - target)
    if wraps:
        apart = np.minimum(apart, np.array(sizes)[:, None] - apart)
    return int(apart.sum(axis=0).max())


def _estimate(latency: tuple[float, str], bandwidth: tuple[float, str], notes: Sequence[str]) -> Estimate:
    arithmetic = f"bandwidth {bandwidth[1]} = {duration(bandwidth[0])}; latency {latency[1]}"
    if latency[0]:
        arithmetic += f" = {duration(latency[0])}"
    return Estimate(latency[0], bandwidth[0], arithmetic, "; ".join([LABEL, *filter(None, notes)]))
