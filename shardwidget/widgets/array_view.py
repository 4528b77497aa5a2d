"""``ArrayView``: an array (or a mesh alone) drawn where its shards live, on one mesh or on groups of devices (MPMD)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from traitlets import Any as AnyTrait
from traitlets import Bool, Bunch, Dict, Enum, Int, List, TraitError, Unicode, observe, validate

from shardwidget import export, read
from shardwidget._names import name_in_caller
from shardwidget.document import MpmdPlacement, Placement, Values, to_wire
from shardwidget.read._subject import Subject
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._cells import CELLS
from shardwidget.widgets._options import checked
from shardwidget.widgets._selection import selected

ColorBy = Literal["position", "values", "device"]


class ArrayView(DocumentWidget[Placement | MpmdPlacement]):
    """An array drawn twice: as it is indexed, and as it is placed on the devices of its mesh.

    ```python
    view = ArrayView(x)
    view.array = y                      # shows another array in the same place
    view.selection = {"device": 3}      # or {"tile": [0, 1]}, {"axis": "x"}, None
    ```

    Attributes:
        selection: what is pinned on screen, by the user or by assignment. From the browser, a shard comes as
            ``{"device": id, "tile": [part of each dimension]}``. Of an array on groups, the group that is shown,
            ``{"group": index}``.
        color_by: what a tile's colour shows: ``"position"`` in the array, ``"values"`` or ``"device"``.
        row_dim: the dimension that runs down; None chooses.
        column_dim: the dimension that runs across; None chooses.
    """

    _later: Mapping[str, str] = {"_parts": "array-parts.js"}

    selection = AnyTrait(None, allow_none=True).tag(sync=True)
    color_by = Enum(["position", "values", "device"], "position").tag(sync=True)
    row_dim = Int(None, allow_none=True).tag(sync=True)
    column_dim = Int(None, allow_none=True).tag(sync=True)
    _want = List(Int(), help="Devices whose values the front end is about to show.").tag(sync=True)
    _parts = Unicode(help="The module of what the card needs after its first picture.").tag(sync=True)
    _prints = Bool(False, help="Whether the array is on a page, which may be printed.").tag(sync=True)
    _paper = List(help="Values that are printed under the picture, `export.values.Sheet`s.").tag(sync=True)
    _values = Dict(default_value=None, allow_none=True, help="The answer: `Values` as a wire dict.").tag(sync=True)

    def __init__(
        self,
        x: Any,
        *,
        name: str | None = None,
        mode: Mode | None = None,
        color_by: ColorBy = "position",
        row_dim: int | None = None,
        column_dim: int | None = None,
        selection: dict[str, Any] | None = None,
        groups: Any = None,
        **traits: Any,
    ) -> None:
        """Shows an array.

        Args:
            x: a ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, a tuple ``(shape, dtype, sharding)``, or a
                ``jax.sharding.Mesh`` or ``AbstractMesh`` alone; or a document, ``Placement``.
            name: what to call it; None finds the variable that it is bound to.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel, so that a saved notebook shows
                it when it is reopened; ``"auto"`` for what the front end can show. None for ``config.mode``.
            color_by: what a tile's colour shows.
            row_dim: the dimension that runs down; None chooses.
            column_dim: the dimension that runs across; None chooses.
            selection: what is pinned to begin with.
            groups: a mesh, and the name of the axis that divides it into groups (MPMD): then ``x`` is an array on the
                devices of some groups, or a list of its copies. JaxPP's ``MpmdArray`` needs none.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``x`` is not one of these, or an argument is unknown.
            ValueError: the sharding does not fit the shape.
            TraitError: an option has no legal value.
        """
        checked(type(self), traits)
        self._name, self._groups = name, groups
        self._subject = Subject(x)
        self._waiting: dict[str, asyncio.Task[None]] = {}
        document = self._read(x)
        on_groups = isinstance(document, MpmdPlacement)
        if on_groups:
            self.bundle, self._later = "mpmd.js", {}
        super().__init__(
            document,
            mode=mode,
            color_by=color_by,
            row_dim=row_dim,
            column_dim=column_dim,
            selection=selection,
            **traits,
        )

    @property
    def document(self) -> Placement:
        """The placement that is shown; of an array on groups an ``MpmdPlacement``."""
        return cast(Placement, self._shown)

    @property
    def _on_groups(self) -> bool:
        """Whether this shows an array on groups: it does so for good, with a front end of its own."""
        return self.bundle == "mpmd.js"

    @property
    def array(self) -> Any:
        """What is shown. Assigning shows another array in the same place.

        An array that cannot be shown raises as in the constructor, and what was on screen remains.

        A displayed view keeps a sample of the values on the host, at most ``config.values`` bytes, and not the array.
        Once nothing else holds the array, this is the document.
        """
        held = self._subject.get()
        return self.document if held is None else held

    @array.setter
    def array(self, x: Any) -> None:
        document = self._read(x)
        if isinstance(document, MpmdPlacement) != self._on_groups:
            mine, its = ("on groups", "on one mesh") if self._on_groups else ("on one mesh", "on groups")
            raise TypeError(
                f"this view shows an array {mine}, and {type(x).__name__} is {its}; ArrayView(x) makes a view for it"
            )
        with self.hold_sync():
            self._subject = Subject(x)
            CELLS.changed(self)
            self._shown = document
            self._want, self._values = [], None
            rank = _rank(document)
            self.row_dim, self.column_dim = (
                None if dim is None or dim >= rank else dim for dim in (self.row_dim, self.column_dim)
            )
            self.selection = _still_selected(self.selection, document)
            self._document = to_wire(document)

    def _words(self) -> str:
        if self._on_groups:
            return super()._words()
        return export.text.picture(self.document, self.row_dim, self.column_dim)

    def _table(self) -> str:
        if self._on_groups:
            return super()._table()
        # Displaying an array does not wait for its computation.
        sheets = self._printed() if self._subject.is_ready() else []
        return export.table.table(self.document, self.row_dim, self.column_dim) + export.values.listing(sheets)

    def _small_picture(self) -> str | None:
        return super()._small_picture() if self.color_by != "values" or self._subject.is_ready() else None

    def _once_ready(self, then: Callable[[], None]) -> None:
        """Calls a method once the values can be read. A notebook's kernel can run other cells meanwhile."""
        array = self.array
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return then()
        if self._subject.is_ready():
            return then()
        from shardwidget.read._values import wait_for

        async def wait() -> None:
            await loop.run_in_executor(None, wait_for, array)
            del self._waiting[then.__name__]
            self._once_ready(then) if array is not self.array else then()

        if then.__name__ not in self._waiting:
            self._waiting[then.__name__] = loop.create_task(wait())
        return None

    def _printed(self) -> list[export.values.Sheet]:
        """What paper says in addition; empty where the picture says all."""
        if self._on_groups:
            return []
        picked = export.values.printed(self.document, (self.selection or {}).get("device"))
        return export.values.sheets(self.document, self._fetch(picked)) if picked else []

    @observe("_prints", "selection", "_document")
    def _on_print(self, change: Bunch) -> None:
        if self._prints:
            self._once_ready(self._print)

    def _print(self) -> None:
        self._paper = self._printed()

    def fetch(self) -> None:
        """Reads the values of all shards, including those of other processes, and draws them.

        In a program of several processes, all of them call this together. It first prints how many bytes each one gets.

        Raises:
            TypeError: what is shown is not a live array of numbers, or is on groups.
            ValueError: the array was deleted or donated.
            TimeoutError: a process did not arrive, or did not answer; the message names it.
        """
        if self._on_groups:
            raise TypeError(
                "an array on groups is shown from metadata; ArrayView(x) of one group's own array has values to fetch"
            )
        document = read.fetch(self.array, name=self.document.name)
        with self.hold_sync():
            self._shown = document
            self._want, self._values = [], None
            self._document = to_wire(document)

    def _read(self, x: Any) -> Placement | MpmdPlacement:
        if isinstance(x, Placement | MpmdPlacement):
            return x if self._name is None else replace(x, name=self._name)
        name = name_in_caller(x) if self._name is None else self._name
        return read.placement(x, name=name, groups=self._groups)

    def _state(self, *, complete: bool) -> dict[str, Any]:
        state = super()._state(complete=complete)
        if self._on_groups:
            return state | {"selection": self.selection}
        state |= {name: getattr(self, name) for name in ("selection", "color_by", "row_dim", "column_dim")}
        if complete:
            state["_paper"] = self._printed()
        if complete or self.color_by == "values":
            state["_document"]["values"] = to_wire(self._fetch(list(self.document.device_ids)))
        return state

    def _fetch(self, device_ids: list[int]) -> Values:
        if (known := self.document.values) is not None:
            blocks = tuple(block for block in known.blocks if block.device_id in device_ids)
            return Values(blocks, known.note)
        try:
            return self._subject.values(device_ids)
        except Exception as error:
            # The user sees why under the picture; the kernel keeps running.
            return Values(note=f"{type(error).__name__}: {error}")

    def _settle(self) -> bool:
        known = self._on_groups or self.document.values is not None
        return self._subject.settle([] if known else list(self.document.device_ids))

    def _release(self) -> None:
        self._subject.let_go()

    @observe("_want")
    def _on_want(self, change: Bunch) -> None:
        if change["new"]:
            self._once_ready(self._answer)

    def _answer(self) -> None:
        if self._want:  # It is emptied when another array is shown.
            self._values = to_wire(self._fetch(self._want))

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> dict[str, Any] | None:
        return selected(proposal["value"], self.document)

    @validate("row_dim", "column_dim")
    def _check_dim(self, proposal: Bunch) -> int | None:
        value, rank = proposal["value"], _rank(self.document)
        if value is not None and not 0 <= value < rank:
            legal = f"0 to {rank - 1}" if rank else "none, for a rank of 0"
            raise TraitError(f"{proposal['trait'].name} must be None or a dimension ({legal}); got {value!r}")
        return value

    @observe("row_dim", "column_dim")
    def _on_dim(self, change: Bunch) -> None:
        # One dimension cannot run both ways: the one set last keeps it.
        other = "column_dim" if change["name"] == "row_dim" else "row_dim"
        if change["new"] is not None and getattr(self, other) == change["new"]:
            setattr(self, other, None)


def _rank(document: Placement | MpmdPlacement) -> int:
    """Dimensions that can be rows and columns; those of a mesh alone are its axes."""
    return len(document.mesh.axes) if document.shape is None else len(document.shape)


def _still_selected(selection: dict[str, Any] | None, document: Placement | MpmdPlacement) -> dict[str, Any] | None:
    try:
        return selected(selection, document)
    except TraitError:
        return None
