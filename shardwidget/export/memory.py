"""Memory over a compiled program in words: how much, when, and what is alive at the peak."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from shardwidget._format import byte_count, count
from shardwidget.document import Buffer, Memory
from shardwidget.document.columns import BUFFERS
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 12
"""The most buffers that are listed: the largest at the peak."""
COLUMNS = 72
"""The most columns of the chart; where there are more steps, each column has the most of several."""

NOT_COMPILED = "XLA did not compile it. This is the schedule that it had made; then it stopped with:"

_BARS = " ▁▂▃▄▅▆▇█"


EXACT = 0.03
"""The share of the compiler's figure up to which a peak that is read from a text is not remarked on."""


def headline(memory: Memory) -> str:
    """Whether it fits, and the peak, in one line."""
    peak = f"at most {byte_count(memory.peak_bytes)} alive on a device"
    if memory.missing:
        verdict = f"does not fit, {byte_count(memory.missing)} more than {_limit(memory)}; {peak}"
    else:
        verdict = f"{peak}, fits in {_limit(memory)}" if memory.limit else peak
    return f"{clip(memory.name or 'program', 40)}: {verdict}"


def totals(memory: Memory) -> str:
    """When the peak is, and what the compiler allocates, in one line."""
    how = "scheduled" if memory.failure else "compiled"
    where = f"{how} for {memory.target}" if memory.target else how
    set_aside = "" if memory.compiler is None else f", {byte_count(memory.allocated_bytes)} allocated by the compiler"
    return f"{where[0].upper()}{where[1:]}; the peak is at step {memory.peak_step + 1} of {memory.steps}{set_aside}"


def first_look(memory: Memory) -> list[str]:
    """What takes most at the peak, and what to do about it."""
    alive = memory.alive() if memory.steps else ()
    if not alive:
        return []
    by_kind: dict[str, int] = {}
    for buffer in alive:
        by_kind[buffer.kind] = by_kind.get(buffer.kind, 0) + buffer.bytes
    kind = max(by_kind, key=by_kind.__getitem__)
    largest = next(buffer for buffer in alive if buffer.kind == kind)
    line = f", line {largest.source.line}" if largest.source else ""
    share = f"{100 * by_kind[kind] / max(1, memory.peak_bytes):.0f} %"
    what = f"! {_KINDS[kind]}: {byte_count(by_kind[kind])} of it ({share}), the largest {clip(_called(largest), 32)}"
    out = [f"{what} ({byte_count(largest.bytes)}{line}). {_TO_DO[kind]}"]
    return [*out, *(f"! {words}" for words in constants(memory))]


def _called(buffer: Buffer) -> str:
    """The user's name for it; the type where only the instruction has one."""
    named = buffer.kind in ("argument", "constant") or buffer.instruction
    return buffer.name if named else buffer.type


_KINDS = {
    "argument": "Arguments",
    "constant": "Constants of the program",
    "output": "Outputs",
    "kept": "Kept for the backward pass",
    "temporary": "Temporaries",
    "collective": "Buffers of collectives",
}
_TO_DO = {
    "argument": "Donate or split what need not be whole: read.remedies(f, *args) tries both.",
    "constant": "Give them as arguments.",
    "output": "Split them: out_shardings, or specs of the arguments.",
    "kept": "jax.checkpoint makes it anew instead: read.remedies(f, *args) tries it.",
    "temporary": "read.remedies(f, *args) compiles changes that may lower it.",
    "collective": "Specs with which less is gathered: read.remedies(f, *args) tries some.",
}


def _limit(memory: Memory) -> str:
    chip = memory.chips[memory.chip or 0]
    return f"{byte_count(chip.bytes)} ({chip.name})"


def constants(memory: Memory) -> list[str]:
    """Large constants, and what to do about them."""
    named = [
        f"{clip(b.name, 32)} ({byte_count(b.bytes)}{f', line {b.source.line}' if b.source else ''})"
        for b in memory.closed_over
    ]
    if not named:
        return []
    many = len(named) > 1
    shown = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    return [
        f"{shown} {'are constants' if many else 'is a constant'} of the program: every device holds all of "
        f"{'them' if many else 'it'}, however the function's own array is split. If the function closes over "
        f"{'them' if many else 'it'}, give {'them' if many else 'it'} as {'arguments' if many else 'an argument'}."
    ]


def picture(memory: Memory) -> str:
    """A chart of bytes over the schedule, and what is alive at the peak."""
    lines = listing.lines(BUFFERS, _rows(memory))
    before = [headline(memory), totals(memory), *first_look(memory)]
    return "\n".join([*before, _chart(memory), *_loops(memory), "", *lines, *_after(memory)])


