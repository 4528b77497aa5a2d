"""What is asked of programs beyond their collectives: pages, why a collective is there, what would be better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal

from traitlets import Bunch, Dict, observe

from shardwidget.document import Links, Memory, Overlap, Remedies, Why, to_wire
from shardwidget.export.remedies import UNFINISHED
from shardwidget.widgets._pages import BY_USER, NOT_KNOWN, sentence
from shardwidget.widgets._programs import ProgramWidget
from shardwidget.widgets._progress import Progress

_NO_FUNCTION = "remedies are found by compiling the function in other ways: give it and its arguments."


class AnsweringWidget(ProgramWidget):
    """A widget whose programs can be asked, by its methods and by its card."""

    _try = Dict(help="What the browser wants remedies for: {n, at, lowers}; n makes each one new.").tag(sync=True)
    _remedies = Dict(
        help="By what is lowered and index of a program: {n, done, of}, of attempts; then {n, found}, or {n, trouble}."
    ).tag(sync=True)
    _why = Dict(help="What the browser asks why it is there: {n, at, collective}; n makes each one new.").tag(sync=True)
    _pages = Dict(help="By name of a page and index of a program: the document, or why it is not known.").tag(sync=True)

    def memory(self) -> Memory | dict[str, Memory]:
        """What is alive while the program runs: read on the first call.

        Returns:
            The memory; side by side, that of every program for which it can be known, by name.

        Raises:
            ValueError: there is no compiled program to read.
        """
        return self._page_of_all("memory")

    def overlap(self) -> Overlap | dict[str, Overlap]:
        """How much of the communication is exposed: an estimate from the schedule, read on the first call.

        Returns:
            The overlap; side by side, that of every program for which it can be known, by name.

        Raises:
            ValueError: there are no figures for the devices, and no ``chip=`` was given; or there is no schedule.
        """
        return self._page_of_all("overlap")

    def links(self) -> Links | dict[str, Links]:
        """Which links between chips its collectives cross, and how many bytes; see ``read.links``.

        The order of the devices as compiled stands beside the one that ``jax.make_mesh`` gives them, where that is
        another. ``read.links(meshes, program=view.document)`` has it on orders of your own.

        Returns:
            The links; side by side, those of every program that is compiled for TPUs, by name.

        Raises:
            ValueError: the devices have no coordinates on chips, are on several slices, or fill no box of chips.
        """
        return self._page_of_all("links")

    def _page_of_all(self, page: str) -> Any:
        found, _ = self._each(getattr(self._reads, page))
        return self._by_name(found)

    def _with_page(self, pages: dict[str, Any], page: str, at: int) -> dict[str, Any]:
        """What the front end has, with a page of a program."""
        key = f"{page} {at}"
        return pages if key in pages else {**pages, key: self._reads.wire(page, at, self._programs()[at])}

    def _send_again(self, page: str, at: int) -> None:
        """Sends the front end a page that is no longer as it has it."""
        others = {key: known for key, known in self._pages.items() if key != f"{page} {at}"}
        if len(others) < len(self._pages):
            self._pages = self._with_page(others, page, at)

    def why(self, collective: int) -> tuple[Why, ...]:
        """Why a collective is there: from which splits it follows, and where these come from.

        The compiler's own record of how it propagated shardings is read, for which the function is traced and lowered
        again. The button of the selected line asks for the same.

        Args:
            collective: index in ``document.collectives``; side by side, of the program that is open.

        Returns:
            An answer for each split; none where that is not known, or where the program itself asks for it.

        Raises:
            IndexError: there is no such collective.
            ValueError: there is no function to read.
        """
        at = self.opened or 0
        program = self._programs()[at]
        if not 0 <= collective < len(program.collectives):
            raise IndexError(f"the program has {len(program.collectives)} collectives; there is no {collective}")
        found = self._reads.why(at, program, collective, self._calls[at])
        unsaid = BY_USER if program.collectives[collective].by_user else NOT_KNOWN
        said = {"found": [to_wire(why) for why in found]} if found else {"trouble": unsaid}
        self._pages = {**self._pages, f"why {at} {collective}": said}
        return found

    @observe("_why")
    def _on_why(self, change: Bunch) -> None:
        asked = change["new"]
        try:
            self.why(asked["collective"])
        except Exception as error:  # The browser is told whatever a user's program may raise.
            said = {"trouble": sentence(error)}
            self._pages = {**self._pages, f"why {asked['at']} {asked['collective']}": said}

    def remedies(self, lowers: Literal["peak", "communication"] = "peak") -> Remedies | dict[str, Remedies]:
        """Compiles the program in other ways, and says what helps; see ``read.remedies``.

        The pages of memory and of overlap show them; their buttons ask for the same. Interrupted, it returns what was
        found until then.

        Args:
            lowers: what is to be lower: the peak of memory, or communication.

        Returns:
            What lowers it, the best first, with the figures before and after; side by side, that of every function.

        Raises:
            ValueError: there is no function to compile.
        """
        found = dict[int, Remedies]()
        for at, (f, *_) in enumerate(self._calls):
            if isinstance(f, Callable):
                with Progress("compiling") as progress:
                    found[at] = self._remedies_of(at, lowers, progress)
        if not found:
            raise ValueError(_NO_FUNCTION)
        return self._by_name(found)

    def _remedies_of(self, at: int, lowers: str, progress: Callable[[int, int], None], n: int = 0) -> Remedies:
        f, args, kwargs = self._calls[at]
        if not isinstance(f, Callable):
            raise ValueError(_NO_FUNCTION)
        from shardwidget.read._instead.communication import tried as less_sent
        from shardwidget.read._memory.remedies import tried as less_held

        tried = less_sent if lowers == "communication" else less_held
        found = tried(f, args, kwargs or {}, self._mesh, progress)
        stopped = {} if found.complete else {"trouble": UNFINISHED}
        self._send_remedies(at, lowers, n=n, found=[asdict(remedy) for remedy in found], **stopped)
        return found

    def _send_remedies(self, at: int, lowers: str, **how: Any) -> None:
        """Tells the front end the progress of a program's remedies."""
        self._remedies = {**self._remedies, f"{lowers} {at}": how}

    @observe("_try")
    def _on_try(self, change: Bunch) -> None:
        n, at, lowers = (change["new"][key] for key in ("n", "at", "lowers"))
        try:
            self._remedies_of(at, lowers, lambda done, of: self._send_remedies(at, lowers, n=n, done=done, of=of), n)
        except Exception as error:  # The browser is told whatever a user's program may raise.
            self._send_remedies(at, lowers, n=n, trouble=sentence(error))
