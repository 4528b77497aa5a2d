"""Where widgets have their front end from: in a Jupyter kernel one model holds the text of a bundle for all of them.

A widget's model would otherwise carry the text of its bundle, as would the state of a saved notebook, for each widget.
The front end of such a widget, ``loader.js``, asks the page's widget manager for the model that has the text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Protocol
from weakref import WeakKeyDictionary

import ipywidgets
from traitlets import Unicode

from shardwidget._front_end import front_end, running_cell
from shardwidget.export import bundle


class Source(ipywidgets.Widget):
    """The text of one file of the front end."""

    text = Unicode().tag(sync=True)


class Carries(Protocol):
    """A page, which has texts of the front end."""

    def missing(self, keys: Iterable[str]) -> set[str]:
        """Those whose texts must be brought now."""
        ...


class BundleOutputs:
    """Which outputs of a kernel brought which text of the front end, for those that need no kernel."""

    def __init__(self) -> None:
        self._by: dict[str, tuple[str, str]] = {}
        """Of each text, the cell that brought it, and the run of it."""

    def missing(self, keys: Iterable[str]) -> set[str]:
        """Those that the output which is displayed now must bring: nobody did, or an output that it replaces."""
        cell, run = now = running_cell()
        found = {k for k in keys if k not in self._by or (self._by[k][0] == cell and self._by[k][1] != run)}
        self._by |= dict.fromkeys(found, now)
        return found


_SOURCES: WeakKeyDictionary[object, dict[str, Source]] = WeakKeyDictionary()
"""Of each kernel, by the name of the file."""


_CARRIED: WeakKeyDictionary[object, BundleOutputs] = WeakKeyDictionary()


def carried() -> BundleOutputs | None:
    """Of the kernel whose outputs are on one page; None where each output must be complete."""
    where = kernel()
    return None if where is None or not front_end().one_page else _CARRIED.setdefault(where, BundleOutputs())


def kernel() -> object | None:
    """The Jupyter kernel whose front ends find any model by its id; None for other hosts.

    Each output of Colab is a page of its own, and marimo serves the text of a front end as one file.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return None if "google.colab" in sys.modules else getattr(shell, "kernel", None)


def source(name: str, kernel: object) -> Source:
    """The model that has the text of a file; another one once the front end was built again or all models were closed.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    text = bundle.read(name)
    sources = _SOURCES.setdefault(kernel, {})
    held = sources.get(name)
    if held is None or held.comm is None or held.text != text:
        held = sources[name] = Source(text=text)
    return held
