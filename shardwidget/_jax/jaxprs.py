"""Jaxprs and equations: taking them apart, applying them, changing them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import jax

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Primitive


@dataclass(frozen=True, eq=False)
class OpenJaxpr:
    """A jaxpr whose tracing stopped: the equations up to there. Read like a jaxpr."""

    invars: list[Any]
    constvars: list[Any]
    outvars: list[Any]
    eqns: list[Any]
    consts: list[Any]
    debug_info: Any


AnyJaxpr: TypeAlias = "ClosedJaxpr | Jaxpr | OpenJaxpr"


def open_jaxpr(jaxpr: Any) -> tuple[Any, tuple[Any, ...]]:
    """A jaxpr without its constants, and the constants.

    JAX 0.9 – 0.10: a ClosedJaxpr holds both, a Jaxpr has none. JAX 0.12: every Jaxpr holds its constants.
    """
    return getattr(jaxpr, "jaxpr", jaxpr), tuple(getattr(jaxpr, "consts", ()))


def closed(jaxpr: Any, consts: Any) -> Any:
    """A jaxpr with its constants.

    JAX 0.9 – 0.10: a ClosedJaxpr of both. JAX 0.12: every Jaxpr holds its constants.
    """
    if hasattr(jaxpr, "consts"):
        return jaxpr
    from jax.extend.core import ClosedJaxpr

    return ClosedJaxpr(jaxpr, list(consts))


def lowered_as(traced: jax.stages.Traced, jaxpr: Any) -> jax.stages.Lowered | None:
    """What was traced, lowered with another jaxpr that takes and returns the same. Arguments that it does not use stay.

    JAX 0.9 – 0.12: ``_params`` and ``_lojax``, which it keeps once it is lowered, are private. None where there are
    none.
    """
    params = getattr(traced, "_params", None)
    if not isinstance(params, dict) or not {"jaxpr", "keep_unused"} <= params.keys() or not hasattr(traced, "_lojax"):
        return None
    other: Any = copy.copy(traced)
    other._params = params | {"jaxpr": jaxpr, "keep_unused": True}
    other._lojax = None
    return other.lower()


def bind(eqn: JaxprEqn, *values: Any) -> list[Any]:
    """Applies an equation to values, in the context that it was traced in.

    JAX 0.9: ``get_bind_params`` returns functions and parameters; from 0.10 on, only parameters.
    """
    with eqn.ctx.manager:
        return bind_here(eqn.primitive, eqn.params, *values)


def bind_here(primitive: Primitive, params: dict[str, Any], *values: Any) -> list[Any]:
    """Applies a primitive to values, in the context of the caller."""
    bound = primitive.get_bind_params(params)
    functions, bound = bound if isinstance(bound, tuple) else ((), bound)
    out = primitive.bind(*functions, *values, **bound)
    return list(out) if primitive.multiple_results else [out]


def context_mesh(eqn: JaxprEqn) -> jax.sharding.AbstractMesh:
    """The mesh that an equation was traced under.

    JAX 0.9 – 0.12: ``ctx`` of an equation is not documented.
    """
    return eqn.ctx.cur_abstract_mesh


def context_key(eqn: JaxprEqn) -> tuple[Any, ...]:
    """What, besides its parameters, decides how an equation is applied.

    JAX 0.9 – 0.12: ``ctx`` of an equation is not documented.
    """
    ctx = eqn.ctx
    return ctx.compute_type, ctx.threefry_partitionable, ctx.cur_abstract_mesh, repr(ctx.xla_metadata)


def is_dropped(v: Any) -> bool:
    """Whether nothing can use an equation's result. JAX 0.9: ``DropVar`` is not public."""
    return type(v).__name__ == "DropVar"


def with_equations(jaxpr: Any, eqns: list[Any]) -> Any:
    """A jaxpr with other equations, some of which inspect a sharding."""
    effects = set(jaxpr.effects).union(*(eqn.effects for eqn in eqns)) if eqns else set(jaxpr.effects)
    return jaxpr.replace(
        eqns=eqns, effects=frozenset(e for e in effects if not hasattr(e, "input_index")) | jaxpr.effects
    )


def quick_options(*, fused: bool = True) -> dict[str, Any]:
    """Options to compile a program for CPUs that runs only once or twice: most of the time is XLA's compilation.

    Args:
        fused: whether operations are fused.
    """
    options: dict[str, Any] = {"xla_backend_optimization_level": 0, "xla_cpu_parallel_codegen_split_count": 1}
    if not fused:
        return options | UNFUSED
    return options | ({"xla_cpu_use_fusion_emitters": False} if FUSES_QUICKLY else {})


FUSES_QUICKLY = jax.__version_info__ < (0, 11)
"""Whether small fusions compile sooner than a kernel for each operation, by emitters that later versions lack: those of
JAX 0.9 and 0.10 take a fifth of the time."""

UNFUSED = {"xla_disable_hlo_passes": "fusion"}
"""Options to compile a program for CPUs with a kernel for each operation. JAX 0.9 – 0.12: the name of the pass."""
