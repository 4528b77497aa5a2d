"""What the groups of dimensions are in a training step: batch, sequence, width, experts, what tensors are split by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwidget.read._search.dims import Dim
from shardwidget.read._search.step import Step

NO_BATCH = (
    "no argument of {function} looks like the batch: each is returned changed, or has no dimension of its own. Name "
    "the arguments that hold it: batch={example!r}."
)

NO_SUCH_BATCH = "batch={given} names no argument of {function}; its arguments are {names}."


@dataclass(frozen=True)
class Roles:
    """Groups of dimensions by what they are. What is in none is never split."""

    batch: frozenset[Dim]
    sequence: frozenset[Dim]
    width: Dim | None
    """The group that most bytes of the weights have: d_model."""
    tensor: tuple[Dim, ...]
    """Groups that tensor parallelism splits: heads, d_ff, vocabulary; those with most bytes first."""
    experts: frozenset[Dim]
    weights: tuple[bool, ...]
    """Whether each leaf is a weight or other state; the rest is the batch."""
    sizes: dict[Dim, int]
    """What the axes that split a group must divide."""
    scanned: frozenset[Dim]
    mass: Mapping[Dim, int]
    """Bytes of the weights that have each group."""

    @property
    def examples(self) -> int:
        """The size of the batch."""
        return max((g[0].aval.shape[g[1]] for g in self.batch), default=0)


def resized(step: Step, roles: Roles, examples: int) -> Step:
    """The step for another size of the batch."""
    groups = [step.dims.of(v) for v in step.inputs]
    shapes = {
        k: tuple(examples if g in roles.batch else n for n, g in zip(step.avals[k].shape, of, strict=True))
        for k, of in enumerate(groups)
        if not roles.batch.isdisjoint(of)
    }
    return step.with_shapes(shapes)


def roles_of(step: Step, batch: Sequence[str]) -> Roles:
    """The roles of a step's dimensions.

    Args:
        step: the step.
        batch: names of the arguments that hold the batch; empty to find out: what is not returned changed.

    Raises:
        ValueError: no batch was found, or there are no such arguments.
    """
    dims, leaves = step.dims, step.inputs
    changed = {
        k for k, out in zip(step.outputs(), step.flat.outvars, strict=True) if k is not None and out is not leaves[k]
    }
    pins = [{g for g in dims.of(v) if g} for v, *_ in step.pins]
    in_products = set[Dim]().union(*pins)

    def read(group: Dim | None) -> Dim | None:
        """The group, or where no product has it, that of a slice: of one token more than the model reads."""
        parts = dims.sliced.get(group, ()) if group and group not in in_products else ()
        found = next((g for g in parts if g in in_products or g in dims.scanned), group)
        return None if found in dims.scanned else found

    groups = [tuple(map(read, dims.of(v))) for v in leaves]
    counts: Counter[Dim | None] = Counter(g for of in pins for g in of)
    # What every product has is the batch of an inference, whose result may look like its new value.
    changed = {k for k in changed if not pins or counts[_first(groups[k])] < len(pins)}
    state = {g for k in changed for g in groups[k] if g}
    known = [name for name, _ in step.arguments]
    if missing := [name for name in batch if name not in known]:
        raise ValueError(NO_SUCH_BATCH.format(given=missing, function=step.function, names=", ".join(known)))
    if batch:
        of = {leaf: name for name, paths in step.arguments for leaf in paths}
        found = [k for k, name in enumerate(step.names) if of[name] in batch and _first(groups[k])]
    else:
        found = [
            k for k in range(len(leaves)) if k not in changed and _first(groups[k]) and _first(groups[k]) not in state
        ]
        if not changed:
            of_result = {g for out in step.flat.outvars for g in dims.of(out) if g}
            found = [k for k in found if _first(groups[k]) in of_result] or found
        # Nearly every product of a step has the batch. Weights that are not trained have other dimensions.
        most = max((counts[_first(groups[k])] for k in found), default=0)
        found = [k for k in found if counts[_first(groups[k])] == most]
    if not found:
        raise ValueError(NO_BATCH.format(function=step.function, example=known[-1] if known else "x"))
    # A key, or a table of positions, is given with the batch and has not its size.
    largest = max(found, key=lambda k: (_size(leaves[k]), -k))
    examples = _extent(leaves[largest], groups[largest])
    found = [k for k in found if _extent(leaves[k], groups[k]) == examples]
    batches = {g for k in found if (g := _first(groups[k]))}
    weights = [k for k in range(len(leaves)) if not set(groups[k]) & batches]
    of_weights = {g for k in weights for g in groups[k] if g}
    sequences = {g for k in found for g in groups[k][1 + groups[k].index(_first(groups[k])) :][:1] if g}
    # A dimension that the first product sums away is none, nor one that no product keeps: rows of an image.
    sequences = (sequences & in_products) - of_weights - batches
    experts = {
        g
        for left, right, shared in dims.batched
        for g in map(dims.group, shared)
        if g in of_weights and bool(batches & set(dims.of(left))) != bool(batches & set(dims.of(right)))
    }
    mass: Counter[Dim] = Counter()
    for k in weights:
        for g in dict.fromkeys(g for g in groups[k] if g and len([x for x in groups[k] if x]) > 1):
            mass[g] += _size(leaves[k])
    of_batch = {g for k in found for g in groups[k] if g}
    for g in experts:
        del mass[g]
    # Of a product of two, d_model is what the batch has; d_ff is larger, and in two products where d_model is in one.
    half = max(mass.values(), default=0) / 2
    width = max(
        mass,
        key=lambda g: (g in of_batch and mass[g] >= half, mass[g], -g[0].aval.shape[g[1]]),
        default=None,
    )
    tensor: dict[Dim, int] = {}
    for k in weights:
        inner = [g for g in groups[k] if g and g != width and g not in experts and g not in of_batch]
        if inner and len([g for g in groups[k] if g]) > 1:
            tensor[inner[0]] = mass[inner[0]]
    held = [[(g, n) for g, n in zip(groups[k], leaves[k].aval.shape, strict=True) if g] for k in weights]
    tensor = {g: n for g, n in tensor.items() if not _is_low_rank(g, held)}
    return Roles(
        frozenset(batches),
        frozenset(sequences),
        width,
        tuple(sorted(tensor, key=lambda g: -tensor[g])),
        frozenset(experts),
        tuple(k in set(weights) for k in range(len(leaves))),
        dims.sizes(),
        frozenset(dims.scanned),
        mass,
    )


LOW = 8
"""How many times smaller a low rank is than the other dimension of each matrix that has it."""


def _is_low_rank(group: Dim, held: Sequence[Sequence[tuple[Dim, int]]]) -> bool:
    """Whether only narrow matrices have a group: the rank of an adapter, a few classes.

    Splitting it saves few bytes, and takes the axis from the other dimension: XLA would gather that of the gradients.
    """
    matrices = [dict(of) for of in held if any(g == group for g, _ in of) and len(of) > 1]
    return all(len(of) == 2 and LOW * of[group] <= max(of.values()) for of in matrices)


def _first(groups: Sequence[Dim | None]) -> Dim | None:
    return next((g for g in groups if g), None)


def _extent(v: Any, groups: Sequence[Dim | None]) -> int:
    return next((n for n, g in zip(v.aval.shape, groups, strict=True) if g), 0)


def _size(v: Any) -> int:
    return math.prod(v.aval.shape) * v.aval.dtype.itemsize
