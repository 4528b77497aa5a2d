"""``ArrayView`` on the Python side: what it sends to the front end, what it takes from it, and what it refuses."""

import asyncio
import base64
import json
import re
import sys
import threading
import types

import ipywidgets
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.export import bundle, svg
from tests.front_end import FakeComm, Kernel


@pytest.fixture(autouse=True)
def _no_svg(monkeypatch):
    monkeypatch.setattr(svg, "available", lambda: False)


@pytest.fixture
def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)


def front_end(view: sw.ArrayView) -> FakeComm:
    assert isinstance(view.comm, FakeComm)
    return view.comm


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match
    return match[1]


def put(mesh, *spec, shape=(8, 16)):
    x = jnp.arange(float(jnp.prod(jnp.array(shape, int))), dtype=jnp.float32).reshape(shape)
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def test_the_document_and_the_front_end_are_sent_once(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"))
    (state,) = front_end(view).states
    assert state["_document"] == to_wire(view.document)
    assert state["_document"]["spec"] == repr(P("x", "y"))
    assert state["_esm"] == bundle.read("array.js")
    assert state["_static"] is False
    assert state["_values"] is None


@pytest.fixture
def kernel(monkeypatch):
    """A Jupyter kernel to run in."""
    shell = InteractiveShell.instance()
    kernel = Kernel()
    monkeypatch.setattr(shell, "kernel", kernel, raising=False)
    yield kernel
    InteractiveShell.clear_instance()


def opened(view):
    (state, *_) = front_end(view).states
    return state


@pytest.mark.usefixtures("kernel")
def test_a_kernel_sends_each_bundle_once_for_all_widgets(mesh):
    views = [sw.ArrayView(put(mesh, "x", "y")) for _ in range(2)]
    first, second = map(opened, views)
    assert first["_esm"] == second["_esm"] == bundle.read("loader.js")
    assert first["_parts"] == first["_share"] == ""
    assert first["_sources"] == second["_sources"]
    files = {"_esm": "array.js", "_share": "share.js", "_parts": "array-parts.js"}
    sources = views[0]._sources
    assert {name: source.text for name, source in sources.items()} == {k: bundle.read(v) for k, v in files.items()}
    assert first["_sources"] == {name: f"IPY_MODEL_{source.model_id}" for name, source in sources.items()}
    ipywidgets.Widget.close_all()
    assert set(opened(sw.ArrayView(put(mesh, "x", "y")))["_sources"].values()).isdisjoint(first["_sources"].values())


def test_another_kernel_of_the_process_has_bundles_of_its_own(mesh, kernel, monkeypatch):
    first = opened(sw.ArrayView(put(mesh, "x", "y")))
    monkeypatch.setattr(InteractiveShell.instance(), "kernel", Kernel())
    second = opened(sw.ArrayView(put(mesh, "x", "y")))
    assert set(second["_sources"].values()).isdisjoint(first["_sources"].values())


@pytest.mark.usefixtures("kernel")
def test_a_page_that_finds_no_bundle_is_sent_it(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"))
    front_end(view).from_browser(_alone=True)
    sent = front_end(view).states[-1]
    assert sent["_esm"] == bundle.read("array.js")
    assert sent["_parts"] == bundle.read("array-parts.js")
    assert sent["_share"] == bundle.read("share.js")


@pytest.mark.usefixtures("kernel")
def test_each_output_of_colab_has_a_bundle_of_its_own(mesh, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    assert opened(sw.ArrayView(put(mesh, "x", "y")))["_esm"] == bundle.read("array.js")


@pytest.mark.usefixtures("kernel")
def test_pages_made_in_a_kernel_are_whole(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"))
    shown = sw.ArrayView(put(mesh, "x", "y"), mode="html")
    assert view.to_html() == shown.to_html()
    assert '"_parts"' in view.to_html()


def test_the_name_is_that_of_the_callers_variable(mesh):
    weights = put(mesh, "x", "y")
    assert sw.ArrayView(weights).document.name == "weights"
    shown = sw.show(weights)
    assert isinstance(shown, sw.ArrayView)
    assert shown.document.name == "weights"
    assert sw.ArrayView(weights, name="w").document.name == "w"
    assert sw.ArrayView(weights + 1).document.name == ""
    _hidden = weights
    assert sw.ArrayView(weights).document.name == "weights"
    also = weights
    assert sw.ArrayView(also).document.name == ""


def test_a_name_from_the_callers_module(mesh):
    scope = {"sw": sw, "x": put(mesh, "x"), "__name__": "notebook"}
    exec("view = sw.show(x)\ndef f():\n    return sw.show(x)\ninner = f()", scope)
    assert scope["view"].document.name == scope["inner"].document.name == "x"


def test_rebinding_sends_one_message_and_forgets_what_no_longer_fits(mesh):
    first, second = put(mesh, "x", "y"), put(mesh, "x", shape=(8,))
    view = sw.ArrayView(first, row_dim=1, selection={"tile": [3, 1]})
    front_end(view).from_browser(_want=[0])
    before = len(front_end(view).states)
    view.array = second
    (state,) = front_end(view).states[before:]
    assert state == {
        "_document": to_wire(view.document),
        "_want": [],
        "_values": None,
        "selection": None,
        "row_dim": None,
    }
    assert view.array is second
    assert view.document.name == "second"
    assert (view.row_dim, view.selection) == (None, None)


def test_what_is_needed_after_the_first_picture_comes_with_every_array_and_is_saved(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"))
    assert view._parts == bundle.read("array-parts.js")
    assert '"_parts"' in view.to_html()


def test_rebinding_keeps_what_still_fits(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"), name="w", row_dim=1, color_by="device", selection={"device": 3})
    view.array = put(mesh, None, "x")
    assert (view.row_dim, view.color_by, view.selection) == (1, "device", {"device": 3})
    assert view.document.name == "w"


def test_a_bad_assignment_leaves_the_last_good_view(mesh):
    x = put(mesh, "x", "y")
    view = sw.ArrayView(x)
    document, sent = view.document, len(front_end(view).states)
    with pytest.raises(TypeError, match="Legal forms"):
        view.array = [1, 2, 3]
    assert view.array is x
    assert view.document is document
    assert len(front_end(view).states) == sent


def test_the_front_end_gets_the_values_that_it_wants(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"))
    front_end(view).from_browser(_want=[5])
    (block,) = front_end(view).states[-1]["_values"]["blocks"]
    assert block["device_id"] == 5
    assert (block["low"], block["high"]) == (72.0, 95.0)
    sent = len(front_end(view).states)
    front_end(view).from_browser(_want=[])
    assert all("_values" not in state for state in front_end(view).states[sent:])


@pytest.mark.parametrize("want", [[99], [0]])
def test_values_that_cannot_be_read_are_a_note(mesh, want):
    x = put(mesh, "x", "y")
    view = sw.ArrayView(x)
    if want == [0]:
        x.delete()
    front_end(view).from_browser(_want=want)
    answer = front_end(view).states[-1]["_values"]
    assert answer["blocks"] == []
    assert ("deleted" if want == [0] else "99") in answer["note"]


@pytest.mark.parametrize(
    "selection", [None, {"device": 3}, {"tile": [1, 1]}, {"axis": "y"}, {"device": 3, "tile": [1, 1]}]
)
def test_a_selection_goes_both_ways(mesh, selection):
    view = sw.ArrayView(put(mesh, "x", "y"))
    view.selection = {"device": 0}
    view.selection = selection
    assert front_end(view).states[-1] == {"selection": selection}
    other = sw.ArrayView(put(mesh, "x", "y"))
    front_end(other).from_browser(selection=selection)
    assert other.selection == selection


def test_a_selection_of_numpy_integers_is_sent_as_plain_ones(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"))
    view.selection = {"tile": tuple(jnp.array([1, 1]))}
    assert json.dumps(view.selection) == '{"tile": [1, 1]}'


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (3, r'must be None, \{"device": id\}.*got 3'),
        ({}, "must be None"),
        ({"devices": 3}, "got {'devices': 3}"),
        ({"axis": "x", "device": 3}, "must be None"),
        ({"device": 8}, "no device 8 to select; the 8 devices of this mesh are 0, 1, 2, 3, 4, 5, 6, 7"),
        ({"device": "0"}, "no device '0'"),
        ({"axis": "z"}, "no mesh axis 'z' to select; this mesh has 'x', 'y'"),
        ({"tile": [4, 0]}, r"no tile \[4, 0\] to select.*\[4, 2\] parts"),
        ({"tile": [0]}, r"no tile \[0\]"),
        ({"tile": [-1, 0]}, r"no tile \[-1, 0\]"),
        ({"tile": 0}, "no tile 0"),
        ({"tile": [0.5, 0]}, "no tile"),
        ({"device": 3, "tile": [0, 0]}, r"device 3 holds the tile \[1, 1\], not \[0, 0\]"),
    ],
)
def test_a_selection_that_is_not_there_is_refused(mesh, selection, message):
    view = sw.ArrayView(put(mesh, "x", "y"), selection={"device": 1})
    with pytest.raises(TraitError, match=message):
        view.selection = selection
    assert view.selection == {"device": 1}
    with pytest.raises(TraitError, match=message):
        sw.ArrayView(put(mesh, "x", "y"), selection=selection)


@pytest.mark.parametrize("dim", ["row_dim", "column_dim"])
@pytest.mark.parametrize("value", [2, -1, "0"])
def test_a_dimension_that_is_not_there_is_refused(mesh, dim, value):
    view = sw.ArrayView(put(mesh, "x", "y"))
    with pytest.raises(TraitError, match=dim):
        setattr(view, dim, value)
    assert getattr(view, dim) is None


def test_one_dimension_cannot_run_both_ways(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"), row_dim=0)
    view.column_dim = 0
    assert (view.row_dim, view.column_dim) == (None, 0)
    view.row_dim = 0
    assert (view.row_dim, view.column_dim) == (0, None)


def test_the_dimensions_of_a_mesh_alone_are_its_axes(mesh):
    view = sw.ArrayView(mesh)
    view.row_dim = 1
    assert "y=1 │  1  │  3  │  5  │  7  │" in repr(view)
    with pytest.raises(TraitError, match="0 to 1"):
        view.row_dim = 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"colour": "red"}, TypeError, "ArrayView has no argument 'colour'. .* are name, mode, color_by, row_dim"),
        ({"mode": "svg"}, ValueError, "'widget' or 'html'; got 'svg'"),
        ({"color_by": "rank"}, TraitError, "color_by"),
    ],
)
def test_a_wrong_option_is_answered_with_the_legal_ones(mesh, options, error, message):
    with pytest.raises(error, match=message):
        sw.show(put(mesh, "x"), **options)


@pytest.mark.parametrize("x", [None, 3, "x", {"a": 1}, P("x")])
def test_anything_else_is_answered_with_every_legal_form(x):
    with pytest.raises(TypeError) as error:
        sw.show(x)
    for form in ("jax.Array", "ShapeDtypeStruct", "(shape, dtype, sharding)", "Mesh", "AbstractMesh"):
        assert form in str(error.value)


def test_show_takes_every_form(mesh):
    sharding = NamedSharding(mesh, P("x", "y"))
    for x in (jnp.zeros(3), jax.ShapeDtypeStruct((8, 4), "int8", sharding=sharding), ((8, 4), "int8", sharding), mesh):
        assert isinstance(sw.show(x), sw.ArrayView)


@pytest.mark.parametrize("rank", range(9))
def test_repr_of_every_rank(mesh, rank):
    x = put(mesh, *("x", "y")[:rank], shape=(4,) * rank)
    first, *_, last = repr(sw.ArrayView(x)).splitlines()
    assert first.startswith("x: f32[")
    assert last.endswith("┘")


def test_a_notebook_gets_the_widget_a_table_and_text(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"))
    data, metadata = view._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id
    assert data["text/plain"] == repr(view)
    assert data["text/html"].count("<td") == 8
    assert "<script" not in data["text/html"]
    assert metadata == {}


def test_the_fallback_has_a_picture_where_one_can_be_drawn(mesh, monkeypatch):
    view = sw.ArrayView(put(mesh, "x", "y"))
    monkeypatch.setattr(svg, "available", lambda: True)

    monkeypatch.setattr(svg, "picture", lambda *_, **__: "<svg>é</svg>")
    html = view._repr_mimebundle_()[0]["text/html"]
    assert base64.b64decode(found('src="data:image/svg.xml;base64,([^"]+)"', html)).decode() == "<svg>é</svg>"
    assert html.count("<td") == 8

    monkeypatch.setattr(svg, "picture", lambda *_, **__: "<svg>" + " " * 2**18)
    assert "<img" not in view._repr_mimebundle_()[0]["text/html"]

    def fail(*_, **__):
        raise RuntimeError("the painter broke")

    monkeypatch.setattr(svg, "picture", fail)
    assert view._repr_mimebundle_()[0]["text/html"].count("<td") == 8


def test_html_mode_needs_no_front_end(mesh):
    view = sw.ArrayView(put(mesh, "x", "y"), mode="html")
    data, metadata = view._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html"}
    assert metadata == {}
    assert view.comm is None
    view.array = put(mesh, "x")
    assert view._repr_mimebundle_()[0]["text/html"] != data["text/html"]


def test_the_environment_chooses_the_mode_where_the_call_does_not(mesh, monkeypatch):
    x = put(mesh, "x", "y")
    monkeypatch.setenv("SHARDWIDGET_MODE", "html")
    assert sw.ArrayView(x).comm is None
    assert sw.ArrayView(x, mode="widget").comm is not None
    monkeypatch.setenv("SHARDWIDGET_MODE", "svg")
    with pytest.raises(ValueError, match="got 'svg' in the environment variable SHARDWIDGET_MODE"):
        sw.ArrayView(x)


def saved_state(page):
    return json.loads(found(r'data-sw="state">(.*?)</script>', page))


def test_a_saved_page_is_complete(mesh, tmp_path):
    view = sw.ArrayView(put(mesh, "x", "y"), selection={"device": 5}, color_by="device", row_dim=1)
    path = tmp_path / "x.html"
    assert view.to_html(path) == str(path)
    page = path.read_text(encoding="utf-8")
    assert page == view.to_html()
    state = saved_state(page)
    assert state["_static"] is True
    assert (state["selection"], state["color_by"], state["row_dim"]) == ({"device": 5}, "device", 1)
    blocks = state["_document"]["values"]["blocks"]
    assert [block["device_id"] for block in blocks] == list(range(8))
    assert base64.b64decode(blocks[5]["data"]["$bytes"]) == view.array.addressable_shards[5].data.tobytes()
    assert "_values" not in state


def test_a_page_of_a_deleted_array_says_why_it_has_no_values(mesh):
    x = put(mesh, "x", "y")
    x.delete()
    assert "deleted" in saved_state(sw.ArrayView(x).to_html())["_document"]["values"]["note"]


def test_an_svg_holds_values_only_where_they_are_its_colours(mesh, monkeypatch, tmp_path):
    states = []
    monkeypatch.setattr(svg, "picture", lambda state, **_: states.append(state) or "<svg/>")
    view = sw.ArrayView(put(mesh, "x", "y"))
    assert view.to_svg() == "<svg/>"
    view.color_by = "values"
    assert view.to_svg(tmp_path / "x.svg") == str(tmp_path / "x.svg")
    assert states[0]["_document"]["values"] is None
    assert len(states[1]["_document"]["values"]["blocks"]) == 8


def test_a_front_end_that_was_not_built(mesh, monkeypatch, tmp_path):
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    with pytest.raises(FileNotFoundError, match="npm --prefix js run build"):
        sw.ArrayView(put(mesh, "x"))


def test_a_document_is_shown_with_the_values_that_it_came_with(mesh):
    x = put(mesh, "x", "y")
    document = sw.read.fetch(x, name="x")
    view = sw.ArrayView(document)
    assert view.document is document
    front_end(view).from_browser(_want=[document.device_ids[3]])
    assert view._values == to_wire(view._fetch([document.device_ids[3]]))
    assert [block.device_id for block in view._fetch([document.device_ids[3]]).blocks] == [document.device_ids[3]]
    without = sw.ArrayView(sw.read.placement(x), name="y")
    assert without.document.name == "y"
    assert "has no values; read.fetch" in without._fetch([0]).note


def test_fetch_needs_an_array_with_values(mesh):
    x = put(mesh, "x", "y")
    view = sw.ArrayView(x)
    view.fetch()
    assert len(front_end(view).states[-1]["_document"]["values"]["blocks"]) == 8
    with pytest.raises(TypeError, match="a mesh holds no values"):
        sw.ArrayView(mesh).fetch()
    with pytest.raises(TypeError, match=r"cannot read a .*Placement as an array"):
        sw.ArrayView(view.document).fetch()
    x.delete()
    with pytest.raises(ValueError, match="deleted or donated"):
        view.fetch()


@pytest.fixture
def unfinished(mesh):
    """An array whose computation ends when it is told to, and what tells it."""
    end = threading.Event()

    def held(x):
        assert end.wait(60)
        return x

    x = jax.device_put(np.arange(8, dtype=np.float32), NamedSharding(mesh, P()))
    yield jax.jit(lambda x: jax.pure_callback(held, jax.ShapeDtypeStruct(x.shape, x.dtype), x))(x), end
    end.set()


@pytest.mark.parametrize("color_by", ["position", "values"])
def test_displaying_an_array_does_not_wait_for_its_computation(unfinished, color_by, monkeypatch):
    x, _ = unfinished
    monkeypatch.setattr(svg, "available", lambda: True)
    monkeypatch.setattr(svg, "picture", lambda state, **options: "<svg></svg>")
    data, _ = sw.ArrayView(x, color_by=color_by)._repr_mimebundle_()
    assert not x.is_ready()
    assert "device" in data["text/html"]
    assert ">x[0:8]" not in data["text/html"]


def test_values_come_once_they_are_computed_and_the_kernel_goes_on_meanwhile(unfinished):
    x, end = unfinished

    async def kernel():
        view = sw.ArrayView(x)
        for devices in ([0], [0, 1]):
            front_end(view).from_browser(_want=devices, _prints=True)
            assert not x.is_ready()
            assert (view._values, view._paper) == (None, [])
        (answer, paper) = view._waiting.values()
        end.set()
        await asyncio.gather(answer, paper)
        return view

    view = asyncio.run(kernel())
    assert view._values is not None
    assert [block["device_id"] for block in view._values["blocks"]] == [0, 1]
    assert view._paper
    assert not view._waiting
