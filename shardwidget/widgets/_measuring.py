"""Programs that are run: their calls timed, and what every device did in them."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from traitlets import Bunch, Dict, Int, Unicode, observe

from shardwidget import read
from shardwidget.document import Program, Run, Timing, to_wire
from shardwidget.widgets._answers import AnsweringWidget
from shardwidget.widgets._pages import sentence
from shardwidget.widgets._progress import Progress


class MeasuringWidget(AnsweringWidget):
    """A widget whose programs can be measured, by its methods and by buttons of its card."""

    _asked = Dict(
        help="What the browser wants measured: {n, runs}; with the index of a program as profiled, what its lines take."
    ).tag(sync=True)
    _heard = Int(0, help="The n of the last one handled.").tag(sync=True)
    _trouble = Unicode(help="Why something was not measured.").tag(sync=True)

    def time(self, n: int = 10) -> Timing | dict[str, Timing]:
        """Measures calls: the median of ``n`` after warm-up, with the least and the greatest.

        Args:
            n: measured calls of each program.

        Returns:
            The measured time; side by side, that of every program that can be run, by name.

        Raises:
            ValueError: there is nothing to run (shapes without data, a TPU topology, a program that is only lowered).
        """
        timed, self._trouble = self._each(lambda at, _: self._timed(at, n))
        shown = tuple(replace(p, timing=timed.get(k, p.timing)) for k, p in enumerate(self._programs()))
        single = isinstance(self.document, Program)
        self._shown = shown[0] if single else replace(self.document, programs=shown)
        self._document = to_wire(self._shown)
        return self._by_name(timed)

    def _timed(self, at: int, n: int) -> Timing:
        f, args, kwargs = self._callable(at)
        return read.time_program(f, args, kwargs=kwargs, n=n, mesh=self._mesh)

    def profile(self, n: int = 5) -> Run | dict[str, Run]:
        """Measures calls under JAX's profiler: what every device did when, and who waited for whom.

        The overlap page then has it beside the estimate, where that is for the devices that it ran on.

        Args:
            n: measured calls of each program, after warm-up.

        Returns:
            The run, which ``RunView`` shows; side by side, that of every program that can be run, by name.

        Raises:
            ValueError: there is nothing to run.
            RuntimeError: a profile is already being taken.
        """
        runs, _ = self._each(lambda at, program: self._profiled(at, program, n))
        for at, run in runs.items():
            with contextlib.suppress(ValueError):  # It may be estimated for other devices.
                self.beside(run, at)
        return self._by_name(runs)

    def _profiled(self, at: int, program: Program, n: int) -> Run:
        f, args, kwargs = self._callable(at)
        with Progress() as progress:
            given = {"kwargs": kwargs, "n": n, "mesh": self._mesh, "name": program.name}
            return read.run(f, *args, **given, progress=progress)

    def beside(self, run: Run, program: int = 0) -> None:
        """Sets a measured run beside the estimate on the page of overlap, such as one of a pod's profile.

        Args:
            run: what ``profile()`` or ``read.run`` returned, for the same function on the devices of the estimate.
            program: side by side, the index of the program that it is of.

        Raises:
            ValueError: the run was on other devices, or is of another program; or the overlap is not known.
        """
        self._reads.beside(program, self._programs()[program], run)
        self._send_again("overlap", program)

    @observe("_asked")
    def _on_asked(self, change: Bunch) -> None:
        asked = change["new"]
        try:
            if (at := asked.get("profiled")) is None:
                self.time(asked["runs"])
            else:
                program = self._programs()[at]
                self._reads.overlap(at, program)  # Nothing is run where there is no estimate.
                self.beside(self._profiled(at, program, asked["runs"]), at)
                self._trouble = ""
        except KeyboardInterrupt:  # The kernel's own button: without an answer the browser would wait on.
            self._trouble = "Interrupted: nothing was measured."
        except Exception as error:  # The browser is told whatever a user's program may raise.
            self._trouble = sentence(error)
        self._heard = asked["n"]
