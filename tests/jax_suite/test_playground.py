"""What a page says about a spec, in its own JavaScript, against JAX: errors, types, HLO and Shardy, placement, code."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import cache
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import _jax
from shardwidget.document import MeshAxis, SpecDraft, SpecEntry, to_wire
from shardwidget.export.state import encode
from shardwidget.export.svg import engine
from shardwidget.read._spec import SpecEditor, spec_of
from tests.examples import examples

NAMES = ("x", "y", "data", "it's")
DTYPES = ("float32", "bfloat16", "int8", "bool")


def page_says(bench: SpecEditor, draft: SpecDraft) -> dict[str, Any]:
    """What the page makes of a draft."""
    return json.loads(engine().call("shardwidget.draft", encode(to_wire(bench.document)), encode(to_wire(draft))))


@st.composite
def axes(draw, most: int = 64) -> tuple[MeshAxis, ...]:
    out: list[MeshAxis] = []
    for name in NAMES[: draw(st.integers(1, 4))]:
        room = most // math.prod(a.size for a in out)
        out.append(MeshAxis(name, draw(st.integers(1, min(room, 4))), draw(st.sampled_from(["Auto", "Explicit"]))))
    return tuple(draw(st.permutations(out)))


@st.composite
def drafts(draw, *, valid: bool = False) -> SpecDraft:
    """Any draft; a valid one uses each axis once, leaves to the compiler what it may, and has sizes that divide."""
    mesh = draw(axes())
    kinds = {a.name: a.type for a in mesh}
    rank = draw(st.integers(0, 4))
    dims: list[list[str]] = [[] for _ in range(rank if valid else draw(st.integers(0, 5)))]
    states: dict[str, list[str]] = {"unreduced": [], "reduced": []}
    for name in draw(st.permutations([*kinds, *(() if valid else ("x", "gone"))])):
        places: list[Any] = ["none", *range(len(dims))]
        if not valid or kinds[name] == "Explicit":
            places += ["unreduced", "reduced"]
        place = draw(st.sampled_from(places))
        if isinstance(place, int):
            dims[place].append(name)
        elif place in states and (valid or not states[place]):
            # Of several axes in a set, JAX may name any one first.
            states[place].append(name)
    loose = not valid or "Auto" in kinds.values()
    entries = [SpecEntry((), True) if not d and loose and draw(st.booleans()) else SpecEntry(tuple(d)) for d in dims]
    while entries and entries[-1] == SpecEntry() and draw(st.booleans()):
        entries.pop()
    sizes = {a.name: a.size for a in mesh}
    parts = [math.prod(sizes.get(a, 1) for a in d) for d in [*dims, *[[]] * rank]][:rank]
    shape = tuple(draw(st.integers(0, 3)) * (n if valid or draw(st.booleans()) else 1) for n in parts)
    order = [a.name for a in mesh]
    sets = (tuple(sorted(dict.fromkeys(s), key=lambda a: order.index(a) if a in order else 9)) for s in states.values())
    return SpecDraft(shape, draw(st.sampled_from(DTYPES)), mesh, tuple(entries), *sets)


@cache
def bench(abstract: bool) -> SpecEditor:
    mesh = jax.make_mesh((4, 2), ("x", "y"))
    return SpecEditor((8, 16), mesh.abstract_mesh if abstract else mesh, None, None, "x")


@examples(400)
@given(drafts(), st.booleans())
def test_errors_are_those_of_jax(draft: SpecDraft, abstract: bool):
    judged = bench(abstract).judge(draft)
    said = page_says(bench(abstract), draft)
    assert (f"{said['error']}: {said['said']}" if "error" in said else "") == judged.error


@examples(400)
@given(drafts(valid=True), st.booleans())
def test_forms_and_placement_are_those_of_jax(draft: SpecDraft, abstract: bool):
    b = bench(abstract)
    judged = b.judge(draft)
    assert judged.error == ""
    assert judged.sharding is not None
    said = page_says(b, draft)
    rank = len(draft.shape)
    like = jax.ShapeDtypeStruct(draft.shape, draft.dtype, sharding=judged.sharding)
    assert sets_sorted(said["type"]) == sets_sorted(_jax.type_text(jax.typeof(like)))
    assert said["hlo"] == _jax.hlo_text(judged.sharding, rank)
    assert said["shardy"] == _jax.shardy_text(judged.sharding, rank)
    assert tuple(said["shard"]) == judged.sharding.shard_shape(draft.shape)
    placement = b.placement(draft, judged.sharding)
    assert said["copies"] == placement.copies
    assert said["ids"] == list(placement.device_ids)
    if isinstance(judged.sharding.mesh, AbstractMesh):
        return
    assert said["ids"] == [d.id for d in judged.sharding.mesh.devices.flat]
    if draft.unreduced:
        return  # JAX has no index map for it.
    where = judged.sharding.devices_indices_map(draft.shape)
    for device, slices in zip(judged.sharding.mesh.devices.flat, said["slices"], strict=True):
        assert [[*part.indices(n)[:2]] for part, n in zip(where[device], draft.shape, strict=True)] == slices


def can_be_made(draft: SpecDraft) -> bool:
    """Whether every JAX can run what the spec asks, without failing in itself."""
    axes = {a.name: a for a in draft.axes}
    explicit = all(a.type == "Explicit" for a in draft.axes)
    if draft.unreduced and explicit:
        return 0 not in draft.shape and all(a.size > 1 and a.name.isidentifier() for a in draft.axes)
    if draft.reduced and 0 in draft.shape:
        return False
    loose = any(e.unconstrained for e in draft.entries) and not draft.unreduced
    return not loose or all(axes[a].type == "Auto" for e in draft.entries for a in e.axes)


@examples(60)
@given(drafts(valid=True).filter(can_be_made))
def test_the_code_does_what_it_says(draft: SpecDraft):
    b = bench(False)
    sharding = b.judge(draft).sharding
    assert sharding is not None
    x = np.arange(math.prod(draft.shape)).reshape(draft.shape).astype(draft.dtype)
    known = {"jax": jax, "x": x, "mesh": b.mesh, "P": P, "NamedSharding": NamedSharding, "AxisType": AxisType}
    exec("\n".join(page_says(b, draft)["code"]), known)
    made = known["x"]
    if isinstance(made, jax.Array) and any(e.unconstrained for e in draft.entries):
        assert made.shape == draft.shape
        return
    like = jax.ShapeDtypeStruct(draft.shape, draft.dtype, sharding=sharding)
    assert jax.typeof(made) == jax.typeof(like)
    if isinstance(made, jax.Array):
        assert made.sharding.is_equivalent_to(sharding, len(draft.shape))
        settled = jax.reshard(made, NamedSharding(sharding.mesh, P())) if draft.unreduced else made
        np.testing.assert_array_equal(np.asarray(settled), x)


@examples(40)
@given(st.lists(drafts(valid=True).filter(can_be_made), min_size=2, max_size=2))
def test_apply_moves_an_array_from_anywhere_to_anywhere(path: list[SpecDraft]):
    x = np.arange(24 * 24, dtype="float32").reshape(24, 24)
    moving = SpecEditor(jax.numpy.asarray(x), jax.make_mesh((4, 2), ("x", "y")), None, None, "x")
    for draft in path:
        sizes = {a.name: a.size for a in draft.axes}
        cut = [e for e in draft.entries if e.axes and 24 % math.prod(sizes[a] for a in e.axes) == 0][:2]
        judged = moving.judge(replace(draft, shape=x.shape, dtype="float32", entries=tuple(cut)))
        assert judged.sharding is not None
        if isinstance(judged.mesh, AbstractMesh):
            continue
        if draft.unreduced and AxisType.Auto in judged.mesh.axis_types:
            with pytest.raises(ValueError, match="JAX makes no unreduced values there"):
                moving.apply(judged)
            continue
        assert moving.apply(judged).sharding.is_equivalent_to(judged.sharding, 2)
    plain = moving.judge(SpecDraft(x.shape, "float32", moving.axes))
    np.testing.assert_array_equal(np.asarray(moving.apply(plain)), x)


@st.composite
def reshards(draw) -> tuple[SpecDraft, SpecDraft, set[str]]:
    """Two drafts of an array on an Explicit mesh, and axes over which collectives are forbidden."""
    mesh = tuple(replace(axis, type="Explicit") for axis in draw(axes(8)))
    names = [axis.name for axis in mesh]

    def draft() -> SpecDraft:
        places: list[list[str]] = [[], [], [], []]
        for name in draw(st.permutations(names)):
            places[draw(st.integers(0, 3))].append(name)
        entries = tuple(SpecEntry(tuple(at)) for at in places[:2])
        return SpecDraft((24, 48), "float32", mesh, entries, tuple(sorted(places[2], key=names.index)))

    return draft(), draft(), draw(st.sets(st.sampled_from(names), min_size=1))


@examples(200)
@given(reshards())
def test_what_is_forbidden_is_what_jax_forbids(given: tuple[SpecDraft, SpecDraft, set[str]]):
    before, after, forbidden = given
    types = (AxisType.Explicit,) * len(before.axes)
    mesh = AbstractMesh(tuple(a.size for a in before.axes), tuple(a.name for a in before.axes), axis_types=types)
    # Of several axes, JAX may look at any one first.
    for names in (forbidden, {min(forbidden)}):
        with _jax.forbidding(names):
            editor = SpecEditor(before.shape, mesh, spec_of(before), None, "x")
        said = editor.forbidden(after)
        page = page_says(editor, after)["forbidden"]
        assert (said in page) if said else page == []
        if len(names) == 1:
            assert page[:1] == ([said] if said else [])
    assert (editor.document.forbids is None) == (not hasattr(jax.sharding, "no_collectives"))


def test_a_playground_says_what_is_forbidden():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    x = jax.device_put(np.zeros((8, 16), "float32"), NamedSharding(mesh, P("x")))
    with _jax.forbidding({"x"}):
        playground = sw.SpecPlayground(x)
    if not hasattr(jax.sharding, "no_collectives"):
        return
    assert playground.forbidden == ""
    playground.spec = P(None, "x")
    assert playground.forbidden.startswith("ForbiddenCollectiveError: ")
    assert "changes the sharded dimension of axis 'x'" in playground.forbidden
    assert "jax.reshard to this spec raises ForbiddenCollectiveError" in str(playground)
    playground.apply()
    # From where it is now, nothing has to move.
    assert playground.forbidden == ""
    playground.spec = P("x")
    assert "changes the sharded dimension" in playground.forbidden
    assert playground.document.forbids is not None
    assert playground.document.forbids.before.entries == (SpecEntry(), SpecEntry(("x",)))


def sets_sorted(text: str) -> str:
    """JAX 0.9 writes the names of a set in no order."""
    return re.sub(r"([UR]):\(([^)]*)\)", lambda m: f"{m[1]}:({','.join(sorted(m[2].split(',')))})", text)
