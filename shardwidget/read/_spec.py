"""``playground``: a spec to edit, and what JAX makes of every edit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, Sharding
from jax.sharding import PartitionSpec as P
from jax.typing import DTypeLike

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import (
    DtypeName,
    MeshAxis,
    Placement,
    Playground,
    SpecDraft,
    SpecEntry,
)
from shardwidget.read import _errors
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._placement import placement as read_placement
from shardwidget.read._placement import untraced
from shardwidget.read._wordings import check, forbidden, forbids, terms

NO_SHAPE = (
    "cannot edit the spec of {what}. Give a shape and a mesh, SpecPlayground((8, 16), mesh), or a jax.Array or a "
    "jax.ShapeDtypeStruct, SpecPlayground(x)."
)

NO_MESH = (
    "a spec is edited on a mesh; got {what}. Give a jax.sharding.Mesh, jax.make_mesh((4, 2), ('x', 'y')), "
    "or an AbstractMesh."
)

NO_MESH_TO_EDIT = "there is no mesh to edit a spec on. Give one: SpecPlayground(x, jax.make_mesh((4, 2), ('x', 'y')))."

ODD_AXES = "the mesh axes {names} must be strings: a spec is edited by their names."

MANUAL_AXES = (
    "{mesh} has Manual axes, which exist only inside jax.shard_map, where specs cannot name them. "
    "Give the mesh from outside."
)

OTHER_DEVICES = (
    "{mesh} has other devices than this playground's mesh, or the same in another order. "
    "Make another playground: SpecPlayground(shape, mesh)."
)

NO_NAMED_SHARDING = "the sharding must be a NamedSharding, such as NamedSharding(mesh, P('x', None)); got {what}."

OWN_MEMORY = (
    "{sharding} has a memory kind or an order of devices of its own, which cannot be edited here. "
    "Give NamedSharding(mesh, spec)."
)

NO_ARRAY = "there is no array to move. Make the playground of one: SpecPlayground(x), or SpecPlayground(x, mesh)."

ABSTRACT_TARGET = "{mesh} is abstract: it has {count} positions and no devices, so no array can be moved there."

SUMS_ON_AUTO = (
    "{mesh} has Auto axes, and JAX makes no unreduced values there: some versions refuse to, others return another "
    "value. Make all axes Explicit, or remove the unreduced axes from the spec."
)

INVALID_SPEC = "JAX does not accept the spec on screen, so nothing was moved. {error}"

DTYPES = (
    "float32", "bfloat16", "float16", "float64", "float8_e4m3fn", "float8_e5m2", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128", "int4", "uint4",
)  # fmt: skip


@dataclass(frozen=True)
class SpecCheck:
    """What JAX makes of a draft."""

    mesh: AnyMesh
    sharding: NamedSharding | None
    """None where JAX refuses it."""
    error: str = ""
    """JAX's class and words, ``ValueError: …``; empty where JAX accepts it."""


