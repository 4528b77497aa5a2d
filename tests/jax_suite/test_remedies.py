"""``read.remedies``: what is offered was compiled, and lowers the peak as it says."""

import importlib
import inspect
import re
import sys
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read
from shardwidget.document import Fix
from shardwidget.read._memory.recomputed import recomputed, standing_in
from tests.models import eight

MESH = eight()


def typed(shape, *spec):
    return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(MESH, P(*spec)))


def step(w, x):
    return w - 0.1 * jnp.tanh(x @ w).sum(axis=0), x.sum()


W, X = typed((256, 256), None, "model"), typed((64, 256), "data")


def test_a_donation_is_offered_with_the_peak_that_it_gives():
    found = {remedy.code: remedy for remedy in read.remedies(step, W, X)}
    remedy = found["jax.jit(step, donate_argnums=0)"]
    assert remedy.before == read.memory(step, W, X).peak_bytes
    assert remedy.after == read.memory(jax.jit(step, donate_argnums=0), W, X).peak_bytes < remedy.before


def test_another_spec_is_offered_with_the_peak_that_it_gives():
    (remedy,) = (r for r in read.remedies(step, W, X) if r.what == "split argument 0")
    assert remedy.code == "argument 0: P('data', 'model')"
    assert remedy.after == read.memory(step, typed((256, 256), "data", "model"), X).peak_bytes < remedy.before


def test_what_is_donated_already_stays_so_and_is_not_offered():
    donating = jax.jit(step, donate_argnums=0)
    found = read.remedies(donating, W, X)
    assert all("donate argument 0" not in remedy.what for remedy in found)
    assert all(remedy.before == read.memory(donating, W, X).peak_bytes for remedy in found)


def test_nothing_is_offered_where_nothing_helps():
    told = []
    x = typed((8,), ("data", "model"))
    assert not read.remedies(lambda x: x.sum(), x, progress=lambda *at: told.append(at))
    assert told == [], "nothing is returned that could take the place of x, which is split over every axis"


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="this is a Lowered"):
        read.remedies(jax.jit(step).lower(W, X))  # pyright: ignore[reportArgumentType]


def test_the_widget_asks_for_its_function_and_says_where_there_is_none():
    view = sw.CompiledProgram(step, W, X)
    assert view.remedies() == read.remedies(step, W, X)
    with pytest.raises(ValueError, match="give it and its arguments"):
        sw.CompiledProgram(jax.jit(step).lower(W, X)).remedies()


SCANNED = """
import functools

import jax
import jax.numpy as jnp


def layer(x, w):
    hidden = jnp.tanh(x @ w["up"])
    return x + jnp.sin(hidden) @ w["down"]


def scaled(x, w, config):
    hidden = jnp.tanh(x @ w["up"])
    return x + jnp.sin(hidden) @ w["down"] * (1 if config == "plain" else 2)


def loss(params, x):
    x, _ = jax.lax.scan(lambda x, w: (layer(x, w), None), x, params)
    return x.sum()


def configured(params, x):
    x, _ = jax.lax.scan(lambda x, w: (scaled(x, w, "plain"), None), x, params)
    return x.sum()


step = jax.jit(jax.grad(loss))


@jax.jit
def nested(params, x):
    def inner(p):
        def block(x, w):
            return layer(x, w), None

        return jax.lax.scan(block, x, p)[0].sum()

    return jax.grad(inner)(params)


def made(scale):
    def hidden(x, w):
        return jnp.sin(jnp.tanh(x @ w["up"])) * scale

    @jax.jit
    def last(x, w):
        return x + hidden(x, w) @ w["down"], None

    def loss(params, x):
        return jax.lax.scan(last, x, params)[0].sum()

    return loss


loss_of_factory = made(2.0)
registered = []


def register(function):
    registered.append(function.__name__)
    return function


@register
def by_a_list(x, w):
    hidden = jnp.tanh(x @ w["up"])
    return x + jnp.sin(hidden) @ w["down"]


def loss_of_registered(params, x):
    x, _ = jax.lax.scan(lambda x, w: (by_a_list(x, w), None), x, params)
    return x.sum()


class Model:
    def layer(self, x, w):
        hidden = jnp.tanh(x @ w["up"])
        return x + jnp.sin(hidden) @ w["down"]


jax.tree_util.register_static(Model)
MODEL = Model()


def loss_of_method(params, x):
    return jax.lax.scan(lambda x, w: (MODEL.layer(x, w), None), x, params)[0].sum()
"""


@pytest.fixture
def scanned(tmp_path, monkeypatch):
    """A user's module, and what its functions take."""
    path = tmp_path / "scanned.py"
    path.write_text(SCANNED)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("scanned"), path
    del sys.modules["scanned"]


