"""Programs of the shapes that JAX tests what is new in 0.11 and 0.12 with, named after those tests.

Each entry gives a function and its arguments; on a JAX without the names it needs, there is none.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax import parallel  # noqa: TID251 JAX's tests start collectives by these names.
from jax.experimental.scheduling_groups import scheduling_group
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

starts: Any = parallel
program_order: Any = importlib.import_module("jax.experimental.overlap").program_order
no_collectives: Any = jax.sharding.no_collectives  # pyright: ignore[reportAttributeAccessIssue]
KIND: Any = jax.sharding.UnreducedKind  # pyright: ignore[reportAttributeAccessIssue]
spec: Any = P
reduce_max: Any = lax.reduce_max
reduce_min: Any = lax.reduce_min

LINE = jax.make_mesh((4,), ("i",), axis_types=(jax.sharding.AxisType.Explicit,))
XY = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
X = jax.device_put(jnp.arange(64.0).reshape(16, 4), NamedSharding(LINE, P("i")))
W = jax.device_put(jnp.arange(48.0).reshape(3, 16) / 8, NamedSharding(LINE, P(None, "i")))
"""Rows of three layers of 4 × 4."""

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
"""What must equal ``jit``."""
REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
"""What JAX refuses, too."""


IN_GLOBAL_VIEW: set[str] = set()
"""Programs without a ``shard_map``."""


def mapped(*args: Any, among: Any = None, mesh: Any = LINE, out: Any = None) -> Callable[[Any], Any]:
    """Adds a body to the corpus, in a ``shard_map``."""

    def add(body: Any) -> Any:
        specs = tuple(jax.typeof(x).sharding.spec for x in args)
        f = jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P("i") if out is None else out)
        (PROGRAMS if among is None else among)[body.__name__] = f, args
        return body

    return add


def whole(*args: Any, among: Any = None) -> Callable[[Any], Any]:
    """Adds a function on Explicit axes to the corpus."""

    def add(f: Any) -> Any:
        IN_GLOBAL_VIEW.add(f.__name__)
        (PROGRAMS if among is None else among)[f.__name__] = f, args
        return f

    return add


def placed(*entries: Any) -> jax.Array:
    return jax.device_put(jnp.arange(64.0).reshape(8, 8), NamedSharding(XY, P(*entries)))


# ── Collectives that are started ──────────────────────────────────────────────────────────────────────────────────────


@mapped(X)
def lower_async_all_gather(x: Any) -> Any:
    return starts.all_gather_start(x, "i", tiled=True).done()[:4]


@mapped(X, out=P())
def lower_async_psum(x: Any) -> Any:
    return starts.psum_start(x, "i").done()


@mapped(X)
def lower_async_psum_scatter(x: Any) -> Any:
    return starts.psum_scatter_start(x, "i", scatter_dimension=0, tiled=True).done()


@mapped(X)
def lower_async_all_to_all(x: Any) -> Any:
    return starts.all_to_all_start(x, "i", split_axis=0, concat_axis=0, tiled=True).done()


@mapped(X)
def lower_async_ppermute(x: Any) -> Any:
    return starts.ppermute_start(x, "i", [(k, (k + 1) % 4) for k in range(4)]).done()


@mapped(X)
def async_psum_scatter_opt_barrier(x: Any) -> Any:
    @program_order(enforce=False)
    def body() -> Any:
        future = starts.psum_scatter_start(x, "i", scatter_dimension=0, tiled=True)
        b = x @ x.T
        return future.done(), b

    part, product = body()
    return part + product.sum()


@mapped(X)
def two_futures_at_once(x: Any) -> Any:
    one = starts.all_gather_start(x, "i", tiled=True)
    other = starts.ppermute_start(x * 2, "i", [(k, (k + 3) % 4) for k in range(4)])
    meanwhile = jnp.sin(x)
    return other.done() + meanwhile + one.done().sum()


@mapped(X, W)
def unrolled_fsdp_pipeline(x: Any, ws: Any) -> Any:
    w = lax.all_gather(ws[0], "i", tiled=True).reshape(4, 4)
    for layer in range(3):
        following = starts.all_gather_start(ws[min(layer + 1, 2)], "i", tiled=True)
        x = jnp.tanh(x @ w)
        w = following.done().reshape(4, 4)
    return x


@mapped(X, W)
def scan_fsdp_pipeline(x: Any, ws: Any) -> Any:
    def body(carry: Any, following: Any) -> Any:
        x, w = carry
        future = starts.all_gather_start(following, "i", tiled=True)
        x = jnp.tanh(x @ w)
        return (x, future.done().reshape(4, 4)), None

    first = lax.all_gather(ws[0], "i", tiled=True).reshape(4, 4)
    (x, w), _ = lax.scan(body, (x, first), ws[1:])
    return x @ w


@mapped(X, W)
def scan_fsdp_pipeline_program_order(x: Any, ws: Any) -> Any:
    @program_order(enforce=False)
    def body(carry: Any, following: Any) -> Any:
        x, w = carry
        future = starts.all_gather_start(following, "i", tiled=True)
        x = jnp.tanh(x @ w)
        return (x, future.done().reshape(4, 4)), None

    first = lax.all_gather(ws[0], "i", tiled=True).reshape(4, 4)
    return lax.scan(body, (x, first), ws[1:])[0][0]


@mapped(X, W, out=P(None, "i"), among=REFUSED)
def unrolled_fsdp_pipeline_grad(x: Any, ws: Any) -> Any:
    def loss(ws: Any) -> Any:
        future = starts.all_gather_start(ws[0], "i", tiled=True)
        y = jnp.tanh(x @ future.done().reshape(4, 4))
        return (y**2).sum()

    return jax.grad(loss)(ws)


@mapped(X)
def pbroadcast_with_a_dynamic_source(x: Any) -> Any:
    return lax.pbroadcast(x, "i", lax.psum(jnp.int32(1), "i") - 2)


# ── Scheduling groups ─────────────────────────────────────────────────────────────────────────────────────────────────


@mapped(X)
def scheduling_group_basic(x: Any) -> Any:
    @scheduling_group("sends")
    def sends(x: Any) -> Any:
        return lax.psum_scatter(x, "i", tiled=True)

    @scheduling_group("computes")
    def computes(x: Any) -> Any:
        return jnp.sin(x) * 2

    return sends(x) + computes(x)


@mapped(X)
def scheduling_group_in_a_scan(x: Any) -> Any:
    @scheduling_group("turn")
    def turn(carry: Any, _: Any) -> Any:
        return lax.ppermute(carry, "i", [(k, (k + 1) % 4) for k in range(4)]) + 1, None

    return lax.scan(turn, x, length=3)[0]


# ── no_collectives ────────────────────────────────────────────────────────────────────────────────────────────────────


@whole(placed("x", None), placed(None, "y"))
def no_collectives_dot_without_contraction(a: Any, b: Any) -> Any:
    with no_collectives({"x", "y"}):
        return a @ b


@whole(placed(None, "x"), placed("x", None))
def no_collectives_dot_unreduced_out(a: Any, b: Any) -> Any:
    with no_collectives({"x"}):
        part = jnp.dot(a, b, out_sharding=P(unreduced=frozenset({"x"})))
    return jax.reshard(part, P())


@mapped(placed("x", "y"), mesh=XY, out=P("x"))
def no_collectives_of_another_axis(a: Any) -> Any:
    with no_collectives({"x"}):
        return lax.psum(a, "y")


@mapped(placed("x", "y"), mesh=XY, out=P(None, "y"), among=REFUSED)
def no_collectives_psum(a: Any) -> Any:
    with no_collectives({"x"}):
        return lax.psum(a, "x")


@whole(placed(None, "x"), placed("x", None), among=REFUSED)
def no_collectives_dot(a: Any, b: Any) -> Any:
    with no_collectives({"x"}):
        return jnp.dot(a, b, out_sharding=P())


@whole(placed("x", None), among=REFUSED)
def no_collectives_reshard(a: Any) -> Any:
    with no_collectives({"x"}):
        return jax.reshard(a, P(None, "x"))


@whole(placed("x", None), among=REFUSED)
def no_collectives_reduce_sum(a: Any) -> Any:
    with no_collectives({"x"}):
        return a.sum(0)


# ── Unreduced kinds ───────────────────────────────────────────────────────────────────────────────────────────────────


@whole(placed(None, "x"), placed("x", None))
def unreduced_sum(a: Any, b: Any) -> Any:
    part = jnp.dot(a, b, out_sharding=P(unreduced=frozenset({"x"})))
    return jax.reshard(part + part, P("x"))


@whole(placed("x", None))
def unreduced_max(a: Any) -> Any:
    part = reduce_max(a, (0,), out_sharding=spec(None, unreduced=frozenset({"x"}), unreduced_kind=KIND.max))
    return jax.reshard(part, P())


@whole(placed("x", None))
def unreduced_min(a: Any) -> Any:
    part = reduce_min(a, (0,), out_sharding=spec(None, unreduced=frozenset({"x"}), unreduced_kind=KIND.min))
    return jax.reshard(part, P())


@whole(placed("x", None), among=REFUSED)
def unreduced_kinds_do_not_mix(a: Any) -> Any:
    part = reduce_max(a, (0,), out_sharding=spec(None, unreduced=frozenset({"x"}), unreduced_kind=KIND.max))
    return jax.reshard(part, P(None, unreduced=frozenset({"x"})))
