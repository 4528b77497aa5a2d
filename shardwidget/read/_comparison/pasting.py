"""Fixes as they are written: pasted into the user's functions, and traced on an Explicit mesh."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._jaxpr.pasted import Swap, name_of, pasted, readable
from shardwidget.read._jaxpr.rewrite import Edit
from shardwidget.read._jaxpr.sources import frames_of, raised_at
from shardwidget.read._jaxpr.syntax import Span, text_of

MOST = 200
"""The most changes that are traced for a comparison."""

EQUATIONS = 40_000
"""The most equations that are traced for them, in all."""

Bind = Callable[[Sequence[Any]], list[Any]]


def first_array(types: Sequence[Any]) -> Any:
    """The type that stands for the results of an equation: of the first that is an array, else of the first."""
    return next((type_ for type_ in types if type_.ndim), types[0])


@dataclass
class Place:
    """A frame of the user's."""

    file_name: str
    function_name: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int


class PastedTrace(NamedTuple):
    """A function that was traced with a change to its source, or with several, one after another."""

    jaxpr: Any
    """The whole, or as far as JAX traces it."""
    error: Exception | None
    """What JAX raises after that, if it is not the whole."""
    edit: Edit
    file: str
    """The name of the changed text."""
    old: str
    """The text as it was."""
    new: str
    """The changed text."""
    swaps: Sequence[Swap]
    """The functions with all changes."""
    after: PastedTrace | None = None
    """With the changes before this one."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All changes, in order."""
        return (*(self.after.edits if self.after else ()), self.edit)

    @contextlib.contextmanager
    def readable(self) -> Iterator[None]:
        """Lets tracebacks and documents find the lines of the changed text."""
        with self.after.readable() if self.after else contextlib.nullcontext(), readable(self.new, self.edit.file):
            yield

    def moved(self, edit: Edit) -> Edit | None:
        """A change of a text as it was before all changes, made in the changed one; None where both change a line."""
        if self.after is not None:
            moved = self.after.moved(edit)
            if moved is None:
                return None
            edit = moved
        if edit.file != self.edit.file:
            return edit
        if edit.first <= self.edit.last and self.edit.first <= edit.last:
            return None
        more = self.more if edit.first > self.edit.last else 0
        return replace(edit, file=self.file, first=edit.first + more, last=edit.last + more)

    @property
    def more(self) -> int:
        """How many lines longer the text is."""
        return self.new.count("\n") - self.old.count("\n")

    def before(self, frame: _jax.Frame) -> _jax.Frame:
        """A frame as it was before all changes; that of the whole change, if a change wrote what it is at."""
        frame = self._frame_before(frame)
        return self.after.before(frame) if self.after else frame

    def _frame_before(self, frame: _jax.Frame) -> _jax.Frame:
        if frame.file_name != self.file:
            return frame
        starts = self._before(frame.start_line, frame.start_column)
        ends = self._before(frame.end_line, frame.end_column)
        if starts is None or ends is None:
            starts, ends = (self.edit.first, -1), (self.edit.last, -1)
        return Place(self.edit.file, frame.function_name, *starts, *ends)

    def line_before(self, file: str, line: int) -> tuple[str, int]:
        """A line of a file as it was before all changes."""
        if file == self.file:
            last = self.edit.last
            file, line = self.edit.file, line - self.more if line > last + self.more else min(line, last)
        return self.after.line_before(file, line) if self.after else (file, line)

    def _before(self, line: int, column: int) -> tuple[int, int] | None:
        """A line and column before the change; None of what the change wrote."""
        first, bottom = self.edit.first, self.edit.last + self.more
        if not first <= line <= bottom:
            return line - self.more * (line > bottom), column
        old, new = _part(self.old, first, self.edit.last), _part(self.new, first, bottom)
        at = len(b"\n".join([*new.split(b"\n")[: line - first], b""])) + column
        start = _alike(old, new)
        if at > start:
            if len(new) - at > min(_alike(old[::-1], new[::-1]), min(len(old), len(new)) - start):
                return None
            at -= len(new) - len(old)
        return first + old.count(b"\n", 0, at), at - (old.rfind(b"\n", 0, at) + 1)

    def equations(self) -> Iterator[Any]:
        """The equations, also those of inner functions."""
        return _jax.every_equation(self.jaxpr)

    def is_within(self, eqn: Any, first: int, last: int) -> bool:
        """Whether an equation is from some lines of the text as it was, or from what replaces them."""
        first, last = (
            line + self.more * (line > at) for line, at in ((first, self.edit.last), (last, self.edit.last - 1))
        )
        return any(f.file_name == self.file and first <= f.start_line <= last for f in frames_of(eqn)[:1])

    def run_once(self, span: Span) -> list[Any]:
        """The outermost equations of an expression of the text as it was, now that it is changed.

        Nothing where a loop runs them, or where none is found.
        """
        return self._outermost(self.jaxpr, _span_now(span, self.old, self.new))

    def _outermost(self, jaxpr: Any, span: Span) -> list[Any]:
        equations = _jax.open_jaxpr(jaxpr)[0].eqns
        if here := [eqn for eqn in equations if self._is_in(eqn, span)]:
            return here
        calls = (_jax.control_of(eqn) for eqn in equations)
        inner = (self._outermost(call.body, span) for call in calls if isinstance(call, _jax.FunctionCall))
        return next(filter(None, inner), [])

    def _is_in(self, eqn: Any, span: Span) -> bool:
        first, column, last, end = span
        return any(
            f.file_name == self.file
            and (first, column) <= (f.start_line, f.start_column)
            and (f.end_line, f.end_column) <= (last, end)
            for f in frames_of(eqn)[:1]
        )


