"""``read.placement``: where an array's shards live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import jax
import numpy as np
from jax.core import Tracer
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec, Sharding

from shardwidget import _jax
from shardwidget.document import Ints, MpmdPlacement, Placement
from shardwidget.read import _errors
from shardwidget.read._cuts import dims_of_map, dims_of_spec
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._mpmd import is_mpmd, mpmd_placement

LEGAL = (
    "Legal forms: a jax.Array or a jax.Ref; a jax.ShapeDtypeStruct with sharding=; a tuple (shape, dtype, sharding); "
    "a jax.sharding.Mesh or AbstractMesh."
)

UNKNOWN_SHAPE = "the shape {shape} is not known: every size must be an integer, 0 or more."


@overload
def placement(x: Any, *, name: str = "") -> Placement: ...
@overload
def placement(x: Any, *, name: str = "", groups: tuple[Mesh, str]) -> MpmdPlacement: ...
def placement(x: Any, *, name: str = "", groups: tuple[Mesh, str] | None = None) -> Placement | MpmdPlacement:
    """Reads where an array's shards live, without touching its data.

    Args:
        x: a ``jax.Array`` (also deleted, or partly on other processes' devices), a ``jax.Ref``, read as the array that
            it holds, a ``jax.ShapeDtypeStruct`` with a sharding, a tuple ``(shape, dtype, sharding)``, or a ``Mesh`` or
            ``AbstractMesh`` alone. Also what behaves like JaxPP's ``MpmdArray``; and with ``groups`` an array on some
            groups of a mesh, or a list of its copies.
        name: what to call it.
        groups: a mesh, and the name of the axis that divides it into groups (MPMD).

    Returns:
        The placement, the same for a real array and for an abstract one of its shape, dtype and sharding. For an array
        on groups, an ``MpmdPlacement``.

    Raises:
        TypeError: ``x`` is not one of these, or is a tracer.
        ValueError: the sharding does not fit the shape (in JAX's words), or is missing.
    """
    if groups is not None or is_mpmd(x):
        return mpmd_placement(x, groups, name)
    if isinstance(x, Mesh | AbstractMesh):
        return Placement(read_mesh(x), None, name=name, state="abstract", jax_version=jax.__version__)
    given, x = x, as_typed(x)
    sharding = x.sharding
    if sharding is None:
        raise ValueError(_errors.NO_SHARDING.format(what=x, shape=x.shape, dtype=str(x.dtype)))
    if not _is_known(x.shape):
        raise ValueError(UNKNOWN_SHAPE.format(shape=x.shape))
    shape = tuple(map(int, x.shape))
    spec: PartitionSpec | None = None
    order = None
    if isinstance(sharding, NamedSharding):
        try:
            sharding.shard_shape(shape)
        except ValueError as error:
            raise ValueError(_errors.does_not_fit(shape, error)) from error
        spec = sharding.spec
        order = _jax.logical_device_ids(sharding)
        mesh = read_mesh(sharding.mesh, order)
        dims = dims_of_spec(shape, spec)
    else:
        devices, dims = dims_of_map(sharding, shape)
        mesh = read_devices(devices)
    aval = jax.typeof(x)
    return Placement(
        mesh=mesh,
        shape=shape,
        dims=dims,
        dtype=str(x.dtype),
        bits=8 * x.dtype.itemsize,
        name=name,
        type=("Ref " if isinstance(given, jax.Ref) else "") + _jax.type_text(aval),
        sharding=type(sharding).__name__,
        spec=None if spec is None else repr(spec),
        agreement=_agreement(aval.sharding.spec, sharding),
        unreduced=_in_mesh_order(sharding, "unreduced"),
        unreduced_kind="sum" if spec is None else _jax.unreduced_kind(spec),
        reduced=_in_mesh_order(sharding, "reduced"),
        memory_kind=sharding.memory_kind or "",
        logical_device_ids=None if order is None else Ints.pack(order),
        hlo=_jax.hlo_text(sharding, len(shape)),
        shardy=_jax.shardy_text(sharding, len(shape)),
        state="abstract" if isinstance(x, jax.ShapeDtypeStruct) else "deleted" if x.is_deleted() else "live",
        jax_version=jax.__version__,
    )


def as_typed(x: Any) -> jax.Array | jax.ShapeDtypeStruct:
    """An array as it is; that of a ``jax.Ref``; a tuple as the ``ShapeDtypeStruct`` that it describes.

    Raises:
        TypeError: it is neither.
        ValueError: the tuple's sharding does not fit its shape.
    """
    x = untraced(x)
    if isinstance(x, jax.Array | jax.ShapeDtypeStruct):
        return x
    if isinstance(x, tuple) and len(x) == 3 and isinstance(x[0], tuple | list):
        return _of_triple(x)
    raise _not_an_array(x)


def untraced(x: Any) -> Any:
    """The array that a ``jax.Ref`` holds; anything else as it is.

    Raises:
        TypeError: it is a tracer.
    """
    if isinstance(x, Tracer):
        raise TypeError(_errors.TRACER.format(type=jax.typeof(x)))
    return _jax.held_array(x)


def _of_triple(x: tuple) -> jax.ShapeDtypeStruct:
    shape, dtype, sharding = x
    if not _is_known(shape):
        raise _not_a_triple(x, f"the shape {shape!r} must hold integers, 0 or more")
    if isinstance(sharding, PartitionSpec):
        raise _not_a_triple(x, "a PartitionSpec names no devices; bind it to a mesh")
    if not isinstance(sharding, jax.sharding.Sharding):
        raise _not_a_triple(x, f"{sharding!r} is not a jax.sharding.Sharding")
    try:
        plain = jax.ShapeDtypeStruct(tuple(shape), dtype)
    except (TypeError, ValueError) as error:
        raise _not_a_triple(x, f"JAX refuses the dtype {dtype!r}: {error}") from error
    try:
        return plain.update(sharding=sharding)
    except ValueError as error:
        raise ValueError(_errors.does_not_fit(tuple(shape), error)) from error


def _is_known(shape: Sequence[Any]) -> bool:
    return all(isinstance(size, int | np.integer) and size >= 0 for size in shape)


def _in_mesh_order(sharding: Sharding, state: Literal["unreduced", "reduced"]) -> tuple[str, ...]:
    if not isinstance(sharding, NamedSharding):
        return ()
    return tuple(str(a) for a in sharding.mesh.axis_names if a in getattr(sharding.spec, state))


def _agreement(typed: PartitionSpec, sharding: Sharding) -> Literal["same", "silent", "partly", "differs", ""]:
    """Whether the type's spec agrees with the sharding on the Explicit axes: those that a type can name."""
    if not isinstance(sharding, NamedSharding):
        return ""
    kinds = {str(n): t.name for n, t in zip(sharding.mesh.axis_names, sharding.mesh.axis_types, strict=True)}
    explicit = {name for name, kind in kinds.items() if kind == "Explicit"}
    if not explicit:
        return "silent"
    if _on_axes(typed, explicit) != _on_axes(sharding.spec, explicit):
        return "differs"
    return "same" if len(explicit) == len(kinds) else "partly"


def _on_axes(spec: PartitionSpec, axes: set[str]) -> tuple:
    """What a spec says about some axes, in any of its forms."""
    dims = [tuple(a for a in dim.axes if a in axes) for dim in dims_of_spec((0,) * len(spec), spec)]
    while dims and not dims[-1]:
        dims.pop()
    return dims, spec.unreduced, spec.reduced


def _not_an_array(x: Any) -> TypeError:
    """For an argument of no legal form."""
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    hint = ""
    if kind.startswith("numpy.") or isinstance(x, bool | int | float | complex):
        hint = " It lives in the host's memory, on no device: jnp.asarray(x) makes a jax.Array from it."
    elif isinstance(x, tuple | list | dict):
        hint = (
            f" A {type(x).__name__} of {len(x)} is not one of these: ModelView and read.model take pytrees of arrays."
        )
    elif kind.endswith("Sharding"):
        hint = " A sharding alone has no shape: give (shape, dtype, sharding), or sharding.mesh for the mesh."
    elif kind.endswith("PartitionSpec") or kind == "jax.P":
        hint = " A PartitionSpec alone has no mesh: give (shape, dtype, NamedSharding(mesh, spec))."
    return TypeError(f"cannot read a {kind} as an array.{hint} {LEGAL}")


def _not_a_triple(x: tuple, reason: str) -> TypeError:
    """For a tuple of three that is not (shape, dtype, sharding)."""
    kinds = ", ".join(type(part).__name__ for part in x)
    return TypeError(
        f"cannot read the tuple ({kinds}) as (shape, dtype, sharding): {reason}. "
        "Write ((8, 16), 'float32', NamedSharding(mesh, PartitionSpec('x', 'y')))."
    )
