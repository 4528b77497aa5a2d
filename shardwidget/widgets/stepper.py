"""``ShardMapStepper``: a program of ``shard_map`` regions, stepped through on its mesh."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from traitlets import Bool, Bunch, Int, List, TraitError, Unicode, observe, validate

from shardwidget.document import Trace, to_wire
from shardwidget.read import _errors
from shardwidget.widgets._base import Mode
from shardwidget.widgets._moving import MovingWidget
from shardwidget.widgets._options import checked

if TYPE_CHECKING:
    from shardwidget.cost import Interconnect
    from shardwidget.widgets.algorithms import AlgorithmView


class ShardMapStepper(MovingWidget[Trace]):
    """A function run step by step: every equation, every device's values, every collective.

    ```python
    stepper = ShardMapStepper(f, x, w)
    stepper.step = 3                    # shows a step; the browser sets it too
    stepper.watch = ["acc"]             # shows the latest value of these variables at every step
    stepper.used = 0                    # of a program that stops: shows it with the first fix; -1 as it is
    stepper.document.steps[3].outputs[0].value(5)
    stepper.to_gif("steps.gif", steps=range(2, 5))
    ```

    Attributes:
        step: index of the step that is shown.
        watch: names of variables that every device shows besides the step's own.
        used: index of the fix that a program which stops is shown with; -1 for the program as it is. The user's
            function stays as it is.
    """

    bundle = "stepper.js"
    _kept = ("step", "watch")
    _later: Mapping[str, str] = {"_parts": "stepper-parts.js"}
    _others = " Collectives move: show the step of one, or play several with steps=range(0, 5)."

    step = Int(0).tag(sync=True)
    watch = List(Unicode()).tag(sync=True)
    used = Int(-1).tag(sync=True)
    _usable = Bool(False, help="Whether the program can be traced with a fix.").tag(sync=True)
    _parts = Unicode(help="The module of what few readers open, which the card loads when it is needed.").tag(sync=True)

    def __init__(
        self,
        f: Callable[..., Any] | Trace,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        engine: Literal["host"] | None = None,
        keep: int | None = None,
        interconnect: str | Interconnect | None = None,
        step: int | None = None,
        watch: list[str] | None = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Runs a function and shows it.

        Args:
            f: a function made by ``jax.shard_map``, or one (jitted or not) that calls some; or a document, ``Trace``.
            *args: its arguments; a ``jax.ShapeDtypeStruct`` is filled with 0, 1, 2 ….
            kwargs: keyword arguments of ``f``.
            engine: ``"host"`` simulates the mesh on the host; None runs on the mesh's own devices where there are
                enough.
            keep: the most bytes of values that are kept in full; None for ``config.keep``.
            interconnect: what estimated times are shown for first: a name in ``shardwidget.cost.INTERCONNECTS``, for
                example ``"TPU v5e"`` or ``"H100"``, or an ``Interconnect`` of your own numbers.
            step: the step shown first; None for the one that stops, if JAX refuses the program, else the first
                collective, else the last step.
            watch: names of variables to show at every step.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``f`` is not a function, the arguments do not fit it, or an argument is unknown.
            ValueError: ``f`` has no ``shard_map`` in it, or there is no such interconnect.
            TraitError: the step or a watched name does not exist.
        """
        checked(type(self), traits, f)
        if isinstance(f, Trace):
            trace = f
            if not trace.regions and trace.error is None:
                raise ValueError(_errors.NO_SHARD_MAP.format(name=trace.name or "f"))
        else:
            from shardwidget.read._trace.trace import trace_mapped  # What is loaded is shown where there is no JAX.

            trace = trace_mapped(f, args, kwargs, engine, keep, interconnect)
        at = trace.event if step is None else step
        self._given, self._fixed = trace, -1
        super().__init__(trace, mode=mode, step=at, watch=watch or [], _usable=trace.retraced is not None, **traits)

    def algorithms(self, step: int | None = None) -> AlgorithmView:
        """Two algorithms of a step's collective side by side, for the bytes that the step sends.

        Args:
            step: index of the step; None for the one that is shown.

        Raises:
            ValueError: the step communicates nothing, or its collective has no algorithms.
        """
        from shardwidget.widgets.algorithms import AlgorithmView

        at = self.step if step is None else step
        shown = self.document.steps[at]
        collective = shown.collective
        if collective is None or collective.group_size < 2:
            sends = [str(k) for k, one in enumerate(self.document.steps) if one.collective is not None]
            raise ValueError(f"step {at} sends nothing; the steps with collectives are {', '.join(sends) or 'none'}")
        block = shown.inputs[0]
        nbytes = max(1, -(-math.prod(block.shape) * block.bits // 8))
        return AlgorithmView(collective.kind, collective.group_size, nbytes=nbytes, mode=self._mode)

    def _settle(self) -> bool:
        as_given = self._shown is self._given
        self._shown = _on_host(self.document)
        self._given = self.document if as_given else _on_host(self._given)
        return True

    def _release(self) -> None:
        self._shown, self._given = self.document.without_values(), self._given.without_values()
        self._usable = False

    @validate("used")
    def _check_used(self, proposal: Bunch) -> int:
        value = proposal["value"]
        if value != self._fixed:
            try:
                self._shown = self._given if value == -1 else _on_host(self._given.with_fix(value))
            except (IndexError, ValueError) as error:
                raise TraitError(str(error)) from None
            except Exception as error:
                self._usable = False  # The card, which waits for it, offers it no more.
                raise TraitError(f"with this fix the program cannot be traced: {error}") from error
            self._fixed = value
        return value

    @observe("used")
    def _on_used(self, _: Any) -> None:
        trace = self.document
        known = {v.name for v in trace.variables}
        with self.hold_sync():
            self._document = to_wire(trace)
            self.watch, self.step = [name for name in self.watch if name in known], trace.event

    def _film_steps(self, steps: range) -> tuple[int, int]:
        count = len(self.document.steps)
        if not isinstance(steps, range) or steps.step != 1 or not 0 <= steps.start < steps.stop <= count:
            raise ValueError(
                f"steps must be a range of steps that follow one another, within range({count}); got {steps!r}"
            )
        return steps.start, steps.stop - 1

    @validate("step")
    def _check_step(self, proposal: Bunch) -> int:
        value, count = proposal["value"], len(self.document.steps)
        if not 0 <= value < count:
            raise TraitError(f"step must be 0 to {count - 1}; got {value!r}")
        return value

    @validate("watch")
    def _check_watch(self, proposal: Bunch) -> list[str]:
        known = {v.name for v in self.document.variables}
        missing = [name for name in proposal["value"] if name not in known]
        if missing:
            raise TraitError(
                f"no variable of this trace is called {', '.join(map(repr, missing))}; the names are "
                f"{', '.join(sorted(known))}"
            )
        return proposal["value"]


def _on_host(trace: Trace) -> Trace:
    """The same, with what it keeps of arrays on devices copied to the host."""
    if trace.kept is None:
        return replace(trace, call=None)
    trace.kept.to_host()
    return replace(trace, outputs=trace.kept.shapes(trace.outputs), call=None)
