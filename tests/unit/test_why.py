"""Why values are split: every chain ends in what was given, and without that the compiled program has another split."""

import functools
import gc
from collections import defaultdict
from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import _jax, read
from shardwidget._jax import origins
from shardwidget.document import Comparison, Program, Why
from shardwidget.document.why import chain_of
from shardwidget.findings.program import twin
from shardwidget.read._comparison.explained import explained
from shardwidget.read._comparison.lazily import Lazily
from shardwidget.widgets import comparison as comparison_widget
from tests.cut import cut
from tests.jax_suite.corpus import PROGRAMS

ROWS = P("data", None)
ROWS_AND_COLUMNS = P("data", "model")


def mesh() -> jax.sharding.Mesh:
    return jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def shape(*sizes: int, spec: P, dtype=jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(sizes, dtype, sharding=NamedSharding(mesh(), spec))


def block(x, w_in, w_out, *, wanted=ROWS_AND_COLUMNS):
    h = jax.nn.gelu(x @ w_in)
    h = jax.lax.with_sharding_constraint(h, NamedSharding(mesh(), wanted))
    y = h @ w_out
    return x + y


BLOCK = (
    shape(512, 256, spec=P("data")),
    shape(256, 1024, spec=P()),
    shape(1024, 256, spec=P(None, "model")),
)


def kept(x, w_in, w_out, *, wanted=ROWS):
    """What a constraint keeps whole, on the way from one product to another."""
    wide = x @ w_in
    tall = jax.nn.gelu(wide)
    h = jax.lax.with_sharding_constraint(tall, NamedSharding(mesh(), wanted))
    twice = h * 2
    y = twice @ w_out
    return y * 2


KEPT = (
    shape(512, 256, spec=P("data")),
    shape(256, 1024, spec=P(None, "model")),
    shape(1024, 256, spec=P()),
)


def layer(x, w):
    return x + jax.nn.relu(x @ w["up"]) @ w["down"], None


def step(p, tokens, targets):
    """A step of training a scanned network."""

    def loss(p):
        x, _ = jax.lax.scan(layer, p["embed"][tokens], p["layers"])
        return jnp.mean((x - targets) ** 2)

    return jax.tree.map(lambda w, g: w - 0.1 * g, p, jax.grad(loss)(p))


STEP = (
    {
        "embed": shape(256, 64, spec=P()),
        "layers": {
            "up": shape(3, 64, 128, spec=P(None, None, "model")),
            "down": shape(3, 128, 64, spec=P(None, "model")),
        },
    },
    shape(16, spec=P("data"), dtype=jnp.int32),
    shape(16, 64, spec=P("data")),
)


def attend(x, w):
    """A block with heads: what comes into them and what goes out of them both ask for the split of the heads."""
    q, k, v = jnp.split(x @ w["qkv"], 3, axis=-1)
    q, k, v = (t.reshape(*t.shape[:2], 4, 16) for t in (q, k, v))
    scores = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
    return x + jnp.einsum("bhqk,bkhd->bqhd", scores, v).reshape(x.shape) @ w["out"]


ATTEND = (
    shape(8, 16, 64, spec=P("data")),
    {"qkv": shape(64, 192, spec=P(None, "model")), "out": shape(64, 64, spec=P("model"))},
)


def typed(x, w, layers):
    """On an Explicit mesh: every value has a type, and a sum says where it goes."""
    h = jax.nn.relu(x @ w["up"])
    h = jnp.dot(h, w["down"], out_sharding=P("data", None))
    h = jax.lax.scan(lambda h, w: (jnp.sin(h @ w), None), h, layers)[0]
    return jax.reshard(h, P(None, "data")) * 2


def explicit(*sizes: int, spec: P) -> jax.ShapeDtypeStruct:
    on = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
    return jax.ShapeDtypeStruct(sizes, jnp.float32, sharding=NamedSharding(on, spec))


TYPED = (
    explicit(64, 32, spec=P("data", None)),
    {"up": explicit(32, 64, spec=P(None, "model")), "down": explicit(64, 32, spec=P("model", None))},
    explicit(3, 32, 32, spec=P(None, None, None)),
)


def regions(x, w):
    """Around two functions of ``shard_map``."""
    a = jax.nn.gelu(x * 2)
    a = jax.shard_map(jnp.sin, mesh=mesh(), in_specs=P("data"), out_specs=P("data"))(a) @ w
    return jax.shard_map(jnp.cos, mesh=mesh(), in_specs=P(None, "model"), out_specs=P(None, "model"))(a) + 1


REGIONS = shape(64, 32, spec=P()), shape(32, 64, spec=P())


def into_a_region(x, w):
    """What a ``shard_map`` takes whole, and is split before it."""
    h = jnp.sin(x @ w)
    spec = P("data", None)
    y = jax.shard_map(jnp.sin, mesh=mesh(), in_specs=spec, out_specs=spec)(h)
    return y * 2


INTO = shape(64, 32, spec=P("data")), shape(32, 64, spec=P(None, "model"))


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return read.comparison(block, *BLOCK)


@pytest.fixture(scope="module")
def attended() -> Comparison:
    return read.comparison(attend, *ATTEND)


@pytest.fixture(scope="module")
def trained() -> Comparison:
    return read.comparison(step, *STEP)


def product(c: Comparison) -> int:
    return next(k for k, row in enumerate(c.rows) if row.values[0].name == "y")


def test_the_answer_is_the_first_line(compared):
    why = compared.why(product(compared), 1)
    assert str(why).split("\n")[0] == why.answer
    assert why.answer.startswith("Dim 1 of y is split over model because w_out (argument 2) is, through dot_general")
    assert [link.name for link in why.chain] == ["w_out", "y"]


def test_an_argument_has_its_number_among_those_of_the_function():
    def f(params, state, x, *more):
        return x @ params["a"] @ params["b"] + state[0] + more[0]

    w = shape(64, 64, spec=P())
    args = {"a": w, "b": w}, (w,), shape(64, 64, spec=P("data")), shape(64, 64, spec=P(None, "model"))
    c = read.comparison(f, *args)
    assert c.why(0, 0, value=3).answer == "Dim 0 of x is split over data because argument 2 was given so."
    assert c.why(0, 1, value=4).answer == "Dim 1 of more[0] is split over model because argument 3 was given so."


def scanned(params, batch):
    """A loss whose loops give a carry and slices, and a carry of two."""

    def turn(h, w):
        a = jnp.tanh(h @ w)
        return a @ w.T, jnp.sum(a)

    def count(carry, _):
        h, n = carry
        return (jnp.tanh(h), n + jnp.sum(h)), None

    y, zs = jax.lax.scan(turn, batch, params[0])
    (out, total), _ = jax.lax.scan(count, (y, 0.0), length=3)
    return jnp.mean(out**2) + jnp.mean(zs) + total


def trained_on(params, batch):
    loss, (dw, db) = jax.value_and_grad(scanned)(params, batch)
    return loss, params[0] - dw, params[1] - db


def test_results_of_loops_that_are_differentiated_have_the_users_names():
    params = shape(3, 64, 64, spec=P(None, None, "model")), shape(64, spec=P())
    c = read.comparison(trained_on, params, shape(64, 64, spec=P("data")))
    loops = [[v.name for v in row.values] for row in c.rows if row.primitive == "scan"]
    assert loops[0][:2] == ["y", "zs"]
    assert loops[1][:2] == ["out", "total"]
    assert c.rows[-1].values[0].name == "loss"
    first, last = (c.why(0, 0, value=k).answer for k in (0, 2))
    assert first == "Dim 0 of params[0] is whole because argument 0 was given so."
    assert last == "Dim 0 of batch is split over data because argument 1 was given so."


def test_the_last_argument_may_be_a_tuple():
    def f(x, act, pair):
        return act(x @ pair[0]) @ pair[1]

    w = shape(64, 64, spec=P(None, "model")), shape(64, 64, spec=P("model"))
    c = read.comparison(f, shape(64, 64, spec=P("data")), jnp.tanh, w)
    assert c.why(0, 1, value=1).answer == "Dim 1 of pair[0] is split over model because argument 2 was given so."


def test_what_a_library_assigns_inside_is_no_name_of_the_users():
    eqx = pytest.importorskip("equinox")
    linear = eqx.nn.MLP(64, 64, 64, 1, key=jax.random.key(0))

    def f(model, x):
        y = jax.vmap(model)(x)
        return y * 2

    c = read.comparison(f, linear, shape(64, 64, spec=P("data")), mesh=mesh())
    names = [v.name for row in c.rows[1:-1] for v in row.values if not v.name.startswith("tmp")]
    assert names == ["y", "y * 2"]


def test_who_lost_and_what_follows(compared):
    why = compared.why(product(compared), 1)
    (lost,) = why.lost
    assert (lost.name, lost.dim) == ("h", 1)
    assert "already splits its dim 1: an axis splits one dimension of an array" in why.because[0]
    assert why.collectives[0].startswith("all-gather over model: 256 KiB per device")
    causes = [found.answer for found in compared.why_collective(0)]
    assert any("with_sharding_constraint" in words for words in causes)


def test_back_through_an_operation(compared):
    why = compared.why(product(compared), 0)
    assert why.chain[-1].back
    assert "x (argument 0) is, back through add" in why.answer


@pytest.mark.parametrize(
    "f",
    [
        jax.lax.square,
        jax.lax.lgamma,
        jax.lax.erf_inv,
        jnp.arccosh,
        lambda x: jax.lax.nextafter(x, x),
        lambda x: jax.lax.top_k(x, 2)[0],
        lambda x: jax.lax.scan(lambda c, _: (jax.lax.square(c), None), x, None, length=3)[0],
    ],
)
def test_back_through_functions_that_shardy_has_no_rule_of(f):
    def doubled(x):
        y = f(x)
        return y * 2

    comparison = read.comparison(doubled, shape(512, 8, spec=ROWS))
    row = next(k for k, row in enumerate(comparison.rows) if row.primitive == "mul")
    assert str(comparison.why(row, 0)).startswith(
        "Dim 0 of y * 2 is split over data because x (argument 0) is, through "
    )


def test_an_error_function_is_told_as_it_is_compiled():
    """XLA has no rule of it either until JAX 0.12: the operand is gathered whole."""
    comparison = read.comparison(lambda x: jax.lax.erf(x) * 2, shape(512, 8, spec=ROWS))
    (found,) = comparison.rows[-1].values
    said = str(comparison.why(len(comparison.rows) - 1, 0))
    assert found.concrete is not None
    assert ("is split over data because x" in said) == ("data" in found.concrete.text)


def test_what_is_not_split_says_so(compared):
    why = compared.why(product(compared), 1, "data")
    assert (why.axis, why.chain) == ("", ())
    assert why.answer == f"Dim 1 of {why.name} is not split over data."
    c = read.comparison(kept, *KEPT)
    assert c.why(len(c.rows) - 1, 1).answer == "Nothing asked for a split of dim 1 of y * 2."
    free = (jax.ShapeDtypeStruct(x.shape, x.dtype) for x in KEPT[1:])
    assert (
        read.comparison(kept, KEPT[0], *free).why(0, 1, value=1).answer == "Nothing asked for a split of dim 1 of w_in."
    )
    with pytest.raises(IndexError, match="there is no dim 2"):
        compared.why(0, 2)
    with pytest.raises(IndexError, match="there is no collective 9"):
        compared.why_collective(9)


def test_who_asked_for_the_whole_is_named(compared):
    assert compared.why(0, 1).answer == "Dim 1 of x is whole because argument 0 was given so."
    c, line = read.comparison(kept, *KEPT), 4 + kept.__code__.co_firstlineno
    asks = f"because with_sharding_constraint in line {line} asks for it"
    whole = next(k for k, row in enumerate(c.rows) if row.decision)
    why = c.why(whole, 1)
    assert (why.answer, why.given, why.axis) == (f"Dim 1 of h is whole {asks}.", "constraint", "")
    assert [link.name for link in why.chain] == ["h"]
    assert why.collectives[0].startswith("all-gather over model")
    after = c.why(whole + 1, 1)
    assert after.answer == f"Dim 1 of twice is whole {asks}, through mul, line {line + 1}."
    assert [link.name for link in after.chain] == ["h", "twice"]


def test_a_gather_for_a_constraint_names_it_first():
    line = 4 + kept.__code__.co_firstlineno
    first = f"Dim 1 of h is whole because with_sharding_constraint in line {line} asks for it."
    view, c = sw.CompiledProgram(kept, *KEPT), read.comparison(kept, *KEPT)
    for whys in (view.why(0), c.why_collective(0)):
        assert whys[0].answer == first
        assert any("is split over model" in why.answer for why in whys[1:])
    at = next(k for k, row in enumerate(c.rows) if row.decision)
    assert c.why(at, 1).ask == f"comparison.why({at}, 1, instead=True)"
    tried = c.why(at, 1, instead=True)
    assert [one.what for one in tried.instead] == ["as it is", f"without line {line}"]
    assert not any(kind.startswith("all-gather") for kind in tried.instead[1].collectives)


def test_a_difference_says_what_was_compiled_otherwise():
    view = sw.ShardingComparison(block, *BLOCK)
    of = product(view.document), 1
    reason = next(k for k, r in enumerate(view.document.reasons) if (r.row, r.dim) == of)
    view._try = {"n": 1, "reason": reason}
    view._beside = {"n": 1, "reason": reason, "at": 1}
    line = 2 + block.__code__.co_firstlineno
    shown = view._opened["state"]["_document"]
    assert shown["why"] == f"had line {line} won, with w_out: P('model', None); that gives P('data', None)"
    _, lost, without = view._alternatives[reason]
    assert comparison_widget._difference(lost, without).why == f"without line {line}"


def test_results_are_whole_where_jit_was_told_so():
    told = jax.jit(kept, out_shardings=NamedSharding(mesh(), P("data", None)))
    split = *KEPT[:2], shape(1024, 256, spec=P(None, "model"))
    c = read.comparison(told, *split)
    assert c.why(len(c.rows) - 1, 1).answer == "Dim 1 of y * 2 is whole because jit was given this sharding for it."
    c = read.comparison(told, *KEPT)
    assert c.why(len(c.rows) - 1, 1).answer == "Nothing asked for a split of dim 1 of y * 2."


@pytest.mark.parametrize(
    ("given", "options", "out", "least"),
    [("constraint", {"wanted": P("data", P.UNCONSTRAINED)}, P(), 2), ("jit", {}, P(None, "model"), 1)],
)
def test_without_who_asked_for_a_whole_it_is_split(given, options, out, least):
    args = *KEPT[:2], shape(1024, 256, spec=out)
    told = jax.jit(kept, out_shardings=NamedSharding(mesh(), P("data", None))) if given == "jit" else kept
    c, other = read.comparison(told, *args), read.comparison(functools.partial(kept, **options), *args)
    whole = (k for k, reason in enumerate(c.reasons) if not reason.axis)
    asked = [c.reasons[k] for k in whole if c.reasons[chain_of(c.reasons, k)[0]].given == given]
    if given == "jit":
        assert {reason.row for reason in asked} >= {len(c.rows) - 1}
    assert len(asked) >= least
    assert len(other.rows) == len(c.rows)
    places = [other.rows[r.row].values[r.value].concrete for r in asked]
    assert all(p and p.dims and p.dims[r.dim].axes == ("model",) for r, p in zip(asked, places, strict=True))


def test_a_constraint_of_what_nothing_splits_is_no_reason():
    def f(x):
        return jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh(), P("data", None))) + 1

    c = read.comparison(f, shape(64, 32, spec=P("data")))
    at = next(k for k, row in enumerate(c.rows) if row.decision)
    assert c.why(at, 1).answer.startswith("Nothing asked for a split of dim 1 of")


