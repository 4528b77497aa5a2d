"""``Exercise``: a question that checks itself."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from traitlets import Any as AnyTrait
from traitlets import Bool, Bunch, Int, observe, validate

from shardwidget._text import visible
from shardwidget.document import Exercises
from shardwidget.read._errors import type_of
from shardwidget.teach.add_wait import AddWait
from shardwidget.teach.attempts import Attempts
from shardwidget.teach.choose_collective import ChooseCollective
from shardwidget.teach.choose_threshold import ChooseThreshold
from shardwidget.teach.fill_block import FillBlock
from shardwidget.teach.find_leaf import FindLeaf
from shardwidget.teach.find_race import FindRace
from shardwidget.teach.forms import AnswerError
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.lower_communication import LowerCommunication
from shardwidget.teach.may_overlap import MayOverlap
from shardwidget.teach.order_tasks import OrderTasks
from shardwidget.teach.predict_error import PredictError
from shardwidget.teach.predict_peak import PredictPeak
from shardwidget.teach.predict_type import PredictType
from shardwidget.teach.put_specs import PutSpecs
from shardwidget.teach.read_placement import ReadPlacement
from shardwidget.teach.read_schedule import ReadSchedule
from shardwidget.teach.repair import Repair
from shardwidget.teach.run import JAX_VERSION
from shardwidget.teach.shard_tree import ShardTree
from shardwidget.teach.variant import draw
from shardwidget.teach.write_spec import WriteSpec
from shardwidget.widgets._base import Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._sheet import Sheet

_ASSIGNED = 8
"""Frames from the check of an answer to the line that assigns it: those between are traitlets'."""

_NO_KIND = (
    "Exercise has a constructor for each kind of question: Exercise.read_placement(x), "
    "Exercise.write_spec((8, 16), mesh, local_shape=(4, 4)), and others that dir(Exercise) lists; got a {got}."
)

Asked = TypeVar("Asked")
P = ParamSpec("P")


