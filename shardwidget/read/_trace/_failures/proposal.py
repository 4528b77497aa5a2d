"""A change to the user's source that is yet to be tried, and the same change made to the functions that are running."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._jaxpr.pasted import Swap, name_of, pasted, readable
from shardwidget.read._jaxpr.syntax import text_of
from shardwidget.read._trace.arguments import Change


@dataclass(frozen=True)
class Proposal:
    """A fix that is yet to be tried."""

    fix: Fix
    file: str = ""
    """The full name of the file; empty where the change has no place in the source."""
    options: Mapping[tuple[Any, str], str] = field(default_factory=dict)
    """The options of ``shard_map``s that it changes, by the mapped function and the name; and their code."""
    swaps: Sequence[Swap] = ()
    """What it changes besides."""
    argument: Change | None = None
    """What it does to each array that the program is called with."""
    last: bool = False
    """Whether others of equal value are better: every device would repeat the same, or a check is turned off."""
    rests_on_equality: bool = False
    """Whether it gives the same only where blocks happen to be equal."""
    only_types: bool = False
    """Whether it changes types and no value."""
    changes: int = 1
    """How many changes it is, each where the program stops with those before it."""


class Paster:
    """Makes proposals in the functions that run.

    Args:
        f: the user's function.
    """

    def __init__(self, f: Any) -> None:
        self._functions = list(_jax.live_functions(f))

    def swaps(self, proposal: Proposal) -> list[Swap]:
        """What a proposal changes; nothing where it reaches no function that runs.

        Raises:
            Exception: the code of an option has no value.
        """
        found = list(proposal.swaps)
        if proposal.file:
            found += pasted(self._functions, proposal.file, proposal.fix)
        for (mapped, name), code in proposal.options.items():
            held = _jax.options_of(self._functions, mapped)
            if name in held:
                names = next((g.__globals__ for g in _jax.live_functions(mapped)), {})
                found.append((held[name], "cell_contents", eval(code, {"jax": jax, "P": jax.P} | names)))
        return found


@contextlib.contextmanager
def in_place(f: Any, proposal: Proposal) -> Iterator[None]:
    """What is traced within has a change of the functions that run; afterwards they are as before.

    Args:
        f: the user's function.
        proposal: the change.
    """
    with contextlib.ExitStack() as held:
        if proposal.file:
            held.enter_context(readable(proposal.fix.applied(text_of(proposal.file)), proposal.file))
        swaps = Paster(f).swaps(proposal)
        held.enter_context(_jax.retracing(swaps, "as they are"))
        yield


def after(first: Proposal, second: Proposal) -> Proposal | None:
    """A change of a file as one of the text that another leaves of it; None where both change a line."""
    if second.file == name_of(first.fix.applied(text_of(first.file))):
        return second
    line, more = first.fix.line, first.fix.code.count("\n") + 1 - first.fix.lines
    if second.file != first.file or second.fix.line <= 0:
        return None
    if second.fix.line + second.fix.lines <= line:
        return second
    if second.fix.line < line + first.fix.lines:
        return None
    return replace(second, fix=replace(second.fix, line=second.fix.line + more))


def both(first: Proposal, second: Proposal) -> Proposal:
    """Two changes of one file as one: ``second`` changes the text that ``first`` leaves."""
    old = text_of(first.file)
    new = second.fix.applied(first.fix.applied(old))
    a, b = old.split("\n"), new.split("\n")
    start = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    end = next((k for k, (x, y) in enumerate(zip(a[::-1], b[::-1], strict=False)) if x != y), 0)
    end = min(end, min(len(a), len(b)) - start - 1)
    changed = [line for line in (*a[start : len(a) - end], *b[start : len(b) - end]) if line.strip()]
    least = min(len(line) - len(line.lstrip()) for line in changed)
    while start and (not a[start].strip() or len(a[start]) - len(a[start].lstrip()) > least):
        start -= 1
    indentation = a[start][: len(a[start]) - len(a[start].lstrip())]
    code = "\n".join(line.removeprefix(indentation) for line in b[start : len(b) - end])
    fix = Fix(_title(first.fix.title, second.fix.title), code, first.fix.file, start + 1, len(a) - end - start)
    return replace(
        first,
        fix=fix,
        options={**first.options, **second.options},
        last=first.last or second.last,
        only_types=first.only_types and second.only_types,
        changes=first.changes + second.changes,
    )


def _title(first: str, second: str) -> str:
    """Both titles; one that says the same again as the last before it is counted."""
    *others, last = first.split("; ")
    before, times = re.fullmatch(r"(.+?)(?:, (\d+) times)?", last).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if before.lower() == second.lower():
        return "; ".join([*others, f"{before}, {int(times or 1) + 1} times"])
    return f"{first}; {second[:1].lower()}{second[1:]}"