def test_a_region_is_named_that_takes_and_returns_a_dimension_whole():
    line = 4 + into_a_region.__code__.co_firstlineno
    c = read.comparison(into_a_region, *INTO)
    returned = next(k for k, row in enumerate(c.rows) if row.primitive == "shard_map")
    assert c.why(returned, 1).answer == f"Dim 1 of y is whole because the shard_map in line {line} returns it so."
    if jax.__version_info__ < (0, 10):  # It does not say what a region takes.
        return
    first, *others = c.why_collective(0)
    assert first.answer == f"Dim 1 of h is whole because the shard_map in line {line} takes h so."
    assert (first.given, first.axis) == ("shard_map", "")
    assert first.collectives[0].startswith("all-gather over model")
    assert any("is split over model" in why.answer for why in others)
    whys = sw.CompiledProgram(into_a_region, *INTO).why(0)
    assert whys[0].answer == f"Dim 1 of h is made whole because the shard_map in line {line} takes h so."
    assert [why.axis for why in whys] == ["", "model"]


def test_a_region_is_named_that_takes_an_argument_whole():
    def f(x, w):
        spec = P("data", None)
        specs = spec, P(None, "model")
        return jax.shard_map(jnp.dot, mesh=mesh(), in_specs=specs, out_specs=ROWS_AND_COLUMNS)(x, w)

    line = f.__code__.co_firstlineno + 3
    args = shape(64, 32, spec=ROWS_AND_COLUMNS), shape(32, 16, spec=P(None, "model"))
    c, view = read.comparison(f, *args), sw.CompiledProgram(f, *args)
    given = [
        f"Dim {d} of x is split over {axis} because argument 0 was given so." for d, axis in ((0, "data"), (1, "model"))
    ]
    assert [c.why(0, d).answer for d in range(2)] == given
    if jax.__version_info__ < (0, 10):  # It does not say what a region takes.
        return
    made = f"Dim 1 of x is made whole because the shard_map in line {line} takes x so."
    for whys in (c.why_collective(0), view.why(0)):
        assert [why.answer for why in whys] == [made, given[1]]


