"""``CompiledProgram``: the collectives of a compiled program and what is alive in it, or of several side by side."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal

from traitlets import Bunch, Dict, Enum, Int, TraitError, Unicode, observe, validate

from shardwidget import cost, read
from shardwidget.chips import chips
from shardwidget.document import (
    Document,
    Links,
    Memory,
    Overlap,
    Program,
    Programs,
    Remedies,
    Run,
    Timing,
    Why,
    to_wire,
)
from shardwidget.export.remedies import UNFINISHED
from shardwidget.widgets import _sharing
from shardwidget.widgets._base import Mode
from shardwidget.widgets._moving import MovingWidget
from shardwidget.widgets._options import checked
from shardwidget.widgets._pages import BY_USER, NOT_KNOWN, ProgramPages, sentence
from shardwidget.widgets._progress import Progress
from shardwidget.widgets._selection import index_trait, selected_index
from shardwidget.widgets.diff import DiffView

if TYPE_CHECKING:
    from shardwidget.cost import Interconnect

SORTS = ("time", "order", "op", "axes", "sent", "runs", "source")
"""What the table can be sorted by; ``order`` is the module's schedule."""

_Call = tuple[Any, tuple[Any, ...], Mapping[str, Any] | None]
"""A function, its arguments and its keyword arguments."""

Page = Literal["collectives", "overlap", "memory", "links"]

PAGES = ("collectives", "overlap", "memory", "links")

_ALONE = "Only its {page} was given, so its collectives are not known."

_OTHER_MEMORY = (
    "memory= must be what read.memory returned for this one program, on {size} devices; got {got}. Several programs "
    "side by side are given as functions or compiled programs, whose memory can be read."
)

_NO_FUNCTION = "remedies are found by compiling the function in other ways: give it and its arguments."

_NOT_CALLABLE = "it was given as a {what}, which cannot be called: there is nothing to run. Give the function itself."


