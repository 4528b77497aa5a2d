"""``CompiledProgram`` on the Python side: what it sends, takes, measures, refuses, saves, and what ``show`` chooses."""

import json
import re
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import Program, Programs, Timing, to_wire
from shardwidget.export import bundle, svg
from shardwidget.export import program as text
from tests.front_end import FakeComm
from tests.markup import Parsed
from tests.programs import PROGRAMS, hostile, layouts, many, shard_map, training


def mesh() -> jax.sharding.Mesh:
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def put(*spec, shape=(8, 8)) -> jax.Array:
    return jax.device_put(np.ones(shape, np.float32), NamedSharding(mesh(), P(*spec)))


def product(a, b):
    h = jnp.sin(a)
    return h @ b


INNER = (put(None, "y"), put("y", None))
OUTER = (put("x", None), put(None, "y"))


@pytest.fixture
def view() -> sw.CompiledProgram:
    return sw.CompiledProgram(product, *INNER)


def front_end(view: sw.CompiledProgram) -> FakeComm:
    assert isinstance(view.comm, FakeComm)
    return view.comm


def single(view: sw.CompiledProgram) -> Program:
    assert isinstance(view.document, Program)
    return view.document


def several(view: sw.CompiledProgram) -> tuple[Program, ...]:
    assert isinstance(view.document, Programs)
    return view.document.programs


def test_the_collectives_of_a_function(view):
    (c,) = view.document.collectives
    assert (c.kind, c.axes, c.times, c.by_user) == ("all-reduce", ("y",), 1, False)
    assert c.source.text == "return h @ b"
    assert view.document == sw.read.program(product, *INNER)


def test_the_document_and_the_front_end_are_sent_once(view):
    (state,) = front_end(view).states
    assert state["_document"] == to_wire(view.document)
    assert state["_esm"] == bundle.read("program.js")
    assert (state["selection"], state["axis"], state["sort"], state["opened"]) == (None, None, "time", None)


def test_what_is_traced_lowered_or_compiled_already_is_shown_as_it_is(view):
    traced = jax.jit(product).trace(*INNER)
    assert isinstance(sw.show(traced), sw.CompiledProgram)
    lowered = traced.lower()
    for given in (traced, lowered, lowered.compile()):
        shown = single(sw.CompiledProgram(given, mesh=mesh(), name="mine"))
        assert [c.axes for c in shown.collectives] == [("y",)]
        assert shown.name == "mine"
    with pytest.raises(TypeError, match="Lowered"):
        sw.CompiledProgram(lowered, *INNER)


def test_a_document_is_shown_without_being_compiled(view):
    assert sw.CompiledProgram(view.document).document == view.document
    assert single(sw.CompiledProgram(view.document, name="other")).name == "other"
    assert sw.CompiledProgram(layouts()).document == layouts()


def test_show_chooses_it_for_what_is_lowered_or_compiled():
    lowered = jax.jit(product).lower(*INNER)
    for given in (lowered, lowered.compile()):
        shown = sw.show(given, name="shown")
        assert isinstance(shown, sw.CompiledProgram)
        assert single(shown).name == "shown"
    assert not isinstance(sw.show(product, *INNER), sw.CompiledProgram)


def test_the_interconnect_that_is_asked_for_comes_first():
    shown = single(sw.CompiledProgram(product, *INNER, interconnect="H100"))
    assert shown.interconnects[shown.interconnect] == "H100"
    mine = sw.Interconnect("mine", "switch", bandwidth=1e9)
    (program,) = several(sw.CompiledProgram.compare({"a": (product, *INNER)}, interconnect=mine))
    assert program.interconnects[program.interconnect] == "mine"


def test_selection_axis_and_sort_go_both_ways(view):
    for name, value in (("selection", {"collective": 0}), ("axis", "x"), ("sort", "sent")):
        setattr(view, name, value)
        assert front_end(view).states[-1] == {name: 0 if name == "selection" else value}
    front_end(view).from_browser(selection=None, axis="y", sort="order")
    assert (view.selection, view.axis, view.sort) == (None, "y", "order")


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("selection", {"collective": 1}, 'selection must be None or {"collective": 0 to 0}; got'),
        ("selection", 0, 'selection must be None or {"collective": 0 to 0}; got 0'),
        ("axis", "z", "axis must be None or a mesh axis, 'x', 'y'; got 'z'"),
        ("sort", "size", "sort"),
        ("opened", 0, "opened must be None: a single program is always open; got 0"),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_changes(view, trait, value, message):
    before = getattr(view, trait)
    with pytest.raises(TraitError, match=re.escape(message)):
        setattr(view, trait, value)
    assert getattr(view, trait) == before


