"""``grade``: the records of a class, judged again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

from shardwidget._text import visible
from shardwidget.teach import record as records
from shardwidget.teach.grading import Grade, Grades, credit
from shardwidget.teach.lanes import Task, results
from shardwidget.teach.submissions import Submission, folders, submissions
from shardwidget.widgets.exercise_set import ExerciseSet


def grade(
    folder: str | PathLike[str],
    exercises: ExerciseSet,
    *,
    points: Mapping[str, float] | None = None,
    students: Iterable[str] | None = None,
    seconds: float = 10,
    memory: int = 2 * 2**30,
) -> Grades:
    """Judges the records of a class again, wherever they are in a folder.

    ```python
    grades = sw.grade("submitted", lab, points={"fix": 3})
    grades.to_csv("lab-1.csv")
    ```

    What counts is what JAX says about each recorded answer, not what the file claims. Functions among the answers run
    in a process for each submission, which knows neither the right results nor the teacher's functions, with limits of
    time and memory; their results are compared here. Nothing is written into the folder.

    Args:
        folder: the submissions, in any layout, such as nbgrader's ``submitted/STUDENT/ASSIGNMENT/…``. A student's name
            is the one in the record, or the first folder if the record has none.
        exercises: the set. Each student's variants are drawn again.
        points: of exercises by name; all others give 1.
        students: names that must have a row; None takes the names of the folders in ``folder``.
        seconds: that an answer may take.
        memory: bytes that the answers of a submission may take, beside JAX's own.

    Returns:
        A row per record: points, with partial credit, and attempts. A record that cannot be graded says why, a copy
        of what, and a student without a record has a row that says so.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: ``points`` names an exercise that the set does not have.
    """
    names = tuple(e.name for e in exercises)
    if unknown := sorted(set(points or {}) - set(names)):
        raise ValueError(
            visible(f"points= names no exercise of this set: {', '.join(unknown)}; it has {', '.join(names)}")
        )
    most = {name: float((points or {}).get(name, 1)) for name in names}
    found = submissions(Path(folder))
    rows = results((_graded(one, exercises, most) for one in found), seconds=seconds, memory=memory)
    rows += _absent(rows, folders(Path(folder)) if students is None else students)
    return Grades(names, tuple(most.values()), tuple(sorted(rows, key=lambda row: (row.student, row.file))))


def _graded(one: Submission, exercises: ExerciseSet, most: Mapping[str, float]) -> Task[Grade]:
    row = Grade(one.student, one.where, note=one.note)
    if one.record is None:
        return row
    try:
        own = exercises.for_student(one.record["student"])
        if reason := records.refusal(one.record, own.record(), one.where):
            return replace(row, note=reason)
        entries = {entry["name"]: entry for entry in one.record["exercises"]}
        # A record of this version of the set has its exercises, unless someone has edited it.
        blank = {e.name: e._entry() for e in own}
        credits = []
        for e in own:
            credits.append((yield from credit(e._attempts.kind, entries.get(e.name, blank[e.name]), most[e.name])))
    except Exception as error:
        return replace(row, note=f"could not be graded: {type(error).__name__}: {error}")
    return replace(row, credits=tuple(credits))


def _absent(rows: Iterable[Grade], students: Iterable[str]) -> Iterator[Grade]:
    """Rows for students of whom there is no record."""
    there = {name for row in rows for name in (row.student, Path(row.file).parts[0])}
    for student in dict.fromkeys(students):
        if student not in there:
            yield Grade(student, "", note="no record")
