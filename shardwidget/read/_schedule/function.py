"""The schedule of a function that pipelines: a ``shard_map`` that moves activations around with ``ppermute``.

Which microbatch a device works on is found by changing one microbatch at a time and looking at what else changes. A
cell is waste if changing what it computes changes no result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from shardwidget import _jax
from shardwidget.document import Schedule, Trace
from shardwidget.pipeline.tasks import Task, pack
from shardwidget.read._call import FlatCall
from shardwidget.read._mesh import read_mesh
from shardwidget.read._schedule.probe import Change, Probe, changed
from shardwidget.read._schedule.steps import steps_of_ticks
from shardwidget.read._schedule.ticks import Computed, Tick, moves_of, ticks_of
from shardwidget.read._trace.arguments import Arguments
from shardwidget.read._trace.nodes import RegionNode
from shardwidget.read._trace.trace import trace

MOST_MICROBATCHES = 512
MOST_CELLS = 2**14
"""The most cells that are tried for waste."""

SAY_MICROBATCHES = (
    "give the dimension of microbatches and its argument: read.schedule(f, *args, microbatches=0) for the first "
    "dimension of the first argument, argument=1 for the second"
)
NO_PIPELINE = "{name} is not a pipeline that can be read: {why}"


def schedule_of_function(
    f: Any, args: tuple[Any, ...], microbatches: int | None, argument: int, axis: str | None
) -> Schedule:
    """Runs a function that pipelines, and finds which microbatch each device works on at each tick.

    Raises:
        TypeError: the dimension that counts microbatches is not given.
        ValueError: the function is not a pipeline; the message says why.
    """
    if microbatches is None:
        raise TypeError(SAY_MICROBATCHES)
    arguments = Arguments(FlatCall(f, args))
    closed, _ = _jax.unfiltered(arguments.trace)
    # Elsewhere abstract arguments are filled with 0, 1, 2 and so on, which would saturate most functions.
    filled = zip(arguments.arrays, arguments.filled(on_host=True), strict=True)
    leaves = [changed(x * 0) / 2 if _is_abstract_float(a) else x for a, x in filled]
    chosen, count = _chosen(args, argument, microbatches, leaves)
    probe = Probe(closed, leaves, chosen, microbatches)
    try:
        region, axis = _axis(moves_of(probe.plan), axis)
        cells = _Cells(probe, region, axis, count)
        made = cells.schedule(arguments.function)
    except _NoPipelineError as why:
        raise ValueError(NO_PIPELINE.format(name=arguments.function, why=why)) from None
    return replace(made, stepped=lambda: _stepped(f, args, axis, cells.moves))


def _stepped(f: Any, args: tuple[Any, ...], axis: str, moves: Sequence[int]) -> tuple[Trace, tuple[int, ...]]:
    traced = trace(f, *args)
    return traced, steps_of_ticks(traced, axis, moves)


class _NoPipelineError(Exception):
    """Why a function is not a pipeline."""


def _chosen(args: tuple[Any, ...], argument: int, axis: int, leaves: list[Any]) -> tuple[list[int], int]:
    """Indices of the arrays that have microbatches, and how many."""
    if not -len(args) <= argument < len(args):
        raise ValueError(f"argument must be one of the function's {len(args)}; got {argument}")
    first = len(_arrays(args[: argument % len(args)]))
    arrays = range(first, first + len(_arrays(args[argument % len(args)])))
    if not arrays:
        raise ValueError(f"argument {argument} holds no array. {SAY_MICROBATCHES}")
    sizes = {leaves[k].shape[axis] for k in arrays if -leaves[k].ndim <= axis < leaves[k].ndim}
    if not sizes:
        raise ValueError(f"argument {argument} has no dimension {axis}. {SAY_MICROBATCHES}")
    count = max(sizes)
    if not 2 <= count <= MOST_MICROBATCHES:
        raise ValueError(
            f"dimension {axis} of argument {argument} counts {count}; a pipeline of 2 to {MOST_MICROBATCHES} "
            f"microbatches can be read. {SAY_MICROBATCHES}"
        )
    return [k for k in arrays if leaves[k].ndim and leaves[k].shape[axis] == count], count


def _is_abstract_float(x: Any) -> bool:
    return isinstance(x, jax.ShapeDtypeStruct) and jax.dtypes.issubdtype(x.dtype, np.floating)


def _arrays(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(tree) if hasattr(leaf, "shape") and hasattr(leaf, "dtype")]


def _axis(moves: list[tuple[RegionNode, str]], wanted: str | None) -> tuple[RegionNode, str]:
    """The ``shard_map`` and the axis that the pipeline runs along."""
    if not moves:
        raise _NoPipelineError("no shard_map in it calls ppermute, so no device passes anything on")
    axes = sorted({axis for _, axis in moves})
    if wanted is None and len(axes) > 1:
        raise _NoPipelineError(f"it calls ppermute over {', '.join(axes)}: name the one that has the stages, axis=…")
    found = [region for region, axis in moves if wanted in (None, axis)]
    if not found:
        raise _NoPipelineError(f"it calls no ppermute over {wanted!r}, only over {', '.join(axes)}")
    if len(set(found)) > 1:
        raise _NoPipelineError("it calls ppermute in several shard_maps; give the function that calls one of them")
    if found[0].parent is not None:
        raise _NoPipelineError("its shard_map is inside another")
    return found[0], wanted or axes[0]


@dataclass(frozen=True)
class _Cell:
    tick: int
    lane: int
    microbatch: int
    change: Change
    """What it takes to try it for waste."""


class _Cells:
    """What each device works on at each tick."""

    def __init__(self, probe: Probe, region: RegionNode, axis: str, count: int) -> None:
        self._region, self._axis = region, axis
        self._probe, self._count = probe, count
        sizes = [region.mesh.shape[name] for name in region.axes]
        self._along = np.indices(sizes).reshape(len(sizes), -1)[region.axes.index(axis)]
        """For each device of the shard_map its place along the axis."""
        self._ranks = int(region.mesh.shape[axis])
        result, differing = probe.run([(k, -1, 0, 0, 0) for k in range(count)], count + 1)
        if not result.all():
            unused = np.flatnonzero(~result)
            raise _NoPipelineError(
                f"its result does not depend on microbatch {unused[0]}"
                + (f" and {unused.size - 1} more" if unused.size > 1 else "")
            )
        self._on = [self._by_rank(d) for d in differing]
        """By watched value: which microbatches it depends on, bool ``[microbatches, iterations, ranks, rows]``."""
        ticks = self._working(ticks_of(region, axis, probe.watched))
        self.moves = [tick.moves for tick in ticks]
        self.lanes, self.cells = self._found(ticks)

    def _by_rank(self, differing: np.ndarray) -> np.ndarray:
        out = np.zeros((*differing.shape[:2], self._ranks, differing.shape[3]), bool)
        for device, rank in enumerate(self._along):
            out[:, :, rank] |= differing[:, :, device]
        return out

    def _working(self, ticks: list[Tick]) -> list[Tick]:
        """For each tick the values with the most work among those of a single microbatch."""
        mixed = [bool((on.sum(0) > 1).any()) for on in self._on]
        out, first_mixed = [], None
        for number, tick in enumerate(ticks):
            able = [c for c in tick.computed if self._on[c.value][:, c.iteration].any()]
            single = [c for c in able if not mixed[c.value]]
            if single:
                out.append(Tick(tick.moves, tuple(self._most(single))))
            elif able and first_mixed is None:
                first_mixed = number, able[0]
        if not out:
            raise _NoPipelineError(self._why(first_mixed))
        return out

    def _most(self, computed: list[Computed]) -> list[Computed]:
        """Those with the most work: several where devices take different branches, else the last of them."""
        watched = [self._probe.watched[c.value] for c in computed]
        most = max(w.work for w in watched)
        last = max((c.value for c, w in zip(computed, watched, strict=True) if w.work == most))
        rows = self._probe.watched[last].rows
        equal = [c for c, w in zip(computed, watched, strict=True) if (w.work, w.rows) == (most, rows)]
        together = np.logical_or.reduce([self._on[c.value][:, c.iteration] for c in equal])
        return equal if (together.sum(0) <= 1).all() else [c for c in equal if c.value == last]

    def _why(self, mixed: tuple[int, Computed] | None) -> str:
        if mixed is None:
            return "nothing that a device computes between two ppermutes depends on a microbatch"
        tick, computed = mixed
        on = np.logical_or.reduce(self._on[computed.value], axis=3)
        iteration, rank = np.argwhere(on.sum(0) > 1)[0].tolist()
        some = np.flatnonzero(on[:, iteration, rank])
        return (
            f"at tick {tick} all that the device at {self._axis}={rank} computes depends on several microbatches "
            f"({', '.join(map(str, some[:4]))}{' …' if some.size > 4 else ''}). Where stages add up or shuffle "
            "microbatches, no cell is of one. If stages keep them apart, another dimension holds them: "
            f"{SAY_MICROBATCHES}"
        )

    def _found(self, ticks: list[Tick]) -> tuple[int, list[_Cell]]:
        """How many stages a device runs in a tick, and all cells that work on a microbatch."""
        on = [np.logical_or.reduce([self._on[c.value][:, c.iteration] for c in tick.computed]) for tick in ticks]
        rows = {o.shape[2] for o in on if (o.any(2).sum(0) > 1).any()}
        if len(rows) > 1:
            raise _NoPipelineError(f"devices run {' or '.join(map(str, sorted(rows)))} stages in a tick")
        lanes = rows.pop() if rows else 1
        cells = []
        for t, (tick, o) in enumerate(zip(ticks, on, strict=True)):
            each = o if lanes > 1 and o.shape[2] == lanes else o.any(2, keepdims=True)
            for k, rank, row in np.argwhere(each).tolist():
                device = int(np.flatnonzero(self._along == rank)[0])
                last = [c for c in tick.computed if self._on[c.value][k, c.iteration, rank].any()][-1]
                change = (-1, last.value, last.iteration, device, row if lanes > 1 else -1)
                cells.append(_Cell(t, rank * lanes + row, k, change))
        return lanes, cells

    def schedule(self, name: str) -> Schedule:
        """The schedule, its wasted cells marked."""
        if len(self.cells) > MOST_CELLS:
            raise _NoPipelineError(f"it has {len(self.cells)} cells, more than {MOST_CELLS}; give smaller arguments")
        useful, _ = self._probe.run([cell.change for cell in self.cells], self._count + 1)
        stages = self._stages([cell for cell, used in zip(self.cells, useful, strict=True) if used])
        of_lane: dict[int, list[int]] = defaultdict(list)
        for stage, lane in enumerate(stages):
            of_lane[lane].append(stage)
        if idle := [lane for lane in range(self._ranks * self.lanes) if not of_lane[lane]]:
            raise _NoPipelineError(f"the device at {self._axis}={idle[0] // self.lanes} computes nothing that is used")
        visits: dict[tuple[int, int], int] = defaultdict(int)
        placed = []
        for cell, used in sorted(zip(self.cells, useful, strict=True), key=lambda c: (c[0].lane, c[0].tick)):
            mine = of_lane[cell.lane]
            visit = visits[cell.lane, cell.microbatch]
            visits[cell.lane, cell.microbatch] += bool(used)
            placed.append((cell, not used, mine[min(visit, len(mine) - 1)]))
        lanes = range(self._ranks * self.lanes)
        units = [[(Task(stage, "F", c.microbatch),) for c, _, stage in placed if c.lane == lane] for lane in lanes]
        order = pack(units, ticks=[c.tick for c, _, _ in placed], wasted=[waste for _, waste, _ in placed])
        note = f"each device runs {self.lanes} stages in one tick" if self.lanes > 1 else ""
        made = Schedule(order, name, mesh=read_mesh(self._region.mesh), axis=self._axis, note=note)
        made.simulate()
        return made

    def _stages(self, cells: list[_Cell]) -> list[int]:
        """The lane of each stage: where every microbatch is processed, in order."""
        ways: dict[int, list[int]] = defaultdict(list)
        for cell in sorted(cells, key=lambda c: (c.tick, c.lane)):
            ways[cell.microbatch].append(cell.lane)
        first = ways[0]
        for k in range(self._count):
            if ways[k] != first:
                raise _NoPipelineError(
                    f"microbatch 0 goes through {_places(first)}, and microbatch {k} through {_places(ways[k])}"
                )
        return first


def _places(lanes: list[int]) -> str:
    return f"places {', '.join(map(str, lanes))}" if lanes else "no place"
