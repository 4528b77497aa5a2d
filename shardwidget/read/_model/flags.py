"""What deserves a look in a tree: leaves that take more memory of a device than they need to, worst first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from shardwidget.document import Ints, Mesh, SpecEntry
from shardwidget.document.leaf import Flag, FlagKind, LeafType
from shardwidget.document.model import Model
from shardwidget.read._model.tree import roles

SHARE = 0.01
"""The least cost of a flag, as a share of what is on the fullest device: norms and counters are copied everywhere."""

TILE = 4096
"""Bytes of the smallest piece of memory that a TPU gives an array: 8 × 128 elements of 4 bytes."""


@dataclass(frozen=True)
class Group:
    """Leaves with one type and one role, such as the same weight of all layers."""

    role: tuple[str, ...]
    """The steps of their path, without numbers."""
    type: int
    leaves: tuple[int, ...]


def flagged(model: Model) -> Model:
    """The tree with its flags; those that are too small to be listed are counted."""
    members: dict[tuple[tuple[str, ...], int], list[int]] = defaultdict(list)
    for leaf, (role, index) in enumerate(zip(_leaf_roles(model), model.leaf_type.array().tolist(), strict=True)):
        members[role, index].append(leaf)
    groups = [Group(role, index, tuple(leaves)) for (role, index), leaves in members.items()]
    least = max(1, SHARE * model.bytes_per_device)
    found = sorted(_Flags(model, groups).all(), key=lambda flag: -flag.cost)
    listed = tuple(flag for flag in found if flag.cost >= least or flag.kind == "unreadable")
    small = [flag.cost for flag in found if 1 <= flag.cost < least and flag.kind != "unreadable"]
    return replace(model, flags=listed, small_flags=len(small), small_cost=sum(small))


def _leaf_roles(model: Model) -> list[tuple[str, ...]]:
    """The steps of each leaf's path, without numbers."""
    role = roles(model.keys)
    leaves = set(model.leaf_nodes)
    out, path = [], []
    nodes = zip(model.node_key.array().tolist(), model.node_depth.array().tolist(), strict=True)
    for node, (key, depth) in enumerate(nodes):
        del path[depth:]
        path.append(role[key])
        if node in leaves:
            out.append(tuple(path))
    return out


