"""``shardwidget.testing``: each planted fault fails the assertion that is about it, which passes without the fault."""

import re
from pathlib import Path
from typing import Any

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


X, X64 = shaped((64, 512), "data"), shaped((64, 64), "data")
W1, W2 = shaped((512, 1024), None, "model"), shaped((1024, 512), "model")


def layer(x, w1, w2):
    h = jax.nn.relu(x @ w1)
    return h @ w2


def looped(x, w1, w2):
    return jax.lax.scan(lambda h, _: (layer(h, w1, w2), None), x, None, length=12)[0]


ADAM = {"params": {"w1": W1, "w2": W2}, "mu": {"w1": W1, "w2": W2}}
RULES = {"w1$": P(None, "model"), "w2$": P("model")}

TOKENS = shaped((8, 16), "data", dtype=jnp.int32)
IMAGES = shaped((64, 32, 32), "data", dtype=jnp.uint8)
MODEL = {
    "embed": shaped((64, 32), None, "model"),
    "layers": {"up": shaped((3, 32, 64), None, "data", "model"), "down": shaped((3, 64, 32), None, "model", "data")},
}
SPLIT = {
    "embed": P(None, "model"),
    r"/up$": P(None, "data", "model"),
    r"/down$": P(None, "model", "data"),
    "count": P(),
}


def state(told):
    """Adam's state: a jitted ``init`` uses shapes alone, so nothing says where its zeros are to be."""
    params = jax.tree.map(lambda x: jax.device_put(jnp.ones(x.shape, x.dtype), x.sharding), MODEL)
    shardings = jax.tree.map(lambda x: x.sharding, params)
    init = jax.jit(
        lambda p: {"count": jnp.zeros(()), "mu": jax.tree.map(jnp.zeros_like, p)},
        out_shardings={"count": NamedSharding(MESH, P()), "mu": shardings} if told else None,
    )
    return init(params)


def transformer(params, x):
    def block(h, w):
        h = h + jax.nn.relu(h @ w["up"]) @ w["down"]  # fault: a dropped constraint
        return h, None

    return jax.lax.scan(block, x, params["layers"])[0]


def dropped(params, tokens):
    return transformer(params, params["embed"][tokens])


def kept(params, tokens):
    x = params["embed"][tokens]
    return transformer(params, jax.lax.with_sharding_constraint(x, NamedSharding(MESH, P("data", None, None))))


def gathered(x, w1, w2):
    h = jax.nn.relu(x @ w1)  # fault: an extra gather
    h = jax.lax.with_sharding_constraint(h, NamedSharding(MESH, P("data", None)))
    return h @ w2


WEIGHTS = jax.random.normal(jax.random.key(0), (512, 512))


def closed_over(x):
    return x @ WEIGHTS  # fault: a closed-over weight


def passed(x, w):
    return x @ w


def widened(images):
    x = images.astype(jnp.float32) / 255  # fault: bytes widened before they are sent
    return jax.lax.with_sharding_constraint(x, NamedSharding(MESH, P()))


def narrow(images):
    return jax.lax.with_sharding_constraint(images, NamedSharding(MESH, P())).astype(jnp.float32) / 255


def averaged(axes):
    def mapped(w, x):
        g = jax.grad(lambda w: jnp.sum((x @ w) ** 2))(w)
        return jax.lax.pmean(g, axes)  # fault: a mean over axes with copies

    return jax.shard_map(mapped, mesh=MESH, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)


def probabilities(x, unembed):
    return jax.nn.softmax(x @ unembed)  # fault: weights split along the dimension that is summed


def microbatches(split):
    def loss(w, x):
        def micro(total, part):
            return total + jnp.sum(jnp.tanh(part @ w)), None

        return jax.lax.scan(micro, 0.0, split(x))[0]  # fault: microbatches along the split dimension

    return loss


def updated(params, x):
    return jax.tree.map(lambda p: p - 0.1 * jnp.tanh(p) * jnp.sum(x), params)


def trained(block):
    def loss(params, x):
        return jnp.sum(jax.lax.scan(block, x, params)[0])

    return jax.grad(loss)


def block(h, w):
    return jnp.tanh(h @ w), None  # fault: activations kept for the backward pass


