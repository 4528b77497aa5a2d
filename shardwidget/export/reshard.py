"""A reshard plan in words: its chunks, what devices hold during it, what moves over which axis, what is freed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shardwidget._format import byte_count, count
from shardwidget._text import short_dtype
from shardwidget.document import MovedArray, PlanCollective, ReshardPlan
from shardwidget.document.columns import CHUNKS, FLOWS, Column
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 16
"""The most chunks that are listed."""
NAMED = 3
"""The most arrays of a chunk that are named."""


def headline(plan: ReshardPlan) -> str:
    """What moves where in how many chunks, in one line."""
    if plan.direction == "device_put":
        array = plan.arrays[0]
        type_ = f"{clip(short_dtype(array.dtype), 20)}[{','.join(map(str, array.shape))}]"
        return f"device_put of {type_}  {clip(array.source, 90)} → {clip(array.target, 90)}"
    to = "to" if plan.direction == "spmd_to_mpmd" else "from"
    arrays = count(len(plan.arrays), "array")
    chunks = count(len(plan.chunks), "chunk")
    return f"{arrays} {to} groups of {clip(plan.axis, 20)} in {chunks}, threshold {byte_count(plan.threshold)}"


def facts(plan: ReshardPlan) -> list[str]:
    """What must move and what the programs send, the peak, what is freed again, weights that are too large."""
    peak = max(plan.peak_bytes, default=0)
    where = f", in {clip(plan.axis, 20)} {plan.peak_bytes.index(peak)}" if plan.axis else ""
    lines = [_moves(plan), f"At most {byte_count(peak)} on a device{where}."]
    if plan.freed_bytes:
        what = "zeros" if plan.direction == "mpmd_to_spmd" else "blocks"
        lines.append(f"Made on all devices only to be freed: {byte_count(plan.freed_bytes)} of {what}.")
    if plan.overweight:
        names = ", ".join(clip(plan.arrays[i].path, 40) for i in plan.overweight[:NAMED])
        said = "These take more of the threshold than they need on a device, so a chunk takes fewer than fit"
        lines.append(f"{said}: {names}{_more(len(plan.overweight))}.")
    return [*lines, *([plan.note] if plan.note else [])]


def _said(plan: ReshardPlan) -> listing.Said:
    """The whole plan."""
    return listing.Said(*_listed(plan), facts(plan), _left(plan), 90)


picture, table = listing.writers(headline, _said)


def _listed(plan: ReshardPlan) -> tuple[Sequence[Column], Sequence[listing.Row]]:
    """For the first chunks what each moves, adds and holds, and how; for a ``device_put`` who needs what from whom."""
    if plan.direction == "device_put":
        ids, after = (m.device_ids.array().tolist() for m in (plan.mesh, plan.target_mesh or plan.mesh))
        flows = plan.flows[:MOST]
        return FLOWS, [{"source": str(ids[f.source]), "target": str(after[f.target]), "bytes": f.bytes} for f in flows]
    known = all(a.collectives is not None for a in plan.arrays)
    weights, sizes, held = plan.weights, plan.chunk_bytes, plan.held_bytes
    rows: list[listing.Row] = []
    for k, chunk in enumerate(plan.chunks[:MOST]):
        most = max(held[k])
        arrays = [plan.arrays[i] for i in chunk]
        row: listing.Row = {
            "chunk": str(k + 1),
            "weight": sum(weights[i] for i in chunk),
            "adds": sizes[k],
            "most": f"{byte_count(most)} in {clip(plan.axis, 20)} {held[k].index(most)}",
            "arrays": ", ".join(_where(plan, array) for array in arrays[:NAMED]) + _more(len(chunk)),
            "collectives": _how(arrays) if known else "",
        }
        rows.append(row)
    return CHUNKS, rows


def _left(plan: ReshardPlan) -> list[str]:
    put = plan.direction == "device_put"
    left = len(plan.flows if put else plan.chunks) - MOST
    return [f"… {count(left, 'more pair' if put else 'more chunk')}"] if left > 0 else []


def _moves(plan: ReshardPlan) -> str:
    """What must move at least, over which axes, next to what the compiled programs send."""
    axes = {axis for array in plan.arrays for axis in array.axes}
    over = ", ".join(clip(a.name, 20) for a in plan.mesh.axes if a.name in axes)
    least = sum(a.least_bytes for a in plan.arrays)
    sent = [a.sent_bytes for a in plan.arrays]
    known = sum(s for s in sent if s is not None)
    programs = "nothing is compiled" if None in sent else f"the programs send {byte_count(known)}"
    if least == 0:
        return f"Nothing must move: every device has what it needs; {programs}."
    return f"{byte_count(least)} must move between devices{f', over {over}' * bool(over)}; {programs}."


def _where(plan: ReshardPlan, array: MovedArray) -> str:
    if plan.direction == "mpmd_to_spmd":
        return f"{clip(array.path, 40)} ← {array.groups[0]}"
    groups = " and ".join(map(str, array.groups[:NAMED])) + " …" * (len(array.groups) > NAMED)
    return f"{clip(array.path, 40)} → {groups}"


def _how(arrays: list[MovedArray]) -> str:
    """The collectives of a chunk, equal ones counted."""
    counts = Counter(_name(c) for a in arrays for c in a.collectives or ())
    return ", ".join(f"{n} × {name}" for name, n in counts.items()) or "none"


def _name(collective: PlanCollective) -> str:
    over = ", ".join(clip(axis, 20) for axis in collective.axes)
    return f"{clip(collective.kind, 40)}{f' over {over}' * bool(over)}"


def _more(count: int) -> str:
    return f", {count - NAMED} more" if count > NAMED else ""
