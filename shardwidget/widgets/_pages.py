"""What a view of compiled programs shows beside their collectives: each part is read when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shardwidget import read
from shardwidget.document import Comparison, Document, Links, Memory, Overlap, Program, Run, Why, to_wire
from shardwidget.document.comparison import Explained
from shardwidget.findings.program import twin

NO_MEMORY = (
    "it was given as a {what}, but its memory is read from the compiled program. Give the function and its "
    "arguments, or what jax.jit(f).lower(...).compile() returns; or its memory as well: memory=read.memory(...)."
)

NO_FUNCTION = (
    "why a collective is there is read from the function, and the program was given in another form: give the function "
    "and its arguments."
)

BY_USER = "The program itself asks for it."

NOT_KNOWN = "Why it is there is not known: the compiler's record of shardings does not lead to it."


class ProgramPages:
    """Reads them, once.

    Args:
        compiled: each program as it was given, or what it was compiled to.
        mesh: as of ``CompiledProgram``.
        chip: as of ``CompiledProgram``.
        kwargs: keyword arguments of those that are given as a function.
    """

    def __init__(self, compiled: Sequence[Any], mesh: Any, chip: Any, kwargs: Mapping[str, Any] | None) -> None:
        self._compiled, self._mesh, self._chip, self._kwargs = compiled, mesh, chip, kwargs
        self.known: dict[tuple[str, int], Document] = {}
        """What is read, by the name of a page and the index of a program."""
        self._recorded: dict[int, Explained | None] = {}
        """By the index of a program, what tells why. It holds what the function holds; a closed view keeps none."""

    def memory(self, at: int, program: Program) -> Memory:
        """What is alive while a program runs."""
        of = self._compiled[at]

        def find() -> Memory:
            if isinstance(of, Program):
                raise ValueError(NO_MEMORY.format(what=type(of).__name__))
            f, *args = of if isinstance(of, tuple) else (of,)
            given = {"kwargs": self._kwargs} if isinstance(of, tuple) else {}
            return read.memory(f, *args, **given, mesh=self._mesh, name=program.name, chip=self._chip)

        return self._once("memory", at, find)

    def overlap(self, at: int, program: Program) -> Overlap:
        """How much of a program's communication is exposed."""
        return self._once("overlap", at, lambda: program.overlap(self._chip if isinstance(self._chip, str) else None))

    def links(self, at: int, program: Program) -> Links:
        """Which links between chips a program's collectives cross."""
        return self._once("links", at, program.links)

    def beside(self, at: int, program: Program, run: Run) -> None:
        """Puts a measured run beside the estimate of the overlap.

        Raises:
            ValueError: that is for other devices, or another program; or it is not known.
        """
        self.known["overlap", at] = self.overlap(at, program).beside(run)

    def why(self, at: int, program: Program, collective: int, call: Any) -> tuple[Why, ...]:
        """Why the compiler added a collective to a program: an answer for each split that it follows from.

        Shardy's record is enough for most. Where nothing tells which line a collective is of, the function is compiled
        again, with a name on every equation.

        Args:
            at: the index of the program.
            program: the program.
            collective: index in ``program.collectives``.
            call: the function, its arguments and its keyword arguments.
        """
        f, args, kwargs = call
        if program.collectives[collective].by_user:
            return ()
        if not callable(f) or hasattr(f, "as_text"):  # What is compiled already can be called too.
            raise ValueError(NO_FUNCTION)
        from shardwidget.read._comparison.explained import explained

        traced = getattr(self._compiled[at], "traced", None)
        if at not in self._recorded:
            self._recorded[at] = explained(program, f, *args, kwargs=kwargs, mesh=self._mesh, traced=traced)
        recorded = self._recorded[at]
        if recorded is None:
            return ()
        found = recorded.why_collective(collective)
        if found or collective in recorded.owned:
            return found
        compared = self._once("why", at, lambda: self._compared(f, args, kwargs))
        same = twin(program, collective, compared.program)
        return () if same is None else compared.why_collective(same)

    def _compared(self, f: Any, args: Any, kwargs: Any) -> Comparison:
        """The comparison of a function, which it does not hold: what is known stays when the view is closed."""
        return replace(read.comparison(f, *args, kwargs=kwargs, mesh=self._mesh), compiled_otherwise=None)

    def wire(self, page: str, at: int, program: Program) -> dict[str, Any]:
        """A page as it goes to the front end; or why it is not known."""
        try:
            return to_wire(getattr(self, page)(at, program))
        except Exception as error:  # The browser is told whatever a user's program may raise.
            return {"trouble": sentence(error)}

    def _once(self, page: str, at: int, find: Callable[[], Any]) -> Any:
        if (page, at) not in self.known:
            self.known[page, at] = find()
        return self.known[page, at]


def sentence(error: Exception) -> str:
    """What a browser is told of an error."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
