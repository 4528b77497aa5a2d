"""Reading a schedule: its bubble, and how many activations a rank keeps at most."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from shardwidget.document import Feedback, Field, Part
from shardwidget.teach import schedules
from shardwidget.teach.forms import AnswerError, checked
from shardwidget.teach.kind import Answer, Kind, not_right, verdict

_FRACTION = re.compile(r"[-+.\d]{1,40}(/\d{1,40})?(e[-+]?\d{1,2})?\s*%?")
"""Short numbers: a fraction with an exponent of nine digits is a number of a billion."""

LONGEST = 48
"""The longest run whose tasks are moved along a time axis; of longer ones the numbers are typed."""

NEAR = 0.0006
"""A fraction that is rounded to a tenth of a percent is right."""


class ReadSchedule(Kind):
    """Asks for a pipeline schedule's bubble, and for the most activations that a rank keeps.

    A backward task takes two forward tasks.

    Args:
        schedule: what ``read.schedule`` takes.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: the schedule is impossible.
    """

    task = "read_schedule"
    prompt = (
        "A forward task takes 1, a backward task 2, a half of one 1, and a send nothing. What fraction of all ranks' "
        "time is idle, and how many activations does the rank that keeps the most keep at once?"
    )
    hints = (
        "Draw the tasks of the last rank on a timeline, then those of the rank before it.",
        "A rank keeps an activation from the start of a forward task to the end of its backward task.",
    )

    def __init__(self, schedule: Any, **options: Any) -> None:
        super().__init__(options)
        self._schedule = schedules.schedule_of(schedule)
        self._run = self._schedule.simulate(forward=1, backward_input=1, backward_weight=1, communication=0)
        self.mesh = schedules.mesh_of(self._schedule)
        self.figures = (schedules.figure_of(self._schedule),)
        rows = tuple(" ".join(tasks) for tasks in self._schedule.tasks)
        form = "timeline" if self._run.makespan <= LONGEST and "+" not in "".join(rows) else "text"
        bubble = self._field("bubble", "idle fraction of all time", form, "1/4", "1/5")
        peak = self._field("peak", "most activations on one rank", form, "3", "5")
        self.fields = (replace(bubble, options=rows) if form == "timeline" else bubble, peak)

    def _field(self, name: str, label: str, form: Literal["text", "timeline"], *examples: str) -> Field:
        field = Field(name, label, form)
        return replace(field, example=not_right(examples, lambda e: self._is_right(name, self.read_field(field, e))))

    def _is_right(self, name: str, value: float) -> bool:
        if name == "peak":
            return value == max(self._run.peak_activations)
        return abs(value - self._run.bubble_of_total) <= NEAR

    def identity(self) -> str:
        """The tasks."""
        return repr(self._schedule.tasks)

    def read_field(self, field: Field, value: Any) -> float | int:
        """A fraction of time (as a fraction, a percentage or a number), or a count."""
        text = checked(str(value), "a number")
        try:
            if field.name == "peak":
                return int(text)
            if not _FRACTION.fullmatch(text):
                raise ValueError
            return float(Fraction(text.removesuffix("%").strip())) / (100 if text.endswith("%") else 1)
        except (ValueError, ZeroDivisionError):
            form = "a whole number" if field.name == "peak" else "a fraction: 3/11, 27.3 % or 0.273"
            raise AnswerError(f"{text[:80]} is not {form}") from None

    def write_field(self, field: Field, value: float | int) -> str:
        """A count, or a fraction as it was meant: 3/11 rather than sixteen digits."""
        simple = Fraction(value).limit_denominator(99)
        return str(simple) if float(simple) == value else f"{value:.4g}"

    def judge(self, answer: Answer) -> Feedback:
        """Compares with the simulator."""
        run = self._run
        off = answer["bubble"] - run.bubble_of_total
        ideal = abs(answer["bubble"] - run.bubble_of_ideal) <= NEAR < abs(off)
        note = "That is idle time as a fraction of useful time." if ideal else "The idle fraction is off."
        more = "more" if answer["peak"] < max(run.peak_activations) else "fewer"
        notes = {"bubble": note, "peak": f"A rank keeps {more} at once."}
        right = {name: self._is_right(name, answer[name]) for name in notes}
        return verdict(
            [Part(name, right[name], "" if right[name] else text) for name, text in notes.items()],
            question="When does the last rank start, and when does the first one have nothing to do?",
        )
