"""A placement in sentences, for pictures made of text."""

from __future__ import annotations

from shardwidget._format import byte_count
from shardwidget._text import short_dtype, visible
from shardwidget.document import Placement


def headline(placement: Placement) -> str:
    """Name, type and spec in one line."""
    if placement.shape is None:
        return (f"{clip(placement.name, 40)}: " if placement.name else "") + _mesh_line(placement)
    kind = placement.type or f"{short_dtype(placement.dtype)}[{','.join(map(str, placement.shape))}]"
    name = f"{clip(placement.name, 40)}: " if placement.name else ""
    return f"{name}{clip(kind, 90)}  {clip(placement.spec or placement.sharding, 90)}"


def facts(placement: Placement) -> list[str]:
    """What a reader should know besides the tiles: one sentence per line, the last a key to the tiles."""
    lines = [] if placement.shape is None else [_bytes_line(placement), _mesh_line(placement)]
    if placement.unreduced:
        pending = "added" if placement.unreduced_kind == "sum" else "combined"
        lines.append(f"Unreduced over {_axes(placement.unreduced)}: the {_parts(placement)} are still to be {pending}.")
    if placement.reduced:
        lines.append(f"Reduced over {_axes(placement.reduced)}.")
    loose = [f"dim {d}" for d, dim in enumerate(placement.dims) if dim.unconstrained]
    if loose:
        lines.append(f"Unconstrained: {', '.join(loose)}; the compiler chooses how to split.")
    if placement.state == "deleted":
        lines.append("Deleted: these devices held it, and no longer hold its data.")
    if placement.state == "abstract" and placement.shape is not None:
        lines.append("Abstract: a shape and a sharding without data.")
    return [*lines, _key(placement)]


def clip(text: str, most: int) -> str:
    """``text`` on one line of at most ``most`` characters, with ``…`` for what is left out and escapes in names."""
    line = visible(text[: most + 1])
    return line if len(line) <= most else line[: most - 1] + "…"


def verdict_of(name: str, verdict: str) -> str:
    """What is found of something, as the first line of its text."""
    said = clip(verdict, 400)
    return f"{clip(name, 40)}: {said[:1].lower()}{said[1:]}"


def _bytes_line(placement: Placement) -> str:
    count = placement.mesh.size
    uneven = "at most " if any(dim.cut for dim in placement.dims) else ""
    where = "one device" if count == 1 else f"each of {count} devices"
    parts = [f"{byte_count(placement.nbytes)} array", f"{uneven}{byte_count(placement.bytes_per_device)} on {where}"]
    if placement.copies > 1:
        over = f" over {_axes(placement.replicated_axes)}" if placement.replicated_axes else ""
        parts.append(f"{placement.copies} copies{over}, {byte_count(placement.wasted_bytes)} spent on replicas")
    else:
        parts.append("1 copy")
    if placement.memory_kind not in ("", "device"):
        parts.append(f"in {clip(placement.memory_kind, 40)} memory")
    return " · ".join(parts)


def _mesh_line(placement: Placement) -> str:
    mesh = placement.mesh
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in mesh.axes)
    kind = clip(mesh.kind or mesh.platform, 40)
    devices = f"{mesh.size} × {kind}" if kind else "1 device" if mesh.size == 1 else f"{mesh.size} devices"
    return f"mesh {axes}".rstrip() + f" · {devices}"


def _parts(placement: Placement) -> str:
    return {"sum": "partial sums", "max": "partial maxima", "min": "partial minima"}[placement.unreduced_kind]


def _key(placement: Placement) -> str:
    mesh = placement.mesh
    words = ["In the tiles: positions in the abstract mesh" if mesh.abstract else "In the tiles: device ids"]
    if placement.shape is not None and placement.copies > 1:
        words.append("= joins copies")
    if placement.unreduced:
        words.append(f"+ joins {_parts(placement)}")
    if (mesh.process.array() != mesh.this_process).any():
        fetched = placement.values is not None and len(placement.values.blocks) == mesh.size
        cannot = "" if fetched else f", which this process ({mesh.this_process}) cannot read"
        words.append(f"3@1 is device 3 of process 1{cannot}")
    return "; ".join(words) + "."


def _axes(names: tuple[str, ...]) -> str:
    return ", ".join(clip(name, 20) for name in names)