def _asks(kind: Callable[P, Kind]) -> classmethod[Any, P, Exercise]:
    """The constructor for a kind of question: it takes what the kind takes, and says what the kind says."""

    def ask(cls: type[Exercise], *args: P.args, **kwargs: P.kwargs) -> Exercise:
        asked = kind(*args, **kwargs)
        return cls(asked, **asked.options)

    of = inspect.signature(kind)
    first = inspect.Parameter("cls", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    shown = of.replace(parameters=[first, *of.parameters.values()], return_annotation="Exercise")
    setattr(ask, "__signature__", shown)  # noqa: B010
    ask.__name__ = vars(kind)["task"]
    ask.__qualname__ = f"Exercise.{ask.__name__}"
    ask.__doc__ = kind.__doc__
    return classmethod(ask)


class Exercise(Sheet):
    """A question whose truth JAX knows. There is a constructor for each kind of question.

    ```python
    exercise = sw.Exercise.write_spec((8, 16), mesh, local_shape=(4, 4), copies=1)
    exercise.answer = P("y", "x")       # or fill it in on screen
    exercise.check()                    # raises AssertionError until it is right
    ```

    Every kind takes ``prompt=`` (the question in the teacher's words; code between backquotes), ``hints=`` (a list,
    given one by one), ``name=`` and ``mode=``. One whose truth JAX cannot tell raises ``ValueError`` when it is made.

    Attributes:
        answer: the last answer. Assigning one judges it, as filling it in does. One of another form does not count: a
            warning and the card say why, the previous answer is kept, and later cells run.
        passed: whether an answer was right. Once True, it stays True.
        attempts: answers that were judged. The same one twice in a row counts once.
    """

    answer = AnyTrait(None, allow_none=True)
    passed = Bool(False, read_only=True)
    attempts = Int(0, read_only=True)

    _turns = Int(0, help="Counts everything that the reader did.")

    def __init__(
        self,
        kind: Kind,
        *,
        prompt: str | None = None,
        hints: Sequence[str] | None = None,
        name: str = "",
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Asks a question.

        Args:
            kind: what is asked; ``Exercise.read_placement`` and its like make it.
            prompt: the question in words; None takes the kind's own.
            hints: given one by one; None takes the kind's own.
            name: what messages call it.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel, and cannot be answered.
            **traits: traits of every ipywidget, such as ``layout=``.
        """
        checked(type(self), traits)
        if isinstance(hints, str):
            raise TypeError(f"hints must be a list of texts; got the text {hints!r}")
        if not isinstance(kind, Kind):
            raise TypeError(_NO_KIND.format(got=type_of(kind)))
        hints = kind.hints if hints is None else tuple(hints)
        self._attempts = Attempts(kind, name or kind.task, prompt, hints)
        self._pending: Answer = {}
        self._judging = self._displayed = False
        super().__init__(self._read(), mode=mode, **traits)

    # ── What can be asked ─────────────────────────────────────────────────────────────────────────────────────────────

    read_placement = _asks(ReadPlacement)
    write_spec = _asks(WriteSpec)
    predict_type = _asks(PredictType)
    predict_error = _asks(PredictError)
    choose_collective = _asks(ChooseCollective)
    fill_block = _asks(FillBlock)
    put_specs = _asks(PutSpecs)
    repair = _asks(Repair)
    lower_communication = _asks(LowerCommunication)
    read_schedule = _asks(ReadSchedule)
    order_tasks = _asks(OrderTasks)
    find_leaf = _asks(FindLeaf)
    shard_tree = _asks(ShardTree)
    predict_peak = _asks(PredictPeak)
    choose_threshold = _asks(ChooseThreshold)
    may_overlap = _asks(MayOverlap)
    find_race = _asks(FindRace)
    add_wait = _asks(AddWait)

    @classmethod
    def variant(cls, make: Callable[[Any], Asked], *, seed: Any) -> Asked:
        """Makes an exercise whose numbers follow from a seed.

        Args:
            make: takes a ``random.Random`` and returns an exercise.
            seed: for example a student's name. The same seed gives the same exercise on every machine.
        """
        return make(draw(seed))

    # ── What a cell does ──────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._attempts.name

    def check(self) -> None:
        """Does nothing where the exercise is passed, for nbgrader's cells and plain asserts.

        Raises:
            AssertionError: it is not answered yet, or not correctly; the message says what is off.
        """
        if not self.passed:
            raise AssertionError(self._verdict())

    def hint(self) -> str:
        """The next hint."""
        text = self._attempts.hint()
        if text:
            self._changed()
        return text or "There are no more hints."

    def open(self) -> None:
        """Opens the connection if it is displayed by itself; in a set, the set displays it."""
        if self._displayed:
            super().open()

    @property
    def model_id(self) -> Any:
        """The id by which a host finds it. Whoever asks for it is about to display it."""
        self._displayed = True
        self.open()
        return super().model_id

    def _hear(self, number: int, do: Any, answer: Any) -> None:
        if do == "hint":
            self.hint()
        elif do == "answer":
            try:
                self._give(self._attempts.kind.read(answer))
            except Exception as error:
                if isinstance(error, AnswerError):
                    self._attempts.refuse(str(error))
                self._changed()

    def _restore(self, entry: dict[str, Any]) -> None:
        """Restores it from a record."""
        self._attempts.restore(entry)
        try:
            values = self._attempts.kind.read({g.field: g.text for g in self._attempts.answer})
            self._set_judged(values)
        except AnswerError:
            self._changed()

    def _entry(self) -> dict[str, Any]:
        """What a record keeps of it."""
        return self._attempts.entry()

    def _rename(self, name: str) -> None:
        """Gives it another name, unique in a set."""
        self._attempts.name = name
        self._changed()

    @validate("answer")
    def _check_answer(self, proposal: Bunch) -> Any:
        if proposal["value"] is None or self._judging:
            return proposal["value"]
        try:
            self._pending = self._attempts.kind.read(proposal["value"])
        except AnswerError as error:
            self._attempts.refuse(str(error))
            self._changed()
            said = visible(f"{self.name}: not counted: {error}", "\n")
            warnings.warn(said, UserWarning, stacklevel=_ASSIGNED)
            return self.answer
        return self._attempts.kind.public(self._pending)

    @observe("answer")
    def _on_answer(self, change: Bunch) -> None:
        if change["new"] is not None and not self._judging:
            self._give(self._pending)

    def _give(self, values: Answer) -> None:
        self._attempts.give(values)
        self._set_judged(values)

    def _fresh(self) -> Exercise:
        """The same question, unanswered."""
        kept = self._attempts
        return Exercise(kept.kind, prompt=kept.prompt, hints=kept.hints, name=kept.name)

    def _set_judged(self, values: Answer) -> None:
        """Sets the traits to what has been judged."""
        self._judging = True
        try:
            self.answer = self._attempts.kind.public(values)
        finally:
            self._judging = False
        self._changed()

    def _changed(self) -> None:
        self._redraw(self._read())
        self.set_trait("attempts", self._attempts.count)
        self.set_trait("passed", self._attempts.passed)
        self._turns += 1

    def _read(self) -> Exercises:
        question = self._attempts.question(self._called("exercise"))
        return Exercises(question.mesh, (question,), jax_version=JAX_VERSION)

    def _verdict(self) -> str:
        """What keeps it from being passed, in words."""
        feedback = self._attempts.feedback
        if feedback is not None and feedback.verdict == "malformed":
            words = ["the last answer does not count.", feedback.message]
        elif not self._attempts.answer or feedback is None:
            words = ["not answered yet. Fill it in on screen, or assign exercise.answer in a cell."]
        else:
            said = f"{feedback.error}: {feedback.said}" if feedback.error else ""
            words = [f"not yet, after {_times(self.attempts)}.", feedback.message, said, feedback.question]
        return f"{visible(self.name)}: " + visible(" ".join(filter(None, words)), "\n")

    def _current(self) -> int:
        return 0


def _times(count: int) -> str:
    return "1 attempt" if count == 1 else f"{count} attempts"
