"""What is asked for: each option checked, and what is said where no plan is left."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shardwidget._format import count
from shardwidget.read._search.machine import Machine, box_of
from shardwidget.read._search.plans import AXES, Candidates
from shardwidget.read._search.roles import Roles

NONE_FIT = (
    "there is no plan for {chips}: the batch has {batch} examples, and {groups}. Sizes of axes must divide them{asked}."
    " {tried}"
)

NO_SUCH_AXIS = "{option}={given!r} names no axis of plans: they are {known}."

NO_SIZES = "sizes={given!r} must say which sizes an axis may have: {{'tensor': 4}}, {{'fsdp': (8, 16), 'expert': 1}}."

NO_COUNT = "{option} must be a whole number, {least} or more; got {given!r}."

NO_EXAMPLES = "batch_sizes={given!r} must be whole numbers of examples, 1 or more: batch_sizes=(256, 512)."

NO_LIMIT = "limit_s={given!r} must be seconds, 0 or more, after which nothing more is begun; None for no limit."

NO_NAMES = "{option}={given!r} must be a name or several: {option}={example}."

NO_PROGRESS = "progress={given!r} must be a function, which is called with what is known after each candidate."

Plans = Callable[[int, int, Mapping[str, Sequence[int]]], Candidates]
"""The plans of a number of chips, of at most so many axes, some of them of given sizes."""


def names(option: str, given: Any, example: str) -> tuple[str, ...]:
    """One name or several.

    Raises:
        TypeError: they are no names.
    """
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise TypeError(NO_NAMES.format(option=option, given=given, example=example))
    return tuple(given)


def is_count(value: Any, least: int) -> bool:
    """Whether it is a whole number that is not smaller."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def check_count(option: str, value: Any, least: int) -> None:
    """Raises ValueError where it is not a whole number, or smaller."""
    if not is_count(value, least):
        raise ValueError(NO_COUNT.format(option=option, least=least, given=value))


def check_limit(limit_s: Any) -> None:
    """Raises ValueError where it is no number of seconds."""
    if limit_s is None:
        return
    if not isinstance(limit_s, int | float) or isinstance(limit_s, bool) or not limit_s >= 0:
        raise ValueError(NO_LIMIT.format(given=limit_s))


def check_progress(progress: Any) -> None:
    """Raises TypeError where it cannot be called."""
    if progress is not None and not callable(progress):
        raise TypeError(NO_PROGRESS.format(given=progress))


def examples(batch_sizes: Any) -> tuple[int, ...]:
    """Numbers of examples.

    Raises:
        ValueError: one is no number of examples.
    """
    if not isinstance(batch_sizes, Sequence) or not all(is_count(n, 1) for n in batch_sizes):
        raise ValueError(NO_EXAMPLES.format(given=batch_sizes))
    return tuple(batch_sizes)


def allowed(whole: Any, sizes: Any) -> dict[str, tuple[int, ...]]:
    """The sizes that axes may have, of those that may not have all.

    Raises:
        TypeError: these are no names, or no sizes by name.
        ValueError: there is no such axis, or no such size.
    """
    kept = names("whole", whole, "('tensor',)")
    if sizes is not None and not isinstance(sizes, Mapping):
        raise TypeError(NO_SIZES.format(given=sizes))
    given: dict[str, tuple[int, ...]] = {}
    for option, axes in (("whole", kept), ("sizes", tuple(sizes or ()))):
        if unknown := [axis for axis in axes if axis not in AXES]:
            raise ValueError(NO_SUCH_AXIS.format(option=option, given=unknown[0], known=", ".join(AXES)))
    for axis, of in (sizes or {}).items():
        several: tuple[Any, ...] = tuple(of) if isinstance(of, Sequence) and not isinstance(of, str) else (of,)
        if not several or not all(is_count(n, 1) for n in several):
            raise ValueError(NO_SIZES.format(given=sizes))
        given[axis] = several
    return given | dict.fromkeys(kept, (1,))


def none_fit(machine: Machine, roles: Roles, most_axes: int, some: Mapping[str, Sequence[int]], plans: Plans) -> str:
    """Why there is no plan, and with what there are some: each is tried."""
    sizes = ", ".join(str(roles.sizes[g]) for g in roles.tensor if g in roles.sizes)
    held: list[int] = [roles.sizes.get(g, roles.examples) for g in roles.batch]
    chips = machine.size
    ways = {
        f"with most_axes={most_axes + 1}": plans(chips, most_axes + 1, some),
        **({"without whole= and sizes=": plans(chips, most_axes, {})} if some else {}),
    }
    tried = [f"{way} {_how_many(found)}" for way, found in ways.items() if found.plans]
    generation = machine.topology.partition(":")[0]
    fewer = (n for n in range(chips - 1, 0, -1) if chips % n == 0 or not n & (n - 1))
    fitting = (n for n in fewer if not generation or box_of(generation, n))
    if n := next((n for n in fitting if n > 1 and plans(n, most_axes, some).plans), 0):
        tried.append(f"on {n} chips {_how_many(plans(n, most_axes, some))}")
    if any(n % chips for n in held) and "data" not in some and all(1 in of for of in some.values()):
        tried.append(f"with a batch that {chips} divides, DP {chips}")
    return NONE_FIT.format(
        chips=count(chips, "chip"),
        batch=", ".join(map(str, held)),
        groups=f"heads, d_ff or vocabulary have {sizes}" if sizes else "no dimension of the weights is split",
        asked=", and be as whole= and sizes= say" if some else "",
        tried=f"There would be: {'; '.join(tried)}." if tried else "Allow more axes, or other chips.",
    )


def _how_many(found: Candidates) -> str:
    return count(len(found.plans), "plan")


def until(limit_s: float | None, now: float) -> float:
    """When nothing more is begun."""
    return math.inf if limit_s is None else now + limit_s
