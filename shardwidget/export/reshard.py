"""A reshard plan in words: its chunks, what devices hold meanwhile, what moves over which axis, what is freed again."""

from __future__ import annotations

from collections import Counter
from html import escape

from shardwidget.document import MovedArray, PlanCollective, ReshardPlan
from shardwidget.export.words import byte_count, clip

MOST = 16
"""Chunks that are listed."""
NAMED = 4
"""Arrays of a chunk that are named."""


def headline(plan: ReshardPlan) -> str:
    """What moves where in how many chunks, in one line."""
    if plan.direction == "device_put":
        array = plan.arrays[0]
        sizes = ",".join(map(str, array.shape))
        return f"device_put of {clip(array.dtype, 20)}[{sizes}]  {clip(array.source, 90)} → {clip(array.target, 90)}"
    to = "to" if plan.direction == "spmd_to_mpmd" else "from"
    arrays = _count(len(plan.arrays), "array")
    chunks = _count(len(plan.chunks), "chunk")
    return f"{arrays} {to} groups of {clip(plan.axis, 20)} in {chunks}, threshold {byte_count(plan.threshold)}"


def facts(plan: ReshardPlan) -> list[str]:
    """The peak, what must move and what XLA moves, what is freed again, weights that are too large."""
    peak = max(plan.peak_bytes, default=0)
    where = f", in {clip(plan.axis, 20)} {plan.peak_bytes.index(peak)}" if plan.axis else ""
    lines = [f"At most {byte_count(peak)} on a device{where}."]
    if plan.freed_bytes:
        what = "zeros" if plan.direction == "mpmd_to_spmd" else "blocks"
        lines.append(f"Made on all devices only to be freed: {byte_count(plan.freed_bytes)} of {what}.")
    lines.append(_moves(plan))
    if plan.overweight:
        names = ", ".join(clip(plan.arrays[i].path, 40) for i in plan.overweight[:NAMED])
        said = "The weight is more than what is added on a device, so a chunk takes fewer than fit"
        lines.append(f"{said}: {names}{_more(len(plan.overweight))}.")
    return [*lines, *([plan.note] if plan.note else [])]


def rows(plan: ReshardPlan) -> list[tuple[str, str]]:
    """Of the first chunks what each moves, what it adds on a device, and how; of a ``device_put`` who sends what."""
    if plan.direction == "device_put":
        ids = plan.mesh.device_ids.array()
        after = (plan.target_mesh or plan.mesh).device_ids.array()
        first = plan.flows[:MOST]
        return [(f"device {ids[f.source]} → {after[f.target]}", byte_count(f.bytes)) for f in first]
    found = []
    weights, sizes = plan.weights, plan.chunk_bytes
    for number, chunk in enumerate(plan.chunks[:MOST]):
        names = ", ".join(_where(plan, plan.arrays[i]) for i in chunk[:NAMED])
        weight = sum(weights[i] for i in chunk)
        adds = f"adds {byte_count(sizes[number])} on a device, weight {byte_count(weight)}"
        how = _how([plan.arrays[i] for i in chunk])
        found.append((f"chunk {number}", f"{adds}: {names}{_more(len(chunk))}{f' · {how}' * bool(how)}"))
    return found


def picture(plan: ReshardPlan) -> str:
    """All of it as lines."""
    listed = _listed(plan)
    wide = max((len(name) for name, _ in listed), default=0)
    return "\n".join([headline(plan), *facts(plan), *(f"{name:<{wide}}  {words}" for name, words in listed)])


def table(plan: ReshardPlan) -> str:
    """The same as HTML that survives a notebook's sanitiser."""
    cell = 'style="padding:2px 10px;text-align:left;font-family:monospace"'
    body = "".join(
        f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(words)}</td></tr>" for name, words in _listed(plan)
    )
    said = "".join(f"<p>{escape(line)}</p>" for line in facts(plan))
    return f"<p><b>{escape(headline(plan))}</b></p>{said}<table>{body}</table>"


def _listed(plan: ReshardPlan) -> list[tuple[str, str]]:
    put = plan.direction == "device_put"
    left = len(plan.flows if put else plan.chunks) - MOST
    return [*rows(plan), *([("…", f"{left} more {'pairs' if put else 'chunks'}")] if left > 0 else [])]


def _moves(plan: ReshardPlan) -> str:
    """What must move at least, over which axes, next to what XLA's programs send."""
    axes = {axis for array in plan.arrays for axis in array.axes}
    over = ", ".join(clip(a.name, 20) for a in plan.mesh.axes if a.name in axes)
    least = byte_count(sum(a.least_bytes for a in plan.arrays))
    sent = [a.sent_bytes for a in plan.arrays]
    known = sum(s for s in sent if s is not None)
    xla = "nothing is compiled" if None in sent else f"XLA's programs send {byte_count(known)}"
    return f"Must move at least: {least} in all{f', over {over}' * bool(over)}; {xla}."


def _where(plan: ReshardPlan, array: MovedArray) -> str:
    named = array.groups if plan.direction == "spmd_to_mpmd" else array.groups[:1]
    to = "to" if plan.direction == "spmd_to_mpmd" else "from"
    return f"{clip(array.path, 40)} {to} {', '.join(map(str, named[:NAMED]))}{_more(len(named))}"


def _how(arrays: list[MovedArray]) -> str:
    """The collectives of a chunk, equal ones counted; empty where none were compiled."""
    if any(a.collectives is None for a in arrays):
        return ""
    counts = Counter(_name(c) for a in arrays for c in a.collectives or ())
    return ", ".join(f"{count} × {name}" for name, count in counts.items()) or "no collective"


def _name(collective: PlanCollective) -> str:
    over = ", ".join(clip(axis, 20) for axis in collective.axes)
    return f"{clip(collective.kind, 40)}{f' over {over}' * bool(over)}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _more(count: int) -> str:
    return f", {count - NAMED} more" if count > NAMED else ""
