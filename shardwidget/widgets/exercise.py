"""``Exercise``: a question that checks itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from traitlets import Any as AnyTrait
from traitlets import Bool, Bunch, Int, observe, validate

from shardwidget.document import Exercises
from shardwidget.teach.attempts import Attempts
from shardwidget.teach.choose_collective import ChooseCollective
from shardwidget.teach.choose_threshold import ChooseThreshold
from shardwidget.teach.fill_block import FillBlock
from shardwidget.teach.find_leaf import FindLeaf
from shardwidget.teach.forms import AnswerError
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.lower_communication import LowerCommunication
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
            warning and the card say why, the answer before it stays, and the cells after it run.
        passed: whether an answer was right. It stays so.
        attempts: answers that were judged. The same one twice in a row counts once.
    """

    answer = AnyTrait(None, allow_none=True)
    passed = Bool(False, read_only=True)
    attempts = Int(0, read_only=True)

    _turns = Int(0, help="Counts all that the reader did.")

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
        hints = kind.hints if hints is None else tuple(hints)
        self._attempts = Attempts(kind, name or kind.task, prompt, hints)
        self._pending: Answer = {}
        self._judging = self._displayed = False
        super().__init__(self._read(), mode=mode, **traits)

    # ── Kinds ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def read_placement(
        cls, x: Any, ask: str | Sequence[str] = "local shape", *, picture: bool = False, **options: Any
    ) -> Exercise:
        """Asks what a sharding says of an array.

        Args:
            x: anything that ``read.placement`` takes.
            ask: ``"local shape"``, ``"copies"``, ``"bytes per device"``, ``"devices of element (5, 3)"``,
                ``"slice of device 3"``, or a list of these.
            picture: whether to show the array cut and placed, rather than its type and the mesh alone.
            **options: ``prompt hints name mode``.
        """
        return cls(ReadPlacement(x, ask, picture=picture), **options)

    @classmethod
    def write_spec(
        cls,
        shape: tuple[int, ...],
        mesh: Any,
        *,
        dtype: Any = "float32",
        gives: Any = None,
        local_shape: tuple[int, ...] | None = None,
        copies: int | None = None,
        bytes_per_device: int | None = None,
        rejected: bool | str = False,
        **options: Any,
    ) -> Exercise:
        """Asks for a PartitionSpec; every spec with the effect is right.

        Args:
            shape: shape of the array.
            mesh: a ``Mesh`` or ``AbstractMesh``.
            dtype: dtype of the array.
            gives: a spec; its picture is shown and is to be given again.
            local_shape: shape of each device's block.
            copies: devices that hold each block.
            bytes_per_device: bytes of each device's block.
            rejected: True for a spec that JAX refuses; the name of an exception's class for one that it refuses so.
            **options: ``prompt hints name mode``.
        """
        kind = WriteSpec(
            shape,
            mesh,
            dtype=dtype,
            gives=gives,
            local_shape=local_shape,
            copies=copies,
            bytes_per_device=bytes_per_device,
            rejected=rejected,
        )
        return cls(kind, **options)

    @classmethod
    def predict_type(cls, f: Callable[..., Any], *args: Any, source: str | None = None, **options: Any) -> Exercise:
        """Asks for the type of ``f(*args)`` on an Explicit mesh.

        Args:
            f: a function with one array as its result.
            *args: arrays, or ``jax.ShapeDtypeStruct`` with shardings.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls(PredictType(f, *args, source=source), **options)

    @classmethod
    def predict_error(
        cls,
        f: Callable[..., Any],
        *args: Any,
        among: Sequence[str] | None = None,
        source: str | None = None,
        **options: Any,
    ) -> Exercise:
        """Asks which exception ``f(*args)`` raises, or whether it runs.

        Args:
            f: a function.
            *args: its arguments; with ``jax.ShapeDtypeStruct`` among them it is traced and not run.
            among: names of the classes to choose from; None takes the common ones.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls(PredictError(f, *args, among=among, source=source), **options)

    @classmethod
    def choose_collective(cls, before: Any, after: Any, **options: Any) -> Exercise:
        """Asks for the collective that turns one layout of an array into another.

        Args:
            before: an array, a ``jax.ShapeDtypeStruct`` with a sharding, or ``(shape, dtype, sharding)``.
            after: the same, of the same shape and on the same mesh.
            **options: ``prompt hints name mode``.
        """
        return cls(ChooseCollective(before, after), **options)

    @classmethod
    def fill_block(
        cls,
        f: Callable[..., Any],
        *args: Any,
        device: int,
        step: int | None = None,
        source: str | None = None,
        **options: Any,
    ) -> Exercise:
        """Asks for the values that a device holds after a collective.

        Args:
            f: a function that calls ``jax.shard_map``.
            *args: its arguments.
            device: the device whose block is asked for.
            step: index of the step in ``read.trace(f, *args).steps``; None takes the first collective.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls(FillBlock(f, *args, device=device, step=step, source=source), **options)

    @classmethod
    def put_specs(
        cls,
        body: Callable[..., Any],
        *args: Any,
        mesh: Any,
        gives: Any,
        at_most: int | None = None,
        source: str | None = None,
        **options: Any,
    ) -> Exercise:
        """Asks for the in_specs and out_specs with which a body gives what it should.

        Args:
            body: what runs on each device.
            *args: whole arrays; each gets one in_spec.
            mesh: a ``Mesh`` or ``AbstractMesh``; without devices it is simulated.
            gives: an array, or a function of the arguments.
            at_most: bytes of the arguments that a device may hold.
            source: the text to show; None reads that of ``body``.
            **options: ``prompt hints name mode``.
        """
        return cls(PutSpecs(body, *args, mesh=mesh, gives=gives, at_most=at_most, source=source), **options)

    @classmethod
    def repair(
        cls, f: Callable[..., Any], *args: Any, gives: Any, source: str | None = None, **options: Any
    ) -> Exercise:
        """Asks for a fixed function, which a cell assigns: ``exercise.answer = fixed``.

        Args:
            f: the broken one.
            *args: arguments that both are called with.
            gives: what should come out: a value, or a function of the arguments.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls(Repair(f, *args, gives=gives, source=source), **options)

    @classmethod
    def lower_communication(
        cls, f: Callable[..., Any], *args: Any, below: int | None = None, source: str | None = None, **options: Any
    ) -> Exercise:
        """Asks for a function with the same result that sends less, which a cell assigns.

        Args:
            f: a function that sends too much.
            *args: arguments on a mesh with devices.
            below: most bytes that a device may send in the compiled program; None asks for less than ``f`` sends.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls(LowerCommunication(f, *args, below=below, source=source), **options)

    @classmethod
    def read_schedule(cls, schedule: Any, **options: Any) -> Exercise:
        """Asks for a pipeline schedule's bubble, and for the most activations that a rank keeps.

        Args:
            schedule: what ``read.schedule`` takes.
            **options: ``prompt hints name mode``.
        """
        return cls(ReadSchedule(schedule), **options)

    @classmethod
    def order_tasks(cls, schedule: Any, *, rank: int, **options: Any) -> Exercise:
        """Asks for the order of one rank's tasks; the simulator judges it.

        Args:
            schedule: what ``read.schedule`` takes.
            rank: whose tasks.
            **options: ``prompt hints name mode``.
        """
        return cls(OrderTasks(schedule, rank), **options)

    @classmethod
    def find_leaf(cls, tree: Any, **options: Any) -> Exercise:
        """Asks which array of a tree takes more of a device than it needs to.

        Args:
            tree: what ``read.model`` takes.
            **options: ``prompt hints name mode``.
        """
        return cls(FindLeaf(tree), **options)

    @classmethod
    def shard_tree(cls, tree: Any, *, below: int, **options: Any) -> Exercise:
        """Asks for rules, ``pattern → P(...)``, after which no device holds more than so many bytes of a tree.

        Args:
            tree: what ``read.model`` takes.
            below: most bytes that a device may hold.
            **options: ``prompt hints name mode``.
        """
        return cls(ShardTree(tree, below=below), **options)

    @classmethod
    def predict_peak(
        cls, f: Callable[..., Any], *args: Any, within: float = 0.1, source: str | None = None, **options: Any
    ) -> Exercise:
        """Asks how many bytes a device holds at the peak of a compiled program.

        Args:
            f: a function.
            *args: its arguments, on a mesh with devices.
            within: how far an answer may be off, as a part of the truth.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls(PredictPeak(f, *args, within=within, source=source), **options)

    @classmethod
    def choose_threshold(cls, plan: Any, *, at_most: int, **options: Any) -> Exercise:
        """Asks for the threshold of a reshard plan that keeps every device within a limit, in the fewest chunks.

        Args:
            plan: what ``read.reshard_plan`` returns, to groups or from them.
            at_most: bytes that a device may hold at any moment.
            **options: ``prompt hints name mode``.
        """
        return cls(ChooseThreshold(plan, at_most), **options)

    @classmethod
    def variant(cls, make: Callable[[Any], Exercise], *, seed: Any) -> Exercise:
        """Makes an exercise whose numbers follow from a seed.

        Args:
            make: takes a ``random.Random`` and returns an exercise.
            seed: a student's name, say. The same seed gives the same exercise on every machine.
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
            AssertionError: it is not answered yet, or not rightly; the message says what is off.
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
        """Opens the connection where it is displayed by itself; in a set, the set's own shows it."""
        if self._displayed:
            super().open()

    @property
    def model_id(self) -> Any:
        """What a host finds it by. Who asks for it is about to display it."""
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
            self._tell(values)
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
            warnings.warn(f"{self.name}: not counted: {error}", UserWarning, stacklevel=_ASSIGNED)
            return self.answer
        return self._attempts.kind.public(self._pending)

    @observe("answer")
    def _on_answer(self, change: Bunch) -> None:
        if change["new"] is not None and not self._judging:
            self._give(self._pending)

    def _give(self, values: Answer) -> None:
        self._attempts.give(values)
        self._tell(values)

    def _fresh(self) -> Exercise:
        """The same question, which nobody has answered."""
        kept = self._attempts
        return Exercise(kept.kind, prompt=kept.prompt, hints=kept.hints, name=kept.name)

    def _tell(self, values: Answer) -> None:
        """Sets the traits to what is judged already."""
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
            return f"{self.name}: the last answer does not count. {feedback.message}"
        if not self._attempts.answer or feedback is None:
            return f"{self.name}: not answered yet. Fill it in on screen, or assign exercise.answer in a cell."
        words = [
            feedback.message,
            *([f"{feedback.error}: {feedback.said}"] if feedback.error else []),
            feedback.question,
        ]
        return f"{self.name}: not yet, after {_times(self.attempts)}. {' '.join(w for w in words if w)}"

    def _current(self) -> int:
        return 0


def _times(count: int) -> str:
    return "1 attempt" if count == 1 else f"{count} attempts"
