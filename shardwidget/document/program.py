"""A compiled program: the collectives that are in it, by the user's mesh axes and source lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.collective import Plan, Semantics
from shardwidget.document.mesh import Mesh
from shardwidget.document.step import Listing, Source
from shardwidget.document.wire import VERSION, Ints

__all__ = ["HloCollective", "MemoryTotals", "Nest", "Program", "Programs", "Timing", "Work"]


@dataclass(frozen=True)
class HloCollective:
    """One collective of an optimised module."""

    kind: str
    """XLA's name for it, in the synchronous form: ``all-reduce``, ``reduce-scatter``, ``collective-permute``."""
    semantics: Semantics
    axes: tuple[str, ...]
    """The user's mesh axes whose groups these are, in mesh order; empty where none fit, see ``irregular``."""
    irregular: bool
    """Whether no set of mesh axes has these groups."""
    groups: tuple[tuple[int, ...], ...] = field(metadata={"wire": False})
    """Device ids of each group, in rank order. Of a permutation: those of its axes, or one group of the devices that
    its pairs join, where the pairs are not the same in every group."""
    positions: Ints
    """Mesh positions of the groups, one group after another; a shorter group is filled up with -1."""
    group_size: int
    """Ranks of the largest group."""
    shapes: tuple[str, ...]
    """Types of the operands on one device, as JAX writes them: ``f32[32,16]``. Several in a combined collective."""
    bytes_per_device: int
    """Bytes that a device sends each time, in the ring algorithm (directly, for a permutation), rounded up."""
    arithmetic: str
    """How that number is computed, for example ``2·V·(N−1)/N, V = 32 B, N = 2``."""
    times: int | None
    """How often it runs in one call of the program, in a branch at most; None inside a loop whose trip count is not
    known."""
    nest: int = -1
    """Index in ``Program.nests`` of the innermost one that it is in; -1 in the entry computation. Of one that several
    calls run: what these have in common."""
    calls: int = 1
    """Calls that run it, where it is in a computation that is called from several places."""
    within: tuple[str, ...] = ()
    """Of irregular groups: the mesh axes that they stay within. ``('x',)`` alone: each is a part of a group of x."""
    pairs: tuple[tuple[int, int], ...] = ()
    """For collective-permute: (source, destination) mesh positions."""
    source: Source | None = None
    """The user's line that it belongs to; of a combined collective, that of the most bytes. A line of an installed
    package only where the user's own is not known."""
    library: Source | None = None
    """The line of an installed package (flax, optax …) that the user's line runs; None where there is none."""
    module: str = ""
    """Its ``jax.named_scope``s, which flax and others name by their modules: ``Transformer/mlp``."""
    also: tuple[Source, ...] = ()
    """Of a combined collective: the other lines that it belongs to."""
    op: str = ""
    """JAX's path to the operation: ``jit(f)/transpose(jvp(dot_general))``."""
    backward: bool = False
    """Whether it belongs to a transposed operation: the backward pass."""
    by_user: bool = False
    """Whether the program asks for it (a ``psum`` in a ``shard_map``); else the compiler added it."""
    asynchronous: bool = False
    """Whether it is split into ``-start`` and ``-done``, so that other work may run meanwhile."""
    name: str = ""
    """Name of the instruction in the module."""
    operand: str = ""
    """The function's argument that it moves: ``params['w']``; empty where it moves a computed value."""
    groups_text: str = ""
    """The groups as XLA writes them: ``replica_groups=[4,4]<=[4,4]T(1,0)``."""
    groups_meaning: str = ""
    """The groups in words: ``4 groups of 2 devices (…)``."""
    widened_from: str = ""
    """The dtype that the program has, where XLA's CPU backend sends a wider one in its place: ``bf16``."""
    remark: str = ""
    """Why it deserves a look: ``undoes the split of w over model, for sort``. Empty if it does not."""
    plans: tuple[int, ...] = ()
    """Indices in ``Program.plans``: the algorithms that apply, the meaning first."""
    latency: tuple[float, ...] = ()
    """Estimated seconds of latency, each time, on each of ``Program.interconnects``."""
    bandwidth: tuple[float, ...] = ()
    """Estimated seconds that the bytes take on each; the estimate is the greater of the two."""


@dataclass(frozen=True)
class Nest:
    """What collectives are in: a loop, a branch, a computation that is called."""

    kind: Literal["loop", "condition", "branch", "call"]
    """``condition`` is the test of a loop, which runs once more than its body."""
    name: str
    """``scan``, ``fori_loop``, ``while``; of a branch its number, of a call the name of what is called."""
    parent: int
    """Index in ``Program.nests`` of the one around it; -1 in the entry computation."""
    times: int | None = 1
    """How often it runs each time that the program reaches it; None where that is not known."""
    source: Source | None = None
    """The user's line of it."""
    backward: bool = False
    """Whether it belongs to the backward pass."""


