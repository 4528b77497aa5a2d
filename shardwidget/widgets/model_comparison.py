"""What ``ModelView.compare`` shows: trees of arrays side by side."""

from __future__ import annotations

from typing import Any

from traitlets import Bool, Enum, Unicode

from shardwidget.document import ModelComparison
from shardwidget.widgets._base import DocumentWidget


class ModelComparisonView(DocumentWidget):
    """Trees of arrays side by side, each against the first. ``ModelView.compare`` makes it.

    Attributes:
        differs: whether only lines that differ are listed.
        sort: order of the lines: ``"tree"``, or ``"difference"`` of bytes on a device, the greatest first.
        search: what lines are filtered by: parts of a path, of a type or of what differs.
    """

    bundle = "model.js"

    differs = Bool(False).tag(sync=True)
    sort = Enum(["tree", "difference"], "tree").tag(sync=True)
    search = Unicode().tag(sync=True)

    @property
    def document(self) -> ModelComparison:
        """The comparison that is shown."""
        assert isinstance(self._shown, ModelComparison)
        return self._shown

    def _state(self, *, complete: bool) -> dict[str, Any]:
        return super()._state(complete=complete) | self.get_state(["differs", "sort", "search"])
