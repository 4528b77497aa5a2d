"""An array on several groups in words: which groups hold it, what each device of a group has."""

from __future__ import annotations

from shardwidget._format import byte_count
from shardwidget.document import MpmdPlacement
from shardwidget.export import listing, text
from shardwidget.export import table as tiles
from shardwidget.export.words import clip

HOLDS = {
    "none": "without it",
    "live": "holds it",
    "deleted": "held it, deleted",
    "dropped": "named, but its data is gone",
    "remote": "holds it, known from metadata",
    "abstract": "only a shape",
}
MOST = 16
"""The most groups that are listed one by one; if there are more, equal ones share a line."""


def headline(shown: MpmdPlacement) -> str:
    """Name, type, spec, and the groups on the MPMD axis, in one line."""
    name = f"{clip(shown.name, 40)}: " if shown.name else ""
    where = f"on {clip(shown.axis, 20)} {_list(shown.named)}" if shown.named else f"on no {clip(shown.axis, 20)}"
    return f"{name}{clip(shown.type, 90)}  {clip(shown.spec, 90)}  {where} of {shown.groups} groups"


def facts(shown: MpmdPlacement) -> list[str]:
    """Bytes and the mesh."""
    mesh = " ".join(f"{clip(a.name, 20)}={a.size}" for a in shown.mesh.axes)
    size = shown.mesh.size // shown.groups
    holders = len(shown.holding)
    devices = "its one device" if size == 1 else f"each of its {size} devices"
    each = (
        f"{byte_count(shown.bytes_per_device)} on {devices}, {byte_count(shown.group_bytes)} in a group that holds it"
    )
    spent = f", {byte_count(shown.wasted_bytes)} of them copies" if shown.wasted_bytes else ""
    return [
        f"{byte_count(shown.nbytes)} array · {each}",
        f"{byte_count(shown.total_bytes)} in all, on {holders} of {shown.groups} groups{spent}",
        f"mesh {mesh} · MPMD axis {clip(shown.axis, 20)} · {shown.mesh.size} devices",
    ]


def rows(shown: MpmdPlacement) -> list[listing.Row]:
    """For each group, or for equal ones together: their names, and what they have."""
    folds = shown.folds if shown.groups > MOST else tuple((group,) for group in range(shown.groups))
    found: list[listing.Row] = []
    for fold in folds:
        processes = sorted({p for group in fold for p in shown.processes[group]})
        words = f"process {processes[0]}" if len(processes) == 1 else f"processes {_list(tuple(processes))}"
        here = ", here" if shown.mesh.this_process in processes and len(processes) == 1 else ""
        devices = shown.group(fold[0]).device_ids if len(fold) == 1 else ()
        ids = f"devices {_list(devices)}, " if devices else f"{len(fold)} groups, "
        held = f"{ids}{words}{here}: {HOLDS[shown.holds[fold[0]]]}"
        found.append({"name": f"{clip(shown.axis, 20)} {_list(fold)}", "words": held})
    return found


def picture(shown: MpmdPlacement) -> str:
    """The groups, one per line, and the layout inside one that holds the array."""
    lines = [headline(shown), *facts(shown), "", *listing.lines(listing.NAMED, rows(shown), 160)]
    if shown.named:
        first = shown.named[0]
        inside = text.picture(shown.group(first)).splitlines()[4:]
        lines += ["", f"Inside {clip(shown.axis, 20)} {first}:", *inside]
    return "\n".join(lines)


def table(shown: MpmdPlacement) -> str:
    """The same as HTML that survives a notebook's sanitiser."""
    said = listing.paragraphs(facts(shown))
    inside = tiles.table(shown.group(shown.named[0])) if shown.named else ""
    return listing.table(headline(shown), listing.NAMED, rows(shown), before=said) + inside


def _list(numbers: tuple[int, ...], most: int = 8) -> str:
    """``0, 2`` or ``0 to 5``, cut after a few."""
    if len(numbers) > 2 and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers[:most])) + (" …" if len(numbers) > most else "")
