"""Exercises as a document: what is asked, the form of the answer, the last answer and the feedback to it.

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
    "predict_peak", "choose_threshold", "may_overlap", "find_race", "add_wait",
]  # fmt: skip


@dataclass(frozen=True)
class Table:
    """The numbers of one block, laid out in rows."""

    title: str
    """Which block it is: ``device 3 · before``."""
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Figure:
    """Something to look at: a placement, lines of code with the types they are given, or blocks of numbers."""

    title: str
    placement: Placement | None = None
    """The layout to show; None where the figure shows none."""
    listing: Listing | None = None
    """The code to show; None where the figure shows none."""
    types: tuple[str, ...] = ()
    """The type of each argument of the code: ``a: f32[8@x,16]``."""
    tables: tuple[Table, ...] = ()
    """The blocks of numbers to show."""


@dataclass(frozen=True)
class Field:
    """One thing to fill in."""

    name: str
    """Unique in its question."""
    label: str
    """What stands beside it."""
    form: Literal["text", "spec", "choice", "devices", "grid", "code", "order", "threshold", "timeline"]
    """How it is filled in: ``devices`` takes device ids, ``grid`` numbers in rows, ``code`` a function that a notebook
    cell assigns, ``order`` a list in another order, ``threshold`` a number of bytes that cuts a list into chunks.
    ``timeline``: tasks are moved along a time axis, and the number follows; of several such fields the first has the
    tasks."""
    options: tuple[str, ...] = ()
    """What can be chosen, where ``form`` is ``choice``; what is put in order, or cut into chunks; the tasks of
    each rank, with spaces between them, where it is ``timeline``."""
    sizes: tuple[int, ...] = ()
    """The bytes that each of ``options`` counts against the threshold, where ``form`` is ``threshold``."""
    shape: tuple[int, ...] = ()
    """The number of rows and of columns, where ``form`` is ``grid``."""
    example: str = ""
    """An answer of the right form, which need not be correct."""


@dataclass(frozen=True)
class Given:
    """The answer given for one field."""

    field: str
    """The field's name."""
    text: str
    """The answer as text."""


@dataclass(frozen=True)
class Part:
    """The verdict on one field."""

    field: str
    """The field's name."""
    right: bool
    """Whether the answer is correct."""
    note: str = ""
    """Which quantity is wrong, in one sentence; empty where none is."""
    cells: tuple[bool, ...] = ()
    """Whether each number of a grid is correct, row by row; empty for other forms."""


@dataclass(frozen=True)
class Feedback:
    """The verdict on an answer. It never gives the correct answer."""

    verdict: Literal["right", "partly", "wrong", "malformed"]
    """``malformed`` if the answer does not have the form that is asked for; it then does not count as an attempt."""
    message: str
    """What the answer means, and which quantity is wrong."""
    question: str = ""
    """A question that leads on from a wrong answer; empty where the answer is correct."""
    gives: str = ""
    """What the answer would have given, in a few words: ``f32[2,8]``."""
    parts: tuple[Part, ...] = ()
    """The verdict on each field; empty where fields are not judged one by one."""
    figure: Figure | None = None
    """A picture of what the answer would have given; None where there is none."""
    error: str = ""
    """The class of the exception that JAX raises; empty if it raises none."""
    said: str = ""
    """The message of that exception, in JAX's own words."""


@dataclass(frozen=True)
class Question:
    """One exercise, and the student's progress with it."""

    name: str
    """Unique in its set."""
    task: QuestionKind
    prompt: str
    """The task in plain text, with code between backquotes."""
    mesh: Mesh
    fields: tuple[Field, ...]
    playground: Playground | None = None
    """The editor of the only field, where that is the spec of an array; None for any other."""
    figures: tuple[Figure, ...] = ()
    goal: str = ""
    """What the answer must give, where that is short: ``f32[4,4]``. Otherwise empty."""
    target: str = "exercise"
    """The expression that a notebook cell has for it, ``lab["rows"]``: the cell answers with ``lab["rows"].answer =
    …``."""
    hints: tuple[str, ...] = ()
    """The hints that the student has asked for, in order."""
    hints_left: int = 0
    """The number of hints that are left to ask for."""
    attempts: int = 0
    """The number of answers so far, without malformed ones."""
    passed: bool = False
    answer: tuple[Given, ...] = ()
    """The last answer, field by field; empty where there is none yet."""
    feedback: Feedback | None = None
    """The feedback to the last answer; None where there is none yet."""


@dataclass(frozen=True, repr=False)
class Exercises(Document):
    """A sheet of exercises; a single exercise is a sheet of one."""

    mesh: Mesh
    """The mesh of the first question."""
    questions: tuple[Question, ...]
    name: str = ""
    """The name of the set; empty for a single exercise."""
    student: str = ""
    kept: str = ""
    """Where progress is saved, in words; empty where it is not saved."""
    notes: tuple[str, ...] = ()
    """What the student should know about their saved record: that it could not be read, or is another student's."""
    record: str = ""
    """The record as JSON, to copy; empty for a single exercise."""
    jax_version: str = ""
    kind: Literal["exercises"] = field(default="exercises", init=False)
    version: int = field(default=VERSION, init=False)
