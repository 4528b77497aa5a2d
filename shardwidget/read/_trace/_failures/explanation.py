"""What an explanation of a failure consists of, and fixes that several have in common."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Fix
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.changes import Changes
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer


@dataclass(frozen=True)
class Explanation:
    """Why a program stops."""

    text: str
    value: TracedValue | None = None
    """The value that causes it."""
    axes: Sequence[str] = ()
    """The mesh axes in question."""
    fixes: Sequence[Proposal] = ()
    """Changes that might make it run, yet to be tried."""


def quoted(axes: Sequence[str]) -> str:
    """Axis names as an argument: ``'x'`` or ``('x', 'y')``."""
    return repr(axes[0]) if len(axes) == 1 else repr(tuple(axes))


def vary(axes: Sequence[str]) -> str:
    """Code that types what replaces ``{}`` as varying."""
    return f"jax.lax.pcast({{}}, {quoted(axes)}, to='varying')"


def auto_mesh(mesh: AnyMesh, changes: Changes) -> Proposal:
    """A mesh whose axes are all Auto."""
    sizes, names = tuple(mesh.shape.values()), tuple(map(str, mesh.axis_names))
    code = f"jax.make_mesh({sizes}, {names}, axis_types=(jax.sharding.AxisType.Auto,) * {len(names)})"
    title = "Make a mesh of Auto axes: shardings are not part of types then"
    calls = changes.source.calls("make_mesh") if changes.source else []
    there = changes.wrapped(title, calls[0], code) if len(calls) == 1 else None
    types = (AxisType.Auto,) * len(names)
    auto = mesh.update(axis_types=types) if isinstance(mesh, AbstractMesh) else Mesh(mesh.devices, names, types)

    def moved(x: Any, _: int) -> Any:
        sharding = getattr(x, "sharding", None)
        if not isinstance(sharding, NamedSharding) or sharding.mesh != mesh:
            return x
        new = NamedSharding(auto, sharding.spec)
        return x.update(sharding=new) if isinstance(x, jax.ShapeDtypeStruct) else jax.device_put(x, new)

    found = there or Proposal(Fix(title, f"{changes.name_of(mesh) or 'mesh'} = {code}"))
    swaps = [(*place, auto) for place in _jax.holders(changes.f, mesh)]
    return replace(found, swaps=swaps, argument=moved if swaps else None)  # A mesh that is not found is not changed.


def without_axes(specs: Any, axes: Collection[str]) -> Any:
    """A tree of specs that do not name some axes."""

    def kept(entry: Any) -> Any:
        names = tuple(n for n in (entry if isinstance(entry, tuple) else (entry,)) if n not in axes)
        return names[0] if len(names) == 1 else names or None

    def without(spec: Any) -> Any:
        return None if spec is None else PartitionSpec(*map(kept, _jax.partitions(spec)))

    return jax.tree.map(without, specs, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))


def specs_code(specs: Any) -> str:
    """A tree of specs as code."""
    leaves, tree = jax.tree.flatten(specs, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))
    return repr(jax.tree.unflatten(tree, [None if leaf is None else _Code(spec_text(leaf)) for leaf in leaves]))


class _Code(str):
    __slots__ = ()
    __repr__ = str.__str__


def value_of(x: Any, writer: Writer) -> TracedValue | None:
    """The value that a tracer of the program stands for."""
    value = writer.known.get(_jax.variable_of(x))
    return value if isinstance(value, TracedValue) else None
