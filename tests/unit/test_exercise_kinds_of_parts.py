"""Exercises about arrays whose parts are maxima or minima: JAX 0.12 and newer have them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.teach.forms import AnswerError, read_spec
from shardwidget.teach.types import read_type

KIND: Any = getattr(jax.sharding, "UnreducedKind", None)
SPEC: Any = P
REDUCE_MAX: Any = lax.reduce_max
newer = pytest.mark.skipif(KIND is None, reason="this JAX knows partial sums alone")
MESH = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


def layout(*spec: Any, kind: str = "") -> Any:
    unreduced = {"unreduced": {"x"}, "unreduced_kind": KIND[kind]} if kind else {}
    return jax.ShapeDtypeStruct((8,), jnp.float32, sharding=NamedSharding(MESH, SPEC(*spec, **unreduced)))


@newer
@pytest.mark.parametrize("kind", ["max", "min"])
def test_the_collective_that_combines_maxima_is_no_sum(kind: str) -> None:
    exercise = sw.Exercise.choose_collective(layout("y", kind=kind), layout("y"))
    exercise.answer = {"collective": "psum", "over": "x"}
    assert not exercise.passed
    exercise.answer = {"collective": f"p{kind}", "over": "x"}
    assert exercise.passed


@newer
def test_a_type_with_partial_maxima_is_read_and_judged() -> None:
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    x = jax.device_put(jnp.zeros((8, 4)), NamedSharding(mesh, P("x", "y")))

    def f(x: Any) -> Any:
        return REDUCE_MAX(x, (0,), out_sharding=SPEC("y", unreduced={"x"}, unreduced_kind=KIND.max))

    with jax.set_mesh(mesh):
        exercise = sw.Exercise.predict_type(f, x)
        for answer, right in (("f32[4@y]{U:x}", False), ("f32[4@y]{U_max:x}", True), (jax.eval_shape(f, x), True)):
            exercise.answer = answer
            assert exercise.passed is right, answer


@newer
def test_a_spec_of_another_kind_is_another_spec() -> None:
    wanted = SPEC("y", unreduced={"x"}, unreduced_kind=KIND.max)
    exercise = sw.Exercise.write_spec((8,), MESH, gives=wanted)
    for answer, right in (
        ("P('y', unreduced={'x'})", False),
        ("P('y', unreduced={'x'}, unreduced_kind=jax.sharding.UnreducedKind.max)", True),
        (repr(wanted), True),
    ):
        exercise.answer = answer
        assert exercise.passed is right, answer


def test_a_kind_that_is_none_is_refused() -> None:
    with pytest.raises(AnswerError, match="is not a kind"):
        read_spec("P('y', unreduced={'x'}, unreduced_kind=mean)")
    if KIND is None:
        with pytest.raises(AnswerError, match="has no unreduced_kind"):
            read_spec("P('y', unreduced={'x'}, unreduced_kind=UnreducedKind.max)")
    assert read_type("f32[4@y]{U_max:x}") != read_type("f32[4@y]{U:x}")
    with pytest.raises(AnswerError, match="is not a state"):
        read_type("f32[4@y]{U_mean:x}")
