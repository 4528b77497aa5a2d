"""What displayed widgets hold: no array on a device after their cell, and only their document once it has run again."""

import gc

import jax
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets import TraitError

import shardwidget as sw
from shardwidget.export import svg
from shardwidget.widgets._base import DocumentWidget
from shardwidget.widgets._cells import Cells

pytestmark = pytest.mark.usefixtures("only_new_garbage")

BEFORE = """
import jax, jax.numpy as jnp, numpy as np, shardwidget as sw
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((4, 2), ("x", "y"))
count = 0
def new():
    global count
    count += 1
    x = jax.device_put(np.full((512, 512), count, np.float32), NamedSharding(mesh, P("x", "y")))
    return jax.block_until_ready(x)
def double(a):
    return a * 2
def summed(a):
    return jax.shard_map(lambda a: jax.lax.psum(a, "x"), in_specs=P("x", "y"), out_specs=P(None, "y"), mesh=mesh)(a)
def closed(a):
    return lambda: a + 1
ring = jax.make_mesh((2,), ("stages",), devices=mesh.devices.flat[:2])
def stages(w, x):
    here, last, state = jax.lax.axis_index("stages"), jnp.zeros_like(x), jnp.zeros_like(x[0])
    for i in range(5):
        state = jnp.tanh(jnp.where(here == 0, x[i % 4], state) * w[0])
        last = last.at[(i - 1) % 4].set(jnp.where(here == 1, state, last[(i - 1) % 4]))
        state = jax.lax.ppermute(state, "stages", [(0, 1), (1, 0)])
    return last
pipeline = jax.shard_map(stages, mesh=ring, in_specs=(P("stages"), P()), out_specs=P("stages"), check_vma=False)
"""

AFTER_CELL = {
    "an array": "x = new(); sw.show(x)",
    "an array that no name holds": "sw.show(new())",
    "an array coloured by values": "x = new(); sw.ArrayView(x, color_by='values')",
    "a named view": "x = new(); view = sw.ArrayView(x); view",
    "another array in a view": "x = new(); view = sw.ArrayView(new()); display(view); view.array = x",
    "an array in html": "x = new(); sw.show(x, mode='html')",
    "a Ref": "x = jax.new_ref(new()); sw.show(x)",
    "an array on one device": "x = jax.block_until_ready(jnp.zeros((1024, 2048)) + 1); sw.show(x)",
    "copies on groups": "x = [jax.device_put(np.ones((512, 512), np.float32), NamedSharding(Mesh(mesh.devices[k], 'y'),"
    " P('y'))) for k in (0, 2)]; sw.ArrayView(x, groups=(mesh, 'x'))",
    "a comparison": "x = new(); sw.ShardingComparison(double, x)",
    "a comparison of arrays": "x = new(); sw.ShardingComparison({'x': x})",
    "a comparison of NumPy's arrays on the mesh": "x = new(); sw.ShardingComparison(double, x, mesh=mesh)",
    "a stepper": "x = new(); sw.ShardMapStepper(summed, x)",
    "a stepper of a trace": "x = new(); sw.ShardMapStepper(sw.read.trace(summed, x))",
    "a stepper that keeps all": "x = new(); sw.ShardMapStepper(summed, x, keep=2**28)",
    "a tree": "x = new(); sw.show({'w': x})",
    "trees side by side": "x = new(); sw.ModelView.compare({'w': x}, {'w': x})",
    "an exercise": "x = new(); sw.Exercise.predict_error(double, x)",
    "a plan": "x = new(); sw.ReshardPlanView(x, NamedSharding(mesh, P('y', 'x')))",
    "a run": "x = new(); sw.show(sw.read.run(double, x, n=1))",
    "a difference of programs": "x = new(); sw.CompiledProgram.diff((double, x), (closed(x),), mesh=mesh)",
    "an inspector": "x = new(); sw.Inspector()",
    "a set of exercises": "x = new(); sw.ExerciseSet([sw.Exercise.predict_error(double, x)], name='one')",
    "what was compiled again": "x = new(); sw.show(sw.read.recompiled(double, x))",
    "what lowers the peak": "x = new(); sw.show(sw.read.remedies(double, x))",
    "a difference of traces": "x = new(); sw.show(sw.read.trace(summed, x).diff(sw.read.trace(summed, new())))",
}
"""A cell, by what it shows."""

