"""``read.namespace``: what memory the arrays of a session take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shardwidget.document import Namespace
from shardwidget.read import _errors
from shardwidget.read._namespace.look import Looks

NO_NAMES = "there is no IPython here to read names from. Give them: read.namespace(globals()), or a dict of your own."

_HISTORY = re.compile(r"_+|_i+|_\d+|_i\d+|__\w+__|_[dio]h")
_SHELL = frozenset({"In", "Out", "exit", "quit", "get_ipython", "open"})
"""Names that IPython and Python set."""


def namespace(names: Mapping[str, Any] | None = None) -> Namespace:
    """Reads which names hold arrays, and which arrays no name holds, without touching their data.

    Args:
        names: values by name, such as ``globals()``; None for the names of IPython.

    Raises:
        RuntimeError: there is no IPython, and no names are given.
        TypeError: the names are not a mapping.
    """
    if names is not None:
        return Looks().look(visible(names))
    shell = running()
    if shell is None:
        raise RuntimeError(NO_NAMES)
    return Looks().look(visible(shell.user_ns))


def running() -> Any:
    """The IPython that runs this; None outside of it."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def visible(names: Mapping[str, Any]) -> dict[str, Any]:
    """The user's own names, and after them the outputs of cells that IPython keeps, as ``Out[3]``.

    Raises:
        TypeError: they are not a mapping.
    """
    if not isinstance(names, Mapping):
        raise TypeError(
            f"names must be a mapping from names to values, such as globals(); got a {_errors.type_of(names)}"
        )
    # Whatever code has put into globals(), looking at it after each cell must work.
    out = {name if isinstance(name, str) else repr(name): value for name, value in names.items()}
    for name in _SHELL.union([n for n in out if n[:1] == "_" and _HISTORY.fullmatch(n)]):
        out.pop(name, None)
    outputs = names.get("Out")
    if isinstance(outputs, dict):
        out |= {f"Out[{cell}]": value for cell, value in list(outputs.items())}
    return out
