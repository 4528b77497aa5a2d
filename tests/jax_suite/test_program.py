"""``read.program`` against programs that JAX compiles for CPU devices."""

import functools
import importlib.util
import inspect
import itertools
from types import SimpleNamespace

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.experimental.compilation_cache import compilation_cache
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read
from shardwidget.document import Program, Timing, Work, to_wire
from shardwidget.export.program import nest_text, table
from shardwidget.read._memory import liveness
from shardwidget.read._program import replay, timing
from shardwidget.read._program.analysis import memory_totals, work_of
from shardwidget.read._program.origin import InstructionOrigin
from tests.examples import examples
from tests.jax_suite import strategies
from tests.jax_suite.hlo import check_groups, kinds, line, loss, mlp, opcodes, shape, train_step

AUTO = (AxisType.Auto, AxisType.Auto)


@pytest.fixture(scope="module")
def mesh() -> Mesh:
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=AUTO)


def permuted(sizes=(4, 2), names=("x", "y"), seed=0) -> Mesh:
    devices = np.random.default_rng(seed).permutation(jax.devices())[: int(np.prod(sizes))]
    return Mesh(devices.reshape(sizes), names, axis_types=(AxisType.Auto,) * len(names))


def lines_of(f) -> dict[str, int]:
    """The line of each collective that a function's text calls, by what is in it."""
    text, first = inspect.getsourcelines(f)
    return {words.strip(): first + k for k, words in enumerate(text)}


# ── The user's own collectives ────────────────────────────────────────────────────────────────────────────────────────


def body(x):
    x = jax.lax.psum(x, ("x", "z"))
    x = jax.lax.all_gather(x, "y", axis=0, tiled=True)
    x = jax.lax.psum_scatter(x, ("z", "y"), scatter_dimension=0, tiled=True)
    x = jax.lax.all_to_all(x, "x", 0, 1, tiled=True)
    x = jax.lax.ppermute(x, "x", [(0, 1), (1, 0)])
    x = jax.lax.pmax(jnp.sin(x), "z")
    return jax.lax.pmin(jnp.sin(x), ("y", "x"))


