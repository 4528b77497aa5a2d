"""What papers state about a schedule's bubble and memory, as formulas, to set beside what the simulator finds.

A formula holds only for the times that its paper assumes, and without communication; a simulation holds for any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from shardwidget.document.order import GeneratorName


class Sizes(NamedTuple):
    """What formulas take."""

    p: int
    """Ranks."""
    m: int
    """Microbatches."""
    v: int
    """Stages on each rank."""
    F: float
    """Time of a forward task. Likewise I, the input half of a backward task, and W, its weight half."""
    I: float  # noqa: E741
    W: float


@dataclass(frozen=True)
class Formula:
    """A paper's bubble and peak. In its text B = I + W, and F&B is a fused pair, which takes F + B here."""

    text: str
    bubble: Callable[[Sizes], float]
    """Idle time of each rank."""
    peak_text: str
    peak: Callable[[Sizes], int] | None
    """The most activations of a stage that any rank keeps, for enough microbatches; None if the paper does not say."""
    source: str


def _first(z: Sizes) -> float:
    return (z.p - 1) * (z.F + z.I + z.W)


FORMULAS: dict[GeneratorName, Formula] = {
    "gpipe": Formula("(p−1)·(F+B)", _first, "m", lambda z: z.m, "GPipe, arXiv 1811.06965"),
    "one_f_one_b": Formula("(p−1)·(F+B)", _first, "p", lambda z: z.p, "Megatron-LM, arXiv 2104.04473"),
    "eager_1f1b": Formula("(p−1)·(F+B)", _first, "2p−1", lambda z: 2 * z.p - 1, "AlpaComm, arXiv 2211.05322"),
    # F and B in the paper are those of a rank: all its stages on a microbatch.
    "interleaved_1f1b": Formula("(p−1)·(F+B)/v", _first, "", None, "Megatron-LM, arXiv 2104.04473"),
    "zb_h1": Formula(
        "(p−1)·(F+I−W)", lambda z: (z.p - 1) * (z.F + z.I - z.W), "p", lambda z: z.p, "arXiv 2401.10241, Table 2"
    ),
    # The paper counts from a rank's first task to its last; idle time here begins and ends with the schedule.
    "zb_v": Formula(
        "0 from a rank's first task to its last, if F = I = W; with the time around them (p−1)·F",
        lambda z: (z.p - 1) * z.F,
        "2p",
        lambda z: 2 * z.p,
        "arXiv 2401.10241, 6",
    ),
    # The README counts both ends of the V in p.
    "dualpipe_v": Formula(
        "(p−1)·(F&B+B−3W)",
        lambda z: (z.p - 1) * (z.F + 2 * (z.I + z.W) - 3 * z.W),
        "2p+1",
        lambda z: 2 * z.p + 1,
        "DualPipe's README",
    ),
    "circular": Formula("(p−1)·(F+B), of (v·m+p−1)·(F+B)", _first, "v·m", lambda z: z.v * z.m, "MaxText, sharding.md"),
}
