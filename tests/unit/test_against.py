"""``Trace.against``: faults that were planted in a program are found at their line, with their cause."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import load, read

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
