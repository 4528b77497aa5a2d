"""A search for a sharding: candidates, what each takes, and which is best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from shardwidget.document.base import Document, provided
from shardwidget.document.memory import Chip
from shardwidget.document.mesh import MeshAxis
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION

if TYPE_CHECKING:
    from shardwidget.document.program import Program
    from shardwidget.document.search_diff import SearchDiff

__all__ = ["Candidate", "DimGroup", "Figures", "Offer", "Scaled", "Search", "SearchLeaf", "Sent", "Shortfall"]

Basis = Literal["estimated", "compiled"]


@dataclass(frozen=True)
class Sent:
    """Collectives of one kind over the same mesh axes, of a candidate, in one step."""

    axes: tuple[str, ...]
    kind: str
    """XLA's name: ``all-gather``."""
    times: int
    """How often one runs in a step."""
    in_loop: bool
    """Whether they are in a loop."""
    bytes: int
    """Bytes that a device sends in a step."""
    seconds: float
    """Estimated seconds of a step."""
    hidden: bool
    """Whether the rule takes them to overlap with compute."""


@dataclass(frozen=True)
class Figures:
    """What a candidate takes, of one origin."""

    compute_s: float
    """Seconds in which a device computes and reads its memory, by its chip's peaks."""
    exposed_s: float
    """Seconds of collectives during which, by the rule, nothing is computed."""
    hidden_s: float
    """Seconds of collectives that, by the rule, overlap with compute."""
    arguments: int
    """Bytes of the arguments on a device."""
    bytes_per_device: int
    """Bytes of memory on a device, arguments included."""
    sent: tuple[Sent, ...] = ()

    @property
    def time_s(self) -> float:
        """Seconds of a step by the rule: the longer of compute and hidden collectives, and then what is exposed."""
        return max(self.compute_s, self.hidden_s) + self.exposed_s

    @property
    def least_s(self) -> float:
        """Seconds of a step if all communication is hidden."""
        return max(self.compute_s, self.exposed_s + self.hidden_s)

    @property
    def most_s(self) -> float:
        """Seconds of a step if none is."""
        return self.compute_s + self.exposed_s + self.hidden_s

    def sends(self, axis: str = "") -> int:
        """Bytes that a device sends in a step: over groups that have an axis, or over all of them."""
        return sum(s.bytes for s in self.sent if not axis or axis in s.axes)


@dataclass(frozen=True)
class Candidate:
    """A mesh and how arrays are split over it."""

    name: str
    """Its axes in short: ``FSDP 16 × TP 4``."""
    rule: str
    """What it differs in from others of that name: ``activations split``."""
    axes: tuple[MeshAxis, ...]
    estimated: Figures
    specs: tuple[int, ...]
    """For each of ``Search.leaves``, the index of its spec in ``Search.specs``."""
    lines: tuple[int, ...]
    """Its code: an index in ``Search.code_lines`` for each line."""
    compiled: Figures | None = None
    """The same, of the program that was compiled for the target; None where it was not. Compute is as estimated."""
    failure: str = ""
    """The compiler's message, where it did not compile."""
    fits: bool | None = None
    """Whether it fits in a chip's memory; None where an estimate leaves that open or the memory is not known."""
    code: str = field(default="", compare=False, metadata={"wire": False})
    """Python that makes the mesh and puts the arguments on it, and where constraints go."""

    @property
    def figures(self) -> Figures:
        """The compiled figures; without them, the estimate."""
        return self.compiled or self.estimated

    @property
    def basis(self) -> Basis:
        """How the figures are known."""
        return "compiled" if self.compiled else "estimated"

    @property
    def time_s(self) -> float:
        """Seconds of a step by the rule."""
        return self.figures.time_s

    @property
    def bytes_per_device(self) -> int:
        """Bytes of memory on a device."""
        return self.figures.bytes_per_device

    @property
    def title(self) -> str:
        """Its name with the rule."""
        return f"{self.name}, {self.rule}" if self.rule else self.name


