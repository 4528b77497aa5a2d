"""A compiled program: the collectives that are in it, by the user's mesh axes and source lines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from shardwidget.document.base import Document, provided
from shardwidget.document.collective import Plan, Semantics
from shardwidget.document.links import Links
from shardwidget.document.mesh import Mesh
from shardwidget.document.overlap import Overlap
from shardwidget.document.program_diff import ProgramDiff
from shardwidget.document.serial import located
from shardwidget.document.step import Listing, Source
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Finding", "HloCollective", "MemoryTotals", "Nest", "Program", "Programs", "Timing", "Work"]


@dataclass(frozen=True)
class HloCollective:
    """One collective of an optimised module."""

    kind: str
    """XLA's name for it, in the synchronous form: ``all-reduce``, ``reduce-scatter``, ``collective-permute``."""
    semantics: Semantics
    axes: tuple[str, ...]
    """The user's mesh axes that have these groups, in mesh order; empty where no set of axes has them
    (``irregular``)."""
    irregular: bool
    """Whether no set of mesh axes has these groups."""
    groups: tuple[tuple[int, ...], ...] = field(metadata={"wire": False})
    """The device ids of each group, in rank order. A permutation has the groups of its axes, or, where its pairs are
    not the same in every group, one group of all devices that the pairs join."""
    positions: Ints
    """The mesh positions of the groups, one group after another; shorter groups are padded with -1."""
    group_size: int
    """The number of ranks in the largest group."""
    shapes: tuple[str, ...]
    """The types of the operands on one device, as JAX writes them: ``f32[32,16]``. A combined collective has
    several."""
    bytes_per_device: int
    """Bytes that a device sends each time by the ring algorithm (by a permutation: directly), rounded up."""
    arithmetic: str
    """How that number is computed, for example ``2·V·(N−1)/N, V = 32 B, N = 2``."""
    times: int | None
    """How often it runs in one call of the program (in a branch: at most); None inside a loop whose trip count is not
    known."""
    nest: int = -1
    """Index in ``Program.nests`` of the innermost loop, branch or call that it is in; -1 in the entry computation.
    Where several calls run it: of the innermost one that they have in common."""
    calls: int = 1
    """The number of places that call the computation it is in."""
    within: tuple[str, ...] = ()
    """The mesh axes that irregular groups stay within: with ``('x',)`` each is a part of a group of x. Empty for
    regular ones."""
    pairs: tuple[tuple[int, int], ...] = ()
    """The pairs (source, destination) of a permutation, as mesh positions; empty for other collectives."""
    source: Source | None = None
    """The user's line that it belongs to (for a combined collective, the one with the most bytes); a line of an
    installed package only where the user's own is not known."""
    library: Source | None = None
    """The line of an installed package (flax, optax …) that the user's line runs; None where it runs none of one."""
    module: str = ""
    """The ``jax.named_scope`` it is in, which flax and others name after modules: ``Transformer/mlp``."""
    also: tuple[Source, ...] = ()
    """The other lines that a combined collective belongs to; empty for any other."""
    op: str = ""
    """JAX's path of the operation: ``jit(f)/transpose(jvp(dot_general))``."""
    backward: bool = False
    """Whether it belongs to a transposed operation, and so to the backward pass."""
    recomputed: bool = False
    """Whether it belongs to what ``jax.checkpoint`` computes once more in the backward pass."""
    by_user: bool = False
    """Whether the program asks for it, as by ``psum`` in a ``shard_map``; otherwise the compiler added it."""
    asynchronous: bool = False
    """Whether it is split into a ``-start`` and a ``-done`` half, so that other work can run meanwhile."""
    name: str = ""
    """The name of the instruction in the module."""
    operand: str = ""
    """The argument of the function that it moves, ``params['w']``, or in each turn of a loop a slice of; empty where it
    moves a computed value."""
    groups_text: str = ""
    """The groups as XLA writes them: ``replica_groups=[4,4]<=[4,4]T(1,0)``."""
    groups_meaning: str = ""
    """The groups in words: ``4 groups of 2 devices (…)``."""
    widened_from: str = ""
    """The dtype in the program, ``bf16``, where XLA's CPU backend sends a wider one instead; otherwise empty."""
    remark: str = ""
    """Why it deserves a look, ``undoes the split of w over model, for sort``; empty if it does not."""
    advice: str = ""
    """What may avoid it; empty without a remark."""
    plans: tuple[int, ...] = ()
    """Indices in ``Program.plans`` of the algorithms that apply, the meaning first."""
    latency: tuple[float, ...] = ()
    """Estimated latency in seconds, each time, on each of ``Program.interconnects``."""
    bandwidth: tuple[float, ...] = ()
    """Estimated seconds that the bytes take on each of them. The estimate is the greater of the two."""


@dataclass(frozen=True)
class Nest:
    """A loop, a branch or a called computation that collectives are in."""

    kind: Literal["loop", "condition", "branch", "call"]
    """What it is. ``condition`` is the test of a loop, which runs once more often than the body."""
    name: str
    """``scan``, ``fori_loop`` or ``while`` for a loop, the number of a branch, the name of what is called."""
    parent: int
    """Index in ``Program.nests`` of the loop, branch or call around it; -1 in the entry computation."""
    times: int | None = 1
    """How often it runs each time the program reaches it; None where that is not known."""
    source: Source | None = None
    """The user's line that it belongs to; None where that is not known."""
    backward: bool = False
    """Whether it belongs to the backward pass."""


