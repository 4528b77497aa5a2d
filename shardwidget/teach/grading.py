"""Grading: what recorded answers are worth when JAX judges them again, and a table of it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from shardwidget.document import Feedback
from shardwidget.teach import record as records
from shardwidget.teach.attempts import given_of, judged_again
from shardwidget.teach.kind import Kind
from shardwidget.teach.record import RecordError


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
    """Path of the record in the graded folder."""
    credits: tuple[Credit, ...] = ()
    note: str = ""
    """Why the record was not graded; empty where it was."""

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
    """The grades of a folder, one row per submission."""

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
            notes = "; ".join([row.note] if row.note else [f"{c.exercise}: {c.note}" for c in row.credits if c.note])
            line = [row.student, row.file, f"{row.points:g}", f"{sum(self.most):g}", row.attempts, *cells, notes]
            writer.writerow([_plain(text) for text in line])
        if path is None:
            return out.getvalue()
        Path(path).write_text(out.getvalue(), encoding="utf-8")
        return os.fspath(path)

    def __repr__(self) -> str:
        widths = [max(len(name), 6) for name in self.exercises]
        who = max([7, *(len(r.student) for r in self.rows)])
        head = " ".join(f"{n:>{w}}" for n, w in zip(self.exercises, widths, strict=True))
        lines = [f"{'student':{who}}  points  attempts  {head}"]
        for row in self.rows:
            cells = " ".join(f"{c.points:>{w}g}" for c, w in zip(row.credits, widths, strict=False))
            lines.append(f"{row.student:{who}}  {row.points:>6g}  {row.attempts:>8}  {row.note or cells}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cell = 'style="padding:3px 10px;text-align:left"'
        heads = "".join(f"<th {cell}>{escape(h)}</th>" for h in ("student", "points", "attempts", *self.exercises))
        return f"<table><tr>{heads}</tr>{''.join(self._row(row, cell) for row in self.rows)}</table>"

    def _row(self, row: Grade, cell: str) -> str:
        texts = [row.student, f"{row.points:g} of {sum(self.most):g}", str(row.attempts)]
        first = "".join(f"<td {cell}>{escape(t)}</td>" for t in texts)
        if row.note:
            return f"<tr>{first}<td {cell} colspan={len(self.exercises)}>{escape(row.note)}</td></tr>"
        rest = "".join(f'<td {cell} title="{escape(c.note, quote=True)}">{c.points:g}</td>' for c in row.credits)
        return f"<tr>{first}{rest}</tr>"


def credit(kind: Kind, entry: Mapping[str, Any], most: float) -> Credit:
    """What a recorded answer is worth: the better of the one that passed and the last one, each judged again.

    A partly right answer is worth the share of its fields, or of a field's cells, that are right; half if none is.
    """
    share, note = 0.0, "not answered"
    for text in (entry["passed_by"], entry["answer"]):
        if share == 1 or not text:
            continue
        try:
            feedback = judged_again(kind, given_of(text))
        except Exception as error:
            worth, why = 0.0, f"could not be judged: {type(error).__name__}: {error}"
        else:
            worth, why = _share(feedback), feedback.message
        if worth > share or share == 0:
            share, note = worth, "" if worth == 1 else why
    return Credit(entry["name"], round(share * most, 2), most, entry["attempts"], entry["hints"], note)


def records_under(folder: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Every record under a folder: its path there, and its content or why it cannot be read.

    Other files are ignored, and nothing is written.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    closed: list[str] = []
    files: list[str] = []
    for place, folders, names in os.walk(folder, onerror=lambda error: closed.append(str(error.filename))):
        folders.sort()
        files += [os.path.join(place, name) for name in sorted(names) if name.endswith(".json")]
    for path in [*files, *closed]:
        where = os.path.relpath(path, folder)
        try:
            text = Path(path).read_text(encoding="utf-8")
            if records.FORMAT in text:
                yield where, records.parse(text, where)
        except (OSError, UnicodeDecodeError) as error:
            yield where, f"cannot be read: {error}"
        except RecordError as error:
            yield where, str(error)


def owner(record: Mapping[str, Any], where: str) -> str:
    """Whose a record is: the name in it, or else the first folder of its path."""
    parts = Path(where).parts
    return record["student"] or (parts[0] if len(parts) > 1 else Path(where).stem)


def _share(feedback: Feedback) -> float:
    if feedback.verdict in ("right", "wrong", "malformed"):
        return float(feedback.verdict == "right")
    shares = [1.0 if p.right else sum(p.cells) / len(p.cells) if p.cells else 0.0 for p in feedback.parts]
    share = sum(shares) / len(shares) if shares else 0.0
    return share if 0 < share < 1 else 0.5


def _plain(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t" and cell else cell
