"""Measured runs of real programs on CPU devices, and profiles of other platforms in the form that they have there."""

import gc
import glob
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.profiler import ProfileData
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import to_wire
from tests.wire import size

LAYERS, WIDTH = 4, 32


@pytest.fixture(scope="module")
def mesh():
    return jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])


def put(mesh, shape, *spec):
    return jax.device_put(np.ones(shape, "float32"), NamedSharding(mesh, P(*spec)))


def layer(h, w):
    q = h @ w["q"]
    probs = jax.nn.softmax(q @ q.swapaxes(-1, -2) / 8.0, axis=-1)
    h = h + (probs @ q) @ w["out"]
    return h + jax.nn.relu(h @ w["up"]) @ w["down"], None


def loss(w, x):
    return jnp.mean(lax.scan(layer, x, w)[0] ** 2)


@jax.jit
def step(w, x):
    return jax.tree.map(lambda p, g: p - 1e-3 * g, w, jax.grad(loss)(w, x))


@pytest.fixture(scope="module")
def arguments(mesh):
    wide, narrow = ("data", "model"), ("model", "data")
    specs = {"q": wide, "out": narrow, "up": wide, "down": narrow}
    return {k: put(mesh, (LAYERS, WIDTH, WIDTH), None, *s) for k, s in specs.items()}, put(mesh, (8, 8, WIDTH), "data")


@pytest.fixture(scope="module")
def run(arguments):
    return read.run(step, *arguments, n=3)


def test_a_training_step_is_joined_with_its_lines(run):
    assert run.joined >= 0.98
    assert all(u.why == "no source line" for u in run.unjoined)
    assert len(run.seconds) == 3
    assert [lane.position for lane in run.lanes] == list(range(8))
    functions = {o.source.function for o in run.operations if o.source}
    assert {"layer", "loss", "step"} & functions


def test_every_collective_ran_as_often_as_the_program_says(run, arguments):
    program = read.program(step, *arguments)
    assert [c.name for c in run.collectives] == [c.name for c in program.collectives]
    for measured, stated in zip(run.collectives, program.collectives, strict=True):
        assert measured.axes == stated.axes
        assert measured.source == stated.source
        assert measured.times == 8 * 3 * (stated.times or 0)
        assert measured.median_s > 0
        assert measured.bytes_per_second == pytest.approx(stated.bytes_per_device / measured.median_s)


def test_iterations_follow_the_scan(run):
    looped = [e for e in run.events(0) if e.call == 0 and e.kind == "collective" and e.iteration]
    by_name = {}
    for event in looped:
        by_name.setdefault(event.name, []).append(event.iteration)
    assert by_name
    assert all(found == [(k,) for k in range(LAYERS)] for found in by_name.values())


def test_shares_add_up_and_the_document_is_small(run):
    s = run.shares
    assert s.compute + s.communication + s.waiting + s.idle == pytest.approx(1)
    assert "share" in run.note
    events = sum(lane.operation.size for lane in run.lanes)
    assert size(to_wire(run)) < 300_000 * max(1, events / 16_000)


def test_the_slow_member_is_the_one_waited_for(mesh):
    def burn(index, x):
        until = time.perf_counter() + 0.2 * (index == 3)
        while time.perf_counter() < until:
            pass
        return x

    def body(x):
        kind = jax.ShapeDtypeStruct(x.shape, x.dtype)
        x = jax.pure_callback(burn, kind, lax.axis_index("data"), x)
        return lax.psum(x, "data")

    f = jax.jit(
        jax.shard_map(body, mesh=mesh, in_specs=P("data", "model"), out_specs=P(None, "model"), check_vma=False)
    )
    run = read.run(f, put(mesh, (4, 8), "data", "model"), n=3)
    (psum,) = [c for c in run.collectives if c.kind == "all-reduce"]
    assert psum.axes == ("data",)
    # Positions 6 and 7 are those with data=3; each is waited for in its group.
    last = psum.last.array()
    assert last[6:].sum() > last[:6].sum()
    waited = {d: sum(e.waited_s for e in run.events(d) if e.name == psum.name) for d in range(8)}
    assert max(waited[6], waited[7]) < min(waited[d] for d in range(6))
    assert psum.wait_s > 0.01
    assert "Device 6 is waited for most often" in repr(run) or "Device 7 is waited for most often" in repr(run)


