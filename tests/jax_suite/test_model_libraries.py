"""``read.model`` on what flax, equinox and optax create."""

import json
import pathlib
from typing import Any

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx
from flax.training.train_state import TrainState
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.models import MESH, eight, held, kept_tree, odd_tree, on_mesh, training_state

RULES = json.loads(pathlib.Path("js/tests/tree/code.json").read_text())
LOGICAL = json.loads(pathlib.Path("js/tests/tree/logical.json").read_text())


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


class Named(nn.Module):
    @nn.compact
    def __call__(self, x):
        init = nn.with_logical_partitioning(nn.initializers.ones, ("embed", "mlp"))
        bias = nn.with_logical_partitioning(nn.initializers.zeros, (None,))
        return x @ self.param("w", init, (8, 16)) + self.param("b", bias, (16,))


class NamedNet(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones((8, 16)), out_sharding=("embed", "mlp"), eager_sharding=False)
        self.b = nnx.Param(jnp.zeros(16))


def test_logical_names_of_flax_are_read_and_paths_stay_jaxs():
    linen = Named().init(jax.random.key(0), jnp.ones((4, 8)))
    net = NamedNet()
    for tree in (linen, net, nnx.state(net)):
        leaves = read.model(tree).leaves
        assert [leaf.path for leaf in leaves] == [
            jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(tree)
        ]
        assert {leaf.kind.shape: leaf.kind.logical for leaf in leaves} == {(8, 16): ("embed", "mlp"), (16,): ()}


def as_given(axes):
    return tuple(axes) if isinstance(axes, list) else axes


@pytest.mark.parametrize("case", LOGICAL["cases"], ids=lambda case: "-".join(map(str, case["names"])))
def test_the_rules_of_the_browsers_tests_are_flaxs(case):
    rules = [(name, as_given(axes)) for name, axes in case["rules"]]
    assert nn.logical_to_mesh_axes(case["names"], rules) == P(*map(as_given, case["spec"]))


def test_the_code_of_logical_rules_runs():
    given = Named().init(jax.random.key(0), jnp.ones((4, 8)))["params"]
    names = {"params": given, "mesh": eight()}
    exec(LOGICAL["code"], names)
    w = names["params"]["w"].value
    assert w.sharding.spec == P("model", None), "model is no longer free for mlp"


def test_the_code_of_logical_rules_leaves_all_else_as_it_is():
    given: Any = Named().init(jax.random.key(0), jnp.ones((4, 8)))["params"]
    given["w"].value.delete()
    plain = on_mesh(jnp.ones(8), P("data"))
    params = {
        "given": given,
        "plain": plain,
        "count": 3,
        "none": None,
        "w": given["w"].replace_boxed(jnp.ones((8, 16))),
    }
    names: dict[str, Any] = {"params": params, "mesh": eight()}
    exec(LOGICAL["code"], names)
    after = names["params"]
    assert after["w"].value.sharding.spec == P("model", None)
    assert after["plain"] is plain
    assert after["given"]["b"].value is given["b"].value, "its only name is None"
    assert (after["given"]["w"], after["count"], after["none"]) == (given["w"], 3, None)
    assert (names["shardings"]["plain"], names["shardings"]["given"]["b"]) == (None, None)


def test_the_code_of_logical_rules_runs_on_a_state_of_nnx():
    state: Any = nnx.state(NamedNet())
    bias = state["b"].get_value()
    names: dict[str, Any] = {"params": state, "mesh": eight(), "nnx": nnx}
    exec(LOGICAL["code"].replace("nn.get_partition_spec", "nnx.get_partition_spec", 1), names)
    assert names["params"]["w"].get_value().sharding.spec == P("model", None)
    assert names["params"]["b"].get_value() is bias


@pytest.mark.parametrize("case", RULES, ids=lambda case: case["tree"])
def test_the_code_of_rules_runs_and_gives_the_bytes_of_what_if(case):
    name = case["tree"]
    trees = {"state": (training_state, MESH), "odd": (odd_tree, eight()), "kept": (kept_tree, eight())}
    make, mesh = trees[name]
    tree = make()
    space: dict[str, Any] = {name: tree, "mesh": mesh}
    exec("\n".join(case["code"]), space)
    tree = space[name]
    if name == "state":
        # What is only shapes is not moved: the shardings are for whatever makes the arrays.
        def placed(x, sharding):
            return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding or x.sharding)

        tree = jax.tree.map(placed, tree, space["shardings"])
        assert tree["params"]["layers"][3]["up"].sharding.spec == P(None, ("data", "model"))
    assert read.model(tree).bytes_per_device == case["bytes"]


def test_the_code_of_rules_runs_on_a_train_state_with_numbers_and_functions():
    (case,) = (case for case in RULES if case["tree"] == "odd")
    params = {"w": jnp.ones((8, 16)), "copied": jnp.ones((8, 16))}
    odd: Any = TrainState.create(apply_fn=jnp.sin, params=params, tx=optax.adamw(1e-3))
    space = {"odd": odd, "mesh": eight()}
    exec("\n".join(case["code"]).replace("^(?!shape|host)", "w$"), space)
    moved, shardings = space["odd"], space["shardings"]
    assert moved.opt_state[0].mu["w"].sharding.spec == P("data")
    assert moved.params["copied"].sharding.spec == P("data", "model")
    assert (moved.step, moved.opt_state[0].count.sharding) == (0, odd.opt_state[0].count.sharding)
    total = jax.jit(lambda state: state.params["w"].sum(), in_shardings=(shardings,))(moved)
    assert total == 128
