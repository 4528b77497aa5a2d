"""The memory of results before they are made: the compiler allocates it from the start, and puts temporaries there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from shardwidget.read._memory.slots import Slot, Walk

_TEMPORARY = ("temporary", "collective")


def allocate_results_first(walked: Walk) -> None:
    """Counts results from the first step on, with what is in their memory before they are made."""
    for slot in walked.slots:
        if slot.kind == "output":
            for inside in _inside(slot):
                inside.free = True
            slot.born = 0


def share_results(walked: Walk) -> None:
    """Counts results from the first step on, and puts temporaries into their memory as XLA does for CPU and GPU.

    XLA assigns buffers by size, the largest first. One that fits is put into the smallest result whose memory nothing
    else needs meanwhile; what finds no such place is allocated beside the results.
    """
    results = [s for s in walked.slots if s.kind == "output" and not s.free]
    # Of results of one size the last comes first: XLA goes backwards through what it has allocated.
    results.reverse()
    results.sort(key=lambda s: s.array.bytes)
    needed = [Times((s.born, s.last) for s in (result, *_inside(result))) for result in results]
    allocate_results_first(walked)
    rest = [s for s in walked.slots if s.kind in _TEMPORARY and not s.free and s.array.bytes and s.born <= s.last]
    for slot in sorted(rest, key=lambda s: -s.array.bytes):
        for result, times in zip(results, needed, strict=True):
            if slot.array.bytes <= result.array.bytes and times.take(slot.born, slot.last):
                slot.free = True
                break


class Times:
    """When memory is needed: steps from a first to a last one, in order, none of which overlap."""

    def __init__(self, times: Iterable[tuple[int, int]]) -> None:
        self.first: list[int] = []
        self.last: list[int] = []
        for first, last in sorted(times):
            if self.last and first <= self.last[-1]:
                self.last[-1] = max(last, self.last[-1])
            else:
                self.first.append(first)
                self.last.append(last)

    def take(self, first: int, last: int) -> bool:
        """Takes the memory for these steps, if it is free at all of them; returns whether it did."""
        at = bisect_right(self.first, last)
        if at > 0 and self.last[at - 1] >= first:
            return False
        self.first.insert(at, first)
        self.last.insert(at, last)
        return True


def _inside(result: Slot) -> list[Slot]:
    """What is in the memory of a result before it: operands that were written over, what a loop was given."""
    found, inside = [], result.over
    while inside is not None and inside.kind in _TEMPORARY:
        found.append(inside)
        inside = inside.over
    return found
