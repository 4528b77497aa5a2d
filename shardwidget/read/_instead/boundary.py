"""Other shardings of a program's arguments and results."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document.program import HloCollective
from shardwidget.read._call import parameter_names
from shardwidget.read._instead.source import spec_text

MOST = 6
"""The most specs that are tried of one argument."""

Key = tuple[int, str]
"""An argument, and the path in it."""

Path = tuple[Any, ...]

Place = tuple[int, Path]
"""A tree: an argument, and the path in it."""


@dataclass(frozen=True)
class Respec:
    """Arguments, or results, with other shardings."""

    what: str
    code: str
    arguments: tuple[tuple[Key, PartitionSpec], ...] = ()
    results: tuple[tuple[int, NamedSharding], ...] = ()
    """By its place among all results."""
    sent: int = 0
    """The bytes that a device sends for the line that it is to help; 0 where it is for no line."""

    @property
    def place(self) -> Hashable:
        """What is changed."""
        return frozenset(key for key, _ in self.arguments), frozenset(at for at, _ in self.results)


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
        self.leaves: dict[Key, Any] = {}
        self._paths: dict[Key, Path] = {}
        for k, arg in enumerate(args):
            for path, leaf in jax.tree.flatten_with_path(arg)[0]:
                if isinstance(getattr(leaf, "sharding", None), NamedSharding) and hasattr(leaf, "ndim"):
                    key = k, jax.tree_util.keystr(path)
                    self.leaves[key], self._paths[key] = leaf, path
        eqns = _jax.open_jaxpr(jaxpr)[0].eqns
        call = _jax.control_of(eqns[0]) if len(eqns) == 1 else None
        self._call = call if isinstance(call, _jax.FunctionCall) else None

    def name(self, key: Key) -> str:
        """``params['w']``."""
        return f"{self.names[key[0]]}{key[1]}"

    def alike(self) -> Iterator[Respec]:
        """Trees of which an array is split less than that of the same path and shape in another tree: as that one.

        An optimizer's moments as the parameters, whichever argument they are in.
        """
        found: dict[tuple[int, Place], dict[Place, list[tuple[Key, PartitionSpec]]]] = {}
        less: set[tuple[Place, Place]] = set()
        for key, twin, tree, other in self._twins():
            mine, theirs = self.leaves[key].sharding, self.leaves[twin].sharding
            found.setdefault((key[0], other), {}).setdefault(tree, []).append((key, theirs.spec))
            if _parts(theirs) > _parts(mine):
                less.add((tree, other))
        for (k, other), trees in found.items():
            trees = {tree: specs for tree, specs in trees.items() if (tree, other) in less}
            specs = [spec for of in trees.values() for spec in of]
            if not specs:
                continue
            one, two = self.names[k], self._named(other)
            shardings = f"jax.tree.map(lambda x: x.sharding, {two})"
            if (k, ()) in trees:
                code = f"{one} = jax.device_put({one}, {shardings})"
            elif len(specs) == 1:
                code = f"{self.name(specs[0][0])}: {spec_text(specs[0][1])}"
            else:
                code = (
                    f"is_alike = lambda t: jax.tree.structure(t) == jax.tree.structure({two})\n"
                    f"{one} = jax.tree.map(\n"
                    f"    lambda t: jax.device_put(t, {shardings}) if is_alike(t) else t, {one}, is_leaf=is_alike\n"
                    ")"
                )
            yield Respec(f"split {' and '.join(map(self._named, trees))} as {two} is", code, tuple(specs))

    def _twins(self) -> Iterator[tuple[Key, Key, Place, Place]]:
        """Pairs of arrays of equal shapes whose paths end alike, as far as any do, and the trees that they are in."""
        ends: dict[Any, list[Key]] = {}
        for key, path in self._paths.items():
            for at in range(max(1, len(path))):
                ends.setdefault((path[at:], self.leaves[key].shape), []).append(key)
        for key, path in self._paths.items():
            for at in range(max(1, len(path))):
                if others := [o for o in ends[path[at:], self.leaves[key].shape] if o != key]:
                    yield from (
                        (key, o, (key[0], path[:at]), (o[0], self._paths[o][: len(self._paths[o]) - len(path) + at]))
                        for o in others
                    )
                    break

    def _named(self, place: Place) -> str:
        return f"{self.names[place[0]]}{jax.tree_util.keystr(place[1])}"

    def moved(self, collective: HloCollective, sent: int) -> list[list[Respec]]:
        """Other specs of each argument that a collective moves, that its line names, or that its module has.

        What is split alike in another layer, or in another tree, is split so, too: an optimizer's moments.

        Args:
            collective: what moves it.
            sent: the bytes that a device sends for its line.
        """
        words = set(re.findall(r"\w+", collective.source.text if collective.source else ""))
        found: dict[str, list[Respec]] = {}
        done: set[Key] = set()
        for key, leaf in self.leaves.items():
            if key in done:
                continue
            last = re.findall(r"\w+", self.name(key))[-1]
            is_named = last in words and (last not in self.names or not key[1])
            if is_named or self.name(key) == collective.operand or _is_of(key, collective.module):
                done.update(one for ones in self._split_as(key) for one in ones)
                specs = itertools.islice(_others(leaf), MOST)
                found.setdefault(key[1] or last, [self._one(key, spec, sent) for spec in specs])
        return list(found.values())

    def _one(self, key: Key, spec: PartitionSpec, sent: int) -> Respec:
        groups = self._split_as(key)
        every = [one for ones in groups for one in ones]
        code = "\n".join(f"{_joint([self.name(one) for one in ones])}: {spec_text(spec)}" for ones in groups)
        more = f", and {len(every) - 1} like it" if len(every) > 1 else ""
        what = f"split {_joint([self.name(one) for one in groups[0]])} as {spec_text(spec)}{more}"
        return Respec(what, code, tuple((one, spec) for one in every), sent=sent)

    @functools.cached_property
    def _alike(self) -> dict[Key, dict[Key, None]]:
        found: dict[Key, dict[Key, None]] = {}
        for key, twin, *_ in self._twins():
            found.setdefault(key, {})[twin] = None
        return found

    def _split_as(self, key: Key) -> list[list[Key]]:
        """An array with those of its place in other layers, and what has the place of these in another tree.

        All have its shape and sharding. One list a tree.
        """

        def alike(one: Key) -> bool:
            return one == key or (self.leaves[one].shape, self.leaves[one].sharding) == mine

        mine = self.leaves[key].shape, self.leaves[key].sharding
        layers = [one for one in self.leaves if one[0] == key[0] and _LAYER.sub("", one[1]) == _LAYER.sub("", key[1])]
        own = [key, *(one for one in layers if one != key and alike(one))]
        twins = (twin for one in own for twin in self._alike.get(one, ()) if alike(twin))
        trees: dict[Any, list[Key]] = {}
        for one in dict.fromkeys([*own, *twins]):
            trees.setdefault((one[0], _LAYER.sub("", one[1])), []).append(one)
        return list(trees.values())

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
            if isinstance(sharding, NamedSharding) and _parts(self.leaves[key].sharding) > _parts(sharding):
                found.setdefault(key[0], []).append((at, key))
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


_LAYER = re.compile(r"(?<=[\[_.])\d+")
"""The number of a layer in a path."""


def _joint(names: Sequence[str]) -> str:
    """``params['Block_*']['kernel']`` for those of several layers."""
    parts = [_LAYER.split(name) for name in names]
    numbers = zip(*map(_LAYER.findall, names), strict=True)
    joints = [one[0] if len(set(one)) == 1 else "*" for one in numbers]
    return "".join(part + joint for part, joint in zip(parts[0], [*joints, ""], strict=True))


def _is_of(key: Key, module: str) -> bool:
    """Whether an array is a parameter of a module: flax gives a module and its parameters one path.

    Args:
        key: the array.
        module: the scope of an operation, ``Model/Block_0/Dense_0``.
    """
    path = [name for name in module.split("/")[1:] if name.isidentifier()]
    words = re.findall(r"\w+", key[1])[:-1]
    return bool(path) and any(words[at : at + len(path)] == path for at in range(len(words)))


def _parts(sharding: NamedSharding) -> int:
    """The number of parts that an array is split into."""
    return math.prod(sharding.mesh.shape[axis] for entry in _jax.partitions(sharding.spec) for axis in _axes(entry))


def _axes(entry: Any) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else entry if isinstance(entry, tuple) else ()


def _others(leaf: Any) -> Iterator[PartitionSpec]:
    """Other specs: two entries exchanged; one entry less; one axis alone, of its own before others of the mesh."""
    sharding, count = leaf.sharding, leaf.ndim
    entries = [*_jax.partitions(sharding.spec)]
    entries += [None] * (count - len(entries))
    used = [d for d, entry in enumerate(entries) if _axes(entry)]

    def divides(new: Sequence[Any]) -> bool:
        parts = (math.prod(sharding.mesh.shape[axis] for axis in _axes(entry)) for entry in new)
        return all(size % n == 0 for size, n in zip(leaf.shape, parts, strict=True))

    found: dict[tuple[Any, ...], None] = {}
    for d, e in itertools.combinations(range(count), 2):
        new = list(entries)
        new[d], new[e] = entries[e], entries[d]
        found[tuple(new)] = None
    for d in used:
        found[tuple(None if e == d else entry for e, entry in enumerate(entries))] = None
    own = dict.fromkeys(a for entry in entries for a in _axes(entry))
    for axes in (own, [a for a in sharding.mesh.axis_names if a not in own]):
        for d, axis in itertools.product(range(count), axes):
            found[tuple(axis if e == d else None for e in range(count))] = None
    found.pop(tuple(entries), None)
    yield from (PartitionSpec(*new) for new in found if divides(new))