class _Flags:
    def __init__(self, model: Model, groups: Sequence[Group]) -> None:
        self.model = model
        self.groups = groups
        self.alike: dict[tuple[tuple[int, ...], str], list[Group]] = defaultdict(list)
        for group in groups:
            kind = model.types[group.type]
            if kind.on_devices:
                self.alike[kind.shape, _tail(group.role)].append(group)

    def all(self) -> Iterator[Flag]:
        for group in self.groups:
            found = self.of(group, self.model.types[group.type])
            if found:
                yield found

    def of(self, group: Group, kind: LeafType) -> Flag | None:
        """The first flag that applies: a leaf is flagged once."""
        if kind.state == "unreadable":
            return Flag("unreadable", Ints.pack(group.leaves), 0, kind.note)
        if not kind.on_devices:
            return None
        return self.alone(group, kind) or self.unlike(group, kind) or self.copied(group, kind) or self.odd(group, kind)

    def alone(self, group: Group, kind: LeafType) -> Flag | None:
        main, mesh = self.model.mesh, self.model.meshes[kind.mesh]
        if mesh.size > 1 or main.size == 1:
            return None
        saved = self.bytes(group) * (main.size - 1) // main.size
        spec = spec_code(split(kind, main, tuple(a.name for a in main.axes)) or ())
        device = mesh.device_ids.array()[0]
        reason = f"Only on device {device}, while the tree is on {main.size} devices."
        return self.flag("one device", group, saved, reason, spec)

    def unlike(self, group: Group, kind: LeafType) -> Flag | None:
        own = self.tiles(group)
        alike = [
            other
            for other in self.alike[kind.shape, _tail(group.role)]
            if other is not group and self.model.types[other.type].mesh == kind.mesh and _related(group, other)
        ]
        best = max(alike, key=lambda h: (self.tiles(h), h.role == group.role, len(h.leaves)), default=None)
        if best is None or self.tiles(best) <= own:
            return None
        dims = self.model.types[best.type].dims
        over = ", ".join(axis for dim in dims for axis in dim.axes) or "more devices"
        if best.role == group.role:
            others = f"other {len(best.leaves)}, which are" if len(best.leaves) > 1 else "other one, which is"
            reason = f"Unlike the {others} split over {over}: {self.how_split(group)}."
        else:
            reason = f"{_capital(self.how_split(group))}, and {self.model.names[best.leaves[0]]} is split over {over}."
        saved = self.bytes(group) * (self.tiles(best) - own) // self.tiles(best)
        spec = spec_code(tuple(SpecEntry(dim.axes) for dim in dims))
        return self.flag("unlike", group, saved, reason, spec)

    def copied(self, group: Group, kind: LeafType) -> Flag | None:
        mesh = self.model.meshes[kind.mesh]
        if kind.spec is None:
            return None
        free = self.model.placement(group.type).replicated_axes
        entries = split(kind, mesh, tuple(a for a in free if a not in kind.reduced))
        if not free or entries is None:
            return None
        sizes = {a.name: a.size for a in mesh.axes}
        used = {axis for dim in kind.dims for axis in dim.axes}
        gained = math.prod(sizes[a] for entry in entries for a in entry.axes if a not in used)
        saved = self.bytes(group) * (gained - 1) // gained
        reason = f"{_capital(self.how_split(group))}; it could be split over {_axes(entries, used)}."
        return self.flag("copied", group, saved, reason, spec_code(entries))

    def odd(self, group: Group, kind: LeafType) -> Flag | None:
        mesh = self.model.meshes[kind.mesh]
        if any(dim.cut is not None for dim in kind.dims):
            held = self.model.placement(group.type).shard_bytes
            extra = int(held.max()) - math.ceil(held.mean())
            if extra > 0:
                reason = "Its shards differ in size: the largest is on the device that is counted."
                return self.flag("uneven", group, extra * len(group.leaves), reason)
        shard = self.model.sizes[group.type][1]
        if mesh.platform == "tpu" and self.tiles(group) > 1 and 0 < shard < TILE:
            reason = f"Its shards have {shard} bytes, and a TPU gives each at least {TILE}."
            return self.flag("tiny", group, (TILE - shard) * len(group.leaves), reason)
        return None

    def flag(self, kind: FlagKind, group: Group, cost: int, reason: str, spec: str = "") -> Flag:
        return Flag(kind, Ints.pack(group.leaves), cost, reason, spec)

    def bytes(self, group: Group) -> int:
        """Bytes of all its leaves on a device."""
        return self.model.sizes[group.type][1] * len(group.leaves)

    def tiles(self, group: Group) -> int:
        placed = self.model.placement(group.type)
        return placed.tiles * placed.partials

    def how_split(self, group: Group) -> str:
        placed = self.model.placement(group.type)
        if placed.copies == 1:
            return f"split in {placed.tiles}"
        if placed.copies == placed.mesh.size:
            return f"copied on all {placed.copies} devices"
        return f"copied {placed.copies} times over {', '.join(placed.replicated_axes)}"


def split(kind: LeafType, mesh: Mesh, axes: tuple[str, ...]) -> tuple[SpecEntry, ...] | None:
    """The entries of a spec with more axes: each, the largest first, on the largest block that it divides.

    None where no axis divides any dimension.
    """
    sizes = {a.name: a.size for a in mesh.axes}
    entries = [list(dim.axes) for dim in kind.dims]
    blocks = [dim.size // math.prod(sizes.get(a, 1) for a in dim.axes) for dim in kind.dims]
    placed = False
    for axis in sorted(axes, key=lambda a: -sizes[a]):
        fitting = [d for d, block in enumerate(blocks) if block and block % sizes[axis] == 0]
        if fitting and sizes[axis] > 1:
            dim = max(fitting, key=blocks.__getitem__)
            entries[dim].append(axis)
            blocks[dim] //= sizes[axis]
            placed = True
    return tuple(SpecEntry(tuple(entry)) for entry in entries) if placed else None


def _tail(role: tuple[str, ...]) -> str:
    """The last step that is a name: the weight's own."""
    named = [step for step in role if any(c.isalpha() for c in step) and step not in (".value", ".raw_value")]
    return named[-1] if named else ""


def _related(a: Group, b: Group) -> bool:
    """Whether they are the same weight: in other layers, or one a parameter and the other its state."""
    if a.role == b.role:
        return True
    shared = 0
    for x, y in zip(reversed(a.role), reversed(b.role), strict=False):
        if x != y:
            break
        shared += 1
    return shared >= max(1, min(len(a.role), len(b.role)) - 1)


def _axes(entries: tuple[SpecEntry, ...], used: set[str]) -> str:
    return ", ".join(a for entry in entries for a in entry.axes if a not in used)


def spec_code(entries: tuple[SpecEntry, ...]) -> str:
    """A spec as code: ``P('model', None)``."""
    words = [repr(e.axes[0]) if len(e.axes) == 1 else repr(e.axes) if e.axes else "None" for e in entries]
    return f"P({', '.join(words)})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
