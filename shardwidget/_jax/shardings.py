"""Specs and shardings: their entries, devices and compiler texts."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable
from typing import Any

import jax

AnyMesh = jax.sharding.Mesh | jax.sharding.AbstractMesh

LONGEST_TEXT = 4096
"""Characters kept of an HLO or Shardy text, which spells out every device where the order is not a pattern."""


def forbidden_axes() -> tuple[str, ...]:
    """The axes over which ``jax.sharding.no_collectives`` forbids collectives here.

    JAX 0.11 – 0.12: that it has a ``value`` is not documented; before, nothing is forbidden.
    """
    state: Any = getattr(jax.sharding, "no_collectives", None)
    return () if state is None else tuple(sorted(axis for axis in state.value if isinstance(axis, str)))


def forbidding(axes: Iterable[str]) -> contextlib.AbstractContextManager[Any]:
    """Forbids collectives over these axes, and over no others; does nothing before JAX 0.11."""
    state: Any = getattr(jax.sharding, "no_collectives", None)
    return contextlib.nullcontext() if state is None else state(set(axes))


def partitions(spec: jax.sharding.PartitionSpec) -> tuple[Any, ...]:
    """The entries of a PartitionSpec: None, a name, a tuple of names or ``P.UNCONSTRAINED``.

    JAX 0.9: a spec with unreduced axes refuses to be iterated and ``partitions`` is private; public from 0.10 on.
    """
    return spec.partitions if hasattr(spec, "partitions") else spec._partitions


def unreduced_kind(spec: Any) -> str:
    """The operation that combines the parts on the unreduced axes of a spec, or of a type's manual axes.

    JAX 0.12: ``unreduced_kind`` is ``sum``, ``max`` or ``min``; before, it is always a sum.
    """
    kind = getattr(spec, "unreduced_kind", None)
    return "sum" if kind is None else kind.name.lower()


def of_kind(kind: str) -> dict[str, Any]:
    """The argument of a spec that says which operation combines its parts; none for a sum.

    Raises:
        ValueError: this JAX knows sums alone.
    """
    if kind == "sum":
        return {}
    kinds: Any = getattr(jax.sharding, "UnreducedKind", None)
    if kinds is None:
        raise ValueError(f"JAX {jax.__version__} has no unreduced_kind")
    return {"unreduced_kind": kinds[kind]}


def logical_device_ids(sharding: jax.sharding.Sharding) -> tuple[int, ...] | None:
    """A NamedSharding's own permutation of its mesh's devices, if it has one.

    JAX 0.9 – 0.12: a private constructor argument, which ``jit`` and ``device_put`` set.
    """
    return getattr(sharding, "_logical_device_ids", None)


def boundary_shardings(compiled: jax.stages.Compiled) -> tuple[list[Any], list[Any]]:
    """Shardings of a program's arguments and of its results, flat; None for an argument that it does not use.

    The contents of a ``jax.Ref`` come last in both: those of one that is closed over, and what each holds afterwards.
    JAX 0.9 – 0.12: ``input_shardings`` and ``output_shardings`` raise where there are such contents.
    """
    try:
        inputs = jax.tree.leaves(compiled.input_shardings, is_leaf=lambda x: x is None)
    except ValueError:
        inputs = list(compiled._executable._in_shardings)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        outputs = jax.tree.leaves(compiled.output_shardings, is_leaf=lambda x: x is None)
    except ValueError:
        outputs = list(compiled._executable._out_shardings)  # pyright: ignore[reportAttributeAccessIssue]
    return inputs, outputs


def device_assignment(sharding: jax.sharding.Sharding) -> tuple[Any, ...] | None:
    """The devices of a sharding in the order in which a compiled program counts them; None for an abstract one.

    JAX 0.9 – 0.12: private; only the set of devices is public.
    """
    try:
        return tuple(sharding._device_assignment)
    except (AttributeError, ValueError):
        return None


def spec_on(sharding: Any, mesh: jax.sharding.Mesh) -> jax.sharding.PartitionSpec | None:
    """An XLA ``HloSharding``, or a JAX sharding that holds one, as a spec on a mesh; None where no spec fits.

    JAX 0.9 – 0.12: the parser is private.
    """
    from jax._src.sharding_impls import parse_flatten_op_sharding

    sharding = getattr(sharding, "_hlo_sharding", sharding)
    try:
        spec = parse_flatten_op_sharding(sharding, mesh)[0]
        return getattr(spec, "get_partition_spec", lambda: spec)()
    except Exception:
        return None


def is_silent(sharding: Any) -> bool:
    """Whether a sharding is that of a type on Auto axes."""
    named = isinstance(sharding, jax.sharding.NamedSharding)
    return named and jax.sharding.AxisType.Explicit not in sharding.mesh.axis_types


def on_mesh(params: dict[str, Any], mesh: jax.sharding.AbstractMesh) -> dict[str, Any]:
    """Parameters of an equation with the shardings among them moved to a mesh of the same axes.

    A sharding that JAX itself records as the type of a result means nothing on Auto axes: it is left out.
    """
    moved = {key: _on(value, mesh) for key, value in params.items()}
    silent = [key for key in ("out_sharding", "sharding") if is_silent(params.get(key)) or is_silent(moved.get(key))]
    return moved | dict.fromkeys(silent)


def moved_to(sharding: Any, mesh: jax.sharding.Mesh) -> Any:
    """A sharding that ``jit`` was given, on a mesh with other axis types; one that is unspecified stays as it is."""
    if isinstance(sharding, jax.sharding.NamedSharding) and sharding.mesh.axis_names == mesh.axis_names:
        return jax.sharding.NamedSharding(mesh, sharding.spec, memory_kind=sharding.memory_kind)
    return sharding


def _on(value: Any, mesh: jax.sharding.AbstractMesh) -> Any:
    if isinstance(value, jax.sharding.NamedSharding) and value.mesh.axis_names == mesh.axis_names:
        return jax.sharding.NamedSharding(mesh, value.spec)
    return tuple(_on(v, mesh) for v in value) if type(value) is tuple else value


def hlo_text(sharding: jax.sharding.Sharding, rank: int) -> str:
    """The HLO sharding of an array of this rank, ``{devices=[4,2]<=[8]}``; empty where JAX has none.

    JAX 0.9 – 0.12: private method.
    """
    try:
        return _clip(str(sharding._to_xla_hlo_sharding(rank)))
    except Exception:
        return ""


def shardy_text(sharding: jax.sharding.Sharding, rank: int) -> str:
    """The Shardy attribute of an array of this rank, ``#sdy.sharding<mesh<["x"=4]>, [{"x"}]>``, or empty.

    JAX 0.9 – 0.12: private method; ``build`` takes a cache of attributes from 0.10 on. JAX 0.9.0 aborts for a
    GSPMDSharding whose devices follow no pattern, so only the classes that answer safely are asked. (For a
    GSPMDSharding, JAX would make up axis names.)
    """
    if not isinstance(sharding, jax.sharding.NamedSharding | jax.sharding.SingleDeviceSharding):
        return ""
    try:
        with _mlir_context():
            sdy: Any = sharding._to_sdy_sharding(rank)
            try:
                return _clip(str(sdy.build({})))
            except TypeError:
                return _clip(str(sdy.build()))
    except Exception:
        return ""


@functools.lru_cache(maxsize=1)
def _mlir_context() -> Any:
    # Making one takes 1.5 ms and more; building an attribute in one takes 20 µs.
    from jax._src.interpreters import mlir

    return mlir.make_ir_context()


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} … ({len(text)} characters)"


def entered_mesh() -> jax.sharding.Mesh | None:
    """The mesh of the ``with mesh:`` around the call; None where there is none.

    JAX 0.9 – 0.12: ``jax.sharding.get_mesh`` returns only that of ``jax.set_mesh``.
    """
    from jax._src.mesh import thread_resources

    mesh = thread_resources.env.physical_mesh
    return None if mesh.empty else mesh