def _span_now(span: Span, old: str, new: str) -> Span:
    """Where an expression stands whose text alone was changed."""
    first, column, bottom, end = span
    last = bottom + new.count("\n") - old.count("\n")
    left = len(old.split("\n")[bottom - 1].encode()) - end
    return first, column, last, len(new.split("\n")[last - 1].encode()) - left


@functools.lru_cache(maxsize=8)  # Every equation of a loop asks for those of its call.
def _part(text: str, first: int, last: int) -> bytes:
    """Some lines of a text."""
    return "\n".join(text.split("\n")[first - 1 : last]).encode()


def _alike(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with in common."""
    return next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


class Pasting:
    """Traces a function with changes to its source.

    Args:
        call: the function.
        mesh: all its axes Explicit.
        equations: how many the function has.
    """

    def __init__(self, call: ComparedCall, mesh: Any, equations: int) -> None:
        self._call, self._mesh = call, mesh
        self._left = min(MOST, EQUATIONS // max(equations, 1))
        self._functions = list(_jax.live_functions(call.f))
        self._known: dict[tuple[Edit, tuple[str, str] | None], bool] = {}
        self._chosen: dict[tuple[str, tuple[str, int, int]], Bind] = {}
        self._loops: PastedTrace | None = None
        """With the changes that were chosen for loops."""

    def choose(self, primitive: str, place: tuple[str, int, int], bind: Bind, loop: Edit | None) -> None:
        """Remembers how the program continues where it stops.

        Args:
            primitive: what stops.
            place: the file, the line and the column.
            bind: gives its results.
            loop: the change to the source, where a loop stops: JAX refuses that before there is a primitive.
        """
        self._chosen[primitive, place] = bind
        if loop is not None:
            self._loops = (self._past_loops(loop) if self._loops else self._traced(loop)) or self._loops

    def runs(self, edit: Edit, gives: tuple[str, str] | None) -> bool:
        """Whether the program gets past the lines of a change; False also where that is not tried.

        Args:
            edit: the change.
            gives: the primitive that stopped, and the type that its first result must have; None for any.
        """
        if (edit, gives) not in self._known:
            self._left -= 1
            self._known[edit, gives] = self._left >= 0 and self._gets_past(edit, gives)
        return self._known[edit, gives]

    def traced(self, edit: Edit, span: Span, after: PastedTrace | None = None) -> PastedTrace | None:
        """The function with a change, traced past it; None where it does not get there, or is not tried.

        Args:
            edit: the change.
            span: the expression that it changes.
            after: with the changes that are made before it.
        """
        self._left -= 1
        return self._traced(edit, span, after) if self._left >= 0 else None

    def _gets_past(self, edit: Edit, gives: tuple[str, str] | None) -> bool:
        traced = self._traced(edit) or (self._past_loops(edit) if self._loops else None)
        if traced is None or gives is None:
            return traced is not None
        alike = [eqn for eqn in traced.equations() if _jax.name_of(eqn) == gives[0]]
        here = [eqn for eqn in alike if traced.is_within(eqn, traced.edit.first, traced.edit.last)]
        # JAX 0.9 keeps the lines of the first call of a library's function, which may be another change's.
        found = {_jax.type_text(first_array([v.aval for v in eqn.outvars])) for eqn in here or alike if eqn.outvars}
        return not found or gives[1] in found

    def _past_loops(self, edit: Edit) -> PastedTrace | None:
        """The function with a change besides those that were chosen for loops."""
        assert self._loops
        moved = self._loops.moved(edit)
        if moved is None:
            return None
        with self._loops.readable():
            return self._traced(moved, after=self._loops)

    def _traced(self, edit: Edit, span: Span | None = None, after: PastedTrace | None = None) -> PastedTrace | None:
        old = text_of(edit.file)
        fix = Fix("", edit.code, "", edit.first, edit.last - edit.first + 1)
        text = fix.applied(old)
        more = len(text.split("\n")) - len(old.split("\n"))
        last = edit.last + more
        changed = _span_now(span, old, text) if span else (edit.first, -1, last + 1, -1)

        def fixed(primitive: Any, operands: list[Any], params: dict[str, Any], error: Exception) -> list[Any] | None:
            place = _jax.current_location()
            if place is None or place[0] != name_of(text):
                at = place
            elif edit.first <= place[1] <= last:
                return None
            else:
                at = (edit.file, place[1] - (more if place[1] > last else 0), place[2])
            if at is not None and after is not None:
                at = (*after.line_before(*at[:2]), at[2])
            bind = self._chosen.get((_jax.name_of(primitive), at)) if at is not None else None
            return bind(operands) if bind is not None else None

        before = after.swaps if after else ()
        with _jax.retracing(before, "as they are"):
            swaps = [*before, *pasted(self._functions, edit.file, fix)]
        if len(swaps) == len(before):
            return None
        stopped: Exception | None = None
        with _jax.retracing(swaps, "as they are"), _jax.fixing(fixed, each_apart=False):
            try:
                jaxpr = _jax.unfiltered(lambda: self._call.trace(self._mesh))
            except Exception as error:
                stopped = error
                at, partly = raised_at(error), _jax.partial_trace(error)
                if at is None or partly is None:
                    return None
                if at.file == name_of(text) and (at.span is None or changed[:2] <= at.span[:2] < changed[2:]):
                    return None
                jaxpr = partly.jaxpr
        traced = PastedTrace(jaxpr, stopped, edit, name_of(text), old, text, swaps, after)
        if stopped is None or not _jax.messages.is_carry_mismatch(stopped):
            return traced
        # What a loop round the change carries has another type then; its body is not in the trace.
        here = any(traced.is_within(eqn, edit.first, edit.last) for eqn in traced.equations())
        return traced if here else None
