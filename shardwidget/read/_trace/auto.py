"""A program without ``shard_map``, whose sharding the compiler chooses, beside the same on one device."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Mesh as DocumentMesh
from shardwidget.document import Trace
from shardwidget.document.difference import Difference, close
from shardwidget.document.trace import run_of
from shardwidget.document.unsharded import Unsharded, against_reference
from shardwidget.read._call import Call, FlatCall
from shardwidget.read._trace.arguments import Arguments, on_one_device
from shardwidget.read._trace.global_values import global_block
from shardwidget.read._trace.trace import trace_flat

ONLY_TOGETHER = (
    "No step differs when each value is among the results: the compiler makes the difference where it joins steps."
)
ROUNDING = (
    " It is {share:.2g} of the greatest element, which rounding may come to where it is amplified, as in a solve: "
    "rtol={rtol:g} accepts it."
)
AMPLIFIED = 100
"""By how much rounding may be amplified, beside the tolerance, to be named as the cause."""

OTHER_RESULTS = "{name} returns {ours} arrays and the reference {theirs}: give one that returns the same"


def auto(
    call: Call, mesh: DocumentMesh, reference: Callable[..., Any] | None, rtol: float, atol: float
) -> Unsharded | None:
    """``Trace.against`` of a program without ``shard_map``.

    Args:
        call: the function and its arguments.
        mesh: the one that they are on.
        reference: as of ``Trace.against``.
        rtol: as of ``Trace.against``.
        atol: as of ``Trace.against``.

    Raises:
        ValueError: an argument was deleted, or the reference returns other results.
    """
    arguments = Arguments(FlatCall(*call))
    compared = arguments if reference is None else Arguments(FlatCall(reference, call.args, call.kwargs))
    leaves = arguments.filled(on_host=False)
    alone = [jax.device_put(on_one_device(x), jax.local_devices()[0]) for x in leaves]
    whole = _flat(compared, keep=_on_one_device)
    results = jax.tree.leaves(arguments.called([jnp.copy(x) for x in leaves]))  # A donated argument is the user's.
    others = [on_host(x) for x in jax.jit(whole)(*alone)]
    if len(results) != len(others):
        raise ValueError(OTHER_RESULTS.format(name=arguments.function, ours=len(results), theirs=len(others)))
    pairs = list(zip(results, others, strict=True))
    if all(close(on_host(a), b, rtol, atol) for a, b in pairs):
        return None  # Whatever is in between was meant.
    one = trace_flat(_flat(arguments, keep=lambda s: s), leaves, arguments.names)
    two = trace_flat(whole, alone, compared.names)
    axes = {axis.name: axis.size for axis in mesh.axes}
    found = against_reference(run_of(one), run_of(two), axes, rtol, atol)
    if found is None:
        k, (a, b) = next((k, (a, b)) for k, (a, b) in enumerate(pairs) if not close(on_host(a), b, rtol, atol))
        device = _first(a, b, rtol, atol)
        last = len(one.steps) - 1
        why = ONLY_TOGETHER + _rounding(on_host(a), b, rtol)
        return Unsharded(last, f"result {k}", device, "return", None, (), on_host(a), b, why)
    return replace(found, device=_holder(one, found, rtol, atol))


def _rounding(result: np.ndarray, other: np.ndarray, rtol: float) -> str:
    """That rounding may be all of a small difference, and which tolerance accepts it; empty for any other."""
    if result.shape != other.shape or other.dtype.kind not in "fc" or not np.isfinite(result).all():
        return ""
    greatest = float(np.abs(other).max())
    share = float(np.abs(result - other).max()) / greatest if greatest else math.inf
    return ROUNDING.format(share=share, rtol=_above(share)) if share <= AMPLIFIED * rtol else ""


def _above(share: float) -> float:
    """The power of ten that is no less."""
    return 10.0 ** math.ceil(math.log10(share))


def _flat(arguments: Arguments, *, keep: Callable[[Any], Any]) -> Callable[..., list[Any]]:
    """A function of the arrays, without calls, with other shardings in its constraints."""
    return _jax.as_function(*_jax.flattened(arguments.trace()[0], keep=keep))


def _on_one_device(sharding: Any) -> NamedSharding:
    names = sharding.mesh.axis_names if isinstance(sharding, NamedSharding) else ("x",)
    mesh = Mesh(np.array(jax.local_devices()[0]).reshape((1,) * len(names)), names)
    return NamedSharding(mesh, PartitionSpec())


def on_host(x: Any) -> np.ndarray:
    """An array, or the data of keys, as NumPy's."""
    keys = jax.dtypes.issubdtype(jax.typeof(x).dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(x) if keys else x)


def _first(result: Any, other: np.ndarray, rtol: float, atol: float) -> int:
    """The first device of a result whose part differs; -1 where it is not known."""
    shards = result.addressable_shards if isinstance(result, jax.Array) else ()
    wrong = (s.device.id for s in shards if not close(on_host(s.data), other[s.index], rtol, atol))
    return min(wrong, default=-1)


def _holder(trace: Trace, found: Difference, rtol: float, atol: float) -> int:
    """The first device that holds a part which differs."""
    v = next((v for v in trace.steps[found.step].outputs if v.name == found.name), None)
    if v is None or len(v.dims) != found.mine.ndim or found.mine.shape != found.other.shape:
        return trace.mesh.device_ids.array().tolist()[0]
    for at, device in enumerate(trace.mesh.device_ids.array().tolist()):
        a, b = (global_block(x, v.dims, trace.mesh, at) for x in (found.mine, found.other))
        if not close(a, b, rtol, atol):
            return device
    return -1
