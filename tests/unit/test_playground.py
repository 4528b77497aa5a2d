"""``SpecPlayground`` on the Python side: its two-way traits, undo, Apply, what it refuses, what it saves."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import jax
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import MeshAxis, SpecDraft, SpecEntry, to_wire
from shardwidget.export import bundle
from shardwidget.read._spec import playground as read_playground
from tests.front_end import FakeComm


@pytest.fixture
def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


@pytest.fixture
def playground(mesh) -> sw.SpecPlayground:
    return sw.SpecPlayground((8, 16), mesh)


def front_end(playground: sw.SpecPlayground) -> FakeComm:
    assert isinstance(playground.comm, FakeComm)
    return playground.comm


def edit(playground: sw.SpecPlayground, **changes: Any) -> None:
    """What the browser sends when somebody edits."""
    draft = to_wire(playground.document.draft) | changes
    drafts = [*playground._edits["drafts"], draft]
    front_end(playground).from_browser(_edits={"drafts": drafts, "at": len(drafts) - 1})


def entries(*names: str) -> list[dict[str, Any]]:
    return [{"axes": list(name), "unconstrained": False} for name in names]


def test_the_document_and_the_front_end_are_sent_once(playground):
    (state,) = front_end(playground).states
    assert state["_document"] == to_wire(playground.document)
    assert state["_esm"] == bundle.read("playground.js")
    assert state["_edits"] == {"drafts": [to_wire(playground.document.draft)], "at": 0}
    assert "spec" not in state


def test_a_spec_that_is_assigned_is_shown(playground, mesh):
    playground.spec = P("y", ("x",), unreduced=frozenset())
    sent = front_end(playground).states[-1]["_edits"]
    assert SpecDraft.of(sent["drafts"][sent["at"]]).entries == (SpecEntry(("y",)), SpecEntry(("x",)))
    assert playground.sharding == NamedSharding(mesh, P("y", "x"))
    assert playground.placement.type == "f32[8@y,16@x]"
    assert playground.document.draft == SpecDraft.of(sent["drafts"][1])


def test_the_browsers_edits_arrive(playground, mesh):
    seen = []
    playground.observe(lambda change: seen.append((change["name"], change["new"])), ["spec", "sharding", "error"])
    edit(playground, entries=entries("y", "x"))
    assert seen == [("spec", P("y", "x")), ("sharding", NamedSharding(mesh, P("y", "x")))]
    edit(playground, shape=[3, 16])
    assert (playground.shape, playground.spec) == ((3, 16), P("y", "x"))
    assert "should evenly divide the shape" in playground.error
    edit(playground, shape=[4, 4], dtype="bfloat16", entries=entries("", "y"))
    assert (playground.dtype, playground.spec, playground.error) == ("bfloat16", P(None, "y"), "")


def test_the_browsers_mesh_arrives(playground, mesh):
    axes = [{"name": "a", "size": 2, "type": "Auto"}, {"name": "b", "size": 2, "type": "Explicit"}]
    edit(playground, axes=axes, entries=entries("ab"))
    assert playground.mesh.axis_names == ("a", "b")
    assert playground.mesh.axis_types == (AxisType.Auto, AxisType.Explicit)
    assert list(playground.mesh.devices.flat) == list(mesh.devices.flat)[:4]
    assert playground.sharding == NamedSharding(playground.mesh, P(("a", "b")))
    edit(playground, axes=[{"name": "a", "size": 64, "type": "Auto"}], entries=entries(""))
    assert playground.mesh == AbstractMesh((64,), ("a",), axis_types=(AxisType.Auto,))
    edit(playground, axes=to_wire(playground.document)["given"])
    assert playground.mesh is mesh


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        (P("x", "x"), "DuplicateSpecError", "has duplicate entries for `x`"),
        (P("z"), "ValueError", r"Resource axis: z of .* is not found in mesh"),
        (P("x", None, "y"), "ValueError", "only valid for values of rank at least 3"),
        (P(P.UNCONSTRAINED), "ValueError", "cannot contain `P.UNCONSTRAINED`"),
        (P(unreduced=frozenset({"z"})), "ValueError", "Unreduced axes z is not found"),
    ],
)
def test_an_invalid_spec_is_shown_and_the_last_valid_one_stays(playground, spec, error, words):
    playground.spec = P("x")
    playground.spec = spec
    assert playground.spec == P("x")
    assert playground.sharding.spec == P("x")
    assert re.match(rf"{error}: .*{words}", playground.error)
    assert playground.placement.spec == repr(P("x"))
    assert repr(playground).startswith(f"{playground.error}\nThe picture shows the last valid spec.\nx: f32[8@x,16]")
    playground.spec = P("x")
    assert playground.error == ""


def test_a_first_spec_may_be_invalid(mesh):
    playground = sw.SpecPlayground((7,), mesh, spec=P("x"))
    assert playground.error
    assert (playground.spec, playground.sharding) == (None, None)
    assert playground.placement.shape is None
    assert "mesh x=4 y=2" in repr(playground)


def test_a_sharding_that_is_assigned_brings_its_mesh(playground):
    other = jax.make_mesh((2, 2, 2), ("a", "b", "c"), axis_types=(AxisType.Auto,) * 3)
    playground.sharding = NamedSharding(other, P(("a", "c"), P.UNCONSTRAINED))
    assert (playground.mesh, playground.spec) == (other, P(("a", "c"), P.UNCONSTRAINED))
    assert playground.document.draft.axes[0] == MeshAxis("a", 2, "Auto")


def test_edits_are_undone_and_made_again(playground):
    playground.spec = P("x")
    playground.spec = P("y")
    playground.undo()
    assert playground.spec == P("x")
    playground.redo()
    playground.redo()
    assert playground.spec == P("y")
    for _ in range(5):
        playground.undo()
    assert playground.spec == P()
    playground.spec = P(None, "x")
    playground.redo()
    assert playground.spec == P(None, "x")
    assert len(playground._edits["drafts"]) == 2


def test_a_hundred_edits_are_kept(playground):
    for n in range(150):
        playground.spec = P("x") if n % 2 else P("y")
    assert len(playground._edits["drafts"]) == 100
    assert playground.spec == P("x")


def test_an_array_brings_its_own_mesh_and_spec(mesh):
    weights = jax.device_put(np.arange(128, dtype="float32").reshape(8, 16), NamedSharding(mesh, P("x")))
    playground = sw.SpecPlayground(weights)
    assert playground.document.name == "weights"
    assert (playground.spec, playground.mesh) == (P("x"), mesh)
    assert (playground.document.array, playground.array) == ("f32[8@x,16]", weights)


def test_a_struct_brings_its_shape_and_what_sharding_it_has(mesh):
    weights = jax.ShapeDtypeStruct((8, 16), "bfloat16", sharding=NamedSharding(mesh, P("x")))
    playground = sw.SpecPlayground(weights)
    assert playground.document.name == "weights"
    assert (playground.shape, playground.dtype, playground.array) == ((8, 16), "bfloat16", None)
    assert (playground.spec, playground.mesh) == (P("x"), mesh)
    assert sw.SpecPlayground(weights, spec=P("y")).spec == P("y")
    assert sw.SpecPlayground(jax.ShapeDtypeStruct((8,), "int8"), mesh, spec=P("y")).sharding == NamedSharding(
        mesh, P("y")
    )
    with pytest.raises(ValueError, match="there is no mesh to edit a spec on"):
        sw.SpecPlayground(jax.ShapeDtypeStruct((8,), "int8"))


def test_apply_moves_the_array(mesh):
    x = jax.device_put(np.arange(128, dtype="float32").reshape(8, 16), NamedSharding(mesh, P("x")))
    playground = sw.SpecPlayground(x)
    playground.spec = P("y", "x")
    moved = playground.apply()
    assert moved is playground.array
    assert moved.sharding == playground.sharding
    np.testing.assert_array_equal(moved, x)
    playground.spec = P(None, "x", unreduced=frozenset({"y"}))
    assert jax.typeof(playground.apply()) == jax.typeof(playground.array)
    assert playground.document.array == "f32[8,16@x]{U:y}"
    playground.spec = P("x")
    np.testing.assert_array_equal(playground.apply(), x)


def test_the_browser_applies(mesh):
    playground = sw.SpecPlayground(jax.numpy.zeros((8, 16)), mesh, spec=P("y"))
    front_end(playground).from_browser(_asked=1)
    assert playground.array.sharding == NamedSharding(mesh, P("y"))
    answer = {"n": 1, "type": "f32[8@y,16]", "error": "", "said": ""}
    assert front_end(playground).states[-1]["_applied"] == answer


def test_what_apply_cannot_do_is_told_and_shown(playground, mesh):
    with pytest.raises(ValueError, match="there is no array to move"):
        playground.apply()
    real = sw.SpecPlayground(jax.numpy.zeros((8, 16)), mesh)
    real.spec = P("x", "x")
    front_end(real).from_browser(_asked=1)
    answer = front_end(real).states[-1]["_applied"]
    assert answer["error"] == "ValueError"
    assert re.match("JAX does not accept the spec on screen, .* DuplicateSpecError", answer["said"])
    edit(real, axes=[{"name": "x", "size": 64, "type": "Explicit"}], entries=[])
    with pytest.raises(ValueError, match="is abstract: it has 64 positions and no devices"):
        real.apply()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("a",), TypeError, r"cannot edit the spec of str 'a'\. Give a shape and a mesh, .* or a jax\.Array"),
        (((8, -1),), TypeError, r"cannot edit the spec of tuple \(8, -1\)"),
        (((8,), "mesh"), TypeError, r"a spec is edited on a mesh; got str\. Give a jax\.sharding\.Mesh"),
        (((8,), None), ValueError, r"there is no mesh to edit a spec on\. Give one"),
        (((8,), AbstractMesh((), ())), ValueError, "The mesh is empty"),
        (((8,), AbstractMesh((2,), cast(Any, (1,)))), ValueError, r"the mesh axes \[1\] must be strings"),
        (((8,), AbstractMesh((2,), ("x",), axis_types=(AxisType.Manual,))), ValueError, "has Manual axes"),
    ],
)
def test_arguments_that_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        sw.SpecPlayground(*arguments)


def test_other_arguments_that_are_refused(mesh):
    with pytest.raises(TypeError, match=r"no argument 'size'\. Its keyword arguments are spec, dtype, name, mode"):
        sw.SpecPlayground((8,), mesh, size=3)
    with pytest.raises(TypeError, match=r"the spec must be a jax\.sharding\.PartitionSpec, .* got \('x',\)"):
        sw.SpecPlayground((8,), mesh, spec=("x",))


def test_assignments_that_are_refused(playground, mesh):
    with pytest.raises(TraitError, match=r"the spec must be a jax\.sharding\.PartitionSpec"):
        playground.spec = "x"
    with pytest.raises(TraitError, match="the sharding must be a NamedSharding"):
        playground.sharding = P("x")
    elsewhere = jax.sharding.Mesh(mesh.devices[::-1], ("x", "y"))
    with pytest.raises(TraitError, match=r"other devices than this playground's mesh, or the same in another order"):
        playground.sharding = NamedSharding(elsewhere, P("x"))
    with pytest.raises(TraitError, match="has a memory kind or an order of devices of its own"):
        playground.sharding = NamedSharding(mesh, P("x"), memory_kind="pinned_host")
    with pytest.raises(TraitError, match="read-only"):
        playground.error = ""
    with pytest.raises(TraitError, match="these are not edits of a spec"):
        playground._edits = {"drafts": [{"shape": "8"}], "at": 0}
    assert len(playground._edits["drafts"]) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [1.5]},
        {"dtype": 3},
        {"axes": [{"name": "x", "size": 2}]},
        {"entries": [{"axes": [1]}]},
        {"reduced": 1},
    ],
)
def test_a_draft_of_another_form_is_none(playground, change):
    with pytest.raises(ValueError, match="this is not a draft of a spec"):
        SpecDraft.of(to_wire(playground.document.draft) | change)


def test_a_draft_comes_back_from_the_wire(playground):
    playground.spec = P(None, ("y", "x"))
    draft = playground.document.draft
    assert SpecDraft.of(json.loads(json.dumps(to_wire(draft)))) == draft


def test_what_is_saved(playground):
    playground.spec = P("y", "x")
    page = playground.to_html()
    assert '"_edits":{"drafts":[' in page
    assert "f32[8@y,16@x]" in playground._fallback(None)
    assert "y=1" in playground.to_svg()
    playground.spec = P("x", "x")
    assert "DuplicateSpecError" in playground._table()
    assert "y=1" in playground.to_svg()


def test_an_abstract_mesh_needs_no_devices():
    document = read_playground((8, 16), AbstractMesh((512, 4), ("x", "y")), dtype="bfloat16")
    assert (document.mesh.abstract, document.draft.dtype, document.draft.axes[0].size) == (True, "bfloat16", 512)


def test_mode_html_sends_nothing(mesh):
    playground = sw.SpecPlayground((8, 16), mesh, mode="html")
    assert playground.comm is None
    assert set(playground._repr_mimebundle_()[0]) == {"text/plain", "text/html"}
