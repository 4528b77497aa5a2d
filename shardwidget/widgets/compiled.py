"""``CompiledProgram``: the collectives of a compiled program and what is alive in it, or of several side by side."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from traitlets import Bunch, Enum, TraitError, Unicode, observe, validate

from shardwidget import cost, read
from shardwidget.chips import chips
from shardwidget.document import Memory, Overlap, Program, Programs
from shardwidget.widgets import _sharing
from shardwidget.widgets._base import Mode
from shardwidget.widgets._measuring import MeasuringWidget
from shardwidget.widgets._options import checked
from shardwidget.widgets._pages import ProgramPages
from shardwidget.widgets._programs import Call
from shardwidget.widgets._selection import index_trait, selected_index
from shardwidget.widgets.diff import DiffView

if TYPE_CHECKING:
    from shardwidget.cost import Interconnect

Sort = Literal["time", "order", "op", "axes", "sent", "runs", "source"]
"""What the table can be sorted by; ``order`` is the module's schedule."""

Page = Literal["collectives", "overlap", "memory", "links"]

PAGES = get_args(Page)

_ALONE = "Only its {page} was given, so its collectives are not known."

_OTHER_MEMORY = (
    "memory= must be what read.memory returned for this one program, on {size} devices; got {got}. Several programs "
    "side by side are given as functions or compiled programs, whose memory can be read."
)


class CompiledProgram(MeasuringWidget):
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
    sort = Enum(get_args(Sort), default_value="time").tag(sync=True)
    page = Enum(PAGES, default_value="collectives").tag(sync=True)

    _parts = Unicode(help="The module of the pages that the card loads when one is opened.").tag(sync=True)

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
        sort: Sort = "time",
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
                collectives, for the memory of a program that has none, or for what alone is given.
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
        self._calls: tuple[Call, ...] = ((f, args, kwargs),)
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
        if page is None:
            memory_is_known = not isinstance(compiled[0], Program | str) or memory is not None
            # Without collectives, what a program has to show is its memory.
            is_silent = isinstance(document, Program) and not document.collectives
            page = "memory" if is_silent and memory_is_known else "collectives"
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
        sort: Sort = "time",
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
