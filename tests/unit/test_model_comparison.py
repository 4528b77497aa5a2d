"""Trees side by side: which leaves correspond, how each differs, what is printed and what is sent."""

import comm
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.document.model import compared
from tests.examples import examples
from tests.front_end import FakeComm
from tests.models import changed, eight, side_by_side, transformer, typed, unchanged


@pytest.fixture(autouse=True)
def _front_end(monkeypatch):
    monkeypatch.setattr(comm, "create_comm", FakeComm)


def status(before, after):
    """How each path differs, and the axes that were lost or gained."""
    document = sw.read.model(before).diff(sw.read.model(after))
    return {row.path: (row.cells[1].status, *row.cells[1].axes) for row in document.rows}


LEAVES = st.builds(
    lambda shape, spec, dtype: typed(shape, *spec, dtype=dtype),
    st.sampled_from([(8, 8), (16, 8), (64, 8)]),
    st.sampled_from([(), ("data",), ("model", "data"), (None, "model"), (("data", "model"),)]),
    st.sampled_from(["float32", "bfloat16"]),
)
TREES = st.dictionaries(
    st.sampled_from("abcdef"), LEAVES | st.dictionaries(st.sampled_from("abc"), LEAVES, min_size=1), min_size=1
)


@examples(60)
@given(TREES)
def test_a_tree_is_the_same_as_itself(tree):
    model = sw.read.model(tree)
    document = model.diff(model)
    assert {cell.status for row in document.rows for cell in row.cells} == {"same"}
    assert not document.differing
    assert [row.path for row in document.rows] == list(model.names)


@examples(60)
@given(TREES, TREES)
def test_each_leaf_stands_in_one_row_so_bytes_add_up(one, two):
    models = [sw.read.model(tree) for tree in (one, two)]
    document = models[0].diff(models[1])
    for i, model in enumerate(models):
        assert sum(row.cells[i].bytes for row in document.rows) == model.bytes
        assert sum(len(row.cells[i].arrays) for row in document.rows) == model.arrays
    assert sum(row.difference for row in document.rows) == models[1].bytes_per_device - models[0].bytes_per_device
    assert sorted(i for line in document.lines for i in line.rows.array()) == list(range(len(document.rows)))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("data", "model"), ("data",), ("lost an axis", "model")),
        (("data",), ("data", "model"), ("gained an axis", "model")),
        (("data", "model"), ("model", "data"), ("moved",)),
        (("data",), ("model",), ("moved",)),
        ((("data", "model"),), (("model", "data"),), ("moved",)),
        (("data",), ("data", None), ("same",)),
    ],
)
def test_what_became_of_the_axes(before, after, expected):
    assert status({"w": typed((16, 16), *before)}, {"w": typed((16, 16), *after)}) == {"w": expected}


def test_what_became_of_the_bytes():
    of = {"a": (8, 8), "b": (16, 8), "c": (8, 8), "gone": (2,)}
    before = {name: typed(shape, dtype="float32") for name, shape in of.items()}
    after = {"a": typed((16, 8), dtype="float32"), "b": typed((16, 8)), "c": typed((8, 8), dtype="int32")}
    said = status(before, after | {"new": typed((3,))})
    assert {path: what[0] for path, what in said.items()} == {
        "a": "grew",
        "b": "shrank",
        "c": "another type",
        "gone": "only there",
        "new": "only here",
    }


def test_other_devices_are_a_move():
    mesh = eight((8,), ("data",))
    turned = jax.sharding.Mesh(mesh.devices[::-1], ("data",), axis_types=mesh.axis_types)
    split, copied = (lambda m, s=s: jax.device_put(jnp.ones(8), NamedSharding(m, s)) for s in (P("data"), P()))
    assert status([split(mesh)], [split(turned)]) == {"0": ("moved",)}
    # Copies are where they were, in whatever order the mesh has its devices.
    assert status([copied(mesh)], [copied(turned)]) == {"0": ("same",)}
    assert status([copied(mesh)], [np.ones(8, np.float32)]) == {"0": ("moved",)}
    assert status([copied(mesh)], [jax.device_put(jnp.ones(8), jax.devices()[0])]) == {"0": ("moved",)}


def test_the_moments_of_adam_belong_to_the_parameters():
    params = jax.tree.map(lambda x: jnp.ones(x, "float32"), {"embed": 8, "layers": [{"w": 4}, {"w": 4}]})
    state = optax.adam(1e-3).init(params)
    document = sw.read.model(params).diff(sw.read.model(state))
    cells = {row.path: [array.under for array in row.cells[1].arrays] for row in document.rows}
    moments = ["0/mu", "0/nu"]
    assert cells == {"embed": moments, "layers/0/w": moments, "layers/1/w": moments, "0/count": [""]}
    (embed, *_) = document.rows
    assert (embed.cells[1].bytes, embed.cells[0].bytes, embed.cells[1].status) == (64, 32, "same")
    # The other way round too, and below a root that the state does not have.
    back = sw.read.model(state).diff(sw.read.model({"params": params}))
    assert [len(row.cells[0].arrays) for row in back.rows] == [2, 2, 2, 1]
    assert {row.cells[1].arrays[0].under for row in back.rows[:3]} == {"params"}


