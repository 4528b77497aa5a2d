"""``ExerciseSet``: exercises one after another, with a record of what was done."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from traitlets import Bunch, Int, TraitError, validate

from shardwidget.document import Exercises
from shardwidget.teach import record as records
from shardwidget.teach.record import RecordError
from shardwidget.teach.run import JAX_VERSION
from shardwidget.teach.variant import draw
from shardwidget.widgets._base import Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._sheet import Sheet
from shardwidget.widgets.exercise import Exercise

Progress = str | PathLike[str] | Literal[False] | None


class ExerciseSet(Sheet):
    """Exercises, one at a time, with dots for those that are passed.

    ```python
    lab = sw.ExerciseSet([first, second, third], name="Lab 1", student="ada")
    lab["second"].answer = P("x")
    lab.check()
    ```

    Progress is written after every answer to a small JSON file in the kernel's folder, which is the notebook's, and is
    restored when the set is created again: after *Run all*, a restart, or on another day. Where that folder does not
    last (Colab), give ``progress=`` a path that does, such as one on a mounted drive; or press *Copy record* and paste
    the text into a cell: ``progress='''…'''``. Nothing leaves the machine.

    Attributes:
        current: index of the exercise on screen.
    """

    current = Int(0).tag(sync=True)

    def __init__(
        self,
        exercises: Sequence[Exercise | Callable[[Any], Exercise]],
        *,
        name: str,
        student: str = "",
        seed: Any = None,
        progress: Progress = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Shows exercises.

        Args:
            exercises: each an ``Exercise``, or a function that takes a ``random.Random`` and returns one: a variant of
                its own for each seed. A function's name is the exercise's, where that has none.
            name: of the set; records carry it.
            student: whose progress it is; records carry it.
            seed: determines the variants; None takes ``student``.
            progress: the file that keeps it; None takes one in the current folder, named after the set and the
                student; False keeps nothing; a record as text (which ``record`` and *Copy record* give) is restored.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            ValueError: there are no exercises, or one cannot be made because JAX does not determine its answer.
            RecordError: ``progress`` is a record as text of another student or version. It is a ``ValueError``.
        """
        checked(type(self), traits)
        exercises = list(exercises)
        self._again = (exercises, seed)
        seed = student if seed is None else seed
        made = [_made(item, number, draw(name, seed, number)) for number, item in enumerate(exercises)]
        if not made:
            raise ValueError("an ExerciseSet needs at least one exercise")
        _name_apart(made)
        self._exercises = tuple(made)
        self._name, self._student = name, student
        identities = "\n".join(f"{e._entry()['name']} {e._entry()['identity']}" for e in made)
        self._version = hashlib.sha256(identities.encode(errors="backslashreplace")).hexdigest()[:8]
        self._notes: list[str] = []
        self._path: Path | None = None
        self._unwritten = ""
        self._restoring = False
        pasted = isinstance(progress, str) and progress.lstrip().startswith("{")
        if pasted:
            self._take(records.parse(str(progress), "the text in progress="), "the text in progress=", unchanged=False)
        if progress is not False:
            self._find(None if pasted else progress)
        super().__init__(self._read(), mode=mode, current=self._first_open(), **traits)
        for exercise in made:
            exercise.observe(self._on_turn, "_turns")

    def __len__(self) -> int:
        return len(self._exercises)

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self._exercises)

    def __getitem__(self, key: int | str) -> Exercise:
        """An exercise by its place or its name.

        Raises:
            KeyError: none has this name.
        """
        if isinstance(key, int):
            return self._exercises[key]
        for exercise in self._exercises:
            if exercise.name == key:
                return exercise
        raise KeyError(f"no exercise is called {key!r}; the names are {', '.join(e.name for e in self._exercises)}")

    @property
    def passed(self) -> int:
        """How many exercises are passed."""
        return sum(e.passed for e in self._exercises)

    def check(self) -> None:
        """Does nothing where every exercise is passed.

        Raises:
            AssertionError: some are not; the message names each, and what is off.
        """
        left = [e for e in self._exercises if not e.passed]
        if left:
            lines = "\n".join(f"  {e._verdict()}" for e in left)
            raise AssertionError(f"{self.passed} of {len(self)} exercises are passed. Not yet:\n{lines}")

    def for_student(self, student: str) -> ExerciseSet:
        """The same set for another student, with nothing answered or kept.

        Args:
            student: whose variants to draw, unless the set was made with ``seed=``.
        """
        exercises, seed = self._again
        fresh = [e._fresh() if isinstance(e, Exercise) else e for e in exercises]
        return ExerciseSet(fresh, name=self._name, student=student, seed=seed, progress=False)

    def record(self) -> dict[str, Any]:
        """What was done, as JSON: each exercise's name, attempts, hints, last answer, and whether it is passed."""
        return {
            "format": records.FORMAT,
            "version": records.VERSION,
            "set": self._name,
            "set_version": self._version,
            "student": self._student,
            "passed": self.passed,
            "exercises": [e._entry() for e in self._exercises],
        }

    def save(self, path: str | PathLike[str]) -> str:
        """Writes the record to a file.

        Returns:
            The path.

        Raises:
            OSError: it cannot be written there.
        """
        records.write(Path(path), self.record())
        return os.fspath(path)

    def load(self, source: str | PathLike[str], *, unchanged: bool = False) -> None:
        """Restores a record. What was done here and is not in it is kept.

        Args:
            source: a path, or a record as text.
            unchanged: whether to take, from a record of another version of this set, the exercises that are the same.

        Raises:
            RecordError: it is damaged, or of another set, student or version; then nothing changes.
            OSError: the file cannot be read.
        """
        text = source if isinstance(source, str) and source.lstrip().startswith("{") else None
        where = "the text" if text is not None else os.fspath(source)
        found = records.parse(Path(source).read_text(encoding="utf-8") if text is None else text, where)
        self._take(found, where, unchanged=unchanged)
        self._on_turn(None)

    def _take(self, found: dict[str, Any], where: str, *, unchanged: bool) -> None:
        mine = self.record()
        reason = records.refusal(found, mine, where)
        if unchanged and reason and records.refusal(found | {"set_version": self._version}, mine, where) == "":
            reason = ""
        if reason:
            raise RecordError(f"{reason}. Nothing was changed." + _advice(found, mine))
        self._restore(records.merged(mine, found))

    def _restore(self, record: dict[str, Any]) -> None:
        self._restoring = True
        try:
            for exercise, entry in zip(self._exercises, record["exercises"], strict=True):
                if entry != exercise._entry():
                    exercise._restore(entry)
        finally:
            self._restoring = False

    def _find(self, progress: str | PathLike[str] | None) -> None:
        """Restores this set's own file, never another set's: that one is left alone, and a new file is begun."""
        first = Path(records.file_name(self._name, self._student) if progress is None else progress).absolute()
        for number in range(1, 1000):
            path = first if number == 1 else first.with_name(f"{first.stem}-{number}{first.suffix}")
            try:
                text = path.read_text(encoding="utf-8")
            except FileNotFoundError:
                self._path = path
                return
            except (OSError, UnicodeDecodeError) as error:
                self._notes.append(f"{path.name} cannot be read ({error}); it is left unchanged.")
                continue
            try:
                self._take(records.parse(text, path.name), path.name, unchanged=False)
            except RecordError as error:
                self._notes.append(str(error).replace("Nothing was changed.", "It stays as it is."))
                continue
            self._path = path
            return

    def _on_turn(self, change: Bunch | None) -> None:
        if self._restoring:
            return
        self._keep()
        self._redraw(self._read())

    def _keep(self) -> None:
        """Writes the record; what another notebook wrote there in the meantime is kept too."""
        if self._path is None:
            return
        mine = self.record()
        try:
            if self._path.exists():
                other = records.parse(self._path.read_text(encoding="utf-8"), self._path.name)
                if reason := records.refusal(other, mine, self._path.name):
                    raise RecordError(reason)
                mine = records.merged(mine, other)
            records.write(self._path, mine)
            self._unwritten = ""
        except (OSError, ValueError) as error:
            self._unwritten = f"Progress is not kept: {error}. Copy the record into a cell, or save it elsewhere."

    def _read(self) -> Exercises:
        name = self._called("exercises")
        questions = tuple(
            replace(e.document.questions[0], target=f"{name}[{json.dumps(e.name, ensure_ascii=False)}]")
            for e in self._exercises
        )
        kept = "" if self._path is None or self._unwritten else f"Progress is kept in {self._path.name}"
        return Exercises(
            questions[0].mesh,
            questions,
            self._name,
            self._student,
            kept,
            (*self._notes, *([self._unwritten] if self._unwritten else [])),
            records.text_of(self.record()),
            JAX_VERSION,
        )

    def _hear(self, number: int, do: Any, answer: Any) -> None:
        self._exercises[number]._hear(0, do, answer)

    def _current(self) -> int:
        return self.current

    def _first_open(self) -> int:
        return next((i for i, e in enumerate(self._exercises) if not e.passed), 0)

    @validate("current")
    def _check_current(self, proposal: Bunch) -> int:
        value = proposal["value"]
        if not 0 <= value < len(self):
            raise TraitError(f"current must be 0 to {len(self) - 1}; got {value!r}")
        return value