if jax.__version_info__ >= (0, 10):
    AFTER_CELL["a search"] = (
        "x = new(); sw.SearchView(jax.jit(lambda w, b: w - b.sum()), x, x, mesh=mesh, options={'batch': 'b'})"
    )

ONCE_RUN_AGAIN = AFTER_CELL | {
    "a comparison of a closure": "x = new(); sw.ShardingComparison(closed(x), mesh=mesh)",
    "a program": "x = new(); sw.CompiledProgram(double, x)",
    "a program of a closure": "x = new(); sw.CompiledProgram(closed(x), mesh=mesh, page='memory')",
    "programs side by side": "x = new(); sw.CompiledProgram.compare({'one': (double, x), 'two': (double, x)})",
    "a pipeline of a function": "x = jax.device_put(np.ones((2, 2**16), np.float32), NamedSharding(ring, P('stages')));"
    " sw.PipelineView(pipeline, x, np.ones((4, 2**16), np.float32), microbatches=0, argument=1)",
    "a playground": "x = new(); sw.SpecPlayground(x)",
    "a playground that moved an array": "x = new(); view = sw.SpecPlayground(x, spec=P('y')); view.apply(); view",
}


@pytest.fixture
def shell(monkeypatch, capsys):
    cells = Cells()
    for module in ("_base", "array_view"):
        monkeypatch.setattr(f"shardwidget.widgets.{module}.CELLS", cells)
    monkeypatch.setattr(svg, "available", lambda: False)
    shell = InteractiveShell.instance()
    shell.run_cell(BEFORE).raise_error()
    yield shell
    InteractiveShell.clear_instance()


def run(shell, source, cell_id=None):
    result = shell.run_cell(source, store_history=True, cell_id=cell_id)
    result.raise_error()
    return result.result


def held():
    """Bytes on devices of the large arrays that are alive, memory that several arrays share counted once."""
    gc.collect()
    shards = (shard for x in jax.live_arrays() if x.nbytes >= 2**18 for shard in x.addressable_shards)
    return sum({shard.data.unsafe_buffer_pointer(): shard.data.nbytes for shard in shards}.values())


def test_after_its_cell_a_kernel_holds_no_array(shell):
    run(shell, "import weakref\nfrom tests.kernels import all_gather\nf, x = all_gather()\nheld = weakref.ref(x)")
    run(shell, "sw.KernelView(f, x)")
    run(shell, "x = None")
    gc.collect()
    assert run(shell, "held() is None")


@pytest.mark.parametrize("source", AFTER_CELL.values(), ids=AFTER_CELL)
def test_after_its_cell_a_displayed_widget_holds_no_array(shell, source):
    before = held()
    for _ in range(2):
        run(shell, source)
    run(shell, "x = None")
    assert held() <= before


@pytest.mark.parametrize("source", ONCE_RUN_AGAIN.values(), ids=ONCE_RUN_AGAIN)
def test_once_its_cell_has_run_again_a_widget_holds_no_array(shell, source):
    before = held()
    for _ in range(2):
        run(shell, source, "a1")
    run(shell, "x = None", "a1")
    assert held() <= before


@pytest.mark.parametrize("kind", ["an array", "a stepper", "a comparison of a closure", "a program", "a playground"])
def test_without_ids_a_cell_is_known_by_its_source(shell, kind):
    source = ONCE_RUN_AGAIN[kind]
    before = held()
    for _ in range(3):
        run(shell, source)
    one = held() - before
    for _ in range(2):
        run(shell, source)
    assert held() - before == one


@pytest.mark.parametrize("source", ONCE_RUN_AGAIN.values(), ids=ONCE_RUN_AGAIN)
def test_a_closed_widget_holds_no_array(shell, source):
    before = held()
    run(shell, source)
    for widget in [x for x in list(shell.user_ns.values()) if isinstance(x, DocumentWidget)]:
        widget.close()
    run(shell, "x = None")
    assert held() <= before


