"""When a widget lets go of what it was made from: at the end of its cell, and once that cell has run again.

ipywidgets' registry, IPython's ``Out`` and the user's names hold a displayed widget for the rest of the session, and
with it whatever it holds.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol
from weakref import WeakSet

EVENT = "post_run_cell"


class Holder(Protocol):
    """A widget, which may hold arrays."""

    def _settle(self) -> bool: ...
    def _release(self) -> None: ...


class Cells:
    """Which widgets the cells of a session have displayed."""

    def __init__(self) -> None:
        self._unsettled: WeakSet[Holder] = WeakSet()
        """Those that may still hold arrays on devices: their cell runs, or the arrays are still being computed."""
        self._now: WeakSet[Holder] = WeakSet()
        """Those that the running cell has displayed."""
        self._before: dict[str, WeakSet[Holder]] = {}
        """Those that the last run of each cell displayed, by its id, or by its source where there are no ids."""

    def displayed(self, widget: Holder) -> None:
        """Settles a widget at the end of its cell; at once where there are no cells."""
        self._unsettled.add(widget)
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        if shell is None:
            self._settle()
            return
        self._now.add(widget)
        if self._on_cell not in shell.events.callbacks[EVENT]:
            shell.events.register(EVENT, self._on_cell)

    def changed(self, widget: Holder) -> None:
        """Settles a widget that shows something else, if it was displayed before, at the end of the cell."""
        if widget in self._now or any(widget in others for others in self._before.values()):
            self._unsettled.add(widget)

    def _on_cell(self, result: Any) -> None:
        self._settle()
        info = result.info
        cell = getattr(info, "cell_id", None) or str(getattr(info, "raw_cell", ""))
        gone = self._before.pop(cell, WeakSet()) - self._now
        if self._now:
            self._before[cell], self._now = self._now, WeakSet()
        for widget in gone:
            if not any(widget in others for others in self._before.values()):
                widget._release()  # noqa: SLF001

    def _settle(self) -> None:
        for widget in list(self._unsettled):
            if widget._settle():  # noqa: SLF001
                self._unsettled.discard(widget)


CELLS = Cells()
