"""``grade``: what records of a class are worth when JAX judges them again."""

import csv
import io
import json
import re
from html import escape
from pathlib import Path

import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.document import Feedback, Part
from shardwidget.teach import grading

# Grading starts processes; JAX judges in each as it does here.
pytestmark = pytest.mark.once

MESH = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


def rows(draw):
    n = draw.choice([8, 16, 32, 64])
    return sw.Exercise.write_spec((n, 16), MESH, local_shape=(n // 2, 4))


def read(draw):
    return sw.Exercise.read_placement(
        ((draw.choice([8, 16]), 8), "float32", NamedSharding(MESH, P("x"))), ["copies", "local shape"]
    )


def stops(x):
    raise ValueError(np.asarray(x))


def double(draw):
    return sw.Exercise.repair(stops, 1.0, gives=2.0)


def lab(student="") -> sw.ExerciseSet:
    return sw.ExerciseSet([rows, read, double], name="Lab 1", student=student, progress=False)


def works(x):
    return x + x


@pytest.fixture
def submitted(tmp_path) -> Path:
    """A class as nbgrader lays it out: submitted/STUDENT/ASSIGNMENT."""
    ada, bob, eve = lab("ada"), lab("bob"), lab("eve")
    for student in (ada, bob):
        student["rows"].answer = P("y", "x")
    ada["double"].answer = works
    shape = (int(ada["read"].document.questions[0].prompt.split("[")[1].split("@")[0]) // 4, 8)
    ada["read"].answer = 2, shape
    bob["read"].answer = 2, (1, 1)
    for student in (ada, bob, eve):
        folder = tmp_path / student.record()["student"] / "lab1"
        folder.mkdir(parents=True)
        student.save(folder / "lab-1-exercises.json")
    return tmp_path


def points(grades) -> dict:
    return {row.student: [c.points for c in row.credits] for row in grades.rows}


def test_records_are_judged_again_with_each_students_variants(submitted):
    grades = sw.grade(submitted, lab())
    assert points(grades) == {"ada": [1, 1, 1], "bob": [1, 0.5, 0], "eve": [0, 0, 0]}
    assert [(row.points, row.attempts) for row in grades.rows] == [(3, 3), (1.5, 2), (0, 0)]
    assert grades.rows[0].file == str(Path("ada", "lab1", "lab-1-exercises.json"))
    assert "bob" in repr(grades)
    assert "<td" in grades._repr_html_()


def test_an_edited_record_gains_nothing(submitted):
    path = submitted / "eve" / "lab1" / "lab-1-exercises.json"
    record = json.loads(path.read_text())
    for entry, answer in zip(
        record["exercises"], ({"spec": "P()"}, {}, {"function": "def f(x):\n    return 3 * x"}), strict=True
    ):
        entry |= {"passed": True, "passed_by": answer, "answer": answer, "attempts": 1}
    path.write_text(json.dumps(record))
    assert points(sw.grade(submitted, lab()))["eve"] == [0, 0, 0.5]
    # A set that restores the record does not trust it either.
    eve = lab("eve")
    eve.load(path)
    assert not any(e.passed for e in eve)


def test_functions_run_again_with_the_names_of_the_exercise(submitted):
    worth = {
        "def f(x):\n    return x + x": 1,
        "lambda x: 2 * x": 1,
        "def f(x):\n    return np.add(x, x).item()": 1,
        "def f(x):\n    return helper(x)": 0,
        "import os": 0,
        "def f(": 0,
        "": 0,
    }
    for number, code in enumerate(worth):
        record = lab(f"student {number}").record()
        record["exercises"][2] |= {"passed": True, "passed_by": {"function": code}, "attempts": 1}
        (submitted / f"{number}.json").write_text(json.dumps(record))
    found = points(sw.grade(submitted, lab()))
    assert [found[f"student {number}"][2] for number in range(len(worth))] == list(worth.values())


def test_points_are_weighed_and_written_as_csv(submitted):
    grades = sw.grade(submitted, lab(), points={"double": 4})
    text = grades.to_csv()
    found = list(csv.DictReader(io.StringIO(text)))
    assert [(r["student"], r["points"], r["of"], r["double"]) for r in found] == [
        ("ada", "6", "6", "4"),
        ("bob", "1.5", "6", "0"),
        ("eve", "0", "6", "0"),
    ]
    assert found[1]["read attempts"] == "1"
    assert "read: Dim 0 is off" in found[1]["notes"]
    assert Path(grades.to_csv(submitted / "grades.csv")).read_text() == text
    with pytest.raises(ValueError, match="points= names no exercise of this set: dubble; it has rows, read, double"):
        sw.grade(submitted, lab(), points={"dubble": 1})


def test_a_name_is_no_formula(submitted):
    path = submitted / "eve" / "lab1" / "lab-1-exercises.json"
    path.write_text(path.read_text().replace('"student": "eve"', '"student": "=1+1"'))
    assert "\n'=1+1," in sw.grade(submitted, lab()).to_csv()


def test_nothing_of_a_table_is_markup():
    text = """<b>'"&"""
    credits = grading.Credit(text, 0, 1, 1, 0, note=text)
    grades = grading.Grades((text,), (1,), tuple(grading.Grade(text, text, c, text) for c in ((credits,), ())))
    html = grades._repr_html_()
    assert text not in html
    assert "<b>" not in html
    assert html.count(escape(text)) == html.count("&lt;b&gt;") == 6
    assert re.findall(r'title="([^"]*)"', html) == [escape(text)]


def test_what_cannot_be_graded_says_why_and_ends_nothing(submitted):
    other = sw.ExerciseSet([rows], name="Lab 2", progress=False)
    for name, text in {
        "cut": json.dumps(lab("zoe").record())[:200],
        "other": json.dumps(other.record()),
        "mine": '{"not": "a record"}',
    }.items():
        (submitted / name).mkdir()
        (submitted / name / "record.json").write_text(text)
    grades = sw.grade(submitted, lab())
    notes = {row.student: row.note for row in grades.rows}
    assert list(notes) == ["ada", "bob", "cut", "eve", "mine", "other"]
    assert "it is not JSON, or was cut short" in notes["cut"]
    assert "is a record of the set 'Lab 2'" in notes["other"]
    assert (notes["ada"], notes["mine"]) == ("", "no record")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        sw.grade(submitted / "none", lab())


def test_a_folder_of_another_user_is_graded_and_nothing_is_written_to_it(submitted):
    before = {p: p.stat().st_mtime_ns for p in submitted.rglob("*")}
    for path in submitted.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert points(sw.grade(submitted, lab()))["ada"] == [1, 1, 1]
    assert {p: p.stat().st_mtime_ns for p in submitted.rglob("*")} == before


@pytest.mark.parametrize(
    ("feedback", "share"),
    [
        (Feedback("right", ""), 1),
        (Feedback("wrong", "", parts=(Part("a", True),)), 0),
        (Feedback("malformed", ""), 0),
        (Feedback("partly", "", parts=(Part("a", True), Part("b", True), Part("c", False))), 2 / 3),
        (Feedback("partly", "", parts=(Part("a", True), Part("b", False), Part("c", False))), 1 / 3),
        (Feedback("partly", "", parts=(Part("a", False, cells=(True, False, False, False)),)), 1 / 4),
        (Feedback("partly", "", parts=(Part("a", True), Part("b", False, cells=(True, False)))), 3 / 4),
        (Feedback("partly", "", parts=(Part("a", False),)), 1 / 2),
        (Feedback("partly", ""), 1 / 2),
    ],
)
def test_a_partly_right_answer_is_worth_the_mean_of_its_parts(feedback, share):
    assert grading._share(feedback) == pytest.approx(share)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_begins_as_a_formula(start):
    assert grading._plain(f"{start}1+1") == f"'{start}1+1"
    assert [grading._plain(cell) for cell in ("a=1", "", 1, 2.5)] == ["a=1", "", 1, 2.5]
