"""What widgets of compiled programs have in common: one program or several, each with the call that it is of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from traitlets import Bunch, Int, TraitError, validate

from shardwidget.document import Program, Programs
from shardwidget.widgets._moving import MovingWidget
from shardwidget.widgets._pages import ProgramPages

Call = tuple[Any, tuple[Any, ...], Mapping[str, Any] | None]
"""A function, its arguments and its keyword arguments."""

_Found = TypeVar("_Found")

_NOT_CALLABLE = "it was given as a {what}, which cannot be called: there is nothing to run. Give the function itself."


class ProgramWidget(MovingWidget[Program | Programs]):
    """A widget of one program, or of several side by side."""

    _calls: tuple[Call, ...]
    _mesh: Any
    _reads: ProgramPages

    opened = Int(None, allow_none=True).tag(sync=True)

    def _programs(self) -> tuple[Program, ...]:
        return self.document.programs if isinstance(self.document, Programs) else (self.document,)

    def _at(self) -> Program | None:
        """The program that ``selection`` and ``axis`` refer to."""
        if isinstance(self.document, Program):
            return self.document
        return None if self.opened is None else self.document.programs[self.opened]

    def _each(self, find: Callable[[int, Program], _Found]) -> tuple[dict[int, _Found], str]:
        """What is found for each program, by its index, and why it is not for others.

        Raises:
            ValueError: it is found for none.
        """
        found, trouble = dict[int, _Found](), list[str]()
        shown = self._programs()
        for at, program in enumerate(shown):
            try:
                found[at] = find(at, program)
            except ValueError as error:
                if len(shown) == 1:
                    raise
                trouble.append(f"{program.name}: {error}")
        if not found:
            raise ValueError("\n".join(trouble))
        return found, "\n".join(trouble)

    def _by_name(self, found: Mapping[int, _Found]) -> _Found | dict[str, _Found]:
        """What is found for the one program; side by side, by the name of each."""
        if isinstance(self.document, Program):
            return found[0]
        return {self._programs()[at].name: one for at, one in found.items()}

    def _callable(self, at: int) -> Call:
        """A program's function and its arguments.

        Raises:
            ValueError: it was given as something that cannot be called.
        """
        f, args, kwargs = self._calls[at]
        if not isinstance(f, Callable):
            raise ValueError(_NOT_CALLABLE.format(what=type(f).__name__))
        return f, args, kwargs

    @validate("opened")
    def _check_opened(self, proposal: Bunch) -> int | None:
        value = proposal["value"]
        if value is not None and (isinstance(self.document, Program) or not 0 <= value < len(self.document.programs)):
            last = "None: a single program is always open"
            if isinstance(self.document, Programs):
                last = f"None or a program, 0 to {len(self.document.programs) - 1}"
            raise TraitError(f"opened must be {last}; got {value!r}")
        return value
