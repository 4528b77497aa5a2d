"""``read.overlap``: schedules written by hand, with times that are known, are read back exactly."""

import json

import jax
import pytest

import shardwidget as sw
from shardwidget import read
from shardwidget.cost import Interconnect
from shardwidget.document import Overlap, Run
from shardwidget.rates import RATES, Rate

HEAD = """HloModule jit_step, is_scheduled=true, num_partitions=4

"""
OPERANDS = """  %x = f32[16,16]{1,0} parameter(0)
  %v = f32[256]{0} parameter(1)
"""
START = (
    "  %g.start = (f32[256]{0}, f32[1024]{0}) all-gather-start(%v), channel_id=1, replica_groups=[1,4]<=[4], "
    "dimensions={0}, use_global_device_ids=true\n"
)
DONE = "  %g = f32[1024]{0} all-gather-done(%g.start)\n"
DOT = "  %{} = f32[16,16]{{1,0}} dot(%x, %x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
ROOT = "  ROOT %out = (f32[16,16]{1,0}) tuple(%d)\n"

COMPUTES, SENDS = 2.0, 1.0
"""Seconds: 2 · 16³ operations of 4096 a second; three quarters of 4096 B at 3072 B/s."""
CHIP = Rate("chip", flops=4096.0, memory=1e30)
LINKS = Interconnect("links", "switch", bandwidth=3072.0)


def entry(*body: str) -> str:
    return "ENTRY %main (x: f32[16,16], v: f32[256]) -> (f32[16,16]) {\n" + OPERANDS + "".join(body) + ROOT + "}\n"


def of(text: str) -> Overlap:
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    return read.overlap(HEAD + text, mesh=mesh, chip=CHIP, interconnect=LINKS)


def test_what_runs_between_start_and_done_hides_it():
    o = of(entry(START, DOT.format("d"), DONE))
    assert (o.now, o.compute, o.exposed, o.overlapped) == (COMPUTES, COMPUTES, 0.0, COMPUTES)
    (sent,) = o.transfers
    assert (sent.seconds, sent.exposed, sent.hidden, sent.axes) == (SENDS, 0.0, SENDS, ("x",))
    assert (sent.between, sent.between_s) == (("dot",), COMPUTES)
    assert o.bound == "compute"


def test_what_is_needed_at_once_is_exposed():
    o = of(entry(START, DONE, DOT.format("d")))
    assert (o.now, o.exposed, o.overlapped) == (COMPUTES + SENDS, SENDS, COMPUTES)
    assert o.transfers[0].between == ()


def test_one_without_a_start_is_exposed_and_said_so():
    gather = START.replace("(f32[256]{0}, f32[1024]{0}) all-gather-start", "f32[1024]{0} all-gather")
    o = of(entry(DOT.format("d"), gather))
    assert (o.now, o.exposed) == (COMPUTES + SENDS, SENDS)
    assert "XLA runs each collective of this program at once" in o.note


def test_a_second_transfer_waits_until_its_axis_is_free():
    start, done = ((half.replace("%g", "%h").replace("channel_id=1", "channel_id=2")) for half in (START, DONE))
    o = of(entry(START, start, DOT.format("d"), DONE, done))
    assert (o.now, o.exposed) == (COMPUTES, 0.0)
    o = of(entry(START, start, DONE, done, DOT.format("d")))
    assert (o.now, o.exposed, o.links) == (COMPUTES + 2 * SENDS, 2 * SENDS, 2 * SENDS)
    (line,) = o.by_line()
    assert (line.kind, line.exposed, len(line.transfers)) == ("all-gather", 2 * SENDS, 2)


def test_the_call_over_time():
    o = of(entry(START, DOT.format("d"), DONE, START.replace("%g", "%h"), DONE.replace("%g", "%h")))
    assert [(i.what, i.begin, i.seconds, i.transfer, i.exposed) for i in o.intervals] == [
        ("transfer", 0.0, SENDS, 1, 0.0),
        ("compute", 0.0, COMPUTES, -1, 0.0),
        ("transfer", COMPUTES, SENDS, 0, SENDS),
        ("wait", COMPUTES, SENDS, 0, 0.0),
    ]
    assert sum(i.seconds for i in o.intervals if i.what != "transfer") == o.now


def test_a_program_has_it_by_name_until_it_is_written():
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    program = read.program(HEAD + entry(START, DONE, DOT.format("d")), mesh=mesh)
    assert program.overlap("TPU v5e") == read.overlap(program, chip="TPU v5e")
    with pytest.raises(ValueError, match="for which no figures are known"):
        program.overlap()
    with pytest.raises(ValueError, match="chip='v5' is not known"):
        program.overlap("v5")
    loaded = sw.load(program.to_json())
    assert loaded == program
    with pytest.raises(ValueError, match="is not in files and saved pages"):
        loaded.overlap("TPU v5e")


