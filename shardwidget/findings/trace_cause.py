"""What a program does otherwise than its reference where their values part, in words."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from shardwidget._format import joined
from shardwidget.document import PartedSide, PartedStep, Source, Step, Trace
from shardwidget.findings.difference import MINUS

MOST = 32
"""Characters of a piece of code, or of a parameter, that is said."""

PIECES = 4
"""Pieces of a line that differ at most, if it is said which."""

_PIECE = re.compile(r"\w+|\S")
_TARGET = re.compile(r"[\w, ]+=(?!=)")


@dataclass(frozen=True, eq=False)
class _Statement:
    """The step of one of both at which their values part."""

    trace: Trace
    at: int
    side: PartedSide

    @property
    def step(self) -> Step:
        return self.trace.steps[self.at]

    @property
    def source(self) -> Source | None:
        return self.step.source

    @property
    def subject(self) -> str:
        return f"line {self.source.line}" if self.source else "mine"


def cause(mine: Trace, reference: Trace, step: PartedStep, sides: tuple[PartedSide, PartedSide]) -> str:
    """What two statements do otherwise: ``line 8 sends to i − 1, the reference to i + 1``.

    Of what is known of the steps alone, so that it is true whatever made them; empty where that is all alike.
    """
    one = _Statement(mine, step.step, sides[0])
    other = _Statement(reference, step.other, sides[1])
    return next((said for find in FINDS if (said := find(one, other))), "")


def _specs(one: _Statement, other: _Statement) -> str:
    """How arguments are cut, or results assembled."""
    name = one.step.primitive
    if name not in ("in_specs", "out_specs") or other.step.primitive != name:
        return ""
    specs = []
    for of in (one, other):
        inside = of.step.outputs if name == "in_specs" else of.step.inputs
        region = next((v.region for v in inside if v.region >= 0), -1)
        specs.append(getattr(of.trace.regions[region], name) if region >= 0 else ())
    if len(specs[0]) != len(specs[1]):
        return ""
    apart = [pair for pair in zip(*specs, strict=True) if pair[0] != pair[1]]
    return f"{name} has {apart[0][0]}, in the reference {apart[0][1]}" if apart else ""


def _communication(one: _Statement, other: _Statement) -> str:
    """Another collective, other axes."""
    a, b = one.step.collective, other.step.collective
    if a is None or b is None or (a.kind, a.axes) == (b.kind, b.axes):
        return ""
    return f"{one.subject} has {_over(a.kind, a.axes)}, the reference {_over(b.kind * (a.kind != b.kind), b.axes)}"


def _direction(one: _Statement, other: _Statement) -> str:
    """Where a permutation sends to: said of the line that is another one, where that is one alone."""
    a, b = _receiver(one), _receiver(other)
    if not a or not b or a == b:
        return ""
    above = [[n for n in of.side.other if of.source and n <= of.source.line] for of in (one, other)]
    alone = all(len(lines) == 1 for lines in above)
    return f"{f'line {above[0][0]}' if alone else one.subject} sends to {a}, the reference to {b}"


def _receiver(of: _Statement) -> str:
    """To whom rank i sends; empty where a rule does not say that."""
    c = of.step.collective
    if c is None or not c.semantics.permutes or not c.plans:
        return ""
    rounds, n = of.trace.plans[c.plans[0]].rounds, c.group_size
    pairs = [pair for move in (rounds[0] if rounds else ()) for pair in move.pairs]
    apart = {(b - a) % n for a, b in pairs}
    if len(pairs) == n > 2 and {a + b for a, b in pairs} == {n - 1}:
        return f"{n - 1} {MINUS} i"
    if len(apart) != 1:
        return ""
    by = apart.pop()
    by -= n * (2 * by > n)
    rule = f"i {MINUS if by < 0 else '+'} {abs(by)}" if by else "itself"
    if len(pairs) == n:
        return rule
    inside = len(pairs) == n - abs(by) and {b - a for a, b in pairs} == {by}
    return f"{rule}, not round the end" if inside else ""


def _constants(one: _Statement, other: _Statement) -> str:
    """Another constant, or another parameter, of one operation."""
    a, b = one.step, other.step
    if a.primitive != b.primitive:
        return ""
    x, y = ([literal.removesuffix(".0") for literal in step.literals] for step in (a, b))
    if len(x) == len(y) == 1 and x != y and max(map(len, x + y)) <= MOST:
        return f"{one.subject} computes with {x[0]}, the reference with {y[0]}"
    before, after = dict(a.params), dict(b.params)
    apart = [key for key in before if key in after and before[key] != after[key]]
    if len(apart) != 1 or before.keys() != after.keys() or max(len(p[apart[0]]) for p in (before, after)) > MOST:
        return ""
    (key,) = apart
    return f"{one.subject} has {key}={before[key]}, the reference {after[key]}"


_Held = Mapping[tuple[str, tuple[str, ...]], Mapping[tuple[int, str], None]]
"""By kind and axes of collectives, the line and the text of each."""


def _missing(one: _Statement, other: _Statement) -> str:
    """A collective that only one of them has until there, or that one has more often."""
    mine, reference = _held(one), _held(other)
    apart = [k for k in {**mine, **reference} if len(mine.get(k, ())) != len(reference.get(k, ()))]
    if len(apart) != 1:
        return ""
    (key,) = apart
    a, b, name = mine.get(key, {}), reference.get(key, {}), _over(*key)
    if not a:
        return f"{_lines(b)} of the reference has {name}, mine has none" if len(b) == 1 else ""
    if not b:
        return f"{_lines(a)} has {name}, the reference has none" if len(a) == 1 else ""
    return f"{name} is in {_lines(a)}, in the reference in {_lines(b)}{' alone' * (len(a) > len(b))}"


def _held(of: _Statement) -> _Held:
    """The collectives that are executed until there, each line once however often it is."""
    found: dict[tuple[str, tuple[str, ...]], dict[tuple[int, str], None]] = defaultdict(dict)
    for step in of.trace.steps[: of.at + 1]:
        c, source = step.collective, step.source
        if c is not None and source is not None:
            found[c.kind, c.axes][source.line, step.expression] = None
    return found


def _lines(of: Mapping[tuple[int, str], None]) -> str:
    lines = list(dict.fromkeys(line for line, _ in of))
    if len(lines) == 1:
        return f"line {lines[0]}" + (f" {len(of)} times" if len(of) > 1 else "")
    return f"lines {joined(lines)}"


def _format(one: _Statement, other: _Statement) -> str:
    """Numbers of another format, or that are in another one for a while."""
    mine, reference = _formats(one), _formats(other)
    a, b = mine - reference, reference - mine
    if len(a) == len(b) == 1:
        return f"{one.subject} computes in {a.pop()}, the reference in {b.pop()}"
    if len(a) + len(b) != 1:
        return ""
    through, apart = next(iter(a | b)), "the reference does" if b else "the reference does not"
    return f"{one.subject} {'does not go' if b else 'goes'} through {through}, {apart}"


def _formats(of: _Statement) -> set[str]:
    """Formats of the values that the line has made so far."""
    steps = of.trace.steps[: of.at + 1]
    return {v.type.split("[")[0] for step in steps if step.source == of.source for v in step.outputs}


def _code(one: _Statement, other: _Statement) -> str:
    """The one piece of the line that is another, unless it is only called otherwise."""
    a, b = one.source, other.source
    if a is None or b is None or a.text.startswith(("def ", "@")):
        return ""
    apart = list(_apart(*(_TARGET.sub("", source.text, count=1) for source in (a, b))))
    if len(apart) != 1 or not all(apart[0]):
        return ""
    x, y = apart[0]
    return f"{one.subject} has {x}, the reference {y}"


def _apart(a: str, b: str) -> Iterator[tuple[str, str]]:
    """What stands in one text in place of what stands in the other; names of values count as alike."""
    pieces = [list(_PIECE.finditer(text)) for text in (a, b)]
    words = [[piece.group() for piece in found] for found in pieces]
    for tag, i, j, k, n in difflib.SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if tag != "replace" or max(j - i, n - k) > PIECES:
            yield "", ""
            continue
        ends = (a, pieces[0][i], pieces[0][j - 1]), (b, pieces[1][k], pieces[1][n - 1])
        x, y = (text[first.start() : last.end()] for text, first, last in ends)
        named = all(re.fullmatch(r"[a-zA-Z_]\w*", one) for one in (x, y))
        called = all(text[last.end() :].startswith("(") for text, _, last in ends)
        yield ("", "") if named and not called else (x, y)


def _over(kind: str, axes: tuple[str, ...]) -> str:
    return f"{kind} over {joined(axes)}".strip()


FINDS: tuple[Callable[[_Statement, _Statement], str], ...] = (
    _specs,
    _communication,
    _direction,
    _constants,
    _missing,
    _format,
    _code,
)
"""What is said, the most exact first."""