def test_a_collective_of_a_compiled_program_says_why():
    view = sw.CompiledProgram(block, *BLOCK)
    answers = [why.answer for why in view.why(0)]
    assert any("with_sharding_constraint" in words for words in answers)
    assert [why["answer"] for why in view._pages["why 0 0"]["found"]] == answers
    assert '"answer":"Dim 1 of' in view.to_html()
    with pytest.raises(IndexError, match="there is no 9"):
        view.why(9)


def of(view: sw.CompiledProgram) -> Program:
    assert isinstance(view.document, Program)
    return view.document


@pytest.mark.parametrize(
    ("f", "args", "known"),
    [(block, BLOCK, 1), (jax.jit(block), BLOCK, 1), (step, STEP, 4), (jax.jit(step), STEP, 4), (attend, ATTEND, 3)],
)
def test_a_compiled_program_answers_as_the_comparison_and_compiles_nothing(f, args, known):
    view, c = sw.CompiledProgram(f, *args), read.comparison(f, *args)
    with _jax.compilations() as made:
        found = [view.why(k) for k in range(len(of(view).collectives))]
    assert made == []
    assert sum(map(bool, found)) == known
    for k, whys in enumerate(found):
        same = twin(of(view), k, c.program)
        assert same is not None
        whole = c.why_collective(same)
        assert not whole or [why.answer for why in whys] == [why.answer for why in whole]


