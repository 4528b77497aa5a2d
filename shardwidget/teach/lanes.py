"""Several submissions at a time: each is a generator that yields errands, and every errand ends."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Generator, Iterable
from typing import Any, Generic, TypeVar

from shardwidget.teach.errands import Errand
from shardwidget.teach.places import Place, Processes, StoppedError

T = TypeVar("T")

Task = Generator[Errand, Any, T]
"""The work on one submission: errands, which are sent their results or raise in it, and in the end its own result."""

PATIENCE = 4
"""How many errands of one submission may have to be stopped before its others are not run."""


def results(tasks: Iterable[Task[T]], *, seconds: float, memory: int) -> list[T]:
    """Runs tasks to their ends.

    Python of a submission runs in a process of its own, which ends with it; all else in one that never runs any.

    Args:
        tasks: what is to be done.
        seconds: that an errand may take.
        memory: bytes that a process may take.
    """
    waiting = enumerate(tasks)
    done: dict[int, T] = {}
    with Processes(memory) as processes:
        lanes = [_Lane[T](processes, seconds) for _ in range(max(1, min(4, os.cpu_count() or 1)))]
        try:
            while True:
                for lane in lanes:
                    while lane.task is None and (found := next(waiting, None)) is not None:
                        lane.begin(*found, done)
                busy = [lane for lane in lanes if lane.place is not None]
                if not busy:
                    return [done[number] for number in sorted(done)]
                _wait(busy, done)
        finally:
            for lane in lanes:
                lane.close()


def _wait(lanes: list[_Lane[T]], done: dict[int, T]) -> None:
    """Waits until a result has come or an errand has taken too long."""
    places = {lane.place.connection: lane for lane in lanes if lane.place is not None}
    first = min(lane.place.deadline for lane in lanes if lane.place is not None)
    with selectors.DefaultSelector() as waiting:
        for connection, lane in places.items():
            waiting.register(connection, selectors.EVENT_READ, lane)
        ready = waiting.select(max(0, first - time.monotonic()))
    for key, _ in ready:
        key.data.hear(done)
    for lane in lanes:
        if lane.place is not None and time.monotonic() >= lane.place.deadline:
            lane.give_up(done)


class _Lane(Generic[T]):
    """One of the tasks that are worked on, and the processes for its errands."""

    def __init__(self, processes: Processes, seconds: float) -> None:
        self._processes, self._seconds = processes, seconds
        self._places: dict[bool, Place] = {}
        self.task: Task[T] | None = None
        self.place: Place | None = None
        """Where an errand is being run."""
        self._number = self._stops = 0

    def begin(self, number: int, task: Task[T], done: dict[int, T]) -> None:
        """Takes up a task."""
        self.task, self._number, self._stops = task, number, 0
        self._go_on(None, done)

    def close(self) -> None:
        """Ends its processes."""
        for place in self._places.values():
            place.close()

    def hear(self, done: dict[int, T]) -> None:
        """Reads what the errand has given."""
        assert self.place
        try:
            reply = self.place.receive()
        except StoppedError as error:
            self._stop(error, done)
        except Exception as error:
            self._go_on(error, done)
        else:
            if reply is not None:
                self._go_on(reply.value, done)

    def give_up(self, done: dict[int, T]) -> None:
        """Ends an errand that takes too long."""
        assert self.place
        self._stop(StoppedError(f"it did not end in {self._seconds:g} s"), done)

    def _stop(self, error: StoppedError, done: dict[int, T]) -> None:
        for theirs, place in list(self._places.items()):
            if place is self.place:
                del self._places[theirs]
                place.close()
        self._stops += 1
        self._go_on(error, done)

    def _go_on(self, given: Any, done: dict[int, T]) -> None:
        """Continues the task with a result, or with why there is none, to its next errand or its end."""
        assert self.task
        self.place = None
        while self.place is None:
            try:
                errand = self.task.throw(given) if isinstance(given, Exception) else self.task.send(given)
            except StopIteration as end:
                done[self._number] = end.value
                self.task = None
                if place := self._places.pop(True, None):
                    place.close()
                return
            try:
                self._run(errand)
            except Exception as error:
                given = error

    def _run(self, errand: Errand) -> None:
        if self._stops >= PATIENCE:
            raise StoppedError(f"it was not run, after {PATIENCE} answers that had to be stopped")
        if errand.theirs not in self._places:
            self._places[errand.theirs] = Place(self._processes)
        place = self._places[errand.theirs]
        try:
            place.send(errand, self._seconds)
        except StoppedError:
            del self._places[errand.theirs]
            place.close()
            raise
        self.place = place
