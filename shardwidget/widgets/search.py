"""``SearchView``: candidates for the sharding of a step, by memory and time."""

from __future__ import annotations

import atexit
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from traitlets import Bunch, Dict, Int, TraitError, Unicode, observe, validate

from shardwidget import read
from shardwidget.document import Candidate, Search, to_wire
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._progress import in_notebook

PAUSE = 0.4
"""Seconds between two updates of the page while a search runs."""

Opened = Literal["program", "diff", "model"]


class SearchView(DocumentWidget[Search]):
    """A search: the answer, candidates by memory and time, what the chosen one splits, its code.

    ```python
    view = SearchView(train_step, state, batch, mesh="v5p:4x4x4")
    view.wait().best.code                   # in a notebook the search goes on while the view is shown
    view.selection                          # {"params['up']": "P('fsdp', 'tensor')", …} of the one that is chosen
    view.opened("diff")                     # what it does otherwise than now
    view.compile()                          # compiles it next
    SearchView(read.search(...))
    ```

    Attributes:
        candidate: index of the chosen candidate in ``document.candidates``; -1 for the best. A click arrives here too.
        running: ``"running"``; ``"stopped"``, with more to do; empty where all is done.
    """

    bundle = "search.js"
    _kept = ("candidate",)

    candidate = Int(-1).tag(sync=True)
    running = Unicode("", read_only=True).tag(sync=True)
    _asked = Dict(
        help="What the reader did last: {n, do, what}; do is stop, go on, compile, open or search; n is new."
    ).tag(sync=True)
    _opened = Dict(None, allow_none=True, help="What was asked for: {n, front_end, state} or {n, error}.").tag(
        sync=True
    )

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

        In a notebook it returns with the first candidate; others appear while the view is shown, until ``stop()`` or
        its button. ``wait()`` returns the finished search. Elsewhere it returns when all is done.

        Args:
            f: a ``Search``, or what ``read.search`` takes: the jitted step.
            *args: its arguments.
            kwargs: its keyword arguments.
            mesh: a topology, ``v5p:4x4x4`` or ``v5p:64``, several, or a mesh.
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
        if meant := [name for name in traits if name in inspect.signature(read.search).parameters]:
            given = ", ".join(f"{name!r}: {traits[name]!r}" for name in meant)
            raise TypeError(f"arguments of read.search are given as options: SearchView(..., options={{{given}}})")
        checked(type(self), traits)
        self._coming: Iterator[Search] = iter(())
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._raised: Exception | None = None
        self._next: list[str] = []
        if isinstance(f, Search):
            if args or kwargs or mesh is not None or options:
                raise TypeError("a Search has its step, its arguments and its mesh: give SearchView(search) alone")
            search, live = f, False
        else:
            given = {"kwargs": kwargs, "mesh": mesh, "compiled": compiled, **(options or {})}
            live = in_notebook() and mode != "html"
            if live:
                from shardwidget.read._search.search import searching

                self._coming = searching(f, args, **given)
                search = next(self._coming)
            else:
                search = read.search(f, *args, **given)
        super().__init__(search, mode=mode, candidate=candidate, **traits)
        if live:
            self.resume()

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

    def stop(self) -> None:
        """Ends the search after the candidate that it is at; what is known stays. ``resume()`` goes on."""
        self._stopping.set()

    def resume(self) -> None:
        """Goes on with a search that was stopped."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._begin(self._search)

    def _search_again(self, offer: int) -> None:
        """Searches for other chips, or for other plans, as is offered, in place of what is shown."""
        again = self.document.again
        if again is not None and (self._thread is None or not self._thread.is_alive()):
            self._coming, self.candidate = again(self.document.offers[offer]), -1
            self.resume()

    def _begin(self, work: Callable[[], None]) -> None:
        self._stopping.clear()
        self.set_trait("running", "running")
        self._thread = threading.Thread(target=work, name="shardwidget search", daemon=True)
        atexit.register(self._leave)
        self._thread.start()

    def compile(self) -> None:
        """Compiles the chosen candidate next: after the one that the search is at, or at once. ``wait()`` waits for it.

        Raises:
            ValueError: nothing is chosen, or the step is not at hand.
        """
        chosen = self.chosen or next(iter(self.document.candidates))
        if self.document.with_compiled is None:
            raise ValueError("this search was loaded, and has no step to compile: search again with read.search")
        self._next.append(chosen.title)
        if self._thread is None or not self._thread.is_alive():
            self._begin(self._only_compile)

    def _leave(self) -> None:
        """Ends the search before Python does, which would end its thread within JAX, and so abort the process."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def wait(self) -> Search:
        """The search, when it has ended; an interrupt stops it.

        Raises:
            Exception: what JAX or the compiler raised in it.
        """
        try:
            while self._thread is not None and self._thread.is_alive():
                self._thread.join(0.1)
        except KeyboardInterrupt:
            self.stop()
            if self._thread is not None:
                self._thread.join()
        if self._raised is not None:
            raise self._raised
        return self.document

    def opened(self, what: Opened = "program") -> DocumentWidget[Any]:
        """A view of the chosen candidate.

        Args:
            what: ``"program"``, compiled for the target; ``"diff"``, that program beside the one of "now"; ``"model"``,
                the step's arrays, split as the candidate says.

        Raises:
            ValueError: nothing is chosen, the step is not at hand, or there is nothing else of this name.
        """
        from shardwidget.widgets._show import show

        chosen, search = self.chosen or next(iter(self.document.candidates)), self.document
        if what == "program":
            return show(search.program(chosen), mode=self._mode)
        if what == "diff":
            if search.now is None:
                raise ValueError('nothing is marked "now": the arguments have no sharding on so many devices')
            return show(search.program(search.now).diff(search.program(chosen)), mode=self._mode)
        if what == "model":
            from shardwidget.read._search.arrays import arrays_of

            return show(arrays_of(search, chosen), mode=self._mode)
        raise ValueError(f"there is 'program', 'diff' and 'model'; got {what!r}")

    def _search(self) -> None:
        """Goes on with the search, on a thread of its own."""
        shown = 0.0
        latest: Search | None = None
        ended = "stopped"
        try:
            for latest in self._coming:
                latest = self._with_next(latest)
                if self._stopping.is_set():
                    latest = replace(latest, ended="interrupted", compiling=-1)
                    break
                if latest.compiling >= 0 or time.monotonic() - shown > PAUSE:
                    self._show(latest)
                    shown, latest = time.monotonic(), None
            else:
                ended = ""
        except Exception as error:  # Whoever waits is told; the page keeps what is known.
            self._raised, ended = error, "failed"
        if latest is not None:
            self._show(latest)
        self.set_trait("running", ended)
        atexit.unregister(self._leave)

    def _only_compile(self) -> None:
        """Compiles what was asked for, on a thread of its own; the search stays where it is."""
        before = "stopped" if self.document.ended == "interrupted" else ""
        self._show(self._with_next(self.document))
        self.set_trait("running", before)
        atexit.unregister(self._leave)

    def _with_next(self, search: Search) -> Search:
        """The search with the candidates compiled that were asked for."""
        while self._next:
            title = self._next.pop(0)
            c = next((c for c in search.candidates if c.title == title), None)
            if c is not None and not c.compiled:
                at = next(k for k, each in enumerate(search.candidates) if each is c)
                self._show(replace(search, compiling=at))
                try:
                    search = replace(search.compile(c), ended=search.ended)
                except Exception as error:  # No libtpu, for example: the page says it, and the search goes on.
                    self._raised = error
                    self._opened = {"n": self._asked.get("n"), "error": f"{type(error).__name__}: {error}"}
        return search

    def _show(self, search: Search) -> None:
        """Shows what is known now. The selection stays with its candidate, which may have another place."""
        chosen = self.document.candidates[self.candidate].title if self.candidate >= 0 else None
        with self.hold_sync():
            self._shown = search
            self._document = to_wire(search)
            titles = [c.title for c in search.candidates]
            self.candidate = titles.index(chosen) if chosen in titles else -1

    @observe("_asked")
    def _on_asked(self, change: Any) -> None:
        asked = change["new"]
        do = asked.get("do")
        if do == "stop":
            self.stop()
        elif do == "go on":
            self.resume()
        elif do == "compile":
            self.compile()
        elif do == "search":
            self._search_again(asked["what"])
        elif do == "open":
            try:
                view = self.opened(asked.get("what"))
                self._opened = {"n": asked.get("n"), **view._within()}  # noqa: SLF001
            except Exception as error:
                # The page shows it in its place; the kernel keeps running.
                self._opened = {"n": asked.get("n"), "error": f"{type(error).__name__}: {error}"}

    def _release(self) -> None:
        self.stop()

    @validate("candidate")
    def _check_candidate(self, proposal: Bunch) -> int:
        value, count = proposal["value"], len(self.document.candidates)
        if not -1 <= value < count:
            raise TraitError(f"candidate must be -1 for the best, or 0 to {count - 1}; got {value!r}")
        return value
