"""Trees of arrays side by side: which leaves correspond, and how each differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from shardwidget.document.leaf import Leaf
from shardwidget.document.mesh import Mesh
from shardwidget.document.model_comparison import (
    ComparedArray,
    ComparedCell,
    ComparedLine,
    ComparedRow,
    Status,
)
from shardwidget.document.wire import Ints

Path = tuple[str, ...]

_WORST: tuple[Status, ...] = ("lost an axis", "gained an axis", "moved", "grew", "shrank", "another type", "same")


@dataclass(frozen=True)
class Placed:
    """A leaf, its path, and the mesh that it is on."""

    leaf: Leaf
    path: Path
    mesh: Mesh | None

    @cached_property
    def cut(self) -> tuple[tuple[str, ...], ...]:
        """The axes that cut each dimension; those of size 1 cut nothing."""
        sizes = {axis.name: axis.size for axis in self.mesh.axes} if self.mesh else {}
        return tuple(tuple(a for a in dim.axes if sizes.get(a) != 1) for dim in self.leaf.kind.dims)


def matched(trees: Sequence[list[Placed]]) -> tuple[tuple[ComparedRow, ...], tuple[ComparedLine, ...]]:
    """What each tree has at every path, against the first tree; and rows that are equal but for numbers, as lines.

    Leaves correspond where their paths are equal. Where at least half of the smallest tree is found below a path
    of another, as parameters do below ``mu`` and ``nu`` of an optimizer's state, its leaves there correspond too.

    Args:
        trees: the leaves of at least two trees.
    """
    smallest = min(trees, key=len)
    rows: dict[Path, list[list[tuple[str, Placed]]]] = {}
    order = [smallest, *(tree for tree in trees if tree is not smallest)]
    pattern = _pattern(smallest, trees)
    for tree in order:
        at = next(i for i, same in enumerate(trees) if same is tree)
        for under, path, leaf in _matched(tree, pattern):
            rows.setdefault(path, [[] for _ in trees])[at].append((under, leaf))
    out = tuple(ComparedRow("/".join(path), _cells(cells)) for path, cells in rows.items())
    return out, _lines(list(rows), out)


def _pattern(smallest: list[Placed], leaves: Sequence[list[Placed]]) -> frozenset[Path]:
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


def _prefixes(leaves: list[Placed], pattern: frozenset[Path]) -> set[Path]:
    """The paths below which at least half of the pattern is found."""
    count = Counter(leaf.path[:k] for leaf in leaves for k in range(len(leaf.path)) if leaf.path[k:] in pattern)
    return {prefix for prefix, n in count.items() if 2 * n >= len(pattern)}


def _matched(leaves: list[Placed], pattern: frozenset[Path]) -> Iterable[tuple[str, Path, Placed]]:
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


def _cells(cells: list[list[tuple[str, Placed]]]) -> tuple[ComparedCell, ...]:
    first = [leaf for _, leaf in cells[0]]
    return tuple(_cell(cell, first) for cell in cells)


def _cell(cell: list[tuple[str, Placed]], first: list[Placed]) -> ComparedCell:
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


def _change(a: Placed, b: Placed) -> tuple[Status, tuple[str, ...]]:
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


def _moved(a: Placed, b: Placed) -> bool:
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
        *above, last = path or ("",)  # A tree that is one array has no steps.
        shape = (*(re.sub(r"\d+", "#", step) for step in above), "#" if last.isdigit() else last)
        groups.setdefault((shape, row.cells), []).append(i)
    return tuple(ComparedLine(_label([paths[i] for i in members]), Ints.pack(members)) for members in groups.values())


def _label(paths: list[Path]) -> str:
    ends = zip(paths[0], paths[-1], strict=True)
    return "/".join(first if first == last else f"{first}…{last}" for first, last in ends)
