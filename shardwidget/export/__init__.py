"""Documents without a kernel: as one HTML page, a picture, a film, a plain table, or text.

Each kind of document has a module of its name here, with ``headline`` (one line), ``picture`` (text) and ``table``
(HTML without scripts). Widgets and documents describe themselves with the one that ``words_of`` finds; documents ask
for it by name, since they import nothing that is built on them.

- Words: ``listing`` has the columns, tables and units of all of them; ``placement`` is made of ``text`` and ``table``,
  which lay tiles out by ``grid``, with ``words`` and ``color``. ``values`` prints an array's values.
- Pages: ``html`` makes a page or a fragment: the table, the widget's state (``state``) and the front end (``bundle``).
- Pictures: ``svg`` runs the front end's own painter in a small JavaScript engine. ``images`` makes PNG and GIF of its
  SVG, ``video`` WebM with a browser.
- ``reopened`` is what a notebook shows of a widget whose kernel is gone.

Traps: text from the user is escaped wherever it enters HTML. Hosts drop styles and scripts, so a table has only
elements and inline styles that JupyterLab's sanitiser keeps. A page may request nothing: its policy forbids it. A
picture is drawn from the widget's state by the front end; only colours of tiles, for the plain table, are stated in
both languages.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def words_of(document: object) -> Any:
    """The module that puts a document into words: ``headline``, ``picture`` and ``table``.

    It has the name of the module that defines the document.
    """
    return import_module(f"{__name__}.{type(document).__module__.rpartition('.')[2]}")