def table(memory: Memory) -> str:
    """The same as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    chart = "\n".join([_chart(memory), *_loops(memory)])
    said = listing.paragraphs([totals(memory), *first_look(memory)])
    before = f'{said}<pre style="line-height:1;margin:6px 0">{escape(chart)}</pre>'
    return listing.table(headline(memory), BUFFERS, _rows(memory), _after(memory), before)


def _chart(memory: Memory) -> str:
    columns = _columns(memory)
    most = max(1, memory.peak_bytes)
    bars = (max(held) for held in columns)
    return "".join(_BARS[-(-int(held) * (len(_BARS) - 1) // most)] for held in bars)


def _loops(memory: Memory) -> list[str]:
    """One line for each loop, under its steps."""
    width = len(_columns(memory))
    lines = []
    for loop in memory.loops:
        first, last = (step * width // max(1, memory.steps) for step in (loop.first, loop.last))
        bracket = "└" + "─" * max(0, last - first - 1) + "┘"
        times = "times not known" if loop.times is None else f"{loop.times} times"
        way = ", backward" if loop.backward else ""
        lines.append(f"{' ' * first}{bracket} {loop.name}{way}, {times}")
    return lines


def _columns(memory: Memory) -> list[Sequence[int]]:
    held = memory.over_time.tolist()
    width = min(COLUMNS, len(held))
    return [held[k * len(held) // width : (k + 1) * len(held) // width] for k in range(width)]


def _rows(memory: Memory) -> list[listing.Row]:
    return [_row(buffer) for buffer in memory.alive()[:MOST]] if memory.steps else []


def _row(buffer: Buffer) -> listing.Row:
    return {
        "bytes": buffer.bytes,
        "name": clip(buffer.name, 32),
        "type": clip(buffer.type, 40),
        "axes": "" if buffer.axes is None else ", ".join(buffer.axes) or "none",
        "kind": _kind(buffer),
        "source": f"{buffer.source.line}: {clip(buffer.source.text, 48)}" if buffer.source else "",
        "steps": f"{buffer.born + 1} to {buffer.dies + 1}",
    }


def _kind(buffer: Buffer) -> str:
    if buffer.donated:
        return f"argument, donated{f': {clip(buffer.taken_by, 32)} is put there' if buffer.taken_by else ''}"
    return f"{buffer.kind}{', in the backward pass' if buffer.backward else ''}"


def _unexplained(memory: Memory) -> str:
    """What the text of a schedule does not say, where it matters."""
    left = abs(memory.peak_bytes + memory.gaps - memory.compilers_bytes)
    if memory.basis != "text" or left <= EXACT * memory.compilers_bytes:
        return ""
    return f" {byte_count(left)} are not explained: which buffers share memory is not in the text."


def _after(memory: Memory) -> list[str]:
    lines = []
    alive = memory.alive() if memory.steps else ()
    if len(alive) > MOST:
        rest = alive[MOST:]
        together = byte_count(sum(buffer.bytes for buffer in rest))
        lines.append(f"… {len(rest)} smaller buffers, {together} together; .alive() has all of them")
    if memory.loops:
        lines.append("One pass of each loop stands for all: each needs the same.")
    if memory.difference is not None and memory.compiler is not None:
        is_peak = memory.compilers_bytes == memory.compiler.peak
        theirs = "the compiler's own peak" if is_peak else "what the compiler allocates"
        basis = "the compiler's assignment of buffers" if memory.basis == "assignment" else "the schedule's text"
        gaps = f" {byte_count(memory.gaps)} of that hold nothing at the peak: gaps between temporaries."
        gaps = gaps if memory.gaps > memory.compilers_bytes / 1000 else ""
        lines.append(
            f"Read from {basis}: {100 * memory.difference:+.2f} % against {theirs}, "
            f"{byte_count(memory.compilers_bytes)}.{gaps}{_unexplained(memory)}"
        )
        if memory.compiler.peak > memory.allocated_bytes:
            own = byte_count(memory.compiler.peak)
            lines.append(f"The compiler's own peak, {own}, counts memory on the chip (VMEM) or on the host as well.")
    if memory.failure:
        said, *more = memory.failure.rstrip().split("\n")
        lines += [NOT_COMPILED, said]
        if more:
            lines.append(f"… {count(len(more), 'more line')} of XLA's in .failure")
    return lines
