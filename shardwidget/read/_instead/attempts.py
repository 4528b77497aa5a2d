"""Candidates that are compiled, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Candidate = TypeVar("Candidate")
Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Called with how many candidates were compiled, and how many there are."""


def attempts(
    candidates: Sequence[Candidate], compiled: Callable[[Candidate], Result | None], progress: Progress | None
) -> Iterator[tuple[Candidate, Result]]:
    """Each candidate with what it was compiled to; without those that do not compile, or that cannot be made."""
    for done, candidate in enumerate(candidates):
        if progress is not None:
            progress(done, len(candidates))
        try:
            result = compiled(candidate)
        except Exception:  # What does not compile is not offered.
            continue
        if result is not None:
            yield candidate, result