def test_unknown_arguments_are_refused_with_the_legal_ones():
    legal = r"no argument 'colour'\. Its keyword arguments are kwargs, mesh, name, interconnect, .*, layout"
    with pytest.raises(TypeError, match=legal):
        sw.CompiledProgram(training(), colour="red")
    with pytest.raises(TypeError, match="cannot compile a value of type ndarray"):
        sw.CompiledProgram(np.ones(3))


def test_programs_side_by_side():
    view = sw.CompiledProgram.compare({"inner": (product, *INNER), "outer": (product, *OUTER)}, opened=1)
    assert [(p.name, len(p.collectives)) for p in several(view)] == [("inner", 1), ("outer", 0)]
    assert front_end(view).states[0]["_document"]["kind"] == "programs"
    assert view.opened == 1
    with pytest.raises(TraitError, match="there is no collective to select"):
        view.selection = {"collective": 0}
    view.opened = 0
    view.selection = {"collective": 0}
    view.axis = "y"
    view.opened = 1
    assert (view.selection, view.axis) == (None, "y")
    view.opened = None
    assert (view.selection, view.axis) == (None, None)
    with pytest.raises(TraitError, match="opened must be None or a program, 0 to 1; got 2"):
        view.opened = 2


def test_what_the_browser_selects_in_the_program_that_it_opens_is_kept():
    view = sw.CompiledProgram.compare({"outer": (product, *OUTER), "inner": (product, *INNER)})
    front_end(view).from_browser(opened=1, selection=0, axis="x")
    assert (view.opened, view.selection, view.axis) == (1, {"collective": 0}, "x")


def test_nothing_to_compare_is_said():
    with pytest.raises(ValueError, match="no programs"):
        sw.CompiledProgram.compare({})


def test_compare_takes_every_form():
    lowered = jax.jit(product).lower(*INNER)
    forms = {"f": (product, *INNER), "lowered": lowered, "compiled": lowered.compile(), "document": training()}
    view = sw.CompiledProgram.compare(forms)
    assert [p.name for p in several(view)] == list(forms)


def test_time_measures_and_shows_it(view):
    measured = view.time(n=3)
    assert isinstance(measured, Timing)
    assert 0 < measured.low <= measured.seconds <= measured.high
    assert measured.runs == 3
    assert single(view).timing == measured
    assert front_end(view).states[-1]["_document"] == to_wire(view.document)


def test_programs_side_by_side_are_timed_where_they_can_be():
    view = sw.CompiledProgram.compare({"inner": (product, *INNER), "saved": training()})
    measured = view.time(n=2)
    assert isinstance(measured, dict)
    assert list(measured) == ["inner"]
    assert several(view)[1].timing is None
    assert view._trouble == (
        "saved: it was given as a Program, which cannot be called: there is nothing to run. Give the function itself."
    )


def test_which_program_of_several_fails_is_said():
    def broken(a, b):
        return a @ b[:3]

    with pytest.raises(TypeError, match="contracting dimensions") as raised:
        sw.CompiledProgram.compare({"good": (product, *INNER), "bad": (broken, *INNER)})
    assert raised.value.__notes__[-1] == "This is about 'bad', one of the programs to compare."


def test_a_program_is_measured_on_the_mesh_that_it_was_compiled_for():
    def constrained(x):
        return jax.lax.with_sharding_constraint(2 * x, P("x")).sum()

    values = np.ones((8, 8), np.float32)
    assert isinstance(sw.CompiledProgram(constrained, values, mesh=mesh()).time(n=1), Timing)
    assert sw.CompiledProgram.compare({"f": (constrained, values)}, mesh=mesh()).time(n=1)


def compiled():
    return jax.jit(product).lower(*INNER).compile()


def shapes():
    return jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=NamedSharding(mesh(), P("x", "y")))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sw.CompiledProgram(product, shapes(), shapes()), "argument 0 has a shape and no values"),
        (lambda: sw.CompiledProgram(jax.jit(product).lower(*INNER)), "a Lowered, which cannot be called"),
        (lambda: sw.CompiledProgram(training()), "it was given as a Program, which cannot be called"),
        (lambda: sw.CompiledProgram(layouts()), "data parallel: it was given as a Program"),
        (lambda: sw.CompiledProgram(compiled()), "came compiled, without the 2 arguments to call it with"),
    ],
)
def test_with_nothing_to_run_time_says_why_and_so_does_the_button(make, message):
    view = make()
    with pytest.raises(ValueError, match=message):
        view.time()
    front_end(view).from_browser(_asked={"n": 1, "runs": 10})
    assert message in view._trouble
    assert view._heard == 1


