"""``shardwidget.testing``: each planted fault fails the assertion that is about it, which passes without the fault."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.testing import (
    assert_collectives,
    assert_memory,
    assert_no_collectives,
    assert_placement,
    assert_sharded,
)

MESH = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
ALONE = jax.make_mesh((1,), ("x",), devices=jax.devices()[:1])


def shaped(shape, *spec, dtype=jnp.float32, mesh: jax.sharding.Mesh | jax.sharding.AbstractMesh = MESH):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


X = shaped((64, 512), "data")
W1, W2 = shaped((512, 1024), None, "model"), shaped((1024, 512), "model")


def layer(x, w1, w2):
    h = jax.nn.relu(x @ w1)
    return h @ w2


def gathered(x, w1, w2):
    h = jax.nn.relu(x @ w1)
    h = jax.lax.with_sharding_constraint(h, NamedSharding(MESH, P("data", None)))
    return h @ w2


def constrained(x, w1, w2):
    return jax.lax.with_sharding_constraint(layer(x, w1, w2), NamedSharding(MESH, P("data", None)))


def unconstrained(x, w1, w2):
    return jax.lax.with_sharding_constraint(layer(x, w1, w2), NamedSharding(MESH, P(None, None)))


def summed(x, w):
    return (x @ w).astype(jnp.bfloat16)


def looped(x, w1, w2):
    return jax.lax.scan(lambda h, _: (layer(h, w1, w2), None), x, None, length=12)[0]


WEIGHTS = jnp.ones((512, 512))


def closed_over(x):
    return x @ WEIGHTS


def passed(x, w):
    return x @ w


ADAM = {"params": {"w1": W1, "w2": W2}, "mu": {"w1": W1, "w2": W2}}
REPLICATED = ADAM | {"mu": {"w1": shaped((512, 1024)), "w2": W2}}
RULES = {"w1$": P(None, "model"), "w2$": P("model")}

# The assertion, what it is given with the fault and without it, and what its first line says.
FAULTS = {
    "an extra gather of activations": (
        lambda f: assert_no_collectives(f, X, W1, W2, axis="model", kind="all-gather"),
        gathered, layer, r"^all-gather.* over model: no all-gather over model is allowed. test_testing.py:\d+: ",
    ),
    "a dropped constraint on the batch": (
        lambda f: assert_collectives(f, X, W1, W2, allow={"model": {"all-reduce": 1}}),
        unconstrained, constrained, r"^all-gather over data.*: not allowed\. ",
    ),
    "weights split over the axis of the batch": (
        lambda w2: assert_no_collectives(layer, X, W1, w2, axis="data"),
        shaped((1024, 512), "data"), W2, r"^all-\S+ (of w2 )?over data: no collective over data is allowed",
    ),
    "one reduction more than planned": (
        lambda f: assert_collectives(f, X, W1, W2, allow={"model": {"all-reduce": 1}}),
        lambda x, w1, w2: layer(layer(x, w1, w2), w1, w2), layer,
        "^all-reduce over model: 2 in the program, 1 allowed",
    ),
    "a reduction that a loop repeats": (
        lambda f: assert_collectives(f, X, W1, W2, allow={"model": {"all-reduce": "64 KiB"}}),
        looped, layer, "^all-reduce over model: 384 KiB in all, 64 KiB allowed",
    ),
    "more bytes by a wider dtype": (
        lambda x: assert_collectives(layer, x, W1, W2, allow={"model": {"all-reduce": "32 KiB"}}),
        shaped((128, 512), "data"), X, "^all-reduce over model: 64 KiB in all, 32 KiB allowed",
    ),
    "a replicated optimizer state": (
        lambda tree: assert_sharded(tree, RULES), REPLICATED, ADAM,
        r"^mu/w1 is f32\[.*\], split as P\(\), not P\(None, 'model'\): 2 MiB on a device, 8 copies",
    ),
    "a large leaf that no rule is about": (
        lambda tree: assert_sharded(tree, RULES, replicated_up_to="4 KiB"),
        ADAM | {"table": shaped((512, 512))}, ADAM | {"bias": shaped((512,))},
        r"^table f32\[512,512\] has no rule, and takes 1 MiB on each device",
    ),
    "a rule that matches nothing any more": (
        lambda tree: assert_sharded(tree, RULES), {"kernel": shaped((8, 8))} | {"w1": W1}, ADAM,
        "no leaf matches 'w2\\$': this rule checks nothing",
    ),
    "axes of a spec swapped": (
        lambda x: assert_placement(x, P("data", "model")), shaped((64, 64), "model", "data"),
        shaped((64, 64), "data", "model"),
        r"^the array is f32\[.*\], split as P\('model', 'data'\), not P\('data', ",
    ),
    "weights on one device": (
        lambda tree: assert_sharded(tree, {"w": P(None, "model")}),
        {"w": jnp.ones((8, 8))}, {"w": shaped((8, 8), None, "model")}, "one device",
    ),
    "activations kept whole": (
        lambda given: assert_memory(layer, *given, at_most="3.2 MiB"),
        (shaped((2048, 512)), W1, W2), (X, W1, W2), "^layer needs .* on a device, .* more than 3.2 MiB. At the peak",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails_and_its_repair_passes(fault):
    check, wrong, right, message = FAULTS[fault]
    with pytest.raises(AssertionError, match=message):
        check(wrong)
    check(right)


def test_a_failure_names_the_line_the_bytes_and_the_mesh():
    with pytest.raises(AssertionError) as caught:
        assert_no_collectives(gathered, X, W1, W2)
    text = str(caught.value)
    assert "h @ w2" in text or "with_sharding_constraint" in text
    assert "KiB sent per device" in text
    assert text.endswith("gathered, compiled for 8 CPU devices, mesh data=4 model=2")


def test_an_abstract_mesh_has_no_compiler():
    mesh = jax.sharding.AbstractMesh((4, 2), ("data", "model"))
    with pytest.raises(ValueError, match="abstract"):
        assert_no_collectives(jnp.sin, shaped((64, 512), "data", mesh=mesh))


VACUOUS = {
    "no collectives": lambda x: assert_no_collectives(lambda a: a * 2, x),
    "collectives": lambda x: assert_collectives(lambda a: a * 2, x, allow={}),
    "placement": lambda x: assert_placement(x, P("x")),
    "tree": lambda x: assert_sharded({"w": x}, {"w": P("x")}),
}


@pytest.mark.parametrize("name", VACUOUS)
def test_what_passes_whatever_the_program_does_fails(name):
    with pytest.raises(AssertionError, match=r"one device.*checks nothing"):
        VACUOUS[name](jax.device_put(jnp.ones((8, 8)), NamedSharding(ALONE, P("x"))))


WRONG = {
    "an axis": (lambda: assert_no_collectives(layer, X, W1, W2, axis="dat"), "no axis 'dat'; its axes are 'data', 'mo"),
    "a kind": (lambda: assert_no_collectives(layer, X, W1, W2, kind="all_gather"), "Did you mean 'all-gather'"),
    "an allowed axis": (lambda: assert_collectives(layer, X, W1, W2, allow={"fsdp": {}}), "no axis 'fsdp'"),
    "a limit": (
        lambda: assert_collectives(layer, X, W1, W2, allow={"model": {"all-reduce": "many"}}),
        "'many' is not a number of bytes, such as 16 GiB",
    ),
    "a pattern": (lambda: assert_sharded(ADAM, {"(": P()}), "'\\(' is not a regular expression"),
    "an axis of a spec": (
        lambda: assert_placement(X, P("fsdp")),
        "names the axis 'fsdp'; the mesh has 'data', 'model'",
    ),
    "a spec that is too long": (
        lambda: assert_placement(X, P(None, None, "data")),
        "has 3 entries; .* has 2 dimensions",
    ),
    "no limit": (lambda: assert_memory(layer, X, W1, W2), "no limit is known: give at_most='16 GiB'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_is_no_failed_assertion(name):
    call, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_constants_are_part_of_the_memory_that_is_asserted():
    x = shaped((64, 512), "data")
    with pytest.raises(AssertionError, match="closed_over needs"):
        assert_memory(closed_over, x, at_most="512 KiB")
    assert_memory(passed, x, shaped((512, 512), None, "model"), at_most="1 MiB")


def test_axes_of_size_one_split_nothing():
    mesh = jax.make_mesh((8, 1), ("data", "model"))
    assert_placement(shaped((64, 64), "data", "model", mesh=mesh), P("data"))
    assert sw.read.placement(shaped((64, 64), "data", "model", mesh=mesh)).copies == 1
