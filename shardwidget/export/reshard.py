"""A reshard plan in words: its chunks, what devices hold meanwhile, what is freed again."""

from __future__ import annotations

from html import escape

from shardwidget.document import ReshardPlan
from shardwidget.export.words import byte_count, clip

MOST = 16
"""Chunks that are listed."""
NAMED = 4
"""Arrays of a chunk that are named."""


def headline(plan: ReshardPlan) -> str:
    """Arrays, chunks, threshold in one line."""
    arrays = f"{len(plan.arrays)} array{'s' * (len(plan.arrays) != 1)}"
    chunks = f"{len(plan.chunks)} chunk{'s' * (len(plan.chunks) != 1)}"
    return f"{arrays} to groups of {clip(plan.axis, 20)} in {chunks}, threshold {byte_count(plan.threshold)}"


def facts(plan: ReshardPlan) -> list[str]:
    """The peak, what is freed again, and weights that are too large."""
    peak = max(plan.peak_bytes, default=0)
    lines = [
        f"At most {byte_count(peak)} on a device, in {clip(plan.axis, 20)} {plan.peak_bytes.index(peak)}; "
        f"{byte_count(plan.freed_bytes)} on all devices are made in groups that free them again."
    ]
    if plan.overweight:
        names = ", ".join(clip(plan.arrays[i].path, 40) for i in plan.overweight[:NAMED])
        lines.append(f"Weighs more than it takes on a device: {names}{' …' * (len(plan.overweight) > NAMED)}.")
    return lines


def rows(plan: ReshardPlan) -> list[tuple[str, str]]:
    """Of the first chunks what each moves, and the bytes that every device holds for a moment."""
    found = []
    weights, sizes = plan.weights, plan.chunk_bytes
    for number, chunk in enumerate(plan.chunk_arrays[:MOST]):
        names = ", ".join(
            f"{clip(plan.arrays[i].path, 40)} to {', '.join(map(str, plan.arrays[i].groups))}" for i in chunk[:NAMED]
        )
        more = f", {len(chunk) - NAMED} more" if len(chunk) > NAMED else ""
        weight = sum(weights[i] for i in chunk)
        words = f"{byte_count(sizes[number])} on every device, weight {byte_count(weight)}: {names}{more}"
        found.append((f"chunk {number}", words))
    return found


def picture(plan: ReshardPlan) -> str:
    """All of it as lines."""
    left = len(plan.chunks) - MOST
    lines = [f"{name}  {words}" for name, words in rows(plan)]
    return "\n".join([headline(plan), *facts(plan), *lines, *([f"… {left} more chunks"] if left > 0 else [])])


def table(plan: ReshardPlan) -> str:
    """The same as HTML that survives a notebook's sanitiser."""
    cell = 'style="padding:2px 10px;text-align:left;font-family:monospace"'
    left = len(plan.chunks) - MOST
    listed = [*rows(plan), *([("…", f"{left} more chunks")] if left > 0 else [])]
    body = "".join(f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(words)}</td></tr>" for name, words in listed)
    said = "".join(f"<p>{escape(line)}</p>" for line in facts(plan))
    return f"<p><b>{escape(headline(plan))}</b></p>{said}<table>{body}</table>"