def test_donated_arguments_stay(arguments):
    donating = jax.jit(step, donate_argnums=0)
    run = read.run(donating, *arguments, n=2)
    assert len(run.seconds) == 2
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(arguments))


def test_progress_is_told(arguments):
    told = []
    read.run(step, *arguments, n=2, progress=lambda done, of: told.append((done, of)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_the_users_profile_is_left_alone(arguments, tmp_path):
    compiled = step.lower(*arguments).compile()
    jax.profiler.start_trace(str(tmp_path))
    with pytest.raises(RuntimeError, match=r"a profile is already being taken .* jax.profiler.stop_trace\(\)"):
        read.run(compiled, *arguments, n=1)
    jax.profiler.stop_trace()
    # Nothing of it is in the user's profile.
    (taken,) = glob.glob(f"{tmp_path}/**/*.xplane.pb", recursive=True)
    with pytest.raises(ValueError, match="no events"):
        read.run(taken, program=compiled)


def test_nothing_is_left_behind(arguments, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    read.run(step, *arguments, n=1)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.once
def test_twenty_profiles_leave_nothing_in_memory(mesh):
    double, x = jax.jit(lambda x: x * 2), put(mesh, (8,), "data")

    def left():
        read.run(double, x, n=1)
        gc.collect()
        return len(gc.get_objects()), len(jax.live_arrays())

    left()
    objects, arrays = left()
    for _ in range(19):
        read.run(double, x, n=1)
    more, as_many = left()
    assert as_many == arrays
    # A profile of one call has some hundred events.
    assert more - objects < 100


def test_an_interrupt_leaves_the_profiler_stopped(arguments):
    def interrupt(done, of):
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read.run(step, *arguments, n=3, progress=interrupt)
    assert len(read.run(step, *arguments, n=1).seconds) == 1


@pytest.mark.parametrize("n", [0, 2.5])
def test_a_count_that_is_none(arguments, n):
    with pytest.raises(ValueError, match="n must be a whole number of calls"):
        read.run(step, *arguments, n=n)


def test_too_little_memory_says_what_to_read():
    def outer(a):
        return jnp.sort(a[:, None] * a[None, :], axis=0)[0, 0]

    with pytest.raises(jax.errors.JaxRuntimeError) as raised:  # 1 PiB, more than a process can address.
        read.run(outer, jnp.ones(2**24))
    first, last = str(raised.value).split("\n")
    assert first.startswith("outer needs more memory than its devices have.")
    assert "read.memory(outer, *args)" in first
    assert last.startswith("XLA's words: RESOURCE_EXHAUSTED")
    compiled = jax.jit(outer).lower(jnp.ones(2**24)).compile()
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"read\.memory\(compiled\)\.\nXLA's words"):
        read.time_program(compiled, (jnp.ones(2**24),))


def test_shapes_alone_cannot_be_run():
    with pytest.raises(ValueError, match="there is nothing to measure"):
        read.run(lambda x: x * 2, jax.ShapeDtypeStruct((4,), "float32"))


# ── Profiles that were already taken ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def recorded(arguments, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("profile")
    jax.block_until_ready(step(*arguments))
    with jax.profiler.trace(str(folder)):
        for _ in range(2):
            jax.block_until_ready(step(*arguments))
    return next(folder.rglob("*.xplane.pb"))


@pytest.mark.parametrize("compiled", [True, False])
def test_somebody_elses_profile(recorded, arguments, compiled):
    program = step.lower(*arguments).compile() if compiled else (step, *arguments)
    run = read.run(recorded, program=program)
    assert len(run.seconds) == 2
    assert run.joined >= 0.98
    assert len(run.lanes) == 8


def test_a_truncated_profile(recorded, arguments, tmp_path):
    cut = tmp_path / "cut.xplane.pb"
    cut.write_bytes(recorded.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"cannot be read \(1000 bytes\): it is cut off or is not an .xplane.pb file"):
        read.run(cut, program=(step, *arguments))


def test_no_profile_at_all(arguments, tmp_path):
    with pytest.raises(ValueError, match=r"none.xplane.pb' cannot be read: No such file"):
        read.run(tmp_path / "none.xplane.pb", program=(step, *arguments))


def test_the_trace_of_another_program(recorded, mesh):
    with pytest.raises(ValueError, match=r"no events of jit_double: it has jit_step \(\d+ events\)"):
        read.run(recorded, program=(_named(lambda x: x * 2, "double"), put(mesh, (8,), "data")))


def test_the_trace_of_another_program_of_the_same_name(recorded, mesh):
    with pytest.raises(ValueError, match="compiled from other code or for other shapes"):
        read.run(recorded, program=(_named(lambda x: jnp.sin(x).sum(), "step"), put(mesh, (8,), "data")))


def test_a_profile_without_events(arguments, tmp_path):
    empty = tmp_path / "empty.xplane.pb"
    empty.write_bytes(ProfileData.text_proto_to_serialized_xspace('planes { name: "/host:CPU" }'))
    with pytest.raises(ValueError, match=r"no events of compiled programs \(it has /host:CPU\)"):
        read.run(empty, program=(step, *arguments))


def test_a_profile_holds_its_program(recorded, arguments, mesh):
    given = read.run(recorded, program=(step, *arguments))
    held = read.run(recorded, mesh=mesh)
    assert replace(held, note=given.note) == given
    alone = read.run(recorded)
    assert "without its mesh: give mesh=" in alone.note
    assert (alone.lanes, alone.seconds, alone.joined) == (given.lanes, given.seconds, given.joined)
    assert [c.median_s for c in alone.collectives] == [c.median_s for c in given.collectives]


def test_the_program_of_a_profile_that_ran_longest_is_read(mesh, tmp_path):
    x = put(mesh, (64, 64), "data")
    large = jax.jit(_named(lambda x: jnp.tanh(jnp.sin(x) @ jnp.cos(x)).sum(0), "large"))
    programs = [large, jax.jit(_named(lambda x: x + 1, "small"))]
    with jax.set_mesh(mesh):
        jax.block_until_ready([f(x) for f in programs])
        with jax.profiler.trace(str(tmp_path)):
            jax.block_until_ready([f(x) for f in programs])
    run = read.run(next(tmp_path.rglob("*.xplane.pb")), mesh=mesh)
    assert run.name == "large"
    assert "This is the program of 2 in the profile that ran longest" in run.note


def test_a_profile_without_a_program(tmp_path):
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(ProfileData.text_proto_to_serialized_xspace('planes { name: "/host:metadata" }'))
    with pytest.raises(ValueError, match=r"no events of compiled programs \(it has /host:metadata\)"):
        read.run(path)
    with pytest.raises(TypeError, match="program= is the program that ran"):
        read.run(path, program=step)
    path.write_bytes(b"no profile")
    with pytest.raises(ValueError, match=r"it is cut off or is not an \.xplane\.pb file"):
        read.run(path)


def _named(f, name):
    f.__name__ = name
    return f


def test_where_the_users_calls_are_not_compiled_the_compiled_program_is_measured():
    x = jnp.ones((64, 64))
    with jax.disable_jit():
        assert read.run(lambda a: a @ a, x).operations
        assert read.time_program(lambda a: a @ a, (x,), n=1).runs == 1


@pytest.mark.parametrize("traced", [jax.jit, jax.grad, jax.vmap])
@pytest.mark.parametrize("measure", [lambda f, x: read.run(f, x), lambda f, x: read.time_program(f, (x,))])
def test_while_code_is_traced_nothing_runs_that_could_be_measured(traced, measure):
    x = jnp.ones((4, 4))

    def f(unused):
        measure(lambda a: a @ a, x)

    with pytest.raises(ValueError, match="so nothing runs that could be measured"):
        traced(f)(1.0 if traced is jax.grad else jnp.ones(2))
