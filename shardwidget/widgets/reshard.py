"""``ReshardPlanView``: how arrays move to another layout, chunk by chunk, and what devices hold meanwhile."""

from __future__ import annotations

from typing import Any

from traitlets import Bunch, Int, TraitError, observe, validate

from shardwidget import read
from shardwidget.document import ReshardPlan
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._progress import Progress


class ReshardPlanView(DocumentWidget[ReshardPlan]):
    """A plan: which arrays move together, over which axes, and what a device of each group holds for a moment.

    ```python
    view = ReshardPlanView(params, targets, mesh, "stage", threshold=2**30)
    view.threshold = 2**28                  # other chunks at once; the slider does the same
    view.chunk = 3
    ReshardPlanView(x, sharding)            # what jax.device_put(x, sharding) moves
    ReshardPlanView(read.reshard_plan(...))
    ```

    Attributes:
        chunk: index of the chunk that is shown. The browser's steps arrive here too.
        threshold: bytes that the weights of a chunk may sum to; 0 for ``device_put``, which has none.
    """

    bundle = "reshard.js"
    _kept = ("chunk", "threshold")

    chunk = Int(0).tag(sync=True)
    threshold = Int(0).tag(sync=True)

    def __init__(
        self,
        arrays: Any,
        targets: Any = None,
        mesh: Any = None,
        axis: str = "",
        *,
        threshold: int | None = None,
        compiled: bool = False,
        chunk: int = 0,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Plans, and shows the plan. Nothing is moved.

        Args:
            arrays: a ``ReshardPlan``, or what ``read.reshard_plan`` takes: a pytree of arrays.
            targets: where each of them goes.
            mesh: the mesh of all groups; None for ``device_put``.
            axis: the axis that divides it.
            threshold: bytes that the weights of a chunk may sum to; None for the plan's own.
            compiled: whether to compile the programs, to say which collectives move each array.
            chunk: index of the chunk shown first.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: an array or a target is of another form, or an argument is unknown.
            ValueError: the plan cannot be made, or the threshold is not above 0; the message says why.
            TraitError: there is no such chunk.
        """
        checked(type(self), traits)
        if isinstance(arrays, ReshardPlan):
            if targets is not None or mesh is not None or axis or compiled:
                raise TypeError("a ReshardPlan has its targets, mesh and axis: give ReshardPlanView(plan) alone")
            plan = arrays if threshold is None else arrays.with_threshold(threshold)
        elif mesh is None:
            plan = read.reshard_plan(arrays, targets, compiled=compiled)
        else:
            with Progress("compiling: program") as progress:
                plan = read.reshard_plan(
                    arrays, targets, mesh, axis, threshold=threshold, compiled=compiled, progress=progress
                )
        super().__init__(plan, mode=mode, threshold=plan.threshold, chunk=chunk, **traits)

    @property
    def document(self) -> ReshardPlan:
        """The plan that is shown, with the current threshold."""
        same = self.threshold == self._shown.threshold
        return self._shown if same else self._shown.with_threshold(self.threshold)

    @observe("threshold")
    def _on_threshold(self, _: Bunch) -> None:
        # Fewer chunks: the one that was shown may be gone.
        self.chunk = min(self.chunk, max(0, len(self.document.chunks) - 1))

    @validate("threshold")
    def _check_threshold(self, proposal: Bunch) -> int:
        value = proposal["value"]
        if value != self._shown.threshold:
            try:
                self._shown.with_threshold(value)
            except ValueError as error:
                raise TraitError(str(error)) from error
        return value

    @validate("chunk")
    def _check_chunk(self, proposal: Bunch) -> int:
        value, count = proposal["value"], len(self.document.chunks)
        if not 0 <= value < max(1, count):
            raise TraitError(f"chunk must be 0 to {max(0, count - 1)}; got {value!r}")
        return value