def gradient(w, x):
    return jax.grad(lambda w: jnp.sum((x @ w) ** 2))(w)  # fault: results returned whole


FSDP = NamedSharding(MESH, P("data", "model"))
ALL_OF_A_BATCH: Any = {"data": {"all-reduce": "1 KiB"}}

# The assertion; what it is given with the fault, and without it; what the failure begins with; what avoids it.
FAULTS = {
    "a replicated optimizer state": (
        lambda told: assert_sharded(state(told), SPLIT), False, True,
        r"mu/embed is f32\[64,32\] on one device, not split as P\(None, 'model'\): 8 KiB there", "",
    ),
    "a dropped constraint": (
        lambda f: assert_no_collectives(f, MODEL, TOKENS, axis="data", kind="all-reduce"), dropped, kept,
        r"all-reduce of f32\[\d,16,32\] over data: no .* is allowed. {line}\n    24 KiB .*, 3 times: 72",
        "read.remedies",
    ),
    "an extra gather": (
        lambda f: assert_no_collectives(f, X, W1, W2, axis="model", kind="all-gather"), gathered, layer,
        r"all-gather of f32\[16,512\] over model: no all-gather over model is allowed. {line}\n    32 KiB",
        "is split over model because w1 (argument 1) is, through dot_general",
    ),
    "a closed-over weight": (
        lambda given: assert_memory(*given, at_most="640 KiB"),
        (closed_over, X), (passed, X, shaped((512, 512), None, "model")),
        "closed_over needs .* on a device, .* more than 640 KiB. .*\n +1 MiB  constant WEIGHTS f32.*  {line}",
        "Give them as arguments",
    ),
    "bytes widened before they are sent": (
        lambda f: assert_collectives(f, IMAGES, allow={"data": {"all-gather": "64 KiB"}}), widened, narrow,
        "all-gather of images over data: 192 KiB in all, 64 KiB allowed. {line}\n    192 KiB", "read.remedies",
    ),
    "a mean over axes with copies": (
        lambda axes: assert_no_collectives(averaged(axes), shaped((64, 64)), shaped((64, 64), "data"), axis="model"),
        ("data", "model"), "data",
        r"all-reduce of f32\[64,64\] over data, model: no collective over model is allowed. {line}\n    28 KiB",
        "the program asks for it",
    ),
    "weights split along the dimension that is summed": (
        lambda w: assert_collectives(probabilities, X, w, allow={"model": {"all-reduce": "1 KiB"}}),
        shaped((512, 4096), "model"), shaped((512, 4096), None, "model"),
        r"all-reduce of f32\[16,4096\] over model: 256 KiB in all, 1 KiB allowed. {line}\n    256 KiB", "read.remedies",
    ),
    "microbatches along the split dimension": (
        lambda split: assert_collectives(microbatches(split), shaped((64, 64)), X64, allow=ALL_OF_A_BATCH),
        lambda x: x.reshape(4, 16, 64), lambda x: x.reshape(16, 4, 64).swapaxes(0, 1),
        "all-gather of x over data: not allowed. {line}\n    12 KiB", "read.remedies",
    ),
    "a spec of one layer for all that are stacked": (
        lambda spec: assert_sharded({"layers": {"up": shaped((12, 64, 256), *spec)}}, {"up": P(None, None, "model")}),
        (None, "model"), (None, None, "model"),
        r"layers/up is f32\[.*\], split as P\(None, 'model'\), not P\(None, None, 'model'\): 384 KiB on a device", "",
    ),
    "a batch that nobody split": (
        lambda put: assert_placement(put(jnp.ones((64, 8))), P("data")),
        lambda x: x, lambda x: jax.device_put(x, NamedSharding(MESH, P("data"))),
        r"the array is f32\[64,8\] on one device, not split as P\('data'.*\): 2 KiB there", "",
    ),
    "a state that is not donated": (
        lambda step: assert_memory(step, {"w": shaped((2048, 1024), "data")}, X, at_most="3 MiB"),
        jax.jit(updated), jax.jit(updated, donate_argnums=0),
        r"updated needs .* more than 3 MiB. .*\n +2 MiB  argument params\['w'\] f32", "Donate or split",
    ),
    "activations kept for the backward pass": (
        lambda f: assert_memory(trained(f), shaped((12, 64, 64)), shaped((4096, 64), "data"), at_most="6 MiB"),
        block, jax.checkpoint(block),
        "loss needs .* more than 6 MiB. .*\n(?:.*\n)* +3 MiB  kept .* {line}", "jax.checkpoint makes it anew",
    ),
    "results returned whole": (
        lambda whole: assert_no_collectives(
            jax.jit(gradient, out_shardings=whole), shaped((512, 1024), "data", "model"), X, axis="model"
        ),
        NamedSharding(MESH, P()), FSDP,
        r"all-gather of f32\[.*\] over model: no collective over model is allowed. {line}\n    1 MiB", "read.remedies",
    ),
    "a large leaf that no rule is about": (
        lambda tree: assert_sharded(tree, RULES, replicated_up_to="4 KiB"),
        ADAM | {"table": shaped((512, 512))}, ADAM | {"bias": shaped((512,))},
        r"table f32\[512,512\] has no rule, and takes 1 MiB on each device", "",
    ),
    "a rule for a name that was changed": (
        lambda tree: assert_sharded(tree, RULES), {"kernel": shaped((8, 8))} | {"w1": W1}, ADAM,
        r"(?s).*no leaf matches 'w2\$': this rule checks nothing", "",
    ),
}  # fmt: skip


