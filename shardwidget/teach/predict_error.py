"""Predicting an error: which exception a call raises, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from shardwidget.document import Feedback, Field, Part
from shardwidget.teach import layouts, run
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.source import figure_of

RUNS = "it runs"

MEANINGS = {
    RUNS: "It would run if every operation had one possible result sharding, and every spec fitted its array.",
    "ShardingTypeError": "A ShardingTypeError would mean that an operation on an Explicit mesh could have its result "
    "sharded in more than one way, or not at all.",
    "DuplicateSpecError": "A DuplicateSpecError would mean that one spec uses a mesh axis twice.",
    "IndivisibleError": "An IndivisibleError would mean that a dimension does not divide by its devices.",
    "ValueError": "A ValueError would mean that a value is wrong: a size that does not divide, an axis that the mesh "
    "does not have, out_specs that claim replication.",
    "TypeError": "A TypeError would mean that shapes, dtypes or kinds of arguments are incompatible.",
}
"""What each answer would mean."""

CHOICES = (RUNS, "ShardingTypeError", "DuplicateSpecError", "ValueError", "TypeError")


class PredictError(Kind):
    """Asks which exception ``f(*args)`` raises, or whether it runs.

    Args:
        f: a function.
        *args: its arguments; with ``jax.ShapeDtypeStruct`` among them it is traced and not run.
        among: names of the classes to choose from; None takes the common ones.
        source: the text to show; None reads that of ``f``.
        **options: ``prompt hints name mode``.
    """

    task = "predict_error"
    prompt = "What does JAX do when this is called?"
    hints = (
        "Go line by line: which mesh axes does each operand carry, and in which dimension?",
        "Where several shardings are possible, an Explicit mesh makes you choose; where none is, it raises.",
    )

    def __init__(
        self,
        f: Callable[..., Any],
        *args: Any,
        among: Sequence[str] | None = None,
        source: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(options)
        self._outcome = replace(run.call(f, args), value=None)  # A result on devices would stay there.
        truth = self._outcome.error or RUNS
        self._truth = truth
        classes = sorted({*(among or CHOICES[1:]), truth} - {RUNS})
        self.mesh = layouts.mesh_document(layouts.mesh_of(args))
        self.figures = (figure_of(f, args, source),)
        self.fields = (Field("error", "JAX raises", "choice", (RUNS, *classes)),)
        self._identity = f"{self.figures[0].listing} {run.describe(args)} {among}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        mine = answer["error"]
        if mine == self._truth:
            if not self._outcome.error:
                return Feedback("right", "It runs.", parts=(Part("error", True),))
            message = "JAX raises it, as you said. " + self._outcome.explanation
            said: Any = {"error": self._outcome.error, "said": self._outcome.said}
            return Feedback("right", message.strip(), parts=(Part("error", True),), **said)
        message = MEANINGS.get(mine, f"It is not a {mine}.")
        if mine == RUNS:
            question = "Which operation stops, and which axes of its operands conflict?"
        elif self._outcome.error:
            question = "JAX refuses it, but for another reason: what does it check there?"
        else:
            question = "Is there really an operation here that JAX must refuse?"
        kind = "partly" if self._outcome.error and mine != RUNS else "wrong"
        return Feedback(kind, message, question, parts=(Part("error", False, message),))