ALONE = jax.sharding.SingleDeviceSharding(jax.devices()[0])
PARAMS = {
    "up": jax.ShapeDtypeStruct((6, 16, 64), "float32", sharding=ALONE),
    "down": jax.ShapeDtypeStruct((6, 64, 16), "float32", sharding=ALONE),
}
INPUT = jax.ShapeDtypeStruct((64, 16), "float32", sharding=ALONE)


def test_the_memory_page_asks_for_them_and_a_function_computed_again_is_the_users_line(scanned):
    module, path = scanned
    view = sw.CompiledProgram(module.step, PARAMS, INPUT, page="memory")
    told = []
    view.observe(lambda change: told.append(change["new"]["peak 0"]), "_remedies")
    view._try = {"n": 1, "at": 0, "lowers": "peak"}
    *under_way, last = told
    assert [one["done"] for one in under_way] == list(range(len(under_way)))
    assert all(one["done"] < one["of"] for one in under_way)
    assert view._state(complete=True)["_remedies"]["peak 0"] == last
    remedy = last["found"][0]
    assert remedy["code"] == "@jax.checkpoint\ndef layer(x, w):"
    assert all(one["code"].startswith("jax.jit(step, ") for one in last["found"] if "donate" in one["what"])
    assert remedy["before"] == read.memory(module.step, PARAMS, INPUT).peak_bytes
    pasted = run_pasted(Fix(**remedy["fix"] | {"layout": None}), path)
    assert remedy["after"] == read.memory(pasted["step"], PARAMS, INPUT).peak_bytes < remedy["before"]
    real = {key: jnp.ones(leaf.shape) / 8 for key, leaf in PARAMS.items()}
    after, before = (step(real, jnp.ones(INPUT.shape) / 8) for step in (pasted["step"], module.step))
    assert jax.tree.all(jax.tree.map(lambda a, b: jnp.allclose(a, b, rtol=1e-5), after, before))


def run_pasted(fix, path):
    pasted: dict[str, Any] = {"__name__": "pasted"}
    exec(compile(fix.applied(path.read_text()), str(path), "exec"), pasted)
    return pasted


def what_it_is(function):
    return function.__code__, function.__defaults__, function.__kwdefaults__, dict(vars(function))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("nested", "@jax.checkpoint\ndef block(x, w):"),
        ("configured", "@functools.partial(jax.checkpoint, static_argnums=2)\ndef scaled(x, w, config):"),
        ("loss_of_method", "@jax.checkpoint\ndef layer(self, x, w):"),
        ("loss_of_factory", "@jax.checkpoint\ndef hidden(x, w):"),
        ("loss_of_factory", "@jax.checkpoint\ndef last(x, w):"),
        ("loss_of_registered", "@jax.checkpoint\ndef by_a_list(x, w):"),
    ],
)
def test_the_change_that_is_tried_is_the_one_that_is_pasted(scanned, name, code):
    module, path = scanned
    own = dict(vars(module))

    def made(names):
        return names[name] if name == "nested" else jax.grad(names[name])

    f = made(own)
    executable = read.compiled(f, PARAMS, INPUT)
    before = read.memory(executable)
    (way,) = (way for ways in recomputed(f, before, executable) for way in ways if way.fix.code == code)
    was = {name: what_it_is(value) for name, value in own.items() if inspect.isfunction(value)}
    with standing_in(f, way):
        peak = read.memory(f, PARAMS, INPUT).peak_bytes
    assert vars(module) == own, "the user's names stand for what they stood for"
    assert {name: what_it_is(own[name]) for name in was} == was
    assert own["registered"] == ["by_a_list"], "no decorator ran again"
    assert read.memory(f, PARAMS, INPUT).peak_bytes == before.peak_bytes
    assert way.fix.file == "scanned.py"
    assert peak == read.memory(made(run_pasted(way.fix, path)), PARAMS, INPUT).peak_bytes < before.peak_bytes


def test_the_memory_page_is_told_where_there_is_nothing_to_compile():
    view = sw.CompiledProgram(jax.jit(step).lower(W, X).compile(), page="memory")
    view._try = {"n": 1, "at": 0, "lowers": "peak"}
    assert "this is a Compiled. Give the function" in view._remedies["peak 0"]["trouble"]


def adam(params, mu, nu, batch):
    g = jax.grad(lambda p: (jnp.tanh(batch @ p["up"]) @ p["down"] ** 2).mean())(params)
    mu = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mu, g)
    nu = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, nu, g)
    return jax.tree.map(lambda p, m, v: p - m / (jnp.sqrt(v) + 1e-8), params, mu, nu), mu, nu


TREE = {"up": typed((256, 1024)), "down": typed((1024, 256))}
STATE = (TREE, TREE, TREE)
BATCH = typed((64, 256), "data")