@dataclass(frozen=True)
class LineTotal:
    """Totals of the collectives of one source line in a call of the program, loops multiplied."""

    source: Source | None
    """The line; None for those whose line is not known."""
    collectives: tuple[int, ...]
    """Their indices in ``Program.collectives``."""
    bytes_per_device: int
    """Bytes that a device sends."""
    seconds: float
    """Estimated seconds on ``Program.interconnect``."""
    at_least: bool
    """Whether one of them is in a loop of unknown length, which is counted as one run."""


@dataclass(frozen=True)
class MemoryTotals:
    """Bytes on one device, from the compiler's own analysis."""

    arguments: int
    outputs: int
    temporaries: int
    aliased: int
    """Of arguments whose memory outputs reuse (donated)."""
    code: int
    peak: int = 0
    """The most that is alive at once, including arguments; 0 where the compiler does not report it (CPU)."""


@dataclass(frozen=True)
class Work:
    """What one device does in a call, from the compiler's own analysis; -1 for what it does not report.

    It counts the body of a loop once, however often that runs.
    """

    flops: float = -1
    bytes_accessed: float = -1
    seconds: float = -1
    """The compiler's own estimate of an optimal run (TPU)."""


@dataclass(frozen=True)
class Timing:
    """Measured time of one call, after warm-up."""

    seconds: float
    """Median."""
    low: float
    high: float
    runs: int


@dataclass(frozen=True, repr=False)
class Program(Document):
    """The collectives of a compiled program."""

    mesh: Mesh
    """The user's mesh. Without one: the program's devices in a row."""
    collectives: tuple[HloCollective, ...]
    """In the order of the module's schedule."""
    nests: tuple[Nest, ...] = ()
    """The loops, branches and calls that they are in; outer ones before what they contain."""
    plans: tuple[Plan, ...] = ()
    interconnects: tuple[str, ...] = ()
    """Names of the interconnects that estimates are for."""
    interconnect: int = 0
    """Index of the one that is shown first: the one asked for, or the devices' own, or a common one."""
    wraps: tuple[bool, ...] = ()
    """Whether each physical coordinate of ``mesh.coords`` has wraparound links."""
    name: str = ""
    target: str = ""
    """What it is compiled for, in words: ``TPU v5e 4×4``, ``8 CPU devices``."""
    instructions: int = 0
    """Instructions in the module."""
    memory: MemoryTotals | None = None
    work: Work | None = None
    listings: tuple[Listing, ...] = ()
    unread: tuple[str, ...] = ()
    """Instructions that look like collectives and could not be read, as the module writes them, and why."""
    note: str = ""
    """What is not known and why, in one sentence."""
    timing: Timing | None = None
    jax_version: str = ""
    kind: Literal["program"] = field(default="program", init=False)
    version: int = field(default=VERSION, init=False)

    def trail(self, collective: HloCollective) -> tuple[Nest, ...]:
        """What a collective is in, outermost first."""
        found: list[Nest] = []
        at = collective.nest
        while at >= 0:
            found.append(self.nests[at])
            at = self.nests[at].parent
        return tuple(reversed(found))

    def seconds(self, collective: HloCollective) -> float:
        """Estimated seconds of a collective in a call, on ``interconnect``; an unknown number of runs counts as one."""
        k = self.interconnect
        if k >= len(collective.latency):
            return 0.0
        return max(collective.latency[k], collective.bandwidth[k]) * _runs(collective)

    def by_line(self) -> tuple[LineTotal, ...]:
        """Totals of each source line in a call, the longest first; a combined collective counts for its first line."""
        lines: dict[Source | None, list[int]] = {}
        for k, collective in enumerate(self.collectives):
            lines.setdefault(collective.source, []).append(k)
        totals = [self._total(source, of) for source, of in lines.items()]
        return tuple(sorted(totals, key=lambda total: (-total.seconds, -total.bytes_per_device)))

    def _total(self, source: Source | None, of: list[int]) -> LineTotal:
        found = [self.collectives[k] for k in of]
        return LineTotal(
            source,
            tuple(of),
            sum(c.bytes_per_device * _runs(c) for c in found),
            sum(map(self.seconds, found)),
            any(c.times is None for c in found),
        )


@dataclass(frozen=True, repr=False)
class Programs(Document):
    """Compiled programs side by side."""

    mesh: Mesh
    """The first program's."""
    programs: tuple[Program, ...]
    """Each with the name that the user gave it."""
    kind: Literal["programs"] = field(default="programs", init=False)
    version: int = field(default=VERSION, init=False)


def _runs(collective: HloCollective) -> int:
    return 1 if collective.times is None else collective.times
