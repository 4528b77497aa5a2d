"""``PipelineView``: a pipeline schedule as ranks over time, or several on one scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from traitlets import Bool, Bunch, Dict, Float, Int, TraitError, observe, validate

from shardwidget import read
from shardwidget.document import Schedule, Schedules, Trace
from shardwidget.pipeline.lists import compared
from shardwidget.widgets._base import Mode
from shardwidget.widgets._moving import MovingWidget
from shardwidget.widgets._options import checked
from shardwidget.widgets.stepper import ShardMapStepper

NO_STEPS = "the schedule was not read from a function: PipelineView(f, *args, microbatches=axis) has steps to show"


class PipelineView(MovingWidget[Schedule | Schedules]):
    """A pipeline schedule: which rank works on which microbatch when, what waits, and what is kept in the meantime.

    ```python
    from shardwidget import pipeline
    view = PipelineView(pipeline.one_f_one_b(4, 8))
    view.follow = 3                                     # one microbatch through all ranks
    PipelineView(f, weights, inputs, microbatches=0, argument=1)      # the schedule of your own shard_map
    view.stepper                                        # that function step by step: a ShardMapStepper
    PipelineView.compare({"1F1B": pipeline.one_f_one_b(4, 8), "ZB-H1": pipeline.zb_h1(4, 8)})
    ```

    Attributes:
        follow: the highlighted microbatch; None for none. The browser's clicks set it too.
        moment: where the playhead is, in the schedule's time.
    """

    bundle = "pipeline.js"
    _kept = ("follow", "moment")

    follow = Int(None, allow_none=True).tag(sync=True)
    moment = Float(0.0).tag(sync=True)
    _stepped = Bool(False, help="Whether the steps of its ticks can be asked for.").tag(sync=True)
    _asked = Dict(help="The tick whose step the reader wants to see: {n, tick}; empty once it has come.").tag(sync=True)
    _opened = Dict(help="That step: {n, step}, the first time with {front_end, state}; or {n, error}.").tag(sync=True)

    def __init__(
        self,
        x: Any,
        *args: Any,
        microbatches: int | None = None,
        argument: int = 0,
        axis: str | None = None,
        mesh: Any = None,
        name: str | None = None,
        follow: int | None = None,
        moment: float = 0.0,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Reads a schedule and shows it.

        Args:
            x: a ``Schedule``, or anything that ``read.schedule`` takes: lists of tasks, a schedule or a program of
                JaxPP, PyTorch's CSV, Shardy's text, a function that pipelines.
            *args: the function's arguments.
            microbatches: for an object with ``.tasks``, how many; for a function, the dimension of an argument that
                counts them.
            argument: for a function, which of its arguments that is.
            axis: the mesh axis that the ranks are on.
            mesh: the mesh, to show each rank's devices; a function has its own.
            name: what to call it; None finds a name.
            follow: the highlighted microbatch.
            moment: where the playhead is.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: there is no schedule in ``x``, or an argument is unknown.
            ValueError: the schedule is impossible, or cannot be read.
            TraitError: the microbatch or the moment does not exist.
        """
        checked(type(self), traits)
        options = {"microbatches": microbatches, "argument": argument, "axis": axis, "mesh": mesh, "name": name}
        document = x if isinstance(x, Schedules) else read.schedule(x, *args, **options)
        stepped = isinstance(document, Schedule) and document.stepped is not None
        super().__init__(document, mode=mode, follow=follow, moment=moment, _stepped=stepped, **traits)

    @classmethod
    def compare(
        cls, schedules: Mapping[str, Any], *, follow: int | None = None, mode: Mode | None = None, **traits: Any
    ) -> PipelineView:
        """Shows schedules side by side, on one scale of time.

        Where none of them states how long its tasks take, the model is the same for all: a stage that is one of two on
        its rank takes half as long.

        Args:
            schedules: by the name that each is shown under: what ``read.schedule`` takes.
            follow: the highlighted microbatch.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: something is not a schedule, or an argument is unknown.
            ValueError: there is none, or one is impossible.
        """
        checked(cls.compare, traits)
        read_ones = {name: read.schedule(one) for name, one in schedules.items()}
        return cls(compared(read_ones), follow=follow, mode=mode, **traits)

    @cached_property
    def stepper(self) -> ShardMapStepper:
        """The steps of the function that the schedule was read from. A task opened in the card moves it, too.

        Raises:
            ValueError: the schedule was not read from a function.
        """
        return ShardMapStepper(self._trace[0], mode=self._mode)

    @cached_property
    def _trace(self) -> tuple[Trace, tuple[int, ...]]:
        shown = self.document
        if not isinstance(shown, Schedule) or shown.stepped is None:
            raise ValueError(NO_STEPS)
        return shown.stepped()

    @observe("_asked")
    def _on_asked(self, change: Bunch) -> None:
        asked = change["new"]
        if not asked:
            # The browser has it by now, and the state of a saved notebook would keep it.
            self._opened = {}
            return
        try:
            self._opened = {"n": asked["n"], **self._step(asked["tick"], first=asked["first"])}
        except Exception as error:
            # The page shows it in its place; the kernel keeps running.
            self._opened = {"n": asked["n"], "error": f"{type(error).__name__}: {error}"}

    def _step(self, tick: int, *, first: bool) -> dict[str, Any]:
        self.stepper.step = step = self._trace[1][tick]
        if not first:
            return {"step": step}
        return {"step": step, **self.stepper._within()}  # noqa: SLF001

    def _release(self) -> None:
        shown = self._shown
        if isinstance(shown, Schedule) and shown.stepped is not None:
            # What was traced stays; to trace it later takes the function's arguments.
            self._shown = replace(shown, stepped=None)
            self._stepped = "_trace" in vars(self)
        if "stepper" in vars(self):
            self.stepper._release()  # noqa: SLF001

    @validate("follow")
    def _check_follow(self, proposal: Bunch) -> int | None:
        # The page may show more microbatches than the document has.
        value = proposal["value"]
        if value is not None and value < 0:
            raise TraitError(f"follow must be None or a microbatch, 0 or more; got {value!r}")
        return value

    @validate("moment")
    def _check_moment(self, proposal: Bunch) -> float:
        value = proposal["value"]
        if not (math.isfinite(value) and value >= 0):
            raise TraitError(f"moment must be a time, 0 or more; got {value!r}")
        return value
