"""``grade``: the records of a class, judged again."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from shardwidget.teach import record as records
from shardwidget.teach.grading import Grade, Grades, credit, owner, records_under
from shardwidget.widgets.exercise_set import ExerciseSet


def grade(folder: str | PathLike[str], exercises: ExerciseSet, *, points: Mapping[str, float] | None = None) -> Grades:
    """Judges the records of a class again, wherever they are in a folder.

    ```python
    grades = sw.grade("submitted", lab, points={"fix": 3})
    grades.to_csv("lab-1.csv")
    ```

    What counts is what JAX says about each recorded answer, not what the file claims. Functions among the answers
    are **run in this process**, with the globals of the exercise's own function: grade what you do not trust
    in a container. Nothing is written into the folder.

    Args:
        folder: the submissions, in any layout, such as nbgrader's ``submitted/STUDENT/ASSIGNMENT/…``. A student's name
            is the one in the record, or the first folder if the record has none.
        exercises: the set. Each student's variants are drawn again.
        points: of exercises by name; all others give 1.

    Returns:
        One row per record: points, with partial credit, and attempts. A record that cannot be graded says why.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: ``points`` names an exercise that the set does not have.
    """
    names = tuple(e.name for e in exercises)
    if unknown := sorted(set(points or {}) - set(names)):
        raise ValueError(f"points= names no exercise of this set: {', '.join(unknown)}; it has {', '.join(names)}")
    most = {name: float((points or {}).get(name, 1)) for name in names}
    rows = [_graded(record, where, exercises, most) for where, record in records_under(Path(folder))]
    return Grades(names, tuple(most.values()), tuple(sorted(rows, key=lambda row: (row.student, row.file))))


def _graded(record: dict[str, Any] | str, where: str, exercises: ExerciseSet, most: Mapping[str, float]) -> Grade:
    if isinstance(record, str):
        return Grade(owner({"student": ""}, where), where, note=record)
    student = owner(record, where)
    own = exercises.for_student(record["student"])
    if reason := records.refusal(record, own.record(), where):
        return Grade(student, where, note=reason)
    entries = {entry["name"]: entry for entry in record["exercises"]}
    # A record of this version of the set has its exercises, unless someone has edited it.
    blank = {e.name: e._entry() for e in own}
    return Grade(
        student,
        where,
        tuple(credit(e._attempts.kind, entries.get(e.name, blank[e.name]), most[e.name]) for e in own),
    )
