"""What the course says about its pictures is what the pictures show; and it runs without libtpu."""

import ast
import contextlib
import json
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import pytest

import shardwidget as sw
from shardwidget import _jax, pipeline

COURSE = Path(__file__).parents[2] / "notebooks"


@pytest.fixture
def run(monkeypatch):
    """Runs the cells of a notebook; returns what they show, in order, each given to ``answer`` before the next runs."""
    all_devices = jax.devices

    def no_libtpu(*args, **kwargs):
        raise ImportError("compiling for a TPU needs libtpu")

    # The course has eight devices, these tests sixteen.
    monkeypatch.setattr(jax, "devices", lambda *platform: all_devices(*platform)[:8])
    monkeypatch.setattr(sw, "tpu_mesh", no_libtpu)
    with contextlib.ExitStack() as meshes:
        names = {"__name__": "notebook", "sw": sw, "MESHES": meshes}

        def of(number: str, answer: Callable[[Any], None] = lambda shown: None) -> list:
            (path,) = COURSE.glob(f"{number}_*.ipynb")
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            code = {i: "".join(c["source"]) for i, c in enumerate(cells) if c["cell_type"] == "code"}
            out = []
            for i, text in code.items():
                out.append(_run(f"<{path.stem} {i}>", text, names))
                answer(out[-1])
            return out

        yield of


def _run(file: str, text: str, names: dict):
    """Runs a cell; returns the value of its last line."""
    text = re.sub(r"^jax\.config\.update.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^( +)%pip install .*$", r"\1pass", text, flags=re.MULTILINE)
    # A mesh that a notebook sets is set until the test ends.
    text = re.sub(r"^(jax\.set_mesh\(mesh\))$", r"MESHES.enter_context(\1)", text, flags=re.MULTILINE)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    tree = ast.parse(text)
    end = tree.body[-1]
    last = end if isinstance(end, ast.Expr) else None
    tree.body = tree.body[:-1] if last else tree.body
    exec(compile(tree, file, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), file, "eval"), names)


@pytest.mark.parametrize("path", sorted(COURSE.glob("*.ipynb")), ids=lambda path: path.stem)
def test_it_opens_elsewhere_and_its_first_cell_installs_what_is_missing(path):
    first, *rest = ((c["cell_type"], "".join(c["source"])) for c in json.loads(path.read_text("utf-8"))["cells"])
    of = "github.com/shardwidget/shardwidget/blob/main/notebooks"
    assert first[0] == "markdown"
    assert first[1].endswith(
        f"[Open in Colab](https://colab.research.google.com/{of.replace('.com', '')}/{path.name}) · "
        f"[in Kaggle](https://kaggle.com/kernels/welcome?src=https://{of}/{path.name}) · "
        f"[read on nbviewer](https://nbviewer.org/{of.replace('.com', '')}/{path.name})"
    )
    code = next(text for kind, text in rest if kind == "code")
    assert re.search(r"^    %pip install -q .*shardwidget", code, re.MULTILINE)


def documents(shown, kind: str):
    return [v.document for v in shown if type(v).__name__ == kind]


