"""Filling in a block: the values that a device holds after a collective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shardwidget.document import Feedback, Field, Figure, Listing, Part, Step, Table, Trace
from shardwidget.read._trace.trace import trace_mapped
from shardwidget.teach import forms, run
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.source import figure_of

MOST = 64
"""The most values of a block that are asked for."""

MOST_SHOWN = 16
"""The most devices whose blocks are shown."""


class FillBlock(Kind):
    """Asks for the values that a device holds after a collective.

    Args:
        f: a function that calls ``jax.shard_map``.
        *args: its arguments.
        device: the device whose block is asked for.
        step: index of the step in ``read.trace(f, *args).steps``; None takes the first collective.
        source: the text to show; None reads that of ``f``.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: there is no such step or device, the program fails, or the block is too large to fill in.
    """

    task = "fill_block"

    def __init__(
        self,
        f: Callable[..., Any],
        *args: Any,
        device: int,
        step: int | None = None,
        source: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(options)
        trace = trace_mapped(f, args)
        if trace.error is not None:
            # A function that names its mesh does not depend on the one that the notebook has set.
            with run.on_no_mesh():
                alone = trace_mapped(f, args)
            trace = trace if alone.error is not None else alone
        if trace.error is not None:
            raise ValueError(f"the exercise has no truth: {trace.error.error}: {trace.error.message}")
        self._step = _step(trace, step)
        self._ids = trace.mesh.device_ids.array().tolist()
        if device not in self._ids:
            raise ValueError(f"the mesh has no device {device}; its devices are {self._ids[:8]}")
        self._device = device
        self._name = self._step.primitive if self._step.collective is None else self._step.collective.kind
        self._truth = _number(self._step.outputs[0].value(device))
        if self._truth.size > MOST or self._truth.ndim > 2 or self._truth.size == 0:
            raise ValueError(
                f"a block of shape {self._truth.shape} cannot be filled in: at most {MOST} values in rows and columns"
            )
        self.mesh = trace.mesh
        rows, columns = np.atleast_2d(self._truth).shape
        label = f"{self._step.outputs[0].name} on device {device}, after {self._name}"
        self.fields = (Field("block", label, "grid", shape=(rows, columns)),)
        listing = figure_of(f, args, source) if source is not None or not trace.listings else _listed(trace, args)
        self.figures = (listing, Figure(f"before {self._name}", tables=self._before(trace)))
        axes = self._step.collective.axes if self._step.collective else ()
        over = f" over `{'`, `'.join(axes)}`" if axes else ""
        self.prompt = f"What does device {device} hold after `{self._name}`{over}?"
        self.hints = (
            f"Who takes part: devices whose coordinates differ from those of device {device} only along the axis.",
            "Then do what the collective does to their blocks, in the order of that axis.",
        )
        self._identity = f"{listing.listing} {run.describe(args)} {device} {self._name} {self._truth.tolist()}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        mine = answer["block"].reshape(self._truth.shape)
        right = np.isclose(mine, self._truth, rtol=1e-4, atol=1e-6)
        cells = tuple(bool(c) for c in right.ravel())
        if right.all():
            return Feedback("right", f"Device {self._device} holds that.", parts=(Part("block", True, cells=cells),))
        count = f"{int(right.sum())} of {right.size} values are right."
        message = f"{count} {self._mistake(mine)}".strip()
        question = (
            f"Which devices take part with device {self._device}?" if not right.any() else "What do the others lack?"
        )
        return Feedback(
            "partly" if right.any() else "wrong", message, question, parts=(Part("block", False, message, cells),)
        )

    def _mistake(self, mine: np.ndarray) -> str:
        """Which known mistake the answer is."""
        before, after = self._step.inputs[0], self._step.outputs[0]
        for device in self._ids[:MOST_SHOWN]:
            held = _number(before.value(device))
            if held.shape == mine.shape and np.allclose(held, mine):
                return f"This is what device {device} had before the {self._name}."
        for device in self._ids[:MOST_SHOWN]:
            held = _number(after.value(device))
            if held.shape == mine.shape and np.allclose(held, mine):
                return f"This is what device {device} holds afterwards."
        return ""

    def _before(self, trace: Trace) -> tuple[Table, ...]:
        """The blocks before: of all devices or, if there are many, of the device's group."""
        groups = self._step.collective.groups if self._step.collective else ()
        shown = self._ids
        if len(shown) > MOST_SHOWN:
            shown = next((list(g) for g in groups if self._device in g), [self._device])[:MOST_SHOWN]
        name = self._step.inputs[0].name
        return tuple(Table(f"{name} on device {d}", _rows(self._step.inputs[0].value(d))) for d in shown)


def _step(trace: Trace, number: int | None) -> Step:
    if number is None:
        found = [s for s in trace.steps if s.collective is not None and not s.implicit and s.outputs and s.inputs]
        if not found:
            raise ValueError("the function has no collective to ask about; give step=")
        return found[0]
    if not 0 <= number < len(trace.steps) or not trace.steps[number].outputs or not trace.steps[number].inputs:
        raise ValueError(f"step={number} is not a step that gives a value; give one of 0 to {len(trace.steps) - 1}")
    return trace.steps[number]


def _listed(trace: Trace, args: tuple[Any, ...]) -> Figure:
    listing = trace.listings[0]
    return Figure(trace.name, listing=Listing("", 1, listing.lines))


def _number(value: Any) -> np.ndarray:
    return np.asarray(value).astype(np.float64)


def _rows(value: Any) -> tuple[tuple[str, ...], ...]:
    block = np.atleast_2d(_number(value))
    flat = block.reshape(-1, block.shape[-1])[:8, :16]
    return tuple(tuple(forms.number_text(float(v)) for v in row) for row in flat)
