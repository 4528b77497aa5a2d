"""What may run while a collective is under way: which lines wait for it, which it waits for, and which do neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shardwidget import read
from shardwidget.document import Feedback, Field, Figure, Part, Source, Step, Trace
from shardwidget.teach import run
from shardwidget.teach.kind import Answer, Kind, verdict
from shardwidget.teach.source import listing_of, unwrapped

MEANWHILE, BEFORE, AFTER = "can run meanwhile", "must run before", "must wait for it"
_ENDS = ("in_specs", "out_specs")
MOST = 8
"""The most lines that are asked about."""


class MayOverlap(Kind):
    """Asks which lines of a function may run while a collective is under way.

    The truth is what depends on what in the program as JAX traces it.

    Args:
        f: a function with a ``shard_map`` in it.
        *args: its arguments; none is needed on a device.
        of: the collective's primitive, as in a trace's steps; None for the first collective. Where its line runs more
            than once, the first run is asked about.
        source: the text to show; None reads that of the mapped function.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: there is no such collective, the function stops, or its lines cannot be told apart.
    """

    task = "may_overlap"
    hints = (
        "Start from the line with the collective: which values go into it, and which values is its result part of?",
        "A line that is written later may still run meanwhile: what counts is which values it uses.",
    )

    def __init__(
        self, f: Callable[..., Any], *args: Any, of: str | None = None, source: str | None = None, **options: Any
    ) -> None:
        super().__init__(options)
        with run.on_no_mesh():
            trace = read.trace(f, *args)
        if trace.error is not None:
            said = trace.error.message or trace.error.explanation
            raise ValueError(f"the exercise has no truth: {trace.name} raises {trace.error.error}: {said}")
        at, steps = _first_turn(trace, of)
        self._truths = _truths(at, steps)
        if not 1 < len(self._truths) <= MOST:
            raise ValueError(
                f"the exercise asks about 2 to {MOST} lines beside the collective's; got {len(self._truths)}"
            )
        sends = steps[at].source
        self.mesh = trace.mesh
        listing = listing_of(unwrapped(f), source)
        self.figures = (Figure(trace.name, listing=listing),)
        of_line = sends.text if sends else steps[at].primitive
        self.prompt = (
            f"While the collective of `{of_line}` is under way, devices can compute. "
            "Which lines can run meanwhile, which must have run before, and which must wait for it?"
        )
        choices = (MEANWHILE, BEFORE, AFTER)
        self.fields = tuple(Field(f"line{k}", line, "choice", choices) for k, line in enumerate(self._truths))
        self._identity = f"{listing} {run.describe(args)} {of}"

    def identity(self) -> str:
        """The function's text, the types of its arguments, and the collective."""
        return self._identity

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what depends on what."""
        parts = []
        for field, (line, truth) in zip(self.fields, self._truths.items(), strict=True):
            mine = answer[field.name]
            parts.append(Part(field.name, mine == truth, "" if mine == truth else _off(line, mine)))
        right = "Lines that neither need what arrives nor make what is sent can run while it is under way."
        question = "Which values does that line use, and where do they come from?"
        if all(p.right for p in parts):
            return verdict(parts, right)
        return verdict(parts, "", question)


def _off(line: str, mine: str) -> str:
    if mine == MEANWHILE:
        return f"`{line}` cannot run meanwhile."
    if mine == BEFORE:
        return f"Nothing that `{line}` makes is sent, so it need not have run before."
    return f"`{line}` does not need what arrives."


def _first_turn(trace: Trace, of: str | None) -> tuple[int, Sequence[Step]]:
    """The collective's step, and all steps until its line runs again."""
    sends = [k for k, s in enumerate(trace.steps) if s.collective is not None and of in (None, s.primitive)]
    if not sends:
        raise ValueError(f"the exercise has no truth: {trace.name} has no {of or 'collective'}")
    at = sends[0]
    first = trace.steps[at]
    again = (
        k for k in sends[1:] if (trace.steps[k].primitive, trace.steps[k].source) == (first.primitive, first.source)
    )
    return at, trace.steps[: next(again, len(trace.steps))]


def _truths(at: int, steps: Sequence[Step]) -> dict[str, str]:
    """When each line may run, by its text, in the order of the source.

    Raises:
        ValueError: some lines read alike, or one does what can run meanwhile and what cannot.
    """
    before, after = _needed(at, steps), _needing(at, steps)
    found: dict[Source, set[str]] = {}
    for k, step in enumerate(steps):
        if step.source in (None, steps[at].source) or step.implicit or step.shape_only or step.primitive in _ENDS:
            continue
        assert step.source is not None
        when = BEFORE if k in before else AFTER if k in after else MEANWHILE
        found.setdefault(step.source, set()).add(when)
    truths: dict[str, str] = {}
    for source in sorted(found, key=lambda s: (s.file, s.line)):
        if len(found[source]) > 1 or source.text in truths:
            raise ValueError(f"give what this line does lines of its own, each with another text: {source.text}")
        (truths[source.text],) = found[source]
    return truths


def _needed(at: int, steps: Sequence[Step]) -> set[int]:
    """The steps whose results are in what a step is given."""
    wanted = {v.id for v in steps[at].inputs}
    found: set[int] = set()
    for k in reversed(range(at)):
        if wanted & {v.id for v in steps[k].outputs}:
            found.add(k)
            wanted |= {v.id for v in steps[k].inputs}
    return found


def _needing(at: int, steps: Sequence[Step]) -> set[int]:
    """The steps that are given what a step's results are in."""
    held = {v.id for v in steps[at].outputs}
    found: set[int] = set()
    for k in range(at + 1, len(steps)):
        if held & {v.id for v in steps[k].inputs}:
            found.add(k)
            held |= {v.id for v in steps[k].outputs}
    return found