def test_a_function_of_jax_that_is_differentiated_is_known_by_its_path():
    def f(w, ids):
        return jax.grad(lambda w: jnp.sum(jnp.take(w, ids, axis=0) ** 2))(w)

    args = shape(64, 32, spec=P("model")), shape(16, spec=P("data"), dtype=jnp.int32)
    view = sw.CompiledProgram(f, *args)
    with _jax.compilations() as made:
        answers = [why.answer for k in range(len(of(view).collectives)) for why in view.why(k)]
    assert made == []
    assert "Dim 0 of w is split over model because argument 0 was given so." in answers


def test_only_what_is_asked_for_is_made_and_it_is_the_same():
    program = read.program(step, *STEP)
    asked, whole = explained(program, step, *STEP), explained(program, step, *STEP)
    assert asked
    assert whole
    rows, reasons = asked.rows, asked.reasons
    assert isinstance(rows, Lazily)
    assert isinstance(reasons, Lazily)
    assert (rows.made, reasons.made) == ({}, {})
    whole = replace(whole, rows=tuple(whole.rows), reasons=tuple(whole.reasons))
    first = asked.why_collective(0)
    assert first
    assert 0 < len(rows.made) < len(whole.rows) / 2
    assert 0 < len(reasons.made) < len(whole.reasons) / 2
    for k in range(len(program.collectives)):
        assert asked.why_collective(k) == whole.why_collective(k)
    for lazily, eagerly in ((rows, whole.rows), (reasons, whole.reasons)):
        assert [lazily[k] for k in reversed(range(len(lazily)))] == [*reversed(eagerly)]
        assert lazily[-1] is lazily[len(lazily) - 1]
        with pytest.raises(IndexError):
            lazily[len(lazily)]