@dataclass(frozen=True)
class SearchLeaf:
    """An array that the step is given."""

    path: str
    shape: tuple[int, ...]
    dtype: str
    weight: bool
    """Whether it is a weight or other state; otherwise it is part of the batch."""


@dataclass(frozen=True)
class DimGroup:
    """Dimensions of the arguments that a step ties together, so that they are split alike."""

    role: Literal["batch", "sequence", "width", "tensor", "expert"]
    size: int
    dims: tuple[str, ...]
    """Where it is: ``params['up'] dim 1``; the first of each name."""


@dataclass(frozen=True)
class Scaled:
    """The best estimate for a number of chips and a size of the batch."""

    chips: int
    target: str
    """What it is searched for, in words: ``TPU v5p 4×4×8``."""
    batch: int
    """Examples of the batch."""
    name: str
    """The candidate: ``FSDP 32 × TP 4``; empty where none may fit."""
    time_s: float
    """Estimated seconds of a step; 0 where none may fit."""
    bytes_per_device: int
    """Estimated bytes on a device; of the least where none may fit."""


@dataclass(frozen=True)
class Shortfall:
    """What the candidate that takes least takes too much, where none fits, and what would do."""

    over: int
    """Bytes of memory on a device beyond the chip's."""
    donation: int
    """Bytes that it would take less if all new state took the place of the old, as estimated; 0 where it does."""
    growing: int | None
    """Bytes beside the arguments that grow with the batch, as estimated: ``jax.checkpoint`` keeps less of these. None
    where the step allows no other batch."""
    words: str
    """Whether that would be enough, in a sentence."""


@dataclass(frozen=True)
class Offer:
    """What may be done next, for a button."""

    label: str
    do: Literal["copy", "chips", "free"]
    """Copies ``text``; searches for so many ``chips``; or searches again without ``whole=`` and ``sizes=``."""
    text: str = ""
    chips: int = 0


