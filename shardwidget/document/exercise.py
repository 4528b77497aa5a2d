"""Exercises as a document: what is asked, in what form it is answered, what was answered and what came of it.

The truth is not in it: a page shows only what its reader has found out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.placement import Placement
from shardwidget.document.playground import Playground
from shardwidget.document.step import Listing
from shardwidget.document.wire import VERSION

__all__ = ["Exercises", "Feedback", "Field", "Figure", "Given", "Part", "Question", "Table"]

QuestionKind = Literal[
    "read_placement", "write_spec", "predict_type", "predict_error", "choose_collective", "fill_block", "put_specs",
    "repair", "lower_communication", "read_schedule", "order_tasks", "find_leaf", "shard_tree",
    "predict_peak", "choose_threshold",
]  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Numbers as they are laid out in one block."""

    title: str
    """Whose they are: ``device 3 · before``."""
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Figure:
    """Something to look at: a placement, lines of code with the types they are given, or blocks of numbers."""

    title: str
    placement: Placement | None = None
    listing: Listing | None = None
    types: tuple[str, ...] = ()
    """``a: f32[8@x,16]``, one for each argument."""
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Field:
    """One thing to fill in."""

    name: str
    label: str
    form: Literal["text", "spec", "choice", "devices", "grid", "code"]
    """``devices`` takes device ids, ``grid`` numbers in rows, ``code`` a function that a notebook cell assigns."""
    options: tuple[str, ...] = ()
    """Of a choice."""
    shape: tuple[int, ...] = ()
    """Of a grid: rows and columns."""
    example: str = ""
    """An answer of the right form, which need not be right."""


@dataclass(frozen=True)
class Given:
    """What was answered for one field."""

    field: str
    text: str


@dataclass(frozen=True)
class Part:
    """The verdict on one field."""

    field: str
    right: bool
    note: str = ""
    """Which quantity is off, in one sentence; empty where it is right."""
    cells: tuple[bool, ...] = ()
    """Of a grid: whether each number is right, row by row."""


@dataclass(frozen=True)
class Feedback:
    """What came of an answer. It never gives the right one."""

    verdict: Literal["right", "partly", "wrong", "malformed"]
    """A malformed answer does not have the form that is asked for; it does not count as an attempt."""
    message: str
    """What the answer means, and the quantity that is off."""
    question: str = ""
    """What the reader should ask next; empty when all is right."""
    gives: str = ""
    """What the answer would have given, in a few words: ``f32[2,8]``."""
    parts: tuple[Part, ...] = ()
    figure: Figure | None = None
    """What the answer would have given."""
    error: str = ""
    """Class of the exception that JAX raises; empty if there is none."""
    said: str = ""
    """JAX's own words."""


@dataclass(frozen=True)
class Question:
    """One exercise and how far its reader has come."""

    name: str
    """Unique in its set."""
    task: QuestionKind
    prompt: str
    """Plain text; code is between backquotes."""
    mesh: Mesh
    fields: tuple[Field, ...]
    playground: Playground | None = None
    """What the one field is edited with, where it is the spec of an array."""
    figures: tuple[Figure, ...] = ()
    goal: str = ""
    """What is asked for, where that is short: ``f32[4,4]``."""
    target: str = "exercise"
    """What a cell calls it: ``lab["rows"]``. It answers with ``lab["rows"].answer = …``."""
    hints: tuple[str, ...] = ()
    """Those that were asked for, in order."""
    hints_left: int = 0
    attempts: int = 0
    passed: bool = False
    answer: tuple[Given, ...] = ()
    """The last answer."""
    feedback: Feedback | None = None
    """To the last answer."""


@dataclass(frozen=True, repr=False)
class Exercises(Document):
    """A sheet of exercises; a single exercise is a sheet of one."""

    mesh: Mesh
    """The first question's."""
    questions: tuple[Question, ...]
    name: str = ""
    """Of the set; empty for a single exercise."""
    student: str = ""
    kept: str = ""
    """Where progress is kept, in words; empty where it is not."""
    notes: tuple[str, ...] = ()
    """What the reader should know of their record: one that could not be read, or is another student's."""
    record: str = ""
    """The record as JSON, to copy; empty for a single exercise."""
    jax_version: str = ""
    kind: Literal["exercises"] = field(default="exercises", init=False)
    version: int = field(default=VERSION, init=False)
