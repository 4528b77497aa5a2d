"""What ``read.memory`` calls buffers: constants, results, gradients that a loop fills, arguments that are replaced."""

import functools
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.models import eight

MESH = eight()
MIB = 2**20
X = jax.ShapeDtypeStruct((16, 512), "float32")


def values(*shape: int) -> np.ndarray:
    # Numbers without a pattern: XLA replaces a constant that it can compute.
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


TABLE = jnp.asarray(values(512, 512))
SPLIT = jax.device_put(values(512, 640), NamedSharding(MESH, P("data", "model")))
TREE = {"up": jnp.asarray(values(512, 513)), "down": jnp.asarray(values(513, 512))}
PAIR = [jnp.asarray(values(512, 514)), jnp.asarray(values(512, 514)) + 1]
HOST = values(512, 515)


def of_module(x):
    return jnp.tanh(x) @ TABLE


def of_tree(x):
    return jnp.tanh(x @ TREE["up"]) @ TREE["down"]


def of_callee(x):
    return of_module(x) + 1


def local():
    weights = jnp.asarray(values(512, 516))
    return lambda x: x @ weights


def two_alike(x):
    return x @ PAIR[0] + x @ PAIR[1]


def of_numpy(x):
    return x @ HOST


def split_elsewhere(x):
    return x @ SPLIT


class Layer(nnx.Module):
    def __init__(self):
        self.kernel = nnx.Param(jnp.asarray(values(512, 517)))

    def __call__(self, x):
        return x @ self.kernel[...]


LAYER = Layer()


def of_nnx(x):
    return LAYER(x)


class Plain:
    def __init__(self):
        self.w = jnp.asarray(values(512, 518))

    def __call__(self, x):
        return x @ self.w


def in_a_loop(x):
    return jax.lax.fori_loop(0, 4, lambda _, h: jnp.tanh(h @ TABLE), x)


CLOSED_OVER = {
    "a global": (of_module, {"TABLE"}),
    "a global of a jitted function": (jax.jit(of_module), {"TABLE"}),
    "a tree": (of_tree, {"TREE['up']", "TREE['down']"}),
    "a global of a function that is called": (of_callee, {"TABLE"}),
    "a local variable": (local(), {"weights"}),
    "a keyword of partial": (functools.partial(lambda x, w: x @ w, w=jnp.asarray(values(512, 519))), {"w"}),
    "two of one shape": (two_alike, {"PAIR[…]"}),
    "an array of NumPy": (of_numpy, {"HOST"}),
    "an array that is split": (split_elsewhere, {"SPLIT"}),
    "a module of nnx": (of_nnx, {"LAYER"}),
    "an object": (Plain().__call__, {"self.w"}),
    "in the body of a loop": (in_a_loop, {"TABLE"}),
    "within a fusion": (lambda x: (x @ TABLE).sum(), {"TABLE"}),
    "for a gradient": (jax.grad(lambda x: (of_module(x) ** 2).sum()), {"TABLE"}),
}


@pytest.mark.parametrize("name", CLOSED_OVER)
def test_what_a_function_closes_over_counts_and_has_its_name_and_line(name):
    f, expected = CLOSED_OVER[name]
    x = jax.ShapeDtypeStruct(X.shape, X.dtype, sharding=NamedSharding(MESH, P())) if f is split_elsewhere else X
    memory = read.memory(f, x)
    found = memory.closed_over
    assert found
    assert {b.name.split(".kernel")[0] for b in found} == expected
    assert all(b.kind == "constant" and b.axes == () and b.bytes >= MIB for b in found)
    assert all(b.born == 0 and b.dies == memory.steps - 1 for b in found), "it is there throughout"
    assert all(b.source and b.source.file == "test_memory_names.py" for b in found)
    assert memory.compiler
    assert memory.peak_bytes >= memory.compiler.arguments + sum(b.bytes for b in found)
    assert memory.difference == pytest.approx(0, abs=0.01)
    said = repr(memory)
    assert "of the program: every device holds all of" in said
    assert found[0].name in said


def test_given_as_an_argument_it_is_split_and_not_pointed_out():
    x = jax.ShapeDtypeStruct(X.shape, X.dtype, sharding=NamedSharding(MESH, P()))
    inside, given = read.memory(split_elsewhere, x), read.memory(lambda x, w: x @ w, x, SPLIT)
    assert not given.closed_over
    assert given.constant_bytes < 1024
    assert inside.constant_bytes > given.constant_bytes + SPLIT.nbytes / 2
    assert "is a constant" not in repr(given)


@pytest.mark.parametrize(
    "f",
    [lambda x: x @ jnp.ones((512, 512)), lambda x: x * 3, lambda x: x + jnp.arange(512.0), lambda x: x[:8]],
    ids=["made by XLA", "a number", "small", "no constant"],
)
def test_what_is_computed_is_no_constant(f):
    assert read.memory(f, X).closed_over == ()