LOOP = """%body (p: (s32[], f32[16,16], f32[256])) -> (s32[], f32[16,16], f32[256]) {{
  %p = (s32[], f32[16,16]{{1,0}}, f32[256]{{0}}) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %x = f32[16,16]{{1,0}} get-tuple-element(%p), index=1
  %v = f32[256]{{0}} get-tuple-element(%p), index=2
{inside}  ROOT %t = (s32[], f32[16,16]{{1,0}}, f32[256]{{0}}) tuple(%i, %d, %v)
}}

%cond (p: (s32[], f32[16,16], f32[256])) -> pred[] {{
  %p = (s32[], f32[16,16]{{1,0}}, f32[256]{{0}}) parameter(0)
  ROOT %always = pred[] constant(true)
}}

"""
WHILE = """  %n = s32[] constant(0)
  %begin = (s32[], f32[16,16]{1,0}, f32[256]{0}) tuple(%n, %x, %v)
  %w = (s32[], f32[16,16]{1,0}, f32[256]{0}) while(%begin), condition=%cond, body=%body"""
END = "  %d = f32[16,16]{1,0} get-tuple-element(%w), index=1\n"


def test_a_loop_counts_as_often_as_it_runs():
    body = LOOP.format(inside=START + DONE + DOT.format("d"))
    known = WHILE + ', backend_config={"known_trip_count":{"n":"5"}}\n'
    o = of(body + entry(known, END))
    assert (o.now, o.exposed, o.compute) == (5 * (COMPUTES + SENDS), 5 * SENDS, 5 * COMPUTES)
    assert o.overlapped == 5 * COMPUTES
    assert [(loop.begin, loop.seconds, loop.times) for loop in o.loops] == [(0.0, o.now, 5)]
    assert [(i.what, i.seconds) for i in o.intervals if i.begin == 0] == [("transfer", 5 * SENDS), ("wait", 5 * SENDS)]
    assert o.flops == 5 * 2 * 16**3
    assert (o.transfers[0].times, o.transfers[0].seconds) == (5, 5 * SENDS)
    o = of(body + entry(WHILE + "\n", END))
    assert (o.now, "counted once: 1." in o.note) == (COMPUTES + SENDS, True)


AT = ', metadata={{op_name="jit(f)/{}" source_file="/home/me/layers.py" source_line={}}}\n'


def test_layers_that_a_python_loop_writes_are_one_line_of_each_kind():
    """Three layers, in each a product, beside which all of a gather runs, and a gather that is waited for."""

    def layer(k: int) -> str:
        def gather(name: str, line: int) -> tuple[str, str]:
            named = START.replace("%g", f"%{name}{k}").replace("channel_id=1", f"channel_id={line}{k}")
            return named.replace("\n", AT.format("gather", line)), DONE.replace("%g", f"%{name}{k}")

        (hidden, hidden_ends), (seen, seen_ends) = gather("hidden", 7), gather("seen", 8)
        product = DOT.format(f"d{k}" if k < 3 else "d").replace("\n", AT.format("dot_general", 9))
        return hidden + product + hidden_ends + seen + seen_ends

    o = of(entry(*map(layer, (1, 2, 3))))
    assert (o.now, o.compute, o.exposed, o.overlapped) == (9.0, 6.0, 3.0, 6.0)
    found = [(of.source.line if of.source else 0, len(of.transfers), of.seconds, of.exposed) for of in o.by_line()]
    assert found == [(8, 3, 3.0, 3.0), (7, 3, 3.0, 0.0)]
    assert [(line.source.line if line.source else 0, line.seconds, line.flops) for line in o.lines] == [
        (9, 6.0, 3 * 2 * 16**3)
    ]
    assert "all-gather ×3" in str(o)


def test_what_waits_for_the_memory_of_the_device_is_time_of_its_line():
    copy = "  %c.start = (f32[256]{0:S(1)}, f32[256]{0}, u32[]{:S(2)}) copy-start(%v)\n".replace(
        "\n", AT.format("mul", 5)
    )
    done = "  %c = f32[256]{0:S(1)} copy-done(%c.start)\n"
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    chip = Rate("chip", 4096.0, 512.0)
    o = read.overlap(HEAD + entry(copy, done, DOT.format("d")), mesh=mesh, chip=chip, interconnect=LINKS)
    lines = {line.source.line if line.source else 0: line.seconds for line in o.lines}
    assert lines == {5: 2.0, 0: o.compute - 2.0}
    assert [(i.source.line, i.seconds) for i in o.intervals if i.source] == [(5, 2.0)]


