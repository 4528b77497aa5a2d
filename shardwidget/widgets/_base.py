"""What every widget does: hold a document, send it to the front end, export it, and describe what it shows in text."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import anywidget
import traitlets
from ipywidgets import widget_serialization
from traitlets import Unicode

from shardwidget import export
from shardwidget._config import Config, Mode, config
from shardwidget._front_end import front_end
from shardwidget._text import visible
from shardwidget.document import to_wire
from shardwidget.export import bundle, words_of
from shardwidget.widgets import _sharing, _sources
from shardwidget.widgets._cells import CELLS
from shardwidget.widgets._options import near

if TYPE_CHECKING:
    from shardwidget.document import Document

LARGEST_PICTURE = 2**18
"""Bytes of SVG above which the fallback that is saved with a notebook is only a table."""


PAPER_WIDTH = 760
"""Width of that fallback in CSS pixels: its text is readable on A4, also beside the prompts of a notebook."""

_OPEN_ON_PAPER = (
    "<style>@media print{.shardwidget-table::details-content{block-size:auto;content-visibility:visible}}</style>"
)
"""Opens the table on paper (JupyterLab's File → Print, nbconvert). Viewers that drop styles print it as it is."""


Shown = TypeVar("Shown", bound="Document")
"""What a widget shows."""


class DocumentWidget(anywidget.AnyWidget, Generic[Shown]):
    """A document on screen. Subclasses add the traits that their front end reads and writes."""

    bundle = "array.js"
    """The front end: a file of ``shardwidget/static``. A subclass names its own."""

    _later: Mapping[str, str] = {}
    """What that loads later: files by the traits that have their text."""

    _kept: Sequence[str] = ()
    """The traits that a page or a picture without a kernel is drawn from, beside the document."""

    _esm = Unicode().tag(sync=True)
    _sources = traitlets.Dict(help="Models that have the text of traits.").tag(sync=True, **widget_serialization)
    _alone = traitlets.Bool(False, help="Set by a page that does not find them.").tag(sync=True)
    _document = traitlets.Dict().tag(sync=True)
    _look = traitlets.Dict(help="Theme and palette.").tag(sync=True)
    _share = Unicode(help="The module of the menu that saves pictures.").tag(sync=True)
    _pictures = traitlets.List(help="What that menu offers: (kind, text).").tag(sync=True)
    _wanted = traitlets.Dict(help="What was last chosen in it: {n, kind, width, theme}; empty once it has come.").tag(
        sync=True
    )
    _picture = traitlets.Dict(help="The result: {n, name, type, data, error}.").tag(sync=True)
    _static = traitlets.Bool(False, help="Whether there is no kernel to ask.").tag(sync=True)

    def __init__(self, document: Shown, *, mode: Mode | None, **traits: Any) -> None:
        """Shows a document.

        Args:
            document: what to show.
            mode: ``"widget"``; ``"html"`` for output that plays without a kernel when the notebook is reopened;
                ``"auto"`` for what the front end of the running cell can show; None for ``config.mode``.
            **traits: values of traits, the subclass's own and those of every ipywidget.

        Raises:
            ValueError: the mode is not a legal one.
            FileNotFoundError: the front end has not been built.
        """
        chosen = config.mode if mode is None else Config.mode.checked(mode)
        self._by_itself = chosen == "auto" and not front_end().widgets
        self._mode: Literal["widget", "html"] = "html" if chosen == "html" or self._by_itself else "widget"
        self._shown = document
        look = {"theme": config.theme, "palette": config.palette}
        pictures = self._saves()
        super().__init__(_document=to_wire(document), _look=look, _pictures=pictures, **self._front_end(), **traits)

    def _front_end(self) -> dict[str, Any]:
        """The traits that the front end comes in."""
        files = {"_esm": self.bundle, "_share": "share.js", **self._later}
        kernel = _sources.kernel()
        if self._alone or self._mode == "html" or kernel is None:
            return {name: bundle.read(file) for name, file in files.items()}
        sources = {name: _sources.source(file, kernel) for name, file in files.items()}
        return {"_esm": bundle.read("loader.js"), "_sources": sources}

    def _within(self) -> dict[str, Any]:
        """What another card shows it by: its front end, and its state as in a saved page."""
        return {"front_end": bundle.read(self.bundle), "state": self._state(complete=True)}

    def _fragment(self) -> str:
        """A piece of a page that needs no kernel."""
        return export.html.fragment(self._state(complete=True), self._table(), self.bundle)

    @traitlets.observe("_alone")
    def _on_alone(self, change: Any) -> None:
        with self.hold_sync():
            for name, text in self._front_end().items():
                self.set_trait(name, text)

    @traitlets.observe("_wanted")
    def _on_wanted(self, change: Any) -> None:
        wanted = change["new"]
        # The browser clears its request once it has the picture, which the state of a saved notebook would keep.
        self._picture = _sharing.answer(self, self._saves(), wanted) if wanted else {}

    def __setattr__(self, name: str, value: Any) -> None:
        """Raises for unknown names: a misspelled trait would change nothing on screen."""
        if not name.startswith("_") and not hasattr(type(self), name):
            known = [n for n in dir(type(self)) if not n.startswith("_")]
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.{near(name, known)}")
        super().__setattr__(name, value)

    @property
    def document(self) -> Shown:
        """What is shown, as plain data."""
        return self._shown

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """Saves what is shown as one HTML file, which works from disk without a kernel or a network.

        It holds the values of the addressable shards, up to 1 MiB.

        Args:
            path: where to write; None to get the text.

        Returns:
            The path, or the text.
        """
        return give(page(self._title(), self), path)

    def to_svg(
        self,
        path: str | PathLike[str] | None = None,
        *,
        width: int = 960,
        theme: Literal["light", "dark"] | None = None,
    ) -> str:
        """Saves what is shown as an SVG picture, without a browser.

        Args:
            path: where to write; None to get the text.
            width: width of the picture in CSS pixels; the height follows.
            theme: colours for a light or a dark page; None for the theme that the widget was made with, or light.

        Returns:
            The path, or the text.

        Raises:
            ImportError: the extra ``shardwidget[svg]`` is not installed.
        """
        return give(export.svg.picture(self._state(complete=False), width=width, theme=self._theme(theme)), path)

    def to_png(
        self,
        path: str | PathLike[str] | None = None,
        *,
        width: int = 960,
        scale: float = 2.0,
        theme: Literal["light", "dark"] | None = None,
    ) -> str | bytes:
        """Saves what is shown as a PNG picture, without a browser.

        Args:
            path: where to write; None to get the bytes.
            width: width of the picture in CSS pixels, as in ``to_svg``.
            scale: pixels for each CSS pixel, 0.25 to 8: a file of ``width * scale`` pixels.
            theme: as in ``to_svg``.

        Returns:
            The path, or the bytes.

        Raises:
            ImportError: the extra ``shardwidget[images]`` is not installed.
            RuntimeError: this machine has no font to draw text with.
            ValueError: an option is not a legal one.
        """
        picture = export.svg.picture(self._state(complete=False), width=width, theme=self._theme(theme))
        return give(export.images.png(picture, scale), path)

    def open(self) -> None:
        """Opens the connection to the front end, except in mode ``"html"``, where nothing listens."""
        if self._mode == "widget":
            super().open()

    def __repr__(self) -> str:
        """A picture made of text."""
        return visible(self._words(), keep="\n")

    def _words(self) -> str:
        """What is shown, as a picture made of text; ``repr`` writes what a terminal would obey as escapes."""
        return words_of(self.document).picture(self.document)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self._before_display()
        if self._mode == "html":
            bundle = self._page_output(), {}
        else:
            bundle = self._mimebundle(self._small_picture(), **kwargs)
        CELLS.displayed(self)
        return bundle

    def _ipython_display_(self) -> None:
        """Displays the widget and a second, hidden output: its picture, for when its kernel is gone.

        Raises:
            NotImplementedError: there is no page that could be reopened; IPython then displays the widget alone.
        """
        from IPython.display import display

        if self._mode == "html" or _sources.kernel() is None:
            raise NotImplementedError
        self._before_display()
        picture = self._small_picture()
        data, metadata = self._mimebundle(picture)
        display(data, metadata=metadata, raw=True)
        display({"text/html": export.reopened.reopened(picture, data["text/plain"], self._title())}, raw=True)
        CELLS.displayed(self)

    def close(self) -> None:
        """Removes it from the screen, and lets go of all arrays."""
        super().close()
        if "_shown" in self.__dict__:  # One whose constructor raised is closed too.
            self._release()

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        """Closes it, unless Python ends: then modules are gone, and what it holds goes without being asked."""
        if not ends():
            super().__del__()

    def _settle(self) -> bool:
        """Lets go of arrays on devices once it is displayed, but not of what it shows of them; whether it could."""
        return True

    def _release(self) -> None:
        """Lets go of everything but the document: it is closed, or its cell has run again."""

    def _saves(self) -> _sharing.Kinds:
        """What the card's menu saves now."""
        return _sharing.STILL

    def _before_display(self) -> None:
        """What a subclass does each time that it is displayed."""

    def _mimebundle(self, picture: str | None, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and its picture for viewers without widgets."""
        # To both, anywidget has added what its host needs, such as Colab's widget manager.
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, "text/plain": repr(self), "text/html": self._fallback(picture)}, metadata

    def _page_output(self) -> dict[str, Any]:
        """What plays without a kernel, in an output; where there may be several, they share the front end."""
        carried = _sources.carried()
        if carried is None:
            page = self._fragment()
            return {"text/plain": repr(self), "text/html": page}
        picture = self._small_picture()
        page = self._page_within(carried, self._fallback(picture))
        return {"text/plain": repr(self), "text/html": page} | self._still(picture)

    def _page_within(self, carried: _sources.Carries, fallback: str | None = None) -> str:
        """What plays without a kernel, for a page that has some texts of the front end already."""
        plain = self._table() if fallback is None else fallback
        return export.html.shared(self._state(complete=True), plain, self.bundle, [*self._later], carried.missing)

    def _still(self, picture: str | None) -> dict[str, str]:
        """The picture for documents that take no HTML (PDF, LaTeX), of a notebook that a program runs."""
        if picture is None or not self._by_itself:
            return {}
        try:
            return {"image/png": base64.b64encode(export.images.png(picture, 2)).decode("ascii")}
        except (ImportError, RuntimeError):  # No renderer, or no fonts.
            return {}

    def _theme(self, theme: Literal["light", "dark"] | None) -> Literal["light", "dark"]:
        """The colours of a picture: those that are asked for, otherwise the widget's own."""
        if theme is not None:
            return theme
        return "dark" if self._look["theme"] == "dark" else "light"

    def _title(self) -> str:
        """What is shown, in one line."""
        return words_of(self.document).headline(self.document)

    def _table(self) -> str:
        """A plain HTML table of what is shown, which needs no script."""
        return words_of(self.document).table(self.document)

    def _fallback(self, picture: str | None) -> str:
        """HTML for viewers that run no script: the table, under a picture where one can be drawn."""
        plain = self._table()
        if picture is None:
            return plain
        # An <img>, because untrusted notebooks drop inline SVG but keep this.
        data = [base64.b64encode(part.encode()).decode("ascii") for part in self._sheets(picture)]
        alt = escape(self._title())
        images = "".join(
            f'<img src="data:image/svg+xml;base64,{part}" alt="{alt}" style="max-width:100%;break-inside:avoid">'
            for part in data
        )
        return (
            f'{images}{_OPEN_ON_PAPER}<details class="shardwidget-table"><summary>as a table</summary>{plain}</details>'
        )

    def _small_picture(self) -> str | None:
        if not export.svg.available():
            return None
        try:
            picture = export.svg.picture(self._on_paper(), width=PAPER_WIDTH, theme=self._theme(None))
        except Exception:
            # A fallback must not keep the widget itself from being shown.
            return None
        return picture if len(picture) <= LARGEST_PICTURE else None

    def _sheets(self, picture: str) -> Sequence[str]:
        """The fallback, in parts that fit on a sheet of paper."""
        return (picture,)

    def _on_paper(self) -> dict[str, Any]:
        """The traits that the fallback is drawn from, where nothing can be opened."""
        return self._state(complete=False)

    def _state(self, *, complete: bool) -> dict[str, Any]:
        """The traits that a page or a picture without a kernel is drawn from, by name; subclasses add theirs.

        Args:
            complete: whether to add everything that a kernel would be asked for later.
        """
        later = {name: bundle.read(file) for name, file in self._later.items()} if complete else {}
        shown = {"_document": to_wire(self.document), "_look": self._look, "_static": True}
        return shown | self.get_state(self._kept) | later


Content = TypeVar("Content", str, bytes)


def give(content: Content, path: str | PathLike[str] | None) -> str | Content:
    """The content, or the path that it was written to."""
    if path is None:
        return content
    Path(path).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return os.fspath(path)


def page(title: str, *views: DocumentWidget[Any]) -> str:
    """One HTML file with several views below each other, which works from disk without a kernel or a network."""
    return export.html.page(title, *(view._fragment() for view in views))  # noqa: SLF001