OWN = [
    ("all-reduce", ("x", "z"), "x = jax.lax.psum(x, (", 2 * 1024 * 3 // 4),
    ("all-gather", ("y",), "x = jax.lax.all_gather(", 1024),
    ("reduce-scatter", ("y", "z"), "x = jax.lax.psum_scatter(", 2048 * 3 // 4),
    ("all-to-all", ("x",), "x = jax.lax.all_to_all(", 2 * 512 * 1 // 4),
    ("collective-permute", ("x",), "x = jax.lax.ppermute(", 512),
    ("all-reduce", ("z",), "x = jax.lax.pmax(", 512),
    ("all-reduce", ("x", "y"), "return jax.lax.pmin(", 2 * 512 * 3 // 4),
]


@pytest.mark.parametrize("mesh", [permuted((2, 2, 2), ("x", "y", "z"), seed) for seed in (0, 1)])
def test_each_of_the_users_collectives_is_there_once(mesh):
    f = jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P(), check_vma=False)
    program = read.program(f, shape(mesh, (32, 32), "x", "y"))
    lines = lines_of(body)
    found = [(c.kind, c.axes, line(c).line, c.bytes_per_device) for c in program.collectives]
    expected = [(k, a, next(n for t, n in lines.items() if t.startswith(text)), b) for k, a, text, b in OWN]
    assert sorted(found) == sorted(expected)
    for c in program.collectives:
        assert (c.by_user, c.backward, c.times, c.nest, c.irregular) == (True, False, 1, -1, False)
        assert (line(c).file, line(c).function) == ("test_program.py", "body")
        assert lines[line(c).text] == line(c).line
    check_groups(program, mesh)
    assert program.name == "body"
    assert program.listings[0].lines[0] == "def body(x):"


def test_ranks_stand_in_the_order_of_the_axes(mesh):
    f = jax.shard_map(
        lambda x: jax.lax.psum_scatter(x, ("y", "x"), tiled=True), mesh=mesh, in_specs=P(), out_specs=P(("y", "x"))
    )
    (found,) = read.program(f, shape(mesh, (8, 4))).collectives
    assert found.axes == ("x", "y")
    assert [list(g) for g in found.groups] == [[d.id for d in mesh.devices.T.flat]]


def test_pairs_of_a_permutation():
    mesh = permuted((4, 2))
    f = jax.shard_map(
        lambda x: jax.lax.ppermute(x, "x", [(0, 1), (1, 2)]), mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")
    )
    program = read.program(f, shape(mesh, (8, 4), "x", "y"))
    (found,) = program.collectives
    # Position 2·x + y.
    assert sorted(found.pairs) == [(0, 2), (1, 3), (2, 4), (3, 5)]
    assert program.plans[found.plans[0]].rounds[0][0].pairs == ((0, 1), (1, 2))
    check_groups(program, mesh)


def test_transposed_collectives_are_the_users_and_backward():
    mesh = permuted((8,), ("x",))
    f = jax.shard_map(
        lambda w: (jax.lax.all_gather(w, "x", tiled=True) ** 2).sum()[None],
        mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False,
    )  # fmt: skip
    program = read.program(jax.grad(lambda w: f(w).sum()), shape(mesh, (8, 4), "x"))
    found = {(c.kind, c.backward): c for c in program.collectives}
    assert {key for key, c in found.items() if c.by_user} == {("all-gather", False), ("reduce-scatter", True)}
    assert found["reduce-scatter", True].axes == ("x",)


# ── What the compiler adds ────────────────────────────────────────────────────────────────────────────────────────────


@st.composite
def matmuls(draw):
    """A mesh, and the shapes and specs of two factors and of their product."""
    mesh = draw(strategies.meshes(types=[AxisType.Auto]))
    dims = [16 * n for n in (1, 2, 3)]

    def spec():
        names = list(draw(st.permutations(mesh.axis_names)))
        cut = sorted(draw(st.lists(st.integers(0, len(names)), min_size=2, max_size=2)))
        return P(*(tuple(part) or None for part in (names[: cut[0]], names[cut[0] : cut[1]])))

    def fits(dim, entry):
        return dim % int(np.prod([mesh.shape[name] for name in entry or ()])) == 0

    specs = [spec() for _ in range(3)]
    for (m, n), s in zip(((0, 1), (1, 2), (0, 2)), specs, strict=True):
        hypothesis.assume(fits(dims[m], s[0]) and fits(dims[n], s[1]))
    return mesh, dims, specs


@examples(40)
@given(matmuls())
def test_any_matmul(case):
    mesh, (m, k, n), (a, b, c) = case
    f = jax.jit(jnp.matmul, out_shardings=NamedSharding(mesh, c))
    compiled = f.lower(shape(mesh, (m, k), *a), shape(mesh, (k, n), *b)).compile()
    program = read.program(compiled)
    assert program.unread == ()
    assert kinds(program) == opcodes(compiled)
    check_groups(program, mesh)
    assert {name for c in program.collectives for name in c.axes} <= {
        name for spec in (a, b, c) for entry in spec for name in entry or ()
    }
    assert not any(c.by_user for c in program.collectives)
    assert all(len(c.latency) == len(program.interconnects) for c in program.collectives)
    to_wire(program)


def test_an_inner_dimension_that_is_split_is_summed(mesh):
    program = read.program(jnp.matmul, shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None))
    (found,) = program.collectives
    assert (found.kind, found.axes, found.shapes, found.bytes_per_device) == ("all-reduce", ("x",), ("f32[8,8]",), 384)
    assert found.arithmetic == "2·V·(N−1)/N, V = 256 B, N = 4"
    assert {frozenset(g) for g in found.groups} == {frozenset(d.id for d in column) for column in mesh.devices.T}


def test_an_axis_of_size_one_is_not_named():
    mesh = jax.make_mesh((1, 4, 1), ("a", "b", "c"), axis_types=(AxisType.Auto,) * 3)
    split = ("a", "b", "c")
    program = read.program(jnp.matmul, shape(mesh, (8, 64), None, split), shape(mesh, (64, 8), split, None))
    assert [c.axes for c in program.collectives] == [("b",)]


def test_fully_sharded_training():
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    weights = shape(mesh, (64, 128), "data"), shape(mesh, (128, 64), "data")
    batch = shape(mesh, (512, 64), "data"), shape(mesh, (512, 64), "data")
    f = jax.jit(train_step, out_shardings=(None, weights[0].sharding, weights[1].sharding))
    compiled = f.lower(*weights, *batch).compile()
    program = read.program(compiled)
    assert kinds(program) == opcodes(compiled)
    assert {c.axes for c in program.collectives} == {("data",)}
    lines = lines_of(mlp)
    gathered = [c for c in program.collectives if c.kind == "all-gather"]
    assert {line(c).line for c in gathered} == {lines["h = jax.nn.relu(x @ w_in)"], lines["return h @ w_out"]}
    assert {False} <= {c.backward for c in gathered}
    # The gradients are summed; XLA's CPU backend has the sum scattered by a slice of it.
    summed = [c for c in program.collectives if c.kind in ("all-reduce", "reduce-scatter")]
    assert {s.line for c in summed for s in (line(c), *c.also)} == {
        *(line(c).line for c in gathered),
        next(n for text, n in lines_of(loss).items() if text.startswith("return")),
    }
    # Where they are combined into one, the line is that of a gradient, not of the loss: it has most of the bytes.
    assert all(c.backward and line(c).function == "mlp" for c in summed if len(c.shapes) > 1)
    assert all(c.remark == "" for c in program.collectives)


@pytest.mark.parametrize("between", [False, True])
def test_full_rematerialization_is_flagged_and_a_constraint_in_between_avoids_it(mesh, between):
    def split(x, *spec):
        return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))

    def f(x):
        x = x.reshape(16, 24, 4)
        x = split(x, "x", "y") if between else x
        return split(x, None, "y", "x")

    found = read.program(f, shape(mesh, (64, 24), ("x", "y"))).collectives
    flagged = [c for c in found if c.remark.startswith("full rematerialization")]
    assert len(flagged) == (0 if between else 1)
    assert {line(c).line for c in flagged} <= set(lines_of(f).values())


def test_tensor_parallel_training(mesh):
    weights = shape(mesh, (64, 128), None, "y"), shape(mesh, (128, 64), "y", None)
    batch = shape(mesh, (512, 64), "x"), shape(mesh, (512, 64), "x")
    f = jax.jit(train_step, out_shardings=(None, weights[0].sharding, weights[1].sharding))
    compiled = f.lower(*weights, *batch).compile()
    program = read.program(compiled)
    assert kinds(program) == opcodes(compiled)
    assert set(kinds(program)) == {"all-reduce"}
    lines = lines_of(mlp)
    (forward,) = [c for c in program.collectives if c.axes == ("y",) and not c.backward]
    assert line(forward).line == lines["return h @ w_out"]
    assert forward.shapes == ("f32[128,64]",)
    gradients = [c for c in program.collectives if c.backward]
    assert gradients
    assert {c.axes for c in gradients} == {("x",)}


def test_a_split_that_is_undone_for_an_operation_that_only_moves(mesh):
    program = read.program(lambda w: jax.lax.top_k(w, 3)[0], shape(mesh, (64, 64), None, "y"))
    (found,) = program.collectives
    assert (found.kind, found.remark) == ("all-gather", "undoes the split of w over y, for top_k")