def test_python_collects_nothing_while_it_is_asked_why():
    program, found, before = read.program(block, *BLOCK), [], gc.get_threshold()

    def collects(phase, info):
        found.append(phase)

    gc.callbacks.append(collects)
    gc.set_threshold(100, 1, 1)
    try:
        assert explained(program, block, *BLOCK)
        assert len(found) < 10  # Of what is allocated before and after; 40 otherwise.
        with pytest.raises(TypeError):
            explained(program, block)
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(collects)


def test_layers_that_a_python_loop_writes_are_told_apart():
    def layers(x, weights):
        for w_in, w_out in weights:
            x = x + jax.nn.gelu(x @ w_in) @ w_out
        return x

    weights = [(shape(256, 1024, spec=P(None, "model")), shape(1024, 256, spec=P("model")))] * 3
    view = sw.CompiledProgram(layers, BLOCK[0], weights)
    with _jax.compilations() as made:
        found = [view.why(k) for k in range(len(of(view).collectives))]
    assert made == []
    givers = [{why.chain[0].name for why in whys} for whys in found]
    assert givers == [{f"weights[{k}][0]", f"weights[{k}][1]"} for k in range(3)]


def test_slices_that_a_loop_takes_on_one_line_are_told_apart():
    def layers(x, weights):
        def turn(h, w):
            q, k, v = (h @ w[name] for name in "qkv")
            return h + jax.nn.softmax(q * k) * v, None

        return jax.lax.scan(turn, x, weights)[0]

    weights = {name: shape(3, 256, 256, spec=P(None, "data", "model")) for name in "qkv"}
    view = sw.CompiledProgram(layers, shape(64, 256, spec=P("data")), weights)
    gathers = [k for k, c in enumerate(of(view).collectives) if c.kind == "all-gather" and c.axes == ("data",)]
    moved = {k: of(view).collectives[k].operand for k in gathers}
    assert sorted(moved.values()) == ["weights['k']", "weights['q']", "weights['v']"]
    with _jax.compilations() as made:
        found = {k: view.why(k) for k in gathers}
    assert made == []
    assert all(moved[k] in {why.chain[0].name for why in whys} for k, whys in found.items())
    others = {k: set(moved.values()) - {moved[k]} for k in gathers}
    assert not any(why.chain[0].name in others[k] for k, whys in found.items() for why in whys)


