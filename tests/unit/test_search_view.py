"""SearchView: what it takes, its traits, text, table, picture and saved page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from traitlets import TraitError

import shardwidget as sw
from tests.searches import SEARCHES, search


def test_a_search_is_shown_and_a_candidate_is_chosen() -> None:
    found = search()
    view = sw.show(found)
    assert isinstance(view, sw.SearchView)
    assert view.document is found
    assert view.chosen is found.best
    view.candidate = 2
    assert view.chosen is found.candidates[2]
    assert view.selection == {
        "params['up']": "P('fsdp', 'tensor')",
        "params['norm']": "P()",
        "tokens": "P(('data', 'fsdp'))",
    }


def test_the_first_line_is_the_answer() -> None:
    best = search(compiled=99).best
    assert best is not None
    assert repr(search(compiled=99)).startswith(f"{best.name}: 2.26× faster than now, 2.75 GiB of 16 GiB")
    assert repr(search(compiled=0, now=False)).startswith("FSDP 16: 81 ms a step")
    assert repr(search(chip=1)).startswith("None of 12 fits: the least, ")


def test_what_takes_as_long_as_now_is_as_fast() -> None:
    found = search(compiled=0)
    alike = replace(
        found, candidates=tuple(replace(c, estimated=found.candidates[0].estimated) for c in found.candidates)
    )
    assert alike.best is not alike.now is not None
    assert ": as fast as now, " in repr(alike).splitlines()[0]


def test_an_estimate_has_no_ratio_to_what_was_compiled() -> None:
    found = search(compiled=3)
    assert found.now is not None
    assert found.best is not None
    assert found.now.basis != found.best.basis
    assert "faster" not in repr(found).splitlines()[0]


def test_now_is_not_the_best_because_it_alone_is_compiled_yet() -> None:
    found = search(compiled=0)
    first, now = found.candidates[0], found.now
    assert now is not None
    assert now is not first
    known = [replace(c, compiled=c.estimated if c is now else None) for c in found.candidates]
    running = replace(found, candidates=tuple(known))
    assert running.best is running.candidates[0]
    alone = replace(found, candidates=(replace(first, compiled=first.estimated), *known[1:]), now_index=0)
    assert alone.best is alone.now


@pytest.mark.parametrize("name", SEARCHES)
def test_table_picture_and_page(name: str) -> None:
    view = sw.SearchView(SEARCHES[name]())
    assert "<table" in view.document._repr_html_()
    assert view.to_svg().startswith("<svg")
    assert view.document.candidates[0].name in view.to_html()


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="give SearchView\\(search\\) alone"):
        sw.SearchView(search(), mesh="v5e:4x4")
    with pytest.raises(TraitError, match="candidate must be -1"):
        sw.SearchView(search(), candidate=99)
    with pytest.raises(TypeError, match="candidates"):
        sw.SearchView(search(), candidates=1)
    with pytest.raises(TypeError, match=r"SearchView\(\.\.\., options=\{'most_axes': 3\}\)"):
        sw.SearchView(search(), most_axes=3)
