"""Errands: what judging an answer runs that a student wrote.

``Kind.judging`` yields errands and is sent what they return. In a notebook they run where they are yielded; grading
runs them in other processes, so what an errand holds can be pickled, and what it returns is plain data (``frames``). An
errand knows the arguments of a call, never the truth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import jax
import numpy as np

from shardwidget import _jax, read
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Program
from shardwidget.teach import layouts, run
from shardwidget.teach.results import Outcome, Result, failed, result, tree_text
from shardwidget.teach.source import function_of
from shardwidget.teach.travel import Names

Args = tuple[Any, ...]


class Errand(Protocol):
    """Something to run elsewhere."""

    theirs: ClassVar[bool]
    """Whether it runs a student's Python; every other errand runs in a process that never did."""

    def run(self) -> Any:
        """Does it."""
        ...


Judging = Generator[Errand, Any, Feedback]


@dataclass(frozen=True)
class Source:
    """A function as a record keeps it: its lines, which are run when it is called."""

    text: str
    names: Names
    """What it finds by name."""

    def __call__(self, *args: Any) -> Any:
        """Defines the function, and calls it."""
        return defined(self)(*args)


@dataclass(frozen=True)
class Calls:
    """Calls a function with several sets of arguments."""

    theirs: ClassVar[bool] = True
    function: Callable[..., Any]
    inputs: tuple[Args, ...]
    most: int
    """Bytes of the largest result that is of interest."""

    def run(self) -> tuple[Outcome, ...]:
        """The outcome of each call, up to the first that fails."""
        try:
            f = defined(self.function)
        except Exception as error:
            return (failed(error),)
        outcomes: list[Outcome] = []
        for args in self.inputs:
            outcomes.append(self._outcome(f, args))
            if outcomes[-1].error:
                break
        return tuple(outcomes)

    def _outcome(self, f: Callable[..., Any], args: Args) -> Outcome:
        outcome = run.call(f, fresh(args))
        if outcome.error:
            return outcome
        try:
            size = sum(getattr(leaf, "nbytes", 64) for leaf in jax.tree.leaves(outcome.value))
            if not run.is_abstract(args) and size > self.most:
                return Outcome(None, "ValueError", f"it gives {byte_count(size)}: too much to compare")
            return replace(outcome, value=result(outcome.value))
        except Exception as error:
            return failed(error)


@dataclass(frozen=True)
class Traced:
    """Traces a function into a program that needs no Python."""

    theirs: ClassVar[bool] = True
    function: Callable[..., Any]
    args: Args

    def run(self) -> Outcome:
        """A ``_jax.Exported``, or why there is none."""
        try:
            f = defined(self.function)
            with run.on_mesh(layouts.mesh_of(self.args)):
                return Outcome(_jax.exported(f, self.args))
        except Exception as error:
            return failed(error)


@dataclass(frozen=True)
class Compiled:
    """What a compiled program gives and sends."""

    outcomes: tuple[Outcome, ...]
    """For each set of arguments; their values are ``Result``."""
    sent: int | None
    """Bytes that a device sends in one call; None where that is not known."""
    bill: str
    """The collectives, with what each sends."""


@dataclass(frozen=True)
class Runs:
    """Compiles a traced program, and calls it with several sets of arguments."""

    theirs: ClassVar[bool] = False
    program: _jax.Exported
    inputs: tuple[Args, ...]

    def run(self) -> Compiled:
        """Its results and collectives."""
        args = self.inputs[0]
        with run.on_mesh(layouts.mesh_of(args)):
            lowered = jax.jit(_jax.call_exported(self.program, args)).lower(*args)
            f = lowered.compile(compiler_options=_jax.quick_options())
            program = read.program(f)
        outcomes = [run.call(f, args) for args in self.inputs]
        return Compiled(tuple(map(self._plain, outcomes)), sent_bytes(program), _bill(program))

    def _plain(self, outcome: Outcome) -> Outcome:
        if outcome.error:
            return outcome
        return replace(outcome, value=Result(tree_text(self.program.tree), result(outcome.value).leaves))


@dataclass(frozen=True)
class Matches:
    """Searches names for patterns."""

    theirs: ClassVar[bool] = False
    patterns: tuple[str, ...]
    names: tuple[str, ...]

    def run(self) -> tuple[tuple[bool, ...], ...]:
        """Whether each pattern is in each name."""
        return tuple(tuple(bool(re.search(p, name)) for name in self.names) for p in self.patterns)


def here(judging: Judging) -> Feedback:
    """Judges with every errand run in this process, as a notebook does."""
    try:
        errand = next(judging)
        while True:
            errand = judging.send(errand.run())
    except StopIteration as end:
        return end.value


def defined(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function, from its lines where it is a ``Source``.

    Raises:
        Exception: its lines define none.
    """
    return function_of(f.text, f.names.unpacked()) if isinstance(f, Source) else f


def fresh(args: Args) -> Args:
    """Copies of arguments, for a function that may write into them or donate them."""

    def copied(x: Any) -> Any:
        if isinstance(x, jax.Array):
            return layouts.put_like(x, x)
        return x.copy() if isinstance(x, np.ndarray) else x

    return jax.tree.map(copied, args)


def most_bytes(wanted: Result) -> int:
    """How large a result may be, to be compared with the one that is asked for."""
    return 2 * wanted.nbytes + 2**20


def sent_bytes(program: Program) -> int | None:
    """Bytes that a device sends in one call; None where that is not known."""
    total = 0
    for c in program.collectives:
        if c.times is None:
            return None
        total += c.bytes_per_device * c.times
    return total


def _bill(program: Program) -> str:
    sent = [c for c in program.collectives if c.bytes_per_device]
    words = [f"{c.kind} over {', '.join(c.axes) or 'some devices'} {byte_count(c.bytes_per_device)}" for c in sent[:4]]
    return ", ".join(words) + (f" and {len(sent) - 4} more" if len(sent) > 4 else "")
