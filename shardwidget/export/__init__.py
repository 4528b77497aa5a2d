"""Documents without a kernel: as one HTML page, a picture, a film, a plain table, or text.

Each kind of document has a module of its name here, with ``headline`` (one line), ``picture`` (text) and ``table``
(HTML without scripts). ``words_of`` finds it, and documents and widgets describe themselves with it.

- Words: ``listing`` writes the columns of ``document.columns`` as text and as HTML; ``placement`` is made of ``text``
  and ``table``, which lay tiles out by ``grid``, with ``words`` and ``color``. ``values`` prints an array's values.
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
from typing import TYPE_CHECKING, Any

from shardwidget._late import late

if TYPE_CHECKING:
    from shardwidget.export import html as html
    from shardwidget.export import images as images
    from shardwidget.export import reopened as reopened
    from shardwidget.export import svg as svg
    from shardwidget.export import table as table
    from shardwidget.export import text as text
    from shardwidget.export import values as values

# What a widget needs only once it is displayed or saved.
_LATE = ("html", "images", "reopened", "svg", "table", "text", "values")
__getattr__, __dir__ = late({name: f"{__name__}.{name}" for name in _LATE}, __name__)


def words_of(document: object) -> Any:
    """The module that puts a document into words: ``headline``, ``picture`` and ``table``.

    It has the name of the module that defines the document.
    """
    return import_module(f"{__name__}.{type(document).__module__.rpartition('.')[2]}")