def test_a_constant_of_a_text_alone_counts_too():
    compiled = jax.jit(of_module).lower(X).compile()
    memory = read.memory(compiled.as_text() or "", mesh=MESH)
    (constant,) = memory.closed_over
    assert (constant.bytes, constant.type) == (MIB, "f32[512,512]")


def layer(h, w):
    wide = jax.nn.gelu(h @ w["u"])
    return h + wide @ w["d"], None


def loss(w, x):
    h, _ = jax.lax.scan(layer, x, w)
    return (h**2).mean()


def updated(w, x):
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x))


def alike(w, v, x):
    h, _ = jax.lax.scan(lambda h, both: (jnp.tanh(h @ both[0]) @ both[1], None), x, (w, v))
    return (h**2).mean()


W = {"u": jax.ShapeDtypeStruct((4, 64, 256), "float32"), "d": jax.ShapeDtypeStruct((4, 256, 64), "float32")}
SMALL = jax.ShapeDtypeStruct((16, 64), "float32")
SQUARE = jax.ShapeDtypeStruct((4, 64, 64), "float32")


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [
        (jax.grad(loss), (W, SMALL), {"gradient of w['u']", "gradient of w['d']"}),
        (jax.jit(updated, donate_argnums=0), (W, SMALL), {"gradient of w['u']"}),
        (jax.value_and_grad(loss), (W, SMALL), {"gradient of w['u']", "gradient of w['d']"}),
    ],
    ids=["gradient", "update", "value and gradient"],
)
def test_what_a_loop_fills_with_gradients_is_named_after_the_argument(f, args, expected):
    names = {b.name for b in read.memory(f, *args).buffers}
    assert expected <= names
    assert not any("_" in name.split(", ") for name in names), "not after what the line of the scan binds"


def test_arguments_of_one_type_are_not_guessed():
    names = {b.name for b in read.memory(jax.grad(alike, (0, 1)), SQUARE, SQUARE, SMALL).buffers}
    assert not names & {"gradient of w", "gradient of v"}


def test_what_a_pass_takes_from_an_argument_is_named_after_it():
    names = {b.name for b in read.memory(jax.grad(loss), W, SMALL).buffers if b.loop >= 0}
    assert {"w['u'][i]", "w['d'][i]"} <= names


def several(x):
    return {"a": x @ x.T, "b": [x.sum(0)]}


def test_results_have_their_paths():
    memory = read.memory(several, X)
    assert {b.name for b in memory.buffers if b.kind == "output"} == {"result['a']", "result['b'][0]"}


@pytest.mark.parametrize(
    ("f", "donated", "taken"),
    [
        (lambda w, x: {"w": w + x.sum()}, 0, {"w": "result['w']", "x": ""}),
        (lambda w, x: (x.sum(), w * 2), 0, {"w": "result[1]", "x": ""}),
        (lambda w, x: (x + 1, w * 2), (0, 1), {"w": "result[1]", "x": "result[0]"}),
        (lambda w, x: w @ x.T, 0, {"w": "", "x": ""}),
        (lambda w, x: (w, x.sum()), 0, {"w": "result[0]", "x": ""}),
    ],
    ids=["update", "second result", "both", "none fits", "returned as it came"],
)
@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_a_donated_argument_says_which_result_takes_its_place(f, donated, taken):
    w = jax.ShapeDtypeStruct((32, 512), "float32")
    memory = read.memory(jax.jit(f, donate_argnums=donated), w, X)
    found = {b.name: b for b in memory.buffers if b.kind == "argument"}
    assert {name: b.taken_by for name, b in found.items()} == taken
    assert {name for name, b in found.items() if b.donated} == {name for name, by in taken.items() if by}
    for by in filter(None, taken.values()):
        assert f"donated: {by} is put there" in repr(memory)


@pytest.mark.parametrize("donated", [(), (0,)], ids=["copied", "donated"])
@pytest.mark.parametrize("shape", [(4096,), (64, 64), (8, 8, 8)])
def test_a_function_that_returns_its_argument(donated, shape):
    x = jax.ShapeDtypeStruct(shape, "float32")
    memory = read.memory(jax.jit(lambda x: x, donate_argnums=donated), x)
    size = 4 * int(np.prod(shape))
    assert memory.peak_bytes == memory.allocated_bytes == size * (1 if donated else 2)
    assert memory.steps >= 1
    assert [b.name for b in memory.alive()] == ["x"] * (1 if donated else 2)
    assert "alive on a device\nCompiled for 1 CPU device; the peak is at step 1 of" in repr(memory)


@pytest.mark.parametrize("f", [lambda x: None, lambda x: (), lambda x: 1.0], ids=["nothing", "empty", "a number"])
def test_a_function_that_does_nothing(f):
    memory = read.memory(f, X)
    assert memory.peak_bytes <= 4
    assert "at most" in repr(memory)
    assert isinstance(memory._repr_html_(), str)
    assert isinstance(f, types.FunctionType)
