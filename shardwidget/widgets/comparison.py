"""``ShardingComparison``: what the types say, beside where the data is, equation by equation."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from traitlets import Bunch, Dict, TraitError, observe, validate

from shardwidget._names import name_in_caller
from shardwidget.document import Alternative, Comparison, ProgramDiff, to_wire
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._pages import sentence
from shardwidget.widgets._selection import index_trait, selected_index
from shardwidget.widgets.diff import DiffView


class ShardingComparison(DocumentWidget[Comparison]):
    """A function's types on an Explicit mesh, on an Auto mesh, and where the compiler actually puts each value.

    ```python
    view = ShardingComparison(f, x, w)
    view.choices = {4: 1}               # row 4 stops on an Explicit mesh: continues with its second fix
    view.selection = {"row": 7}         # opens a row
    view.document.rows[4].fixes[1].code
    ShardingComparison(params)          # jax.typeof(x) beside x.sharding, for every array of a pytree
    ```

    Attributes:
        choices: for each row that stops on an Explicit mesh, the index of the fix that the rows below assume.
            Rows that are not named continue with their first fix.
        selection: the row that is open: ``{"row": index}``, or None. The browser's clicks set it too.
    """

    bundle = "comparison.js"

    choices: Dict[Any, Any] = Dict().tag(sync=True)
    selection = index_trait("row")
    _try = Dict(help="What the browser wants compiled otherwise: {n, reason}; n makes each one new.").tag(sync=True)
    _instead = Dict(help="By the index of a reason: {n, done, of} while it compiles, then {n, found, trouble}.").tag(
        sync=True
    )
    _beside = Dict(help="Which of these is to be compared with the program as it is: {n, reason, at}.").tag(sync=True)
    _opened = Dict(help="That difference: {n, front_end, state}; or {n, error}.").tag(sync=True)

    def __init__(
        self,
        f: Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        mesh: Any = None,
        compiled: Literal["auto", "explicit"] | None = None,
        name: str | None = None,
        choices: dict[int, int] | None = None,
        selection: dict[str, int] | None = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Reads a function or arrays, and shows them.

        Args:
            f: a function of global arrays, jitted or not; or an array, or a pytree of arrays; or a document,
                ``Comparison``, which keeps the fixes that it was read with.
            *args: the function's arguments: arrays, ``jax.ShapeDtypeStruct``s with shardings, or tuples
                ``(shape, dtype, spec)``.
            kwargs: keyword arguments of the function, as ``args``.
            mesh: the mesh; None takes the one of the arguments.
            compiled: which variant of the mesh is compiled; None for the mesh as it is.
            name: what to call it; None finds the function's name, or the variable that the arrays are bound to.
            choices: fixes to continue with, by row.
            selection: the row that is open at first, ``{"row": index}``.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``f`` is neither a function nor arrays, the arguments do not fit it, or an argument is unknown.
            ValueError: there is no mesh.
            TraitError: a choice or the selection does not exist.
        """
        checked(type(self), traits, f)
        options = {"mesh": mesh, "compiled": compiled} if callable(f) else {}
        if isinstance(f, Comparison):
            self._reader = f
        else:  # What was read before is shown without JAX.
            from shardwidget.read._comparison.comparison import ComparisonReader

            self._reader = ComparisonReader(f, *args, kwargs=kwargs, **options)
        self._called = name if name is not None or callable(f) or isinstance(f, Comparison) else name_in_caller(f)
        self._chosen, self._fixed = _integers(choices or {}), {}
        self._alternatives: dict[int, tuple[Alternative, ...]] = {}
        document = self._read(self._chosen)
        super().__init__(document, mode=mode, choices=self._chosen, selection=selection, **traits)

    def _state(self, *, complete: bool) -> dict[str, Any]:
        state = super()._state(complete=complete) | self.get_state(["choices", "selection", "_instead"])
        if complete and any(len(row.fixes) > 1 for row in self.document.rows):
            # Without a kernel there is no Python to ask: the page carries the answers.
            state["_document"] = to_wire(self._read(self.choices, continuations=True))
        if complete and self._alternatives:
            state["_compared"] = self._differences()
        return state

    def _differences(self) -> dict[str, Any]:
        """What a saved page opens: by reason and alternative, the difference to the program as it is."""
        states = {}
        for reason, (as_it_is, *others) in self._alternatives.items():
            for at, other in enumerate(others, 1):
                within = DiffView(_difference(as_it_is, other), mode="html")._within()  # noqa: SLF001
                states |= {"front_end": within["front_end"], f"{reason} {at}": within["state"]}
        return states

    def _read(self, choices: dict[int, int], *, continuations: bool = False) -> Comparison:
        if isinstance(self._reader, Comparison):
            if choices != self._fixed:
                raise TraitError(_FIXED.format(choices=self._fixed))
            document = self._reader
        else:
            document = self._reader.comparison(choices, continuations=continuations)
        return document if self._called is None else replace(document, name=self._called)

    def _release(self) -> None:
        # The function may have closed over arrays, and what was traced of it holds them.
        self._shown = replace(self.document, compiled_otherwise=None)
        self._reader, self._fixed = self.document, self._chosen

    @observe("_try")
    def _on_try(self, change: Bunch) -> None:
        n, reason = change["new"]["n"], change["new"]["reason"]
        try:
            self._tell(reason, n=n, **self._tried(reason, lambda done, of: self._tell(reason, n=n, done=done, of=of)))
        except Exception as error:  # The browser is told whatever a user's program may raise.
            self._tell(reason, n=n, trouble=sentence(error))

    def _tried(self, reason: int, progress: Callable[[int, int], None]) -> dict[str, Any]:
        """What was compiled otherwise, as the front end has it."""
        if self.document.compiled_otherwise is None:
            raise ValueError(_CLOSED)
        found, ended = self.document.compiled_otherwise(self.document, reason, progress)
        self._alternatives[reason] = found
        shown = [{name: value for name, value in vars(one).items() if name != "program"} for one in found]
        return {"found": shown} if ended else {"found": shown, "trouble": "Interrupted: more could be compiled."}

    def _tell(self, reason: int, **how: Any) -> None:
        """Tells the front end how far the alternatives to a split are."""
        self._instead = {**self._instead, str(reason): how}

    @observe("_beside")
    def _on_beside(self, change: Bunch) -> None:
        n, reason, at = (change["new"][key] for key in ("n", "reason", "at"))
        try:
            difference = _difference(*(self._alternatives[reason][k] for k in (0, at)))
            self._opened = {"n": n, **DiffView(difference, mode=self._mode)._within()}  # noqa: SLF001
        except Exception as error:  # The page shows it in its place; the kernel keeps running.
            self._opened = {"n": n, "error": sentence(error)}

    @validate("choices")
    def _check_choices(self, proposal: Bunch) -> dict[int, int]:
        choices = _integers(proposal["value"])
        document = self.document if choices == self._chosen else self._read(choices)
        for row, choice in choices.items():
            _check_choice(document, row, choice)
        self._chosen, self._shown = choices, document
        return choices

    @observe("choices")
    def _on_choices(self, _: Any) -> None:
        self._document = to_wire(self.document)

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> dict[str, int] | None:
        return selected_index(proposal["value"], "row", len(self.document.rows))


