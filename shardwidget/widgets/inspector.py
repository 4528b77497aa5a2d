"""``Inspector``: the arrays of a session, after every cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traitlets import Bool, Dict, TraitError, Unicode, observe, validate

from shardwidget.document import Namespace, to_wire
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._show import show

EVENT = "post_run_cell"

NO_CELLS = (
    "there is no IPython here, so it cannot follow cells. Give the names to look at, Inspector(globals()), and call "
    "refresh() to look at them again."
)


class Inspector(DocumentWidget[Namespace]):
    """Which names hold arrays, which arrays no name holds, what every device holds, and what the last cell changed.

    ```python
    inspector = Inspector()                     # follows the cells of this notebook
    inspector.document.changed                  # what the last cell did
    inspector.document.holder("params").reason
    inspector.close()                           # stops following
    ```

    It looks after each cell, never while one runs, and keeps no array alive. If there are several in one notebook, the
    newest follows the cells. In JupyterLab, *Create New View for Output* puts it beside the notebook.

    Attributes:
        selection: name of the chosen line; None for none.
        search: what lines are filtered by: parts of a name, of a type, a mesh axis.
        following: whether it looks after each cell.
    """

    bundle = "inspector.js"
    _kept = ("selection", "search", "following")

    selection = Unicode(None, allow_none=True).tag(sync=True)
    search = Unicode().tag(sync=True)
    following = Bool(False, read_only=True).tag(sync=True)
    _asked = Dict(help="What the reader did last: {n, do: look or open, name}; n makes each one new.").tag(sync=True)
    _opened = Dict(
        None, allow_none=True, help="The view that was asked for: {n, name, front_end, state} or {n, name, error}."
    ).tag(sync=True)

    def __init__(
        self,
        names: Mapping[str, Any] | Namespace | None = None,
        *,
        selection: str | None = None,
        search: str = "",
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Looks at the names of this session.

        Args:
            names: values by name, such as ``globals()``; None for the names of IPython. Or a ``Namespace``, which stays
                as it was read.
            selection: name of the line that is chosen at first.
            search: what lines are filtered by.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            RuntimeError: there is no IPython, and no names are given.
            TypeError: the names are not a mapping, or an argument is unknown.
            TraitError: the chosen name holds no arrays.
        """
        checked(type(self), traits)
        self._as_read = names if isinstance(names, Namespace) else None
        self._shell: Any = None
        document = self._as_read or self._first_look(names)
        super().__init__(document, mode=mode, selection=selection, search=search, **traits)
        if self._shell is not None:
            self._follow()

    def _first_look(self, names: Any) -> Namespace:
        # What was read before is shown without JAX.
        from shardwidget.read._namespace.look import Looks
        from shardwidget.read._namespace.namespace import running, visible

        self._shell = running()
        if names is None and self._shell is None:
            raise RuntimeError(NO_CELLS)
        given = self._shell.user_ns if names is None else names
        self._visible = lambda: visible(given)
        self._looks = Looks()
        return self._looks.look(self._visible())

    def refresh(self) -> None:
        """Looks again. In a notebook this happens by itself after each cell."""
        self._update(self.document.cell)

    def close(self) -> None:
        """Stops looking, and removes it from the screen."""
        self._stop()
        super().close()

    def _follow(self) -> None:
        for callback in list(self._shell.events.callbacks[EVENT]):
            other = getattr(callback, "__self__", None)
            if isinstance(other, Inspector):
                other._stop()  # noqa: SLF001
        self._shell.events.register(EVENT, self._on_cell)
        self.set_trait("following", True)

    def _stop(self) -> None:
        if self.following:
            self._shell.events.unregister(EVENT, self._on_cell)
            self.set_trait("following", False)

    def _on_cell(self, result: Any) -> None:
        self._update(result.execution_count or self.document.cell)

    def _update(self, cell: int) -> None:
        self._shown = self._as_read or self._looks.look(self._visible(), cell)
        self._document = to_wire(self._shown)

    @observe("_asked")
    def _on_asked(self, change: Any) -> None:
        asked = change["new"]
        if asked.get("do") == "look":
            self.refresh()
        elif asked.get("do") == "open":
            given = {"n": asked.get("n"), "name": asked.get("name")}
            try:
                self._opened = {**given, **self._view(str(asked.get("name")))}
            except Exception as error:
                # The page shows it in its place; the kernel keeps running.
                self._opened = {**given, "error": f"{type(error).__name__}: {error}"}

    def _view(self, name: str) -> dict[str, Any]:
        """The view that fits what a name holds: its front end, and its state as in a saved page."""
        if self._as_read:
            raise ValueError("this is a document, which holds no arrays: Inspector(globals()) opens them")
        names = self._visible()
        if name not in names:
            raise KeyError(f"{name} no longer exists")
        return show(names[name], name=name, mode="html")._within()  # noqa: SLF001

    @validate("selection")
    def _check_selection(self, proposal: Any) -> str | None:
        name = proposal["value"]
        known = [holder.name for holder in self.document.holders]
        if name is not None and name not in known:
            raise TraitError(f"selection must be None or a name that holds arrays: {', '.join(known)}; got {name!r}")
        return name
