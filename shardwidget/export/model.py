"""A tree of arrays as text and as a plain HTML table: equal layers as one, what each line puts on a device, flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shardwidget._format import byte_count, count
from shardwidget.document import Model
from shardwidget.document.columns import LEAVES
from shardwidget.document.leaf import Flag, Leaf
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 40
"""The most lines of arrays that are written: with what comes before them a text has at most 60."""
SMALL = 2**20
"""Flags that are too small to be listed are mentioned where they could save so many bytes together."""

MOST_FINDINGS = 8
MOST_RULES = 6


def headline(model: Model) -> str:
    """What deserves a look first, in one line; where nothing does, what each device holds."""
    name = f"{clip(model.name, 40)}: " if model.name else ""
    found = findings(model)
    on = f"{byte_count(model.bytes_per_device)} on {_where(model)}"
    if not found and not model.device_bytes:
        return f"{name}{byte_count(model.bytes)} in all, none of it in a device's memory"
    if not found:
        return f"{name}{on}, {'nothing to look at' if model.wasted_bytes else 'nothing copied'}"
    first = found[0]
    what = f"{clip(first.where, 60)}: {clip(first.reason.rstrip('.'), 120)}"
    return f"{name}{byte_count(first.cost)} too much, {what}" if first.cost else f"{name}{what}"


def totals(model: Model) -> str:
    """The totals of the tree, in one line."""
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in model.mesh.axes)
    on = f"{byte_count(model.bytes_per_device)} on {_where(model)}" if model.device_bytes else "on no device"
    parts = [f"{byte_count(model.bytes)} in all", on]
    if model.wasted_bytes:
        parts.append(f"{byte_count(model.wasted_bytes)} spent on copies")
    return f"{count(model.arrays, 'array')}{f', mesh {axes}' if axes else ''}: {', '.join(parts)}"


def _said(model: Model) -> listing.Said:
    """What deserves a look first, with what to do; then totals, and the lines."""
    rows = [_row(line) for line in _lines(model)]
    before = [totals(model), *_ruled(model), *_advice(model)]
    return listing.Said(LEAVES, rows[:MOST], before, _left_out(len(rows)))


picture, table = listing.writers(headline, _said)


@dataclass(frozen=True)
class Finding:
    """A reason to look, with all leaves that have it."""

    reason: str
    where: str
    """The one of its leaves that has the shortest path, and how many more there are."""
    cost: int
    """Bytes that could be saved on each device."""
    spec: str
    """The spec to try; empty where there is none, or where its leaves need several."""


def findings(model: Model) -> list[Finding]:
    """The reasons to look, the one that costs most first."""
    groups: dict[tuple[str, str], list[Flag]] = {}
    for flag in model.flags:
        groups.setdefault((flag.kind, flag.reason), []).append(flag)
    out = []
    for (_, reason), flags in groups.items():
        leaves = [leaf for flag in flags for leaf in flag.leaves.array().tolist()]
        # `params/embed` before `opt_state/0/mu/embed`.
        first = min((model.names[leaf] for leaf in leaves), key=len) or "the whole tree"
        where = f"{first} and {len(leaves) - 1} more" if len(leaves) > 1 else first
        specs = {flag.spec for flag in flags}
        out.append(Finding(reason, where, sum(flag.cost for flag in flags), specs.pop() if len(specs) == 1 else ""))
    return sorted(out, key=lambda finding: -finding.cost)


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
        names = [model.keys[keys[member]].name for member in (members[0], members[-1])]
        del path[depth:]
        path.append((names[0] if len(members) == 1 else f"{names[0]}…{names[1]}", len(members)))
        if node in leaf_at:
            times = 1
            for _, count in path:
                times *= count
            yield _Line("/".join(text for text, _ in path if text), model.leaves[leaf_at[node]], times)


def _row(line: _Line) -> listing.Row:
    leaf, times = line.leaf, line.times
    name = f"{line.path or 'the whole tree'}{f' ×{times}' if times > 1 else ''}"
    states = {"deleted": ", deleted", "shared": ", shared", "host": ", on the host", "unreadable": ", unreadable"}
    state = states.get(leaf.kind.state, "")
    return {
        "path": name,
        "type": leaf.type + state,
        "all": leaf.bytes * times if leaf.kind.is_array else None,
        "here": leaf.bytes_per_device * times if leaf.kind.is_array and leaf.copies else None,
        "copies": f"×{leaf.copies}" if leaf.kind.is_array and leaf.copies else "",
    }


def _ruled(model: Model) -> list[str]:
    """What came of rules."""
    if not model.rules:
        return []
    before, after = model.bytes_per_device_before, model.bytes_per_device
    way = "less" if after < before else "more"
    change = f"{byte_count(abs(before - after))} {way}" if before != after else "the same"
    out = [f"With these rules: {byte_count(before)} → {byte_count(after)} on the fullest device, {change}"]
    for effect in model.rules[:MOST_RULES]:
        words = [count(effect.counts, "array")] if effect.matches else []
        if effect.matches > effect.counts:
            words.append(f"{effect.matches - effect.counts} more have a later rule")
        if effect.copies:
            words.append(f"×{effect.copies[0]} → ×{effect.copies[1]} copies")
        if effect.refused:
            words.append(f"JAX refuses {effect.refused}, such as {clip(effect.refused_path, 60)}")
        if effect.error:
            words.append(clip(effect.error, 200))
        if not (effect.matches or effect.error):
            words = ["matches no array"]
        out.append(f"  {clip(effect.rule, 80)}: {'; '.join(words)}")
    left = len(model.rules) - MOST_RULES
    return [*out, f"  … {count(left, 'more rule')}; .rules has all of them"] if left > 0 else out


def _advice(model: Model) -> list[str]:
    """What deserves a look, with what to do."""
    found = findings(model)
    out = []
    for finding in found[:MOST_FINDINGS]:
        cost = f" ({byte_count(finding.cost)} on each device)" if finding.cost else ""
        spec = f" Try {finding.spec}." if finding.spec else ""
        out.append(f"! {clip(finding.where, 80)}: {clip(finding.reason, 200)}{cost}{spec}")
    if len(found) > MOST_FINDINGS:
        out.append(f"! … {len(found) - MOST_FINDINGS} more to look at; .flags has all of them")
    if model.small_cost >= SMALL:
        what = f"{count(model.small_flags, 'smaller flag')}, each under 1 % of the fullest device"
        out.append(f"! {what}: {byte_count(model.small_cost)} on each device in all")
    return out


def _left_out(lines: int) -> list[str]:
    return [f"… {count(lines - MOST, 'more line')}; .leaves has all arrays"] if lines > MOST else []


def _where(model: Model) -> str:
    held = model.device_bytes
    if len(set(held.values())) <= 1:
        return "one device" if len(held) <= 1 else f"each of {len(held)} devices"
    return f"device {max(held, key=held.__getitem__)[1]}, the most of any"
