"""The schedule of a user's own pipeline: JAX's documented one, loops, other dtypes, and what is not a pipeline."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read


def mesh_of(**sizes: int) -> Any:
    return jax.make_mesh(tuple(sizes.values()), tuple(sizes), axis_types=(AxisType.Auto,) * len(sizes))


def shift(x, axis, size, by=1):
    return lax.ppermute(x, axis, [(i, (i + by) % size) for i in range(size)])


def documented(stages: int, layers: int, microbatches: int, width: int = 4):
    """The pipeline of JAX's documentation: inputs and outputs go around the ring too, buffers start as NaN."""
    here = microbatches // stages

    @partial(
        jax.shard_map, mesh=mesh_of(stages=stages), in_specs=(P("stages"),) * 2, out_specs=P("stages"), check_vma=False
    )
    def run(weights, inputs):
        stage = lax.axis_index("stages")
        outputs = jnp.full_like(inputs, jnp.nan)
        state = jnp.full((layers // stages, *inputs.shape[1:]), jnp.nan)
        for i in range(microbatches + layers - 1):
            state = state.at[0].set(jnp.where(stage == 0, inputs[i % here], state[0]))
            state = jax.vmap(lambda w, x: jnp.tanh(x @ w))(weights, state)
            last = (i - layers + 1) % here
            outputs = outputs.at[last].set(jnp.where(stage == stages - 1, state[-1], outputs[last]))
            state = jnp.roll(state, 1, axis=0).at[0].set(shift(state[-1], "stages", stages))
            if i % here == -1 % here:
                inputs = shift(inputs, "stages", stages)
            if last == -1 % here:
                outputs = shift(outputs, "stages", stages)
        return shift(outputs, "stages", stages)

    weights = jax.random.normal(jax.random.key(0), (layers, width, width))
    return run, weights, jax.random.normal(jax.random.key(1), (microbatches, 2, width))


WHOLE = P(None, None, None)


def layer(x, w):
    return jnp.tanh(x @ w)


def staircase(weights, inputs, mesh, *, loop="scan", specs=WHOLE, repeats=1, work=layer):
    """Each stage passes on to the next; after the last, around again ``repeats`` times. Results stay on the last."""
    size = mesh.shape["stage"]

    @partial(jax.shard_map, mesh=mesh, in_specs=(P("stage"), specs), out_specs=P("stage", *specs), check_vma=False)
    def run(weights, inputs):
        stage, count = lax.axis_index("stage"), inputs.shape[0]

        def tick(t, carry):
            state, around, outputs = carry
            item = t - stage
            lap, k = item // count, item % count
            x = jnp.where(stage > 0, state, jnp.where(lap == 0, inputs[k], around[k]))
            x = work(x, weights[0, jnp.clip(lap, 0, repeats - 1)])
            done = jnp.where((item >= 0) & (lap == repeats - 1) & (stage == size - 1), x, outputs[k])
            outputs = outputs.at[k].set(done)
            state = shift(x, "stage", size)
            back = t + 1 - size
            around = around.at[back % count].set(jnp.where(back >= 0, state, around[back % count]))
            return state, around, outputs

        start = (jnp.zeros_like(inputs[0]), jnp.zeros_like(inputs), jnp.zeros_like(inputs))
        ticks = repeats * count + size - 1
        if loop == "scan":
            _, _, outputs = lax.scan(lambda c, t: (tick(t, c), None), start, jnp.arange(ticks))[0]
        elif loop == "fori":
            _, _, outputs = lax.fori_loop(0, ticks, tick, start)
        else:
            _, _, outputs = lax.while_loop(lambda c: c[0] < ticks, lambda c: (c[0] + 1, tick(c[0], c[1])), (0, start))[
                1
            ]
        return outputs[None]

    return run(weights, inputs)


def arguments(stages: int, microbatches: int, repeats: int = 1, width: int = 4) -> tuple[jax.Array, jax.Array]:
    numbers = np.random.default_rng(0)
    weights = numbers.normal(size=(stages, repeats, width, width)).astype(np.float32)
    return jnp.asarray(weights), jnp.asarray(numbers.normal(size=(microbatches, 2, width)).astype(np.float32))


def grid(schedule: Any) -> list[str]:
    """One line per rank: the microbatch of each tick, ``.`` where there is none, ``*`` after waste."""
    run, order = schedule.simulate(), schedule.order
    cells = {
        (task.rank, tick): f"{task.microbatch}{'*' * wasted}"
        for task, tick, wasted in zip(
            run.tasks, order.tick.array().tolist(), order.wasted.array().tolist(), strict=True
        )
    }
    ticks = range(int(order.tick.array().max()) + 1)
    return [" ".join(cells.get((rank, tick), ".") for tick in ticks) for rank in range(schedule.ranks)]


def test_the_documented_pipeline_and_its_waste():
    schedule = read.schedule(*documented(2, 4, 4), microbatches=0, argument=1)
    assert grid(schedule) == [
        "0 1 2 3 0* 1* 2*",
        ". 0 1 2 3 0* 1*",
        ". . 0 1 2 3 0*",
        ". . . 0 1 2 3",
    ]
    run = schedule.simulate()
    assert sum(run.wasted) + sum(run.idle) == 12
    assert run.bubble_of_total == pytest.approx(3 / 7)
    assert schedule.note == "each device runs 2 stages in one tick"
    assert schedule.name == "run"
    assert schedule.mesh is not None
    assert (schedule.axis, schedule.mesh.shape) == ("stages", (2,))


def test_a_circular_pipeline_has_maxtexts_bubble():
    mesh = mesh_of(stage=4)
    schedule = read.schedule(
        partial(staircase, mesh=mesh, repeats=2), *arguments(4, 8, repeats=2), microbatches=0, argument=1
    )
    run = schedule.simulate()
    useful = sum(not wasted for wasted in schedule.order.wasted.array())
    assert (schedule.stages, run.makespan, useful, 4 * 19) == (8, 19, 64, 76)
    assert run.bubble_of_total == pytest.approx(3 / 19)
    assert [line.split()[r : r + 16] for r, line in enumerate(grid(schedule))] == [[str(k % 8) for k in range(16)]] * 4


@pytest.mark.parametrize("loop", ["fori", "scan"])
def test_loops(loop):
    mesh = mesh_of(stage=3)
    schedule = read.schedule(
        jax.jit(partial(staircase, mesh=mesh, loop=loop)), *arguments(3, 4), microbatches=0, argument=1
    )
    useful = [[cell for cell in line.split() if cell != "." and "*" not in cell] for line in grid(schedule)]
    assert useful == [["0", "1", "2", "3"]] * 3
    assert schedule.simulate().makespan == 6


def test_integers():
    def work(x, w):
        return x * 3 + w[0, :1]

    weights, inputs = arguments(2, 3)
    schedule = read.schedule(
        partial(staircase, mesh=mesh_of(stage=2), work=work),
        (weights * 10).astype(jnp.int32), (inputs * 10).astype(jnp.int32), microbatches=0, argument=1,
    )  # fmt: skip
    assert schedule.tasks[1][-3:] == ("1F0", "1F1", "1F2")
    assert schedule.simulate().makespan == 4


def test_data_parallelism_beside_it_and_stages_in_branches():
    mesh = mesh_of(data=2, stage=2)

    def work(x, w):
        return lax.cond(lax.axis_index("stage") == 0, lambda x: jnp.tanh(x @ w), lambda x: jnp.sin(x @ w), x)

    schedule = read.schedule(
        partial(staircase, mesh=mesh, specs=P(None, "data", None), work=work), *arguments(2, 3),
        microbatches=0, argument=1,
    )  # fmt: skip
    assert schedule.ranks == 2
    assert schedule.axis == "stage"
    assert schedule.mesh is not None
    assert schedule.mesh.shape == (2, 2)
    assert schedule.simulate().makespan == 4


def ring_matmul(a, b):
    """Every device needs every block in the end."""

    @partial(jax.shard_map, mesh=mesh_of(stage=2), in_specs=P("stage"), out_specs=P("stage"), check_vma=False)
    def run(a, b):
        total = jnp.zeros((a.shape[0], b.shape[1]))
        for _ in range(2):
            total = total + a[:, :2] @ b
            b = shift(b, "stage", 2)
        return total @ total.T

    return run(a, b)


@pytest.mark.parametrize(
    ("f", "args", "options", "words"),
    [
        (lambda x: x * 2, (jnp.ones((4, 2)),), {}, "no shard_map in it calls ppermute"),
        (ring_matmul, (jnp.ones((4, 4)), jnp.arange(16.0).reshape(4, 4)), {"argument": 0}, "is not a pipeline"),
        (lambda w, x: staircase(w, x + x.sum(0), mesh_of(stage=2)), arguments(2, 3), {"argument": 1},
         r"all that the device at stage=0 computes depends on several microbatches \(0, 1, 2\)"),
        (partial(staircase, mesh=mesh_of(stage=2), loop="while"), arguments(2, 3), {"argument": 1},
         "its loop is a while loop"),
        (lambda w, x: staircase(w, x[:2], mesh_of(stage=2)), arguments(2, 3), {"argument": 1},
         "its result does not depend on microbatch 2"),
        (partial(staircase, mesh=mesh_of(stage=2)), arguments(2, 3), {"argument": 1, "axis": "data"},
         "no ppermute over 'data', only over stage"),
        (partial(staircase, mesh=mesh_of(stage=2)), arguments(2, 1), {"argument": 1}, "counts 1; a pipeline of 2 to"),
        (partial(staircase, mesh=mesh_of(stage=2)), arguments(2, 3), {"argument": 2}, "argument must be one of"),
        (partial(staircase, mesh=mesh_of(stage=2)), arguments(2, 3), {"argument": 1, "microbatches": 5},
         "has no dimension 5"),
    ],
)  # fmt: skip
def test_what_is_no_pipeline_says_why(f, args, options, words):
    with pytest.raises(ValueError, match=words):
        read.schedule(f, *args, **{"microbatches": 0, **options})


def test_a_function_without_microbatches_asks_for_them():
    with pytest.raises(TypeError, match="give the dimension of microbatches and its argument"):
        read.schedule(staircase, *arguments(2, 3))


def test_a_mesh_without_devices():
    abstract: Any = jax.sharding.AbstractMesh((3,), ("stage",), axis_types=(jax.sharding.AxisType.Auto,))
    weights, inputs = (jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arguments(3, 4))
    schedule = read.schedule(partial(staircase, mesh=abstract), weights, inputs, microbatches=0, argument=1)
    assert schedule.simulate().makespan == 6


@pytest.mark.parametrize("loop", ["scan", "fori"])
def test_each_tick_has_its_step(loop):
    # 25 ticks: the trace holds the first iterations of the loop and the last.
    mesh = mesh_of(stage=2)
    weights, inputs = arguments(2, 24)
    found = read.schedule(lambda w, x: staircase(w, x, mesh, loop=loop), weights, inputs, microbatches=0, argument=1)
    assert found.stepped is not None
    trace, steps = found.stepped()
    assert len(steps) == 25
    assert {trace.steps[k].primitive for k in steps} == {"dot_general"}

    def iteration(scope: int) -> int:
        here = trace.scopes[scope]
        return here.iteration if here.kind == "iteration" else iteration(here.parent)

    shown = sorted({scope.iteration for scope in trace.scopes if scope.kind == "iteration"})
    assert [iteration(trace.steps[k].scope) for k in steps] == [max(k for k in shown if k <= t) for t in range(25)]


def test_ticks_that_are_written_out_have_their_steps():
    found = read.schedule(*documented(2, 4, 4), microbatches=0, argument=1)
    assert found.stepped is not None
    trace, steps = found.stepped()
    products = [k for k, step in enumerate(trace.steps) if step.primitive == "dot_general"]
    assert list(steps) == products

    view = sw.PipelineView(found)
    view._asked = {"n": 1, "tick": 2, "first": True}
    assert view.stepper.step == view._opened["step"] == products[2]
    assert view._opened["state"]["_document"]["kind"] == "trace"
    view._asked = {}
    assert view._opened == {}
    view._asked = {"n": 2, "tick": 5, "first": False}
    assert view._opened == {"n": 2, "step": products[5]}
    assert view.stepper.step == products[5]


def test_only_a_function_has_steps():
    view = sw.PipelineView(sw.pipeline.gpipe(2, 2))
    with pytest.raises(ValueError, match="was not read from a function"):
        _ = view.stepper
    view._asked = {"n": 1, "tick": 0, "first": True}
    assert "was not read from a function" in view._opened["error"]
