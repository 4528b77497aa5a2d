"""Grading: what recorded answers are worth when JAX judges them again, and a table of it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from shardwidget._text import visible
from shardwidget.document import Feedback
from shardwidget.teach.attempts import given_of, judging_again
from shardwidget.teach.kind import Kind
from shardwidget.teach.lanes import Task
from shardwidget.teach.places import FailedError, StoppedError

_LONGEST = 500
"""Characters of a note."""

_LONGEST_NAME = 60
"""Characters of a student's name in a table that is shown."""


@dataclass(frozen=True)
class Credit:
    """The result of one exercise of one submission."""

    exercise: str
    points: float
    """Up to ``most``."""
    most: float
    attempts: int
    hints: int
    note: str = ""
    """Why there are no full points, in one sentence."""


@dataclass(frozen=True)
class Grade:
    """The result of one submission."""

    student: str
    """The name in the record; for a record without one, the folder that it was found in."""
    file: str
    """Path of the record in the graded folder; empty for a student without one."""
    credits: tuple[Credit, ...] = ()
    note: str = ""
    """Why the record was not graded, or what is to be known of it, such as that it is a copy."""

    @property
    def points(self) -> float:
        """Total points."""
        return sum(c.points for c in self.credits)

    @property
    def attempts(self) -> int:
        """Total attempts."""
        return sum(c.attempts for c in self.credits)


@dataclass(frozen=True, repr=False)
class Grades:
    """The grades of a folder: a row for every record, and for every student without one."""

    exercises: tuple[str, ...]
    """Names, in the order of the set."""
    most: tuple[float, ...]
    """Points of each exercise."""
    rows: tuple[Grade, ...]
    """By student."""

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table as CSV: points and attempts, in total and for each exercise, and notes.

        Args:
            path: where to write; None to get the text.

        Returns:
            The path, or the text.

        Raises:
            OSError: it cannot be written there.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        heads = [text for name in self.exercises for text in (name, f"{name} attempts")]
        writer.writerow(["student", "file", "points", "of", "attempts", *heads, "notes"])
        for row in self.rows:
            cells = [text for c in row.credits for text in (f"{c.points:g}", c.attempts)] or [""] * len(heads)
            notes = [_said(row), *(f"{c.exercise}: {c.note}" for c in row.credits if c.note)]
            line = [
                visible(row.student),
                visible(row.file),
                f"{row.points:g}",
                f"{sum(self.most):g}",
                row.attempts,
                *cells,
                "; ".join(filter(None, notes)),
            ]
            writer.writerow([_plain(text) for text in line])
        if path is None:
            return out.getvalue()
        Path(path).write_text(out.getvalue(), encoding="utf-8")
        return os.fspath(path)

    def __repr__(self) -> str:
        widths = [max(len(name), 6) for name in self.exercises]
        students = [_who(r) for r in self.rows]
        who = max([7, *map(len, students)])
        head = " ".join(f"{n:>{w}}" for n, w in zip(self.exercises, widths, strict=True))
        lines = [f"{'student':{who}}  points  attempts  {head}"]
        for row, student in zip(self.rows, students, strict=True):
            cells = " ".join(f"{c.points:>{w}g}" for c, w in zip(row.credits, widths, strict=False))
            rest = "  ".join(filter(None, [cells, _said(row)]))
            lines.append(f"{student:{who}}  {row.points:>6g}  {row.attempts:>8}  {rest}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cell = 'style="padding:3px 10px;text-align:left"'
        heads = "".join(f"<th {cell}>{escape(h)}</th>" for h in ("student", "points", "attempts", *self.exercises, ""))
        return f"<table><tr>{heads}</tr>{''.join(self._row(row, cell) for row in self.rows)}</table>"

    def _row(self, row: Grade, cell: str) -> str:
        texts = [_who(row), f"{row.points:g} of {sum(self.most):g}", str(row.attempts)]
        first = "".join(f"<td {cell}>{escape(t)}</td>" for t in texts)
        rest = "".join(f'<td {cell} title="{escape(c.note, quote=True)}">{c.points:g}</td>' for c in row.credits)
        rest = rest or f"<td {cell} colspan={len(self.exercises)}></td>"
        return f"<tr>{first}{rest}<td {cell}>{escape(_said(row))}</td></tr>"


def credit(kind: Kind, entry: Mapping[str, Any], most: float) -> Task[Credit]:
    """What a recorded answer is worth: the better of the one that passed and the last one, each judged again.

    A partly right answer is worth the share of its fields, or of a field's cells, that are right; half if none is.
    """
    share, note = 0.0, "not answered"
    for text in [entry["passed_by"], *([entry["answer"]] if entry["answer"] != entry["passed_by"] else [])]:
        if share == 1 or not text:
            continue
        try:
            feedback = yield from judging_again(kind, given_of(text))
        except StoppedError as error:
            worth, why = 0.0, f"was stopped: {error}"
        except FailedError as error:
            worth, why = 0.0, f"stops with {error}"
        except Exception as error:
            worth, why = 0.0, f"could not be judged: {type(error).__name__}: {error}"
        else:
            said = f"{feedback.error}: {feedback.said}" if feedback.error else ""
            worth, why = _share(feedback), " ".join(filter(None, [feedback.message, said]))
        if worth > share or share == 0:
            share, note = worth, "" if worth == 1 else visible(why[:_LONGEST])
    return Credit(entry["name"], round(share * most, 2), most, entry["attempts"], entry["hints"], note)


def _share(feedback: Feedback) -> float:
    if feedback.verdict in ("right", "wrong", "malformed"):
        return float(feedback.verdict == "right")
    shares = [1.0 if p.right else sum(p.cells) / len(p.cells) if p.cells else 0.0 for p in feedback.parts]
    share = sum(shares) / len(shares) if shares else 0.0
    return share if 0 < share < 1 else 0.5


def _who(row: Grade) -> str:
    name = visible(row.student)
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _said(row: Grade) -> str:
    return visible(row.note[:_LONGEST])


def _plain(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" and cell else cell