# ── How often ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_resharding_over_part_of_an_axis(mesh):
    explicit = Mesh(mesh.devices, ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    compiled = (
        jax.jit(lambda a: jax.reshard(a, NamedSharding(explicit, P("y", "x"))))
        .lower(shape(explicit, (64, 64), "x", "y"))
        .compile()
    )
    program = read.program(compiled)
    assert kinds(program) == opcodes(compiled)
    (part,) = [c for c in program.collectives if c.kind == "all-to-all"]
    assert (part.axes, part.irregular, part.within, part.group_size) == ((), True, ("x",), 2)
    assert not part.by_user


def test_a_result_that_is_gathered_in_two_steps_is_of_the_line_that_makes_it(mesh):
    def f(a, b):
        return jnp.tanh(a @ b).T

    shapes = shape(mesh, (64, 128), "x"), shape(mesh, (128, 256), None, "y")
    program = read.program(jax.jit(f, out_shardings=NamedSharding(mesh, P())), *shapes)
    assert {c.axes for c in program.collectives} == {("x",), ("y",)}
    assert {c.source and c.source.text for c in program.collectives} == {"return jnp.tanh(a @ b).T"}


def test_loops_and_branches(mesh):
    def f(x):
        def outer(c, _):
            c, _ = jax.lax.scan(lambda d, _: (jax.lax.ppermute(d, "y", [(0, 1), (1, 0)]) * 2, None), c, length=3)
            return jnp.sin(jax.lax.psum(c, "y")), None

        x, _ = jax.lax.scan(outer, x, length=7)
        x = jax.lax.fori_loop(0, 5, lambda i, v: jnp.cos(jax.lax.pmax(v, "x")), x)
        x = jax.lax.while_loop(lambda v: jax.lax.pmin(v.sum(), "x") < 3, lambda v: jax.lax.psum(v, "x") + 1, x)
        return jax.lax.cond(x[0, 0] > 0, lambda v: jax.lax.psum(v, "x"), lambda v: jax.lax.psum(v, "y") * 2, x)

    f = jax.shard_map(f, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False)
    compiled = jax.jit(f).lower(shape(mesh, (32, 32), "x", "y")).compile()
    program = read.program(compiled)
    assert kinds(program) == opcodes(compiled)
    assert {(c.kind, c.axes, c.times, tuple(map(nest_text, program.trail(c)))) for c in program.collectives} == {
        ("collective-permute", ("y",), 21, ("scan ×7", "scan ×3")),
        ("all-reduce", ("y",), 7, ("scan ×7",)),
        ("all-reduce", ("x",), 5, ("fori_loop ×5",)),
        ("all-reduce", ("x",), None, ("while_loop condition",)),
        ("all-reduce", ("x",), None, ("while_loop",)),
        ("all-reduce", ("y",), 1, ("branch 0",)),
        ("all-reduce", ("x",), 1, ("branch 1",)),
    }


# ── What may be given ─────────────────────────────────────────────────────────────────────────────────────────────────


def summary(program: Program):
    return [(c.kind, c.axes, c.groups, c.bytes_per_device) for c in program.collectives]


def test_a_function_lowered_compiled_and_without_data_are_one(mesh):
    specs = shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None)
    arrays = [jax.device_put(np.ones(s.shape, s.dtype), s.sharding) for s in specs]
    f = jax.jit(jnp.matmul)
    expected = summary(read.program(f, *specs))
    assert expected
    assert summary(read.program(jnp.matmul, *arrays)) == expected
    assert summary(read.program(f.lower(*specs))) == expected
    assert summary(read.program(f.lower(*arrays).compile())) == expected
    assert summary(read.program(functools.partial(jnp.matmul, arrays[0]), arrays[1])) == expected


def test_the_mesh_that_is_set():
    mesh = permuted()
    with jax.set_mesh(mesh):
        program = read.program(jax.jit(lambda: jnp.ones((8, 8)), out_shardings=P("x")))
    assert [a.name for a in program.mesh.axes] == ["x", "y"]
    assert program.mesh.device_ids.array().tolist() == [d.id for d in mesh.devices.flat]


def test_the_mesh_of_a_shard_map_inside(mesh):
    inner = jax.shard_map(lambda x: jax.lax.psum(x, "x"), mesh=mesh, in_specs=P("x"), out_specs=P())
    program = read.program(lambda x: jax.jit(inner)(x) + 1, np.ones((8, 4), np.float32))
    assert [c.axes for c in program.collectives] == [("x",)]


def test_a_shard_map_over_an_abstract_mesh_needs_devices(mesh):
    f = jax.shard_map(lambda x: jax.lax.psum(x, "x"), mesh=mesh.abstract_mesh, in_specs=P("x"), out_specs=P())
    with pytest.raises(ValueError, match="the mesh is abstract"):
        read.program(f, jax.ShapeDtypeStruct((8, 4), "float32"))
    assert [c.axes for c in read.program(f, np.ones((8, 4), np.float32), mesh=mesh).collectives] == [("x",)]


def test_abstract_arguments_on_a_mesh_that_is_given(mesh):
    abstract = [shape(mesh.abstract_mesh, (8, 64), None, "x"), shape(mesh.abstract_mesh, (64, 8), "x", None)]
    assert [c.axes for c in read.program(jnp.matmul, *abstract, mesh=mesh).collectives] == [("x",)]
    with pytest.raises(ValueError, match=r"the mesh is abstract.*shardwidget\.tpu_mesh"):
        read.program(jnp.matmul, *abstract)
    with pytest.raises(ValueError, match="the mesh is abstract"):
        read.program(jnp.matmul, *abstract, mesh=AbstractMesh((4, 2), ("x", "y")))  # pyright: ignore[reportArgumentType]


def test_another_view_of_the_same_devices(mesh):
    other = Mesh(mesh.devices.T[::-1], ("p", "q"), axis_types=AUTO)
    args = shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None)
    program = read.program(jnp.matmul, *args, mesh=other)
    assert [c.axes for c in program.collectives] == [("q",)]
    assert program.collectives[0].groups == read.program(jnp.matmul, *args).collectives[0].groups
    check_groups(program, other)


def test_an_axis_cut_in_two_is_irregular_and_within_it(mesh):
    row = Mesh(mesh.devices.reshape(8), ("all",), axis_types=(AxisType.Auto,))
    program = read.program(
        jnp.matmul, shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None), mesh=row
    )  # fmt: skip
    assert [(c.axes, c.irregular, c.within) for c in program.collectives] == [((), True, ("all",))]


