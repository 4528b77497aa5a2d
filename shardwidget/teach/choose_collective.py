"""Choosing a collective: the one that turns one layout into another."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from shardwidget import read
from shardwidget.document import Feedback, Field, Figure, Part, Placement
from shardwidget.read._placement import as_typed
from shardwidget.teach import layouts, run
from shardwidget.teach.kind import Answer, Kind

NOTHING = "no communication"

MEANINGS = {
    "psum": "psum adds the blocks of a group; every member has the sum, in the same shape.",
    "pmax": "pmax takes the largest of the blocks of a group; every member has it, in the same shape.",
    "pmin": "pmin takes the smallest of the blocks of a group; every member has it, in the same shape.",
    "all_gather": "all_gather puts the blocks of a group one after another; every member has all of them.",
    "psum_scatter": "psum_scatter adds the blocks of a group and cuts the sum; every member has one piece.",
    "all_to_all": "all_to_all cuts each block into pieces, sends one to each member, and joins what arrives.",
    NOTHING: "Without communication a device can only keep a part of what it has.",
}

_WHOLES = {"sum": "sum", "max": "maximum", "min": "minimum"}
"""What the parts of an unreduced array make, by its kind."""


class ChooseCollective(Kind):
    """Asks for the collective that turns one layout of an array into another.

    One collective over one mesh axis, after which every device holds its block of ``after``.

    Args:
        before: an array, a ``jax.ShapeDtypeStruct`` with a sharding, or ``(shape, dtype, sharding)``.
        after: the same, of the same shape and on the same mesh.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: their shapes or meshes differ, or no single collective does it.
    """

    task = "choose_collective"
    prompt = "Which collective turns the first layout into the second?"
    hints = (
        "Compare one device's block: does it grow, shrink, or keep its size? Does it hold parts of a sum?",
        "Gathering undoes a split, psum completes a sum, psum_scatter does so and splits it, all_to_all moves a split.",
    )

    def __init__(self, before: Any, after: Any, **options: Any) -> None:
        super().__init__(options)
        sharding = as_typed(before).sharding
        self._before, self._after = read.placement(before), read.placement(after)
        if not isinstance(sharding, NamedSharding) or self._before.shape != self._after.shape:
            raise ValueError("before and after are layouts of one array: the same shape, each with a NamedSharding")
        if self._before.device_ids != self._after.device_ids or self._before.mesh.axes != self._after.mesh.axes:
            raise ValueError("before and after must be on the same mesh")
        self._mesh = sharding.mesh
        self.mesh = self._before.mesh
        rank = len(self._before.dims)
        gathers = [f"all_gather along dim {d}" for d in range(rank)]
        scatters = [f"psum_scatter along dim {d}" for d in range(rank)]
        turns = [f"all_to_all from dim {a} to dim {b}" for a in range(rank) for b in range(rank) if a != b]
        extremes = ("pmax", "pmin") if self._before.unreduced_kind != "sum" else ()
        axes = tuple(a.name for a in self.mesh.axes)
        self.fields = (
            Field("collective", "collective", "choice", ("psum", *extremes, *gathers, *scatters, *turns, NOTHING)),
            Field("over", "over", "choice", axes),
        )
        self.figures = (Figure("before", _plain(self._before)), Figure("after", _plain(self._after)))
        self.goal = f"{self._before.type} → {self._after.type}"
        self._global = np.arange(math.prod(self._before.shape or ()), dtype=np.float32).reshape(
            self._before.shape or ()
        )
        self._sent = self._parts()
        self._known: dict[tuple[str, str], tuple[bool, np.ndarray | None]] = {}
        if not any(self._gives(c, axis)[0] for c in self.fields[0].options for axis in axes):
            raise ValueError(
                f"the exercise has no truth: no single collective turns {layouts.spec_of(self._before)} into "
                f"{layouts.spec_of(self._after)}"
            )

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        before, after = layouts.spec_of(self._before), layouts.spec_of(self._after)
        return f"{self._before.shape} {self._before.dtype} {before} {after} {self.mesh.shape}"

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        what, axis = answer["collective"], answer["over"]
        right, held = self._gives(what, axis)
        if what == NOTHING:
            held = None
        gives = "" if held is None else f"blocks of {held.shape[1:]}"
        found = None if held is None else self._layout(held)
        figure = None if found is None else Figure(f"after {what} over {axis}", _plain(found))
        if right:
            parts = (Part("collective", True), Part("over", True))
            return Feedback(
                "right", f"Every device then holds its block. {MEANINGS[_name(what)]}", "", gives, parts, figure
            )
        with_other_axis = any(self._gives(what, a)[0] for a in self.fields[1].options)
        over = any(self._gives(c, axis)[0] for c in self.fields[0].options if c != NOTHING)
        note = MEANINGS[_name(what)] + " " + self._off(what, axis, held, found)
        parts = (
            Part("collective", with_other_axis, "" if with_other_axis else note),
            Part("over", over, note if with_other_axis else ""),
        )
        question = (
            "Along which axis do the devices hold what a block lacks?"
            if with_other_axis
            else "What must happen to one device's block: grow, shrink, be added to, or be cut another way?"
        )
        return Feedback("partly" if with_other_axis or over else "wrong", note, question, gives, parts, figure)

    def _off(self, what: str, axis: str, held: np.ndarray | None, found: Placement | None) -> str:
        if what == NOTHING:
            return "Here some devices would lack what they should hold."
        if held is None:
            return f"It cannot be done here over {axis}."
        if found is not None:
            return f"Here it would give {layouts.spec_of(found)}."
        if held.shape[1:] != self._after.shard_shape:
            return f"Here every device would hold a block of {held.shape[1:]}, not {self._after.shard_shape}."
        if self._before.unreduced and what.startswith(("all_gather", "all_to_all", NOTHING)):
            return f"Here every block would still be a part of a {_WHOLES[self._before.unreduced_kind]}."
        return "Here blocks would have the right size but other values."

    def _parts(self) -> np.ndarray:
        """What each device holds before, ``[devices, …block]``; along unreduced axes parts that make the block."""
        p = self._before
        blocks = np.stack([self._global[p.slices(d)] for d in p.device_ids])
        if not p.unreduced:
            return blocks
        grid = np.indices(p.mesh.shape).reshape(len(p.mesh.shape), -1)
        rank, count = np.zeros(p.mesh.size, int), 1
        for axis, along in zip(p.mesh.axes, grid, strict=True):
            if axis.name in p.unreduced:
                rank, count = rank * axis.size + along, count * axis.size
        if p.unreduced_kind != "sum":
            # All but one are far from the block, the same on no two devices.
            away = (rank * (-1 if p.unreduced_kind == "max" else 1)).reshape(-1, *[1] * (blocks.ndim - 1))
            return (blocks + away * self._global.size).astype(np.float32)
        added = rank.astype(np.float32) + 1
        last = -(count - 1) * count / 2
        shift = np.where(rank == count - 1, last, added).reshape(-1, *[1] * (blocks.ndim - 1))
        whole = (rank == 0).reshape(shift.shape)
        return (np.where(whole, blocks, 0) + shift).astype(np.float32)

    def _gives(self, what: str, axis: str) -> tuple[bool, np.ndarray | None]:
        """As ``_run``, each once."""
        if (what, axis) not in self._known:
            self._known[what, axis] = self._run(what, axis)
        return self._known[what, axis]

    def _run(self, what: str, axis: str) -> tuple[bool, np.ndarray | None]:
        """Whether it gives ``after``, and the blocks that it gives, ``[devices, …block]``; None where JAX refuses."""
        p = self._after
        want = np.stack([self._global[p.slices(d)] for d in p.device_ids])
        if what == NOTHING:
            before = self._before
            inside = all(
                a.start >= b.start and a.stop <= b.stop
                for d in p.device_ids
                for a, b in zip(p.slices(d), before.slices(d), strict=True)
            )
            alike = set(before.unreduced) == set(p.unreduced) and before.unreduced_kind == p.unreduced_kind
            return inside and alike, self._sent
        names = tuple(a.name for a in self.mesh.axes)
        mesh = layouts.with_types(self._mesh if self.mesh.abstract else self._mesh.abstract_mesh, AxisType.Auto)

        def body(block: jax.Array) -> jax.Array:
            return _apply(what, axis, block[0])[None]

        every = PartitionSpec(names)
        f = jax.shard_map(body, mesh=mesh, in_specs=every, out_specs=every, check_vma=False)
        outcome = run.mapped(f, (self._sent,))
        if outcome.error:
            return False, None
        held = np.asarray(outcome.value)
        if held.shape != want.shape:
            return False, held
        return bool(np.array_equal(self._summed(held), self._summed(want, whole=True))), held

    def _summed(self, held: np.ndarray, whole: bool = False) -> np.ndarray:
        """Blocks with the parts along unreduced axes added up, where they are not the whole already."""
        axes = tuple(i for i, a in enumerate(self.mesh.axes) if a.name in self._after.unreduced)
        grid = held.reshape(*self.mesh.shape, *held.shape[1:])
        if whole or not axes:
            return grid
        combine = {"sum": np.sum, "max": np.max, "min": np.min}[self._after.unreduced_kind]
        return np.broadcast_to(combine(grid, axis=axes, keepdims=True), grid.shape)

    def _layout(self, held: np.ndarray) -> Placement | None:
        """The layout of the whole array in which every device holds these blocks."""
        p = self._before

        def fits(other: Placement) -> bool:
            return other.shard_shape == held.shape[1:] and all(
                np.array_equal(self._global[other.slices(d)], held[i]) for i, d in enumerate(other.device_ids)
            )

        return layouts.find(p.shape or (), p.dtype, self._mesh, fits)


def _apply(what: str, axis: str, block: jax.Array) -> jax.Array:
    dims = [int(word) for word in what.split() if word.isdigit()]
    match _name(what):
        case "psum" | "pmax" | "pmin" as name:
            return getattr(jax.lax, name)(block, axis)
        case "all_gather":
            return jax.lax.all_gather(block, axis, axis=dims[0], tiled=True)
        case "psum_scatter":
            return jax.lax.psum_scatter(block, axis, scatter_dimension=dims[0], tiled=True)
    # A split moves from one dimension to another: blocks are joined along the first and cut along the second.
    return jax.lax.all_to_all(block, axis, split_axis=dims[1], concat_axis=dims[0], tiled=True)


def _name(what: str) -> str:
    return what if what == NOTHING else what.split()[0]


def _plain(p: Placement) -> Placement:
    """A placement without values or forms, which a question need not carry."""
    return Placement(
        p.mesh, p.shape, p.dims, p.dtype, p.bits, type=p.type, spec=p.spec, unreduced=p.unreduced,
        unreduced_kind=p.unreduced_kind, reduced=p.reduced, state="abstract",
    )  # fmt: skip