@dataclass(frozen=True, repr=False)
class Search(Document):
    """Candidates for the sharding of a step, the fastest that fits first."""

    name: str
    """The function."""
    target: str
    """What it is searched for, in words: ``TPU v5p 4×4×4``."""
    chips: int
    """The number of devices."""
    candidates: tuple[Candidate, ...] = field(metadata={"wire": "table"})
    specs: tuple[str, ...]
    leaves: tuple[SearchLeaf, ...] = field(metadata={"wire": "table"})
    groups: tuple[DimGroup, ...] = ()
    now_index: int = -1
    """Index in ``candidates`` of the user's own sharding; -1 where the arguments have none."""
    chip: Chip | None = None
    """The chip, and how much memory it has; None where that is not known."""
    planned: int = 0
    """How many candidates there are; fewer of them are known while it runs, and where it was stopped."""
    wanted: int = 0
    """How many candidates were to be compiled."""
    left_out: tuple[int, int] = (0, 0)
    """Plans that were left out: those that do not divide the dimensions, and those equal to another."""
    correlation: float | None = None
    """Spearman's rank correlation of the estimated and the compiled time of collectives; None for fewer than 4 compiled
    candidates."""
    ended: Literal["", "interrupted", "time"] = ""
    """Why it ended before everything was known; empty where it did not."""
    notes: tuple[str, ...] = ()
    """What was left out of the user's code or is not known, each in a sentence."""
    constraints: tuple[Source, ...] = ()
    """The user's lines whose values candidates constrain."""
    objective: str = "time"
    """What they are ordered by: ``time``, ``memory``, ``bytes`` that a device sends, or those over an axis,
    ``bytes:tensor``."""
    code_lines: tuple[str, ...] = ()
    """The lines of all codes, each once."""
    scaling: tuple[Scaled, ...] = ()
    """The best estimates for other numbers of chips and sizes of the batch, where several were asked for."""
    shortfall: Shortfall | None = None
    """Where no candidate fits: what is missing, and what would do."""
    fits_on: Scaled | None = None
    """Where no candidate fits: the smallest slice of the same chips on which one does by the estimate; None where none
    was found."""
    offers: tuple[Offer, ...] = ()
    """What may be done next where nothing fits, nothing can be compiled or there is nothing to compare."""
    compiling: int = -1
    """Index in ``candidates`` of the one that is compiled now; -1 where none is."""
    estimating_s: float = field(default=0.0, compare=False)
    """Seconds that the estimates have taken."""
    jax_version: str = ""
    programs: Callable[[int], Any] | None = field(default=None, compare=False, repr=False, metadata={"wire": False})
    """Compiles a candidate, by its index; None where the step is not at hand: loaded, or made by hand."""
    with_compiled: Callable[[int], Any] | None = field(
        default=None, compare=False, repr=False, metadata={"wire": False}
    )
    """The search with a candidate compiled, by its index; None as for ``programs``."""
    again: Callable[[Offer], Any] | None = field(default=None, compare=False, repr=False, metadata={"wire": False})
    """Searches as an offer says: an iterator of what is known. None as for ``programs``."""
    kind: Literal["search"] = field(default="search", init=False)
    version: int = field(default=VERSION, init=False)

    def __post_init__(self) -> None:
        for c in self.candidates:
            object.__setattr__(c, "code", "\n".join(self.code_lines[k] for k in c.lines))

    def program(self, candidate: Candidate | None = None) -> Program:
        """A candidate compiled for the target, with its collectives: ``CompiledProgram(found.program())``.

        ``found.program(found.now).diff(found.program())`` is what the best does otherwise.

        Args:
            candidate: one of ``candidates``; None for the best.

        Raises:
            ValueError: there is no such candidate, or the step is not at hand.
            ImportError: libtpu, which compiles for a topology, is not installed.
        """
        return self._at_hand(self.programs, candidate)

    def compile(self, candidate: Candidate | None = None) -> Search:
        """This search with a candidate compiled for the target, whose figures are then those of its program.

        Args:
            candidate: one of ``candidates``; None for the best.

        Raises:
            ValueError: there is no such candidate, or the step is not at hand.
            ImportError: libtpu, which compiles for a topology, is not installed.
        """
        return self._at_hand(self.with_compiled, candidate)

    def _at_hand(self, do: Callable[[int], Any] | None, candidate: Candidate | None) -> Any:
        chosen = candidate or self.best
        at = next((k for k, c in enumerate(self.candidates) if c is chosen), None)
        if do is None:
            raise ValueError("this search was loaded, and has no step to compile: search again with read.search")
        if at is None:
            raise ValueError("there is no such candidate: give one of search.candidates")
        return do(at)

    def diff(self, other: Search) -> SearchDiff:
        """What another search has otherwise: this one is before, that one after.

        ``read.search(f, *args, mesh="v5p:64").diff(read.search(g, *args, mesh="v5p:64"))`` says which candidates are
        faster or slower, which are new or gone, and what became of the best.

        Args:
            other: the search after a change of the step, of its arguments, or of the chips.
        """
        return provided("search_diff")(self, other)

    @property
    def now(self) -> Candidate | None:
        """The user's own sharding; None where the arguments have none on so many devices."""
        return None if self.now_index < 0 else self.candidates[self.now_index]

    @property
    def best(self) -> Candidate | None:
        """The first of the candidates that may fit, a compiled one where there is one; None where none fits.

        Where only the user's own is compiled yet, that is the best unless another is estimated to take less.
        """
        now = self.now
        fitting = [c for c in self.candidates if c.fits is not False]
        known = [c for c in fitting if c.compiled and c.fits]
        if now is not None and len(known) == 1 and known[0] is now:
            others = [c for c in fitting if c is not now and self._takes(c) < self._takes(now)]
            return next(iter(others), now)
        return next(iter(known or fitting), None)

    def _takes(self, c: Candidate) -> float:
        """What candidates are ordered by, as estimated."""
        kind, _, axis = self.objective.partition(":")
        f = c.estimated
        return {"time": f.time_s, "memory": f.bytes_per_device, "bytes": f.sends(axis)}[kind]