def line_of(fault: str) -> str:
    """The line where a fault is, as a failure writes it."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    found = [(number, line) for number, line in enumerate(lines, 1) if line.endswith(f"# fault: {fault}")]
    return "".join(f"test_testing.py:{number}: {line.strip()}" for number, line in found)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails_with_its_line_and_its_repair_passes(fault):
    check, wrong, right, message, avoids = FAULTS[fault]
    with pytest.raises(AssertionError) as caught:
        check(wrong)
    said = str(caught.value)
    assert re.match(message.replace("{line}", re.escape(line_of(fault))), said), said
    assert avoids in said
    check(right)


LIMITS = {
    "one reduction more than planned": (
        lambda f: assert_collectives(f, X, W1, W2, allow={"model": {"all-reduce": 1}}),
        lambda x, w1, w2: layer(layer(x, w1, w2), w1, w2),
        r"all-reduce of f32\[16,512\] over model: 2 in the program, 1 allowed",
    ),
    "a reduction that a loop repeats": (
        lambda f: assert_collectives(f, X, W1, W2, allow={"model": {"all-reduce": "64 KiB"}}),
        looped, r"all-reduce of f32\[16,512\] over model: 384 KiB in all, 64 KiB allowed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_places_and_bytes_are_limited(name):
    check, beyond, message = LIMITS[name]
    with pytest.raises(AssertionError, match=f"^{message}"):
        check(beyond)
    check(layer)


COPIED_EMBEDDING = MODEL | {"embed": shaped((64, 32))}
BASELINES = {
    "layer": lambda: sw.read.program(layer, X, W1, W2),
    "transformer": lambda: sw.read.program(jax.grad(lambda p, t: jnp.sum(kept(p, t))), COPIED_EMBEDDING, TOKENS),
    "mapped": lambda: sw.read.program(averaged("data"), shaped((64, 64)), X64),
    "params": lambda: sw.read.model(MODEL),
    "memory": lambda: sw.read.memory(layer, X, W1, W2),
}


@pytest.mark.parametrize("name", BASELINES)
def test_one_baseline_is_for_every_jax(name, sharding_baseline):
    sharding_baseline(BASELINES[name]())


def test_a_failure_names_the_line_the_bytes_and_the_mesh():
    with pytest.raises(AssertionError) as caught:
        assert_no_collectives(gathered, X, W1, W2)
    text = str(caught.value)
    assert "h @ w2" in text or "with_sharding_constraint" in text
    assert "KiB sent per device" in text
    assert "\ngathered, compiled for 8 CPU devices, mesh data=4 model=2\n" in text


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


def test_axes_of_size_one_split_nothing():
    mesh = jax.make_mesh((8, 1), ("data", "model"))
    assert_placement(shaped((64, 64), "data", "model", mesh=mesh), P("data"))
    assert sw.read.placement(shaped((64, 64), "data", "model", mesh=mesh)).copies == 1
