"""Writing in_specs and out_specs with which a body runs and gives what it should."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax.sharding import AxisType, PartitionSpec

from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Figure, Part
from shardwidget.teach import layouts, run
from shardwidget.teach.kind import Answer, AnswerError, Kind
from shardwidget.teach.results import difference, result
from shardwidget.teach.source import argument_names, figure_of, figure_of_value


class PutSpecs(Kind):
    """Asks for the in_specs and out_specs with which a body gives what it should.

    Args:
        body: what runs on each device.
        *args: whole arrays; each gets one in_spec.
        mesh: a ``Mesh`` or ``AbstractMesh``; without devices it is simulated.
        gives: an array, or a function of the arguments.
        at_most: bytes of the arguments that a device may hold.
        source: the text to show; None reads that of ``body``.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: ``gives`` raises, or has several results.
    """

    task = "put_specs"
    prompt = "Write in_specs and out_specs with which this body runs on every device and gives the wanted result."
    hints = (
        "Which block of each argument does one device need? Its in_spec cuts what the body works through.",
        "A collective over an axis adds or joins what differs along it: the argument must be cut along that axis.",
        "out_specs name the axes along which results differ; a name left out claims that all are equal there.",
    )

    def __init__(
        self,
        body: Callable[..., Any],
        *args: Any,
        mesh: Any,
        gives: Any,
        at_most: int | None = None,
        source: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(options)
        self._body, self._args, self._at_most = body, args, at_most
        self._mesh = layouts.with_types(mesh, AxisType.Auto)
        wanted = run.wanted_value(gives, args)
        self._wanted = result(wanted)
        if len(self._wanted.leaves) != 1:
            raise ValueError("put_specs asks for one out_spec: gives must be one array")
        self.mesh = layouts.mesh_document(mesh)
        names = argument_names(body, len(args))
        self.fields = (
            *(Field(f"in{i}", f"in_spec of {name}", "spec", example="P(…, …)") for i, name in enumerate(names)),
            Field("out", "out_specs", "spec", example="P(…)"),
        )
        self.figures = (figure_of(body, args, source), figure_of_value("wanted", wanted))
        if at_most is not None:
            self.prompt += f" No device may hold more than {byte_count(at_most)} of the arguments."
        self._identity = f"{self.figures[0].listing} {run.describe(args)} {self.mesh.shape} {at_most}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def read(self, answer: Any) -> Answer:
        """``(in_specs, out_specs)``, or all specs one after another."""
        # As shard_map takes them: (in_specs, out_specs).
        if not isinstance(answer, str | Mapping) and isinstance(answer, Sequence) and len(answer) == 2:
            first, out = answer
            if isinstance(first, tuple | list) and not isinstance(first, PartitionSpec):
                answer = (*first, out)
        if isinstance(answer, tuple | list) and len(answer) != len(self.fields):
            raise AnswerError(f"answer with (in_specs, out_specs), with {len(self._args)} in_specs; got {answer!r}")
        return super().read(answer)

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        ins = tuple(answer[f"in{i}"] for i in range(len(self._args)))
        f = jax.shard_map(self._body, mesh=self._mesh, in_specs=ins, out_specs=answer["out"])
        outcome = run.mapped(f, self._args)
        figure = self._figure(ins)
        if outcome.error:
            message = outcome.explanation or "JAX refuses these specs."
            about_out = "out_specs" in outcome.said
            parts = tuple(Part(f.name, about_out and f.name != "out", "") for f in self.fields)
            question = (
                "Along which axes are the results equal, and along which do they differ?"
                if about_out
                else "Which argument does JAX's message name, and is its size divisible?"
            )
            said = {"error": outcome.error, "said": outcome.said, "figure": figure}
            return Feedback("partly" if about_out else "wrong", message, question, parts=parts, **said)
        if off := difference(result(outcome.value), self._wanted):
            parts = tuple(Part(f.name, False) for f in self.fields)
            question = "Which blocks must meet in the body, and which parts must be added or concatenated?"
            return Feedback("wrong", f"It runs. {off}", question, parts=parts, figure=figure)
        if self._at_most is not None and (held := self._bytes_held(ins)) > self._at_most:
            parts = tuple(Part(f.name, f.name == "out") for f in self.fields)
            message = f"The result is right. A device holds {byte_count(held)} of the arguments: too much."
            return Feedback(
                "partly", message, "Which argument is copied where it could be cut?", parts=parts, figure=figure
            )
        parts = tuple(Part(f.name, True) for f in self.fields)
        return Feedback("right", "It runs, and the result is what is asked for.", parts=parts, figure=figure)

    def _bytes_held(self, ins: tuple[PartitionSpec, ...]) -> int:
        return sum(self._place(x, spec).bytes_per_device for x, spec in zip(self._args, ins, strict=True))

    def _place(self, x: Any, spec: PartitionSpec) -> Any:
        return layouts.place(tuple(x.shape), x.dtype, self._mesh, spec)

    def _figure(self, ins: tuple[PartitionSpec, ...]) -> Figure | None:
        """The first argument as the answer cuts it."""
        try:
            return Figure("the first argument", self._place(self._args[0], ins[0]))
        except Exception:
            return None