def test_a_widget_that_is_shown_elsewhere_too_keeps_what_it_needs(shell):
    run(shell, "x = new(); view = sw.CompiledProgram(double, x); view", "a1")
    run(shell, "view", "a2")
    run(shell, "x", "a1")
    assert run(shell, "view.time(2).seconds")
    run(shell, "x", "a2")
    with pytest.raises(ValueError, match="there is nothing to run"):
        run(shell, "view.time(2)")


def test_a_widget_that_its_cell_shows_again_keeps_what_it_needs(shell):
    run(shell, "x = new(); view = sw.CompiledProgram(double, x)", "a1")
    for _ in range(2):
        run(shell, "view", "a2")
    assert run(shell, "view.time(2).seconds")


def test_values_of_an_array_that_is_gone_are_those_that_it_had(shell):
    view = run(shell, "x = new(); view = sw.ArrayView(x); view")
    assert view.array is shell.user_ns["x"]
    wanted = np.asarray(shell.user_ns["x"])[:128, 256:]
    shell.user_ns["x"] = None
    gc.collect()
    assert view.array is view.document
    view.comm.from_browser(_want=[1])
    (block,) = view._values["blocks"]
    assert view._values["note"].endswith("as they were when the array was shown; it no longer exists")
    got = np.frombuffer(block["data"], "<f4").reshape(block["shape"])
    assert np.array_equal(got, wanted[:: block["steps"][0], :: block["steps"][1]])


def test_values_of_a_donated_array_are_those_that_it_had(shell):
    view = run(shell, "x = new(); view = sw.ArrayView(x); view")
    run(shell, "x = jax.jit(double, donate_argnums=0)(x)")
    view.comm.from_browser(_want=[1])
    assert view._values["blocks"][0]["low"] == 1


def test_the_sample_that_a_view_keeps_is_bounded(shell):
    with sw.config(values=2**12):
        view = run(shell, "x = new(); view = sw.ArrayView(x); view")
    shell.user_ns["x"] = None
    gc.collect()
    view.comm.from_browser(_want=list(range(8)))
    assert 0 < sum(len(block["data"]) for block in view._values["blocks"]) <= 2**12


def test_another_array_in_a_displayed_view_is_let_go_too(shell):
    before = held()
    run(shell, "view = sw.ArrayView(new()); view")
    for _ in range(3):
        run(shell, "view.array = new()")
    assert held() <= before


def test_a_displayed_trace_still_gives_its_values(shell):
    view = run(shell, "x = new(); sw.ShardMapStepper(summed, x)")
    wanted = np.asarray(shell.user_ns["x"])
    trace = view.document
    assert np.array_equal(trace["a"].at().value(3), wanted[128:256, 256:])
    assert trace.outputs.shape == (128, 512)
    first = next(v for v in trace.variables if v.region < 0)
    assert np.array_equal(first.value(3), wanted)
    view.close()
    with pytest.raises(ValueError, match="was not kept"):
        view.document["a"].at().value(3)
    assert view.to_html()


def test_values_beyond_keep_live_as_long_as_their_array(shell):
    view = run(shell, "x = new(); sw.ShardMapStepper(summed, x, keep=2**16)")
    first = next(v for v in view.document.variables if v.region < 0)
    assert first.value(0).shape == (512, 512)
    shell.user_ns["x"] = None
    gc.collect()
    with pytest.raises(ValueError, match=r"value of 1048576 bytes no longer exists.*keep= allows more"):
        first.value(0)


def test_a_comparison_whose_cell_ran_again_keeps_its_fixes(shell):
    view = run(shell, "x = new(); sw.ShardingComparison(double, x)", "a1")
    run(shell, "None", "a1")
    view.choices = {}
    with pytest.raises(TraitError, match=r"closed or whose cell ran again: choices must be \{\}"):
        view.choices = {1: 0}