def test_a_mesh_of_other_devices_is_refused(mesh):
    args = shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None)
    small = Mesh(np.array(jax.devices()[:2]), ("x",))
    with pytest.raises(ValueError, match=r"compiled for 8 × cpu \(ids 0, .*\), and the mesh {'x': 2} has 2 × cpu"):
        read.program(jnp.matmul, *args, mesh=small)
    shifted = Mesh(np.array(jax.devices()[1:9]), ("x",))
    with pytest.raises(ValueError, match=r"ids 1, 2"):
        read.program(jax.jit(jnp.matmul).lower(*args).compile(), mesh=shifted)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: read.program(3), TypeError, "cannot compile a value of type int. Give a function and then"),  # pyright: ignore[reportArgumentType]
        (lambda: read.program(jnp.ones(3)), TypeError, "cannot compile a value of type jax.Array"),  # pyright: ignore[reportArgumentType]
        (lambda: read.program(jnp.sin, 1.0, mesh="x"), TypeError, "mesh= must be a jax.sharding.Mesh, .* got a str"),  # pyright: ignore[reportArgumentType]
        (lambda: read.programs([(jnp.sin, 1.0)]), TypeError, "are given by name, in a dict: .* got a list"),  # pyright: ignore[reportArgumentType]
        (lambda: read.programs({"a": ()}), TypeError, "the program 'a' is an empty tuple"),
        (lambda: read.program(jax.jit(jnp.sin).lower(1.0), 1.0), TypeError, "a Lowered is already lowered for its"),
        (lambda: read.program(jnp.sin, 1.0, interconnect="string"), ValueError, "interconnect='string' is not known"),
        (lambda: read.programs({}), ValueError, "there are no programs to compare"),
    ],
)
def test_what_cannot_be_read(call, error, words):
    with pytest.raises(error, match=words.replace("(", r"\(")):
        call()


def test_arguments_that_are_no_arrays(mesh):
    x = shape(mesh, (64, 64), "x")
    plain = read.program(lambda x, how, n: x.sum(0) * n if how == "sum" else x, x, "sum", 3)
    jitted = read.program(jax.jit(lambda how, x: x.sum(0), static_argnums=0), "sum", x)
    assert [c.axes for c in plain.collectives] == [c.axes for c in jitted.collectives] == [("x",)]
    assert read.time_program(lambda x, how: x if how else -x, (np.ones(3), "a"), n=1).runs == 1


def test_a_program_that_needs_none_of_its_arguments(mesh):
    program = read.program(lambda x: None, shape(mesh, (8, 8), "x"))
    assert program.collectives == ()


def test_an_error_of_the_function_is_jaxs_own(mesh):
    with pytest.raises(TypeError, match="dot_general requires contracting dimensions"):
        read.program(jnp.matmul, jnp.ones((2, 3)), jnp.ones((2, 3)))


def test_a_program_without_collectives(mesh):
    program = read.program(jnp.sin, shape(mesh, (8, 8), "x"))
    assert (program.collectives, program.unread) == ((), ())
    assert program.note == "No device sends anything: the program has no collectives."
    alone = read.program(jnp.sin, np.ones(3))
    assert alone.note == "It runs on one device, which has no other to send to: the program has no collectives."
    assert alone.target == "1 CPU device"


def test_a_program_without_collectives_opens_at_its_memory(mesh):
    view = sw.CompiledProgram(jnp.sin, np.ones(3))
    assert (view.page, view._pages["memory 0"]["kind"]) == ("memory", "memory")
    assert sw.CompiledProgram(read.program(jnp.sin, np.ones(3))).page == "collectives", "it is not compiled any more"
    assert sw.CompiledProgram(jnp.matmul, *[shape(mesh, (8, 8), None, "x")] * 2).page == "collectives"


def test_a_text_that_is_not_to_be_had(mesh, monkeypatch):
    compiled = jax.jit(jnp.matmul).lower(shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None)).compile()
    monkeypatch.setattr(type(compiled), "as_text", lambda self: None)
    program = read.program(compiled)
    assert program.collectives == ()
    assert program.note == "The text of the compiled program cannot be read, so its collectives are not known."


# ── What else is shown ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_compilers_own_analysis(mesh):
    args = [jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P("x", "y")))] * 2
    f = jax.jit(lambda a, b: (a + b, a * b), donate_argnums=0)
    program = read.program(f, *args)
    block = 64 * 64 * 4 // 8
    memory = program.memory
    assert memory is not None
    assert (memory.arguments, memory.outputs, memory.aliased) == (2 * block, 2 * block + 16, block)
    assert program.work is not None
    assert program.work.flops == 2 * block / 4
    assert program.work.seconds == -1  # the CPU's compiler estimates none
    assert program.target == "8 CPU devices"
    assert program.jax_version == jax.__version__
    assert not any(x.is_deleted() for x in args)


def test_what_the_compiler_does_not_say():
    silent = SimpleNamespace(cost_analysis=lambda: {"flops": 3.0, "optimal_seconds": -0.99})
    assert work_of(silent) == Work(3.0, -1.0, -1.0)

    def refuse():
        raise NotImplementedError

    assert work_of(SimpleNamespace(cost_analysis=refuse)) is None
    assert memory_totals(SimpleNamespace(memory_analysis=lambda: None), "cpu") is None


def test_interconnects(mesh):
    args = shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None)
    plain, chosen = read.program(jnp.matmul, *args), read.program(jnp.matmul, *args, interconnect="H100")
    assert plain.interconnects[plain.interconnect] == "TPU v5e"
    assert chosen.interconnects[chosen.interconnect] == "H100"
    at = plain.interconnects.index("H100")
    assert chosen.collectives[0].bandwidth[0] == plain.collectives[0].bandwidth[at] > 0


def test_programs_side_by_side(mesh):
    args = shape(mesh, (8, 64), None, "x"), shape(mesh, (64, 8), "x", None)
    both = read.programs(
        {"a": (jnp.matmul, *args), "b": jax.jit(jnp.matmul).lower(*args), "c": read.program(jnp.matmul, *args)}
    )
    assert [p.name for p in both.programs] == ["a", "b", "c"]
    assert len({tuple(summary(p)) for p in both.programs}) == 1
    assert both.mesh == both.programs[0].mesh