@dataclass(frozen=True)
class Finding:
    """What deserves a look: equal collectives of a line that have one remark."""

    collectives: tuple[int, ...]
    """Their indices in ``Program.collectives``."""
    said: str
    """What they are and why, ``all-gather in line 7 undoes the split of w over model, for sort``."""
    advice: str
    """What may avoid it."""


@dataclass(frozen=True)
class LineTotal:
    """Totals over the collectives of one source line in a call of the program, every iteration of loops counted."""

    source: Source | None
    """The line; None for collectives whose line is not known."""
    collectives: tuple[int, ...]
    """The indices of the collectives in ``Program.collectives``."""
    bytes_per_device: int
    """Bytes that a device sends."""
    seconds: float
    """Estimated seconds on ``Program.interconnect``."""
    at_least: bool
    """Whether a collective is in a loop whose trip count is not known, and counted once."""


@dataclass(frozen=True)
class MemoryTotals:
    """Bytes on one device, by the compiler's own analysis."""

    arguments: int
    outputs: int
    temporaries: int
    aliased: int
    """Bytes of donated arguments whose memory outputs reuse."""
    code: int
    """Bytes of the machine code."""
    peak: int = 0
    """The most bytes that are alive at once, arguments included; 0 where the compiler does not report it (CPU)."""


@dataclass(frozen=True)
class Work:
    """What one device does in a call, by the compiler's own analysis; -1 for what it does not report.

    The body of a loop is counted once, however often it runs.
    """

    flops: float = -1
    bytes_accessed: float = -1
    seconds: float = -1
    """The compiler's own estimate of how long an optimal run takes (TPU)."""


@dataclass(frozen=True)
class Timing:
    """The measured time of one call in seconds, after warm-up."""

    seconds: float
    """The median call."""
    low: float
    """The shortest call."""
    high: float
    """The longest call."""
    runs: int
    """The number of calls that were measured."""


@dataclass(frozen=True, repr=False)
class Program(Document):
    """The collectives of a compiled program."""

    mesh: Mesh
    """The user's mesh; without one, the program's devices in a row."""
    collectives: tuple[HloCollective, ...]
    """The collectives, in the order of the module's schedule."""
    nests: tuple[Nest, ...] = ()
    """The loops, branches and calls that collectives are in, outer ones before what they contain."""
    plans: tuple[Plan, ...] = ()
    interconnects: tuple[str, ...] = ()
    """The names of the interconnects that estimates are for."""
    interconnect: int = 0
    """Index in ``interconnects`` of the one to show first: the one asked for, the devices' own, or a common one."""
    wraps: tuple[bool, ...] = ()
    """Whether each physical coordinate of ``mesh.coords`` has wraparound links."""
    name: str = ""
    target: str = ""
    """What it is compiled for, in words: ``TPU v5e 4×4``, ``8 CPU devices``."""
    instructions: int = 0
    """The number of instructions in the module."""
    memory: MemoryTotals | None = None
    work: Work | None = None
    listings: tuple[Listing, ...] = ()
    verdicts: tuple[str, ...] = ()
    """What dominates, in a sentence for each of ``interconnects``; one where there is none of these, and empty where
    nothing is known of what is sent."""
    findings: tuple[Finding, ...] = ()
    """What deserves a look, the dearest first."""
    unread: tuple[str, ...] = ()
    """Instructions that look like collectives but could not be read, as the module writes them, and why."""
    note: str = ""
    """What is not known and why, in one sentence."""
    lowered: bool = False
    """Whether these are the collectives that the program itself asks for, as JAX lowers it, before the compiler
    partitions it and adds its own."""
    timing: Timing | None = None
    jax_version: str = ""
    module_text: str = field(default="", compare=False, metadata={"wire": False})
    """The text of the compiled module, in the Python that read it; files and saved pages leave it out."""
    kind: Literal["program"] = field(default="program", init=False)
    version: int = field(default=VERSION, init=False)

    def completed(self) -> Program:
        """The same, read from JSON."""
        ids = self.mesh.device_ids.array()
        return replace(self, collectives=tuple(located(c, ids) for c in self.collectives))

    @property
    def verdict(self) -> str:
        """What dominates on ``interconnect``, in a sentence."""
        return self.verdicts[self.interconnect] if self.interconnect < len(self.verdicts) else ""

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

    def diff(self, after: Program) -> ProgramDiff:
        """What another program has more, less or different: this one is before, that one after.

        Collectives are matched by operation, mesh axes, phase (where both programs have a backward pass) and the text
        of the line that causes them, so that lines may have moved.
        """
        return provided("program_diff")(self, after)

    def overlap(self, chip: str | None = None) -> Overlap:
        """How much of its communication is exposed: an estimate from the order of the compiled schedule.

        Args:
            chip: a name in ``shardwidget.rates.RATES``, for example ``"TPU v5e"`` or ``"H100"``; None for the mesh's
                devices.

        Raises:
            ValueError: there are no figures for the devices, and no chip is given; or the program comes from a file or
                a saved page, which has no schedule.
        """
        return provided("overlap")(self, chip=chip)

    def links(self) -> Links:
        """Which links between chips its collectives cross, and how many bytes: for a program compiled for TPUs.

        Raises:
            ValueError: the devices of the mesh have no coordinates, are on several slices, or fill no box.
        """
        return provided("links")(program=self)

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
    """The mesh of the first program."""
    programs: tuple[Program, ...]
    """The programs, each with the name that the user gave it."""
    kind: Literal["programs"] = field(default="programs", init=False)
    version: int = field(default=VERSION, init=False)


def _runs(collective: HloCollective) -> int:
    return 1 if collective.times is None else collective.times
