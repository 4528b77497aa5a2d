"""``ModelView``: a whole tree of arrays, where its bytes are, and what other specs would change."""

from __future__ import annotations

from typing import Any, Literal

from traitlets import Bunch, Enum, TraitError, Unicode, validate

from shardwidget import read
from shardwidget._names import name_in_caller
from shardwidget.document import Model
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked


class ModelView(DocumentWidget):
    """The arrays of a pytree: bytes in all and on each device, copies, what is to be looked at.

    ```python
    view = ModelView(state)
    view.document.bytes_per_device          # bytes on the device that holds most
    view.document.flags[0].reason
    view.selection = "['params']['embed']"  # or as clicked in the browser
    view.rules = "embed → P('model', None)" # what if: nothing is moved
    ```

    Attributes:
        selection: path, as ``jax.tree_util.keystr`` writes it, of the line that is chosen; None for none.
        sort: order of the lines: ``"tree"``, ``"bytes"`` or ``"copies"``.
        search: what lines are filtered by: parts of a path, of a type, a mesh axis, ``copies>1``.
        rules: specs that are tried, one a line, ``pattern → P(...)``. A pattern is a regular expression that is
            searched in the path, ``params/layers/0/qkv``; the last that matches counts.
    """

    bundle = "model.js"

    selection = Unicode(None, allow_none=True).tag(sync=True)
    sort = Enum(["tree", "bytes", "copies"], "tree").tag(sync=True)
    search = Unicode().tag(sync=True)
    rules = Unicode().tag(sync=True)

    def __init__(
        self,
        tree: Any,
        *,
        name: str | None = None,
        selection: str | None = None,
        sort: Literal["tree", "bytes", "copies"] = "tree",
        search: str = "",
        rules: str = "",
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Reads a tree, and shows it. No data is touched.

        Args:
            tree: any pytree of arrays or of ``jax.ShapeDtypeStruct``s with shardings: parameters, an optimizer's state,
                a module or state of flax or equinox; or a document, ``Model``.
            name: what to call it; None finds the variable that it is bound to.
            selection: path of the line that is chosen at first.
            sort: order of the lines.
            search: what lines are filtered by.
            rules: specs that are tried.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: there is no array in the tree, or an argument is unknown.
            ValueError: the tree holds itself.
            TraitError: no leaf has the path.
        """
        checked(type(self), traits)
        called = name_in_caller(tree) if name is None else name
        document = tree if isinstance(tree, Model) else read.model(tree, name=called)
        super().__init__(document, mode=mode, selection=selection, sort=sort, search=search, rules=rules, **traits)

    @property
    def document(self) -> Model:
        """The tree that is shown."""
        assert isinstance(self._shown, Model)
        return self._shown

    def _state(self, *, complete: bool) -> dict[str, Any]:
        traits = {name: getattr(self, name) for name in ("selection", "sort", "search", "rules")}
        return super()._state(complete=complete) | traits

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> str | None:
        path = proposal["value"]
        if path is not None and not any(leaf.path.startswith(path) for leaf in self.document.leaves):
            known = ", ".join(leaf.path for leaf in self.document.leaves[:4])
            raise TraitError(f"selection must be None or a path in the tree, such as {known}; got {path!r}")
        return path
