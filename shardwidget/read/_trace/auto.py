"""A program without ``shard_map``, whose sharding the compiler chooses, beside the same on one device."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget._config import config
from shardwidget.document.difference import Difference, Run, compare, equal
from shardwidget.document.trace import run_of
from shardwidget.document.unsharded import Unsharded
from shardwidget.read._call import FlatCall
from shardwidget.read._trace.arguments import Arguments
from shardwidget.read._trace.trace import trace_whole

ONLY_TOGETHER = (
    "No step differs when each value is among the results: the compiler makes the difference where it joins steps."
)


def auto(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    reference: Callable[..., Any] | None,
    rtol: float,
    atol: float,
) -> Unsharded | None:
    """``against`` of a program without ``shard_map``.

    Args:
        f: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        reference: as of ``against``.
        rtol: as of ``against``.
        atol: as of ``against``.
    """
    arguments = Arguments(FlatCall(f, args, kwargs))
    leaves, tree = arguments.filled(on_host=False), jax.tree.structure((args, dict(kwargs)))
    given = [jnp.copy(x) for x in leaves]  # A donated argument is the user's still.
    called, named = jax.tree.unflatten(tree, given)
    mine = f(*called, **named)
    alone = [jax.device_put(np.asarray(x), jax.local_devices()[0]) for x in leaves]
    mesh = next((x.sharding.mesh for x in leaves if isinstance(getattr(x, "sharding", None), NamedSharding)), None)
    whole = _flat(reference or f, args, kwargs, constrained=_on_one_device)
    results = [np.asarray(x) for x in jax.tree.leaves(mine)], [np.asarray(x) for x in jax.jit(whole)(*alone)]
    if all(equal(_wide(a), _wide(b), rtol, _scaled(b, rtol, atol)) for a, b in zip(*results, strict=True)):
        return None  # Whatever is in between was meant.
    one = run_of(trace_whole(_flat(f, args, kwargs, constrained=lambda s: s), tuple(leaves), None, config.keep))
    two = run_of(trace_whole(whole, tuple(alone), None, config.keep))
    found = compare(one, two, rtol, atol)
    sizes = [] if mesh is None else list(mesh.shape.values())
    if found is None:
        k = next(k for k, (a, b) in enumerate(zip(*results, strict=True)) if not equal(_wide(a), _wide(b), rtol, atol))
        a, b = (result[k] for result in results)
        return Unsharded(len(one.steps) - 1, f"result {k}", -1, "return", None, (), a, b, ONLY_TOGETHER)
    return Unsharded(**{**found.__dict__, "device": -1}, cause=_cause(found, sizes, one, two, rtol))


def _flat(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], *, constrained: Callable[[Any], Any]
) -> Callable[..., list[Any]]:
    """A function of the leaves, without calls, with other shardings in its constraints."""
    jaxpr = jax.make_jaxpr(f)(*args, **kwargs)
    return _jax.as_function(*_jax.flattened(jaxpr, keep=constrained))


def _on_one_device(sharding: Any) -> NamedSharding:
    names = sharding.mesh.axis_names if isinstance(sharding, NamedSharding) else ("x",)
    mesh = Mesh(np.array(jax.local_devices()[0]).reshape((1,) * len(names)), names)
    return NamedSharding(mesh, PartitionSpec())


def _wide(x: np.ndarray) -> np.ndarray:
    return x if x.dtype.kind in "fciub" else x.astype(np.float32)


def _scaled(x: np.ndarray, rtol: float, atol: float) -> float:
    """The tolerance of elements near 0, in which sums in another order differ."""
    return atol + rtol * float(np.abs(x).max(initial=0)) if x.dtype.kind == "f" else atol


def _cause(found: Difference, sizes: list[int], one: Run, two: Run, rtol: float) -> str:
    """What is likely wrong; empty where it is not known."""
    a, b = _wide(found.mine), _wide(found.other)
    line = f" in line {found.source.line}" if found.source else ""
    other = two.steps[found.step].source if found.step < len(two.steps) else None
    beside = ""
    alike = [s.primitive for s in one.steps] == [s.primitive for s in two.steps]
    if alike and other and found.source and other.text != found.source.text:
        beside = f" Line {found.source.line} is another than line {other.line} of the reference."
    if a.shape == b.shape and a.dtype.kind == "f" and a.size:
        for n in sorted({math.prod(c) for k in range(1, len(sizes) + 1) for c in combinations(sizes, k)} - {1}):
            if np.allclose(a, n * b, rtol=10 * rtol):
                return f"Each element is {n} times what it should be{line}: added once for each of {n} devices.{beside}"
            if np.allclose(n * a, b, rtol=10 * rtol):
                return f"Each element is 1/{n} of what it should be{line}: divided by {n} devices too many.{beside}"
    return beside.strip()
