"""``Trace.against``: faults that were planted in a program are found at their line, with their cause."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import load, read
from shardwidget.document.difference import close
from shardwidget.read._trace.auto import _rounding

RNG = np.random.default_rng(0)
X, W, V, B = (RNG.normal(size=s).astype(np.float32) for s in ((8, 16), (16, 32), (32, 16), (16,)))


def mapped(f, x, out, check_vma=False):
    mesh = jax.make_mesh((2, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    return jax.shard_map(
        f, mesh=mesh, in_specs=(x, P(None, "model"), P("model", None), P()), out_specs=out, check_vma=check_vma
    )


def layer(x, w, v, b):
    return jax.lax.psum(jax.nn.relu(x @ w) @ v, "model") + b


def biased_early(x, w, v, b):
    y = jax.nn.relu(x @ w) @ v
    y = y + b
    return jax.lax.psum(y, "model")


def no_sum(x, w, v, b):
    y = jax.nn.relu(x @ w) @ v
    return jnp.tanh(y)


def summed_twice(x, w, v, b):
    y = jax.lax.psum(jax.nn.relu(x @ w) @ v, "model")
    return jax.lax.psum(y, "model") + b


def scanned(x, w, v, b):
    def turn(h, _):
        return jnp.tanh(jax.lax.psum(jax.nn.relu(h @ w) @ v, "model") + b), None

    return jax.lax.scan(turn, x, length=3)[0]


def mean(x, w, v, b):
    return jax.lax.pmean(jnp.mean(x), "data")


def sum_of_means(x, w, v, b):
    return jnp.sqrt(jax.lax.psum(jnp.mean(x**2), "data"))


def test_means_of_parts_agree_and_their_sum_does_not():
    assert read.trace(mapped(mean, P("data"), P()), X, W, V, B).against() is None
    found = read.trace(mapped(sum_of_means, P("data"), P()), X, W, V, B).against()
    assert found is not None
    assert "the sum of 2 means, which nothing has divided" in found.cause


@pytest.mark.parametrize("f", [layer, scanned])
@pytest.mark.parametrize("x", [P(), P("data")])
@pytest.mark.parametrize("checked", [False, True])
def test_a_right_program_agrees(f, x, checked):
    assert read.trace(mapped(f, x, x, checked), X, W, V, B).against() is None


def parts_in_bfloat16(x, w, v, b):
    y = (jax.nn.relu(x @ w) @ v).astype(jnp.bfloat16)
    return jax.lax.psum(y, "model").astype(jnp.float32) + b


def one_part_in_bfloat16(x, w, v, b):
    y = (jax.nn.relu(x @ w) @ v).astype(jnp.bfloat16)
    return y.astype(jnp.float32) + b


def test_the_rounding_of_the_coarsest_type_is_no_difference():
    right = read.trace(mapped(parts_in_bfloat16, P("data"), P("data")), X, W, V, B)
    assert right.against(rtol=1e-4) is not None
    assert right.against() is None
    found = read.trace(mapped(one_part_in_bfloat16, P("data"), P("data")), X, W, V, B).against()
    assert found is not None
    assert "psum over model is missing before add in line" in found.cause


@pytest.mark.parametrize(
    ("f", "text", "cause"),
    [
        (biased_early, "y = y + b", "y has parts of a sum over model, and b is whole on each device: added in line"),
        (summed_twice, 'jax.lax.psum(y, "model") + b', "Each block is 2 times what it should be: psum"),
    ],
)
def test_a_planted_fault_is_named_where_jax_checks_what_varies(f, text, cause):
    """JAX then adds steps that a program on one device does not have."""
    trace = read.trace(mapped(f, P("data"), P("data"), True), X, W, V, B)
    found = trace.against()
    assert found is not None
    assert found.source is not None
    assert text in found.source.text
    assert cause in found.cause


@pytest.mark.parametrize(
    ("f", "primitive", "text", "cause"),
    [
        (biased_early, "add", "y = y + b", ", before the sum, it is added 2 times"),
        (no_sum, "tanh", "jnp.tanh(y)", "psum over model is missing before tanh"),
        (summed_twice, "psum", 'jax.lax.psum(y, "model")', "Each block is 2 times what it should be: psum"),
    ],
)
def test_a_planted_fault_is_named(f, primitive, text, cause):
    found = read.trace(mapped(f, P("data"), P("data")), X, W, V, B).against()
    assert found is not None
    assert (found.primitive, found.device) == (primitive, 0)
    assert found.source is not None
    assert text in found.source.text
    assert cause in found.cause
    assert str(found).startswith(f"{found.name} differs first at step {found.step}, {primitive}, on device 0")


def shifted(by):
    def shift(x):
        y = x * 2
        return jax.lax.ppermute(y, "x", [(k, (k + by) % 4) for k in range(4)])

    mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,), devices=jax.devices()[:4])
    return jax.shard_map(shift, mesh=mesh, in_specs=P("x"), out_specs=P("x"))


def test_a_permutation_in_the_other_direction():
    found = read.trace(shifted(-1), X).against(shifted(1))
    assert found is not None
    assert found.primitive == "ppermute"
    assert "device 0 holds what device 2 has in the reference" in found.cause
    assert read.trace(shifted(1), X).against(shifted(1)) is None


def test_what_permutes_blocks_asks_for_a_reference():
    with pytest.raises(ValueError, match="Give a reference of the same mesh"):
        read.trace(shifted(1), X).against()


MESH = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def placed(x, *spec):
    return jax.device_put(x, jax.NamedSharding(MESH, P(*spec)))


def loss(x, w, v):
    h = jax.lax.with_sharding_constraint(jax.nn.relu(x @ w), jax.NamedSharding(MESH, P("data", "model")))
    h, _ = jax.lax.scan(lambda h, _: (jnp.tanh(h), None), h, length=2)
    return jnp.mean(jnp.sum((h @ v) ** 2, axis=1)), h


def loss_of_parts(x, w, v):
    h = jax.lax.with_sharding_constraint(jax.nn.relu(x @ w), jax.NamedSharding(MESH, P("data", "model")))
    h, _ = jax.lax.scan(lambda h, _: (jnp.tanh(h), None), h, length=2)
    return jnp.sum(jnp.sum((h @ v) ** 2, axis=1)) / (len(x) // 4), h


SHARDED = placed(X, "data"), placed(W, None, "model"), placed(V, "model")


def test_a_jitted_program_without_shard_map_agrees_with_itself_on_one_device_and_keeps_its_arguments():
    given = tuple(x + 0 for x in SHARDED)
    assert read.trace(jax.jit(loss, donate_argnums=0), *given).against() is None
    assert not given[0].is_deleted()
    assert read.trace(jax.jit(loss), *SHARDED).against(loss) is None


def test_a_small_difference_that_no_step_makes_may_be_rounding():
    one, other = np.array([1.0, 2.004], np.float32), np.array([1.0, 2.0], np.float32)
    assert not close(one, other, 1e-4, 1e-6)
    assert _rounding(one, other, 1e-4).endswith("as in a solve: rtol=0.01 accepts it.")
    assert close(one, other, 1e-2, 1e-6)
    assert not _rounding(np.array([1.0, 3.0], np.float32), other, 1e-4)
    assert not _rounding(np.array([1.0, np.nan], np.float32), other, 1e-4)
    assert not _rounding(np.array([0.1, 0.0], np.float32), np.zeros(2, np.float32), 1e-4)


def test_a_program_without_shard_map_and_its_reference():
    found = read.trace(jax.jit(loss_of_parts), *SHARDED).against(loss)
    assert found is not None
    assert "Each element is 4 times what it should be" in found.cause
    assert found.source is not None
    assert "len(x) // 4" in found.source.text


def halves(x, w):
    """The products of both halves of what is summed."""
    return jnp.einsum("bkd,kdo->kbo", x.reshape(8, 2, 8), w.reshape(2, 8, 32))


def whole(x, w, b):
    parts = halves(x, w)
    y = jnp.sum(parts, axis=0)
    y = y + b
    return jnp.roll(y, 1, axis=0)


def bias_in_each_half(x, w, b):
    parts = halves(x, w) + b
    y = jnp.sum(parts, axis=0)
    return jnp.roll(y, 1, axis=0)


def one_half(x, w, b):
    parts = halves(x, w)
    y = parts[0]
    y = y + b
    return jnp.roll(y, 1, axis=0)


def summed_again(x, w, b):
    parts = halves(x, w)
    y = jnp.sum(jnp.stack([jnp.sum(parts, axis=0)] * 2), axis=0)
    y = y + b
    return jnp.roll(y, 1, axis=0)


def rolled_back(x, w, b):
    parts = halves(x, w)
    y = jnp.sum(parts, axis=0)
    y = y + b
    return jnp.roll(y, -1, axis=0)


@pytest.mark.parametrize(
    ("f", "text", "cause"),
    [
        (
            bias_in_each_half,
            "halves(x, w) + b",
            "to each of 2 parts of a sum, before the sum over dim 0",
        ),
        (one_half, "parts[0]", "makes is to be added up over dim 0 before slice"),
        (summed_again, "* 2", "Each element is 2 times what it should be"),
        (rolled_back, "jnp.roll(y, -1, axis=0)", "along dim 0, 2 places before those of the reference"),
    ],
)
def test_a_fault_planted_in_a_jitted_program_is_named(f, text, cause):
    given = placed(X, "data"), placed(W, "model"), placed(np.ones(32, np.float32) * 3)
    assert read.trace(jax.jit(whole), *given).against(whole) is None
    found = read.trace(jax.jit(f), *given).against(whole)
    assert found is not None
    assert found.source is not None
    assert text in found.source.text
    assert found.device == 0
    assert cause in found.cause


def tanh_of_sum(x, w, v, b):
    y = jax.lax.psum(jax.nn.relu(x @ w) @ v, "model")
    return jnp.tanh(y)


def biased_late(x, w, v, b):
    y = jax.nn.relu(x @ w) @ v
    y = jax.lax.psum(y, "model")
    return y + b


def summed_once(x, w, v, b):
    y = jax.lax.psum(jax.nn.relu(x @ w) @ v, "model")
    return y + b


@pytest.mark.parametrize(
    ("f", "reference", "text", "cause"),
    [
        (no_sum, tanh_of_sum, "jnp.tanh(y)", "y is to be added up over model before tanh"),
        (biased_early, biased_late, "y = y + b", "to each of 2 parts of a sum, before the sum over model"),
        (summed_twice, summed_once, 'psum(y, "model") + b', "adds up 2 blocks that are equal"),
    ],
)
def test_a_planted_fault_is_named_beside_a_reference_of_the_same_mesh(f, reference, text, cause):
    spec = P("data")
    found = read.trace(mapped(f, spec, spec), X, W, V, B).against(mapped(reference, spec, spec))
    assert found is not None
    assert found.source is not None
    assert text in found.source.text
    assert (found.device, cause in found.cause) == (0, True), str(found)


def stepped(layer, turns, checked, inside):
    """A gradient through a ``shard_map``, or in one; ``turns`` of a layer in a scan, or one without."""
    mesh = jax.make_mesh((2, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:4])
    weights = P(None, "model"), P("model", None), P()

    def body(x, w, v, b):
        if not turns:
            return layer(x, w, v, b)
        return jax.lax.scan(lambda h, _: (layer(h, w, v, b), None), x, length=turns)[0]

    def given(x, *weights):
        return jax.value_and_grad(lambda p: jax.lax.pmean(jnp.mean(body(x, *p) ** 2), "data"))(weights)

    if inside:
        f = jax.shard_map(given, mesh=mesh, in_specs=(P("data"), *weights), out_specs=(P(), weights), check_vma=checked)
        return lambda x, w, v, b: f(x, w, v, b)
    f = jax.shard_map(body, mesh=mesh, in_specs=(P("data"), *weights), out_specs=P("data"), check_vma=checked)
    return lambda x, *weights: jax.value_and_grad(lambda p: jnp.mean(f(x, *p) ** 2))(weights)


def turn(h, w, v, b):
    y = jax.nn.relu(h @ w) @ v
    y = jax.lax.psum(y, "model")
    return jnp.tanh(y + b)


def turn_without_sum(h, w, v, b):
    y = jax.nn.relu(h @ w) @ v
    return jnp.tanh(y + b)


def turn_summed_twice(h, w, v, b):
    y = jax.lax.psum(jax.nn.relu(h @ w) @ v, "model")
    y = jax.lax.psum(y, "model")
    return jnp.tanh(y + b)


def turn_biased_early(h, w, v, b):
    y = jax.nn.relu(h @ w) @ v
    y = y + b
    return jnp.tanh(jax.lax.psum(y, "model"))


SMALL = tuple(0.3 * a for a in (X, W, V, B))
TURNS = pytest.mark.parametrize("turns", [0, 3])


@TURNS
@pytest.mark.parametrize(("checked", "inside"), [(False, False), (True, False), (True, True)])
def test_a_right_program_agrees_where_it_is_differentiated(turns, checked, inside):
    """On a mesh JAX divides cotangents among devices, and adds up what they have elsewhere than on one device."""
    assert read.trace(stepped(turn, turns, checked, inside), *SMALL).against() is None


@TURNS
@pytest.mark.parametrize(
    ("layer", "checked", "inside", "text", "cause"),
    [
        (
            turn_without_sum,
            False,
            False,
            "y + b",
            "parts of a sum over model, which nothing has added: psum over model",
        ),
        (turn_summed_twice, False, False, 'y = jax.lax.psum(y, "model")', "2 times what it should be: psum in line"),
        (turn_summed_twice, True, False, 'y = jax.lax.psum(y, "model")', "2 times what it should be: psum in line"),
        (turn_summed_twice, True, True, 'y = jax.lax.psum(y, "model")', "2 times what it should be: psum in line"),
        (turn_biased_early, False, False, "y = y + b", "weights[2] is whole on each device: added in line"),
        (turn_biased_early, True, False, "y = y + b", "weights[2] is whole on each device: added in line"),
        (turn_biased_early, True, True, "y = y + b", "[2] is whole on each device: added in line"),
        # Without checks the transpose of a psum is a psum, which adds up cotangents that are whole.
        (turn, False, True, 'y = jax.lax.psum(y, "model")', "times what it takes: psum in line"),
    ],
)
def test_a_fault_is_named_in_a_program_that_is_differentiated(turns, layer, checked, inside, text, cause):
    found = read.trace(stepped(layer, turns, checked, inside), *SMALL).against()
    assert found is not None
    assert found.source is not None
    assert text in found.source.text, str(found)
    assert (found.device, cause in found.cause) == (0, True), str(found)


@TURNS
@pytest.mark.parametrize(
    ("layer", "text", "cause"),
    [
        (turn_without_sum, "y + b", "that sum is missing"),
        (turn_summed_twice, 'y = jax.lax.psum(y, "model")', "adds up 2 blocks that are equal"),
        (turn_biased_early, "y = y + b", "weights[2] is added in line"),
    ],
)
def test_a_fault_is_named_beside_a_reference_that_is_differentiated_too(turns, layer, text, cause):
    reference = stepped(turn, turns, checked=False, inside=False)
    found = read.trace(stepped(layer, turns, False, False), *SMALL).against(reference)
    assert found is not None
    assert found.source is not None
    assert text in found.source.text, str(found)
    assert cause in found.cause


@TURNS
def test_a_permutation_in_the_other_direction_is_named_where_it_is_differentiated(turns):
    mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,), devices=jax.devices()[:4])

    def step(by):
        def layer(x):
            return jnp.tanh(x + jax.lax.ppermute(x * 2, "x", [(k, (k + by) % 4) for k in range(4)]))

        def body(x):
            return jax.lax.scan(lambda h, _: (layer(h), None), x, length=turns)[0] if turns else layer(x)

        f = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
        return jax.value_and_grad(lambda x: jnp.mean(f(x) ** 2))

    assert read.trace(step(1), X).against(step(1)) is None
    found = read.trace(step(-1), X).against(step(1))
    assert found is not None
    assert found.primitive == "ppermute"
    assert "device 0 holds what device 2 has in the reference" in found.cause


def sharded_step(fault):
    """Weights gathered for each layer; the gradient of the mean of a device's part."""
    mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,), devices=jax.devices()[:4])

    def step(w, x):
        def loss(w):
            return jnp.mean((jnp.tanh(x @ jax.lax.all_gather(w, "x", tiled=True)) + x) ** 2)

        y, g = jax.value_and_grad(loss)(w)
        if fault != "sum of means":
            g = g / (4 if fault == "number" else jax.lax.axis_size("x"))
        return y if fault == "mean of a part" else jax.lax.pmean(y, "x"), w - 0.1 * g

    return jax.shard_map(step, mesh=mesh, in_specs=(P("x"), P("x")), out_specs=(P(), P("x")), check_vma=False)


