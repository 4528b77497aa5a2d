"""``SearchView``: candidates for the sharding of a step, by memory and time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traitlets import Bunch, Int, TraitError, validate

from shardwidget import read
from shardwidget.document import Candidate, Search
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._progress import Progress


class SearchView(DocumentWidget):
    """A search: the answer, candidates by memory and time, what the chosen one splits, its code.

    ```python
    view = SearchView(train_step, state, batch, mesh="v5p:4x4x4")
    view.selection                          # {"params['up']": "P('fsdp', 'tensor')", …} of the one that is chosen
    SearchView(read.search(...))
    ```

    Attributes:
        candidate: index of the chosen candidate in ``document.candidates``; -1 for the best. A click arrives here too.
    """

    bundle = "search.js"

    candidate = Int(-1).tag(sync=True)

    def __init__(
        self,
        f: Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        mesh: Any = None,
        compiled: int = 8,
        candidate: int = -1,
        mode: Mode | None = None,
        options: Mapping[str, Any] | None = None,
        **traits: Any,
    ) -> None:
        """Searches, and shows what was found. Nothing is run.

        Args:
            f: a ``Search``, or what ``read.search`` takes: the jitted step.
            *args: its arguments.
            kwargs: its keyword arguments.
            mesh: a topology, ``v5p:4x4x4``, or a mesh.
            compiled: how many of the best to compile.
            candidate: the candidate that is chosen first; -1 for the best.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            options: further arguments of ``read.search``, such as ``{"most_axes": 3}``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: as ``read.search``, or an argument is unknown.
            ValueError: as ``read.search``.
            TraitError: there is no such candidate.
        """
        checked(type(self), traits)
        if isinstance(f, Search):
            if args or kwargs or mesh is not None or options:
                raise TypeError("a Search has its step, its arguments and its mesh: give SearchView(search) alone")
            search = f
        else:
            with Progress("candidate") as progress:
                search = read.search(
                    f,
                    *args,
                    kwargs=kwargs,
                    mesh=mesh,
                    compiled=compiled,
                    progress=lambda known: progress(len(known.candidates), known.planned),
                    **(options or {}),
                )
        super().__init__(search, mode=mode, candidate=candidate, **traits)

    @property
    def document(self) -> Search:
        """The search that is shown."""
        assert isinstance(self._shown, Search)
        return self._shown

    @property
    def chosen(self) -> Candidate | None:
        """The chosen candidate: the best, unless another was chosen; None where nothing fits."""
        return self.document.candidates[self.candidate] if self.candidate >= 0 else self.document.best

    @property
    def selection(self) -> dict[str, str]:
        """The specs of the chosen candidate by the paths of the step's arrays; empty where there is none."""
        chosen, search = self.chosen, self.document
        if chosen is None:
            return {}
        return {leaf.path: search.specs[k] for leaf, k in zip(search.leaves, chosen.specs, strict=True)}

    def _state(self, *, complete: bool) -> dict[str, Any]:
        return super()._state(complete=complete) | {"candidate": self.candidate}

    @validate("candidate")
    def _check_candidate(self, proposal: Bunch) -> int:
        value, count = proposal["value"], len(self.document.candidates)
        if not -1 <= value < count:
            raise TraitError(f"candidate must be -1 for the best, or 0 to {count - 1}; got {value!r}")
        return value
