"""Estimated time of a collective: the roofline of the scaling book. Every figure here is an estimate.

``seconds = max(latency, bandwidth)``, with V the bytes of the gathered array and N the ranks of a group:

- Torus (TPU): ``max(T_min · Σ|X|/2, V / (W · axes))`` for all-gather and reduce-scatter, twice that for all-reduce. W
  counts both directions of a link (jax-ml/scaling-book, sharding.md). The device at the end of a line receives over one
  link of an axis, not two, so an axis without wraparound counts half (twice the time where no axis has it: tpus.md).
- All-to-all on a torus: ``V · max(A, B, …) / (4 · N · W)`` for axes of A, B, … chips. By the shortest way, axis by
  axis, each of N² blocks of V/N² bytes crosses A/4 links of the first axis on average: V · A/4 bytes on its 2 · N
  directed links of W/2 each. All links work at once, so the busiest axis decides. For one ring that is the book's
  quarter of an all-gather. On a line the link in the middle carries twice as much.
- Groups that share links, as an axis of a mesh does that takes every other chip, share their bandwidth.
- Switch (NVLink): ``V · (N−1) / (N · W)``, W being what one device sends; twice that for all-reduce, an N-th for
  all-to-all; between nodes at least V over what a node sends (gpus.md), for each group that the node is in. No latency
  is tabulated there.
- Permutation and broadcast are inferred, not in the book: blocks are passed on while they arrive, so the link that
  carries the most blocks decides, and the farthest way only the latency; a broadcast takes as long as an all-gather of
  the block.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from shardwidget._format import duration
from shardwidget.collectives import OPCODES, STATEMENTS, Call, Statement, statement_of, statement_of_opcode
from shardwidget.document import Network
from shardwidget.torus import Routes, Span, ranked_routes, rings


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
    sizes: Sequence[int | Span],
    whole_bytes: float,
    interconnect: Interconnect,
    *,
    routes: Routes | None = None,
    between_slices: bool = False,
    ids: Sequence[int] | None = None,
    t_min: float = 1e-6,
) -> Estimate:
    """Estimates the time of a collective.

    Args:
        collective: a call, or its kind alone, ``all_gather`` or ``psum_scatter`` (a ppermute is then one between
            neighbours).
        sizes: sizes of the mesh axes it goes over, each assumed to have a physical axis of its own; their product is N.
            On a torus also ``Span``s, which say how the groups really lie.
        whole_bytes: V, bytes of the gathered array (``gathered_bytes``); of the block for ppermute and pbroadcast. For
            an array that is sharded over further axes too, those of its part.
        interconnect: one of ``INTERCONNECTS``, or your own.
        routes: torus: what a permutation asks of the links; None to take its ranks along ``sizes``.
        between_slices: torus: whether each device of a group is on another slice, across the data centre network.
        ids: switch: numbers of the devices at the mesh positions, which fill one node after another; None for the
            positions themselves.
        t_min: torus: latency of one hop in seconds. The book gives 1 µs, in one place as 0.5 µs.
    """
    call = None if isinstance(collective, str) else collective
    statement = call.statement if call else _named(str(collective))
    pairs = call.pairs if call else ((0, 1),)
    moving = [pair for pair in pairs if pair[0] != pair[1]]
    counts = [size.size if isinstance(size, Span) else size for size in sizes]
    n = call.n if call else math.prod(counts)
    if not statement.communicates or n == 1 or (statement.by_pairs and not moving):
        return Estimate(0.0, 0.0, "nothing is sent", LABEL)
    if between_slices and interconnect.between_slices:
        network = Interconnect(interconnect.name, "switch", interconnect.between_slices)
        remark = "over the network between slices, inferred"
        return _switch(statement, n, whole_bytes, network, _Nodes(n, 1, 0), [remark])
    if interconnect.topology == "switch":
        return _switch(statement, n, whole_bytes, interconnect, _nodes(call, n, interconnect.pod, ids))
    over = [size for size, count in zip(sizes, counts, strict=True) if count > 1]
    closed = rings([count for count in counts if count > 1], interconnect.wrap, interconnect.axes)
    spans = [size if isinstance(size, Span) else Span(size, ring) for size, ring in zip(over, closed, strict=True)]
    if statement.by_pairs:
        return _permutation_on_torus(routes or ranked_routes(moving, spans), whole_bytes, interconnect, t_min)
    return _torus(statement, spans, whole_bytes, interconnect, t_min)


def _named(kind: str) -> Statement:
    statement = statement_of_opcode(kind) if kind in OPCODES else statement_of(kind)
    if statement is None:
        kinds = ", ".join(repr(one.kind) for one in STATEMENTS if one.communicates)
        raise ValueError(f"{kind!r} is not a collective. Give one of {kinds}, or a Call.")
    return statement


def _torus(statement: Statement, spans: Sequence[Span], v: float, ici: Interconnect, t_min: float) -> Estimate:
    hops = len(statement.phases) * sum(span.hops for span in spans)
    chips = math.prod(span.size for span in spans)
    lines = sum(not span.ring for span in spans)
    notes = [
        "no wraparound, which takes twice the time" * (lines == len(spans)),
        f"no wraparound along {lines} of {len(spans)} axes, which count half" * (0 < lines < len(spans)),
        "several groups share the links" * any(span.sharing > 1 for span in spans),
        f"the devices have links on {ici.axes} axes only" * (len(spans) > ici.axes),
        f"more devices than a pod has ({ici.pod}): the slower network between pods is left out" * (0 < ici.pod < chips),
        "inferred for a broadcast" * (statement.semantics.starts == "source"),
    ]
    if any(phase.personal for phase in statement.phases):
        busiest = max(spans, key=lambda span: span.size / span.share)
        part = busiest.size / busiest.share / chips
        bandwidth = (v * part / (4 * ici.bandwidth), f"{v:.15g} B · {part:g} / (4 · {ici.bandwidth:g} B/s)")
    else:
        share = sum(sorted((span.share for span in spans), reverse=True)[: ici.axes])
        count = len(statement.phases)
        text = f"{count} · {v:.15g} B / ({ici.bandwidth:g} B/s · {share:g})"
        bandwidth = (count * v / (ici.bandwidth * share), text)
    return _estimate((hops * t_min, f"{hops:g} · {duration(t_min)}"), bandwidth, notes)


def _permutation_on_torus(routes: Routes, v: float, ici: Interconnect, t_min: float) -> Estimate:
    one_way = ici.bandwidth / 2
    return _estimate(
        (routes.hops * t_min, f"{routes.hops} · {duration(t_min)}"),
        (routes.busiest * v / one_way, f"{routes.busiest} · {v:.15g} B / {one_way:g} B/s"),
        ["inferred for a permutation: the busiest link decides"],
    )


class _Nodes(NamedTuple):
    """How groups lie on the nodes of a switch."""

    members: int
    """The most members of a group that are on one node."""
    groups: int
    """The most groups on one node that reach over it."""
    leaving: int
    """For a permutation, the most blocks that leave a node."""


def _nodes(call: Call | None, n: int, pod: int, ids: Sequence[int] | None) -> _Nodes:
    if not pod or call is None:
        return _Nodes(min(n, pod or n), 1, pod)
    members, reaching, leaving = 0, Counter(), Counter()
    for group in call.groups:
        nodes = [(ids[p] if ids is not None else p) // pod for p in group]
        there = Counter(nodes)
        members = max(members, *there.values())
        reaching.update(there.keys() if len(there) > 1 else ())
        leaving.update(nodes[a] for a, b in call.pairs if nodes[a] != nodes[b])
    return _Nodes(members, max(reaching.values(), default=0), max(leaving.values(), default=0))


def _switch(
    statement: Statement, n: int, v: float, nvlink: Interconnect, nodes: _Nodes, remarks: Sequence[str] = ()
) -> Estimate:
    phases = statement.phases
    share = sum((phase.sends(n) for phase in phases), Fraction(0)) if phases else Fraction(1)
    text = f"{v:.15g} B" if share == 1 else f"{v:.15g} B · {share}"
    inside = (v * float(share) / nvlink.bandwidth, f"{text} / {nvlink.bandwidth:g} B/s")
    inferred = statement.by_pairs or any(phase.inferred_inside for phase in phases)
    notes = ["no latency is tabulated", "inferred" * inferred, *remarks]
    if nodes.leaving if statement.by_pairs else nodes.members < n:
        if not nvlink.node_bandwidth:
            raise ValueError(
                f"{nvlink.name} connects {nvlink.pod} devices and the group has {n} on several nodes: "
                "set Interconnect.node_bandwidth, the bytes per second that a node sends to others"
            )
        left = sum((phase.leaves(n, nodes.members) for phase in phases), Fraction(0)) * nodes.groups
        leaving = left if phases else Fraction(nodes.leaving)
        text = f"{v:.15g} B" if leaving == 1 else f"{v:.15g} B · {leaving}"
        between = (v * float(leaving) / nvlink.node_bandwidth, f"{text} / {nvlink.node_bandwidth:g} B/s of a node")
        inferred = statement.by_pairs or nodes.groups > 1 or any(phase.inferred for phase in phases)
        notes.append(f"between nodes of {nvlink.pod}" + ", inferred" * inferred)
        inside = max(inside, between)
    return _estimate((0.0, "not known"), inside, notes)


def _estimate(latency: tuple[float, str], bandwidth: tuple[float, str], notes: Sequence[str]) -> Estimate:
    arithmetic = f"bandwidth {bandwidth[1]} = {duration(bandwidth[0])}; latency {latency[1]}"
    if latency[0]:
        arithmetic += f" = {duration(latency[0])}"
    return Estimate(latency[0], bandwidth[0], arithmetic, "; ".join([LABEL, *filter(None, notes)]))
