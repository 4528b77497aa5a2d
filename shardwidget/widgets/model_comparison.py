"""What ``ModelView.compare`` shows: trees of arrays side by side."""

from __future__ import annotations

from traitlets import Bool, Bunch, Enum, TraitError, Unicode, validate

from shardwidget.document import ModelComparison
from shardwidget.widgets._base import DocumentWidget
from shardwidget.widgets._selection import index_trait


class ModelComparisonView(DocumentWidget[ModelComparison]):
    """Trees of arrays side by side, each against the first. ``ModelView.compare`` makes it.

    Attributes:
        selection: the line that is chosen, ``{"path": path}`` with its path, ``layers/0…11/qkv``, or that of one of its
            rows, ``layers/3/qkv``; None for the first.
        differs: whether only lines that differ are listed.
        sort: order of the lines: ``"tree"``, or ``"difference"`` of bytes on a device, the greatest first.
        search: what lines are filtered by: parts of a path, of a type or of what differs.
    """

    bundle = "tree.js"
    _kept = ("selection", "differs", "sort", "search")

    selection = index_trait("path")
    differs = Bool(False).tag(sync=True)
    sort = Enum(["tree", "difference"], "tree").tag(sync=True)
    search = Unicode().tag(sync=True)

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> dict[str, str] | None:
        selection = proposal["value"]
        if selection is None:
            return None
        path = selection.get("path") if isinstance(selection, dict) and len(selection) == 1 else None
        lines, rows = self.document.lines, self.document.rows
        for line in lines:
            if path == line.path or path in [rows[row].path for row in line.rows.array()]:
                return {"path": line.path}
        known = ", ".join(line.path for line in lines[:4])
        legal = f'None or {{"path": path}} with one that is listed, such as {known}'
        raise TraitError(f"selection must be {legal}; got {selection!r}")