def test_names(mesh):
    args = [shape(mesh, (512, 64), "x")] * 2
    weights = shape(mesh, (64, 128)), shape(mesh, (128, 64))
    assert read.program(jax.jit(loss), *weights, *args).name == "loss"
    assert read.program(jax.jit(loss).lower(*weights, *args).compile()).name == "loss"
    assert read.program(loss, *weights, *args, name="mine").name == "mine"


# ── Timing ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_calls_are_measured_after_warm_up(mesh):
    x = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, P("x")))
    calls = []

    def f(x):
        jax.debug.callback(lambda: calls.append(1))
        return x + 1

    f = jax.shard_map(f, mesh=Mesh(mesh.devices.reshape(-1)[:1], ("x",)), in_specs=P(), out_specs=P())
    timing = read.time_program(f, [np.ones((8, 8), np.float32)], n=5)
    jax.effects_barrier()
    assert len(calls) == 7
    assert timing.runs == 5
    assert 0 < timing.low <= timing.seconds <= timing.high
    assert read.time_program(jax.jit(jnp.sin).lower(x).compile(), [x], n=1).runs == 1


def test_the_median_of_what_comes_after_warm_up(monkeypatch):
    took = iter([100.0, 50.0, 3.0, 1.0, 2.0])
    clock = itertools.chain.from_iterable((0.0, seconds) for seconds in took)
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert read.time_program(jnp.sin, (1.0,), n=3) == Timing(2.0, 1.0, 3.0, 3)


def test_donated_arguments_are_kept(mesh):
    x = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, P("x")))
    f = jax.jit(lambda n, x: x + n, donate_argnums=1, static_argnums=0)
    assert read.time_program(f, (3, x), n=2).runs == 2
    assert read.time_program(f.lower(3, x).compile(), (x,), n=2).runs == 2
    assert not x.is_deleted()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((jax.ShapeDtypeStruct((2,), "float32"),), "argument 0 has a shape and no values, so there is nothing to"),
        (({"w": [1.0, jax.ShapeDtypeStruct((2,), "float32")]},), r"argument 0\['w'\]\[1\] has a shape"),
    ],
)
def test_there_must_be_something_to_run(args, words):
    with pytest.raises(ValueError, match=words):
        read.time_program(jnp.sin, args)


def test_calls_that_cannot_be_measured():
    with pytest.raises(ValueError, match="n must be a whole number of calls, 1 or more; got 0"):
        read.time_program(jnp.sin, (1.0,), n=0)
    with pytest.raises(TypeError, match=r"a Traced cannot be called: give traced.lower\(\).compile\(\)"):
        read.time_program(jax.jit(jnp.sin).trace(1.0), (1.0,))
    with pytest.raises(TypeError, match="a Lowered cannot be called"):
        read.time_program(jax.jit(jnp.sin).lower(1.0), (1.0,))  # pyright: ignore[reportArgumentType]
    gone = jnp.ones(2)
    gone.delete()
    with pytest.raises(ValueError, match="argument 0 was deleted or donated"):
        read.time_program(jnp.sin, (gone,))


# ── What the program says about itself ────────────────────────────────────────────────────────────────────────────────


def test_shardings_and_donations_of_a_jitted_function_are_respected(mesh):
    """JAX's own compile of the call is the truth; uncommitted arguments go where ``in_shardings`` says."""
    x, w = NamedSharding(mesh, P("x")), NamedSharding(mesh, P(None, "y"))
    f = jax.jit(lambda a, b: a @ b, in_shardings=(x, w), out_shardings=NamedSharding(mesh, P()))
    a = jax.ShapeDtypeStruct((16, 16), jnp.float32)
    truth = f.lower(a, a).compile()
    program = read.program(f, a, a)
    assert kinds(program) == opcodes(truth)
    assert {c.axes for c in program.collectives} == {("x",), ("y",)} or {c.axes for c in program.collectives} == {
        ("x", "y")
    }
    donated = read.program(jax.jit(lambda a: a + 1, donate_argnums=0), shape(mesh, (16, 16), "x"))
    assert donated.memory is not None
    assert donated.memory.aliased == 16 * 16 * 4 // 4


def test_arguments_of_a_traced_function_are_refused(mesh):
    """Their sharding is not known there: whatever was shown would be of another program."""
    x = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, P("x")))
    one = jax.make_mesh((4, 2), ("x", "y"), axis_types=AUTO)
    mapped = jax.shard_map(lambda v: jax.lax.psum(v, "x"), mesh=one, in_specs=P("x"), out_specs=P())

    def product(a, b):
        return a @ b

    for shown in (read.program, read.comparison, sw.show, sw.CompiledProgram):
        with pytest.raises(TypeError, match=r"argument b is a tracer of type float32\[8,8\].*outside the traced"):
            jax.jit(lambda v, shown=shown: shown(product, x, v))(x)
    with pytest.raises(TypeError, match="is a tracer"):
        jax.grad(lambda v: read.program(product, x, v).instructions)(x)
    with pytest.raises(TypeError, match="is a tracer"):
        jax.jit(lambda v: read.programs({"f": (jnp.sum, v)}))(x)
    for shown in (read.trace, sw.show):
        with pytest.raises(TypeError, match="is a tracer"):
            jax.jit(lambda v, shown=shown: shown(mapped, v))(x)


