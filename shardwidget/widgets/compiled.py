"""``CompiledProgram``: the collectives of a compiled program and what is alive in it, or of several side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal

from traitlets import Bunch, Dict, Enum, Int, TraitError, Unicode, observe, validate

from shardwidget import cost, read
from shardwidget.chips import chips
from shardwidget.document import Memory, Program, Programs, Remedy, Run, Timing, to_wire
from shardwidget.widgets import _sharing
from shardwidget.widgets._base import Mode
from shardwidget.widgets._moving import MovingWidget
from shardwidget.widgets._options import checked
from shardwidget.widgets._progress import Progress
from shardwidget.widgets._selection import index_trait, selected_index

if TYPE_CHECKING:
    from shardwidget.cost import Interconnect

SORTS = ("time", "order", "op", "axes", "sent", "runs", "source")
"""What the table can be sorted by; ``order`` is the module's schedule."""

_Call = tuple[Any, tuple[Any, ...], Mapping[str, Any] | None]
"""A function, its arguments and its keyword arguments."""

PAGES = ("collectives", "memory")

_NO_MEMORY = (
    "it was given as a {what}, but its memory is read from the compiled program. Give the function and its "
    "arguments, or what jax.jit(f).lower(...).compile() returns."
)

_NO_FUNCTION = "remedies are found by compiling the function in other ways: give it and its arguments."

_NOT_CALLABLE = "it was given as a {what}, which cannot be called: there is nothing to run. Give the function itself."


