"""Types of values: how they are printed, which mesh axes they vary over, and values of a requested type."""

from __future__ import annotations

import functools
import re
from typing import Any

import jax
from jax.experimental.layout import Layout

from shardwidget._jax.shardings import partitions, unreduced_kind


def type_text(aval: Any) -> str:
    """A type as jaxprs print it, with short dtypes: ``f32[8@x,16]{U:y}``.

    JAX 0.9 – 0.12: ``str_short`` is not documented; ``str`` of a type is, and has long dtypes.
    """
    return aval.str_short(short_dtypes=True)


def manual_types(aval: Any) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Mesh axes over which a type varies, is unreduced and is reduced.

    JAX 0.9: ``vma`` and the spec of the sharding. From 0.10 on: ``manual_axis_type``, for manual axes, and the spec.
    """
    spec = getattr(getattr(aval, "sharding", None), "spec", None)
    unreduced, reduced = (frozenset(getattr(spec, state, None) or ()) for state in ("unreduced", "reduced"))
    manual = getattr(aval, "manual_axis_type", None)
    if manual is None:
        return frozenset(getattr(aval, "vma", ())), unreduced, reduced
    return frozenset(manual.varying), unreduced | manual.unreduced, reduced | manual.reduced


def partial_kind(aval: Any) -> str:
    """The operation that combines the parts of an unreduced value: sum, max or min."""
    manual = getattr(aval, "manual_axis_type", None)
    return unreduced_kind(manual if manual is not None and manual.unreduced else aval.sharding.spec)


def without_layout(x: Any) -> Any:
    """A value whose type says nothing of its layout in memory.

    JAX 0.11 – 0.12: types within ``explicit_layout`` say it, and the function that takes it off is private.
    """
    layout = getattr(jax.typeof(x), "layout", None)
    if layout is None or layout is Layout.AUTO:
        return x
    from jax._src.pjit import relayout  # type: ignore[attr-defined]

    return relayout(x, Layout.AUTO)


def is_ref(aval: Any) -> bool:
    """Whether a value is a ``jax.Ref``. JAX 0.9 – 0.12: the type is private."""
    return type(aval).__name__ == "AbstractRef"


def is_future(aval: Any) -> bool:
    """Whether a value is a future: a collective that was started, without its result. JAX 0.11 – 0.12: private."""
    return type(aval).__name__ == "AbstractFuture"


def is_changed_by_vmap(aval: Any) -> bool:
    """Whether a value is a key of a generator whose numbers ``jax.vmap`` changes.

    JAX documents it for ``rbg`` and ``unsafe_rbg``. JAX 0.9 – 0.12: the name of a key's type.
    """
    return jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key) and "rbg>" in str(aval.dtype)


def typed_as(x: Any, aval: Any) -> Any:
    """An array with the weak or strong type that a program gives it.

    JAX 0.9 – 0.12: no public function makes a weak type.
    """
    if getattr(x, "weak_type", None) in (None, aval.weak_type):
        return x
    from jax._src.lax.lax import _convert_element_type

    return _convert_element_type(x, aval.dtype, weak_type=aval.weak_type)


def with_sharding(aval: Any, sharding: jax.sharding.NamedSharding) -> Any:
    """A type with another sharding. JAX 0.9 – 0.12: ``update`` is not documented."""
    return aval.update(sharding=sharding)


def without_sharding(aval: Any) -> Any:
    """A type as it is outside of any mesh. JAX 0.9 – 0.12: ``update`` is not documented."""
    return aval.update(sharding=None) if getattr(aval, "sharding", None) is not None else aval


def kept(x: Any, axes: frozenset[str]) -> Any:
    """The same block, typed as varying over ``axes`` and neither unreduced nor reduced.

    ``jax.lax.pcast`` does this for invarying and reduced values only. JAX 0.9 – 0.12: a type with other manual axes is
    made by methods that are not documented; 0.12 also states the operation that combines unreduced axes.
    """
    return _kept_primitive().bind(x, axes=axes)


@functools.lru_cache(maxsize=1)
def _kept_primitive() -> Any:
    from jax.extend.core import Primitive
    from jax.interpreters import mlir

    primitive = Primitive("shardwidget_kept")
    primitive.def_abstract_eval(_kept_type)
    mlir.register_lowering(primitive, lambda ctx, x, *, axes: [x])
    return primitive


def _kept_type(aval: Any, *, axes: frozenset[str]) -> Any:
    sharding = aval.sharding.update(
        mesh=jax.sharding.get_abstract_mesh(), spec=jax.sharding.PartitionSpec(*partitions(aval.sharding.spec))
    )
    manual = getattr(aval, "manual_axis_type", None)
    if manual is None:
        return aval.update(sharding=sharding, vma=axes)
    sums = {"unreduced_kind": None} if hasattr(manual, "unreduced_kind") else {}
    none = frozenset()
    manual = manual.update(varying=axes, unreduced=none, reduced=none, **sums)
    return aval.update(sharding=sharding, manual_axis_type=manual)


def of_type(aval: Any) -> Any:
    """Some value of a type, in a program that is only traced."""
    return _some_primitive().bind(aval=aval)


@functools.lru_cache(maxsize=1)
def _some_primitive() -> Any:
    from jax.extend.core import Primitive

    primitive = Primitive("shardwidget_some")
    primitive.def_abstract_eval(lambda *, aval: aval)
    return primitive


def plain_text(aval: Any) -> str:
    """A type as jaxprs print it, without its sharding: what it is on Auto axes. JAX 0.9 – 0.12: as ``type_text``."""
    return re.sub(r"@(?:\([^)]*\)|[^,\]]+)|\{[^}]*\}$", "", type_text(aval))
