"""``ModelView`` on the Python side: what it sends, what it takes, what it refuses, what it saves, what it says."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import comm
import jax
import jax.numpy as jnp
import pytest
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.export import bundle
from tests.front_end import FakeComm
from tests.models import odd_tree, training_state

SIZES = ("72", "MiB", "9.0", "MiB", "×1")


@pytest.fixture(autouse=True)
def _front_end(monkeypatch):
    monkeypatch.setattr(comm, "create_comm", FakeComm)


@pytest.fixture(scope="module")
def document() -> sw.Model:
    return sw.read.model(training_state(), name="state")


def test_the_document_and_the_front_end_are_sent_once(document):
    view = sw.ModelView(document)
    assert isinstance(view.comm, FakeComm)
    (state,) = view.comm.states
    assert state["_document"] == to_wire(document)
    assert (state["_esm"], state["_leaf"]) == (bundle.read("tree.js"), bundle.read("playground.js"))
    assert (state["selection"], state["sort"], state["search"], state["rules"]) == (None, "tree", "", "")


def test_the_browser_selects_and_python_reads(document):
    view = sw.ModelView(document)
    assert isinstance(view.comm, FakeComm)
    view.comm.from_browser(selection="['params']['embed']", rules="embed → P()")
    assert (view.selection, view.rules) == ({"leaf": "['params']['embed']"}, "embed → P()")


@pytest.mark.parametrize("given", [{"leaf": "['params']['head']"}, {"leaf": 3}, {"path": "['opt']"}, "['opt']"])
def test_a_path_that_is_not_there_is_refused(document, given):
    with pytest.raises(TraitError, match=r"with a path in the tree, such as \['opt'\]\['count'\]"):
        sw.ModelView(document, selection=given)


def test_unknown_arguments_are_refused(document):
    with pytest.raises(TypeError, match="Did you mean 'rules'"):
        sw.ModelView(document, rule="x")


def test_the_variable_names_the_tree():
    weights = odd_tree()
    assert sw.ModelView(weights).document.name == "weights"
    assert sw.ModelView(weights, name="w").document.name == "w"


def test_the_text_has_equal_layers_once_and_the_flags(document):
    view = sw.ModelView(document)
    lines = repr(view).splitlines()
    assert lines[0] == (
        "state: 56 MiB too much, params/embed: Copied on all 8 devices, and opt/mu/embed is split over model, data"
    )
    assert lines[1] == (
        "223 arrays, mesh data=4 model=2: 1.72 GiB in all, 318 MiB on each of 8 devices, 786 MiB spent on copies"
    )
    (qkv,) = [line for line in lines if line.startswith("params") and "qkv" in line]
    assert qkv.split() == ["params/layers/0…11/qkv", "×12", "bf16[1024@data,3072@model]", *SIZES]
    assert "! params/embed: Copied on all 8 devices, and opt/mu/embed is split over model, data. (56 MiB" in repr(view)


def test_nothing_from_the_tree_is_markup():
    view = sw.ModelView({"<b>": jnp.ones(3), "<script>": "</script><b>"}, name="<i>")
    page = view.to_html()
    assert "<b>" not in page.replace("<b>&lt;i&gt;", "")
    assert "<i>" not in page


def test_a_saved_page_and_a_picture_hold_what_is_chosen(document):
    view = sw.ModelView(document, search="embed", rules="embed → P('model')", sort="bytes")
    page = view.to_html()
    assert '"search":"embed"' in page.replace(" ", "")
    picture = view.to_svg()
    assert picture.startswith("<svg")
    assert "qkv" not in picture.split("One device")[0]


@pytest.mark.parametrize("tree", [{"a": [jnp.ones(3)]}, [jnp.ones(3)], (jnp.ones(3), None)])
def test_show_takes_a_tree(tree):
    assert isinstance(sw.show(tree), sw.ModelView)


def test_show_takes_a_tree_that_is_callable():
    @jax.tree_util.register_dataclass
    @dataclass
    class Layer:
        w: jax.Array

        def __call__(self, x):
            return x @ self.w

    layer = Layer(jnp.ones((4, 4)))
    assert isinstance(sw.show(layer), sw.ModelView)
    # With arguments it is a function.
    mesh = jax.make_mesh((1,), ("x",))
    x = jax.device_put(jnp.ones((4, 4)), jax.NamedSharding(mesh, jax.P("x")))
    assert isinstance(sw.show(layer, x), sw.ShardingComparison)


def test_show_says_what_a_tree_without_arrays_lacks():
    with pytest.raises(TypeError, match="no array in this dict"):
        sw.ModelView({})


def test_patterns_of_rules_match_as_the_table_that_the_front_end_follows():
    """The code of the rules hands them to ``re.search``; the view has JavaScript's patterns."""
    table = json.loads((Path(__file__).parents[2] / "js" / "tests" / "tree" / "patterns.json").read_text())
    for pattern, paths in table:
        if paths is None:
            with pytest.raises(re.error):
                re.compile(pattern)
        else:
            assert {path: bool(re.search(pattern, path)) for path in paths} == paths
