"""Predicting a type: the one that JAX gives a result on an Explicit mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.document import Feedback, Field, Figure, Part
from shardwidget.teach import layouts, run
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.source import figure_of, type_of
from shardwidget.teach.types import Typed, read_type


class PredictType(Kind):
    """Asks for the type of ``f(*args)`` on an Explicit mesh.

    Args:
        f: a function with one array as its result.
        *args: arrays, or ``jax.ShapeDtypeStruct`` with shardings.
        source: the text to show; None reads that of ``f``.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: JAX gives the result no type, or there are several results.
    """

    task = "predict_type"
    prompt = "Which type does JAX give the result? Write it as `jax.typeof` prints it."
    hints = (
        "Follow each dimension of the result back: an elementwise operation keeps its split, a transpose moves it.",
        "A dimension that is summed away loses its split; a new dimension of size 1 has none.",
    )

    def __init__(self, f: Callable[..., Any], *args: Any, source: str | None = None, **options: Any) -> None:
        super().__init__(options)
        outcome = run.call(lambda *a: run.typed(f, a), args)
        if outcome.error:
            raise ValueError(
                f"the exercise has no truth: JAX gives no type, but {outcome.error}: {outcome.said}\n"
                "To ask for the error, use Exercise.predict_error."
            )
        leaves = jax.tree.leaves(outcome.value)
        if len(leaves) != 1:
            raise ValueError(f"predict_type asks for one type; the function has {len(leaves)} results")
        self._text = type_of(leaves[0])
        self._truth = read_type(self._text)
        self._dtype = str(leaves[0].dtype)
        self._jax_mesh = layouts.mesh_of(args)
        self.mesh = layouts.mesh_document(self._jax_mesh)
        self.figures = (figure_of(f, args, source),)
        self.fields = (
            Field(
                "type",
                "type of the result",
                "text",
                example=next(e for e in ("f32[8@x,16]", "f32[6,4@y]") if read_type(e) != self._truth),
            ),
        )
        self._identity = f"{self.figures[0].listing} {run.describe(args)}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def read_field(self, field: Field, value: Any) -> Typed:
        """A type, taken apart."""
        return read_type(value)

    def public_field(self, field: Field, value: Typed) -> str:
        """The type as text."""
        return str(value)

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        mine, truth = answer["type"], self._truth
        figure = self._figure(mine)
        if mine == truth:
            return Feedback("right", "JAX gives the same type.", "", str(mine), (Part("type", True),), figure)
        off = list(_differences(mine, truth))
        message = " ".join(note for note, _ in off)
        near = mine.shape == truth.shape
        kind = "partly" if near and any(a == b for a, b in zip(mine.axes, truth.axes, strict=True)) else "wrong"
        return Feedback(kind, message, off[0][1], str(mine), (Part("type", False, message),), figure)

    def _figure(self, mine: Typed) -> Figure | None:
        """Where an array of the answered type would be placed; None if that is not a type of this mesh."""
        if self._jax_mesh is None:
            return None
        parts = {a: kind for kind, a in mine.states if kind.startswith("U")}
        kind = next(iter(parts.values()), "U").removeprefix("U").removeprefix("_") or "sum"
        states: dict[str, Any] = {"unreduced": frozenset(parts)}
        try:
            split = (a[0] if len(a) == 1 else a or None for a in mine.axes)
            spec = PartitionSpec(*split, **states, **_jax.of_kind(kind))
            return Figure(f"your answer: {mine}", layouts.place(mine.shape, self._dtype, self._jax_mesh, spec))
        except Exception:
            return None


def _differences(mine: Typed, truth: Typed) -> Any:
    if len(mine.shape) != len(truth.shape):
        many = "many" if len(mine.shape) > len(truth.shape) else "few"
        yield f"{len(mine.shape)} dimensions are too {many}.", "Which dimensions does the operation keep?"
        return
    for d, (a, b) in enumerate(zip(mine.shape, truth.shape, strict=True)):
        if a != b:
            yield (
                f"The size of dim {d} is off: types have global sizes.",
                f"Where does dim {d} of the result come from?",
            )
    for d, (a, b) in enumerate(zip(mine.axes, truth.axes, strict=True)):
        if a == b:
            continue
        question = f"Which dimension of which operand does dim {d} of the result come from, and how is that split?"
        if not a:
            yield f"Dim {d} is split, and your answer leaves it whole.", question
        elif set(a) == set(b):
            yield f"Dim {d} is split over these axes, in another order.", "Which axis is the major one?"
        else:
            yield f"Dim {d} is not split over {' and '.join(a)}.", question
    if mine.states != truth.states:
        alike = {a for _, a in mine.states} == {a for _, a in truth.states}
        asks = "How are the parts combined?" if alike else "Over which axes do the devices hold parts of a sum?"
        yield "The part in braces is off.", asks
    if mine.dtype != truth.dtype:
        yield f"The dtype is not {mine.dtype}.", "What dtype do the operands promote to?"