def test_the_button_measures(view):
    front_end(view).from_browser(_asked={"n": 1, "runs": 4})
    timing = single(view).timing
    assert timing is not None
    assert timing.runs == 4
    assert (view._heard, view._trouble) == (1, "")


def test_an_error_of_the_program_is_told_to_the_browser(view, monkeypatch):
    def stops(f, args, **options):
        raise RuntimeError("device lost")

    monkeypatch.setattr(sw.read, "time_program", stops, raising=False)
    front_end(view).from_browser(_asked={"n": 1, "runs": 4})
    assert (view._trouble, view._heard) == ("RuntimeError: device lost", 1)


def test_an_interruption_is_told_to_the_browser(view, monkeypatch):
    def stops(f, args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sw.read, "time_program", stops, raising=False)
    front_end(view).from_browser(_asked={"n": 1, "runs": 4})
    assert (view._trouble, view._heard) == ("Interrupted: nothing was measured.", 1)
    assert single(view).timing is None


def test_a_new_measurement_takes_an_old_trouble_away(view):
    view._trouble = "old"
    view.time(n=1)
    assert view._trouble == ""


def test_a_saved_page_holds_what_is_shown(view, tmp_path):
    view.selection = {"collective": 0}
    path = tmp_path / "p.html"
    assert view.to_html(path) == str(path)
    html = path.read_text()
    (state,) = re.findall(r'data-sw="state">(.*?)</script>', html, re.DOTALL)
    saved = json.loads(state)
    assert (saved["_static"], saved["selection"], saved["sort"]) == (True, 0, "time")
    assert saved["_document"]["collectives"][0]["kind"] == "all-reduce"
    assert "_calls" not in saved


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_a_picture_without_a_browser(name):
    view = sw.CompiledProgram(PROGRAMS[name](), mode="html")
    picture = view.to_svg(width=480, theme="dark")
    assert picture.startswith("<svg ")
    assert svg.available()
    assert "<script" not in picture.replace("&lt;script", "")


def test_text_of_a_program():
    lines = text.picture(training()).splitlines()
    assert lines[0] == "train_step: 12 all-reduces over model in line 22 take 32.9 % of 27.2 ms; 1 thing to look at"
    assert lines[1] == (
        "Compiled for TPU v5e 4×4, mesh data=4 model=4: 8 collectives, 876 MiB sent per device, "
        "27.2 ms per call (estimate on TPU v5e)"
    )
    assert lines[2] == "1. all-gather in line 23: undoes the split over model: gathers y whole"
    assert lines[3] == "   split another dim of y over model"
    assert lines[4].split() == ["over", "runs", "sent/device", "estimate/call"]
    rows = lines[[line.startswith("collective ") for line in lines].index(True) + 1 :]
    first = (
        "all-reduce model 288 MiB ×12 scan ×12 22: y = h @ params.w_out outside of both; added by the compiler 8.95 ms"
    )
    assert rows[0].split() == first.split()
    assert lines[-1] == "Memory per device: 48 MiB arguments, 48 MiB outputs, 96 MiB temporaries."


def test_text_says_what_is_not_known():
    picture = text.picture(shard_map())
    assert "≥ 10 KiB sent per device" in picture
    assert "×? while" in picture
    assert "irregular, within x" in picture
    assert "Measured: median 2.13 ms (1.98 ms–3.1 ms, n=10)." in picture
    assert "Not read: 1 instruction; %all-reduce.9" in picture
    alone = text.picture(layouts().programs[2])
    assert alone.startswith("one device: no collectives: it runs on one device\n")
    assert alone.count("no collectives") == 1


def test_text_of_a_program_that_has_none_says_nothing_of_zero():
    unread = replace(training(), collectives=(), instructions=0)
    assert text.facts(unread).endswith(": collectives not known")
    assert text.picture(replace(layouts(), programs=(unread,))).splitlines()[2].split()[:4] == ["train_step", *"???"]


def test_text_of_programs_side_by_side():
    lines = text.picture(layouts()).splitlines()
    assert lines[0] == "3 programs: FSDP + tensor parallel, data parallel, one device"
    first = "FSDP + tensor parallel 8 876 MiB 27.23 ms 31.2 ms (30.1 ms–34.4 ms, n=10) 144 MiB"
    assert lines[2].split() == first.split()
    assert lines[5] == "Estimates are for TPU v5e (scaling-book roofline)."
    parsed = Parsed(text.table(layouts()))
    own = [Parsed(text.table(program)).elements.count("tr") for program in layouts().programs]
    assert parsed.elements.count("tr") == 4 + sum(own) > 4 + len(own)


