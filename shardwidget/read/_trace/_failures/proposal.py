"""A change to the user's source that is yet to be tried, and the same change made to the functions that are running."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._jaxpr.pasted import Swap, pasted, readable
from shardwidget.read._jaxpr.syntax import text_of
from shardwidget.read._trace.arguments import Change


@dataclass(frozen=True)
class Proposal:
    """A fix that is yet to be tried."""

    fix: Fix
    file: str = ""
    """The full name of the file; empty where the change has no place in the source."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The options of the ``shard_map`` that it changes, and their code."""
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


class Paster:
    """Makes proposals in the functions that run.

    Args:
        f: the user's function.
        mapped: what the innermost ``shard_map`` maps; None where there is none.
    """

    def __init__(self, f: Any, mapped: Any) -> None:
        self._functions = list(_jax.live_functions(f))
        self._options = _jax.options_of(self._functions, mapped) if mapped is not None else {}
        self._names: dict[str, Any] = next((g.__globals__ for g in _jax.live_functions(mapped)), {})

    def swaps(self, proposal: Proposal) -> list[Swap]:
        """What a proposal changes; nothing where it reaches no function that runs.

        Raises:
            Exception: the code of an option has no value.
        """
        found = list(proposal.swaps)
        if proposal.file:
            found += pasted(self._functions, proposal.file, proposal.fix)
        for name, code in proposal.options.items():
            if name in self._options:
                found.append((self._options[name], "cell_contents", eval(code, {"jax": jax, "P": jax.P} | self._names)))
        return found


@contextlib.contextmanager
def in_place(f: Any, mapped: Any, proposal: Proposal) -> Iterator[None]:
    """What is traced within has a change of the functions that run; afterwards they are as before.

    Args:
        f: the user's function.
        mapped: what the innermost ``shard_map`` maps; None where there is none.
        proposal: the change.
    """
    with contextlib.ExitStack() as held:
        if proposal.file:
            held.enter_context(readable(proposal.fix.applied(text_of(proposal.file)), proposal.file))
        swaps = Paster(f, mapped).swaps(proposal)
        held.enter_context(_jax.retracing(swaps, "as they are"))
        yield


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
    title = f"{first.fix.title}; {second.fix.title[:1].lower()}{second.fix.title[1:]}"
    fix = Fix(title, code, first.fix.file, start + 1, len(a) - end - start)
    return replace(
        first,
        fix=fix,
        options={**first.options, **second.options},
        last=first.last or second.last,
        only_types=first.only_types and second.only_types,
    )
