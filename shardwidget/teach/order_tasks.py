"""Ordering the tasks of a rank, so that the pipeline runs as fast as it can: the simulator judges."""

from __future__ import annotations

import re
from typing import Any

from shardwidget import pipeline
from shardwidget.document import Feedback, Field, Part
from shardwidget.pipeline.tasks import parse
from shardwidget.teach import schedules
from shardwidget.teach.forms import AnswerError, checked
from shardwidget.teach.kind import Answer, Kind


class OrderTasks(Kind):
    """Asks for the order of one rank's tasks; the simulator judges it.

    Any order that is as short as the schedule's own, and keeps no more, is right.

    Args:
        schedule: what ``read.schedule`` takes.
        rank: whose tasks.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: the schedule is impossible, or it has no such rank.
    """

    task = "order_tasks"
    hints = (
        "A task can start when its rank is free and what it waits for has arrived. Which of these tasks do other ranks "
        "wait for?",
        "A backward task frees an activation. Run one as soon as it can run.",
    )

    def __init__(self, schedule: Any, *, rank: int, **options: Any) -> None:
        super().__init__(options)
        self._schedule = schedules.schedule_of(schedule)
        if not 0 <= rank < self._schedule.ranks:
            raise ValueError(f"rank must be 0 to {self._schedule.ranks - 1}; got {rank}")
        self._rank = rank
        self._run = self._simulated(self._schedule.tasks[rank])
        self._tasks = sorted(
            self._schedule.tasks[rank], key=lambda text: (parse(text)[0].kind, parse(text)[0].microbatch)
        )
        self.mesh = schedules.mesh_of(self._schedule)
        self.figures = (schedules.figure_of(self._schedule, hidden=rank),)
        self.prompt = (
            f"In which order should rank {rank} run {', '.join(f'`{task}`' for task in self._tasks)}, so that all is "
            f"done at time {self._run.makespan:g} and it keeps no more than {self._run.peak_activations[rank]} "
            "activations? A forward task takes 1, a backward task 2, a half of one 1."
        )
        self.fields = (Field("order", f"tasks of rank {rank}", "order", tuple(self._tasks)),)

    def identity(self) -> str:
        """The tasks, and which rank's are asked for."""
        return f"{self._schedule.tasks!r} {self._rank}"

    def read_field(self, field: Field, value: Any) -> tuple[str, ...]:
        """Tasks, in a list or as text separated by spaces or commas."""
        text = checked(value if isinstance(value, str) else " ".join(map(str, value)), "tasks, for example 0F0 0B0")
        given = tuple(re.split(r"[\s,]+", text))
        if unknown := [task for task in given if task not in self._tasks]:
            raise AnswerError(f"{unknown[0]} is not a task of rank {self._rank}; they are {', '.join(self._tasks)}")
        return given

    def public_field(self, field: Field, value: tuple[str, ...]) -> tuple[str, ...]:
        """The order as a tuple of tasks."""
        return value

    def write_field(self, field: Field, value: tuple[str, ...]) -> str:
        """The order as text."""
        return " ".join(value)

    def judge(self, answer: Answer) -> Feedback:
        """Runs the pipeline with the answered order."""
        try:
            run = self._simulated(answer["order"])
        except ValueError as error:
            said = str(error).removeprefix("impossible schedule: ").rstrip(".")
            message = f"{said[:1].upper()}{said[1:]}."
            return Feedback("wrong", message, "What does each of these tasks wait for?", parts=(Part("order", False),))
        gives = f"done at {run.makespan:g}, keeps {run.peak_activations[self._rank]}"
        if run.makespan > self._run.makespan:
            message = f"It runs, and everything is done at {run.makespan:g}."
            question = "Which rank waits for a task of this one, and for how long?"
        elif run.peak_activations[self._rank] > self._run.peak_activations[self._rank]:
            message = f"It runs in time, and keeps {run.peak_activations[self._rank]} activations."
            question = "Which backward task could run before the next forward task?"
        else:
            return Feedback("right", "Everything is done in time.", "", gives, (Part("order", True),))
        return Feedback("partly", message, question, gives, (Part("order", False, message),))

    def _simulated(self, order: tuple[str, ...]) -> pipeline.Simulation:
        ranks = [order if r == self._rank else tasks for r, tasks in enumerate(self._schedule.tasks)]
        return pipeline.schedule(ranks).simulate()
