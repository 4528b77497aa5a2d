"""``ModelView``: a whole tree of arrays, where its bytes are, and what other specs would change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from traitlets import Bunch, Enum, TraitError, Unicode, validate

from shardwidget import read
from shardwidget._names import name_in_caller
from shardwidget.document import Model
from shardwidget.document.model import compared
from shardwidget.export import model as model_words
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._selection import index_trait
from shardwidget.widgets.model_comparison import ModelComparisonView


class ModelView(DocumentWidget[Model]):
    """The arrays of a pytree: total bytes and bytes on each device, copies, what deserves a look.

    ```python
    view = ModelView(state)
    view.document.bytes_per_device          # bytes on the device that holds the most
    view.document.flags[0].reason
    view.selection = {"leaf": "['params']['embed']"}  # or as clicked in the browser
    view.rules = "embed → P('model', None)" # what if: nothing is moved
    view.effect.bytes_per_device
    ```

    Attributes:
        selection: the chosen line, ``{"leaf": path}`` with the path as ``jax.tree_util.keystr`` writes it, of
            a leaf or of a node above leaves; None for none.
        sort: order of the lines: ``"tree"``, ``"bytes"`` or ``"copies"``.
        search: what lines are filtered by: parts of a path, of a type, a mesh axis, ``copies>1``.
        rules: specs to try, one per line, ``pattern → P(...)``. A pattern is a regular expression that is
            searched in the path, ``params/layers/0/qkv``; the last that matches counts. Where flax keeps logical names
            of dimensions, a line may be a rule for one, ``('embed', 'model')``, in flax's order of precedence.
    """

    bundle = "tree.js"
    _kept = ("selection", "sort", "search", "rules")
    _later: Mapping[str, str] = {"_leaf": "playground.js"}

    selection = index_trait("leaf")
    sort = Enum(["tree", "bytes", "copies"], "tree").tag(sync=True)
    search = Unicode().tag(sync=True)
    rules = Unicode().tag(sync=True)
    _leaf = Unicode(help="The module that draws one array, loaded when a leaf is opened.").tag(sync=True)

    def __init__(
        self,
        tree: Any,
        *,
        name: str | None = None,
        selection: dict[str, str] | None = None,
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
            selection: the line that is chosen at first.
            sort: order of the lines.
            search: what lines are filtered by.
            rules: specs that are tried.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: there is no array in the tree, or an argument is unknown.
            ValueError: the tree contains itself.
            TraitError: no leaf has the path.
        """
        checked(type(self), traits)
        called = name_in_caller(tree) if name is None else name
        given = {"selection": selection, "sort": sort, "search": search, "rules": rules}
        super().__init__(_read(tree, called), mode=mode, **given, **traits)

    @classmethod
    def compare(
        cls,
        first: Any,
        second: Any = None,
        *,
        selection: dict[str, str] | None = None,
        differs: bool = False,
        sort: Literal["tree", "difference"] = "tree",
        search: str = "",
        mode: Mode | None = None,
        **traits: Any,
    ) -> ModelComparisonView:
        """Shows trees side by side, each against the first: what moved, grew, shrank, lost or gained an axis.

        Leaves are matched by path. Where one tree is part of another, as parameters are of an optimizer's state, they
        are matched by the path below that place.

        ```python
        ModelView.compare(params, grads)
        ModelView.compare({"parameters": params, "gradients": grads, "optimizer": state})
        ```

        Args:
            first: a tree, or its ``Model``; or, without ``second``, a dict of at least two trees by name.
            second: the tree that is compared with the first.
            selection: the line that is chosen at first, ``{"path": "embed"}``.
            differs: whether only lines that differ are listed.
            sort: order of the lines: ``"tree"``, or ``"difference"`` of bytes on a device.
            search: what lines are filtered by.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: there is no array in a tree, there are no two trees, or an argument is unknown.
            ValueError: a tree contains itself.
            TraitError: no line has the path.
        """
        checked(cls.compare, traits)
        if second is not None:
            named = [tree.name if isinstance(tree, Model) else name_in_caller(tree) for tree in (first, second)]
            names = named if all(named) and named[0] != named[1] else ["before", "after"]
            trees = dict(zip(names, (first, second), strict=True))
        elif isinstance(first, Mapping) and len(first) > 1:
            trees = {str(name): tree for name, tree in first.items()}
        else:
            of = f"a dict of {len(first)}" if isinstance(first, Mapping) else type(first).__name__
            raise TypeError(f"compare takes two trees, or a dict of at least two by name; got {of} and no second tree")
        document = compared({name: _read(tree, name) for name, tree in trees.items()})
        given = {"selection": selection, "differs": differs, "sort": sort, "search": search}
        return ModelComparisonView(document, mode=mode, **given, **traits)

    @property
    def effect(self) -> Model:
        """The tree as ``rules`` would place it; its ``rules`` say what came of each. Nothing is moved.

        ``view.effect.bytes_per_device`` is what the device that holds the most would hold.
        """
        return read.model(self.document, rules=self.rules)

    def _words(self) -> str:
        return model_words.picture(self.effect) if self.rules else super()._words()

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> dict[str, str] | None:
        selection = proposal["value"]
        if selection is None:
            return None
        paths = [leaf.path for leaf in self.document.leaves]
        path = selection.get("leaf") if isinstance(selection, dict) and len(selection) == 1 else None
        if isinstance(path, str) and any(leaf.startswith(path) for leaf in paths):
            return {"leaf": path}
        known = ", ".join(paths[:4])
        legal = f'None or {{"leaf": path}} with a path in the tree, such as {known}'
        raise TraitError(f"selection must be {legal}; got {selection!r}")


def _read(tree: Any, name: str) -> Model:
    return tree if isinstance(tree, Model) else read.model(tree, name=name)