def _made(item: Any, number: int, choices: Any) -> Exercise:
    if isinstance(item, Exercise):
        return item
    if not callable(item):
        raise TypeError(
            f"exercise {number} must be an Exercise, or a function that makes one; got {type(item).__name__}"
        )
    name = getattr(item, "__name__", "")
    try:
        exercise = item(choices)
    except Exception as error:
        raise ValueError(f"exercise {number} ({name}) cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(exercise, Exercise):
        raise TypeError(f"exercise {number} ({name}) must return an Exercise; got {type(exercise).__name__}")
    if exercise.name == exercise.document.questions[0].task and name.isidentifier():
        exercise._rename(name)
    return exercise


def _name_apart(exercises: Sequence[Exercise]) -> None:
    """Gives each a unique name: a second ``write_spec`` is ``write_spec 2``."""
    taken: set[str] = set()
    for exercise in exercises:
        name, number = exercise.name, 2
        while name in taken:
            name, number = f"{exercise.name} {number}", number + 1
        if name != exercise.name:
            exercise._rename(name)
        taken.add(name)


def _advice(found: dict[str, Any], mine: dict[str, Any]) -> str:
    if found["set"] != mine["set"] or found["student"] != mine["student"]:
        return ""
    same = {(e["name"], e["identity"]) for e in found["exercises"]}
    count = sum((e["name"], e["identity"]) in same for e in mine["exercises"])
    return f" {count} of its exercises are the same here: load(path, unchanged=True) restores these."
