"""A tree of arrays as text and as a plain HTML table: equal layers as one, what each line puts on a device, flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shardwidget._format import byte_count, count
from shardwidget.document import Model
from shardwidget.document.columns import LEAVES
from shardwidget.document.leaf import Leaf
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 60
"""The most lines that are written; a longer tree is cut, with a note."""
MOST_FLAGS = 8


def headline(model: Model) -> str:
    """The totals of the tree, in one line."""
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in model.mesh.axes)
    parts = [f"{byte_count(model.bytes)} in all", f"{byte_count(model.bytes_per_device)} on {_where(model)}"]
    if model.wasted_bytes:
        parts.append(f"{byte_count(model.wasted_bytes)} spent on copies")
    if model.flags:
        parts.append(f"{len(model.flags)} to look at")
    name = f"{clip(model.name, 40)}: " if model.name else ""
    return f"{name}{count(model.arrays, 'array')}{f', mesh {axes}' if axes else ''}: {', '.join(parts)}"


def picture(model: Model) -> str:
    """The lines as text, and the flags, worst first."""
    rows = [_row(line) for line in _lines(model)]
    return "\n".join([headline(model), *listing.lines(LEAVES, rows[:MOST]), *_after(model, len(rows))])


def table(model: Model) -> str:
    """The same as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    lines = list(_lines(model))
    return listing.table(headline(model), LEAVES, [_row(line) for line in lines[:MOST]], _after(model, len(lines)))


@dataclass(frozen=True)
class _Line:
    """A leaf, and the equal ones that it stands for."""

    path: str
    leaf: Leaf
    times: int


def _lines(model: Model) -> Iterator[_Line]:
    """The leaves in the tree's order, those of equal layers once."""
    keys, depths = model.node_key.array().tolist(), model.node_depth.array().tolist()
    folds = {int(fold.array()[0]): fold.array().tolist() for fold in model.folds}
    skipped = {node for members in folds.values() for node in members[1:]}
    leaf_at = {node: leaf for leaf, node in enumerate(model.leaf_nodes)}
    path: list[tuple[str, int]] = []
    out_of = len(depths) + 1
    for node, depth in enumerate(depths):
        if depth > out_of:
            continue
        out_of = len(depths) + 1
        if node in skipped:
            out_of = depth
            continue
        members = folds.get(node, [node])
        names = [model.keys[keys[member]].text for member in (members[0], members[-1])]
        del path[depth:]
        path.append((names[0] if len(members) == 1 else f"{names[0]}…{names[1]}", len(members)))
        if node in leaf_at:
            times = 1
            for _, count in path:
                times *= count
            yield _Line("".join(text for text, _ in path), model.leaves[leaf_at[node]], times)


def _row(line: _Line) -> listing.Row:
    leaf, times = line.leaf, line.times
    name = f"{line.path or 'the whole tree'}{f' ×{times}' if times > 1 else ''}"
    state = {"deleted": ", deleted", "host": ", on the host", "unreadable": ", unreadable"}.get(leaf.kind.state, "")
    return {
        "path": name,
        "type": leaf.type + state,
        "all": leaf.bytes * times if leaf.kind.is_array else None,
        "here": leaf.bytes_per_device * times if leaf.kind.is_array and leaf.copies else None,
        "copies": f"×{leaf.copies}" if leaf.kind.is_array and leaf.copies else "",
    }


def _after(model: Model, lines: int) -> list[str]:
    out = [f"… {count(lines - MOST, 'more line')}"] if lines > MOST else []
    for flag in model.flags[:MOST_FLAGS]:
        leaves = flag.leaves.array().tolist()
        more = f" and {len(leaves) - 1} more" if len(leaves) > 1 else ""
        cost = f" ({byte_count(flag.cost)} on each device)" if flag.cost else ""
        spec = f" Try {flag.spec}." if flag.spec else ""
        out.append(f"! {model.names[leaves[0]] or 'the whole tree'}{more}: {clip(flag.reason, 200)}{cost}{spec}")
    if len(model.flags) > MOST_FLAGS:
        out.append(f"! … {len(model.flags) - MOST_FLAGS} more to look at")
    return out


def _where(model: Model) -> str:
    held = model.device_bytes
    if not held:
        return "no device"
    if len(set(held.values())) <= 1:
        return "one device" if len(held) <= 1 else f"each of {len(held)} devices"
    return f"device {max(held, key=held.__getitem__)[1]}, the most of any"
