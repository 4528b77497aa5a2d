"""Functions that flax and equinox jit: read like those of JAX, in the user's names."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.models import eight

MESH = eight()


def put(x, *spec):
    return jax.device_put(x, NamedSharding(MESH, P(*spec)))


def split(x):
    return put(x, "model") if x.ndim == 2 else put(x)


X = put(jnp.ones((16, 32)), "data")


def equinox_model():
    model = eqx.nn.MLP(32, 8, 64, 1, key=jax.random.key(0))
    return jax.tree.map(lambda x: split(x) if eqx.is_array(x) else x, model)


def descended(model, x):
    """One step of gradient descent: its result has the functions of the module, as its argument has."""
    loss, gradient = eqx.filter_value_and_grad(lambda model: (jax.vmap(model)(x) ** 2).mean())(model)
    return eqx.apply_updates(model, jax.tree.map(lambda g: -0.1 * g, gradient)), loss


def arguments(memory):
    """Type on a device by name, as the program has it."""
    return {b.name: b.type for b in memory.buffers if b.kind == "argument"}


def expected(**trees):
    """The same, as the shards of arrays have it."""
    leaves = [(n + jax.tree_util.keystr(p), x) for n, t in trees.items() for p, x in jax.tree.leaves_with_path(t)]
    arrays = [(name, x.addressable_shards[0].data) for name, x in leaves if isinstance(x, jax.Array)]
    return {name: f"f32[{','.join(map(str, x.shape))}]" for name, x in arrays}


@pytest.mark.parametrize("jit", [lambda f: f, eqx.filter_jit, eqx.filter_jit(donate="all-except-first")])
def test_a_step_of_equinox_has_its_own_donations_and_the_users_names(jit):
    model = equinox_model()
    f = jit(lambda x, model: descended(model, x))
    executable = read.compiled(f, X, model)
    memory = read.memory(executable)
    assert arguments(memory) == expected(x=X, model=model)
    assert memory.compiler
    donated = f.lower(X, model).lowered.compile().memory_analysis().alias_size_in_bytes if hasattr(f, "lower") else 0
    assert memory.compiler.aliased == donated
    assert (donated > 0) == getattr(f, "donate_rest", False)
    assert {c.axes for c in read.program(executable).collectives} == {("data",), ("model",)}


@pytest.mark.parametrize("donate", ["none", "all-except-first"])
def test_what_equinox_jits_is_measured_as_it_is_called(donate):
    """Jitted again, with arguments that are no arrays, it would be a program of other instructions."""
    key = jax.random.key(0)
    model = eqx.nn.MLP(784, 10, 64, 3, key=key)
    f = eqx.filter_jit(lambda x, model: descended(model, x), donate=donate)
    run = read.run(f, jnp.ones((256, 784)), model, n=2)
    assert [u.name for u in run.unjoined if u.why == "not in the program"] == []
    assert not any(x.is_deleted() for x in jax.tree.leaves(model) if eqx.is_array(x))
    assert read.time_program(f, (jnp.ones((256, 784)), model), n=1).runs == 1


def test_a_step_of_equinox_is_compared_and_may_be_given_shapes():
    model = equinox_model()
    comparison = read.comparison(eqx.filter_jit(descended), model, X)
    assert comparison.rows[-1].primitive == "outputs"
    assert len(comparison.rows[-1].values) == 5
    shapes = jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding) if eqx.is_array(x) else x, model
    )
    memory = read.memory(eqx.filter_jit(descended), shapes, X)
    assert arguments(memory) == expected(model=model, x=X)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.down = nnx.Linear(32, 8, rngs=rngs)

    def __call__(self, x):
        return self.down(jax.nn.relu(x))


def test_a_step_of_equinox_with_dropout_may_be_given_shapes():
    """Its number and its boolean are not traced, as ``filter_jit`` does not."""
    layer = eqx.filter_eval_shape(lambda: eqx.nn.MultiheadAttention(4, 32, key=jax.random.key(0)))

    @eqx.filter_jit
    def step(layer, x):
        return jnp.mean(layer(x, x, x))

    program = read.program(step, layer, jax.ShapeDtypeStruct((8, 32), jnp.float32))
    assert not program.collectives
    assert program.instructions


def test_arguments_of_nnx_jit_have_the_users_names():
    net = Net(nnx.Rngs(0))
    nnx.update(net, jax.tree.map(split, nnx.state(net)))

    def step(net, x):
        gradient = nnx.grad(lambda net: (net(x) ** 2).mean())(net)
        nnx.update(net, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(net), gradient))

    memory = read.memory(nnx.jit(step, donate_argnums=(0, 1)), net, X)
    assert arguments(memory) == expected(net=net, x=X)
    assert memory.compiler
    assert memory.compiler.aliased > 0
    jitted = nnx.jit(step)
    # What it writes is computed, and its collectives are those of the program.
    compared, alone = read.comparison(jitted, net, X).program, read.program(jitted, net, X)
    assert compared
    assert [(c.kind, c.axes, c.shapes) for c in compared.collectives] == [
        (c.kind, c.axes, c.shapes) for c in alone.collectives
    ]
    assert alone.collectives
    assert read.memory(nnx.jit(step, donate_argnums=0), net, X).peak_bytes == memory.peak_bytes
    # x does not come back, though a result would fit into its memory; net comes back, which saves nothing here.
    assert all("donate" not in remedy.what for remedy in read.remedies(jitted, net, X))


def test_writes_that_jit_does_not_keep_are_named():
    net = Net(nnx.Rngs(0))

    def forward(net, x):
        net.down.bias[...] = x.sum(0)[:8]
        return net.down(x)

    def returned(net, x):
        return forward(net, x), net

    jitted = nnx.jit(forward)
    for reader in (read.program, read.comparison):
        assert re.search(r"forward writes into its arguments \(net\.down\.bias\S*\)", reader(forward, net, X).note)
        assert "writes" not in reader(returned, net, X).note + reader(jitted, net, X).note


def test_remedies_of_filter_jit_are_no_donations():
    model, tried = eqx.nn.Linear(32, 8, key=jax.random.key(0)), []
    model = jax.tree.map(put, model)
    predict = eqx.filter_jit(lambda model, x: jax.vmap(model)(x))
    found = read.remedies(predict, model, X, progress=lambda number, count: tried.append(count))
    # The arrays can be split over either axis.
    assert set(tried) == {2}
    assert all("donate" not in remedy.code for remedy in found)
    donating = eqx.filter_jit(
        lambda x, model: jax.tree.map(lambda p: 2 * p, eqx.filter(model, eqx.is_array)), donate="all"
    )
    assert not read.remedies(donating, X, model)
