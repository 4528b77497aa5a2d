"""A trace as text and as a plain HTML table: its steps, with types and what they communicate."""

from __future__ import annotations

from html import escape

from shardwidget.document import Step, Trace
from shardwidget.export.listing import count
from shardwidget.export.words import byte_count, clip

MOST = 60
"""The most steps that are listed; a longer trace is cut, with a note."""


def headline(trace: Trace) -> str:
    """What was traced, in one line."""
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in trace.mesh.axes)
    where = {"mesh": "run on its devices", "host": "simulated on the host", "types": "types only"}[trace.engine]
    stop = f", stops with {trace.error.error}" if trace.error else ""
    return f"{clip(trace.name or 'f', 40)}  {len(trace.steps)} steps on mesh {axes}, {where}{stop}"


def picture(trace: Trace) -> str:
    """The steps as lines of text: primitive, mesh axes, types, source line."""
    rows = [_cells(step) for step in trace.steps[:MOST]]
    widths = [min(44, max((len(row[k]) for row in rows), default=0)) for k in range(3)]
    lines = [headline(trace)]
    for number, row in enumerate(rows):
        cells = "  ".join(clip(cell, width).ljust(width) for cell, width in zip(row, widths, strict=False))
        lines.append(f"{number:4}  {cells}  {clip(row[3], 60)}".rstrip())
    return "\n".join([*lines, *_rest(trace), *_error(trace)])


def table(trace: Trace) -> str:
    """The steps as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    cell = 'style="padding:2px 10px;text-align:left;font-family:monospace"'
    head = "".join(f"<th {cell}>{name}</th>" for name in ("", "step", "gives", "communication", "source"))
    body = "".join(
        f"<tr><td {cell}>{number}</td>"
        + "".join(f"<td {cell}>{escape(clip(c, 90))}</td>" for c in _cells(step))
        + "</tr>"
        for number, step in enumerate(trace.steps[:MOST])
    )
    after = "".join(f"<p>{escape(line)}</p>" for line in [*_rest(trace), *_error(trace)])
    return f"<p><b>{escape(headline(trace))}</b></p><table><tr>{head}</tr>{body}</table>{after}"


def _cells(step: Step) -> tuple[str, str, str, str]:
    gives = ", ".join(f"{v.name} {v.type}" for v in step.outputs)
    sent = ""
    if step.collective is not None:
        c = step.collective
        sent = f"over {', '.join(c.axes)}"
        if c.bytes_per_device:
            sent += f", {byte_count(c.bytes_per_device)} per device"
    source = f"{step.source.file}:{step.source.line} {step.source.text}" if step.source else ""
    return step.primitive + (" (implicit)" if step.implicit else ""), gives, sent, source


def _rest(trace: Trace) -> list[str]:
    left = len(trace.steps) - MOST
    all_steps = "`trace.steps`, or `view.document.steps` of a stepper, has them all"
    return [f"… {count(left, 'more step')}: {all_steps}"] if left > 0 else []


def _error(trace: Trace) -> list[str]:
    return [f"{trace.error.error}: {trace.error.message}", trace.error.explanation] if trace.error else []
