"""What every kind of exercise has: things to look at, a form to fill in, and a judgement of what is filled in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from shardwidget.document import Feedback, Field, Figure, Given, Mesh, Part, Playground
from shardwidget.document.exercise import QuestionKind
from shardwidget.read._entries import spec_text
from shardwidget.teach import forms
from shardwidget.teach.errands import Judging, Source, here
from shardwidget.teach.forms import AnswerError
from shardwidget.teach.source import listing_of
from shardwidget.teach.travel import Names, names_for

Answer = dict[str, Any]
"""What was answered, by the name of the field."""


class Kind(ABC):
    """A question whose truth JAX knows. Making one asks JAX; a question without a truth cannot be made."""

    task: ClassVar[QuestionKind]
    mesh: Mesh
    prompt: str
    """The question, unless the teacher words it."""
    fields: tuple[Field, ...]
    playground: Playground | None = None
    """The editor of the only field, where that is the spec of an array."""
    figures: tuple[Figure, ...] = ()
    goal: str = ""
    says_goal: ClassVar[bool] = False
    """Whether ``prompt`` states the goal: then it stands beside a teacher's words alone."""
    names_from: Callable[..., Any] | None = None
    """The teacher's function, whose names a recorded function finds."""
    secret: Any = None
    """What a recorded function must not find: the function that gives the truth."""
    hints: tuple[str, ...] = ()
    """The hints, unless the teacher writes some."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        """How the exercise is put: ``prompt hints name mode``, and traits of its widget."""

    @cached_property
    def names(self) -> Names:
        """What a recorded function finds by name."""
        return names_for(self.names_from, self.secret)

    @property
    def asks_for_code(self) -> bool:
        """Whether a cell answers it, with a function."""
        return any(f.form == "code" for f in self.fields)

    def judge(self, answer: Answer) -> Feedback:
        """What an answer means. It may say which quantity is off and what would result, never the right answer."""
        return here(self.judging(answer))

    def judging(self, answer: Answer) -> Judging:
        """The same; what it runs of the student's is yielded, to be run where that is safe."""
        return self.judge(answer)
        yield

    @abstractmethod
    def identity(self) -> str:
        """What distinguishes this exercise: a record with another identity belongs to another exercise."""

    def read(self, answer: Any) -> Answer:
        """An answer as a cell assigns it, or as the browser sends it (text by field), field by field.

        Raises:
            AnswerError: it does not have the required form.
        """
        names = [f.name for f in self.fields]
        if isinstance(answer, Mapping):
            if unknown := [str(k) for k in answer if k not in names]:
                raise AnswerError(f"no field is called {', '.join(map(repr, unknown))}; fill in {_list(names)}")
            if missing := [f.label for f in self.fields if _is_empty(answer.get(f.name))]:
                raise AnswerError(f"nothing is filled in for {_list(missing)}")
            given = [answer[name] for name in names]
        elif len(names) == 1:
            given = [answer]
        elif isinstance(answer, Sequence) and not isinstance(answer, str) and len(answer) == len(names):
            given = list(answer)
        else:
            labels = _list([f.label for f in self.fields])
            raise AnswerError(f"answer with {len(names)} things, in this order: {labels}; got {answer!r}")
        return {f.name: self.read_field(f, value) for f, value in zip(self.fields, given, strict=True)}

    def read_field(self, field: Field, value: Any) -> Any:
        """What is filled in for one field.

        Raises:
            AnswerError: it does not have the form of the field.
        """
        match field.form:
            case "spec":
                return forms.read_spec(value)
            case "devices":
                return forms.read_devices(value)
            case "grid":
                return forms.read_numbers(value, field.shape)
            case "choice":
                return _choice(field, value)
            case "code":
                return _function(value)
        raise NotImplementedError(field.form)

    def public(self, answer: Answer) -> Any:
        """An answer as a cell finds it in ``exercise.answer``: the value itself where there is only one field."""
        values = {f.name: self.public_field(f, answer[f.name]) for f in self.fields}
        return next(iter(values.values())) if len(values) == 1 else values

    def public_field(self, field: Field, value: Any) -> Any:
        """What is filled in for one field, as a cell would write it."""
        return value

    def write(self, answer: Answer) -> tuple[Given, ...]:
        """An answer as text, which ``read`` takes again unless it is a function."""
        return tuple(Given(f.name, self.write_field(f, answer[f.name])) for f in self.fields)

    def write_field(self, field: Field, value: Any) -> str:
        """What is filled in for one field, as text."""
        match field.form:
            case "spec":
                return spec_text(value)
            case "devices":
                return ", ".join(map(str, sorted(value)))
            case "grid":
                return forms.grid_text(value)
            case "code":
                return function_text(value)
        return str(value)


def not_right(examples: Iterable[str], right: Callable[[str], bool]) -> str:
    """The first of some examples that is not the correct answer, and so can be shown in an empty field."""
    return next(example for example in examples if not right(example))


def verdict(parts: Sequence[Part], message: str = "", question: str = "", **more: Any) -> Feedback:
    """Feedback from the verdicts on the fields: right where all are, partly where some are."""
    right = [p.right or any(p.cells) for p in parts]
    if all(p.right for p in parts):
        return Feedback("right", message or "All of it.", "", parts=tuple(parts), **more)
    notes = " ".join(p.note for p in parts if p.note)
    kind = "partly" if any(right) else "wrong"
    return Feedback(kind, message or notes, question, parts=tuple(parts), **more)


def function_text(f: Any) -> str:
    """A function's own lines; its name where they cannot be read."""
    try:
        return "\n".join(listing_of(f).lines)
    except ValueError:
        return getattr(f, "__name__", type(f).__name__)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _choice(field: Field, value: Any) -> str:
    name = value.__name__ if isinstance(value, type) else value
    if isinstance(name, str) and name.strip() in field.options:
        return name.strip()
    raise AnswerError(f"{value!r} is not among the choices: {_list(field.options)}")


def _function(value: Any) -> Any:
    if isinstance(value, Source) and not value.text.strip():
        raise AnswerError("nothing is filled in; answer with a function")
    if callable(value):
        return value
    raise AnswerError(f"answer with a function, assigned in a cell: exercise.answer = f; got {type(value).__name__}")


def _list(words: Sequence[str]) -> str:
    return ", ".join(words)
