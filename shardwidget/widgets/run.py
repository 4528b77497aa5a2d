"""``RunView``: a measured run, as lanes of devices over time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets import Bunch, Int, TraitError, validate

from shardwidget import read
from shardwidget.document import Run, Runs
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked
from shardwidget.widgets._progress import Progress
from shardwidget.widgets._selection import index_trait, selected_index

if TYPE_CHECKING:
    from shardwidget.cost import Interconnect


class RunView(DocumentWidget[Run | Runs]):
    """What every device did when: compute by source line, collectives, and who waited for whom.

    ```python
    view = RunView(step, params, batch)     # runs it, five times after warm-up
    view.document.collectives[0].wait_s
    view.call = 2                           # draws another call
    view.to_trace("step.json")              # for Perfetto or chrome://tracing

    RunView.compare({"before": before, "after": (step, params, batch)})
    ```

    Attributes:
        call: index of the call that is drawn; None for the one of median length.
        selection: what is highlighted: ``{"collective": index in document.collectives}``, or None.
    """

    bundle = "run.js"
    _kept = ("call", "selection")

    call = Int(None, allow_none=True).tag(sync=True)
    selection = index_trait("collective")

    def __init__(
        self,
        f: Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        n: int = 5,
        mesh: Any = None,
        name: str | None = None,
        interconnect: str | Interconnect | None = None,
        program: Any = None,
        call: int | None = None,
        selection: dict[str, int] | None = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Measures a program, and shows what happened.

        Args:
            f: a function, jitted or not, or a ``Compiled``; a document, ``Run`` or ``Runs``; or the path of a profile
                that was already taken, ``….xplane.pb``, with ``program=``.
            *args: the function's arguments.
            kwargs: its keyword arguments.
            n: measured calls, after warm-up.
            mesh: the mesh whose axes name the collectives; None takes the one of the arguments.
            name: what to call it; None for the function's name.
            interconnect: what estimates are for; as in ``read.run``.
            program: for a profile that was already taken: what ran; as in ``read.run``.
            call: the call that is drawn at first.
            selection: what is highlighted at first, ``{"collective": index}``.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``f`` is not a program, or an argument is unknown.
            ValueError: there is nothing to run, or the profile cannot be read or is of another program.
            RuntimeError: a profile is already being taken.
            TraitError: there is no such call or collective.
        """
        checked(type(self), traits, f)
        if isinstance(f, Run | Runs):
            document = replace(f, name=name) if isinstance(f, Run) and name is not None else f
        else:
            given = {"kwargs": kwargs, "n": n, "mesh": mesh, "name": name, "interconnect": interconnect}
            with Progress() as progress:
                document = read.run(f, *args, **given, program=program, progress=progress)
        super().__init__(document, mode=mode, call=call, selection=selection, **traits)

    @classmethod
    def compare(
        cls,
        runs: Mapping[str, Any],
        *,
        kwargs: Mapping[str, Any] | None = None,
        n: int = 5,
        mesh: Any = None,
        interconnect: str | Interconnect | None = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> RunView:
        """Shows runs one below the other on one time axis: before and after a change.

        Args:
            runs: for each name a ``Run``, or a tuple of a function and its arguments, which is then measured.
            kwargs: keyword arguments for those that are given as a function.
            n: number of calls of each one that is measured.
            mesh: as in the constructor, for all.
            interconnect: as in the constructor, for all.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: they are not given by name, or one of them can be neither run nor shown.
            ValueError: there are none, or one of them cannot be run.
        """
        checked(cls.compare, traits)
        if not isinstance(runs, Mapping):
            raise TypeError(f"{_BY_NAME} got a {type(runs).__name__}.")
        if not runs:
            raise ValueError(f"there are no runs to compare: {_BY_NAME.replace('; ', '.')}")
        measured = []
        for name, of in runs.items():
            if isinstance(of, Run):
                measured.append(replace(of, name=str(name)))
                continue
            if not isinstance(of, tuple) or not of:
                raise TypeError(f"{_BY_NAME} {name!r} is a {type(of).__name__}.")
            with Progress() as progress:
                given = {"kwargs": kwargs, "n": n, "mesh": mesh, "name": str(name), "interconnect": interconnect}
                measured.append(read.run(*of, **given, progress=progress))
        return cls(Runs(measured[0].mesh, tuple(measured)), mode=mode, **traits)

    def to_trace(self, path: str | PathLike[str] | None = None) -> str:
        """Saves the run in Chrome's trace event format, which Perfetto and ``chrome://tracing`` open.

        Each device is a process with its mesh coordinates, with one thread for compute, by source line, and one for
        collectives, by mesh axes.

        Args:
            path: where to write; None to get the text.

        Returns:
            The path, or the text.

        Raises:
            ValueError: several runs are shown; save each by itself.
        """
        if isinstance(self.document, Runs):
            raise ValueError("several runs are shown: save one, RunView(view.document.runs[0]).to_trace(path).")
        text = json.dumps(self.document.to_trace())
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8")
        return str(path)

    @validate("call")
    def _check_call(self, proposal: Bunch) -> int | None:
        value = proposal["value"]
        count = len(self.document.seconds) if isinstance(self.document, Run) else 0
        if value is not None and not 0 <= value < count:
            legal = f"None or a call, 0 to {count - 1}" if count else "None: each run shows its median call"
            raise TraitError(f"call must be {legal}; got {value!r}")
        return value

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> dict[str, int] | None:
        runs = (self.document,) if isinstance(self.document, Run) else self.document.runs
        return selected_index(proposal["value"], "collective", max(len(run.collectives) for run in runs))


_BY_NAME = "runs to compare must be given by name, in a dict: {'before': run, 'after': (f, x, w)};"
