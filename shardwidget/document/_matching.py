"""Trees of arrays side by side: which leaves correspond, and how each differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from shardwidget.document.mesh import Mesh
from shardwidget.document.model import Leaf, Model
from shardwidget.document.model_comparison import (
    ComparedArray,
    ComparedCell,
    ComparedLine,
    ComparedRow,
    ComparedTree,
    ModelComparison,
    Status,
)
from shardwidget.document.wire import Ints

Path = tuple[str, ...]

_WORST: tuple[Status, ...] = ("lost an axis", "gained an axis", "moved", "grew", "shrank", "another type", "same")


def compared(models: Mapping[str, Model]) -> ModelComparison:
    """Trees side by side, each against the first.

    Leaves correspond where their paths are equal. Where at least half of the smallest tree is found below a path
    of another, as parameters do below ``mu`` and ``nu`` of an optimizer's state, its leaves there correspond too.

    Args:
        models: at least two trees by name.
    """
    trees = list(models.values())
    leaves = [[_Placed(model, leaf, path) for path, leaf in _arrays(model)] for model in trees]
    smallest = min(leaves, key=len)
    rows: dict[Path, list[list[tuple[str, _Placed]]]] = {}
    order = [smallest, *(of for of in leaves if of is not smallest)]
    pattern = _pattern(smallest, leaves)
    for of in order:
        at = next(i for i, same in enumerate(leaves) if same is of)
        for under, path, leaf in _matched(of, pattern):
            rows.setdefault(path, [[] for _ in leaves])[at].append((under, leaf))
    out = tuple(ComparedRow("/".join(path), _cells(cells)) for path, cells in rows.items())
    return ModelComparison(
        mesh=trees[0].mesh,
        trees=tuple(ComparedTree(name, m.arrays, m.bytes, m.bytes_per_device) for name, m in models.items()),
        rows=out,
        lines=_lines(list(rows), out),
        jax_version=trees[0].jax_version,
    )


@dataclass(frozen=True)
class _Placed:
    model: Model
    leaf: Leaf
    path: Path

    @property
    def mesh(self) -> Mesh | None:
        kind = self.leaf.kind
        return self.model.meshes[kind.mesh] if kind.mesh >= 0 else None

    @cached_property
    def cut(self) -> tuple[tuple[str, ...], ...]:
        """The axes that cut each dimension; those of size 1 cut nothing."""
        sizes = {axis.name: axis.size for axis in self.mesh.axes} if self.mesh else {}
        return tuple(tuple(a for a in dim.axes if sizes.get(a) != 1) for dim in self.leaf.kind.dims)


def _arrays(model: Model) -> Iterable[tuple[Path, Leaf]]:
    for path, leaf in zip(model.key_names, model.leaves, strict=True):
        if leaf.kind.state not in ("none", "other"):
            yield path, leaf


def _pattern(smallest: list[_Placed], leaves: list[list[_Placed]]) -> frozenset[Path]:
    """Paths that leaves are matched by: those of the smallest tree, without its root where another tree has none."""
    paths = [leaf.path for leaf in smallest]
    whole = frozenset(paths)
    # The last step always stays: it names the array.
    root = _common([path[:-1] for path in paths])
    if not root or all(_prefixes(of, whole) for of in leaves):
        return whole
    return frozenset(path[root:] for path in paths)


def _common(paths: list[Path]) -> int:
    """How many first steps all paths share."""
    # What the first and the last in order share, all between them share too.
    low, high = min(paths, default=()), max(paths, default=())
    return next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))


def _prefixes(leaves: list[_Placed], pattern: frozenset[Path]) -> set[Path]:
    """The paths below which at least half of the pattern is found."""
    count = Counter(leaf.path[:k] for leaf in leaves for k in range(len(leaf.path)) if leaf.path[k:] in pattern)
    return {prefix for prefix, n in count.items() if 2 * n >= len(pattern)}


def _matched(leaves: list[_Placed], pattern: frozenset[Path]) -> Iterable[tuple[str, Path, _Placed]]:
    """For each leaf the prefix of its path, the path that it is matched by, and the leaf."""
    prefixes = _prefixes(leaves, pattern)
    for leaf in leaves:
        # The shortest prefix leaves the longest suffix.
        for k in range(len(leaf.path)):
            if leaf.path[:k] in prefixes and leaf.path[k:] in pattern:
                yield "/".join(leaf.path[:k]), leaf.path[k:], leaf
                break
        else:
            yield "", leaf.path, leaf


def _cells(cells: list[list[tuple[str, _Placed]]]) -> tuple[ComparedCell, ...]:
    first = [leaf for _, leaf in cells[0]]
    return tuple(_cell(cell, first) for cell in cells)


def _cell(cell: list[tuple[str, _Placed]], first: list[_Placed]) -> ComparedCell:
    arrays = tuple(
        ComparedArray(under, of.leaf.type, of.leaf.kind.spec, of.leaf.bytes, of.leaf.bytes_per_device, of.leaf.copies)
        for under, of in cell
    )
    if not cell or not first:
        status: Status = "only here" if cell else "only there" if first else "absent"
        return ComparedCell(arrays, status)
    # Each is compared with its counterpart; several with one, or one with several, where the numbers differ.
    now = [leaf for _, leaf in cell]
    if len(now) == len(first):
        pairs = list(zip(first, now, strict=True))
    elif len(now) > len(first):
        pairs = [(first[0], leaf) for leaf in now]
    else:
        pairs = [(leaf, now[0]) for leaf in first]
    status, axes = min((_change(a, b) for a, b in pairs), key=lambda change: _WORST.index(change[0]))
    return ComparedCell(arrays, status, axes)


def _change(a: _Placed, b: _Placed) -> tuple[Status, tuple[str, ...]]:
    before, after = ({axis: None for axes in of.cut for axis in axes} for of in (a, b))
    lost, gained = tuple(x for x in before if x not in after), tuple(x for x in after if x not in before)
    if bool(lost) != bool(gained):
        return ("lost an axis", lost) if lost else ("gained an axis", gained)
    if lost or _moved(a, b):
        return "moved", ()
    old, new = ((of.leaf.bytes_per_device, of.leaf.bytes) for of in (a, b))
    if new != old:
        return ("grew" if new > old else "shrank"), ()
    return ("same" if a.leaf.type == b.leaf.type else "another type"), ()


def _moved(a: _Placed, b: _Placed) -> bool:
    """Whether the same axes cut other dimensions, or the devices or the memory differ."""
    one, two = a.leaf.kind, b.leaf.kind
    if a.mesh is None or b.mesh is None:
        return a.mesh is not b.mesh
    if one.offloaded != two.offloaded or one.unreduced != two.unreduced:
        return True
    if len(a.cut) == len(b.cut) and a.cut != b.cut:
        return True
    if any(dim.cut for dim in (*one.dims, *two.dims)) and [d.cut for d in one.dims] != [d.cut for d in two.dims]:
        return True
    return not _same_devices(a.mesh, b.mesh, ordered=any(a.cut))


def _same_devices(a: Mesh, b: Mesh, *, ordered: bool) -> bool:
    """Whether the devices are the same; where an array is cut, in the same places of the mesh."""
    if a.abstract or b.abstract:
        return a.size == b.size
    ids, others = (mesh.device_ids.array().tolist() for mesh in (a, b))
    return a.platform == b.platform and (ids == others if ordered else sorted(ids) == sorted(others))


def _lines(paths: list[Path], rows: tuple[ComparedRow, ...]) -> tuple[ComparedLine, ...]:
    """Rows by what they hold, where their paths differ only in numbers."""
    groups: dict[tuple[Path, tuple[ComparedCell, ...]], list[int]] = {}
    for i, (path, row) in enumerate(zip(paths, rows, strict=True)):
        # `w1` and `w2` of one layer stay two lines.
        shape = (*(re.sub(r"\d+", "#", step) for step in path[:-1]), "#" if path[-1].isdigit() else path[-1])
        groups.setdefault((shape, row.cells), []).append(i)
    return tuple(ComparedLine(_label([paths[i] for i in members]), Ints.pack(members)) for members in groups.values())


def _label(paths: list[Path]) -> str:
    ends = zip(paths[0], paths[-1], strict=True)
    return "/".join(first if first == last else f"{first}…{last}" for first, last in ends)
