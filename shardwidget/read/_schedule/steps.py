"""Where the ticks of a function's pipeline are among the steps of its trace."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from shardwidget import _jax
from shardwidget.document import Step, Trace


def steps_of_ticks(trace: Trace, axis: str, moves: Sequence[int]) -> tuple[int, ...]:
    """For each tick the step that does its work: the last product between two moves, or arithmetic where there is none.

    Of a long loop a trace holds the first iterations and the last; ticks of the others take the step before them.

    Args:
        trace: that of the function whose ticks these are.
        axis: the mesh axis that its stages are on.
        moves: for each tick, how many ``ppermute`` over the axis run before it.
    """
    before = _moves_before(trace, axis)
    inside = [k for k, step in enumerate(trace.steps) if step.region >= 0]
    work = (
        [k for k in inside if trace.steps[k].primitive in _jax.CONTRACTIONS]
        or [k for k in inside if trace.steps[k].primitive in _jax.ARITHMETIC]
        or inside
    )
    counts = [before[k] for k in work]
    return tuple(work[max(0, bisect_right(counts, count) - 1)] for count in moves)


def _moves_before(trace: Trace, axis: str) -> list[int]:
    """For each step how many moves run before it, including those of iterations that the trace leaves out."""
    count = 0
    began: dict[int, tuple[int, int]] = {}
    """For each loop the current iteration, and the count at its start."""
    out = []
    for step in trace.steps:
        for loop, iteration in _iterations(trace, step.scope):
            known, start = began.get(loop, (iteration, count))
            if iteration != known:
                count += (iteration - known - 1) * (count - start)
            if iteration != known or loop not in began:
                began[loop] = iteration, count
        out.append(count)
        count += _moves(step, axis)
    return out


def _iterations(trace: Trace, scope: int) -> Iterator[tuple[int, int]]:
    """The loops around a scope and the iteration of each, outermost first."""
    if scope < 0:
        return
    here = trace.scopes[scope]
    yield from _iterations(trace, here.parent)
    if here.kind == "iteration":
        yield here.parent, here.iteration


def _moves(step: Step, axis: str) -> bool:
    return step.primitive == "ppermute" and step.collective is not None and axis in step.collective.axes
