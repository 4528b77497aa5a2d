"""``read.model`` of what flax, equinox and optax make."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.models import held, on_mesh


def agrees(tree, arrays: int) -> None:
    model = read.model(tree)
    assert model.arrays == arrays
    assert model.device_bytes == held(tree)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(8, 8, rngs=rngs) for _ in range(3)])
        self.drop = nnx.Dropout(0.1, rngs=rngs)


def test_flax_modules_states_and_optimizers():
    net = Net(nnx.Rngs(0))
    state = on_mesh(nnx.state(net, nnx.Param), P("data", "model"), P("model"))
    agrees(state, 6)
    nnx.update(net, state)
    optimizer = nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)
    model = read.model((net, optimizer))
    assert {leaf.path for leaf in model.leaves} >= {
        "[0].layers[0].kernel.value",
        "[1].opt_state[0].mu['layers'][2]['bias'].value",
    }
    kernel = next(leaf for leaf in model.leaves if leaf.path == "[0].layers[0].kernel.value")
    assert (kernel.type, kernel.bytes, kernel.bytes_per_device, kernel.copies) == ("f32[8@data,8@model]", 256, 32, 1)
    key = next(leaf for leaf in model.leaves if leaf.type == "key<fry>[]")
    assert (key.bytes, key.kind.state) == (8, "live")


def test_equinox_modules():
    net = eqx.nn.MLP(8, 8, 16, 2, key=jax.random.key(0), use_bias=False, use_final_bias=False)
    agrees(on_mesh(net, P("data", "model")), 3)
    others = [leaf for leaf in read.model(net).leaves if not leaf.kind.is_array]
    assert {leaf.kind.state for leaf in others} == {"none", "other"}
    assert all(leaf.bytes == 0 for leaf in others)


def test_optax_states():
    params = on_mesh({"w": jnp.ones((8, 16)), "b": jnp.ones(16)}, P("data", "model"))
    agrees(optax.adamw(1e-3).init(params), 5)
