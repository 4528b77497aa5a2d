"""The table that ``make bench`` prints."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Row:
    """One figure: ours, the goal that we set ourselves, and what the alternative gives in the same run."""

    what: str
    ours: str
    reach: str = ""
    rival: str = ""


def show(rows: list[Row]) -> None:
    """Prints rows under a heading, columns aligned."""
    heading = Row("what", "shardwidget", "reach", "beside it")
    lines = [[getattr(row, f.name) for f in fields(Row)] for row in [heading, *rows]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["─" * width for width in widths])
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def milliseconds(seconds: float) -> str:
    """A time, to three digits."""
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds * 1e3:.0f} ms"


def kilobytes(count: int) -> str:
    """A size, in thousands of bytes."""
    return f"{count / 1e3:.1f} KB"
