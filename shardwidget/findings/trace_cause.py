"""What a program does otherwise than its reference where their values part, in words."""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from shardwidget._format import joined
from shardwidget.document import PartedSide, PartedStep, Source, Step, Trace
from shardwidget.findings.difference import MINUS
from shardwidget.findings.trace_extra import Extra, Statement, extra, statement

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
    is_result: bool = False
    """Whether it made a result, so that all lines count."""

    @property
    def step(self) -> Step:
        return self.trace.steps[self.at]

    @property
    def source(self) -> Source | None:
        return self.step.source

    @property
    def subject(self) -> str:
        return f"line {self.source.line}" if self.source else "mine"

    @property
    def above(self) -> list[int]:
        """The lines until there whose text is not that of the other function's."""
        line = self.source.line if self.source else 0
        return [n for n in self.side.other if self.is_result or n <= line]

    def primitives(self, lines: Collection[int], *, after: bool = False) -> Counter[str]:
        """What these lines of the function have executed until there, or all in all, and how often."""
        steps = self.trace.steps if after else self.trace.steps[: self.at + 1]
        return Counter(s.primitive for s in steps if s.source and s.source.line in lines)

    def outside(self) -> Counter[str]:
        """What other functions of the user have executed, all in all."""
        own = range(self.side.first_line, self.side.first_line + len(self.side.lines))
        return Counter(s.primitive for s in self.trace.steps if s.source and s.source.line not in own)

    def follows(self, lines: Collection[int]) -> bool:
        """Whether these lines have made what the value is made of."""
        needs = {v.id for v in self.step.outputs}
        for step in reversed(self.trace.steps[: self.at + 1]):
            if any(v.id in needs for v in step.outputs):
                if step.source and step.source.line in lines:
                    return True
                needs |= {v.id for v in step.inputs}
        return False

    def made(self, name: str) -> _Statement:
        """The statement that made a result, of the end of a program."""
        if self.step.primitive != "out_specs" or len(self.step.inputs) != len(self.step.outputs):
            return self
        ids = {v.id for v, out in zip(self.step.inputs, self.step.outputs, strict=True) if out.name == name}
        steps = self.trace.steps[: self.at]
        at = next((k for k in range(self.at - 1, -1, -1) if any(v.id in ids for v in steps[k].outputs)), None)
        return self if at is None else replace(self, at=at, is_result=True)


def cause(mine: Trace, reference: Trace, step: PartedStep, sides: tuple[PartedSide, PartedSide]) -> str:
    """What two statements do otherwise: ``line 8 sends to i − 1, the reference to i + 1``.

    Of what is known of the steps alone, so that it is true whatever made them; empty where that is all alike.
    """
    one = _Statement(mine, step.step, sides[0])
    other = _Statement(reference, step.other, sides[1])
    if said := _specs(one, other):
        return said
    made = one.made(step.name), other.made(step.counterpart)
    return next((said for find in FINDS if (said := find(*made))), "")


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
    alone = len(one.above) == len(other.above) == 1
    return f"{f'line {one.above[0]}' if alone else one.subject} sends to {a}, the reference to {b}"


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
    done = [of.primitives([of.source.line]) if of.source else None for of in (one, other)]
    if a.primitive != b.primitive or done[0] != done[1]:
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


def _more(one: _Statement, other: _Statement) -> str:
    """What one of both statements does once more; or, where these are alike, one of the lines before."""
    if one.source is None or other.source is None:
        return ""
    here = _Compared.at(one, one.source.line), _Compared.at(other, other.source.line)
    if said := _once_more(*here):
        return said
    lines = one.above, other.above
    alike = here[0].made and here[1].made and ast.dump(here[0].made.value) == ast.dump(here[1].made.value)
    if not (alike or one.is_result) or max(map(len, lines)) != 1:
        return ""
    return _once_more(*(_Compared.at(of, next(iter(at), 0)) for of, at in zip((one, other), lines, strict=True)))


@dataclass(frozen=True, eq=False)
class _Compared:
    """A statement of one side that is compared with one of the other."""

    of: _Statement
    line: int
    """0 where that side has none in its place."""
    made: Statement | None

    @classmethod
    def at(cls, of: _Statement, line: int) -> _Compared:
        made = statement(of.side.lines, of.side.first_line, line) if line else None
        return cls(of, line, made)

    @property
    def lines(self) -> range:
        return self.made.lines if self.made else range(0)


def _once_more(mine: _Compared, reference: _Compared) -> str:
    """What the statement of one side does once more than that of the other."""
    for more, less in ((mine, reference), (reference, mine)):
        found = extra(more.made, less.made) if more.made and (less.made or not less.line) else None
        if found is None or not _is_sure(found, more, less):
            continue
        does = re.sub(r"^\w+", lambda verb: _third(verb.group()), found.does)
        if more is mine:
            return f"line {more.line} {does}, the reference does not"
        if less.line:
            return f"line {less.line} does not {found.does}, the reference does"
        return f"line {more.line} of the reference {does}, mine does not"
    return ""


def _is_sure(found: Extra, more: _Compared, less: _Compared) -> bool:
    """Whether the value follows from it, and the other side does not do it in another of its own lines or functions."""
    elsewhere = less.of.primitives([n for n in less.of.side.other if n not in less.lines], after=True)
    elsewhere += less.of.outside() - more.of.outside()
    counts = [side.of.primitives(side.lines) for side in (more, less)]
    if found.primitives:
        counts = [Counter({p: n for p, n in count.items() if p in found.primitives}) for count in counts]
        elsewhere = [p for p in elsewhere if p in found.primitives]
    return counts[0].total() > counts[1].total() and not elsewhere and more.of.follows(more.lines)


def _third(verb: str) -> str:
    """``divides`` of ``divide``, ``applies`` of ``apply``."""
    return f"{verb[:-1]}ies" if verb.endswith("y") else f"{verb}s"


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
    _communication,
    _direction,
    _missing,
    _more,
    _constants,
    _format,
    _code,
)
"""What is said, the most exact first."""
