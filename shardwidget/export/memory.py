"""Memory over a compiled program in words: how much, when, and what is alive at the peak."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from shardwidget._format import byte_count
from shardwidget.document import Buffer, Memory
from shardwidget.document.columns import BUFFERS
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 12
"""The most buffers that are listed: the largest at the peak."""
COLUMNS = 72
"""The most columns of the chart; where there are more steps, each column has the most of several."""

_BARS = " ▁▂▃▄▅▆▇█"


def headline(memory: Memory) -> str:
    """The peak, and what the compiler allocates, in one line."""
    where = f"compiled for {memory.target}" if memory.target else "compiled"
    set_aside = "" if memory.compiler is None else f", {byte_count(memory.allocated_bytes)} allocated by the compiler"
    return (
        f"{clip(memory.name or 'program', 40)}  {where}: at most {byte_count(memory.peak_bytes)} alive on a device, at "
        f"step {memory.peak_step + 1} of {memory.steps}{set_aside}"
    )


def picture(memory: Memory) -> str:
    """A chart of bytes over the schedule, and what is alive at the peak."""
    lines = listing.lines(BUFFERS, _rows(memory))
    return "\n".join([headline(memory), _chart(memory), *_loops(memory), "", *lines, *_after(memory)])


def table(memory: Memory) -> str:
    """The same as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    chart = "\n".join([_chart(memory), *_loops(memory)])
    before = f'<pre style="line-height:1;margin:6px 0">{escape(chart)}</pre>'
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
        "axes": "not known" if buffer.axes is None else ", ".join(buffer.axes) or "none",
        "kind": f"{buffer.kind}{', in the backward pass' if buffer.backward else ''}",
        "source": f"{buffer.source.line}: {clip(buffer.source.text, 48)}" if buffer.source else "",
        "steps": f"{buffer.born + 1} to {buffer.dies + 1}",
    }


def _after(memory: Memory) -> list[str]:
    lines = []
    alive = memory.alive() if memory.steps else ()
    if len(alive) > MOST:
        rest = alive[MOST:]
        lines.append(f"… {len(rest)} smaller buffers, {byte_count(sum(buffer.bytes for buffer in rest))} together")
    if memory.loops:
        lines.append("One pass of each loop stands for all: each needs the same.")
    if memory.difference is not None and memory.compiler is not None:
        own = memory.compilers_bytes == memory.compiler.peak
        theirs = "the compiler's own peak" if own else "what the compiler allocates"
        basis = "the compiler's assignment of buffers" if memory.basis == "assignment" else "the schedule's text"
        gaps = f" {byte_count(memory.gaps)} of that hold nothing at the peak: gaps between temporaries."
        gaps = gaps if memory.gaps > memory.compilers_bytes / 1000 else ""
        lines.append(
            f"Read from {basis}: {100 * memory.difference:+.2f} % against {theirs}, "
            f"{byte_count(memory.compilers_bytes)}.{gaps}"
        )
    return lines
