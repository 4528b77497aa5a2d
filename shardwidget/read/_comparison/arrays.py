"""Arrays by themselves: ``jax.typeof(x)`` beside ``x.sharding``."""

from __future__ import annotations

from typing import Any

import jax
from jax.sharding import AxisType, NamedSharding

from shardwidget import _jax
from shardwidget.document import Compared, Comparison, Dim, Layout, Row
from shardwidget.findings.comparison import verdict
from shardwidget.read._comparison.rows import difference, single_axes, typed
from shardwidget.read._entries import entries, entries_text
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._placement import untraced

NO_ARRAYS = (
    "a comparison takes a function and its arguments, or a jax.Array or a pytree of them (a jax.ShapeDtypeStruct with "
    "a sharding will do); {got}"
)


def compare(tree: Any) -> Comparison:
    """One row for each array.

    Raises:
        TypeError: there is no array, or something else, such as a tracer, in the tree.
    """
    leaves = [(path, untraced(x)) for path, x in jax.tree.leaves_with_path(tree)]
    wrong = [(path, x) for path, x in leaves if not isinstance(x, jax.Array | jax.ShapeDtypeStruct)]
    for path, x in wrong[:1] if leaves else [((), tree)]:
        where = f"{jax.tree_util.keystr(path)} is a" if path else "got"
        raise TypeError(NO_ARRAYS.format(got=f"{where} {type(x).__name__}"))
    meshes = [x.sharding.mesh for _, x in leaves if isinstance(x.sharding, NamedSharding)]
    if meshes:
        mesh = read_mesh(max(meshes, key=lambda m: m.size))
    else:
        devices = [x.sharding.device_set for _, x in leaves if x.sharding is not None]
        if not devices:
            raise TypeError(NO_ARRAYS.format(got="got shapes without shardings"))
        mesh = read_devices(sorted(max(devices, key=len), key=lambda d: d.id))
    rows = tuple(Row("array", (_array(jax.tree_util.keystr(path).lstrip("."), x),)) for path, x in leaves)
    return Comparison("arrays", mesh, rows, verdict=verdict(rows, None), jax_version=jax.__version__)


def _array(name: str, x: Any) -> Compared:
    type_ = jax.typeof(x)
    explicit = typed(type_)
    if isinstance(x.sharding, NamedSharding):
        dims = entries(x.sharding.spec, x.ndim)
        cut = tuple(Dim(int(n), a) for n, a in zip(x.shape, dims, strict=True))
        spec = x.sharding.spec
        order = x.sharding.mesh.axis_names
        text = entries_text(dims) if not (spec.unreduced or spec.reduced) else str(spec)
        concrete = Layout(text, cut, *(tuple(a for a in order if a in axes) for axes in (spec.unreduced, spec.reduced)))
        if AxisType.Explicit not in x.sharding.mesh.axis_types:
            explicit = Layout(explicit.text)
    else:
        concrete = None if x.sharding is None else Layout(str(x.sharding), tuple(Dim(int(n)) for n in x.shape))
        explicit = Layout(explicit.text)
    agreement, note = difference(explicit, concrete, single_axes(type_))
    return Compared(
        name or "array",
        tuple(x.shape),
        str(x.dtype),
        8 * x.dtype.itemsize,
        explicit,
        _jax.plain_text(type_),
        concrete,
        agreement,
        note,
    )
