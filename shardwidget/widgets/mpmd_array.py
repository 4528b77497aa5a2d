"""``ArrayView`` of an array on groups of devices (MPMD): every group as a panel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from traitlets import Bunch, validate

from shardwidget import read
from shardwidget._names import name_in_caller
from shardwidget.document import MpmdPlacement, Values
from shardwidget.export import words_of
from shardwidget.widgets._selection import selected_index
from shardwidget.widgets.array_view import ArrayView


class MpmdArrayView(ArrayView):
    """What ``ArrayView`` creates for JaxPP's ``MpmdArray``, and for arrays with ``groups=``.

    Attributes:
        selection: the group that is shown, ``{"group": index}``, or None. The browser's clicks set it too.
    """

    bundle = "mpmd.js"

    @property
    def document(self) -> MpmdPlacement:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The placement that is shown."""
        assert isinstance(self._shown, MpmdPlacement)
        return self._shown

    def __repr__(self) -> str:
        return words_of(self.document).picture(self.document)

    def _table(self) -> str:
        return words_of(self.document).table(self.document)

    def fetch(self) -> None:
        """Not supported for arrays on groups: their values stay on their devices.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            "an array on groups is shown from metadata; ArrayView(x) of one group's own array has values to fetch"
        )

    def _read(self, x: Any) -> MpmdPlacement:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(x, MpmdPlacement):
            return x if self._name is None else replace(x, name=self._name)
        name = name_in_caller(x) if self._name is None else self._name
        made: Any = read.placement(x, name=name, groups=self._groups)
        if not isinstance(made, MpmdPlacement):
            raise TypeError(
                f"this view shows an array on groups, and {type(x).__name__} is on one mesh; ArrayView(x) makes a view "
                "for it"
            )
        return made

    def _state(self, *, complete: bool) -> dict[str, Any]:
        return super(ArrayView, self)._state(complete=complete) | {"selection": self.selection}

    def _fetch(self, device_ids: list[int]) -> Values:
        return Values()

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> dict[str, Any] | None:
        return selected_index(proposal["value"], "group", self.document.groups)