def test_the_function_is_not_traced_again():
    traced = []

    def counted(*args):
        traced.append(args)
        return block(*args)

    for f in (counted, jax.jit(counted)):
        view = sw.CompiledProgram(f, *BLOCK)
        before = len(traced)
        assert all(view.why(k) for k in range(len(of(view).collectives)))
        assert len(traced) == before


def test_keyword_arguments_have_their_own_names():
    def product(x, *, w, a):
        return x @ a @ w

    rows, columns = shape(64, 64, spec=P("model")), shape(64, 64, spec=P(None, "model"))
    for f in (product, jax.jit(product)):
        view = sw.CompiledProgram(f, shape(64, 64, spec=P("data")), kwargs={"w": rows, "a": columns})
        assert {link.name for why in view.why(0) for link in why.chain[:1]} == {"a", "w"}
        assert "Dim 0 of w is split over model because argument 1 was given so." in [w.answer for w in view.why(0)]


def test_a_constraint_in_a_helper_is_told_with_the_line_that_calls_it():
    def put(x, *spec):
        return jax.lax.with_sharding_constraint(x, NamedSharding(mesh(), P(*spec)))

    def helped(x, w):
        y = jnp.tanh(x @ w)
        return put(y, None, "model") * 2

    first = put.__code__.co_firstlineno
    c = read.comparison(helped, shape(64, 32, spec=P()), shape(32, 64, spec=P()))
    written = next(k for k, row in enumerate(c.rows) if row.decision)
    told = f"with_sharding_constraint in line {first + 1}, called from line {first + 5}, asks for it."
    assert c.why(written, 1).answer.endswith(told)


def test_a_constraint_of_a_functions_own_value_is_told_alone():
    c = read.comparison(lambda *args: block(*args), *BLOCK)
    assert [row.called_from for row in c.rows if row.decision] == [None]


def test_a_combined_collective_is_of_each_of_its_lines():
    def heads(x, weights):
        return [jax.nn.gelu(x @ w_in) @ w_out for w_in, w_out in weights]

    weights = [(shape(256, 1024, spec=P(None, "model")), shape(1024, 256, spec=P("model")))] * 2
    view = sw.CompiledProgram(heads, BLOCK[0], weights)
    assert [len(c.shapes) for c in of(view).collectives] == [2]
    assert {why.chain[0].name for why in view.why(0)} == {f"weights[{k}][{n}]" for k in (0, 1) for n in (0, 1)}


def test_where_nothing_tells_lines_apart_what_they_follow_from_is_told():
    def sorts(x):
        return [jnp.sort(x * k, axis=0) for k in (2.0, 3.0)]

    view = sw.CompiledProgram(sorts, BLOCK[0])
    with _jax.compilations() as made:
        found = [view.why(k) for k in range(len(of(view).collectives))]
    assert made == []
    assert found
    assert {tuple(link.name for why in whys for link in why.chain) for whys in found} == {("x",)}


def test_where_they_have_nothing_in_common_the_function_is_compiled_again():
    def sorts(x, y):
        return [jnp.sort(each, axis=0) for each in (x, y)]

    view = sw.CompiledProgram(sorts, BLOCK[0], BLOCK[0])
    found = explained(of(view), sorts, BLOCK[0], BLOCK[0])
    assert found is not None
    assert found.causes == ()
    assert all(view.why(k) for k in range(len(of(view).collectives)))


def test_a_collective_of_the_programs_own_says_so():
    region = jax.shard_map(lambda x: jax.lax.psum(x, "data"), mesh=mesh(), in_specs=P("data"), out_specs=P())
    view = sw.CompiledProgram(region, shape(64, 32, spec=P("data")))
    assert view.why(0) == ()
    assert view._pages["why 0 0"] == {"trouble": "The program itself asks for it."}


def test_the_browser_is_told_why_it_is_not_known():
    view = sw.CompiledProgram(jax.jit(block).lower(*BLOCK).compile())
    view._why = {"n": 1, "at": 0, "collective": 0}
    assert view._pages["why 0 0"]["trouble"].endswith("give the function and its arguments.")


def test_it_is_the_same_after_json(compared):
    why = compared.why(product(compared), 1)
    assert sw.load(why.to_json()) == why
    assert sw.load(compared.to_json()).why(product(compared), 1) == why


