"""The subject of a comparison: arguments in any form, their mesh, and the same on meshes of other axis types."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.read import _errors
from shardwidget.read._call import FlatCall
from shardwidget.read._devices import is_on_other_devices, is_split_on_other_axes, mesh_text
from shardwidget.read._program.executable import first_mesh, meshes_in

NOT_ONE_MESH = (
    "{words}. A comparison is on one mesh: " + _errors.ONE_MESH + "; or give the mesh meant for all of them, mesh=mesh."
)

NO_MESH = (
    "there is no mesh: no argument is on one, and mesh= is not given. Put an argument on a mesh, "
    "jax.device_put(x, jax.NamedSharding(mesh, jax.P('x'))), or give mesh=mesh."
)

OTHER_MESH = (
    "{name} has spec {spec}, and the mesh ({axes}) has no axis {axis!r}. All arguments must be on one mesh: put them "
    "there, jax.device_put(x, jax.NamedSharding(mesh, spec)), or give the mesh meant for all of them, mesh=mesh."
)


class NoMeshError(ValueError):
    """Nothing says which mesh a function runs on."""


class ComparedCall:
    """A function and its arguments, flat, free of the mesh that they came with.

    Args:
        f: the function.
        args: pytrees of arrays, ``jax.ShapeDtypeStruct``, ``(shape, dtype, spec)`` and whatever else ``f`` takes.
        mesh: the mesh; None finds it.
        kwargs: keyword arguments of ``f``, as ``args``.

    Raises:
        ValueError: there is no mesh, or a spec does not fit.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        mesh: AnyMesh | None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(mesh, Mesh | AbstractMesh | None):
            raise TypeError(_errors.NO_MESH_OF_PROGRAM.format(type=_errors.type_of(mesh)))
        self._call = FlatCall(f, args, kwargs, _is_triple, returns_written=True)
        self.f = f
        self.function = self._call.function
        leaves = self._leaves = self._call.leaves
        self.arrays = [
            k for k, leaf in enumerate(leaves) if (_is_triple(leaf) or _is_array(leaf)) and not self._call.static[k]
        ]
        """Indices of the leaves that are arrays or stand for arrays."""
        self.names = [self._call.names[k] for k in self.arrays]
        self.parameters = tuple(name for name, _ in self._call.arguments)
        """Names of the arguments: ``params``; of each of ``*more``, ``more[0]``."""
        self.gradient_names = self._call.gradient_names()
        """Names of the results, if they are gradients."""
        self.closed_over = {id(value): name for name, value in _closed_over(f)}
        """Names of what the function closes over, by its identity."""
        self.is_jitted = hasattr(f, "trace")
        """Whether the subject is itself a jitted function, so that its shardings are those of the program."""
        found = mesh if mesh is not None else _mesh_of([leaves[k] for k in self.arrays])
        self._is_set = found is not None and not any(_lies_on(leaves[k], found) for k in self.arrays)
        self.mesh = found or self._mesh_of_regions()
        if mesh is None and any(
            is_on_other_devices(leaves[k], self.mesh) or is_split_on_other_axes(leaves[k], self.mesh)
            for k in self.arrays
        ):
            raise ValueError(NOT_ONE_MESH.format(words=self._call.places))
        self.specs = [_spec_of(leaves[k], self.mesh) for k in self.arrays]
        for name, spec in zip(self.names, self.specs, strict=True):
            _check_axes(name, spec, self.mesh)
        for k in self.arrays:  # Whoever asks again, as for another fix, must not hold the arrays until then.
            leaves[k] = _without_data(leaves[k])

    @property
    def lost(self) -> str:
        """What to say of writes into the arguments; empty for none."""
        return self._call.lost

    @property
    def shapes(self) -> list[tuple[tuple[int, ...], Any]]:
        """The shapes of the arrays, with their dtypes."""
        return [_shape_of(self._leaves[k]) for k in self.arrays]

    def on(self, mesh: AnyMesh) -> list[jax.ShapeDtypeStruct]:
        """The arrays as shapes on a mesh."""
        out = []
        for k, spec in zip(self.arrays, self.specs, strict=True):
            leaf = self._leaves[k]
            weak = bool(getattr(leaf, "weak_type", False))
            sharding = NamedSharding(mesh, _legal(spec, mesh), memory_kind=_host_memory(leaf))
            out.append(jax.ShapeDtypeStruct(*_shape_of(leaf), sharding=sharding, weak_type=weak))
        return out

    def called_on(self, mesh: Mesh) -> list[jax.ShapeDtypeStruct]:
        """The arrays as ``jit`` takes them: those not committed to devices are placed by the compiler."""
        free = [not _is_committed(self._leaves[k]) for k in self.arrays]
        return [x.update(sharding=None) if f else x for f, x in zip(free, self.on(mesh), strict=True)]

    def with_spec(self, array: int, spec: PartitionSpec) -> ComparedCall:
        """The same call with another spec of one of its arrays."""
        new = copy.copy(self)
        new.specs = [spec if k == array else old for k, old in enumerate(self.specs)]
        return new

    def on_regions(self, mesh: Mesh) -> str:
        """The message about arguments on other devices than a ``shard_map`` of the function runs on."""
        words = self._call.places or f"The arguments are on {mesh_text(self.mesh)}"
        return _errors.REGION_ELSEWHERE.format(words=words, function=self.function, mesh=mesh_text(mesh), simulated="")

    def setting(self, mesh: Mesh) -> contextlib.AbstractContextManager[Any]:
        """Sets the mesh where no argument names it, and where the one that is set is another."""
        set_ = jax.sharding.get_mesh()
        return jax.set_mesh(mesh) if self._is_set or not set_.empty else contextlib.nullcontext()

    def _mesh_of_regions(self) -> AnyMesh:
        """The mesh that the function itself names, in a ``shard_map`` or a sharding."""
        shapes = [jax.ShapeDtypeStruct(*of) for of in self.shapes]
        found = first_mesh(meshes_in(_jax.open_jaxpr(self._call.jaxpr(self.arrays, shapes)[0])[0]))
        if found is None:
            raise NoMeshError(NO_MESH)
        return found

    def trace(self, mesh: AnyMesh, *, sets_mesh: bool = True) -> Any:
        """The function as a jaxpr, its arrays on a mesh.

        Args:
            mesh: the mesh.
            sets_mesh: whether it is the one in force; otherwise that is what the user set, or none.

        Raises:
            Exception: what the function or JAX raises.
        """
        with jax.sharding.use_abstract_mesh(abstract(mesh)) if sets_mesh else contextlib.nullcontext():
            return self._call.jaxpr(self.arrays, self.on(abstract(mesh)))[0]