@pytest.mark.parametrize(
    ("fault", "text", "cause"),
    [
        ("sum of means", "w - 0.1 * g", "the sum of 4 means, which nothing has divided"),
        ("number", "w - 0.1 * g", "divides by 4, on one device too: if that is the size of an axis, write"),
        ("mean of a part", "def step", "means of parts over x, which nothing has added: pmean over x is missing"),
    ],
)
def test_a_step_of_gathered_weights(fault, text, cause):
    """Which result is wrong does not matter: the first is a loss, and the last one weights."""
    x = SMALL[0]
    assert read.trace(sharded_step(""), RNG.normal(size=(16, 16)), x).against() is None
    found = read.trace(sharded_step(fault), RNG.normal(size=(16, 16)), x).against()
    assert found is not None
    assert found.source is not None
    assert text in found.source.text, str(found)
    assert cause in found.cause


def test_steps_without_a_counterpart_are_left_out_and_counted():
    def early(x):
        n = len(x) // 2
        y = jnp.concatenate([x[:n], x[n:]]) if len(x) == 4 else x
        return jnp.tanh(jax.lax.psum(jax.lax.psum(y, "model"), "model"))

    mesh = jax.make_mesh((2, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:4])
    f = jax.shard_map(early, mesh=mesh, in_specs=P("data", "model"), out_specs=P("data", None), check_vma=False)
    found = read.trace(f, X).against()
    assert found is not None
    assert found.left_out == 3
    assert "3 steps before it" in str(found)


def test_what_was_not_run_is_not_said_to_agree(tmp_path):
    path = tmp_path / "trace.json"
    trace = read.trace(mapped(layer, P(), P()), X, W, V, B)
    trace.to_json(path)
    with pytest.raises(ValueError, match="no longer has the function and its arguments"):
        load(path).against()
    with pytest.raises(ValueError, match="not run on a mesh of devices"):
        read.trace(jnp.sin, X).against()
    large = jax.ShapeDtypeStruct((2**15, 2**14), np.float32)
    mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,), devices=jax.devices()[:4])
    f = jax.shard_map(jnp.sin, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    with pytest.raises(ValueError, match="was not run, so there are no values to compare"):
        read.trace(f, large).against()