class CompiledProgram(MovingWidget):
    """The collectives of a compiled program: over which mesh axes, how many bytes, how often, and caused by which line.

    Its other pages are the overlap: how much of the communication is waited for, estimated from the schedule; the
    memory: what is alive on a device over the schedule, and at the peak; and, of a program for TPUs, the links between
    chips: what crosses each of them.

    ```python
    view = CompiledProgram(f, x, w)
    view.selection = {"collective": 3}  # shows a collective on the mesh; the browser's clicks set it too
    view.axis = "model"                 # lists those over one mesh axis
    view.time(n=20)                     # measures it, as the button does
    view.profile()                      # what every device did when: a Run
    view.document.collectives[3].axes

    view.why(3)[0].answer               # which split it follows from, and what gave that

    view.page = "overlap"               # what waits for collectives, estimated from the schedule
    view.overlap().by_line()[0].exposed # seconds, of the line that waits longest

    view.page = "memory"                # what is alive while it runs
    view.memory().alive()[0].name       # the largest buffer at the peak
    view.remedies()[0].code             # what lowers it, compiled to be sure

    view.page = "links"                 # which links between chips carry what: for TPUs
    view.links().orders[0].bytes        # on the link that carries most

    CompiledProgram.compare({"inner": (f, x1, w1), "outer": (f, x2, w2)})
    CompiledProgram.diff((f, x, w), (g, x, w))    # what g has more, less or otherwise
    CompiledProgram.added(f, x, w)                # what the compiler added to what f asks for
    ```

    Attributes:
        selection: what is shown on the mesh: ``{"collective": index in document.collectives}``, or None.
        axis: name of a mesh axis whose collectives are listed; None for all.
        sort: what the list is sorted by: ``"time"``, ``"order"`` (the module's schedule), ``"op"``, ``"axes"``,
            ``"sent"``, ``"runs"`` or ``"source"``.
        page: ``"collectives"``, ``"overlap"``, ``"memory"`` or ``"links"``.
        opened: side by side: index of the program that is open; None for none. ``selection`` and ``axis`` refer to it.
    """

    bundle = "program.js"
    _later: Mapping[str, str] = {"_parts": "program-pages.js"}

    selection = index_trait("collective")
    axis = Unicode(None, allow_none=True).tag(sync=True)
    sort = Enum(SORTS, default_value="time").tag(sync=True)
    opened = Int(None, allow_none=True).tag(sync=True)
    page = Enum(PAGES, default_value="collectives").tag(sync=True)

    _asked = Dict(
        help="What the browser wants measured: {n, runs}; with the index of a program as profiled, what its lines take."
    ).tag(sync=True)
    _heard = Int(0, help="The n of the last one handled.").tag(sync=True)
    _trouble = Unicode(help="Why something was not measured.").tag(sync=True)
    _try = Dict(help="What the browser wants remedies for: {n, at, lowers}; n makes each one new.").tag(sync=True)
    _remedies = Dict(
        help="By what is lowered and index of a program: {n, done, of}, of attempts; then {n, found}, or {n, trouble}."
    ).tag(sync=True)
    _why = Dict(help="What the browser asks why it is there: {n, at, collective}; n makes each one new.").tag(sync=True)
    _parts = Unicode(help="The module of the pages that the card loads when one is opened.").tag(sync=True)
    _pages = Dict(help="By name of a page and index of a program: the document, or why it is not known.").tag(sync=True)

    def __init__(
        self,
        f: Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        mesh: Any = None,
        name: str | None = None,
        interconnect: str | Interconnect | None = None,
        chip: str | int | None = None,
        memory: Memory | None = None,
        page: Page | None = None,
        selection: dict[str, int] | None = None,
        axis: str | None = None,
        sort: Literal["time", "order", "op", "axes", "sent", "runs", "source"] = "time",
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Compiles a function and shows its collectives. Nothing is run.

        Args:
            f: a function, jitted or not; or what ``jax.jit(f).lower(...)`` or its ``compile()`` gave; or, with
                ``mesh=``, the text of a compiled module or groups out of one; or a ``Program`` or ``Programs``, or a
                ``Memory`` or ``Overlap`` alone.
            *args: the function's arguments: arrays, or ``jax.ShapeDtypeStruct``s with shardings, which need no data.
            kwargs: keyword arguments of the function.
            mesh: the mesh whose axes name the collectives; None takes the one of the arguments.
            name: what to call it; None for the function's name.
            interconnect: what estimated times are shown for first: a name in ``shardwidget.cost.INTERCONNECTS``, for
                example ``"TPU v5e"`` or ``"H100"``, or an ``Interconnect`` of your own numbers.
            chip: the device whose memory is the limit, and that times are estimated for: a name in
                ``shardwidget.chips.CHIPS``, for example ``"H100"``, or the bytes that it has; None for the one that the
                program is compiled for.
            memory: its memory, where it is read already; with a ``Program``, there is nothing to read it from.
            page: what is shown at first: ``"collectives"``, ``"overlap"``, ``"memory"`` or ``"links"``; None for the
                collectives, or for what alone is given.
            selection: what is shown at first, ``{"collective": index}``; None for the one that takes longest.
            axis: list only the collectives over this mesh axis.
            sort: what to sort by.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``f`` can be neither compiled nor read, ``memory`` is none or is for one of several programs, or
                an argument is unknown.
            ValueError: the mesh has other devices than the program, or there is no such interconnect or chip.
            TraitError: there is no such collective, mesh axis, column or page.
        """
        checked(type(self), traits, f)
        self._calls: tuple[_Call, ...] = ((f, args, kwargs),)
        chips(chip, "")
        self._mesh, self._chip = mesh, chip
        compiled: tuple[Any, ...] = (f,)
        alone = f if isinstance(f, Memory | Overlap) else memory
        if isinstance(f, Programs):
            document, self._calls = f, tuple((p, (), None) for p in f.programs)
            compiled = f.programs
        elif isinstance(f, Memory | Overlap):
            page = page or f.kind
            document = Program(f.mesh, (), name=name or f.name, target=f.target, note=_ALONE.format(page=f.kind))
        elif isinstance(f, Program):
            document = f if name is None else replace(f, name=name)
        else:
            if not isinstance(f, str):
                cost.interconnects(interconnect)  # A wrong name is reported before anything is compiled.
                compiled = (read.compiled(f, *args, kwargs=kwargs, mesh=mesh),)
            document = read.program(*compiled, mesh=mesh, name=name, interconnect=interconnect)
        self._reads = ProgramPages(compiled, mesh, chip, kwargs)
        if memory is not None and not (
            isinstance(memory, Memory) and document.mesh.size == memory.mesh.size and isinstance(document, Program)
        ):
            got = f"a Memory on {memory.mesh.size}" if isinstance(memory, Memory) else f"a {type(memory).__name__}"
            raise TypeError(_OTHER_MEMORY.format(size=document.mesh.size, got=got))
        if alone is not None:
            self._reads.known[alone.kind, 0] = alone
        page = page or "collectives"
        super().__init__(document, mode=mode, selection=selection, axis=axis, sort=sort, page=page, **traits)

    @classmethod
    def compare(
        cls,
        programs: Mapping[str, Any],
        *,
        kwargs: Mapping[str, Any] | None = None,
        mesh: Any = None,
        interconnect: str | Interconnect | None = None,
        chip: str | int | None = None,
        page: Page = "collectives",
        opened: int | None = None,
        sort: Literal["time", "order", "op", "axes", "sent", "runs", "source"] = "time",
        mode: Mode | None = None,
        **traits: Any,
    ) -> CompiledProgram:
        """Shows programs side by side, with their totals, and each with its collectives.

        Args:
            programs: for each name a tuple of a function and its arguments, a ``Lowered``, a ``Compiled`` or a
                ``Program``.
            kwargs: keyword arguments for those that are given as a function.
            mesh: as in the constructor, for all.
            interconnect: as in the constructor, for all.
            chip: as in the constructor, for all.
            page: what is shown of the program that is open.
            opened: index of the program whose collectives are shown at first.
            sort: what to sort these by.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: they are not given by name, or one of them can be neither compiled nor read.
            ValueError: there are none, or the mesh has other devices than one of them.
            TraitError: there is no such program to open, or no such column.
        """
        checked(cls.compare, traits)
        document = read.programs(programs, kwargs=kwargs, mesh=mesh, interconnect=interconnect)
        view = cls(document, chip=chip, sort=sort, mode=mode, **traits)
        view._mesh = mesh
        view._reads = ProgramPages(tuple(programs.values()), mesh, chip, kwargs)
        view._calls = tuple(
            (of[0], of[1:], kwargs) if isinstance(of, tuple) else (of, (), None) for of in programs.values()
        )
        view.opened, view.page = opened, page
        return view

    @classmethod
    def diff(
        cls,
        before: Any,
        after: Any,
        *,
        kwargs: Mapping[str, Any] | None = None,
        mesh: Any = None,
        interconnect: str | Interconnect | None = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> DiffView:
        """Shows what was added, is gone or changed between two programs, by line and mesh axes, the dearest first.

        Args:
            before: a tuple of a function and its arguments, a ``Lowered``, a ``Compiled`` or a ``Program``.
            after: the same after the change. Lines are matched by their text, so that they may have moved.
            kwargs: keyword arguments for those that are given as a function.
            mesh: as in the constructor, for both.
            interconnect: as in the constructor, for both.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: one of them can be neither compiled nor read.
            ValueError: the mesh has other devices than one of them.
        """
        checked(DiffView, traits)
        both = {"before": before, "after": after}
        old, new = read.programs(both, kwargs=kwargs, mesh=mesh, interconnect=interconnect).programs
        names = [_name_of(of, name) for name, of in both.items()]
        named = (replace(program, name=name) for program, name in zip((old, new), names, strict=True))
        return DiffView(next(named).diff(next(named)), mode=mode, **traits)

    @classmethod
    def added(
        cls,
        f: Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        mesh: Any = None,
        interconnect: str | Interconnect | None = None,
        mode: Mode | None = None,
        **traits: Any,
    ) -> DiffView:
        """Shows what the compiler adds to what a program asks for: the lowered program beside the compiled one.

        Args:
            f: a function, jitted or not, or what ``jax.jit(f).lower(...)`` gave.
            *args: as in the constructor.
            kwargs: as in the constructor.
            mesh: as in the constructor.
            interconnect: as in the constructor.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: as in ``read.added``.
            ValueError: as in ``read.added``.
        """
        checked(DiffView, traits)
        found = read.added(f, *args, kwargs=kwargs, mesh=mesh, interconnect=interconnect)
        return DiffView(found, mode=mode, **traits)

    @property
    def document(self) -> Program | Programs:
        """The program that is shown; of ``compare``, all of them."""
        assert isinstance(self._shown, Program | Programs)
        return self._shown

    def time(self, n: int = 10) -> Timing | dict[str, Timing]:
        """Measures calls: the median of ``n`` after warm-up, with the least and the greatest.

        Args:
            n: measured calls of each program.

        Returns:
            The measured time; side by side, that of every program that can be run, by name.

        Raises:
            ValueError: there is nothing to run (shapes without data, a TPU topology, a program that is only lowered).
        """
        shown = self._programs()
        timed, trouble = list(shown), list[str]()
        for k, (program, call) in enumerate(zip(shown, self._calls, strict=True)):
            try:
                timed[k] = replace(program, timing=self._measure(call, n))
            except ValueError as error:
                if len(shown) == 1:
                    raise
                trouble.append(f"{program.name}: {error}")
        if len(trouble) == len(shown):
            raise ValueError("\n".join(trouble))
        single = isinstance(self.document, Program)
        self._shown = timed[0] if single else replace(self.document, programs=tuple(timed))
        self._document = to_wire(self._shown)
        self._trouble = "\n".join(trouble)
        measured = {p.name: p.timing for p in timed if p.timing is not None}
        return next(iter(measured.values())) if single else measured

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
        runs, trouble = dict[str, Run](), list[str]()
        shown = self._programs()
        for at, program in enumerate(shown):
            try:
                run = runs[program.name] = self._profiled(at, program, n)
                with contextlib.suppress(ValueError):  # It may be estimated for other devices.
                    self.beside(run, at)
            except ValueError as error:
                if len(shown) == 1:
                    raise
                trouble.append(f"{program.name}: {error}")
        if not runs:
            raise ValueError("\n".join(trouble))
        return next(iter(runs.values())) if isinstance(self.document, Program) else runs

    def _profiled(self, at: int, program: Program, n: int) -> Run:
        f, args, kwargs = self._calls[at]
        if not isinstance(f, Callable):
            raise ValueError(_NOT_CALLABLE.format(what=type(f).__name__))
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
        shown = self._programs()[program]
        self._reads.beside(program, shown, run)
        if (page := f"overlap {program}") in self._pages:
            self._pages = {**self._pages, page: self._reads.wire("overlap", program, shown)}

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
        shown, trouble, found = self._programs(), list[str](), dict[str, Document]()
        for at, program in enumerate(shown):
            try:
                found[program.name] = getattr(self._reads, page)(at, program)
            except ValueError as error:
                trouble.append(f"{program.name}: {error}")
        if not found:
            raise ValueError("\n".join(trouble))
        return next(iter(found.values())) if isinstance(self.document, Program) else found

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
        found = dict[str, Remedies]()
        for at, program in enumerate(self._programs()):
            if isinstance(self._calls[at][0], Callable):
                with Progress("compiling") as progress:
                    found[program.name] = self._remedies_of(at, lowers, progress)
        if not found:
            raise ValueError(_NO_FUNCTION)
        return next(iter(found.values())) if isinstance(self.document, Program) else found

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

    def _saves(self) -> _sharing.Kinds:
        program = self._at()
        moves = self.page == "collectives" and program is not None and any(c.plans for c in program.collectives)
        return super()._saves() if moves else _sharing.STILL

    @observe("page", "opened")
    def _on_saves(self, _: Any) -> None:
        self._pictures = self._saves()

    @observe("page", "opened")
    def _on_page(self, _: Any) -> None:
        at = 0 if isinstance(self.document, Program) else self.opened
        if self.page != "collectives" and at is not None:
            self._pages = self._with_page(self._pages, self.page, at)

    def _with_page(self, pages: dict[str, Any], page: str, at: int) -> dict[str, Any]:
        """What the front end has, with a page of a program."""
        key = f"{page} {at}"
        return pages if key in pages else {**pages, key: self._reads.wire(page, at, self._programs()[at])}

    def _state(self, *, complete: bool) -> dict[str, Any]:
        traits = self.get_state(["selection", "axis", "sort", "opened", "page"])
        pages = self._pages
        if complete:
            for (at, program), page in itertools.product(enumerate(self._programs()), PAGES[1:]):
                if page != "links" or program.mesh.coords:  # Others have no such page.
                    pages = self._with_page(pages, page, at)
        return super()._state(complete=complete) | traits | {"_pages": pages, "_remedies": self._remedies}

    def _release(self) -> None:
        shown = self._programs()
        self._calls = tuple((program, (), None) for program in shown)
        known = self._reads.known
        self._reads = ProgramPages(shown, self._mesh, self._chip, None)
        self._reads.known.update(known)

    def _programs(self) -> tuple[Program, ...]:
        return self.document.programs if isinstance(self.document, Programs) else (self.document,)

    def _at(self) -> Program | None:
        """The program that ``selection`` and ``axis`` refer to."""
        if isinstance(self.document, Program):
            return self.document
        return None if self.opened is None else self.document.programs[self.opened]

    def _measure(self, call: _Call, n: int) -> Timing:
        f, args, kwargs = call
        if not isinstance(f, Callable):
            raise ValueError(_NOT_CALLABLE.format(what=type(f).__name__))
        return read.time_program(f, args, kwargs=kwargs, n=n, mesh=self._mesh)

    @observe("_asked")
    def _on_asked(self, change: Bunch) -> None:
        asked = change["new"]
        try:
            if (at := asked.get("profiled")) is None:
                self.time(asked["runs"])
            else:
                self._reads.overlap(at, self._programs()[at])  # Nothing is run where there is no estimate.
                self.beside(self._profiled(at, self._programs()[at], asked["runs"]), at)
                self._trouble = ""
        except KeyboardInterrupt:  # The kernel's own button: without an answer the browser would wait on.
            self._trouble = "Interrupted: nothing was measured."
        except Exception as error:  # The browser is told whatever a user's program may raise.
            self._trouble = sentence(error)
        self._heard = asked["n"]

    def _selected(self) -> int:
        return self.selection["collective"] if self.selection else 0

    @observe("opened")
    def _on_opened(self, _: Any) -> None:
        # The browser may send a selection of the program that it opens, which is kept unless that program lacks it.
        program = self._at()
        if program is None or self._selected() >= len(program.collectives):
            self.selection = None
        if program is None or self.axis not in [axis.name for axis in program.mesh.axes]:
            self.axis = None

    @validate("opened")
    def _check_opened(self, proposal: Bunch) -> int | None:
        value = proposal["value"]
        if value is not None and (isinstance(self.document, Program) or not 0 <= value < len(self.document.programs)):
            last = "None: a single program is always open"
            if isinstance(self.document, Programs):
                last = f"None or a program, 0 to {len(self.document.programs) - 1}"
            raise TraitError(f"opened must be {last}; got {value!r}")
        return value

    @validate("selection")
    def _check_selection(self, proposal: Bunch) -> dict[str, int] | None:
        program = self._at()
        return selected_index(proposal["value"], "collective", 0 if program is None else len(program.collectives))

    @validate("axis")
    def _check_axis(self, proposal: Bunch) -> str | None:
        value, program = proposal["value"], self._at()
        names = [] if program is None else [axis.name for axis in program.mesh.axes]
        if value is not None and value not in names:
            raise TraitError(f"axis must be None or a mesh axis, {', '.join(map(repr, names))}; got {value!r}")
        return value


def _name_of(of: Any, otherwise: str) -> str:
    """The name of a function or a program."""
    f = of[0] if isinstance(of, tuple) and of else of
    return getattr(f, "name", "") if isinstance(f, Program) else getattr(f, "__name__", "") or otherwise
