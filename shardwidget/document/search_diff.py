"""Two searches for a sharding: which candidates are better or worse, which came and which are gone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.wire import VERSION

__all__ = ["CandidateChange", "CandidateFigures", "CandidateSide", "SearchDiff", "SearchSide"]


@dataclass(frozen=True)
class CandidateFigures:
    """What a candidate takes, of one origin."""

    time_s: float
    """Seconds of a step by the rule."""
    bytes_per_device: int
    """Bytes of memory on a device."""
    sent: int
    """Bytes that a device sends in a step."""


@dataclass(frozen=True)
class CandidateSide:
    """A candidate in one of the searches."""

    estimated: CandidateFigures
    compiled: CandidateFigures | None
    """None where it was not compiled."""
    fits: bool | None
    """Whether it fits in a chip's memory; None where that is open."""


@dataclass(frozen=True)
class CandidateChange:
    """A candidate that differs, or that one of the searches has alone."""

    name: str
    """Its name with the rule: ``FSDP 16 × TP 4, activations split``; of the user's own sharding ``now: DP 16``."""
    before: CandidateSide | None
    """None where it was added."""
    after: CandidateSide | None
    """None where it is gone."""

    @property
    def change(self) -> Literal["added", "gone", "changed"]:
        """Whether it is new, gone or other than before."""
        return "added" if self.before is None else "gone" if self.after is None else "changed"

    @property
    def basis(self) -> Literal["estimated", "compiled"]:
        """What is compared: what was compiled, where each side that there is was; otherwise estimates."""
        sides = [side for side in (self.before, self.after) if side]
        return "compiled" if all(side.compiled for side in sides) else "estimated"

    @property
    def figures(self) -> tuple[CandidateFigures | None, CandidateFigures | None]:
        """The figures of both sides that are compared; None where it was added, or is gone."""
        is_compiled = self.basis == "compiled"
        sides = (self.before, self.after)
        before, after = (side and (side.compiled if is_compiled else side.estimated) for side in sides)
        return before, after

    @property
    def difference_s(self) -> float:
        """Seconds of a step that it takes longer; less than 0 where it is faster; 0 where it was added, or is gone."""
        before, after = self.figures
        return after.time_s - before.time_s if before and after else 0.0


@dataclass(frozen=True)
class SearchSide:
    """One of the searches."""

    name: str
    """The function."""
    target: str
    """What it is searched for, in words: ``TPU v5p 4×4×4``."""
    chips: int
    candidates: int
    """How many are known."""
    best: str
    """The best of them; that which takes least where none fits."""
    any_fits: bool
    """Whether one may fit."""
    time_s: float
    """Seconds of a step of it."""
    bytes_per_device: int
    """Bytes of memory on a device."""
    basis: Literal["estimated", "compiled"]
    """How these are known."""


@dataclass(frozen=True, repr=False)
class SearchDiff(Document):
    """What differs between two searches. Candidates are matched by name, and the user's own with the user's own.

    What was compiled is compared where both sides were; otherwise estimates, which both have.
    """

    before: SearchSide
    after: SearchSide
    changes: tuple[CandidateChange, ...] = field(metadata={"wire": "table"})
    """What differs: candidates of both, the greatest difference of time first; then what was added; then what is
    gone."""
    same: int = 0
    """How many candidates are the same in both."""
    verdict: str = ""
    """What became of the best, in a sentence."""
    also: str = ""
    """How many candidates are faster, slower, new, gone, which fit now and which no longer, in sentences."""
    kind: Literal["search diff"] = field(default="search diff", init=False)
    version: int = field(default=VERSION, init=False)
