"""``SpecPlayground``: a PartitionSpec edited by hand, and what JAX makes of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from traitlets import Any as AnyTrait
from traitlets import Bunch, Dict, Int, TraitError, Unicode, observe, validate

from shardwidget._names import name_in_caller
from shardwidget.document import Placement, Playground, SpecDraft, to_wire
from shardwidget.export import playground as words
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked

if TYPE_CHECKING:
    from shardwidget.read._spec import SpecEditor

MOST_STEPS = 100
"""The most edits that can be undone."""


class SpecPlayground(DocumentWidget[Playground]):
    """A spec to compose by dragging, on any mesh and shape: JAX's forms of it, its picture, or JAX's own error.

    ```python
    playground = SpecPlayground((8, 16), mesh)
    playground.spec = P("y", "x")       # both ways; always the last valid one
    playground.sharding                 # NamedSharding(mesh, P("y", "x"))
    playground.error                    # JAX's error for what is on screen, if there is one
    SpecPlayground(x).apply()           # moves a real array; playground.array is the result
    ```

    Attributes:
        spec: the PartitionSpec on screen, or the last that JAX accepts. Assigning one shows it, valid or not.
        sharding: the ``NamedSharding`` of that spec, on the mesh on screen at that time. Assigning one shows its mesh
            too.
        error: JAX's class and words, ``ValueError: …``, for what is on screen; empty where JAX accepts it.
        array: the real array, as last moved; None where there is none.
    """

    bundle = "playground.js"

    spec = AnyTrait()
    sharding = AnyTrait()
    error = Unicode(read_only=True)
    array = AnyTrait(None, allow_none=True, read_only=True)
    _edits = Dict(help="Drafts in the order they were made, and which of them is on screen.").tag(sync=True)
    _asked = Int(0, help="How often the reader has pressed Apply.").tag(sync=True)
    _applied = Dict(
        help="The result: {n, type, error, said}, and its draft as before where something is forbidden."
    ).tag(sync=True)

    def __init__(
        self,
        x: Any,
        mesh: Any = None,
        *,
        spec: Any = None,
        dtype: Any = None,
        name: str | None = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Shows a spec to edit.

        Args:
            x: a shape, a ``jax.ShapeDtypeStruct``, or a ``jax.Array`` to move; or a document, ``Playground``, which
                needs no JAX to be shown.
            mesh: the mesh, concrete or abstract; None takes that of ``x``'s sharding.
            spec: the first spec, which may be an invalid one; None takes that of ``x``'s sharding, or ``P()``.
            dtype: of a shape; None takes float32.
            name: what to call the array; None finds the variable that it is bound to, or takes ``x``.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``x`` is neither a shape nor an array, the mesh or the spec has another type, or an argument
                is unknown.
            ValueError: there is no mesh, or one whose axes cannot be edited.
        """
        checked(type(self), traits)
        if isinstance(x, Playground):
            document = x if name is None else replace(x, name=name)
        else:
            from shardwidget.read._spec import SpecEditor

            called = (name_in_caller(x) if hasattr(x, "sharding") else "") if name is None else name
            self._editor = SpecEditor(x, mesh, spec, dtype, called)
            document = self._editor.document
        # A document is drawn by the page alone.
        self._judges = not isinstance(x, Playground)
        self._valid: tuple[SpecDraft, Any] | None = None
        self._following = False
        edits = {"drafts": [to_wire(document.draft)], "at": 0}
        super().__init__(document, mode=mode, _edits=edits, **traits)
        if self._judges:
            self.set_trait("array", self._editor.array)

    @cached_property
    def _editor(self) -> SpecEditor:
        """What asks JAX. Of a document it is made when it is first needed, on an abstract mesh."""
        from shardwidget.read._spec import SpecEditor

        return SpecEditor.of(self.document)

    @property
    def forbidden(self) -> str:
        """JAX's class and words where ``jax.reshard`` to what is on screen is a forbidden collective; else empty.

        ``jax.sharding.no_collectives``, within which the playground was made, says which are.
        """
        return self._editor.forbidden(self.document.draft)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array on screen."""
        return self.document.draft.shape

    @property
    def dtype(self) -> str:
        """Dtype of the array on screen."""
        return self.document.draft.dtype

    @property
    def mesh(self) -> Any:
        """The mesh on screen: a ``jax.sharding.AbstractMesh`` where it needs more devices than there are."""
        return self._editor.mesh_of(self.document.draft.axes)

    @property
    def placement(self) -> Placement:
        """Where the array is, by the last valid spec; the mesh alone if there has been none."""
        if self._valid is None:
            return self._editor.bare(self.document.draft)
        return self._editor.placement(*self._valid)

    def apply(self) -> Any:
        """Moves the array to what is on screen: with ``jax.device_put``, and ``jax.reshard`` for parts of sums.

        Returns:
            The array, which is ``playground.array`` too.

        Raises:
            ValueError: there is no array, what is on screen is invalid, or its mesh has no devices.
            Exception: what JAX raises.
        """
        try:
            moved = self._editor.apply(self._editor.judge(self.document.draft))
        except Exception as error:
            self._applied = {"n": self._asked, "type": "", "error": type(error).__name__, "said": str(error)}
            raise
        self.set_trait("array", moved)
        made = self._editor.document
        self._shown = replace(self.document, array=made.array, forbids=made.forbids)
        applied = {"n": self._asked, "type": made.array, "error": "", "said": ""}
        self._applied = applied | ({"before": to_wire(made.forbids.before)} if made.forbids else {})
        return moved

    def _release(self) -> None:
        if not self._judges:
            return
        self._editor.array = None
        self.set_trait("array", None)

    def undo(self) -> None:
        """Undoes the last edit; does nothing where there is none."""
        self._step(-1)

    def redo(self) -> None:
        """Redoes the last undone edit; does nothing where there is none."""
        self._step(1)

    @property
    def _drawn(self) -> Playground | Placement:
        return self.placement if self._judges else self.document

    @property
    def _said(self) -> str:
        """What is forbidden of what is on screen, where JAX is asked."""
        return self.forbidden if self._judges else ""

    def _words(self) -> str:
        return words.picture(self._drawn, self.error, self._said)

    def _title(self) -> str:
        return words.headline(self._drawn, self.error)

    def _table(self) -> str:
        return words.table(self._drawn, self.error, self._said)

    def _small_picture(self) -> str | None:
        return super()._small_picture() if self._judges else None

    def _state(self, *, complete: bool) -> dict[str, Any]:
        state = super()._state(complete=complete) | {"_edits": self._edits}
        if not complete and self._judges:
            # A picture without a page has one placement.
            state["_document"] = to_wire(self.placement)
        return state

    def _step(self, by: int) -> None:
        drafts, at = self._edits["drafts"], self._edits["at"] + by
        if 0 <= at < len(drafts):
            self._edits = {"drafts": drafts, "at": at}

    def _push(self, draft: SpecDraft) -> None:
        """Shows a draft; edits that were undone before are dropped."""
        if draft == self.document.draft:
            return
        drafts = [*self._edits["drafts"][: self._edits["at"] + 1], to_wire(draft)][-MOST_STEPS:]
        self._edits = {"drafts": drafts, "at": len(drafts) - 1}

    @validate("_edits")
    def _check_edits(self, proposal: Bunch) -> dict[str, Any]:
        value = proposal["value"]
        try:
            SpecDraft.of(value["drafts"][value["at"]])
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise TraitError(f"these are not edits of a spec: {error!r}") from error
        return value

    @observe("_edits")
    def _on_edits(self, change: Bunch) -> None:
        draft = SpecDraft.of(change["new"]["drafts"][change["new"]["at"]])
        self._shown = replace(self.document, draft=draft)
        if not self._judges:
            return
        judged = self._editor.judge(draft)
        self.set_trait("error", judged.error)
        if judged.sharding is None:
            return
        self._valid = draft, judged.sharding
        self._following = True
        try:
            with self.hold_trait_notifications():
                self.spec, self.sharding = judged.sharding.spec, judged.sharding
        finally:
            self._following = False

    @validate("spec")
    def _check_spec(self, proposal: Bunch) -> Any:
        if self._following:
            return proposal["value"]
        draft = self.document.draft
        try:
            draft = self._editor.draft(draft.shape, draft.dtype, draft.axes, proposal["value"])
        except TypeError as error:
            raise TraitError(str(error)) from None
        self._push(draft)
        return self.spec

    @validate("sharding")
    def _check_sharding(self, proposal: Bunch) -> Any:
        if self._following:
            return proposal["value"]
        draft = self.document.draft
        try:
            axes, spec = self._editor.parts_of(proposal["value"])
        except (TypeError, ValueError) as error:
            raise TraitError(str(error)) from None
        self._push(self._editor.draft(draft.shape, draft.dtype, axes, spec))
        return self.sharding

    @observe("_asked")
    def _on_asked(self, _: Any) -> None:
        try:
            self.apply()
        except Exception:
            # The page shows it, in JAX's words; the kernel keeps running.
            return