_CLOSED = "this comparison is a document by now, and no longer has the function to compile: run its cell again"

_FIXED = (
    "a document keeps the fixes that it was read with, and so does a comparison that was closed or whose cell ran "
    "again: choices must be {choices}"
)


def _difference(as_it_is: Alternative, other: Alternative) -> ProgramDiff:
    """What an alternative has otherwise, and what it was compiled for."""
    written = f", with {other.code}" if other.code and not other.code.startswith("#") else ""  # Not a line taken out.
    gives = f"; that gives {other.gives}" if other.gives else ""
    return replace(as_it_is.program.diff(other.program), why=f"{other.what}{written}{gives}")


def _integers(choices: dict[Any, Any]) -> dict[int, int]:
    """Choices with plain integers: from the browser, rows come as text."""
    try:
        return {int(row): operator.index(choice) for row, choice in choices.items()}
    except (TypeError, ValueError):
        raise TraitError(f"choices must be {{row: index of a fix}}, all integers; got {choices!r}") from None


def _check_choice(document: Comparison, row: int, choice: int) -> None:
    stops = {k: len(r.fixes) for k, r in enumerate(document.rows) if r.fixes}
    if row not in stops:
        rows = f"those with a choice are {', '.join(map(str, stops))}" if stops else "no row has one"
        raise TraitError(f"row {row} has no fix to choose; {rows}")
    if not 0 <= choice < stops[row]:
        raise TraitError(f"row {row} has the fixes 0 to {stops[row] - 1}; got {choice}")
