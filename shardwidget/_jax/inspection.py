"""Asking the compiler where it puts a value."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax

from shardwidget._jax.jaxprs import open_jaxpr

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


def inspection(eqn: JaxprEqn, v: Any, callback: Any) -> Any:
    """An equation that reports the compiler's sharding of a variable, after the equation that produces it.

    Args:
        eqn: the equation that produces the variable.
        v: the variable.
        callback: takes an XLA ``HloSharding``. It is called when the program is partitioned: not for one device.
    """
    return _inspection().replace(invars=[v], params={"callback": callback}, ctx=eqn.ctx, source_info=eqn.source_info)


@functools.lru_cache(maxsize=1)
def _inspection() -> Any:
    """``jax.debug.inspect_array_sharding`` as an equation that does not fail where a sharding is not a PartitionSpec.

    JAX 0.9 – 0.12: effects and lowerings are private.
    """
    from jax._src.debugging import debug_effect
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import hlo
    from jax.extend.core import Primitive

    primitive = Primitive("shardwidget_inspection")
    primitive.multiple_results = True
    primitive.def_effectful_abstract_eval(lambda aval, **_: ([], {debug_effect}))

    def lowered(ctx: Any, value: Any, *, callback: Any) -> list[Any]:
        key = xla_client.encode_inspect_sharding_callback(callback)
        ctx.module_context.add_keepalive(callback)
        hlo.CustomCallOp(
            [value.type],
            [value],
            call_target_name=ir.StringAttr.get("InspectSharding"),
            has_side_effect=ir.BoolAttr.get(True),
            api_version=mlir.i32_attr(1),
            called_computations=ir.ArrayAttr.get([]),
            backend_config=ir.StringAttr.get(key),
        )
        return []

    mlir.register_lowering(primitive, lowered)
    return open_jaxpr(jax.make_jaxpr(lambda x: primitive.bind(x, callback=None))(0.0))[0].eqns[0]


def debug_effect() -> Any:
    """The effect of an equation that inspects a sharding."""
    (effect,) = _inspection().effects
    return effect


def debugs(jaxpr: Any) -> bool:
    """Whether a jaxpr inspects a sharding."""
    return debug_effect() in jaxpr.effects
