"""A placement as rows, columns and facets of tiles: what the text picture and the plain table have in common."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shardwidget.document import Dim, Placement
from shardwidget.export.words import clip

Tile = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """Tiles laid out in two dimensions, once for every part of the other split dimensions (a *facet*)."""

    placement: Placement
    """The array; for a mesh alone, one whose dimensions are the mesh axes."""
    rows: int | None
    """The dimension that runs down; None if there is only one row."""
    columns: int | None
    """The dimension that runs across; None if there is only one column."""
    facets: tuple[int, ...]
    """The other dimensions that are split, outermost first."""
    holders: dict[Tile, list[int]]
    """Mesh positions of the devices that hold each tile."""
    names: list[str]
    """What the device at each mesh position is called: its id, and ``@process`` if it belongs to another one."""

    def count(self, dim: int | None) -> int:
        """Number of parts of a dimension; 1 for None."""
        return 1 if dim is None else self.placement.grid[dim]

    @property
    def facet_count(self) -> int:
        """Number of facets."""
        return math.prod(self.placement.grid[d] for d in self.facets)

    def each_facet(self) -> Iterator[dict[int, int]]:
        """The part of each facet dimension, one facet after the other."""
        for parts in itertools.product(*(range(self.placement.grid[d]) for d in self.facets)):
            yield dict(zip(self.facets, parts, strict=True))

    def tile(self, facet: dict[int, int], row: int, column: int) -> Tile:
        """The tile at a place of a facet."""
        at = facet | {self.rows: row, self.columns: column}
        return tuple(at.get(d, 0) for d in range(len(self.placement.dims)))

    def label(self, dim: int, part: int) -> str:
        """Coordinates on the mesh axes that split a dimension, and the slice: ``x=0,y=1 4:6``."""
        d = self.placement.dims[dim]
        sizes = {a.name: a.size for a in self.placement.mesh.axes}
        digits = np.unravel_index(part, [sizes[a] for a in d.axes]) if d.axes else ()
        words = [",".join(f"{clip(a, 12)}={i}" for a, i in zip(d.axes, digits, strict=True))]
        if self.placement.shape is not None:
            start, stop = self.placement.bounds(dim, part)
            words.append(f"{start}:{stop}")
        return clip(" ".join(filter(None, words)), 32)

    @property
    def corner(self) -> str:
        """Which dimensions the labels count; empty for a mesh alone, whose labels name the axes."""
        if self.placement.shape is None:
            return ""
        down = "" if self.rows is None else f"dim {self.rows} ↓"
        across = "" if self.columns is None else f"dim {self.columns} →"
        return " ".join(filter(None, (down, across)))

    def facet_label(self, facet: dict[int, int]) -> str:
        """Which facet this is: its part of each facet dimension."""
        mesh_alone = self.placement.shape is None
        return ", ".join(("" if mesh_alone else f"dim {d} ") + self.label(d, part) for d, part in facet.items())

    def devices(self, tile: Tile, most: int) -> str:
        """Ids of a tile's devices: copies joined by ``=``, partial sums by ``+``, at most ``most`` of them."""
        positions = self.holders.get(tile, [])
        if not positions:
            return "none"
        partials = itertools.groupby(sorted(positions[:most], key=self._partial), key=self._partial)
        text = "+".join("=".join(self.names[p] for p in copies) for _, copies in partials)
        return text + (f" …{len(positions) - most} more" if len(positions) > most else "")

    def _partial(self, position: int) -> int:
        """Which of a tile's partial sums the device at a position holds."""
        mesh = self.placement.mesh
        index = 0
        for axis, digit in zip(mesh.axes, np.unravel_index(position, mesh.shape), strict=False):
            if axis.name in self.placement.unreduced:
                index = index * axis.size + int(digit)
        return index


def grid(placement: Placement, row_dim: int | None = None, column_dim: int | None = None) -> Grid:
    """Lays a placement out.

    Args:
        placement: an array's, or a mesh alone.
        row_dim: the dimension that runs down; None chooses among the split ones.
        column_dim: the dimension that runs across; None chooses among the split ones.
    """
    if placement.shape is None:
        axes = placement.mesh.axes
        placement = dataclasses.replace(placement, dims=tuple(Dim(a.size, (a.name,)) for a in axes))
        if len(axes) > 2 and row_dim is None and column_dim is None:
            # A mesh is drawn like mesh.devices: axis 0 down, axis 1 across.
            row_dim, column_dim = 0, 1
    rows, columns = _choose(placement.grid, row_dim, column_dim)
    facets = tuple(d for d, parts in enumerate(placement.grid) if parts > 1 and d not in (rows, columns))
    mesh = placement.mesh
    holders: dict[Tile, list[int]] = {}
    names = []
    for position, (device, process) in enumerate(zip(placement.device_ids, mesh.process.array().tolist(), strict=True)):
        holders.setdefault(placement.tile(device), []).append(position)
        names.append(str(device) if process == mesh.this_process else f"{device}@{process}")
    return Grid(placement, rows, columns, facets, holders, names)


def _choose(parts: Tile, row: int | None, column: int | None) -> tuple[int | None, int | None]:
    """Rows and columns: those asked for; else the last split dimensions, then the last ones, in their order.

    The front end takes those with the most parts, split or not: it draws elements, where text has only tiles.
    """
    free = sorted((d for d in range(len(parts)) if d not in (row, column)), key=lambda d: (parts[d] > 1, d))
    chosen = sorted(free[-((row is None) + (column is None)) :]) if None in (row, column) else []
    if column is None and chosen:
        column = chosen.pop()
    if row is None and chosen:
        row = chosen.pop()
    return row, column
