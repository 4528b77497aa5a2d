"""Every kind of exercise against JAX: right, wrong, partly right, of the wrong form, and the feedback on it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.document import Feedback, Listing
from shardwidget.teach.choose_collective import NOTHING

MESH = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
AUTO = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


@pytest.fixture
def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


def abstract(shape, *spec, dtype="float32", mesh=MESH, **states):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec, **states)))


def told(exercise: sw.Exercise, answer) -> Feedback:
    """Answers, and returns what is said."""
    exercise.answer = answer
    feedback = exercise.document.questions[0].feedback
    assert feedback is not None
    return feedback


def refused(exercise: sw.Exercise, answer, words: str) -> None:
    before = exercise.answer, exercise.attempts, exercise.passed
    with pytest.warns(UserWarning, match=words):
        exercise.answer = answer
    assert (exercise.answer, exercise.attempts, exercise.passed) == before


# ── Reading a placement ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_placement_is_read_in_parts():
    e = sw.Exercise.read_placement(abstract((8, 16), "x", None), ["local shape", "copies", "bytes per device"])
    wrong = told(e, ("(2, 8)", "4", "512"))
    assert wrong.verdict == "partly"
    assert [p.right for p in wrong.parts] == [False, False, False]
    assert wrong.parts[0].cells == (True, False)
    assert "no mesh axis splits dim 1; blocks of 8 would cut its 16 into 2 pieces" in wrong.message
    assert "512 B is the whole array" in wrong.message
    assert wrong.figure is not None
    assert wrong.figure.placement is not None
    assert wrong.figure.placement.shard_shape == (2, 8)
    assert told(e, ("(2, 16)", "4", "1 KiB")).verdict == "partly"
    right = told(e, {"part0": "2, 16", "part1": 2, "part2": "0.125 KiB"})
    assert (right.verdict, e.passed, e.attempts) == ("right", True, 3)
    refused(e, {"part0": "2, 16"}, "nothing is filled in for copies of each block, bytes per device")
    refused(e, ("2", 2, 128), "write 2 sizes, one for each dimension")
    refused(e, {"shape": 1}, "no field is called 'shape'")
    refused(e, "(2, 16)", "in this order: local shape, copies of each block, bytes per device")


@pytest.mark.parametrize("spec", [("x", None), (None, "y"), (("y", "x"), None), (), ("x", "y")])
def test_holders_of_an_element_are_those_of_jax(mesh, spec):
    sharding = NamedSharding(mesh, P(*spec))
    truth = {
        d.id
        for d, (rows, columns) in sharding.devices_indices_map((8, 16)).items()
        if rows.start is None or rows.start <= 5 < rows.stop
        if columns.start is None or columns.start <= 3 < columns.stop
    }
    x = jax.device_put(jnp.zeros((8, 16)), sharding)
    e = sw.Exercise.read_placement(x, "devices of element (5, 3)")
    others = set(range(8)) - truth
    if others:
        extra = told(e, {*list(truth)[:1], min(others)})
        assert extra.verdict == "partly"
        assert f"Device {min(others)} holds" in extra.message
        assert not any(f"evice {d} holds it" in extra.message for d in truth)
    if len(truth) > 1:
        assert "not alone" in told(e, set(list(truth)[:1])).message
    assert told(e, sorted(truth, reverse=True)).verdict == "right"
    refused(e, {99}, "the mesh has no device 99")


def test_a_slice_is_read_and_its_dimension_named():
    e = sw.Exercise.read_placement(abstract((8, 16), "y", "x"), "slice of device 5")
    wrong = told(e, "[0:4, 8:12]")
    assert (wrong.verdict, wrong.parts[0].cells) == ("partly", (False, True))
    assert "Dim 0 is off: the length is right, the start is not" in wrong.message
    assert told(e, "x[4:8, 8:12]").verdict == "right"
    assert e.answer == (slice(4, 8), slice(8, 12))
    e.answer = (slice(4, 8), slice(8, 12))
    assert e.attempts == 2


def test_a_question_that_the_array_does_not_have_is_refused():
    x = abstract((8, 16), "x")
    for ask in (
        "size",
        "devices of element (8, 0)",
        "devices of element 3",
        "slice of device 8",
        "devices of element (a)",
    ):
        with pytest.raises(ValueError, match=r"ask=|element"):
            sw.Exercise.read_placement(x, ask)
    with pytest.raises(ValueError, match="a mesh alone"):
        sw.Exercise.read_placement(MESH, "copies")


def test_a_placement_without_a_mesh_is_read_too():
    e = sw.Exercise.read_placement(jax.device_put(jnp.zeros((4, 4)), jax.devices()[0]), "copies")
    assert told(e, 2).figure is None
    assert told(e, "1").verdict == "right"


# ── Writing a spec ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_spec_with_the_effect_counts_whichever_it_is():
    e = sw.Exercise.write_spec((8, 16), MESH, local_shape=(4, 4), copies=1)
    near = told(e, P("x", "y"))
    assert near.verdict == "partly"
    assert near.message == "8 rows over x=4 leave 2; blocks need 4. 16 columns over y=2 leave 8; blocks need 4."
    assert near.question == "What cuts 8 into pieces of 4?"
    assert near.gives == "f32[2,8]"
    assert near.figure is not None
    assert near.figure.placement is not None
    assert near.figure.placement.shard_shape == (2, 8)
    assert told(e, "P()").verdict == "wrong"
    doubled = told(e, "P('x', 'x')")
    assert (doubled.verdict, doubled.error) == ("wrong", "DuplicateSpecError")
    assert "at most one positional dimension" in doubled.said
    assert told(e, " 'y' , 'x' ").verdict == "right"
    refused(e, "P(y)", "write 'y'")
    refused(e, "", "nothing is filled in")
    refused(e, 3, "PartitionSpec")

    either = sw.Exercise.write_spec((8, 16), MESH, copies=4)
    for spec in (P("y"), P(None, "y"), P("y", None)):
        assert told(either, spec).verdict == "right"
    assert told(either, P("x")).message == "Each block is on 2 devices; 4 devices should hold it."


def test_a_picture_is_written_as_any_spec_that_gives_it():
    e = sw.Exercise.write_spec((8, 16), MESH, gives=P("y"))
    (figure,) = e.document.questions[0].figures
    assert figure.placement is not None
    assert (figure.placement.spec, figure.placement.type, figure.placement.hlo) == (None, "", "")
    assert told(e, P("y", "x")).verdict == "partly"
    for spec in (P("y"), P("y", None), P(("y",))):
        assert told(e, spec).verdict == "right"
    order = sw.Exercise.write_spec((8, 16), MESH, gives=P(("x", "y")))
    assert "on other devices" in told(order, P(("y", "x"))).message
    assert told(order, P(("x", "y"))).verdict == "right"


def test_a_spec_that_jax_rejects():
    any_way = sw.Exercise.write_spec((6, 16), MESH, rejected=True)
    assert told(any_way, P("y", "x")).verdict == "wrong"
    for spec in (P("x"), P("y", "y"), P("z"), P(None, None, None)):
        assert told(any_way, spec).verdict == "right"
    one = sw.Exercise.write_spec((6, 16), MESH, rejected="DuplicateSpecError")
    other = told(one, P("x"))
    assert other.verdict == "wrong"
    assert "JAX refuses this spec" in other.message
    assert told(one, P("y", "y")).verdict == "right"


def test_a_spec_that_does_not_exist_is_not_asked_for():
    with pytest.raises(ValueError, match="no spec of this mesh splits an array of shape"):
        sw.Exercise.write_spec((8, 16), MESH, local_shape=(3, 16))
    with pytest.raises(ValueError, match="no spec"):
        sw.Exercise.write_spec((8, 16), MESH, bytes_per_device=3)
    with pytest.raises(ValueError, match="rank"):
        sw.Exercise.write_spec((8, 16), MESH, local_shape=(4,))
    for goals in ({}, {"rejected": True, "copies": 1}):
        with pytest.raises(ValueError, match="state what the spec should give"):
            sw.Exercise.write_spec((8, 16), MESH, **goals)
    with pytest.raises(Exception, match="duplicate"):
        sw.Exercise.write_spec((8, 16), MESH, gives=P("x", "x"))


# ── Types and errors ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_type_is_that_of_jax():
    e = sw.Exercise.predict_type(lambda a: a.T, abstract((8, 16), "x", "y"))
    assert e.document.questions[0].figures[0].listing == Listing("", 1, ("lambda a: a.T",))
    half = told(e, "f32[16@y,8]")
    assert half.verdict == "partly"
    assert half.message == "Dim 1 is split, and your answer leaves it whole."
    assert half.figure is not None
    assert half.figure.placement is not None
    assert half.figure.placement.grid == (2, 1)
    assert "too few" in told(e, "f32[16]").message
    assert "The size of dim 0" in told(e, "f32[4@y,8@x]").message
    assert "not split over x" in told(e, "f32[16@x,8@x]").message
    assert "dtype" in told(e, "i32[16@y,8@x]").message
    assert "braces" in told(e, "f32[16@y,8@x]{U:x}").message
    assert told(e, "float32[ 16@y, 8@x ]").verdict == "right"
    assert e.answer == "f32[16@y,8@x]"
    refused(e, "f32(16)", "not a type as JAX writes it")
    refused(e, P("y", "x"), "answer with a type as text")


def test_the_order_of_axes_is_part_of_a_type():
    e = sw.Exercise.predict_type(lambda a: a + 1, abstract((8, 16), ("y", "x")))
    assert told(e, "f32[8@(x,y),16]").message == "Dim 0 is split over these axes, in another order."
    assert told(e, "f32[8@(y, x),16]").verdict == "right"


def product(a, b):
    return a @ b


def test_a_type_that_does_not_exist_is_not_asked_for():
    with pytest.raises(ValueError, match=r"JAX gives no type, but ShardingTypeError.*\n.*predict_error"):
        sw.Exercise.predict_type(product, abstract((8, 16), "x", "y"), abstract((16, 4), "y"))
    with pytest.raises(ValueError, match="2 results"):
        sw.Exercise.predict_type(lambda a: (a, a), abstract((8,), "x"))


def test_an_error_is_that_of_jax():
    e = sw.Exercise.predict_error(product, abstract((8, 16), "x", "y"), abstract((16, 4), "y"))
    assert told(e, "it runs").verdict == "wrong"
    near = told(e, "ValueError")
    assert near.verdict == "partly"
    assert "ShardingTypeError" not in near.message + near.question
    right = told(e, "ShardingTypeError")
    assert (right.verdict, right.error) == ("right", "ShardingTypeError")
    assert "Contracting dimensions are sharded" in right.said
    refused(e, "OSError", "not among the choices: it runs, ")
    refused(e, 3, "not among the choices")


def test_a_call_that_runs_is_asked_for_too(mesh):
    x = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, P("x", None)))
    e = sw.Exercise.predict_error(product, x, x, among=["TypeError", "OSError"])
    assert e.document.questions[0].fields[0].options == ("it runs", "OSError", "TypeError")
    assert told(e, TypeError).verdict == "wrong"
    assert told(e, "it runs").verdict == "right"


def stops(a):
    raise KeyError("mine")


def test_an_error_of_the_users_own_is_among_the_choices():
    e = sw.Exercise.predict_error(stops, abstract((8,), "x"))
    assert "KeyError" in e.document.questions[0].fields[0].options
    assert told(e, "KeyError").verdict == "right"


# ── Collectives ───────────────────────────────────────────────────────────────────────────────────────────────────────

CHANGES = [
    (P("x", None), P(), "all_gather along dim 0", "x"),
    (P(None, "y"), P(), "all_gather along dim 1", "y"),
    (P("x", None), P(None, "x"), "all_to_all from dim 0 to dim 1", "x"),
    (P(None, "y"), P("y", None), "all_to_all from dim 1 to dim 0", "y"),
    (P(unreduced=frozenset({"y"})), P(), "psum", "y"),
    (P(unreduced=frozenset({"x"})), P("x"), "psum_scatter along dim 0", "x"),
    (P("y", unreduced=frozenset({"x"})), P("y"), "psum", "x"),
    (P(unreduced=frozenset({"x", "y"})), P(unreduced=frozenset({"y"})), "psum", "x"),
    (P("x"), P("x", "y"), NOTHING, "y"),
]


@pytest.mark.parametrize(("before", "after", "what", "axis"), CHANGES)
def test_the_collective_is_the_one_that_gives_the_blocks(before, after, what, axis):
    def layout(spec):
        return (8, 16), "float32", NamedSharding(MESH, spec)

    e = sw.Exercise.choose_collective(layout(before), layout(after))
    (collective, over) = e.document.questions[0].fields
    right = []
    for option in collective.options:
        for name in over.options:
            if told(e, (option, name)).verdict == "right":
                right.append((option, name))
    expected = [(what, "x"), (what, "y")] if what == NOTHING else [(what, axis)]
    assert right == expected


def test_a_wrong_collective_is_shown_with_what_it_gives():
    def layout(*spec, **states):
        return (8, 16), "float32", NamedSharding(MESH, P(*spec, **states))

    e = sw.Exercise.choose_collective(layout(unreduced=frozenset({"x"})), layout("x"))
    near = told(e, ("psum", "x"))
    assert [p.right for p in near.parts] == [False, True]
    assert near.figure is not None
    assert near.figure.placement is not None
    assert near.figure.placement.copies == 8
    other = told(e, ("psum_scatter along dim 0", "y"))
    assert [p.right for p in other.parts] == [True, False]
    assert "Along which axis" in other.question
    refused(e, ("psum", "z"), "not among the choices: x, y")
    refused(e, "psum", "in this order: collective, over")


def test_a_change_that_takes_more_than_one_collective_is_not_asked_for():
    def layout(*spec, shape=(8, 16), mesh=MESH):
        return shape, "float32", NamedSharding(mesh, P(*spec))

    with pytest.raises(ValueError, match="no single collective"):
        sw.Exercise.choose_collective(layout("x", "y"), layout())
    with pytest.raises(ValueError, match="same shape"):
        sw.Exercise.choose_collective(layout("x"), layout("x", shape=(8, 8)))
    with pytest.raises(ValueError, match="same mesh"):
        sw.Exercise.choose_collective(layout("x"), layout("x", mesh=AbstractMesh((2, 4), ("x", "y"))))


# ── Values ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@jax.shard_map(mesh=AUTO, in_specs=P("x", "y"), out_specs=P("x"))
def row_sums(a):
    return jax.lax.psum(a, "y")


def test_a_block_is_filled_in_number_by_number():
    e = sw.Exercise.fill_block(row_sums, np.arange(16.0).reshape(4, 4), device=3)
    assert [t.title for t in e.document.questions[0].figures[1].tables] == [f"a on device {d}" for d in range(8)]
    own = told(e, [[6, 7]])
    assert (own.verdict, own.message) == (
        "wrong",
        "0 of 2 values are right. This is what device 3 had before the psum.",
    )
    assert "what device 4 holds afterwards" in told(e, [18, 20]).message
    half = told(e, "10 0")
    assert (half.verdict, half.parts[0].cells) == ("partly", (True, False))
    assert told(e, "10, 12").verdict == "right"
    refused(e, "10", "1 numbers are filled in")
    refused(e, "ten", "not everything that is filled in is a number")


def test_a_block_that_cannot_be_filled_in_is_not_asked_for():
    with pytest.raises(ValueError, match="at most 64 values"):
        sw.Exercise.fill_block(row_sums, np.zeros((64, 64)), device=0)
    with pytest.raises(ValueError, match="no device 8"):
        sw.Exercise.fill_block(row_sums, np.zeros((4, 4)), device=8)
    with pytest.raises(ValueError, match="step=99"):
        sw.Exercise.fill_block(row_sums, np.zeros((4, 4)), device=0, step=99)
    stopping = jax.shard_map(lambda a: a, mesh=AUTO, in_specs=P("x"), out_specs=P())
    with pytest.raises(ValueError, match="no truth: ValueError"):
        sw.Exercise.fill_block(stopping, np.zeros((4, 4)), device=0)
    quiet = jax.shard_map(lambda a: a + 1, mesh=AUTO, in_specs=P("x"), out_specs=P("x"))
    with pytest.raises(ValueError, match="no collective"):
        sw.Exercise.fill_block(quiet, np.zeros((4, 4)), device=0)


# ── Programs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

A, B = np.arange(32.0, dtype="float32").reshape(8, 4), np.arange(16.0, dtype="float32").reshape(4, 4)


def partial_product(a, b):
    return jax.lax.psum(a @ b, "y")


@pytest.mark.parametrize("devices", [True, False])
def test_specs_make_a_body_run(mesh, devices):
    e = sw.Exercise.put_specs(partial_product, A, B, mesh=mesh if devices else AUTO, gives=product, at_most=64)
    doubled = told(e, ((P(), P()), P()))
    assert "They are 2 times what they should be: something is added up more than once" in doubled.message
    out = told(e, ((P("x", "y"), P("y")), P()))
    assert (out.verdict, out.error, [p.right for p in out.parts]) == ("partly", "ValueError", [True, True, False])
    assert "out_specs" in out.said
    wide = told(e, ((P(None, "y"), P("y")), P()))
    assert (wide.verdict, wide.message) == (
        "partly",
        "The result is right. A device holds 96 B of the arguments: too much.",
    )
    assert told(e, ((P("x", "x"), P("y")), P("x"))).error != ""
    assert told(e, ((P("x", "y"), P("y")), P("x"))).verdict == "right"
    assert told(e, ("P('x','y')", "P('y', None)", "P('x')")).verdict == "right"
    refused(e, (P("x"), P("x")), "with 2 in_specs")
    refused(e, {"in0": "P()", "in1": "", "out": "P()"}, "nothing is filled in for in_spec of b")


def fails(a, b):
    raise KeyError("mine")


def test_specs_without_a_truth_are_not_asked_for():
    with pytest.raises(ValueError, match="the exercise has no truth: gives=fails raises KeyError"):
        sw.Exercise.put_specs(partial_product, A, B, mesh=AUTO, gives=fails)
    with pytest.raises(ValueError, match="gives must be one array"):
        sw.Exercise.put_specs(partial_product, A, B, mesh=AUTO, gives=(A, B))


def fixed(a, b):
    return jnp.matmul(a, b, out_sharding=P("x", None))


def twice(a, b):
    return 2 * fixed(a, b)


@pytest.fixture
def placed(mesh):
    return jax.device_put(A, NamedSharding(mesh, P("x", "y"))), jax.device_put(B, NamedSharding(mesh, P("y", None)))


def test_a_result_that_numpy_computed_in_64_bits_can_be_given():
    def broken(a):
        return a + 1

    exercise = sw.Exercise.repair(broken, np.ones(4, np.float32), gives=np.ones(4) * 2.5)
    assert told(exercise, lambda a: a * 2.5).verdict == "right"
    assert "values are off" in told(exercise, lambda a: a * 2).message
    assert "has dtype int32" in told(exercise, lambda a: (a * 2.5).astype(int)).message


def test_a_function_is_repaired(placed):
    e = sw.Exercise.repair(product, *placed, gives=A @ B)
    assert e.document.questions[0].prompt.startswith("This stops with `ShardingTypeError`. Write a function that")
    assert e.document.questions[0].goal == ""
    same = told(e, product)
    assert (same.verdict, same.error, same.message) == ("wrong", "ShardingTypeError", "It still stops in the same way.")
    assert told(e, stops).error == "TypeError"
    assert told(e, lambda a, b: a).verdict == "partly"
    assert "2 times" in told(e, twice).message
    assert told(e, fixed).verdict == "right"
    refused(e, "fixed", "in a cell: exercise.answer = f")
    assert e.answer is fixed


def test_a_function_that_is_not_broken_is_not_asked_for(placed):
    with pytest.raises(ValueError, match="nothing to repair"):
        sw.Exercise.repair(fixed, *placed, gives=A @ B)
    with pytest.raises(ValueError, match="no truth"):
        sw.Exercise.repair(fixed, *placed, gives=product)


def wasteful(a, w):
    whole = jax.reshard(a, P(None, None))
    return jax.reshard(whole @ w, P("x", None))


def frugal(a, w):
    return jnp.matmul(a, w, out_sharding=P("x", None))


def halfway(a, w):
    return jax.reshard(jax.reshard(a, P(None, None)) @ w, P("x", None)) if a.shape[0] < 8 else wasteful(a, w)


@pytest.fixture
def rows(mesh):
    return jax.device_put(A, NamedSharding(mesh, P("x", None))), jax.device_put(B, NamedSharding(mesh, P(None, None)))


def test_communication_is_counted_in_the_compiled_program(rows):
    e = sw.Exercise.lower_communication(wasteful, *rows, below=0)
    assert "`96 B`" in e.document.questions[0].prompt
    same = told(e, halfway)
    assert (same.verdict, same.gives) == ("partly", "96 B per device")
    assert "all-gather over x 96 B" in same.message
    assert told(e, lambda a, w: a).verdict == "wrong"
    assert told(e, product).verdict == "right"
    assert told(e, frugal).verdict == "right"
    assert told(e, stops).error == "TypeError"
    less = sw.Exercise.lower_communication(wasteful, *rows)
    assert "sends less than `96 B`" in less.document.questions[0].prompt
    assert told(less, frugal).verdict == "right"


def test_a_collective_in_a_loop_counts_as_often_as_it_runs(mesh, rows):
    ring = [(n, (n + 1) % 4) for n in range(4)]

    @jax.shard_map(mesh=mesh, in_specs=P("x", None), out_specs=P("x", None))
    def hops(a):
        return jax.lax.scan(lambda c, _: (jax.lax.ppermute(c, "x", ring) + 1, None), a, length=3)[0]

    e = sw.Exercise.lower_communication(hops, rows[0])
    assert "sends `96 B`" in e.document.questions[0].prompt


def test_communication_that_cannot_be_lowered_is_not_asked_for(rows):
    with pytest.raises(ValueError, match="a device sends 0 B already"):
        sw.Exercise.lower_communication(frugal, *rows, below=0)
    with pytest.raises(ValueError, match="no truth: the function raises TypeError"):
        sw.Exercise.lower_communication(stops, *rows)


def test_a_function_whose_text_is_not_known_needs_it_given(placed):
    made = {}
    exec("def made(a, b):\n    return a @ b", made)
    with pytest.raises(ValueError, match="the source of made cannot be read"):
        sw.Exercise.repair(made["made"], *placed, gives=A @ B)
    e = sw.Exercise.repair(made["made"], *placed, gives=A @ B, source="def made(a, b): ...")
    assert e.document.questions[0].figures[0].listing == Listing("", 1, ("def made(a, b): ...",))


# ── Whatever the notebook has set ─────────────────────────────────────────────────────────────────────────────────────


def test_exercises_are_the_same_on_an_explicit_mesh_that_is_set():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2, devices=jax.devices()[:8])
    rows = AbstractMesh((4,), ("i",), axis_types=(AxisType.Auto,))
    a, b = np.arange(32.0, dtype="float32").reshape(8, 4), np.ones((4, 4), "float32")

    def layout(*spec, **state):
        return (8, 16), "float32", NamedSharding(mesh, P(*spec, **state))

    def multiply(a, b):
        return jax.lax.psum(a @ b, "y")

    def shifted(v):
        return jax.lax.ppermute(v, "i", [(n, (n + 1) % 4) for n in range(4)])

    with jax.set_mesh(mesh):
        choose = sw.Exercise.choose_collective(layout(unreduced={"y"}), layout("y"))
        put = sw.Exercise.put_specs(multiply, a, b, mesh=mesh, gives=lambda a, b: a @ b)
        ring = jax.shard_map(shifted, mesh=rows, in_specs=P("i"), out_specs=P("i"))
        fill = sw.Exercise.fill_block(ring, np.arange(8.0), device=1)
        choose.answer = "psum_scatter along dim 0", "y"
        put.answer = (P("x", "y"), P("y", None)), P("x", None)
        fill.answer = [0, 1]
    assert [e.passed for e in (choose, put, fill)] == [True, True, True]


def test_what_is_wanted_is_shown():
    a = np.arange(400.0, dtype="float32").reshape(20, 20)
    put = sw.Exercise.put_specs(lambda v: 2 * v, a, mesh=MESH, gives=lambda v: 2 * v, source="lambda v: 2 * v")
    fix = sw.Exercise.repair(lambda v: v, np.arange(3), gives=[2, 3, 4], source="lambda v: v")
    wanted = [next(f for f in e.document.questions[0].figures if f.title == "wanted") for e in (put, fix)]
    assert wanted[0].types == ("wanted: f32[20,20]",)
    (table,) = wanted[0].tables
    assert (len(table.rows), len(table.rows[0]), table.rows[0][:3], table.rows[-1][0]) == (9, 17, ("0", "2", "4"), "…")
    assert [t.rows for t in wanted[1].tables] == [(("2",),), (("3",),), (("4",),)]


@pytest.mark.parametrize("spelling", [str, repr, lambda t: t, lambda t: str(t).replace("[", " [")])
@pytest.mark.parametrize("spec", [P("x", None), P("x"), P(None, ("x", "y")), P("y", "x")])
def test_a_type_counts_as_the_notebook_prints_it(spec, spelling):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2, devices=jax.devices()[:8])
    x = jax.device_put(jnp.ones((8, 16), "bfloat16"), NamedSharding(mesh, spec))
    exercise = sw.Exercise.predict_type(lambda v: -v, x, source="lambda v: -v")
    like = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding)
    for printed in (jax.typeof(-x), like, jax.eval_shape(lambda v: -v, like)):
        exercise.answer = spelling(printed)
        assert exercise.passed, spelling(printed)


# ── Examples in empty fields ──────────────────────────────────────────────────────────────────────────────────────────


def _whole_tree():
    whole = NamedSharding(MESH, P())
    return {"params": {"embed": jax.ShapeDtypeStruct((512, 64), "float32", sharding=whole)}}


NEAR_THE_EXAMPLE = {
    "read_schedule": lambda: sw.Exercise.read_schedule(sw.pipeline.one_f_one_b(3, 6)),
    "predict_peak": lambda: sw.Exercise.predict_peak(
        jax.jit(lambda a: 2 * a), jax.ShapeDtypeStruct((2**20,), "float32"), within=0.9, source="lambda a: 2 * a"
    ),
    "write_spec": lambda: sw.Exercise.write_spec((8, 16), MESH, copies=8),
    "find_leaf": lambda: sw.Exercise.find_leaf(_whole_tree()),
    "shard_tree": lambda: sw.Exercise.shard_tree(_whole_tree(), below=2**16),
}


@pytest.mark.parametrize("kind", NEAR_THE_EXAMPLE)
@pytest.mark.filterwarnings("ignore:.*not counted")
def test_no_example_is_the_answer(kind):
    exercise = NEAR_THE_EXAMPLE[kind]()
    (question,) = exercise.document.questions
    assert all(field.example for field in question.fields)
    exercise.answer = {field.name: field.example for field in question.fields}
    (question,) = exercise.document.questions
    assert question.feedback is not None
    assert not any(part.right for part in question.feedback.parts)
    assert not exercise.passed
    assert "params/embed" not in question.prompt


def test_the_tree_that_is_asked_about_is_shown():
    (question,) = sw.Exercise.find_leaf(_whole_tree()).document.questions
    assert question.figures[0].types == ("params/embed: f32[512,64]",)
    many = {str(k): jax.ShapeDtypeStruct((8,), "float32", sharding=NamedSharding(MESH, P())) for k in range(20)}
    (question,) = sw.Exercise.shard_tree(many, below=32).document.questions
    assert question.figures[0].types[-2:] == ("19: f32[8]", "and 8 more")