def test_the_state_is_split_and_donated_together_and_the_best_comes_first():
    found = read.remedies(adam, *STATE, BATCH)
    best = found[0]
    assert best.what == "donate arguments 0, 1, 2, split params, mu, nu over 'data'"
    assert [remedy.after for remedy in found] == sorted(remedy.after for remedy in found)
    assert best.after < best.before / 3
    # The code that is offered, run on the arguments.
    jitted, splitting = best.code.split("\n\n", 1)
    real = [jax.tree.map(lambda x: jax.device_put(jnp.zeros(x.shape), x.sharding), tree) for tree in STATE]
    names: dict[str, Any] = {"jax": jax, "adam": adam, **dict(zip(("params", "mu", "nu"), real, strict=True))}
    exec(splitting, names)
    donating = eval(jitted, names)
    after = read.memory(donating, names["params"], names["mu"], names["nu"], BATCH)
    assert after.peak_bytes == pytest.approx(best.after, rel=0.001)
    assert all(b.donated and b.taken_by for b in after.buffers if b.kind == "argument" and b.name != "batch")


def predicted(params, x):
    return jnp.tanh(x @ params["up"]) @ params["down"]


def counted(state, tokens):
    return {"w": state["w"] + 1, "step": state["step"] + 1}, tokens + 1


@pytest.mark.parametrize(
    ("f", "args", "numbers"),
    [
        (adam, (*STATE, BATCH), {0, 1, 2}),
        (counted, ({"w": W, "step": jax.ShapeDtypeStruct((), "int32")}, jax.ShapeDtypeStruct((4096,), "int32")), {0}),
        (lambda w, batch: (w + batch.sum(), batch * 2), (W, X), {0}),
        (lambda w, labels: (w * 2, labels + 1), (W, jax.ShapeDtypeStruct((512,), "float32")), {0}),
        (lambda w, x: w.sum() + x.sum(), (W, X), set()),
        (predicted, (TREE, BATCH), set()),
        (jax.jit(adam, donate_argnums=(0, 1, 2)), (*STATE, BATCH), set()),
        (lambda a, b: a @ b.T, (W, X), set()),
    ],
    ids=["adam", "tokens", "batch", "labels", "a sum", "a forward pass", "donated already", "no result fits"],
)
def test_only_state_is_donated(f, args, numbers):
    for remedy in read.remedies(f, *args):
        donated = re.search(r"donate arguments? ([\d, ]*\d)", remedy.what)
        assert donated is None or {int(n) for n in donated[1].split(",")} <= numbers
        assert remedy.after < remedy.before


@pytest.mark.parametrize("after", [0, 1, 2])
def test_interrupted_it_returns_what_is_known(after):
    def progress(done, of):
        if done == after:
            raise KeyboardInterrupt

    found = read.remedies(adam, *STATE, BATCH, progress=progress)
    whole = read.remedies(adam, *STATE, BATCH)
    assert len(found) <= after
    assert set(found) <= set(whole)
    assert len(found) < len(whole)
    assert bool(found) == (after > 0)


WRITTEN = """
import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs):
        self.up, self.down = nnx.Linear(16, 64, rngs=rngs), nnx.Linear(64, 16, rngs=rngs)

    def __call__(self, x):
        return x + self.down(jnp.sin(jnp.tanh(self.up(x))))


class Net(nnx.Module):
    def __init__(self, rngs):
        self.blocks = nnx.List([Block(rngs) for _ in range(2)])

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


@nnx.jit
def train(net, x):
    def loss(net):
        return (net(x) ** 2).mean()

    value, gradient = nnx.value_and_grad(loss)(net)
    nnx.update(net, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(net), gradient))
    return value


NET = Net(nnx.Rngs(0))
"""


def test_a_function_that_updates_is_not_recomputed(tmp_path, monkeypatch):
    (tmp_path / "written.py").write_text(WRITTEN)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("written")
    tried = []
    try:
        found = read.remedies(module.train, module.NET, jnp.ones((4096, 16)), progress=lambda *at: tried.append(at))
        executable = read.compiled(module.train, module.NET, jnp.ones((4096, 16)))
        ways = [way for ways in recomputed(module.train, read.memory(executable), executable) for way in ways]
    finally:
        del sys.modules["written"]
    # With jax.checkpoint around it, what it writes would be lost, and with it most of the memory.
    assert ways
    assert all("def train" not in way.fix.code for way in ways)
    assert all("train" not in remedy.code.split("jit(train")[0] for remedy in found)
    assert len(tried) <= 8


def test_policies_say_what_is_kept(scanned):
    module, _ = scanned
    found = {remedy.what: remedy for remedy in read.remedies(module.step, PARAMS, INPUT)}
    plain = found["jax.checkpoint around layer"]
    policy = "jax.checkpoint_policies.dots_with_no_batch_dims_saveable"
    ways = [remedy for remedy in found.values() if policy in remedy.code]
    assert all(plain.after <= remedy.after for remedy in ways)
    assert all("keeping matrix products" in remedy.what for remedy in ways)
    assert not any("offload" in remedy.code for remedy in found.values()), "a CPU has no other memory"