class CompiledProgram(MovingWidget):
    """The collectives of a compiled program: over which mesh axes, how many bytes, how often, and caused by which line.

    Its second page is the memory: what is alive on a device over the schedule, and at the peak.

    ```python
    view = CompiledProgram(f, x, w)
    view.selection = {"collective": 3}  # shows a collective on the mesh; the browser's clicks set it too
    view.axis = "model"                 # lists those over one mesh axis
    view.time(n=20)                     # measures it, as the button does
    view.profile()                      # what every device did when: a Run
    view.document.collectives[3].axes

    view.page = "memory"                # what is alive while it runs
    view.memory().alive()[0].name       # the largest buffer at the peak
    view.remedies()[0].code             # what lowers it, compiled to be sure

    CompiledProgram.compare({"inner": (f, x1, w1), "outer": (f, x2, w2)})
    ```

    Attributes:
        selection: what is shown on the mesh: ``{"collective": index in document.collectives}``, or None.
        axis: name of a mesh axis whose collectives are listed; None for all.
        sort: what the list is sorted by: ``"time"``, ``"order"`` (the module's schedule), ``"op"``, ``"axes"``,
            ``"sent"``, ``"runs"`` or ``"source"``.
        page: ``"collectives"`` or ``"memory"``.
        opened: side by side: index of the program that is open; None for none. ``selection`` and ``axis`` refer to it.
    """

    bundle = "program.js"

    selection = index_trait("collective")
    axis = Unicode(None, allow_none=True).tag(sync=True)
    sort = Enum(SORTS, default_value="time").tag(sync=True)
    opened = Int(None, allow_none=True).tag(sync=True)
    page = Enum(PAGES, default_value="collectives").tag(sync=True)

    _asked = Dict(help="What the browser wants measured: {n, runs}; n makes each one new.").tag(sync=True)
    _heard = Int(0, help="The n of the last one handled.").tag(sync=True)
    _trouble = Unicode(help="Why something was not measured.").tag(sync=True)
    _try = Dict(help="The program that the browser wants remedies for: {n, at}; n makes each one new.").tag(sync=True)
    _remedies = Dict(
        help="By index of a program: {n, done, of}, how many attempts were compiled; then {n, found}, or {n, trouble}."
    ).tag(sync=True)
    _memories = Dict(help="By index of a program: its memory, or the reason why it is not known.").tag(sync=True)

    def __init__(
        self,
        f: Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        mesh: Any = None,
        name: str | None = None,
        interconnect: str | Interconnect | None = None,
        chip: str | int | None = None,
        page: Literal["collectives", "memory"] = "collectives",
        selection: dict[str, int] | None = None,
        axis: str | None = None,
        sort: Literal["time", "order", "op", "axes", "sent", "runs", "source"] = "time",
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Compiles a function and shows its collectives. Nothing is run.

        Args:
            f: a function, jitted or not; or what ``jax.jit(f).lower(...)`` or its ``compile()`` gave; or, with
                ``mesh=``, the text of a compiled module or groups out of one; or a ``Program`` or ``Programs``.
            *args: the function's arguments: arrays, or ``jax.ShapeDtypeStruct``s with shardings, which need no data.
            kwargs: keyword arguments of the function.
            mesh: the mesh whose axes name the collectives; None takes the one of the arguments.
            name: what to call it; None for the function's name.
            interconnect: what estimated times are shown for first: a name in ``shardwidget.cost.INTERCONNECTS``, for
                example ``"TPU v5e"`` or ``"H100"``, or an ``Interconnect`` of your own numbers.
            chip: the device whose memory is the limit: a name in ``shardwidget.chips.CHIPS``, for example ``"H100"``,
                or the bytes that it has; None for the one that the program is compiled for.
            page: what is shown at first: ``"collectives"`` or ``"memory"``.
            selection: what is shown at first, ``{"collective": index}``; None for the one that takes longest.
            axis: list only the collectives over this mesh axis.
            sort: what to sort by.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: ``f`` can be neither compiled nor read, or an argument is unknown.
            ValueError: the mesh has other devices than the program, or there is no such interconnect or chip.
            TraitError: there is no such collective, mesh axis, column or page.
        """
        checked(type(self), traits, f)
        self._calls: tuple[_Call, ...] = ((f, args, kwargs),)
        chips(chip, "")
        self._mesh, self._chip, self._kwargs = mesh, chip, kwargs
        self._read: dict[int, Memory] = {}
        self._compiled: tuple[Any, ...] = (f,)
        if isinstance(f, Programs):
            document, self._calls = f, tuple((p, (), None) for p in f.programs)
            self._compiled = f.programs
        elif isinstance(f, Program):
            document = f if name is None else replace(f, name=name)
        else:
            if not isinstance(f, str):
                cost.interconnects(interconnect)  # A wrong name is reported before anything is compiled.
                self._compiled = (read.compiled(f, *args, kwargs=kwargs, mesh=mesh),)
            document = read.program(*self._compiled, mesh=mesh, name=name, interconnect=interconnect)
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
        page: Literal["collectives", "memory"] = "collectives",
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
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel.
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
        view._compiled = tuple(programs.values())
        view._kwargs = kwargs
        view._calls = tuple(
            (of[0], of[1:], kwargs) if isinstance(of, tuple) else (of, (), None) for of in programs.values()
        )
        view.opened, view.page = opened, page
        return view

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
        for program, (f, args, kwargs) in zip(shown, self._calls, strict=True):
            try:
                if not isinstance(f, Callable):
                    raise ValueError(_NOT_CALLABLE.format(what=type(f).__name__))
                with Progress() as progress:
                    given = {"kwargs": kwargs, "n": n, "mesh": self._mesh, "name": program.name}
                    runs[program.name] = read.run(f, *args, **given, progress=progress)
            except ValueError as error:
                if len(shown) == 1:
                    raise
                trouble.append(f"{program.name}: {error}")
        if not runs:
            raise ValueError("\n".join(trouble))
        return next(iter(runs.values())) if isinstance(self.document, Program) else runs

    def memory(self) -> Memory | dict[str, Memory]:
        """What is alive while the program runs: read on the first call.

        Returns:
            The memory; side by side, that of every program for which it can be known, by name.

        Raises:
            ValueError: there is no compiled program to read.
        """
        shown, trouble = self._programs(), list[str]()
        for at in range(len(shown)):
            try:
                self._memory_of(at)
            except ValueError as error:
                trouble.append(f"{shown[at].name}: {error}")
        if not self._read:
            raise ValueError("\n".join(trouble))
        if isinstance(self.document, Program):
            return self._read[0]
        return {shown[at].name: memory for at, memory in sorted(self._read.items())}

    def remedies(self) -> tuple[Remedy, ...] | dict[str, tuple[Remedy, ...]]:
        """Compiles the program with ``jax.checkpoint``, other donations and other specs: what lowers its peak.

        The memory page shows them; its button asks for the same.

        Returns:
            What lowers it, the best first, with the peak before and after; side by side, that of every function.

        Raises:
            ValueError: there is no function to compile.
        """
        found = dict[str, tuple[Remedy, ...]]()
        for at, program in enumerate(self._programs()):
            if isinstance(self._calls[at][0], Callable):
                with Progress("compiling") as progress:
                    found[program.name] = self._remedies_of(at, progress)
        if not found:
            raise ValueError(_NO_FUNCTION)
        return next(iter(found.values())) if isinstance(self.document, Program) else found

    def _remedies_of(self, at: int, progress: Callable[[int, int], None], n: int = 0) -> tuple[Remedy, ...]:
        f, args, kwargs = self._calls[at]
        if not isinstance(f, Callable):
            raise ValueError(_NO_FUNCTION)
        found = read.remedies(f, *args, kwargs=kwargs, mesh=self._mesh, progress=progress)
        self._send_remedies(at, n=n, found=[asdict(remedy) for remedy in found])
        return found

    def _send_remedies(self, at: int, **how: Any) -> None:
        """Tells the front end the progress of a program's remedies."""
        self._remedies = {**self._remedies, str(at): how}

    @observe("_try")
    def _on_try(self, change: Bunch) -> None:
        n, at = change["new"]["n"], change["new"]["at"]
        try:
            self._remedies_of(at, lambda done, of: self._send_remedies(at, n=n, done=done, of=of), n)
        except KeyboardInterrupt:  # The kernel's own button: without an answer the browser would wait on.
            self._send_remedies(at, n=n, trouble="Interrupted: nothing is known.")
        except Exception as error:  # The browser is told whatever a user's program may raise.
            self._send_remedies(at, n=n, trouble=_sentence(error))

    def _memory_of(self, at: int) -> Memory:
        if at not in self._read:
            of, program = self._compiled[at], self._programs()[at]
            if isinstance(of, Program):
                raise ValueError(_NO_MEMORY.format(what=type(of).__name__))
            f, *args = of if isinstance(of, tuple) else (of,)
            given = {"kwargs": self._kwargs} if isinstance(of, tuple) else {}
            self._read[at] = read.memory(f, *args, **given, mesh=self._mesh, name=program.name, chip=self._chip)
        return self._read[at]

    def _memory_wire(self, at: int) -> dict[str, Any]:
        """The memory of a program as it goes to the front end; or why it is not known."""
        try:
            return to_wire(self._memory_of(at))
        except Exception as error:  # The browser is told whatever a user's program may raise.
            return {"trouble": _sentence(error)}

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
        if self.page == "memory" and at is not None and str(at) not in self._memories:
            self._memories = {**self._memories, str(at): self._memory_wire(at)}

    def _state(self, *, complete: bool) -> dict[str, Any]:
        traits = self.get_state(["selection", "axis", "sort", "opened", "page"])
        memories = self._memories
        if complete:
            memories = {str(at): self._memory_wire(at) for at in range(len(self._programs()))}
        return super()._state(complete=complete) | traits | {"_memories": memories, "_remedies": self._remedies}

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
            self.time(asked["runs"])
        except KeyboardInterrupt:  # The kernel's own button: without an answer the browser would wait on.
            self._trouble = "Interrupted: nothing was measured."
        except Exception as error:  # The browser is told whatever a user's program may raise.
            self._trouble = _sentence(error)
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


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