def test_loops_are_entered(trained):
    """Nearly every split of a scanned, differentiated program has a chain, in the loops' bodies too."""
    whys = list(answers(trained))
    assert sum(bool(why.chain) for why in whys) >= 0.95 * len(whys)
    inside = [r for r in trained.reasons if trained.rows[r.row].scope >= 0]
    assert len(inside) > 20


def answers(c: Comparison):
    for k, row in enumerate(c.rows):
        for n, value in enumerate(row.values):
            dims = value.concrete.dims if value.concrete and value.concrete.dims else ()
            yield from (c.why(k, d, axis, value=n) for d, dim in enumerate(dims) for axis in dim.axes)


def without(spec: P, axis: str) -> P:
    return P(*(None if axis == entry else entry for entry in spec))


@pytest.mark.parametrize(
    ("f", "args", "fixture"), [(block, BLOCK, "compared"), (step, STEP, "trained"), (attend, ATTEND, "attended")]
)
def test_without_what_a_chain_ends_in_the_split_is_another(f, args, fixture, request):
    """What was given is taken away and the program compiled again: with all else that was given the same."""
    c: Comparison = request.getfixturevalue(fixture)
    ends = defaultdict(list)
    for k, reason in enumerate(c.reasons):
        end = k
        while c.reasons[end].giver >= 0:
            end = c.reasons[end].giver
        given = c.groups[reason.group].reasons if reason.group >= 0 else (end,)
        assert end in given
        ends[given].append(reason)
    changed = 0
    for given, reasons in ends.items():
        leaves, tree = jax.tree.flatten(args)
        axis, options = reasons[0].axis, {}
        for end in (c.reasons[k] for k in given):
            if end.given == "argument":
                old = leaves[end.value]
                spec = without(old.sharding.spec, axis)
                leaves[end.value] = shape(*old.shape, spec=spec, dtype=old.dtype)
            else:
                assert end.given == "constraint"
                options = {"wanted": without(ROWS_AND_COLUMNS, axis)}
        other = read.comparison(functools.partial(f, **options) if options else f, *tree.unflatten(leaves))
        places = [other.rows[r.row].values[r.value].concrete for r in reasons]
        changed += sum(p is None or axis not in p.dims[r.dim].axes for r, p in zip(reasons, places, strict=True))
    assert changed >= 0.95 * len(c.reasons)


@pytest.mark.parametrize(
    ("f", "args", "kind"), [(typed, TYPED, "type"), (regions, REGIONS, "shard_map")], ids=["typed", "regions"]
)
def test_without_the_type_or_the_region_that_a_chain_ends_in_the_split_is_another(f, args, kind):
    c = read.comparison(f, *args)
    ends = defaultdict(list)
    for k, reason in enumerate(c.reasons):
        end = chain_of(c.reasons, k)[0]
        # What is returned has its type from JAX, which tells jit.
        if c.reasons[end].given == kind and reason.row < len(c.rows) - 1:
            ends[c.groups[reason.group].reasons if reason.group >= 0 else (end,)].append(reason)
    # JAX 0.9 does not say what a region takes.
    assert sum(map(len, ends.values())) >= (8 if jax.__version_info__ >= (0, 10) else 3)
    for given, reasons in ends.items():
        with cut(c, [c.reasons[k] for k in given]):
            other = read.comparison(f, *args)
        places = [other.rows[r.row].values[r.value].concrete for r in reasons]
        assert all(p.dims and r.axis not in p.dims[r.dim].axes for r, p in zip(reasons, places, strict=True))


def test_operations_that_nothing_uses_do_not_end_the_process():
    """Shardy may, where there are some; here they are what leads to a region whose operands are zeros."""
    (program,) = (p for p in PROGRAMS if p.name == "region_in_a_jitted_model")
    f, args = program.make()
    c = read.comparison(f, *args)
    asked = [r for r in c.reasons if r.given == "shard_map"]
    assert asked
    for end in asked:
        with cut(c, [end]):
            assert read.comparison(f, *args).steps > 0


def test_a_region_and_the_results_that_were_asked_for():
    def region(x, w):
        product = jax.shard_map(
            jnp.matmul, mesh=mesh(), in_specs=(P("data"), P(None, "model")), out_specs=P("data", "model")
        )
        return product(x, w) * 2, x[:, 0] + 1

    wanted = (None, NamedSharding(mesh(), P("model")))
    c = read.comparison(jax.jit(region, out_shardings=wanted), shape(64, 32, spec=P()), shape(32, 64, spec=P()))
    twice = next(k for k, row in enumerate(c.rows) if row.primitive == "mul")
    assert "because the shard_map" in c.why(twice, 1).answer
    added = next(k for k, row in enumerate(c.rows) if row.primitive == "add")
    assert c.why(added, 0).given == "jit"