def test_00_quickstart(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown = run("00")
    placed = {p.name: p for p in documents(shown, "ArrayView")}
    # "Each device holds one tile of 2 × 8".
    assert (placed["x"].shard_shape, placed["x"].copies) == ((2, 8), 1)
    # "The two devices of each row hold the same tile, half of the memory goes to copies".
    whole = placed["y"]
    assert (whole.copies, whole.slices(4)) == (2, whole.slices(5))
    assert 2 * whole.wasted_bytes == 8 * 2 * 16 * 4
    # "Unreduced over y"; "for as many devices as you like".
    assert placed["partial"].unreduced == ("y",)
    assert placed["weights"].mesh.size == 256
    (stepped,) = documents(shown, "ShardMapStepper")
    assert [(s.collective.kind, s.collective.axes) for s in stepped.steps if s.collective] == [("psum", ("y",))]
    (types,), (program,) = documents(shown, "ShardingComparison"), documents(shown, "CompiledProgram")
    assert all(value.concrete for row in types.rows for value in row.values)
    # "By mesh axis, bytes and source line".
    (added,) = program.collectives
    assert (added.axes, added.by_user, added.source.text) == (("x",), False, "return h - h.mean(0)")
    assert added.bytes_per_device > 0
    # "One file that works from disk".
    assert "<html" in (tmp_path / "sharding.html").read_text()


def test_01_specs(run):
    shown = run("01")
    placed = {p.name: p for p in documents(shown, "ArrayView")}
    x_major, y_major = placed["x_major"], placed["y_major"]
    assert x_major.shard_shape == y_major.shard_shape == (1, 16)
    assert x_major.slices(1) != y_major.slices(1)
    # "A vector over one axis, over the whole mesh".
    assert (placed["vector"].copies, placed["vector_over_all"].copies) == (2, 1)


def test_02_types(run):
    shown = run("02")
    views = {d.name: d for d in documents(shown, "ShardingComparison")}
    stops = {name: [r.error.error for r in d.rows if r.error is not None] for name, d in views.items()}
    assert stops["layer"] == ["ShardingTypeError"]
    assert stops["disagree"] == ["ShardingTypeError"]
    assert stops["decided"] == stops["agree"] == stops["mixed"] == []
    assert stops["constrained"] == ["AssertionError"]
    text = {v.document.name: str(v) for v in shown if isinstance(v, sw.ShardingComparison)}
    assert "all-reduce over y" in text["decided"]
    (stop,) = (row for row in views["constrained"].rows if row.error is not None)
    assert any("jax.reshard(b, P(None, 'x'))" in fix.code for fix in stop.fixes)


def test_03_shard_map(run, capsys):
    shown = run("03")
    traces = {}
    for trace in documents(shown, "ShardMapStepper"):
        traces.setdefault(trace.name, []).append(trace)
    types = {name: [v.type for s in of[0].steps for v in s.outputs] for name, of in traces.items()}
    # "Nothing moves between devices unless you say so".
    assert not any(step.collective for step in traces["double"][0].steps)
    # "A row has rank 1"; "a block of 2 rows that still has rank 2".
    assert {"vmap": (4,), "shard_map": (2, 4)} in shown
    # "An axis that it names is concatenated, whether the blocks are equal or not".
    assert ((8, 1), (8, 2)) in shown
    # "`psum` over `y` adds the two halves"; "it is `{V:x}`: along `y` all are equal now".
    product = traces["matmul"][0]
    (added,) = (s for s in product.steps if s.collective)
    (dot,) = (s for s in product.steps if s.primitive == "dot_general")
    assert (added.collective.axes, added.inputs) == (("y",), dot.outputs)
    assert types["matmul"][-3:] == ["f32[2,4]{V:(x,y)}", "f32[2,4]{V:x}", "f32[8@x,4]"]
    # "JAX inserts the cast, `pvary`, by itself. It costs nothing, and it is a step in the widget".
    (cast,) = (s for s in traces["scale"][0].steps if s.primitive == "pvary")
    assert (cast.implicit, cast.collective) == (True, None)
    # "Says where it began to vary, and lists what would fix it".
    forgot = traces["forgot_psum"][0]
    assert (forgot.error.kind, forgot.error.origin >= 0) == ("out_specs", True)
    assert "lax.psum(a_block @ b_block, 'y')" in forgot.error.fixes[0].code
    # "A carry that changes its type"; "the fix is `lax.pcast(…, to="varying")`".
    before, after = traces["total"]
    assert before.error.kind == "scan_carry"
    assert any("pcast" in fix.code for fix in before.error.fixes)
    assert after.error is None
    # "Here every device writes its own number".
    assert [int(traces["places"][0].steps[-2].outputs[0].value(d).item()) for d in range(8)] == list(range(8))
    # "Manual over some axes": x alone.
    assert [r.manual for r in traces["centre"][0].regions] == [("x",)]
    # "The widget then simulates the devices on the host".
    pod = traces["summed"][0]
    assert (pod.engine, pod.mesh.size, pod.error) == ("host", 32, None)
    printed = capsys.readouterr().out
    assert "psum" in printed
    # "It sums over the axes along which the value varies, and leaves out the others".
    assert re.findall(r"varies over (.*)", printed)[-3:] == ["x, y", "x", "nothing"]
    sums = next(v for v in shown if isinstance(v, tuple) and getattr(v[0], "shape", None) == (3,))
    assert sums[0].tolist() == [sums[1].item()] * 3


def test_04_collectives(run):
    shown = run("04")
    first = documents(shown, "ShardMapStepper")[0]
    add = next(s for s in first.steps if s.collective is not None)
    # "The type says so: {V:i} is gone".
    assert "V:i" in add.inputs[0].type
    assert "V:i" not in add.outputs[0].type


def test_05_what_the_compiler_added(run, capsys):
    shown = run("05")
    first, cases, small, cut, loop, marked = documents(shown, "CompiledProgram")
    sent = {case.name: [c.kind for c in case.collectives] for case in cases.programs}
    # "An all-reduce"; "something has to be gathered first"; "nothing is sent".
    assert [(c.kind, c.axes) for c in first.collectives] == [("all-reduce", ("y",))]
    assert sent["inner axes"] == ["all-reduce"]
    assert set(sent["mismatch"]) == {"all-gather"}
    assert sent["outer axes"] == []
    # "As 4, but the result is wanted on every device".
    assert len(sent["whole result"]) > len(sent["all of it"]) > 0
    # "The button does the same": each was run.
    assert re.findall(r"^(.*?) +[\d.]+ ms$", capsys.readouterr().out, re.MULTILINE) == list(sent)
    # "Less memory for each chip, and the weights have to be gathered before they are used".
    assert cut.memory.arguments < small.memory.arguments
    kinds = [(c.kind, c.axes) for c in cut.collectives]
    assert kinds[:2] == [("all-gather", ("data",))] * 2
    assert ("all-gather", ("data",)) not in [(c.kind, c.axes) for c in small.collectives]
    # "One line of the program and runs as often as the loop".
    assert {c.times for c in loop.collectives} == {12}
    # "The collectives are yours and are marked so; the compiler added all others".
    assert {(c.axes, c.by_user) for c in marked.collectives} == {(("data", "model"), True), (("data",), False)}


@pytest.mark.once
def test_06_layouts_and_a_course_without_libtpu(run, capsys):
    shown = run("06")
    assert "The eight CPU devices stand in for the pod." in capsys.readouterr().out
    single = documents(shown, "CompiledProgram")
    sent = {
        case.name: [(c.kind, c.axes) for c in case.collectives]
        for case in next(d for d in single if hasattr(d, "programs")).programs
    }
    both = ("data", "model")
    assert sent["data parallel"] == [("all-reduce", both)]
    assert sent["FSDP"] == [("all-gather", both), ("all-gather", both), ("all-reduce", both)]
    assert sent["tensor parallel"] == [("all-reduce", ("model",)), ("all-reduce", ("data",))]
    by_hand = documents(shown, "ShardMapStepper")[-1]
    kinds = {s.collective.kind for s in by_hand.steps if s.collective is not None}
    assert {"all_gather", "psum_scatter"} <= kinds or "reduce_scatter" in kinds


def test_07_exercises(run, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # "Your progress is kept in a small file".
    shown = run("07")
    (lab,) = (found for found in shown if isinstance(found, sw.ExerciseSet))
    # "Twenty-five questions"; "four of them are answered here".
    names = [exercise.name for exercise in lab]
    assert len(names) == 25
    assert [name for name in names if lab[name].passed] == ["rows", "summed", "whole again", "fix"]
    # "A wrong answer is told what it would have given", and does not count.
    assert "turned: not yet" in capsys.readouterr().out
    # "`P('x')` and `P('x', None)` are the same".
    lab["turned"].answer = "f32[16@y,8@x]"
    assert lab["turned"].passed
    # "An answer of another form does not count: a warning says why".
    with pytest.warns(UserWarning, match="rows"):
        lab["rows"].answer = "rows over x"


def test_08_pipelines(run, capsys):
    shown = run("08")
    printed = capsys.readouterr().out
    # "The bubble stays as long as it was: p − 1 forward and backward tasks".
    assert re.findall(r"m = +(\d+): (\d+) idle", printed) == [(m, "9") for m in ("4", "8", "16", "32")]
    assert "GPipe (8, 8, 8, 8)\n1F1B  (4, 3, 2, 1)" in printed
    views = documents(shown, "PipelineView")
    runs = {s.name: s.simulate() for view in views if hasattr(view, "schedules") for s in view.schedules}
    # "With the same bubble"; "the first microbatch comes around sooner. The price is more sends".
    assert runs["GPipe"].bubble_of_total == runs["1F1B"].bubble_of_total
    assert runs["Interleaved"].bubble_of_total < runs["1F1B"].bubble_of_total
    assert runs["Interleaved"].messages > runs["1F1B"].messages
    assert runs["ZB-V"].bubble_of_total < runs["ZB-H1"].bubble_of_total < runs["1F1B"].bubble_of_total
    # "Bubble rates of 24.3 % and 15.9 %".
    assert re.findall(r"\w+: (\d+\.\d\d)%; formula", printed) == ["24.31", "15.85"]
    assert "33.0 = 0F0 → " in printed
    assert "deadlock: rank 0 at 0B0 waits for 1B0 of rank 1" in printed
    assert "wasted (3.0, 2.0, 1.0, 0.0)" in printed
    # The first question: 58 and no fewer. The second: eager keeps more, and is faster.
    rates = [pipeline.one_f_one_b(4, m).simulate().bubble_of_total for m in (57, 58)]
    assert rates[0] >= 0.05 > rates[1]
    plain, eager = (f(4, 16).simulate(communication=1) for f in (pipeline.one_f_one_b, pipeline.eager_1f1b))
    assert eager.makespan < plain.makespan
    assert max(eager.peak_activations) > max(plain.peak_activations)
    read, order, _ = (v for v in shown if isinstance(v, sw.Exercise))
    read.answer = {"bubble": "1/4", "peak": "3"}
    assert read.passed
    order.answer = "1F0 1F1 1B0 1F2 1B1 1F3 1B2 1B3"
    assert order.passed


def test_08_arrays_on_groups(run, capsys):
    shown = run("08")
    printed = capsys.readouterr().out
    # "This array lies on group 1. Group 0 has nothing of it".
    (head,) = documents(shown, "ArrayView")
    assert head.holds == ("none", "live")
    (plan,) = documents(shown, "ReshardPlanView")
    by_path = {a.path: a for a in plan.arrays}
    up = by_path["layers/0/up"]
    # "Which stage 0 keeps, takes 1 MiB on the devices of stage 1 too. JAX says the same".
    assert (up.groups, up.target_bytes) == ((0,), 2**20)
    assert f"before {{{up.source_bytes}}} bytes" in printed
    assert f"after  {[up.target_bytes] * 8}" in printed
    # "A device holds 6 MiB before, and 7 at most when all is done".
    assert sum(a.source_bytes for a in plan.arrays) == 6 * 2**20
    assert [sum(a.target_bytes for a in plan.arrays if g in a.groups) for g in (0, 1)] == [6 * 2**20, 7 * 2**20]
    peaks = re.findall(
        r"threshold +(\d+) MiB: +(\d+) × chunk, peak on a device of each stage \[([\d.]+), ([\d.]+)\]", printed
    )
    assert [tuple(map(float, row)) for row in peaks] == [(1, 10, 8, 8), (4, 3, 10, 11), (8, 2, 13, 13), (12, 1, 17, 17)]
    # The third question: stage 1 needs nothing of it any more, and is sent it all the same.
    assert "embed: must move 12 MiB at least, XLA sends 12 MiB" in printed
    embed = by_path["embed"]
    mesh = jax.make_mesh((2, 2, 2), ("stage", "data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 3)
    sharding = jax.sharding.NamedSharding(mesh, jax.P(("stage", "data"), "model"))
    struct = jax.ShapeDtypeStruct(embed.shape, "float32", sharding=sharding)
    target = ({0}, jax.P("data", "model"))
    alone = sw.read.reshard_plan(struct, target, mesh, "stage", threshold=1, compiled=True).arrays[0]
    assert (alone.least_bytes, alone.sent_bytes) == (6 * 2**20, 12 * 2**20)
    *_, threshold = (v for v in shown if isinstance(v, sw.Exercise))
    threshold.answer = "8 MiB"
    assert not threshold.passed
    threshold.answer = "7 MiB"
    assert threshold.passed


def test_09_a_whole_model(run, capsys):

    def answer(shown: Any) -> None:
        if not isinstance(shown, sw.Exercise) or shown._attempts.kind.task != "shard_tree":
            return
        shown.answer = "mu → P()"
        assert not shown.passed
        shown.answer = (
            "embed → P('model', 'data'); qkv|up → P(None, 'data', 'model'); layers/o|down → P(None, 'model', 'data')"
        )
        assert shown.passed

    shown = run("09", answer)
    printed = capsys.readouterr().out
    names, state, module = documents(shown, "Inspector")[0], *documents(shown, "ModelView")
    # "`state` holds the same parameters as `params`, and they are counted once".
    assert (names.holder("state").shared, names.holder("state").shared_with) == (5, "params")
    flags = {flag.kind: flag for flag in state.flags}
    assert {state.names[leaf] for leaf in flags["copied"].leaves.array().tolist()} == {"params/embed"}
    alone = [name for flag in state.flags if flag.kind == "one device" for name in of(state, flag)]
    assert sorted(alone) == [name for name in sorted(state.names) if name.startswith("mu/")]
    find, _, peak = (v for v in shown if isinstance(v, sw.Exercise))
    find.answer = "layers/up"
    assert not find.passed
    find.answer = "['embed']"
    assert find.passed
    # "This cell moves the arrays as your rules say".
    before, after = numbers(r"([\d,]+) bytes on the fullest device before, ([\d,]+) after", printed)
    assert after <= 1_000_000 < before
    # "The largest things alive at the peak are arrays of 256,256 for every head and sequence", of each layer.
    largest = re.findall(r"bytes  (\S+)", printed)
    assert largest[0] == largest[1] == "f32[2,4,2,256,256]"
    # The peak with remat is said once the exercise is passed.
    (kept,) = numbers(r"([\d,]+) bytes at the peak with everything kept; with remat: your answer first", printed)
    kind: Any = peak._attempts.kind
    remat = kind._peak
    assert remat < 0.7 * kept
    peak.answer = kept
    assert not peak.passed
    peak.answer = f"{remat / 2**20:.3f} MiB"
    assert peak.passed
    # "This one has the same fault".
    assert all(name.startswith("embed/") for name in of(module, module.flags[0]))


def numbers(pattern: str, text: str) -> list[int]:
    """The numbers that a pattern finds in a text."""
    found = re.search(pattern, text)
    assert found
    return [int(n.replace(",", "")) for n in found.groups()]


def of(model: sw.Model, flag) -> list[str]:
    """Names of the leaves of a flag."""
    return [model.names[leaf] for leaf in flag.leaves.array().tolist()]


@pytest.mark.skipif(not _jax.ENTERS_FUNCTIONS, reason="Shardy of JAX 0.9 leaves called functions out")
def test_11_choosing_a_sharding(run, capsys):
    shown = run("11")
    printed = capsys.readouterr().out
    # "The chip waits for weights if it has fewer tokens than".
    assert "850 tokens a chip" in printed
    # "More tokens a chip, and FSDP alone wins; fewer, and TP helps".
    names = re.findall(r"(\d+) tokens a chip: (.*?) {2,}", printed)
    assert [(int(n), "TP" in name.replace("FSDP", "")) for n, name in names] == [(64, True), (256, True), (2048, False)]
    # "The loss is the same".
    ((alone, split),) = re.findall(r"TP \d+ (\d\.\d+) (\d\.\d+)", printed)
    assert float(alone) == pytest.approx(float(split), rel=1e-5)
    assert len(re.findall(r"ms estimated, +[\d.]+ ms measured", printed)) == 2
    (view,), (less,) = documents(shown, "SearchView"), [v for v in shown if isinstance(v, sw.Exercise)]
    assert view.best is not None
    assert len(documents(shown, "DiffView")) == 1
    less.answer = lambda up, down, x: jax.nn.relu(x @ up) @ down
    assert less.passed
    # "Most candidates send more".
    ((now, fsdp),) = re.findall(r"now (\d+) bytes, FSDP 8 (\d+)", printed)
    assert int(now) < int(fsdp)


def test_12_overlap_and_pallas(run, capsys):
    shown = run("12")
    printed = capsys.readouterr().out
    (stepped, *_) = documents(shown, "ShardMapStepper")
    # "Three ppermutes, each of one block"; the result is right.
    assert [s.collective.bytes_per_device for s in stepped.steps if s.collective] == [2 * 2 * 4] * 3
    assert True in [v for v in shown if isinstance(v, bool)]
    # "For them, XLA's schedule overlaps nothing".
    estimated = re.findall(r"sends for (\d+) µs and waits for (\d+) µs", printed)
    assert len(estimated) == 2
    assert all(takes == exposed for takes, exposed in estimated)
    # "Now measured": three sends of each program, in every call.
    (measured,) = documents(shown, "RunView")
    assert [[c.kind for c in r.collectives] for r in measured.runs] == [["collective-permute"] * 3] * 2
    assert all(c.times > 0 and 0 <= c.hidden <= 1 for r in measured.runs for c in r.collectives)
    (racing,) = documents(shown, "KernelView")
    assert racing.faults[0].headline.startswith("Device 3 may overwrite slots[0] of device 0 while it still sends it")
    # Nobody has answered yet.
    assert "answer first" in shown
    assert racing.faults[0].advice not in shown
    # "In that order devices end with the wrong block".
    order = racing.orders[racing.faults[0].order]
    wrong = {s.device for s in order.stretches if s.instead_of >= 0 and racing.slots[s.slot].name.startswith("out_ref")}
    assert wrong
    assert "\nNo race and no wait that never ends, in any order" in printed
    assert shown[-1] == f"Device 0 waits for ever at line {_line(shown)}: free needs 1, nothing has come"
    may, race, missing = (v for v in shown if isinstance(v, sw.Exercise))
    may.answer = ("can run meanwhile",) * 4
    race.answer = ("slots", "send.start()", "send.start()")
    # "A device tells its left neighbour … after it has sent the slot and copied what came": the next send waits for it.
    copied = "pltpu.sync_copy(slots.at[then], out_ref.at[lax.rem(me - step - 1 + N, N)]) is done"
    missing.answer = ("send.start()", "its right neighbour", copied, "one run before")
    assert (may.passed, race.passed, missing.passed) == (True, True, True)


@pytest.mark.once
@pytest.mark.libtpu
def test_12_what_the_compiler_of_tpus_overlaps():
    mesh = sw.tpu_mesh("v5e:2x2", ("x",))
    names = {"N": 4, "ring": [(i, (i + 1) % 4) for i in range(4)], "jnp": jax.numpy, "lax": jax.lax}
    waits = {}
    for name in ("multiply", "sent_last"):
        exec(_definition("12", name), names)
        f = jax.shard_map(names[name], mesh=mesh, in_specs=jax.P("x"), out_specs=jax.P("x"))
        tokens, weights = (jax.ShapeDtypeStruct((n, 1024), "bfloat16") for n in (16384, 1024))
        overlap = sw.read.overlap(f, tokens, weights, mesh=mesh)
        waits[name] = sum(t.exposed for t in overlap.transfers) / sum(t.seconds for t in overlap.transfers)
    # "`multiply` waits only for what is longer than the product beside it"; "`sent_last` waits for everything".
    assert waits["multiply"] < 0.2
    assert waits["sent_last"] == pytest.approx(1, abs=0.01)


def _definition(number: str, name: str) -> str:
    """The text of a function of a notebook."""
    (path,) = COURSE.glob(f"{number}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (found,) = (
        ast.get_source_segment(text, node)
        for text in texts
        if f"def {name}(" in text
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    )
    assert found
    return found


def _line(shown) -> int:
    (line,) = re.findall(r"at line (\d+):", shown[-1])
    return int(line)
