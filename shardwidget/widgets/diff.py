"""``DiffView``: what differs between two programs, memories, comparisons, traces or searches."""

from __future__ import annotations

from typing import Any, Literal

from traitlets import Bunch, Enum, Int, TraitError, validate

from shardwidget.document import ComparisonDiff, MemoryDiff, ProgramDiff, SearchDiff, TraceDiff
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked

_NO_DIFF = (
    "DiffView shows what differs between two documents, before.diff(after), of two programs, memories, comparisons, "
    "traces or searches; got a {type}. CompiledProgram.diff((f, x), (g, x)) compiles two functions."
)

SORTS = ("time", "bytes", "line", "axis")


class DiffView(DocumentWidget[ProgramDiff | MemoryDiff | ComparisonDiff | TraceDiff | SearchDiff]):
    """What differs, before and after: the dearest first, by line and mesh axes.

    ```python
    CompiledProgram.diff((f, x, w), (g, x, w))    # two programs
    CompiledProgram.added(f, x, w)                # what f asks for, and what the compiler makes of it
    DiffView(read.memory(f, x).diff(read.memory(g, x)))
    DiffView(read.comparison(f, x).diff(read.comparison(g, x)))
    DiffView(read.trace(f, x).diff(read.trace(reference, x)))
    DiffView(read.search(f, *args, mesh="v5p:64").diff(read.search(g, *args, mesh="v5p:64")))
    ```

    Attributes:
        selection: index of the row whose code is shown, in the order of the document; of two traces the index in
            ``document.steps``; -1 for the first.
        sort: order of the rows of programs and searches: ``"time"`` or ``"bytes"``, the greatest difference first; of
            programs ``"line"`` or ``"axis"`` too.
    """

    bundle = "diff.js"
    _kept = ("selection", "sort")

    selection = Int(-1).tag(sync=True)
    sort = Enum(SORTS, default_value="time").tag(sync=True)

    def __init__(
        self,
        diff: ProgramDiff | MemoryDiff | ComparisonDiff | TraceDiff | SearchDiff,
        *,
        selection: int = -1,
        sort: Literal["time", "bytes", "line", "axis"] = "time",
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Shows what ``diff`` of two documents returned.

        Args:
            diff: what differs.
            selection: index of the row whose code is shown first.
            sort: order of the rows.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``diff`` is something else, or an argument is unknown.
            TraitError: there is no such row or order.
        """
        checked(type(self), traits)
        if not isinstance(diff, ProgramDiff | MemoryDiff | ComparisonDiff | TraceDiff | SearchDiff):
            raise TypeError(_NO_DIFF.format(type=type(diff).__name__))
        super().__init__(diff, mode=mode, selection=selection, sort=sort, **traits)

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> int:
        value, shown = proposal["value"], self.document
        rows = {"program diff": "rows", "trace diff": "steps"}.get(shown.kind, "changes")
        count = len(getattr(shown, rows))
        if not -1 <= value < count:
            raise TraitError(f"selection must be -1 for the first row, or 0 to {count - 1}; got {value!r}")
        return value
