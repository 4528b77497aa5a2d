"""Two programs: what was added, is gone or changed, matched by the text of lines."""

import re
from dataclasses import replace

import shardwidget as sw
from tests.diffs import comparisons, edited, listed, lowered, memories, moved
from tests.markup import Parsed
from tests.programs import layouts, many, shard_map, training


def test_lines_that_only_moved_are_the_same():
    diff = training().diff(moved(training(), 7))
    assert not diff.differing
    assert diff.verdict == "no difference; 8 places, 27.2 ms"
    first, *_, last = repr(diff).splitlines()
    assert first.endswith(": no difference; 8 places, 27.2 ms")
    assert last == "8 unchanged places, 27.2 ms"


def test_what_was_added_is_gone_and_changed_the_dearest_first():
    before, after = training(), edited()
    diff = before.diff(after)
    assert {row.change: (row.op, row.over, row.runs) for row in diff.differing} == {
        "added": ("all-to-all", "model", 12),
        "changed": ("all-reduce", "model", 12),
        "gone": ("reduce-scatter", "data", -12),
    }
    changes = [abs(row.seconds) for row in diff.differing]
    assert changes == sorted(changes, reverse=True)
    # All of the difference is in the rows.
    whole = [sum(total.seconds for total in p.by_line()) for p in (before, after)]
    assert abs(sum(row.seconds for row in diff.rows) - (whole[1] - whole[0])) < 1e-12
    back = after.diff(before)
    assert [row.seconds for row in back.differing] == [-row.seconds for row in diff.differing]
    gone = next(row for row in diff.differing if row.change == "gone")
    assert (gone.after, gone.before is None) == (None, False)


def test_text_and_table_say_where_it_was():
    diff = training().diff(edited())
    text = repr(diff)
    assert "24 (was 22): " in text
    assert " before: " in text
    assert "none" in text
    assert diff.verdict in text
    parsed = Parsed(diff._repr_html_())
    assert parsed.elements.count("tr") == 1 + len(diff.differing)
    assert len(repr(many(400).diff(shard_map())).splitlines()) <= 60


def test_json_and_programs_without_a_common_interconnect():
    diff = training().diff(edited())
    assert sw.load(diff.to_json()) == diff
    other = replace(edited(), interconnects=("mine",))
    found = training().diff(other)
    assert (found.interconnect, {row.seconds for row in found.rows}) == ("", {0.0})
    assert "sent per device" in repr(found)
    none = replace(training(), collectives=())
    assert none.diff(none).verdict == "no difference; neither has collectives"
    memory = training().memory
    assert memory
    said = training().diff(replace(training(), memory=replace(memory, temporaries=0))).verdict
    assert re.fullmatch(r"no difference in collectives, \S+ MiB less memory on each device; 8 places, 27.2 ms", said)
    one, *_ = layouts().programs
    assert not one.diff(one).differing


def test_what_the_compiler_adds_stands_beside_what_the_program_asks_for():
    diff = lowered()
    assert diff.of == "lowered and compiled"
    assert [row.change for row in diff.rows if row.before] == ["changed", "same", "same", "same"]
    added = [row for row in diff.rows if row.change == "added"]
    assert all(row.after and not row.after.by_user for row in added)
    assert diff.verdict.startswith("the compiler adds 12 all-reduces over model in line 21: +")
    assert diff.also.endswith("; 1 of 4 that the program asks for are compiled otherwise")
    assert "lowered" in repr(diff).splitlines()[3].split()


def test_equal_collectives_of_a_line_of_which_the_compiler_added_one_are_two_rows():
    whole = training()
    one = replace(whole.collectives[0], by_user=True)
    asked = replace(whole, collectives=(one,), lowered=True)
    rows = asked.diff(replace(whole, collectives=(one, replace(one, by_user=False)))).rows
    assert [(row.change, row.after and row.after.by_user) for row in rows] == [("added", False), ("same", True)]


def test_a_line_that_was_rewritten_in_its_place_is_matched_too():
    before, after = listed(training()), listed(training())
    text = after.listings[0].lines[1].strip()
    other = text.replace("gelu", "relu")
    (code,) = after.listings
    swapped = tuple(
        replace(c, source=replace(c.source, text=other)) if c.source and c.source.text == text else c
        for c in after.collectives
    )
    lines = (code.lines[0], code.lines[1].replace("gelu", "relu"), *code.lines[2:])
    after = replace(after, collectives=swapped, listings=(replace(code, lines=lines),))
    diff = before.diff(after)
    assert not diff.differing
    assert [(d.before, d.after) for d in diff.lines if not (d.before and d.after)] == [(21, 0), (0, 21)]


def test_phases_are_matched_only_where_both_have_a_backward_pass():
    whole = training()
    forward = replace(whole, collectives=tuple(c for c in whole.collectives if not c.backward))
    diff = forward.diff(whole)
    assert {row.phase for row in diff.rows} == {""}
    assert not [row for row in diff.rows if row.change == "gone"]


def test_comparisons_and_memories_are_shown_and_loaded_again():
    for diff in (comparisons(), memories(), lowered()):
        assert sw.load(diff.to_json()) == diff
        view = sw.show(diff)
        assert view.document is diff
        assert "<svg" in view.to_svg()
    text = repr(comparisons()).splitlines()
    assert text[0] == "mlp: line 22 stops no longer; the compiler adds 1 collective more"
    assert text[2].split()[:4] == ["changed", "y", "=", "dot_general"]
    assert text[-1] == "12 unchanged operations"


def test_a_program_without_collectives_has_nothing_added():
    nothing = replace(training(), collectives=())
    diff = replace(nothing, lowered=True).diff(nothing)
    assert (diff.verdict, diff.also) == ("no collective: the program asks for none, and the compiler adds none", "")
    assert "None" not in repr(diff)
