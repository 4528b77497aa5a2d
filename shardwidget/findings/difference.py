"""Two compiled programs, line by line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from shardwidget._format import byte_count, count, duration
from shardwidget.document import DiffLine, DiffProgram, DiffRow, DiffSide, Listing, Program, ProgramDiff
from shardwidget.findings.program import open_ended, over, phase, runs, seconds, sent, where

MINUS = "\N{MINUS SIGN}"

ALIKE = 0.5
"""The share of text that two functions, or two lines, have in common at least if one was made of the other."""

_Key = tuple[str, str, str, str]
"""The operation, the axes, the phase and the text of the line."""


def program_diff(before: Program, after: Program) -> ProgramDiff:
    """What differs between two programs; lines are matched by their text.

    Times are those on the interconnect of ``after``, or on the first that both programs have. The lowered module does
    not say which operations are transposed, so phases are matched only where both programs have a backward pass.
    """
    name = _common(before, after)
    added = before.lowered and not after.lowered
    phased = not added and all(any(c.backward for c in program.collectives) for program in (before, after))
    lines = _lines(before.listings, after.listings)
    sides = [_sides(program, name, phased=phased, apart=added) for program in (before, after)]
    sides[0] = _rewritten(sides[0], sides[1], lines)
    rows = [
        _row(after if key in sides[1] else before, key, *(side.get(key) for side in sides))
        for key in dict.fromkeys([*sides[1], *sides[0]])
    ]
    rows.sort(key=lambda row: (row.change == "same", -abs(row.seconds), -abs(row.bytes_per_device)))
    verdict = _added if added else _verdict
    return ProgramDiff(
        after.mesh,
        _program(before),
        _program(after),
        tuple(rows),
        name,
        verdict(before, after, rows, name),
        _written(rows, name) if added else _in_all(before, after, rows, name),
        "lowered and compiled" if added else "before and after",
        lines,
    )


def _program(program: Program) -> DiffProgram:
    return DiffProgram(program.name, program.target, _memory(program))


def _memory(program: Program) -> int:
    m = program.memory
    return m.arguments + m.outputs + m.temporaries - m.aliased if m else -1


def _common(before: Program, after: Program) -> str:
    names = [*after.interconnects[after.interconnect : after.interconnect + 1], *after.interconnects]
    return next((name for name in names if name in before.interconnects), "")


def _sides(program: Program, interconnect: str, *, phased: bool, apart: bool) -> dict[_Key, DiffSide]:
    found: dict[_Key, list[int]] = {}
    for at, c in enumerate(program.collectives):
        text = c.source.text if c.source and c.source.text else c.op
        found.setdefault((c.kind, over(c), phase(program, c) if phased else "", text), []).append(at)
    if apart:  # Equal collectives of a line that the program asks for and that the compiler adds.
        for key, of in list(found.items()):
            own = [k for k in of if program.collectives[k].by_user]
            if own and len(own) < len(of):
                found[key] = own
                found[*key[:3], f"{key[3]}, added"] = [k for k in of if k not in own]
    return {key: _side(program, of, interconnect) for key, of in found.items()}


def _rewritten(old: dict[_Key, DiffSide], new: dict[_Key, DiffSide], lines: Sequence[DiffLine]) -> dict[_Key, DiffSide]:
    """The sides before by the text that their lines have after, where a line was rewritten in its place."""
    texts, gone = dict[str, str](), list[str]()
    for line in lines:
        text = line.text.strip()
        if not line.after:
            gone.append(text)
        elif not line.before and gone:
            first = gone.pop(0)
            if difflib.SequenceMatcher(None, first, text).ratio() >= ALIKE:
                texts[first] = text
        else:
            gone.clear()
    found: dict[_Key, DiffSide] = {}
    for key, side in old.items():
        moved = (*key[:3], texts.get(key[3], key[3]))
        found[key if key in new or moved not in new or moved in old else moved] = side
    return found


def _side(program: Program, of: Sequence[int], interconnect: str) -> DiffSide:
    at = program.interconnects.index(interconnect) if interconnect else None
    largest = max((program.collectives[k] for k in of), key=lambda c: c.bytes_per_device)
    looks = next((c for k in of if (c := program.collectives[k]).remark), largest)
    return DiffSide(
        program.collectives[of[0]].source,
        tuple(of),
        runs(program, of),
        sent(program, of),
        seconds(program, of, at) if at is not None else 0.0,
        open_ended(program, of),
        largest.by_user,
        largest.arithmetic,
        looks.remark,
        looks.advice,
    )


def _row(program: Program, key: _Key, before: DiffSide | None, after: DiffSide | None) -> DiffRow:
    op, words, of, _ = key
    side = after or before
    axes = program.collectives[side.collectives[0]].axes if side else ()
    if before is None or after is None:
        change = "added" if before is None else "gone"
    else:
        parts = [(s.runs, s.bytes_per_device, s.at_least) for s in (before, after)]
        change = "same" if parts[0] == parts[1] else "changed"
    return DiffRow(change, op, axes, words, of, before, after)


def _verdict(before: Program, after: Program, rows: Sequence[DiffRow], interconnect: str) -> str:
    if not (before.instructions and after.instructions):
        return "the collectives of one of them are not known"
    memory = _memory_said(before, after)
    same = f"no difference in collectives, {memory} on each device" if memory else "no difference"
    if not rows:
        return f"{same}; neither has collectives"
    first = rows[0]
    if first.change == "same":
        of = [row.after for row in rows if row.after]
        total = sum(s.seconds for s in of)
        size = byte_count(sum(s.bytes_per_device for s in of))
        return f"{same}; {count(len(rows), 'place')}, {duration(total) if interconnect else size}"
    program, side = (before, first.before) if first.after is None else (after, first.after)
    line = where(program, side.source if side else None) + (" before" if first.after is None else "")
    times = count(abs(first.runs), first.op) if first.runs else first.op
    more = f"{sign(first.runs)}{times}" if first.runs else times
    return f"{more} over {first.over} {line}: {_cost([first], interconnect)} a call"


def _memory_said(before: Program, after: Program) -> str:
    sizes = _memory(before), _memory(after)
    more = sizes[1] - sizes[0]
    if min(sizes) < 0 or more == 0:
        return ""
    return f"{byte_count(abs(more))} {'more' if more > 0 else 'less'} memory"


def _in_all(before: Program, after: Program, rows: Sequence[DiffRow], interconnect: str) -> str:
    if not any(row.change != "same" for row in rows):
        return ""
    said = f"In all {_cost(rows, interconnect)} in collectives"
    memory = [_memory(program) for program in (before, after)]
    if min(memory) >= 0 and memory[0] != memory[1]:
        more = memory[1] - memory[0]
        said += f" and {sign(more)}{byte_count(abs(more))} of memory on each device"
    return said


def _added(before: Program, after: Program, rows: Sequence[DiffRow], interconnect: str) -> str:
    """What the compiler adds to what the program asks for."""
    if not after.instructions:
        return "the collectives that the compiler makes are not known"
    added = [row for row in rows if row.change == "added"]
    if not rows:
        return "no collective: the program asks for none, and the compiler adds none"
    if not added:
        return f"the compiler adds no collective; the program asks for {count(len(rows), 'place')}"
    first = added[0]
    lines = [row for row in added if (row.op, row.over) == (first.op, first.over)]
    total = sum(row.runs for row in lines)
    numbers = sorted({row.after.source.line for row in lines if row.after and row.after.source})
    line = where(after, first.after.source if first.after else None)
    if len(numbers) > 1:
        shown = ", ".join(map(str, numbers[:4])) + (" …" if len(numbers) > 4 else "")
        line = f"in lines {shown}"
    return f"the compiler adds {count(total, first.op)} over {first.over} {line}: {_cost(lines, interconnect)} a call"


def _written(rows: Sequence[DiffRow], interconnect: str) -> str:
    """What becomes of that which the program asks for; empty where there is nothing to say."""
    if not rows:
        return ""
    own = [row for row in rows if row.before]
    kept = [row for row in own if row.change == "same"]
    added = [row for row in rows if row.change == "added"]
    said = f"{count(len(added), 'place')} of the compiler's own" if added else ""
    if said:
        said += f", {_cost(added, interconnect)} in all"
    if not own:
        return f"{said}; the program asks for none itself" if said else "The program asks for none itself"
    if len(kept) == len(own):
        asked = f"all {len(own)} that the program asks for are" if len(own) > 1 else "the one that it asks for is"
        return f"{said}{'; ' * bool(said)}{asked} compiled as written"
    other = f"{len(own) - len(kept)} of {len(own)} that the program asks for are compiled otherwise"
    return f"{said}{'; ' * bool(said)}{other}"


def _cost(rows: Sequence[DiffRow], interconnect: str) -> str:
    if interconnect:
        time = sum(row.seconds for row in rows)
        return f"{sign(time)}{duration(abs(time))}"
    size = sum(row.bytes_per_device for row in rows)
    return f"{sign(size)}{byte_count(abs(size))}"


def _lines(before: Sequence[Listing], after: Sequence[Listing]) -> tuple[DiffLine, ...]:
    """The functions of both line by line; those of one alone are left out."""
    old, left = _outer(before), list[DiffLine]()
    for listing in _outer(after):
        other = max(old, key=lambda one: _alike(one, listing), default=None)
        if other is None or _alike(other, listing) < ALIKE:
            continue
        old.remove(other)
        left += _matched(other, listing)
    return tuple(left)


def _outer(listings: Sequence[Listing]) -> list[Listing]:
    """Those that no other one contains, in the order of their lines."""
    spans = [(one.file, one.first_line, one.first_line + len(one.lines)) for one in listings]
    return sorted(
        (
            one
            for one, (file, first, end) in zip(listings, spans, strict=True)
            if not any(f == file and a <= first and end <= b and (a, b) != (first, end) for f, a, b in spans)
        ),
        key=lambda one: (one.file, one.first_line),
    )


def _alike(one: Listing, other: Listing) -> float:
    return difflib.SequenceMatcher(None, one.lines, other.lines, autojunk=False).ratio()


def _matched(one: Listing, other: Listing) -> list[DiffLine]:
    found = list[DiffLine]()
    matcher = difflib.SequenceMatcher(None, one.lines, other.lines, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(range(a, b), range(c, d), strict=True)
            found += [DiffLine(other.file, one.first_line + i, other.first_line + k, other.lines[k]) for i, k in pairs]
            continue
        found += [DiffLine(one.file, one.first_line + i, 0, one.lines[i]) for i in range(a, b)]
        found += [DiffLine(other.file, 0, other.first_line + k, other.lines[k]) for k in range(c, d)]
    return found


def sign(number: float) -> str:
    """``+`` or a minus sign."""
    return MINUS if number < 0 else "+"