class SpecEditor:
    """An array and a mesh whose spec is edited. Uses JAX; holds no editing state."""

    def __init__(self, x: Any, mesh: AnyMesh | None, spec: P | None, dtype: DTypeLike | None, name: str) -> None:
        """Takes what ``SpecPlayground`` takes.

        Raises:
            TypeError: ``x`` is none of these, or is a tracer; the mesh or spec has another type.
            ValueError: there is no mesh, or it has axes that cannot be edited.
        """
        x = untraced(x)
        self.array = x if isinstance(x, jax.Array) else None
        if not isinstance(x, jax.Array | jax.ShapeDtypeStruct):
            shape, kind = _shape_of(x), jax.numpy.dtype("float32" if dtype is None else dtype)
        else:
            shape, kind = x.shape, x.dtype
            own = x.sharding if isinstance(x.sharding, NamedSharding) else None
            if own is not None and mesh in (None, own.mesh):
                mesh, spec = own.mesh, own.spec if spec is None else spec
        if mesh is None:
            raise ValueError(NO_MESH_TO_EDIT)
        self.mesh = _editable(mesh)
        self.axes = read_mesh(mesh).axes
        self.pool = _pool(mesh)
        draft = self.draft(shape, kind, self.axes, P() if spec is None else spec)
        self.document = Playground(
            mesh=read_mesh(mesh) if isinstance(mesh, AbstractMesh) else read_devices(self.pool),
            draft=draft,
            given=self.axes,
            dtypes=_dtypes(kind),
            terms=terms(mesh),
            forbids=forbids(draft),
            name=name or "x",
            array="" if self.array is None else _jax.type_text(jax.typeof(x)),
            most_devices=max(4096, mesh.size),
            jax_version=jax.__version__,
        )

    @classmethod
    def of(cls, document: Playground) -> SpecEditor:
        """An editor of what a document shows, on an abstract mesh: a document has no devices."""
        axes, draft = document.draft.axes, document.draft
        types = tuple(getattr(AxisType, axis.type) for axis in axes)
        mesh = AbstractMesh(tuple(a.size for a in axes), tuple(a.name for a in axes), axis_types=types)
        return cls(draft.shape, mesh, spec_of(draft), draft.dtype, document.name)

    def draft(self, shape: Iterable[int], dtype: DTypeLike, axes: tuple[MeshAxis, ...], spec: Any) -> SpecDraft:
        """A draft with this spec.

        Raises:
            TypeError: it is not a PartitionSpec.
        """
        if not isinstance(spec, P):
            raise TypeError(f"the spec must be a jax.sharding.PartitionSpec, such as P('x', None); got {spec!r}")
        dims = dims_of_spec((0,) * len(_jax.partitions(spec)), spec)
        order = [a.name for a in axes]
        return SpecDraft(
            tuple(map(int, shape)),
            str(jax.numpy.dtype(dtype)),
            axes,
            tuple(SpecEntry(d.axes, d.unconstrained) for d in dims),
            *(tuple(sorted(map(str, names), key=_place_in(order))) for names in (spec.unreduced, spec.reduced)),
        )

    def judge(self, draft: SpecDraft) -> SpecCheck:
        """Builds the draft's sharding, and asks whether its array fits it."""
        mesh = self.mesh_of(draft.axes)
        try:
            sharding = NamedSharding(mesh, spec_of(draft))
            check(sharding, draft.shape)
        except Exception as error:
            return SpecCheck(mesh, None, f"{type(error).__name__}: {error}")
        return SpecCheck(mesh, sharding)

    def forbidden(self, draft: SpecDraft) -> str:
        """JAX's class and words where ``no_collectives`` forbids ``jax.reshard`` to a draft; else empty."""
        rules = self.document.forbids
        before, after = (self.judge(d) for d in (rules.before if rules else draft, draft))
        same = rules is not None and (rules.before.axes, rules.before.shape) == (draft.axes, draft.shape)
        if rules is None or not same or before.sharding is None or after.sharding is None:
            return ""
        if any(axis.type != "Explicit" for axis in draft.axes):
            return ""
        return forbidden(before.sharding, after.sharding, draft.shape, rules.axes)

    def mesh_of(self, axes: tuple[MeshAxis, ...]) -> AnyMesh:
        """The mesh of these axes: the user's own, or one of the first devices, or an abstract one."""
        if axes == self.axes:
            return self.mesh
        sizes, names = tuple(a.size for a in axes), tuple(a.name for a in axes)
        types = tuple(AxisType[a.type] for a in axes)
        if not self.pool or math.prod(sizes) > len(self.pool):
            if isinstance(self.mesh, AbstractMesh):
                return self.mesh.update(sizes, names, types)
            return AbstractMesh(sizes, names, axis_types=types)
        return Mesh(np.array(self.pool[: math.prod(sizes)]).reshape(sizes), names, axis_types=types)

    def placement(self, draft: SpecDraft, sharding: NamedSharding) -> Placement:
        """Where the array would be."""
        return read_placement((draft.shape, jax.numpy.dtype(draft.dtype), sharding), name=self.document.name)

    def bare(self, draft: SpecDraft) -> Placement:
        """The mesh of a draft, alone."""
        return read_placement(self.mesh_of(draft.axes), name=self.document.name)

    def parts_of(self, sharding: Sharding) -> tuple[tuple[MeshAxis, ...], P]:
        """Axes and spec of a sharding that can be edited here.

        Raises:
            TypeError: it is not a NamedSharding.
            ValueError: it is on other devices than this mesh can have, or has more than an edited one can.
        """
        if not isinstance(sharding, NamedSharding):
            raise TypeError(NO_NAMED_SHARDING.format(what=type(sharding).__name__))
        mesh = _editable(sharding.mesh)
        axes = read_mesh(mesh).axes
        same = self.mesh_of(axes)
        if isinstance(same, Mesh) and isinstance(mesh, Mesh):
            known = list(same.devices.flat) == list(mesh.devices.flat)
        else:
            known = same == mesh
        if not known:
            raise ValueError(OTHER_DEVICES.format(mesh=mesh))
        if sharding != NamedSharding(mesh, sharding.spec):
            raise ValueError(OWN_MEMORY.format(sharding=sharding))
        return axes, sharding.spec

    def apply(self, judged: SpecCheck) -> jax.Array:
        """Moves the array to a sharding.

        Not every JAX can make an array unreduced, or reduce it, while it moves from one placement to another, and some
        abort the process when asked to. So it is reduced in place first, then moved, and made unreduced last.

        Raises:
            ValueError: there is no array, the sharding is refused, or its mesh is abstract.
            Exception: what JAX raises.
        """
        x, sharding = self.array, judged.sharding
        if x is None:
            raise ValueError(NO_ARRAY)
        if sharding is None:
            raise ValueError(INVALID_SPEC.format(error=judged.error))
        if isinstance(sharding.mesh, AbstractMesh):
            raise ValueError(ABSTRACT_TARGET.format(mesh=sharding.mesh, count=sharding.mesh.size))
        if sharding.spec.unreduced and AxisType.Auto in sharding.mesh.axis_types:
            raise ValueError(SUMS_ON_AUTO.format(mesh=sharding.mesh))
        own = x.sharding
        if isinstance(own, NamedSharding) and own.spec.unreduced:
            x = jax.reshard(x, _settled(own))
        if P.UNCONSTRAINED in _jax.partitions(sharding.spec):
            moved = jax.lax.with_sharding_constraint(x, sharding)
        elif sharding.spec.unreduced:
            moved = jax.reshard(jax.device_put(x, _settled(sharding)), sharding)
        else:
            moved = jax.device_put(x, sharding)
        self.array = jax.block_until_ready(moved)
        rules = self.document.forbids
        if rules is not None and isinstance(moved.sharding, NamedSharding):
            axes = read_mesh(moved.sharding.mesh).axes
            rules = replace(rules, before=self.draft(moved.shape, moved.dtype, axes, moved.sharding.spec))
        self.document = replace(self.document, array=_jax.type_text(jax.typeof(moved)), forbids=rules)
        return moved


