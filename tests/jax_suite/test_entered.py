"""Functions that JAX runs elsewhere, in order, or with words for the compiler: what they do is seen, under their names.

A JAX that lacks one of them has none to test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import layout
from jax.sharding import PartitionSpec as P

import shardwidget as sw

X = jnp.arange(32.0).reshape(8, 4)


def body(x: Any) -> Any:
    total = lax.psum(x, "x")
    return total + x * 2


def entered() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Names, and functions that enter ``body``."""
    try:
        from jax.experimental.overlap import program_order  # type: ignore[import-not-found]
    except ImportError:
        pass
    else:
        yield "program_order", program_order(body, enforce=True)
        yield "program_order, not enforced", program_order(body, enforce=False)
    try:
        from jax.experimental.scheduling_groups import scheduling_group
    except ImportError:
        pass
    else:
        yield "scheduling_group early", scheduling_group("early")(body)
    from jax.experimental import compute_on

    # compute_on of JAX 0.11 was compute_on2 before; what was compute_on then is no equation.
    on: Any = getattr(compute_on, "compute_on2", None) or (
        compute_on.compute_on if jax.__version_info__ >= (0, 11) else None
    )
    if on is not None:
        device = jax.memory.Space.Device
        yield "compute_on device_host", on(body, compute_type="device_host", out_memory_spaces=device)


def mapped(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(lambda x: f(x) + 1, mesh=mesh, in_specs=P("x"), out_specs=P("x"))


def test_what_is_entered_is_walked_with_its_collectives_in_a_scope_of_its_name() -> None:
    for name, f in entered():
        for engine in (None, "host"):
            trace = sw.read.trace(mapped(f), X, engine=engine)
            sent = [step for step in trace.steps if step.collective is not None]
            assert [step.primitive for step in sent] == ["psum_invariant"], name
            assert trace.scopes[sent[0].scope].name == name
            np.testing.assert_allclose(np.asarray(trace.outputs), np.asarray(mapped(body)(X)))


def test_a_comparison_enters_it_too() -> None:
    for name, f in entered():
        comparison = sw.read.comparison(mapped(f), X)
        assert any(scope.name == name for scope in comparison.scopes)
        assert sum(row.primitive == "psum_invariant" for row in comparison.rows) == 1


def test_a_layout_changes_no_element() -> None:
    def turned(x: Any) -> Any:
        return layout.with_layout_constraint(x, layout.Layout((1, 0)))

    for engine in (None, "host"):
        trace = sw.read.trace(mapped(turned), X, engine=engine)
        step = next(step for step in trace.steps if step.primitive == "layout_constraint")
        assert step.sentence.endswith(
            "is laid out otherwise in memory. Its elements are the same, and nothing is sent."
        )
        np.testing.assert_array_equal(np.asarray(trace.outputs), np.asarray(X) + 1)


def test_an_explicit_layout_changes_no_element() -> None:
    explicit_layout: Any = getattr(layout, "explicit_layout", None)
    if explicit_layout is None:
        return

    def turned(x: Any) -> Any:
        return explicit_layout(lambda x: jnp.sin(x), in_layouts=layout.Layout((1, 0)))(x)

    for engine in (None, "host"):
        trace = sw.read.trace(mapped(turned), X, engine=engine)
        words = [step.sentence for step in trace.steps if step.primitive == "relayout"]
        assert len(words) == 2
        assert all("is laid out otherwise in memory" in sentence for sentence in words)
        np.testing.assert_allclose(np.asarray(trace.outputs), np.asarray(jax.jit(mapped(turned))(X)))
