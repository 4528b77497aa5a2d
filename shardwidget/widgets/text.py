"""``TextView``: a document that is words, in the frame of a view."""

from __future__ import annotations

from typing import Any

from traitlets import Unicode

from shardwidget.document import Trace
from shardwidget.document.base import Document
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked


class TextView(DocumentWidget[Document]):
    """What a document says in words, such as why JAX compiled again: its first line, and what follows.

    ``show`` makes one for documents that have no picture of their own.
    """

    bundle = "text.js"
    _kept = ("_text",)

    _text = Unicode().tag(sync=True)

    def __init__(self, document: Document, *, mode: Mode | None = None, **traits: Any) -> None:
        """Shows the words of a document.

        Args:
            document: what a reader returned.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: it is not a document, or an argument is unknown.
        """
        checked(type(self), traits)
        if not isinstance(document, Document):
            raise TypeError(
                f"TextView shows what a reader returned, such as read.recompiled(f, x); got {document!r:.60}"
            )
        text = repr(document)
        if isinstance(document, Trace):  # Of which the words alone are shown.
            document = document.without_values()
        super().__init__(document, mode=mode, _text=text, **traits)