def test_a_slice_of_what_a_fusion_takes_is_all_that_is_read():
    fused = """%fused (a: f32[8,16,16], i: s32[]) -> f32[16,16] {
  %a = f32[8,16,16]{2,1,0} parameter(0)
  %i = s32[] parameter(1)
  %s = f32[1,16,16]{2,1,0} dynamic-slice(%a, %i, %i, %i), dynamic_slice_sizes={1,16,16}
  ROOT %b = f32[16,16]{1,0} bitcast(%s)
}

"""
    body = """ENTRY %main (a: f32[8,16,16], i: s32[]) -> f32[16,16] {
  %a = f32[8,16,16]{2,1,0} parameter(0)
  %i = s32[] parameter(1)
  ROOT %d = f32[16,16]{1,0} fusion(%a, %i), kind=kLoop, calls=%fused
}
"""
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    o = read.overlap(HEAD + fused + body, mesh=mesh, chip=Rate("chip", 1.0, 1024.0), interconnect=LINKS)
    assert o.bytes == 2 * 16 * 16 * 4 + 4
    assert (o.bound, o.lines[0].bound) == ("memory", "memory")


def test_the_first_line_is_the_answer_and_a_file_keeps_all():
    o = of(entry(START, DONE, DOT.format("d")))
    assert str(o).startswith("step: 1 s of 3 s is waiting for collectives over x, estimated")
    assert "Estimate: each operation takes max(FLOP" in str(o)
    assert sw.load(o.to_json()) == o


SYNC = ', backend_config={"operation_queue_id":"0","collective_backend_config":{"is_sync":true}}'


def test_the_ridges_of_the_chip_are_in_the_document():
    o = of(entry(START, DONE, DOT.format("d")))
    assert json.loads(o.to_json())["ridges"] == [4096 / 1e30, 4096 / 3072]


def test_halves_that_a_gpu_runs_at_once_hide_nothing():
    """XLA's GPU backend writes every collective in two halves; ``is_sync`` says which of them it does not overlap."""
    o = of(entry(START.replace("\n", SYNC + "\n"), DOT.format("d"), DONE))
    (sent,) = o.transfers
    assert (sent.asynchronous, sent.exposed, sent.between) == (False, SENDS, ())
    assert "nothing: XLA runs it at once" in str(o)


WRAPPED = """%wrapped (v: f32[1024]) -> f32[256] {
  %v = f32[1024]{0} parameter(0)
  ROOT %scatter = f32[256]{0} reduce-scatter(%v), channel_id=1, replica_groups=[1,4]<=[4], dimensions={0}, \
to_apply=%add, use_global_device_ids=true
}

"""


def test_a_collective_that_a_gpu_starts_as_a_computation():
    body = """  %w = f32[1024]{0} parameter(2)
  %r.start = ((f32[1024]{0}), f32[256]{0}) async-start(%w), calls=%wrapped
"""
    o = of(WRAPPED + entry(body, DOT.format("d"), "  %r = f32[256]{0} async-done(%r.start)\n"))
    (sent,) = o.transfers
    assert (sent.kind, sent.asynchronous, sent.seconds, sent.exposed) == ("reduce-scatter", True, SENDS, 0.0)
    assert sent.between == ("dot",)


def test_a_product_of_a_library_counts():
    gemm = """  %g = (f32[16,16]{1,0}, s8[4194304]{0}) custom-call(%x, %x), custom_call_target="__cublas$gemm", \
backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],\
"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]}}}
  %d = f32[16,16]{1,0} get-tuple-element(%g), index=0
"""
    o = of(entry(gemm))
    assert (o.flops, o.bytes) == (2 * 16**3, 3 * 16 * 16 * 4)
    assert "Custom calls" not in o.note


def test_devices_without_figures_ask_for_a_chip():
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    with pytest.raises(ValueError, match="give a chip to estimate with: chip='TPU v5e'"):
        read.overlap(HEAD + entry(START, DONE, DOT.format("d")), mesh=mesh)


def test_products_of_a_real_program_are_counted_in_loops_too():
    """``cost_analysis`` counts the body of a loop once."""

    def f(x, ws):
        return jax.lax.scan(lambda h, w: (h @ w, None), x, ws)[0]

    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    shapes = jax.ShapeDtypeStruct((64, 32), "float32"), jax.ShapeDtypeStruct((6, 32, 32), "float32")
    o = read.overlap(f, *shapes, mesh=mesh, chip="TPU v5e")
    assert o.flops == 6 * 2 * 64 * 32 * 32
    assert "compiled for CPUs" in o.note


