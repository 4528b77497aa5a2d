"""Keyword arguments of widgets besides their own: those of every ipywidget, and the message for unknown ones."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ipywidgets import DOMWidget

BASE = tuple(sorted(name for name in DOMWidget.class_traits(sync=True) if not name.startswith("_")))
"""Traits of every widget: ``layout``, ``tabbable``, ``tooltip``."""


def checked(cls: Callable[..., Any], options: dict[str, Any], f: Any = None) -> dict[str, Any]:
    """The options, if each is a trait of every ipywidget.

    Args:
        cls: what was called: a widget class, or a function that makes a widget.
        options: keyword arguments that are not among its own.
        f: the user's function, whose own keyword arguments go into ``kwargs=``.

    Raises:
        TypeError: an option is unknown; the message lists the legal ones.
    """
    unknown = [name for name in options if name not in BASE]
    if not unknown:
        return options
    parameters = inspect.signature(cls).parameters.values()
    own = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    called = getattr(cls, "__qualname__", str(cls))
    listed = ", ".join(map(repr, unknown))
    words = f"{called} has no argument {listed}.{near(unknown[0], [*own, *BASE])}"
    if meant := [name for name in unknown if "kwargs" in own and name in _parameters(f)]:
        given = ", ".join(f"{name!r}: …" for name in meant)
        words += f" To pass {', '.join(meant)} on to {getattr(f, '__name__', 'the function')}, give kwargs={{{given}}}."
    raise TypeError(f"{words} Its keyword arguments are {', '.join([*own, *BASE])}.")


def near(name: str, known: Iterable[str]) -> str:
    """A sentence that names what was probably meant; empty where nothing is close."""
    found = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {found[0]!r}?" if found else ""


def _parameters(f: Any) -> frozenset[str]:
    """Names that a function takes as keyword arguments."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
