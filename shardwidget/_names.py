"""What the user calls an object: the variable in their own frame that is bound to it."""

from __future__ import annotations

import sys
from typing import Any

_HERE = __name__.partition(".")[0]


def name_in_caller(x: Any) -> str:
    """The one variable, in the nearest frame outside of this package, that is bound to this very object.

    Names that begin with ``_`` (a notebook's history) or that a tool generated do not count. Empty if there is no such
    variable, or more than one: a wrong name is worse than none.
    """
    frame = sys._getframe(1)  # noqa: SLF001
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _HERE:
        frame = frame.f_back
    if frame is None:
        return ""
    for scope in (frame.f_locals, frame.f_globals):
        names = [name for name, value in list(scope.items()) if value is x]
        names = [name for name in names if name.isidentifier() and not name.startswith("_")]
        if names:
            return names[0] if len(names) == 1 else ""
    return ""