def layer(x, w, v):
    return jax.numpy.sum(jax.nn.gelu(x @ w) @ v, axis=0)


def of_layer() -> tuple[jax.Array, ...]:
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    specs = ((512, 256), ("data",)), ((256, 512), (None, "model")), ((512, 256), ("model",))
    put = (jax.sharding.NamedSharding(mesh, jax.P(*spec)) for _, spec in specs)
    return tuple(jax.device_put(jax.numpy.ones(shape), s) for (shape, _), s in zip(specs, put, strict=True))


@pytest.fixture(scope="module")
def measured() -> Run:
    return read.run(layer, *of_layer(), n=2)


def test_a_measured_run_stands_beside_the_estimate(measured):
    o = read.overlap(layer, *of_layer(), chip=CHIP)
    both = o.beside(measured)
    assert both.measured is not None
    parts = both.measured.compute, both.measured.exposed, both.measured.waiting, both.measured.idle
    assert sum(parts) == pytest.approx(measured.median_s)
    lines = [both.measured_line(line) for line in both.by_line()]
    assert {line.axes for line in lines if line} == {("data",), ("model",)}
    taken = sum(line.seconds for line in lines if line)
    assert taken == pytest.approx(sum(c.call_s for c in measured.collectives))
    assert all(0 <= line.exposed <= line.seconds for line in lines if line)
    words = str(both)
    assert "exposed then" in words
    assert "Measured on 8 CPU devices, 2 calls" in words
    assert "exposed then" not in str(o)
    assert sw.load(both.to_json()) == both


def test_a_run_on_other_devices_or_of_another_program_is_not_put_beside(measured):
    with pytest.raises(ValueError, match=r"for TPU v5e, and the run was on 8 CPU devices"):
        read.overlap(layer, *of_layer(), chip="TPU v5e").beside(measured)
    with pytest.raises(ValueError, match="of another program"):
        read.overlap(lambda x, w, v: (x @ w, v), *of_layer(), chip=CHIP).beside(measured)


def test_the_page_of_a_program_gets_what_is_measured(monkeypatch):
    monkeypatch.setitem(RATES, "cpu", CHIP)
    view = sw.CompiledProgram(layer, *of_layer(), page="overlap")
    assert view._pages["overlap 0"]["measured"] is None
    run = view.profile(n=1)
    assert isinstance(run, Run)
    assert view._pages["overlap 0"]["measured"]["seconds"] == run.median_s
    shown = view.overlap()
    assert isinstance(shown, Overlap)
    assert shown.measured is not None
    assert shown.measured.on == "8 CPU devices, 1 call"


def test_the_button_of_the_page_measures_beside_the_estimate(monkeypatch, measured):
    monkeypatch.setitem(RATES, "cpu", CHIP)
    view = sw.CompiledProgram(layer, *of_layer(), page="overlap")
    view._asked = {"n": 1, "runs": 1, "profiled": 0}
    assert (view._heard, view._trouble) == (1, "")
    assert view._pages["overlap 0"]["measured"]["on"] == "8 CPU devices, 1 call"
    view.beside(measured)  # A run that is there already.
    assert view._pages["overlap 0"]["measured"]["on"] == "8 CPU devices, 2 calls"
    other = sw.CompiledProgram(layer, *of_layer(), page="overlap", chip="TPU v5e")
    other._asked = {"n": 1, "runs": 1, "profiled": 0}
    assert "for TPU v5e, and the run was on 8 CPU devices" in other._trouble
    assert other._pages["overlap 0"]["measured"] is None


STATE = "(s32[], f32[16,16]{1,0}, f32[16,16]{1,0})"
AS_DOT = ', metadata={op_name="jit(f)/dot_general"}\n'
PRODUCT = DOT.format("d")[:-1] + AS_DOT
SUM = "  %a = f32[16,16]{1,0} add(%p, %d)" + AS_DOT


def passed(name: str, pairs: str = "{0,1},{1,2},{2,3},{3,0}") -> str:
    """A permutation within a loop, by default round a ring."""
    return (
        f"  %p = f32[16,16]{{1,0}} collective-permute(%{name}), channel_id=1, source_target_pairs={{{pairs}}}" + AS_DOT
    )