def playground(
    x: Any,
    mesh: AnyMesh | None = None,
    *,
    spec: P | None = None,
    dtype: DTypeLike | None = None,
    name: str = "",
    fixed: bool = False,
) -> Playground:
    """Reads what editing a spec needs to know: devices, dtypes, JAX's words.

    Args:
        x: a shape, or a ``jax.Array``.
        mesh: the mesh; None takes that of the array.
        spec: the first spec, which need not fit; None takes that of the array, or ``P()``.
        dtype: of a shape; None takes float32.
        name: what to call the array.
        fixed: whether only the spec is edited.

    Raises:
        TypeError: ``x`` is neither, or the mesh or the spec is of another type.
        ValueError: there is no mesh, or it has axes that cannot be edited.
    """
    return replace(SpecEditor(x, mesh, spec, dtype, name).document, fixed=fixed)


def spec_of(draft: SpecDraft) -> P:
    """The PartitionSpec that a draft spells.

    Raises:
        ValueError: JAX refuses it, whatever the mesh.
    """
    entries = [P.UNCONSTRAINED if e.unconstrained else e.axes or None for e in draft.entries]
    return P(*entries, unreduced=frozenset(draft.unreduced), reduced=frozenset(draft.reduced))


def _settled(sharding: NamedSharding) -> NamedSharding:
    """The same placement, with all partial sums added up."""
    return sharding.update(spec=P(*_jax.partitions(sharding.spec)))


def _place_in(order: list[str]) -> Callable[[str], tuple[int, str]]:
    return lambda name: (order.index(name) if name in order else len(order), name)


def _shape_of(x: Any) -> tuple[int, ...]:
    if isinstance(x, int | np.integer):
        x = (x,)
    if isinstance(x, tuple | list) and all(isinstance(n, int | np.integer) and n >= 0 for n in x):
        return tuple(map(int, x))
    raise TypeError(NO_SHAPE.format(what=f"{type(x).__name__} {x!r:.80}"))


def _editable(mesh: AnyMesh) -> AnyMesh:
    if not isinstance(mesh, Mesh | AbstractMesh):
        raise TypeError(NO_MESH.format(what=type(mesh).__name__))
    if mesh.size == 0 or not mesh.axis_names:
        raise ValueError(_errors.EMPTY_MESH)
    odd = [name for name in mesh.axis_names if not isinstance(name, str)]
    if odd:
        raise ValueError(ODD_AXES.format(names=odd))
    if AxisType.Manual in mesh.axis_types:
        raise ValueError(MANUAL_AXES.format(mesh=mesh))
    return mesh


def _pool(mesh: AnyMesh) -> list[Any]:
    """Devices that a mesh can be made of: first its own, in its order, then the others of their platform."""
    if isinstance(mesh, AbstractMesh):
        return []
    own = list(mesh.devices.flat)
    try:
        all_devices = jax.devices(own[0].platform)
    except RuntimeError:  # Devices of a topology have no backend here.
        all_devices = []
    return own + [d for d in all_devices if d not in set(own)]


def _dtypes(own: Any) -> tuple[DtypeName, ...]:
    names = dict.fromkeys((str(own), *(n for n in DTYPES if str(jax.dtypes.canonicalize_dtype(n)) == n)))
    structs = [jax.ShapeDtypeStruct((), own if name == str(own) else name) for name in names]
    return tuple(
        DtypeName(name, _jax.type_text(jax.typeof(s)).partition("[")[0], 8 * s.dtype.itemsize)
        for name, s in zip(names, structs, strict=True)
    )
