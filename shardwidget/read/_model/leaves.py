"""What one leaf of a tree is, and where it lives. Equal leaves are read once."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.core import ShapedArray, Tracer
from jax.sharding import NamedSharding, Sharding, SingleDeviceSharding
from jax.typing import DTypeLike

from shardwidget import _jax
from shardwidget.document import Dim, Mesh
from shardwidget.document.leaf import LeafState, LeafType
from shardwidget.read import _errors
from shardwidget.read._cuts import dims_of_map, dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._mesh import read_devices, read_mesh


class LeafReader:
    """Reads leaves. No data is touched, and a leaf that raises is a leaf whose ``note`` says why."""

    def __init__(self) -> None:
        self.types: list[LeafType] = []
        self.meshes: list[Mesh] = []
        self.named: dict[int, Any] = {}
        """JAX's own mesh for each of ``meshes`` that a ``NamedSharding`` names."""
        self._type_at: dict[LeafType, int] = {}
        self._mesh_at: dict[Mesh, int] = {}
        self._seen: dict[Hashable, int] = {}

    def read(self, x: Any, logical: tuple[str, ...] = ()) -> int:
        """The index in ``types`` of what a leaf is.

        Args:
            x: the leaf.
            logical: logical names of its dimensions.
        """
        try:
            if not _is_array(x):
                return self._index(_of_other(x))
            found = self._array(_jax.held_array(x), is_ref=isinstance(x, jax.Ref))
            return self._with_names(found, logical) if logical else found
        except Exception as error:  # Leaves are of any class, and their shardings may be the user's own.
            words = f"{type(error).__name__}: {error}"
            return self._index(LeafType(_class_name(x), "unreadable", note=words))

    def shared(self, index: int, note: str) -> int:
        """The index in ``types`` of a leaf of a type that has the memory of another one, which the note names."""
        return self._index(replace(self.types[index], state="shared", note=note))

    def _array(self, x: Any, *, is_ref: bool) -> int:
        if isinstance(x, np.ndarray | np.generic):
            bits, on_devices = 8 * x.dtype.itemsize, _device_bits(x.dtype)
            text = _text(x.shape, x.dtype)
            return self._index(LeafType(text, "host", x.shape, str(x.dtype), bits, device_bits=on_devices))
        state, sharding = _state(x), x.sharding
        key = (x.shape, x.dtype, state, sharding, is_ref)
        found = self._seen.get(key)
        if found is None:
            placed = self._placed(x, state, sharding)
            found = self._seen[key] = self._index(replace(placed, type=f"Ref {placed.type}") if is_ref else placed)
        return found

    def _with_names(self, found: int, logical: tuple[str, ...]) -> int:
        key = (found, logical)
        named = self._seen.get(key)
        if named is None:
            named = self._seen[key] = self._index(replace(self.types[found], logical=logical))
        return named

    def _placed(self, x: Any, state: LeafState, sharding: Sharding) -> LeafType:
        shape = tuple(map(int, x.shape))
        bits = 8 * x.dtype.itemsize
        if sharding is None:
            return LeafType(_text(shape, x.dtype), state, shape, str(x.dtype), bits, device_bits=bits)
        spec = None
        if isinstance(sharding, NamedSharding):
            try:
                sharding.shard_shape(shape)
            except ValueError as error:
                raise ValueError(_errors.does_not_fit(shape, error)) from error
            spec = sharding.spec
            dims = dims_of_spec(shape, spec)
            mesh = read_mesh(sharding.mesh, _jax.logical_device_ids(sharding))
            self.named.setdefault(self._mesh(mesh), sharding.mesh)
        else:
            devices, dims = dims_of_map(sharding, shape)
            mesh = read_devices(devices)
        named = [] if spec is None else mesh.axes
        memory_kind = sharding.memory_kind or ""
        return LeafType(
            type=_text(shape, x.dtype, dims),
            state=state,
            shape=shape,
            dtype=str(x.dtype),
            bits=bits,
            mesh=self._mesh(mesh),
            dims=dims,
            spec=None if spec is None else spec_text(spec),
            sharding=type(sharding).__name__,
            unreduced=() if spec is None else tuple(a.name for a in named if a.name in spec.unreduced),
            reduced=() if spec is None else tuple(a.name for a in named if a.name in spec.reduced),
            memory_kind=memory_kind,
            offloaded=_is_offloaded(sharding, memory_kind),
            device_bits=bits,
        )

    def _index(self, kind: LeafType) -> int:
        at = self._type_at.setdefault(kind, len(self.types))
        if at == len(self.types):
            self.types.append(kind)
        return at

    def _mesh(self, mesh: Mesh) -> int:
        at = self._mesh_at.setdefault(mesh, len(self.meshes))
        if at == len(self.meshes):
            self.meshes.append(mesh)
        return at


def _is_array(x: Any) -> bool:
    if isinstance(x, Tracer):
        raise TypeError(_errors.TRACER.format(type=jax.typeof(x)))
    return isinstance(x, jax.Array | jax.Ref | jax.ShapeDtypeStruct | np.ndarray | np.generic)


def _of_other(x: Any) -> LeafType:
    return LeafType("None", "none") if x is None else LeafType(_class_name(x), "other")


def _state(x: Any) -> LeafState:
    if isinstance(x, jax.ShapeDtypeStruct):
        return "abstract"
    return "deleted" if x.is_deleted() else "live"


def _is_offloaded(sharding: Sharding, memory_kind: str) -> bool:
    """Whether this is memory of the host, or another that is not the devices' own."""
    if not memory_kind or isinstance(getattr(sharding, "mesh", None), jax.sharding.AbstractMesh):
        return "host" in memory_kind
    # The devices of other hosts do not know their default memory; it is that of this host's.
    known = (SingleDeviceSharding(device).memory_kind for device in sharding.device_set)
    default = next(filter(None, known), None)
    return memory_kind != default if default else "host" in memory_kind


def _text(shape: tuple[int, ...], dtype: DTypeLike, dims: tuple[Dim, ...] = ()) -> str:
    """A type with the axes that cut each dimension: ``bf16[1024@data,3072@(model,expert)]``."""
    return type_text(_short(dtype), shape, dims)


def type_text(short: str, shape: tuple[int, ...], dims: tuple[Dim, ...] = ()) -> str:
    """The same of a short dtype: ``bf16``."""
    if any(dim.axes for dim in dims):
        sizes = ",".join(f"{d.size}@{d.axes[0]}" if len(d.axes) == 1 else _many(d) for d in dims)
    else:
        sizes = ",".join(map(str, shape))
    return f"{short}[{sizes}]"


def _device_bits(dtype: np.dtype) -> int:
    """Bits of an element of a NumPy array on devices; 0 for a dtype that JAX has no arrays of."""
    try:
        return 8 * jax.typeof(np.empty((), dtype)).dtype.itemsize
    except TypeError:
        return 0


@functools.lru_cache
def _short(dtype: DTypeLike) -> str:
    """``f32`` for ``float32``; the name itself for a dtype that JAX has no arrays of."""
    try:
        return _jax.type_text(ShapedArray((), dtype)).removesuffix("[]")
    except TypeError:
        return str(dtype)


def _many(dim: Dim) -> str:
    return f"{dim.size}@({','.join(dim.axes)})" if dim.axes else str(dim.size)


def _class_name(x: Any) -> str:
    return type(x).__name__