def test_what_jit_is_told_to_return_is_among_what_gave_the_same():
    told = jax.jit(lambda x: jnp.sin(x), out_shardings=NamedSharding(mesh(), P("data")))
    c = read.comparison(told, shape(64, 32, spec=P("data")))
    why = c.why(0, 0)
    assert why.given == "argument"
    assert [link.name for link in why.also] == ["the sharding given to jit for sin(x)"]
    assert "Also given the same: the sharding given to jit for sin(x)" in str(why)


def test_where_jax_has_no_record_it_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(origins, "_PROPAGATE", "builtin.module(no-such-pass)")
    c = read.comparison(block, *BLOCK)
    why: Why = c.why(product(c), 1)
    assert (why.chain, c.reasons) == ((), ())
    assert why.answer.startswith(f"This JAX does not say why: JAX {jax.__version__}")


def test_what_would_be_otherwise_is_compiled(compared):
    why = compared.why(product(compared), 1, instead=True)
    now, won, without = why.instead
    line = why.lost[0].source.line
    assert [one.what for one in why.instead] == ["as it is", f"had line {line} won", f"without line {line}"]
    assert (won.code, won.gives) == ("w_out: P('model', None)", "P('data', None)")
    assert [one.collectives for one in why.instead] == [("all-gather over model",), ("all-reduce over model",), ()]
    assert [one.sent for one in why.instead] == [256 * 1024, 128 * 1024, 0]
    assert now.flops == won.flops == 2 * without.flops / 3
    assert "had line" in str(why)


def test_had_the_other_won_is_the_program_with_that_spec(compared):
    won = compared.why(product(compared), 1, instead=True).instead[1]
    given = read.program(block, *BLOCK[:2], shape(1024, 256, spec=P("model")))
    assert [c.kind for c in won.program.collectives] == [c.kind for c in given.collectives]
    assert won.sent == sum(c.bytes_per_device for c in given.collectives)


def test_without_its_line_a_constraint_no_longer_decides(compared):
    h = next(k for k, row in enumerate(compared.rows) if row.decision)
    now, without = compared.why(h, 1, instead=True).instead
    program = read.program(lambda x, w_in, w_out: x + jax.nn.gelu(x @ w_in) @ w_out, *BLOCK)
    assert (now.program.collectives, program.collectives) != ((), ())
    assert len(without.program.collectives) == len(program.collectives) == 0
    assert "gone" in str(now.program.diff(without.program))


def test_nothing_is_asked_where_nobody_lost(compared):
    why = compared.why(product(compared), 0, instead=True)
    assert (why.ask, why.instead) == ("", ())


def test_a_comparison_from_a_file_compiles_nothing(compared):
    kept = sw.load(compared.to_json())
    assert kept.why(product(kept), 1).ask == f"comparison.why({product(kept)}, 1, 'model', instead=True)"
    with pytest.raises(ValueError, match="comes from a file"):
        kept.why(product(kept), 1, instead=True)


def test_an_interrupt_keeps_what_was_compiled(compared):
    def interrupt(done: int, of: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    why = compared.why(product(compared), 1, instead=True, progress=interrupt)
    assert [one.what.split()[0] for one in why.instead] == ["as", "had"]


def asked(view: sw.ShardingComparison) -> int:
    """The reason of the split of ``y`` over model."""
    at = (product(view.document), 1, "model")
    return next(k for k, r in enumerate(view.document.reasons) if (r.row, r.dim, r.axis) == at)


def test_the_browser_gets_what_would_be_otherwise_and_the_difference():
    view = sw.ShardingComparison(block, *BLOCK)
    view._try = {"n": 1, "reason": asked(view)}
    found = view._instead[str(asked(view))]["found"]
    assert [one["sent"] for one in found] == [256 * 1024, 128 * 1024, 0]
    assert "program" not in found[0]
    view._beside = {"n": 1, "reason": asked(view), "at": 2}
    assert view._opened["state"]["_document"]["kind"] == "program diff"
    view._beside = {"n": 2, "reason": asked(view), "at": 7}
    assert view._opened["n"] == 2
    assert view._opened["error"]
    kept = view._state(complete=True)["_compared"]  # A saved page has the differences to open.
    assert set(kept) == {"front_end", *(f"{asked(view)} {at}" for at in (1, 2))}
    assert kept[f"{asked(view)} 2"]["_document"]["kind"] == "program diff"
    assert "_compared" not in sw.ShardingComparison(block, *BLOCK)._state(complete=True)


def test_a_closed_comparison_says_that_it_compiles_nothing():
    view = sw.ShardingComparison(block, *BLOCK)
    view._release()
    view._try = {"n": 1, "reason": asked(view)}
    assert view._instead[str(asked(view))]["trouble"].endswith("run its cell again")