def test_an_axis_of_one_device_communicates_nothing(mesh):
    one = jax.make_mesh((1, 8), ("x", "y"), axis_types=AUTO)
    f = jax.shard_map(lambda v: jax.lax.psum(v, "x"), mesh=one, in_specs=P("x", "y"), out_specs=P(None, "y"))
    program = read.program(f, shape(one, (8, 8), "x", "y"))
    for c in program.collectives:  # Some versions leave it out.
        assert (c.irregular, c.axes, c.group_size, c.bytes_per_device) == (False, (), 1, 0)
        assert c.groups_meaning == "each of 8 devices is alone: nothing is sent"
        assert c.arithmetic == "no communication: each group is one device"
        assert program.seconds(c) == 0


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_integers_of_four_bits_are_sent_in_bytes(mesh, dtype):
    of = shape(mesh, (16, 16), "x", dtype=dtype)
    gathers = {
        "as they are": (lambda v: jax.lax.all_gather(v, "x", tiled=True), True),
        "computed": (lambda v: jax.lax.all_gather(v + 1, "x", tiled=True) + 1, True),
        "summed": (lambda v: jax.lax.psum(v, "x"), True),
        "passed on": (lambda v: jax.lax.ppermute(v, "x", [(0, 1), (1, 0)]), True),
        "exchanged": (lambda v: jax.lax.all_to_all(v, "y", 0, 1, tiled=True), True),
        "made bytes": (lambda v: jax.lax.all_gather(v.astype("int8"), "x", tiled=True), False),
        "made bytes for the way": (
            lambda v: jax.lax.all_gather(v.astype("int8"), "x", tiled=True).astype(dtype),
            False,
        ),
    }
    kind = {"int4": "s4", "uint4": "u4"}[dtype]
    for name, (f, narrow) in gathers.items():
        run = jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
        for c in read.program(run, of).collectives:
            assert c.widened_from == kind * (narrow and c.shapes[0][:2] in ("s8", "i8", "u8")), name
        said = read.program(run, of).note
        assert (f"XLA computes {dtype[0]}4 as {dtype[0]}8 on CPUs" in said) == any(
            c.widened_from for c in read.program(run, of).collectives
        ), name


def test_what_the_cpu_widens_is_said(mesh):
    def f(v, w):
        moved = jax.lax.ppermute(v, "x", [(0, 1), (1, 0)])
        return jax.lax.psum(v, "x"), jax.lax.psum(w, "y"), jax.lax.all_gather(v, "x", tiled=True), moved

    f = jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=(P(), P("x"), P("x"), P("x")), check_vma=False)
    of = functools.partial(shape, mesh)
    program = read.program(f, of((16, 16), "x", dtype=jnp.bfloat16), of((16, 16), "x"))
    # A version of XLA that sends bf16 has nothing to report.
    expected = {
        (c.kind, c.axes): "bf16" if c.axes == ("x",) and "f32" in c.shapes[0] else "" for c in program.collectives
    }
    assert len(expected) == 4
    assert {(c.kind, c.axes): c.widened_from for c in program.collectives} == expected
    wide = sum(map(bool, expected.values()))
    assert (f"XLA computes bf16 as f32 on CPUs: {wide} of the collectives" in program.note) == bool(wide)
    assert not read.program(f, of((16, 16), "x"), of((16, 16), "x")).note


