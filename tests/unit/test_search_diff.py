"""``Search.diff``: what another search has otherwise, by candidate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import Candidate, Figures, Search
from tests.diffs import searches
from tests.searches import search


def scaled(c: Candidate, by: float) -> Candidate:
    def of(figures: Figures) -> Figures:
        return replace(figures, compute_s=by * figures.compute_s, exposed_s=by * figures.exposed_s, hidden_s=0)

    return replace(c, estimated=of(c.estimated), compiled=c.compiled and of(c.compiled))


def with_candidates(of: Search, made: list[Candidate]) -> Search:
    now = next((k for k, c in enumerate(made) if of.now and c.title == of.now.title), -1)
    return replace(of, candidates=tuple(made), now_index=now, planned=len(made))


def test_each_candidate_is_faster_slower_new_gone_or_the_same() -> None:
    diff = searches()
    assert [c.change for c in diff.changes] == ["changed", "changed", "changed", "added", "gone"]
    assert diff.same == 8
    slower, faster, known, new, gone = diff.changes
    assert slower.difference_s > -faster.difference_s > 0
    assert known.difference_s == 0
    assert known.basis == "estimated"
    assert new.name.endswith("activations split")
    assert gone.after is None
    assert diff.verdict == "the best is now DP 2 × FSDP 4 × TP 2: 1.09× faster than FSDP 16 was"
    assert diff.also == "1 faster, 1 slower, 1 new, 1 gone, 1 compiled in only one of them"
    text = repr(diff)
    assert "estimated; compiled before: 180 ms" in text
    assert "FSDP 8 × TP 2" in diff._repr_html_()
    assert sw.load(diff.to_json()) == diff


def test_back_is_the_other_way_round() -> None:
    before = search(compiled=6)
    after = with_candidates(before, [scaled(c, 2) for c in before.candidates])
    there, back = before.diff(after), after.diff(before)
    assert [-c.difference_s for c in back.changes] == [c.difference_s for c in there.changes]
    assert there.also.startswith("12 slower")
    assert back.also.startswith("12 faster")
    assert there.verdict.endswith("slower than before")


def test_the_same_search_differs_in_nothing() -> None:
    diff = search(compiled=6).diff(search(compiled=6))
    assert diff.changes == ()
    assert diff.verdict == "the best is still FSDP 16, with the same time"
    assert repr(diff).endswith("12 candidates are the same in both.")


def test_an_estimate_is_not_compared_with_what_was_compiled() -> None:
    diff = search(compiled=0, now=False).diff(search(compiled=99, now=False))
    assert all(c.difference_s == 0 for c in diff.changes)
    assert "faster" not in diff.verdict
    assert "estimated" in diff.verdict
    assert "compiled" in diff.verdict


def test_the_users_own_sharding_is_compared_with_the_users_own() -> None:
    before = search(compiled=0)
    other = replace(before, now_index=next(k for k, c in enumerate(before.candidates) if c.name == "DP 16"))
    diff = before.diff(other)
    (own,) = (c for c in diff.changes if c.name.startswith("now: "))
    assert own.name == "now: DP 4 × TP 4 → DP 16"
    assert own.change == "changed"


def test_what_a_stopped_search_does_not_have_is_not_gone() -> None:
    before = search(compiled=0)
    stopped = replace(before, candidates=before.candidates[:5], now_index=-1, ended="interrupted")
    diff = replace(before, now_index=-1).diff(stopped)
    assert not diff.changes
    assert "with 5 of 12 candidates: those it does not have are left out" in repr(diff)


def test_what_fits_now_and_what_no_longer_does() -> None:
    small, large = search(chip=1, now=False), search(chip=16, now=False)
    assert "11 that may fit now" in small.diff(large).also
    assert small.diff(large).verdict.startswith("one fits now: FSDP 16, ")
    assert "11 that no longer fit" in large.diff(small).also
    assert large.diff(small).verdict.startswith("none fits now: the least, ")
    assert small.diff(small).verdict.startswith("none fits before or after; the least takes ")


def test_on_other_chips() -> None:
    before = search()
    diff = before.diff(replace(before, target="TPU v5p 4×2×2"))
    assert "16 chips of TPU v5e 4×4 → 16 chips of TPU v5p 4×2×2" in repr(diff).splitlines()[0]


def test_it_is_shown() -> None:
    view = sw.show(searches())
    assert isinstance(view, sw.DiffView)
    assert view.to_svg().startswith("<svg")
    view.selection = 4
    with pytest.raises(TraitError, match="0 to 4"):
        view.selection = 5