def test_a_layer_that_was_added_is_no_part_of_another():
    assert status(transformer(1), transformer(2))["layers/1/qkv"] == ("only here",)
    # A name that both trees have somewhere does not make one part of the other.
    small = {"x": {"w": typed((4,))}, "y": typed((4,)), "z": typed((4,))}
    said = status({"w": typed((4,)), "b": typed((4,)), "c": typed((4,)), "d": typed((4,))}, small)
    assert said["x/w"] == ("only here",)


def test_equal_layers_are_one_line_and_one_that_differs_has_its_own():
    lines = {line.path: line.rows.size for line in side_by_side().lines}
    assert (lines["layers/0…2/ln1"], lines["layers/0…2/qkv"], lines["layers/1/qkv"]) == (3, 2, 1)


def test_layers_with_numbers_in_their_names_are_one_line_and_weights_of_one_layer_are_not():
    tree = {f"block_{n}": {"w1": typed((8, 8)), "w2": typed((8, 8))} for n in range(3)}
    model = sw.read.model(tree)
    assert [(line.path, line.rows.size) for line in model.diff(model).lines] == [
        ("block_0…block_2/w1", 3),
        ("block_0…block_2/w2", 3),
    ]


def test_text_and_table_name_what_differs_alone():
    document = changed()
    text = repr(document)
    assert text.splitlines()[0] == (
        "before 17 MiB, after 38 MiB on a device: 5 of 20 paths differ (4 lost an axis, 1 moved)"
    )
    assert "lost model, data" in text
    assert "ln_f" not in text
    assert document._repr_html_().count("<tr>") == 6
    assert repr(unchanged()).endswith("all 20 paths are the same")


def test_names_are_no_html():
    document = compared({"<i>": sw.read.model({"<b>": typed((4,))}), "b": sw.read.model({"c": typed((8,))})})
    assert "<b>" not in document._repr_html_().replace("<b>&lt;i&gt;", "")
    assert "<i>" not in document._repr_html_()


def test_the_view_sends_the_comparison_and_takes_what_the_browser_sets():
    params, grads = transformer(2), transformer(2, dtype="float32")
    view = sw.ModelView.compare(params, grads, differs=True)
    assert [tree.name for tree in view.document.trees] == ["params", "grads"]
    assert isinstance(view.comm, FakeComm)
    (state,) = view.comm.states
    assert state["_document"] == to_wire(view.document)
    view.comm.from_browser(differs=False, sort="difference")
    assert (view.differs, view.sort) == (False, "difference")
    assert '"kind":"model comparison"' in view.to_html().replace(": ", ":")


def test_trees_are_given_by_name_too():
    of = {"parameters": transformer(1), "gradients": transformer(1), "optimizer": {"mu": transformer(1)}}
    view = sw.ModelView.compare(of)
    assert [tree.name for tree in view.document.trees] == list(of)
    assert not view.document.differing


@pytest.mark.parametrize("given", [{"a": typed((4,))}, typed((4,)), [typed((4,))]])
def test_one_tree_is_too_few(given):
    with pytest.raises(TypeError, match="compare takes two trees, or a dict of at least two by name; got"):
        sw.ModelView.compare(given)


def test_unknown_arguments_are_refused():
    tree = transformer(1)
    with pytest.raises(TypeError, match="Did you mean 'differs'"):
        sw.ModelView.compare(tree, tree, differ=True)
    with pytest.raises(TraitError, match="sort"):
        sw.ModelView.compare(tree, tree, sort="bytes")  # pyright: ignore[reportArgumentType]


def test_a_picture_needs_no_browser():
    tree = transformer(1)
    svg = sw.ModelView.compare(tree, transformer(1, bare=0)).to_svg()
    assert "lost model, data" in "".join(svg.split("<tspan>"))


def test_a_line_is_chosen_by_its_path_or_by_that_of_a_row():
    tree = transformer(3)
    view = sw.ModelView.compare(tree, transformer(3, bare=1), selection={"path": "layers/0/qkv"})
    line = next(line for line in view.document.lines if "qkv" in line.path)
    assert view.selection == {"path": line.path}
    assert view._state(complete=True)["selection"] == line.path
    view.set_state({"selection": "embed"})  # as the browser sends it
    assert view.selection == {"path": "embed"}
    for wrong in ({"path": "nowhere"}, {"leaf": "embed"}, "embed"):
        with pytest.raises(TraitError, match="with one that is listed, such as embed"):
            view.selection = wrong
    assert view.selection == {"path": "embed"}


@pytest.mark.parametrize("second", ["array", "dict", "tuple"])
def test_a_tree_that_is_one_array_is_compared(second):
    x, y = (jax.device_put(np.ones((8, 8)), NamedSharding(eight(), spec)) for spec in (P("model"), P(None, "model")))
    other = {"array": y, "dict": {"w": y}, "tuple": (y,)}[second]
    view = sw.ModelView.compare(x, other)
    assert view.document.trees[0].arrays == view.document.trees[1].arrays == 1
    rows = {row.path: row.cells[1].status for row in view.document.rows}
    assert rows[""] == ("moved" if second == "array" else "only there")
    assert str(view)
    assert {"text/plain", "text/html"} <= view._repr_mimebundle_()[0].keys()