# ── Lines ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_users_line_comes_before_the_librarys(mesh, tmp_path):
    """A layer of an installed package: the user's call is the cause, the library's line is kept beside it."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "layers.py").write_text("def linear(w, x):\n    return x @ w\n")
    spec = importlib.util.spec_from_file_location("layers", folder / "layers.py")
    assert spec is not None
    assert spec.loader is not None
    layers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(layers)

    def apply(w, x):
        with jax.named_scope("encoder"):
            return layers.linear(w, x)

    program = read.program(apply, shape(mesh, (16, 8), "x"), shape(mesh, (8, 16), None, "x"))
    (c,) = program.collectives
    assert c.source is not None
    assert (c.source.file, c.source.text) == ("test_program.py", "return layers.linear(w, x)")
    assert c.library is not None
    assert (c.library.file, c.library.line, c.library.text) == ("layers.py", 2, "return x @ w")
    assert c.module == "encoder"
    # A jitted function is not a named scope, however differentiation writes it.
    assert InstructionOrigin("jit(step)/encoder/transpose(jvp(jit(_take)))/gather", ()).module == "encoder"
    # Where the program has no other line, the library's is the cause.
    alone = read.program(layers.linear, shape(mesh, (16, 8), "x"), shape(mesh, (8, 16), None, "x"))
    (c,) = alone.collectives
    assert (c.source and c.source.file, c.library) == ("layers.py", None)


def test_totals_by_line_multiply_loops(mesh):
    def f(x):
        def step(c, _):
            return jnp.sin(jax.lax.psum(c, "x")), None

        x, _ = jax.lax.scan(step, x, length=5)
        return jax.lax.psum(x, "y"), jax.lax.all_gather(x, "y", tiled=True)

    f = jax.shard_map(f, mesh=mesh, in_specs=P("x", "y"), out_specs=(P("x"), P("x")), check_vma=False)
    program = read.program(f, shape(mesh, (32, 32), "x", "y"))
    totals = {t.source.text: t for t in program.by_line() if t.source}
    looped = totals['return jnp.sin(jax.lax.psum(c, "x")), None']
    (one,) = (program.collectives[k] for k in looped.collectives)
    assert (one.times, looped.bytes_per_device) == (5, 5 * one.bytes_per_device)
    k = program.interconnect
    assert looped.seconds == pytest.approx(5 * max(one.latency[k], one.bandwidth[k]))
    last = totals['return jax.lax.psum(x, "y"), jax.lax.all_gather(x, "y", tiled=True)']
    assert len(last.collectives) == 2
    assert sum(t.bytes_per_device for t in totals.values()) == sum(
        c.bytes_per_device * (c.times or 1) for c in program.collectives
    )
    # Lanes of a timeline: program order, what runs how often, by which line.
    (nest,) = program.trail(one)
    assert (nest.kind, nest.name, nest.times, nest.parent) == ("loop", "scan", 5, -1)
    assert nest.source is not None
    assert nest.source.text == "x, _ = jax.lax.scan(step, x, length=5)"
    assert [program.trail(c) for c in program.collectives].index((nest,)) == 0


# ── Text ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_text_of_a_module_is_read_as_the_program_is(mesh):
    compiled = jax.jit(mlp).lower(*(shape(mesh, s, *p) for s, p in MLP)).compile()
    text = compiled.as_text() or ""
    whole, pasted = read.program(compiled, mesh=mesh), read.program(text, mesh=mesh)
    assert pasted.collectives == whole.collectives
    assert (pasted.memory, pasted.name) == (None, whole.name)
    with pytest.raises(ValueError, match="names devices only by number"):
        read.program(text)
    with pytest.raises(TypeError, match="a str is already lowered for its arguments"):
        read.program(text, 1, mesh=mesh)


MLP = (((32, 64), ("x", "y")), ((64, 32), ("y", "x")), ((16, 32), ("x",)))


def test_groups_alone_have_no_estimate(mesh):
    assert str(read.program("[4,2]<=[8]", mesh=mesh)).count("not known") == 3  # Bytes, cause, time.


def test_what_may_be_a_collective_and_is_not_read_is_said_first(mesh):
    text = (
        "HloModule m, num_partitions=8\n\nadd {\n  a = f32[] parameter(0)\n  ROOT s = f32[] add(a, a)\n}\n\n"
        "ENTRY main {\n  p = f32[8] parameter(0)\n"
        "  ROOT r = f32[8] all-reduce(p), replica_groups={{0,99}}, to_apply=add\n}\n"
    )
    said = str(read.program(text, mesh=mesh))
    assert "no device sends anything" not in said
    assert said.startswith("m: 1 instruction may be a collective, and could not be read\n")


def test_calls_that_double_at_each_level_end(mesh, monkeypatch):
    for module in (liveness, replay):
        monkeypatch.setattr(module, "MOST_STEPS", 10_000)
    parts = ["HloModule m, num_partitions=8\n", "c0 {\n  p0 = f32[8] parameter(0)\n  ROOT r0 = f32[8] negate(p0)\n}\n"]
    parts += [
        f"c{k} {{\n  p{k} = f32[8] parameter(0)\n  a{k} = f32[8] call(p{k}), to_apply=c{k - 1}\n"
        f"  ROOT r{k} = f32[8] call(a{k}), to_apply=c{k - 1}\n}}\n"
        for k in range(1, 41)
    ]
    text = "\n".join([*parts, "ENTRY main {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] call(p), to_apply=c40\n}\n"])
    assert not read.program(text, mesh=mesh).collectives
    for reader in (read.memory, functools.partial(read.overlap, chip="TPU v5e")):
        with pytest.raises(ValueError, match="too many to go through"):
            reader(text, mesh=mesh)


@pytest.mark.parametrize(
    ("text", "kind", "axes", "irregular", "meaning"),
    [
        ("{{0,1},{2,3},{4,5},{6,7}}", "groups", ("y",), False, "4 groups of 2 devices"),
        ("replica_groups={{0,2,4,6},{1,3,5,7}}", "groups", ("x",), False, "2 groups of 4 devices"),
        ("[4,2]<=[8]", "groups", ("y",), False, "4 groups of 2 devices (the ids counted in the shape [8]"),
        ("{}", "groups", ("x", "y"), False, "one group of all 8 devices (no group is written"),
        (
            "{{0}}",
            "groups",
            (),
            False,
            "each of 8 devices is alone: nothing is sent; in an instruction with channel_id=",
        ),
        ("{{0,3},{1,2}}", "groups", (), True, "2 groups of 2 devices"),
        ("source_target_pairs={{0,2},{2,0},{1,3},{3,1}}", "collective-permute", ("x",), False, "each pair"),
        (
            "%c = f32[4] all-gather-start(%p), replica_groups=[2,4]<=[4,2]T(1,0)",
            "all-gather",
            ("x",),
            False,
            "2 groups",
        ),
    ],
)
def test_groups_that_are_pasted_are_named_by_axes(mesh, text, kind, axes, irregular, meaning):
    program = read.program(text, mesh=mesh)
    (found,) = program.collectives
    assert (found.kind, found.axes, found.irregular) == (kind, axes, irregular)
    assert found.groups_meaning.startswith(meaning)
    assert found.arithmetic.startswith("bytes are not known")


CHANNEL, GLOBAL = ", channel_id=1", ", use_global_device_ids=true"
ALL, ALONE = (tuple(range(8)),), tuple((p,) for p in range(8))
HALVES = ((0, 1, 2, 3), (4, 5, 6, 7))


@pytest.mark.parametrize(
    ("operation", "groups", "more", "means"),
    [
        # One replica, eight partitions: with a channel, a replica is all of its partitions.
        ("all-reduce", "{{0}}", CHANNEL, ALL),
        ("all-reduce", "{{0}}", "", ALONE),
        ("all-reduce-start", "{{0}}", CHANNEL, ALL),
        ("all-gather", "{{0}}", CHANNEL + ", dimensions={0}", ALL),
        ("reduce-scatter", "{{0}}", CHANNEL, ALL),
        ("all-reduce", "{}", CHANNEL, ALL),
        ("all-reduce", "{}", "", ALL),
        ("all-reduce", "[1,1]<=[1]", CHANNEL, ALL),
        ("all-reduce", "{{0,1,2,3},{4,5,6,7}}", CHANNEL + GLOBAL, HALVES),
        ("all-reduce", "{{0,1,2,3},{4,5,6,7}}", "", HALVES),
        # Two replicas of four partitions.
        ("all-reduce", "{{0},{1}}", CHANNEL, HALVES),
        ("all-reduce", "{{0,1}}", CHANNEL, ALL),
        ("all-reduce", "{{0,1}}", "", ((0, 4), (1, 5), (2, 6), (3, 7))),
        # What counts partitions as soon as there is a channel.
        ("all-to-all", "{{0,1,2,3},{4,5,6,7}}", CHANNEL, HALVES),
        ("all-to-all", "{}", CHANNEL, ALL),
    ],
)
def test_what_pasted_ids_count_follows_the_instruction_that_they_are_in(mesh, operation, groups, more, means):
    text = f"%c = f32[8]{{0}} {operation}(%p){more}, replica_groups={groups}"
    (found,) = read.program(text, mesh=mesh).collectives
    assert found.groups == means
    assert "in an instruction with" not in found.groups_meaning


def test_groups_alone_have_neither_bytes_nor_times(mesh):
    program = read.program("[4,2]<=[8]", mesh=mesh)
    assert program.interconnects == ()
    words = str(program)
    assert "not known" in words
    assert " 0 B" not in words
    assert "0 ns" not in words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "nor groups as XLA writes them: replica_groups={{0,1},{2,3}}"),
        ("{{0,99}}", "name the device 99, and the mesh has 8: 0 to 7"),
    ],
)
def test_text_that_is_nothing_of_this_is_refused(mesh, text, words):
    with pytest.raises(ValueError, match=words.replace("{", r"\{").replace("}", r"\}")):
        read.program(text, mesh=mesh)


def test_each_call_of_a_jitted_function_of_jax_has_its_own_line(mesh):
    x = jax.device_put(jnp.arange(64.0).reshape(8, 8), NamedSharding(mesh, P("x")))

    def before(x):
        return jnp.roll(x, 1, 0)

    def twice(x):
        first = jnp.roll(x, 1, 0)
        return jnp.roll(jnp.sin(first), 1, 0)

    jax.jit(before)(x)
    lines = [c.source.text for c in read.program(twice, x).collectives if c.source]
    assert lines == ["first = jnp.roll(x, 1, 0)", "return jnp.roll(jnp.sin(first), 1, 0)"]
    elsewhere = read.program(jax.jit(twice).lower(x))
    assert ("may be those of an earlier call" in elsewhere.note) == (jax.__version_info__ < (0, 10))


@pytest.fixture
def persistent_cache(tmp_path):
    options = {
        "jax_compilation_cache_dir": str(tmp_path),
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {option: getattr(jax.config, option) for option in options}
    for option, value in options.items():
        jax.config.update(option, value)
    compilation_cache.reset_cache()
    yield tmp_path
    for option, value in before.items():
        jax.config.update(option, value)
    compilation_cache.reset_cache()


@pytest.mark.parametrize("called", [False, True], ids=["read", "called and read"])
def test_a_program_has_its_own_lines_whatever_the_persistent_cache_holds(mesh, persistent_cache, called):
    text = "def total(x):\n    return x.sum()"
    x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, P("x")))
    for above in (0, 3):
        here = {}
        exec(compile("\n" * above + text, "<cell>", "exec"), here)
        if called:
            jax.jit(here["total"])(x)
        (sum_,) = read.program(here["total"], x).collectives
        assert sum_.source
        assert sum_.source.line == above + 2
    assert any(persistent_cache.iterdir())


@pytest.mark.libtpu
def test_programs_for_tpus_that_are_not_here_are_not_kept(persistent_cache):
    mesh = sw.tpu_mesh("v5e:2x2", ("x", "y"))
    x = jax.ShapeDtypeStruct((256,), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    for _ in range(2):  # JAX warns where it can't read what it kept.
        read.program(lambda x: x.sum(), x)
    assert not any(persistent_cache.glob("jit__lambda*"))


def test_what_checkpoint_computes_once_more_is_told_from_the_backward_pass(mesh):
    def layer(x, w):
        return jnp.tanh(x @ w)

    def loss(w, x, keep):
        return (layer if keep else jax.checkpoint(layer))(x, w).sum()

    x, w = (
        jax.ShapeDtypeStruct((64, 64), "float32", sharding=NamedSharding(mesh, P(*s))) for s in (("x", "y"), ("y",))
    )
    said = {}
    for keep in (True, False):
        program = read.program(jax.grad(functools.partial(loss, keep=keep)), w, x)
        said[keep] = [(c.axes, c.backward, c.recomputed) for c in program.collectives]
        assert ("recomputed in the backward pass" in table(program)) == (not keep)
    assert said[True] == [(("y",), False, False), (("x",), True, False)]
    assert said[False] == [(("y",), True, True), (("x",), True, False)]


def test_a_gather_for_a_constraint_on_a_product_is_the_products(mesh):
    def f(h, w):
        q = h @ w
        return jax.lax.with_sharding_constraint(q, NamedSharding(mesh, P("x", None)))

    h, w = (
        jax.ShapeDtypeStruct((256, 256), "float32", sharding=NamedSharding(mesh, P(*s))) for s in (("x",), (None, "y"))
    )
    (gather,) = read.program(f, h, w).collectives
    assert gather.source
    assert gather.source.text == "q = h @ w"


RETURNS = {
    "elementwise": (lambda x: jnp.sin(x) * 2, P(), ("x", "y")),
    "over one axis": (lambda x: x * 2, P("x"), ("y",)),
    "one of two results": (lambda x: (x - 1, (x * x).sum()), (P(), P()), ("x", "y")),
    "split": (lambda x: jnp.sin(x), P("x", "y"), ()),
    "a sum": (lambda x: x.sum(), P(), ()),
}


@pytest.mark.parametrize(("f", "specs", "axes"), RETURNS.values(), ids=RETURNS)
def test_a_result_that_is_gathered_only_to_be_returned_is_flagged(mesh, f, specs, axes):
    shardings = jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs, is_leaf=lambda s: isinstance(s, P))
    x = jax.ShapeDtypeStruct((512, 512), "float32", sharding=NamedSharding(mesh, P("x", "y")))
    program = read.program(jax.jit(f, out_shardings=shardings), x)
    flagged = [c for c in program.collectives if "only to return it so" in c.remark]
    assert {axis for c in flagged for axis in c.axes} == set(axes)
    assert all(c.kind == "all-gather" for c in flagged)


def test_a_gather_that_is_used_is_not_flagged_as_returned(mesh):
    """Weights that are gathered for a product, and a value that is returned and computed with."""

    def f(x, w):
        whole = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P()))
        return whole, jnp.sin(whole @ w)

    x, w = (jax.ShapeDtypeStruct((64, 64), "float32", sharding=NamedSharding(mesh, P(*s))) for s in (("x", "y"), ()))
    assert not any("only to return" in c.remark for c in read.program(f, x, w).collectives)