def test_a_long_program_is_cut_and_says_so():
    one, *_ = training().collectives
    lines = tuple(replace(one, source=replace(one.source, line=k)) for k in range(500) if one.source)
    found = text.picture(replace(training(), collectives=lines))
    assert len(found.splitlines()) == text.MOST_LINES
    assert "more collectives in " in found
    assert "more collective" not in text.picture(many(20))
    assert Parsed(text.table(replace(training(), collectives=lines))).elements.count("tr") == 1 + text.MOST_LINES


def test_what_the_user_named_comes_out_as_text_on_short_lines():
    parsed = Parsed(text.table(hostile()))
    assert set(parsed.elements) == {"div", "p", "b", "table", "tr", "th", "td"}
    assert parsed.attributes == {"style"}
    assert "<script>alert(1)</script>" in "".join(parsed.words)
    assert max(map(len, text.picture(hostile()).splitlines())) < 710


def test_repr_and_fallback(view):
    assert repr(view) == text.picture(view.document)
    data, _ = view._repr_mimebundle_()
    assert data["text/plain"] == repr(view)
    assert "<summary>as a table</summary>" in data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data


def test_memory_is_read_when_its_page_is_turned_to(view):
    assert view._pages == {}
    view.page = "memory"
    (sent,) = view._pages.values()
    assert (sent["kind"], sent["name"]) == ("memory", "product")
    memory = view.memory()
    assert isinstance(memory, sw.Memory)
    assert memory.peak_bytes == sum(b.bytes for b in memory.alive())
    assert {b.name: b.axes for b in memory.buffers if b.kind == "argument"} == {"a": ("y",), "b": ("y",)}


def test_memory_of_programs_side_by_side():
    view = sw.CompiledProgram.compare({"inner": (product, *INNER), "outer": (product, *OUTER)}, page="memory", opened=1)
    assert list(view._pages) == ["memory 1"]
    both = view.memory()
    assert isinstance(both, dict)
    assert [m.name for m in both.values()] == ["inner", "outer"]


def test_memory_that_cannot_be_known_is_said():
    view = sw.CompiledProgram(training(), page="memory")
    assert view._pages["memory 0"]["trouble"].startswith("it was given as a Program, but its memory is read from")
    with pytest.raises(ValueError, match="Give the function and its arguments"):
        view.memory()


def test_the_chip_is_the_limit():
    view = sw.CompiledProgram(product, *INNER, chip="H100")
    memory = view.memory()
    assert isinstance(memory, sw.Memory)
    assert memory.chip is not None
    assert (memory.chips[memory.chip].name, memory.chips[memory.chip].bytes) == ("H100", 80 * 2**30)
    with pytest.raises(ValueError, match=r"chip='H1000' is not known\. Give one of 'TPU v4', "):
        sw.CompiledProgram(product, *INNER, chip="H1000")


def test_a_saved_page_and_a_picture_hold_the_memory(view):
    view.page = "memory"
    assert '"kind":"memory"' in view.to_html()
    # What draws that page comes along.
    assert '"_parts"' in view.to_html()
    if svg.available():
        assert "at the peak" in view.to_svg().lower()


def test_the_overlap_is_estimated_for_a_chip_or_says_what_to_do(view):
    view.page = "overlap"
    (sent,) = view._pages.values()
    assert "Compile it for TPUs, mesh=shardwidget.tpu_mesh('v5e:4x4', ('data', 'model'))" in sent["trouble"]
    with pytest.raises(ValueError, match="give a chip to estimate with"):
        view.overlap()
    of: Any = sw.CompiledProgram(product, *INNER, chip="TPU v5e", page="overlap")
    assert of._pages["overlap 0"]["kind"] == "overlap"
    assert of.overlap() == of.document.overlap("TPU v5e")
    assert '"kind":"overlap"' in of.to_html()


def test_an_overlap_alone_is_shown():
    o: Any = sw.CompiledProgram(product, *INNER, chip="TPU v5e").overlap()
    view: Any = sw.show(o)
    assert (view.page, view._pages["overlap 0"]["verdict"]) == ("overlap", o.verdict)
    assert view.document.note == "Only its overlap was given, so its collectives are not known."
    if svg.available():
        assert "if everything overlapped" in view.to_svg()


@pytest.mark.once
def test_the_page_of_memory_does_not_move():
    view = sw.CompiledProgram(training())
    assert "@keyframes" in view.to_svg(animate=True)
    view.page = "memory"
    with pytest.raises(ValueError, match="nothing moves in what this CompiledProgram shows"):
        view.to_svg(animate=True)
