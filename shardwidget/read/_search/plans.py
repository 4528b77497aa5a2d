"""Plans: how axes of a mesh are given to groups of dimensions, and the spec of every value that follows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jax.sharding import PartitionSpec

from shardwidget.read._search.dims import Dim
from shardwidget.read._search.roles import Roles
from shardwidget.read._search.step import Step

AXES = ("data", "fsdp", "expert", "seq", "tensor")
"""Axes of plans, slowest first: neighbours of a chip are in its tensor group."""

SHORT = {"data": "DP", "fsdp": "FSDP", "expert": "EP", "seq": "SP", "tensor": "TP"}

Groups = Sequence[Dim | None]
Entry = tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """An assignment of mesh axes to groups."""

    sizes: tuple[tuple[str, int], ...]
    """Axes of more than 1, in the order of ``AXES``."""
    splits_activations: bool = False
    """Whether activations between tensor-parallel products are split over ``tensor``, by sequence (Megatron)."""

    @property
    def name(self) -> str:
        """``FSDP 16 × TP 4``."""
        return " × ".join(f"{SHORT[axis]} {size}" for axis, size in self.sizes) or "one chip"

    @property
    def rule(self) -> str:
        """What two plans of one name differ in."""
        return "activations split" if self.splits_activations else ""

    def entries(self, groups: Groups, shape: Sequence[int], roles: Roles, *, whole: bool = False) -> list[Entry]:
        """The axes of each dimension of a value. An axis that does not divide a dimension leaves it whole.

        Args:
            groups: the groups of its dimensions.
            shape: its sizes.
            roles: what the groups are.
            whole: whether a weight is too small to be worth splitting over fsdp.
        """
        sizes, free = dict(self.sizes), dict(self.sizes)
        found: list[Entry] = [()] * len(shape)

        def give(axes: Sequence[str], wanted: Sequence[Dim] | frozenset[Dim]) -> bool:
            for d, group in enumerate(groups):
                given = tuple(axis for axis in axes if axis in free)
                if group in wanted and group is not None and not found[d] and given:
                    if math.gcd(shape[d], roles.sizes.get(group, shape[d])) % math.prod(sizes[a] for a in given):
                        continue
                    found[d] = given
                    for axis in given:
                        del free[axis]
                    return True
            return False

        is_activation = not roles.batch.isdisjoint(groups)
        give(("expert",), roles.experts)
        if is_activation and not give(("data", "fsdp", "expert"), roles.batch):
            give(("data", "fsdp"), roles.batch)
        give(("tensor",), roles.tensor)
        if is_activation:
            split = ("seq", "tensor") if self.splits_activations and len(shape) > 2 else ("seq",)
            if not give(split, roles.sequence):
                give(("seq",), roles.sequence)
        elif not whole and "fsdp" in free:
            over = ("fsdp", "seq")
            rest = sorted((d for d, g in enumerate(groups) if g and g not in roles.scanned), key=lambda d: -shape[d])
            wide = [groups[d] for d in rest if groups[d] == roles.width] + [groups[d] for d in rest]
            for axes in (over, over[:1]):
                if any(give(axes, (group,)) for group in wide if group):
                    break
        return found


def spec_of(entries: Sequence[Entry]) -> PartitionSpec:
    """As JAX writes it, without None at the end."""
    parts = [e[0] if len(e) == 1 else e or None for e in entries]
    while parts and parts[-1] is None:
        parts.pop()
    return PartitionSpec(*parts)


LEAST_SPLIT = 2**16
"""Vectors with fewer elements stay whole over fsdp: norms and biases."""


def _is_small(shape: Sequence[int], groups: Groups, roles: Roles) -> bool:
    vector = sum(g is not None and g not in roles.scanned for g in groups) < 2
    return vector and math.prod(shape) < LEAST_SPLIT


def leaf_specs(plan: Plan, step: Step, roles: Roles) -> list[PartitionSpec]:
    """The spec of each leaf."""
    return [
        spec_of(plan.entries(groups, v.aval.shape, roles, whole=_is_small(v.aval.shape, groups, roles)))
        for v, groups in ((v, step.dims.of(v)) for v in step.inputs)
    ]


@dataclass(frozen=True)
class Candidates:
    """Plans to estimate, and how many were left out."""

    plans: tuple[Plan, ...]
    indivisible: int
    equivalent: int


def candidates(
    step: Step, roles: Roles, chips: int, most_axes: int, allowed: Mapping[str, Sequence[int]]
) -> Candidates:
    """The plans of a number of chips.

    Args:
        step: the step.
        roles: what its dimensions are.
        chips: the number of chips.
        most_axes: the most axes of more than 1.
        allowed: the sizes that some axes of ``AXES`` may have; others may have any.
    """
    # A low rank, or few heads of keys and values, limits nothing: what holds few bytes stays whole.
    some = max(roles.mass.values(), default=0) / 20
    heads = [roles.sizes[g] for g in roles.tensor if g in roles.sizes and roles.mass.get(g, 0) >= some]
    kept: dict[tuple[object, ...], Plan] = {}
    indivisible = equivalent = 0
    unused = {*(("expert",) if not roles.experts else ()), *(("seq",) if not roles.sequence else ())}
    for sizes in _factorisations(chips, [a for a in AXES if a not in unused], most_axes):
        named = dict(sizes)
        if any(named.get(axis, 1) not in sizes_ for axis, sizes_ in allowed.items()):
            continue
        of_batch = math.prod(named.get(a, 1) for a in ("data", "fsdp", "expert"))
        splits = [False, True] if "tensor" in named and roles.sequence else [False]
        for split in splits:
            plan = Plan(sizes, split)
            specs = leaf_specs(plan, step, roles)
            pinned = ((step.dims.of(v), v.aval.shape) for v, *_ in step.pins)
            values = [plan.entries(g, shape, roles) for g, shape in pinned if not roles.batch.isdisjoint(g)]
            used = {a for entries in values for e in entries for a in e} | _axes_of(specs)
            fits = all(roles.sizes.get(g, of_batch) % of_batch == 0 for g in roles.batch)
            if not fits or used < named.keys() or (heads and named.get("tensor", 1) > min(heads)):
                indivisible += 1
                continue
            # Axes of other names that split the same dimensions are the same.
            places = {axis: str(k) for k, (axis, _) in enumerate(sizes)}
            key = (tuple(n for _, n in sizes), _renamed(repr((specs, values)), places))
            equivalent += key in kept
            kept.setdefault(key, plan)
    return Candidates(tuple(kept.values()), indivisible, equivalent)


def _axes_of(specs: Sequence[PartitionSpec]) -> set[str]:
    return {a for spec in specs for e in spec for a in ((e,) if isinstance(e, str) else e or ())}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(f"'{old}'", new)
    return text


def _factorisations(chips: int, axes: Sequence[str], most: int) -> Iterator[tuple[tuple[str, int], ...]]:
    divisors = [n for n in range(1, chips + 1) if chips % n == 0]
    if chips == 1:
        yield ()
    for count in range(1, most + 1):
        for named in itertools.combinations(axes, count):
            for sizes in itertools.product(divisors[1:], repeat=count):
                if math.prod(sizes) == chips:
                    yield tuple(zip(named, sizes, strict=True))


def name_of(shape: Mapping[str, int], specs: Sequence[PartitionSpec], step: Step, roles: Roles) -> str:
    """The name of the user's own sharding, by what each of its axes splits."""
    if not any(map(tuple, specs)) and math.prod(shape.values()) > 1:
        return "replicated"
    parts: dict[str, int] = {}
    of: dict[str, set[str]] = {name: set() for name in shape}
    for v, spec, is_weight in zip(step.inputs, specs, roles.weights, strict=True):
        for group, entry in zip(step.dims.of(v), spec, strict=False):
            for axis in (entry,) if isinstance(entry, str) else entry or ():
                of[axis].add(_role(group, roles, is_weight))
    for axis, size in shape.items():
        if size == 1:
            continue
        what = of[axis]
        kind = next((k for k in ("expert", "seq") if k in what), "")
        if not kind:
            kind = "fsdp" if {"batch", "weight"} <= what else "data" if "batch" in what else "tensor" if what else ""
        parts[SHORT.get(kind, axis)] = parts.get(SHORT.get(kind, axis), 1) * size
    return " × ".join(f"{name} {size}" for name, size in parts.items()) or "one chip"


def _role(group: Dim | None, roles: Roles, is_weight: bool) -> str:
    if group in roles.experts:
        return "expert"
    if group in roles.sequence:
        return "seq"
    return "weight" if is_weight else "batch"
