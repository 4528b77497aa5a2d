"""``ExerciseSet``: progress that lasts, records that only their own set and student restore."""

import json
from pathlib import Path

import pytest
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.teach import record
from shardwidget.teach.record import RecordError
from tests.front_end import FakeComm

MESH = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
FILE = "lab-1-ada-exercises.json"


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def rows(draw):
    n = draw.choice([8, 16, 32, 64])
    return sw.Exercise.write_spec((n, 16), MESH, local_shape=(n // 2, 4), hints=["one", "two"])


def copies(draw):
    return sw.Exercise.write_spec((8, 16), MESH, copies=4)


def function(draw):
    return sw.Exercise.repair(stops, 1.0, gives=2.0)


def stops(x):
    raise ValueError(x)


def doubled(x):
    return 2 * x


def lab(*items, student="ada", **options) -> sw.ExerciseSet:
    return sw.ExerciseSet(list(items) or [rows, copies, function], name="Lab 1", student=student, **options)


def states(s: sw.ExerciseSet):
    return [(e.name, e.attempts, e.passed, e.answer) for e in s]


def test_exercises_are_found_by_name_and_place():
    s = lab(rows, rows, copies, sw.Exercise.write_spec((8,), MESH, copies=8, name="mine"))
    assert [e.name for e in s] == ["rows", "rows 2", "copies", "mine"]
    assert s["rows 2"] is s[1]
    assert (len(s), s.passed, s.current) == (4, 0, 0)
    with pytest.raises(KeyError, match="no exercise is called 'rows 3'; the names are rows, rows 2, copies, mine"):
        s["rows 3"]
    with pytest.raises(TraitError, match="current must be 0 to 3; got 4"):
        s.current = 4


def test_students_get_their_own_numbers_and_the_same_again():
    prompts = {
        who: lab(student=who, progress=False).document.questions[0].prompt for who in ("ada", "bob", "eve", "dan")
    }
    assert len(set(prompts.values())) > 1
    assert lab(student="x", seed="ada", progress=False).document.questions[0].prompt == prompts["ada"]
    one, two = lab(rows, rows, progress=False)
    assert lab(rows, rows, progress=False).document == lab(rows, rows, progress=False).document
    assert one._entry()["identity"] != two._entry()["identity"] or one.document != two.document


def test_progress_comes_back_when_the_set_is_made_again():
    s = lab()
    assert not any(p.suffix == ".json" for p in Path().iterdir())
    s["rows"].answer = P("x", "y")
    s["rows"].hint()
    s["rows"].answer = P("y", "x")
    s["copies"].answer = P("x")
    s["function"].answer = doubled
    again = lab()
    assert states(again)[:2] == states(s)[:2]
    # A function is not run from a file: the cell that assigns it does that.
    assert (again["function"].passed, again["function"].attempts) == (False, 1)
    with pytest.raises(AssertionError, match="run the cell that assigns it again"):
        again["function"].check()
    assert again.current == 1
    assert again.document.questions[0].hints == ("one",)
    assert again.document.questions[1].feedback == s.document.questions[1].feedback
    assert again.document.kept == f"Progress is kept in {FILE}"
    # Run all: the cells that answer run again, and no attempt is added.
    again["rows"].answer = P("y", "x")
    again["function"].answer = doubled
    assert [e.attempts for e in again] == [2, 1, 1]
    assert [e.passed for e in again] == [True, False, True]


def test_what_the_browser_answers_is_kept_too():
    s = lab()
    s._repr_mimebundle_()
    assert isinstance(s.comm, FakeComm)
    s.comm.from_browser(_asked={"n": 1, "do": "answer", "question": 1, "answer": {"spec": "P('y')"}}, current=2)
    s.comm.from_browser(_asked={"n": 2, "do": "hint", "question": 0})
    assert s.current == 2
    assert [e.comm for e in s] == [None] * 3
    again = lab()
    assert again["copies"].passed
    assert again.document.questions[0].hints == ("one",)


def test_a_record_is_judged_again():
    s = lab()
    s["copies"].answer = P("x")
    forged = s.record()
    forged["exercises"][1] |= {"passed": True, "passed_by": {"spec": "P('x')"}}
    forged["exercises"][0] |= {"passed": True, "passed_by": {"spec": "P(("}, "answer": {"spec": "P(("}, "attempts": 1}
    t = lab(student="ada", progress=False)
    t.load(json.dumps(forged))
    assert [e.passed for e in t] == [False, False, False]
    assert t.record()["exercises"][0]["answer"] == {"spec": "P(("}


def test_a_record_of_another_is_refused_and_nothing_is_lost():
    bob = lab(student="bob")
    bob["copies"].answer = P("y")
    bob.save("bob.json")
    ada = lab()
    ada["copies"].answer = P("x")
    before = states(ada)
    with pytest.raises(
        RecordError, match=r"bob.json is the record of 'bob'; this set is for 'ada'. Nothing was changed."
    ):
        ada.load("bob.json")
    with pytest.raises(ValueError, match="the text in progress= is the record of 'bob'"):
        lab(progress=json.dumps(bob.record()))
    other = sw.ExerciseSet([copies], name="Lab 2", student="ada", progress=False)
    with pytest.raises(RecordError, match="is a record of the set 'Lab 2'; this is 'Lab 1'"):
        ada.load(json.dumps(other.record()))
    with pytest.raises(RecordError, match="this set is for no named student"):
        lab(student="").load("bob.json")
    assert states(ada) == before
    assert json.loads(Path(FILE).read_text(encoding="utf-8"))["student"] == "ada"


def test_a_file_of_another_stays_and_another_is_begun():
    bob = lab(student="bob", progress=FILE)
    bob["copies"].answer = P("y")
    kept = Path(FILE).read_text(encoding="utf-8")
    ada = lab()
    assert ada.document.notes == (f"{FILE} is the record of 'bob'; this set is for 'ada'. It stays as it is.",)
    ada["copies"].answer = P("x")
    assert Path(FILE).read_text(encoding="utf-8") == kept
    assert ada.document.kept == "Progress is kept in lab-1-ada-exercises-2.json"
    again = lab()
    assert again["copies"].attempts == 1
    again["copies"].answer = P("y")
    assert (lab()["copies"].passed, again.document.kept) == (True, ada.document.kept)
    assert Path(FILE).read_text(encoding="utf-8") == kept


def test_a_record_of_an_older_version_is_refused_unless_what_is_unchanged_is_asked_for():
    old = lab(rows, copies)
    old["copies"].answer = P("y")
    new = lab(copies, function)
    assert new.passed == 0
    (note,) = new.document.notes
    assert "is a record of another version of this set" in note
    assert "1 of its exercises are the same here: load(path, unchanged=True) restores these." in note
    with pytest.raises(RecordError, match="another version"):
        new.load(FILE)
    new.load(FILE, unchanged=True)
    assert [e.passed for e in new] == [True, False]
    assert lab(copies, function)["copies"].passed
    assert lab(rows, copies)["copies"].passed


def test_an_exercise_that_changed_under_its_name_starts_anew():
    old = lab(rows, copies)
    old["copies"].answer = P("y")

    def now(draw):
        return sw.Exercise.write_spec((8, 16), MESH, copies=2, name="copies")

    new = lab(rows, now)
    new.load(FILE, unchanged=True)
    assert (new["copies"].attempts, new["copies"].passed) == (0, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": "shardwidget exercises", "version": 1}',
        '{"format": "other"}',
        "\x00",
        "[" * 100_000,
    ],
)
def test_a_damaged_file_stays_as_it_is(text, tmp_path):
    (tmp_path / FILE).write_text(text)
    s = lab()
    assert FILE in s.document.notes[0]
    assert "It stays as it is" in s.document.notes[0] or "holds" in s.document.notes[0]
    s["copies"].answer = P("y")
    assert (tmp_path / FILE).read_text() == text
    assert lab()["copies"].passed
    with pytest.raises(RecordError, match="holds"):
        s.load(FILE)
    assert s["copies"].passed


def test_a_record_with_more_hints_than_there_are_shows_all():
    s = lab(progress=False)
    record = s.record()
    record["exercises"][0] |= {"hints": 99}
    s.load(json.dumps(record))
    assert (s.document.questions[0].hints, s.document.questions[0].hints_left) == (("one", "two"), 0)


@pytest.mark.parametrize(
    "change",
    [
        {"attempts": -1},
        {"attempts": "3"},
        {"attempts": True},
        {"answer": None},
        {"answer": {"spec": 3}},
        {"passed": 1},
        {"name": None},
    ],
)
def test_a_record_with_a_damaged_entry_is_refused(change):
    s = lab(progress=False)
    bad = s.record()
    bad["exercises"][0] |= change
    with pytest.raises(RecordError, match="damaged"):
        s.load(json.dumps(bad))


def test_a_record_of_a_newer_format_is_refused():
    s = lab(progress=False)
    with pytest.raises(RecordError, match="has format 2; this shardwidget reads 1: update it"):
        s.load(json.dumps(s.record() | {"version": 2}))


def test_two_notebooks_of_one_student_lose_nothing():
    one, two = lab(), lab()
    one["rows"].answer = P("y", "x")
    two["copies"].answer = P("y")
    third = lab()
    assert [e.passed for e in third] == [True, True, False]


def test_progress_that_cannot_be_kept_is_said(tmp_path, monkeypatch):
    s = lab()

    def full(path, found):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(record, "write", full)
        s["copies"].answer = P("y")
    assert s["copies"].passed
    (note,) = s.document.notes
    assert "Progress is not kept: [Errno 28] No space left on device. Copy the record" in note
    assert s.document.kept == ""
    s["copies"].hint()
    assert s.document.notes == ()
    assert lab()["copies"].passed


def test_a_record_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "r.json"
    path.write_text("before")

    def breaks(found):
        raise RuntimeError

    monkeypatch.setattr(record, "text_of", breaks)
    with pytest.raises(RuntimeError):
        record.write(path, {})
    assert (path.read_text(), list(tmp_path.iterdir())) == ("before", [path])


def test_a_record_pasted_in_a_cell_is_taken_up():
    s = lab(progress=False)
    s["rows"].answer = P("y", "x")
    text = s.document.record
    assert json.loads(text) == s.record()
    again = lab(progress=text)
    assert again["rows"].passed
    # And later progress is kept in the file as well.
    again["copies"].answer = P("y")
    assert lab(progress=text).passed == 2
    assert lab().passed == 2


def test_progress_false_writes_nothing(tmp_path):
    s = lab(progress=False)
    s["copies"].answer = P("y")
    assert list(tmp_path.iterdir()) == []
    assert s.document.kept == ""


def test_check_names_every_exercise_that_is_left():
    s = lab()
    s["copies"].answer = P("x")
    with pytest.raises(AssertionError) as stop:
        s.check()
    assert str(stop.value).splitlines()[0] == "0 of 3 exercises are passed. Not yet:"
    assert "rows: not answered yet" in str(stop.value)
    assert "copies: not yet, after 1 attempt. Each block is on 2 devices" in str(stop.value)
    s["rows"].answer, s["copies"].answer, s["function"].answer = P("y", "x"), P("y"), doubled
    s.check()


def test_its_text_shows_all_and_the_one_on_screen():
    s = lab()
    s["copies"].answer = P("y")
    lines = repr(s).splitlines()
    assert lines[0] == "Lab 1 · ada: 1 of 3 exercises passed"
    assert lines[1].startswith("▸ ○  1  rows")
    assert lines[2] == "  ●  2  copies: passed, 1 attempt"
    assert s._table().count("<tr>") == 4
    s.current = 1
    assert s.to_svg().startswith("<svg ")


def test_an_exercise_that_cannot_be_made_is_named():
    def impossible(draw):
        return sw.Exercise.write_spec((8, 16), MESH, local_shape=(3, 3))

    with pytest.raises(ValueError, match=r"exercise 1 \(impossible\) cannot be made: ValueError: no spec of this mesh"):
        lab(copies, impossible)
    with pytest.raises(TypeError, match="exercise 0 must be an Exercise, or a function that makes one; got str"):
        lab("rows")
    with pytest.raises(TypeError, match=r"exercise 0 \(<lambda>\) must return an Exercise; got int"):
        lab(lambda draw: 3)
    with pytest.raises(ValueError, match="at least one"):
        sw.ExerciseSet([], name="Lab")
    with pytest.raises(TypeError, match="Its keyword arguments are name, student, seed, progress, mode"):
        lab(copies, colour=1)


def test_names_of_files_stay_in_the_folder():
    assert record.file_name("Lab 1", "ada") == FILE
    assert record.file_name("../../etc", "a/b\\c") == "etc-a-b-c-exercises.json"
    assert record.file_name("", "") == "exercises.json"


def test_the_line_that_answers_works_when_pasted_whatever_the_set_is_called(monkeypatch):
    import __main__

    named, shown, unknown = lab(progress=False), lab(progress=False), lab(progress=False)
    monkeypatch.setattr(__main__, "homework", named, raising=False)
    for history in ("In", "Out"):  # Another test may have made a notebook's.
        monkeypatch.delattr(__main__, history, raising=False)
    assert unknown.document.questions[0].target == 'exercises["rows"]'
    unknown._repr_mimebundle_()
    assert unknown.document.questions[0].target == 'exercises["rows"]'
    # A notebook knows what each cell has shown.
    monkeypatch.setattr(__main__, "In", ["", "one", "two"], raising=False)
    monkeypatch.setattr(__main__, "Out", {2: shown}, raising=False)
    for s in (named, shown):
        s._repr_mimebundle_()
        target = s.document.questions[0].target
        exec(f"{target}.answer = \"P('y', 'x')\"", __main__.__dict__)
        assert s["rows"].passed
    assert named.document.questions[0].target == 'homework["rows"]'
    alone = rows(Draw())
    monkeypatch.setattr(__main__, "mine", alone, raising=False)
    alone._repr_mimebundle_()
    assert alone.document.questions[0].target == "mine"


class Draw:
    """Draws the first of everything."""

    def choice(self, options):
        return options[0]