def in_loop(body: str, results: str) -> str:
    """A loop that runs three times, with a carry of two arrays, ``x`` and ``y``."""
    carried = "".join(
        f"  %{name} = f32[16,16]{{1,0}} get-tuple-element(%s), index={k}\n" for k, name in ((1, "x"), (2, "y"))
    )
    return (
        f"body {{\n  %s = {STATE} parameter(0)\n  %i = s32[] get-tuple-element(%s), index=0\n{carried}{body}"
        f"  ROOT %t = {STATE} tuple(%i, {results})\n}}\n\n"
    ) + entry(
        f"  %w = {STATE} while(%init), condition=cond, body=body, "
        'backend_config={"known_trip_count":{"n":"3"}}\n  %d = f32[16,16]{1,0} get-tuple-element(%w), index=2\n'
    )


@pytest.mark.parametrize(
    ("body", "results", "ring"),
    [
        (passed("x") + PRODUCT, "%p, %d", "all-gather, in a ring"),
        (passed("y") + PRODUCT + SUM, "%x, %a", "reduce-scatter, in a ring"),
        (passed("y") + PRODUCT, "%p, %d", ""),
        (passed("x", "{0,1},{1,2}") + PRODUCT, "%p, %d", ""),
        (passed("x").replace("dot_general", "ppermute") + PRODUCT, "%p, %d", ""),
    ],
)
def test_a_product_in_a_loop_of_permutations_is_a_ring(body, results, ring):
    (line,) = of(in_loop(body, results)).by_line()
    assert (line.ring, line.kind, line.transfers[0].times) == (ring, "collective-permute", 3)


@pytest.mark.libtpu
def test_products_that_xla_computes_in_rings_for_tpus_are_one_line_each():
    mesh = sw.tpu_mesh("v5e:4x4", ("data", "model"))

    def shape(*sizes: int, spec: jax.P) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(sizes, "bfloat16", sharding=jax.sharding.NamedSharding(mesh, spec))

    def f(x, w1, w2):
        return jax.nn.gelu(x @ w1) @ w2

    put = jax.sharding.NamedSharding(mesh, jax.P("data", "model"))
    args = (
        shape(4096, 2048, spec=jax.P("data", "model")),
        shape(2048, 8192, spec=jax.P(None, "model")),
        shape(8192, 2048, spec=jax.P("model")),
    )
    o = read.overlap(jax.jit(f, out_shardings=put), *args)
    assert {line.kind for line in o.by_line()} == {"collective-permute"}
    assert {t.ring for t in o.transfers} == {"all-gather", "reduce-scatter"}
    assert {t.operand for t in o.transfers if t.ring == "all-gather"} == {"x", ""}


@pytest.mark.libtpu
def test_layers_of_a_transformer_that_are_written_out_are_lines_with_a_count_and_add_up():
    mesh, layers = sw.tpu_mesh("v5e:4x4", ("data", "model"), shape=(4, 4)), 12

    def shape(*sizes: int, spec: jax.P) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(sizes, "bfloat16", sharding=jax.sharding.NamedSharding(mesh, spec))

    def step(x, weights):
        def loss(weights):
            y = x
            for w in weights:
                a = jax.nn.softmax(y @ y.mT) @ y
                y = y + a
                h = jax.nn.relu(y @ w["up"])
                y = jax.lax.with_sharding_constraint(y + h @ w["down"], jax.sharding.NamedSharding(mesh, jax.P("data")))
            return (y * y).sum()

        return jax.tree.map(lambda w, g: w - g, weights, jax.grad(loss)(weights))

    w = {"up": shape(64, 256, spec=jax.P(None, "model")), "down": shape(256, 64, spec=jax.P("model"))}
    o = read.overlap(step, shape(8, 32, 64, spec=jax.P("data")), [w] * layers)
    forward = [of for of in o.by_line() if of.axes == ("model",) and not of.backward]
    assert [(of.kind, sum(t.times or 0 for t in of.transfers)) for of in forward] == [("all-reduce", layers)]
    assert f"all-reduce ×{layers}" in str(o)
    assert len({(of.kind, of.axes, of.source, of.backward) for of in o.by_line()}) == len(o.by_line())
    assert sum(of.exposed for of in o.by_line()) == pytest.approx(o.exposed)
    assert sum(i.seconds for i in o.intervals if i.what == "wait") == pytest.approx(o.exposed)
    assert sum(i.seconds for i in o.intervals if i.what == "compute") == pytest.approx(o.compute)
    assert len(o.lines) < 10
    assert sum(line.seconds for line in o.lines) == pytest.approx(o.compute)
    assert sum(line.flops for line in o.lines) == pytest.approx(o.flops)
    tokens, width, hidden = 8 * 32, 64, 256
    products = 3 * layers * 2 * tokens * 2 * width * hidden / 16
    attention = 3 * layers * 2 * 2 * tokens * 32 * width / 4
    assert o.flops == pytest.approx(products + attention, rel=0.1)
