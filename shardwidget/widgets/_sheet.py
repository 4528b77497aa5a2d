"""What one exercise and a set of them have in common: a sheet on screen, and what its reader asks of Python."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from traitlets import Bunch, Dict, Int, observe

from shardwidget.document import Exercises, to_wire
from shardwidget.export import exercise, svg
from shardwidget.widgets._base import PAPER_WIDTH, DocumentWidget


class Sheet(DocumentWidget[Exercises]):
    """Exercises on screen. The browser sends what is filled in; Python judges and sends the document again."""

    bundle = "exercise.js"
    _cell = 0
    """Number of the notebook's cell that displays it; 0 where there is none."""

    _asked = Dict(help="What the reader did last: {n, do, question, answer}; n makes each one new.").tag(sync=True)
    _heard = Int(0, help="The n of the last one handled.").tag(sync=True)

    @abstractmethod
    def _hear(self, number: int, do: Any, answer: Any) -> None:
        """Handles what a reader does on screen with an exercise: ``"answer"`` with texts by field, or ``"hint"``."""

    @abstractmethod
    def _current(self) -> int:
        """Index of the exercise on screen."""

    @abstractmethod
    def _read(self) -> Exercises:
        """What there is to show now."""

    def _called(self, otherwise: str) -> str:
        """What a cell calls this sheet: a variable of the notebook, or the output that contains it.

        Args:
            otherwise: what to call it where neither is known.
        """
        for name, value in list(vars(sys.modules["__main__"]).items()):
            if value is self and not name.startswith("_"):
                return name
        return f"Out[{self._cell}]" if self._cell else otherwise

    def _before_display(self) -> None:
        # The variable is assigned after the sheet is made, and the number of the cell is known when it is displayed.
        cells = vars(sys.modules["__main__"]).get("In")
        self._cell = len(cells) - 1 if isinstance(cells, list) else 0
        self._redraw(self._read())

    def _redraw(self, document: Exercises) -> None:
        self._shown = document
        self._document = to_wire(document)

    def _words(self) -> str:
        return exercise.picture(self.document, self._current())

    def _state(self, *, complete: bool) -> dict[str, Any]:
        return super()._state(complete=complete) | {"current": self._current()}

    def _sheets(self, picture: str) -> Sequence[str]:
        if len(self.document.questions) == 1:
            return super()._sheets(picture)
        states = ({**self._on_paper(), "current": i} for i in range(len(self.document.questions)))
        return [svg.picture(state, width=PAPER_WIDTH, theme=self._theme(None)) for state in states]

    def _on_paper(self) -> dict[str, Any]:
        return super()._on_paper() | {"current": None}

    @observe("_asked")
    def _on_asked(self, change: Bunch) -> None:
        asked = change["new"]
        number = asked.get("question")
        # The result and the confirmation arrive together.
        with self.hold_sync():
            if isinstance(number, int) and 0 <= number < len(self.document.questions):
                self._hear(number, asked.get("do"), asked.get("answer"))
            if isinstance(asked.get("n"), int):
                self._heard = asked["n"]