def retyped(mesh: AnyMesh, kind: AxisType) -> AnyMesh:
    """The same mesh with all axes of one type."""
    types = (kind,) * len(mesh.axis_names)
    if isinstance(mesh, AbstractMesh):
        return AbstractMesh(mesh.axis_sizes, mesh.axis_names, axis_types=types)
    return Mesh(mesh.devices, mesh.axis_names, axis_types=types)


def abstract(mesh: AnyMesh) -> AbstractMesh:
    """A mesh without its devices."""
    return mesh if isinstance(mesh, AbstractMesh) else mesh.abstract_mesh


def is_explicit(mesh: AnyMesh) -> bool:
    """Whether all axes are Explicit."""
    return all(t == AxisType.Explicit for t in mesh.axis_types)


def is_auto(mesh: AnyMesh) -> bool:
    """Whether all axes are Auto."""
    return all(t == AxisType.Auto for t in mesh.axis_types)


def _closed_over(f: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The variables that a function, or the object that it is a method of, has besides its parameters."""
    f = inspect.unwrap(f)
    if inspect.ismethod(f):
        yield from ((f"self.{name}", value) for name, value in getattr(f.__self__, "__dict__", {}).items())
        f = f.__func__
    if inspect.isfunction(f):
        known = inspect.getclosurevars(f)
        yield from (*known.globals.items(), *known.nonlocals.items())


def _check_axes(name: str, spec: PartitionSpec, mesh: AnyMesh) -> None:
    listed = [e if isinstance(e, tuple) else (e,) for e in _jax.partitions(spec)]
    named = [axis for entry in listed for axis in entry if isinstance(axis, str)]
    if strange := [axis for axis in named if axis not in mesh.axis_names]:
        axes = ", ".join(f"{axis}={size}" for axis, size in mesh.shape.items())
        raise ValueError(OTHER_MESH.format(name=name, spec=spec, axis=strange[0], axes=axes))


def _mesh_of(leaves: Sequence[Any]) -> AnyMesh | None:
    shardings = [getattr(leaf, "sharding", None) for leaf in leaves]
    named = [s.mesh for s in shardings if isinstance(s, NamedSharding) and s.mesh.size]
    if named:
        return max(named, key=lambda m: m.size)
    context = jax.sharding.get_mesh()
    if not context.empty:
        return context
    around = jax.sharding.get_abstract_mesh()
    return _jax.entered_mesh() if around.empty else around


def _lies_on(leaf: Any, mesh: AnyMesh) -> bool:
    sharding = getattr(leaf, "sharding", None)
    return _is_triple(leaf) or (isinstance(sharding, NamedSharding) and sharding.mesh.size == mesh.size)


def _is_committed(leaf: Any) -> bool:
    """Whether ``jit`` takes an argument where it is placed."""
    if isinstance(leaf, jax.Array):
        return leaf.committed
    return _is_triple(leaf) or getattr(leaf, "sharding", None) is not None


def _spec_of(leaf: Any, mesh: AnyMesh) -> PartitionSpec:
    if _is_triple(leaf):
        return leaf[2]
    sharding = getattr(leaf, "sharding", None)
    return sharding.spec if isinstance(sharding, NamedSharding) else PartitionSpec()


def _host_memory(leaf: Any) -> str | None:
    """The host's memory that an array is offloaded to; None for the memory of the devices."""
    kind = getattr(getattr(leaf, "sharding", None), "memory_kind", None) or ""
    return kind if "host" in kind else None


def _legal(spec: PartitionSpec, mesh: AnyMesh) -> PartitionSpec:
    """A spec without what only Explicit axes allow, where the mesh has none."""
    if is_auto(mesh) and (spec.unreduced or spec.reduced):
        return PartitionSpec(*_jax.partitions(spec))
    return spec


def _is_triple(x: Any) -> bool:
    return isinstance(x, tuple) and len(x) == 3 and isinstance(x[2], PartitionSpec)


def _is_array(x: Any) -> bool:
    return isinstance(x, jax.Array | jax.ShapeDtypeStruct | np.ndarray | np.generic)


def _shape_of(leaf: Any) -> tuple[tuple[int, ...], Any]:
    shape, dtype = leaf[:2] if _is_triple(leaf) else (np.shape(leaf), _dtype(leaf))
    return tuple(shape), dtype


def _without_data(leaf: Any) -> Any:
    """An array as a shape, where ``jit`` takes it; anything else itself."""
    if not isinstance(leaf, jax.Array | np.ndarray | np.generic):
        return leaf
    sharding = getattr(leaf, "sharding", None) if _is_committed(leaf) else None
    weak = bool(getattr(leaf, "weak_type", False))
    return jax.ShapeDtypeStruct(*_shape_of(leaf), sharding=sharding, weak_type=weak)


def _dtype(x: Any) -> Any:
    return jax.dtypes.canonicalize_dtype(x.dtype) if isinstance(x, np.ndarray | np.generic) else x.dtype
