"""Other shardings of a program's arguments and results."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document.program import HloCollective
from shardwidget.read._call import parameter_names
from shardwidget.read._instead.source import spec_text

MOST = 4
"""The most specs that are tried of one argument."""

Key = tuple[int, str]
"""An argument, and the path in it."""


@dataclass(frozen=True)
class Respec:
    """Arguments, or results, with other shardings."""

    what: str
    code: str
    arguments: tuple[tuple[Key, PartitionSpec], ...] = ()
    results: tuple[tuple[int, NamedSharding], ...] = ()
    """By its place among all results."""


class Boundary:
    """What a program takes and returns.

    Args:
        f: the function.
        args: its positional arguments.
        jaxpr: the program that calls it, traced.
    """

    def __init__(self, f: Callable[..., Any], args: Sequence[Any], jaxpr: Any) -> None:
        self.f, self.args = f, tuple(args)
        self.names = parameter_names(f, len(args))
        self.leaves: dict[Key, Any] = {
            (k, jax.tree_util.keystr(path)): leaf
            for k, arg in enumerate(args)
            for path, leaf in jax.tree.flatten_with_path(arg)[0]
            if isinstance(getattr(leaf, "sharding", None), NamedSharding) and hasattr(leaf, "ndim")
        }
        eqns = _jax.open_jaxpr(jaxpr)[0].eqns
        call = _jax.control_of(eqns[0]) if len(eqns) == 1 else None
        self._call = call if isinstance(call, _jax.FunctionCall) else None

    def name(self, key: Key) -> str:
        """``params['w']``."""
        return f"{self.names[key[0]]}{key[1]}"

    def alike(self) -> Iterator[Respec]:
        """Arrays of an argument that are split less than those of the same path and shape in another: as those are."""
        for k in range(len(self.args)):
            for other in range(len(self.args)):
                found = [
                    (key, twin.sharding.spec)
                    for key, leaf in self.leaves.items()
                    if key[0] == k != other and (twin := self.leaves.get((other, key[1]))) is not None
                    if twin.shape == leaf.shape and _parts(twin.sharding) > _parts(leaf.sharding)
                ]
                if found:
                    one, two = self.names[k], self.names[other]
                    code = (
                        f"{one} = jax.device_put({one}, jax.tree.map(lambda x: x.sharding, {two}))"
                        if len(found) > 1 or not found[0][0][1]
                        else f"{self.name(found[0][0])}: {spec_text(found[0][1])}"
                    )
                    yield Respec(f"split {one} as {two} is", code, tuple(found))

    def moved(self, collective: HloCollective) -> Iterator[Respec]:
        """Other specs of the arguments that a collective moves, or that its line names."""
        text = collective.source.text if collective.source else ""
        words = set(re.findall(r"\w+", text))
        for key, leaf in self.leaves.items():
            last = re.findall(r"\w+", self.name(key))[-1]
            if self.name(key) == collective.operand or (last in words and last not in self.names):
                for spec in itertools.islice(_others(leaf), MOST):
                    yield self._one(key, spec)

    def _one(self, key: Key, spec: PartitionSpec) -> Respec:
        return Respec(
            f"split {self.name(key)} as {spec_text(spec)}", f"{self.name(key)}: {spec_text(spec)}", ((key, spec),)
        )

    def returned(self) -> Iterator[Respec]:
        """Results that ``jit`` was told to return less split than an argument of their type: as that argument is."""
        if self._call is None or not hasattr(self.f, "__wrapped__"):
            return
        left = dict(self.leaves)
        found: dict[int, list[tuple[int, Key]]] = {}
        for at, (v, sharding) in enumerate(
            zip(_jax.open_jaxpr(self._call.body)[0].outvars, self._call.out_shardings, strict=False)
        ):
            alike = [k for k, leaf in left.items() if leaf.shape == v.aval.shape and leaf.dtype == v.aval.dtype]
            if not alike:
                continue
            key = alike[0]
            del left[key]  # Results are in the order of the state that they replace.
            if isinstance(sharding, NamedSharding) and _parts(left_sharding := self.leaves[key].sharding) > _parts(
                sharding
            ):
                found.setdefault(key[0], []).append((at, key))
                del left_sharding
        for k, places in found.items():
            shardings = tuple((at, self.leaves[key].sharding) for at, key in places)
            name = self.names[k]
            code = f"out_shardings: jax.tree.map(lambda x: x.sharding, {name}) for the new {name}"
            yield Respec(f"return {name} split as it was given", code, results=shardings)

    def applied(self, change: Respec) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function and the arguments with other shardings."""
        specs = dict(change.arguments)

        def other(k: int, path: Any, leaf: Any) -> Any:
            spec = specs.get((k, jax.tree_util.keystr(path)))
            if spec is None:
                return leaf
            sharding = NamedSharding(leaf.sharding.mesh, spec)
            return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)

        args = tuple(
            jax.tree.map_with_path(lambda path, leaf, k=k: other(k, path, leaf), arg) for k, arg in enumerate(self.args)
        )
        return (self._jitted(dict(change.results)) if change.results else self.f), args

    def _jitted(self, results: Mapping[int, NamedSharding]) -> Any:
        """The function jitted again, with its donations, and other shardings of some results."""
        assert self._call is not None
        inner = self.f.__wrapped__  # type: ignore[attr-defined]
        tree = jax.tree.structure(jax.eval_shape(inner, *self.args))
        given = [results.get(at, s) for at, s in enumerate(self._call.out_shardings)]
        shardings = [s if isinstance(s, jax.sharding.Sharding) else None for s in given]
        donated, at = [], 0
        for k, arg in enumerate(self.args):
            count = len(jax.tree.leaves(arg))
            if count and all(self._call.donated[at : at + count]):
                donated.append(k)
            at += count
        return jax.jit(inner, out_shardings=jax.tree.unflatten(tree, shardings), donate_argnums=tuple(donated))


def _parts(sharding: NamedSharding) -> int:
    """The number of parts that an array is split into."""
    axes = [axis for entry in _jax.partitions(sharding.spec) for axis in _axes(entry)]
    parts = 1
    for axis in axes:
        parts *= sharding.mesh.shape[axis]
    return parts


def _axes(entry: Any) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else entry if isinstance(entry, tuple) else ()


def _others(leaf: Any) -> Iterator[PartitionSpec]:
    """Specs with one entry on another dimension, then with one entry less."""
    sharding = leaf.sharding
    entries = [*_jax.partitions(sharding.spec), *(None,) * (leaf.ndim - len(_jax.partitions(sharding.spec)))]
    used = [d for d, entry in enumerate(entries) if _axes(entry)]

    def divides(entry: Any, d: int) -> bool:
        parts = 1
        for axis in _axes(entry):
            parts *= sharding.mesh.shape[axis]
        return leaf.shape[d] % parts == 0

    for d, e in itertools.combinations(range(leaf.ndim), 2):
        if (d in used or e in used) and entries[d] != entries[e]:
            new = list(entries)
            new[d], new[e] = entries[e], entries[d]
            if divides(new[d], d) and divides(new[e], e):
                yield PartitionSpec(*new)
    for d in used:
        yield PartitionSpec(*[None if e == d else entry for e, entry in enumerate(entries)])
