"""Algorithms of a collective in words: rounds, bytes, estimated times, and where two are equally fast."""

from __future__ import annotations

from itertools import combinations

from shardwidget._format import byte_count, duration
from shardwidget.document import Algorithms
from shardwidget.export import listing
from shardwidget.export.words import clip

LONGEST = 400
"""Characters of what is said of an algorithm."""


def headline(shown: Algorithms) -> str:
    """Collective, devices and bytes in one line."""
    name, many = clip(shown.collective, 40), len(shown.algorithms)
    return f"{name} of {byte_count(shown.nbytes)} on {shown.n} devices: {many} algorithms"


def _said(shown: Algorithms) -> listing.Said:
    """The fastest, one line for each algorithm, then the sizes at which two are equally fast."""
    return listing.Said(listing.NAMED, _rows(shown), [_fastest(shown)], _rest(shown), LONGEST)


picture, table = listing.writers(headline, _said)


def _fastest(shown: Algorithms) -> str:
    """Which is fastest with blocks of these bytes, and what it takes."""
    seconds = [shown.seconds(k) for k in range(len(shown.algorithms))]
    first = min(range(len(seconds)), key=seconds.__getitem__)
    name = shown.algorithms[first].plan.algorithm
    return f"{name} is fastest at {byte_count(shown.nbytes)}: ≈ {duration(seconds[first])}"


def _rows(shown: Algorithms) -> list[listing.Row]:
    size = shown.chunk * shown.nbytes
    return [
        {
            "name": one.plan.algorithm,
            "words": f"{len(one.plan.rounds)} rounds, {byte_count(sum(one.sent) * size)} sent by a device, "
            f"{byte_count(sum(one.busiest) * size)} over the busiest link of a ring, "
            f"≈ {duration(shown.seconds(k))}",
        }
        for k, one in enumerate(shown.algorithms)
    ]


def _rest(shown: Algorithms) -> list[str]:
    names = [one.plan.algorithm for one in shown.algorithms]
    lines = []
    for a, b in combinations(range(len(names)), 2):
        equal = shown.equal(a, b)
        if equal is not None:
            few, many = sorted((a, b), key=lambda k: len(shown.algorithms[k].plan.rounds))
            lines.append(f"{names[few]} is faster below {byte_count(equal)}, {names[many]} above")
    network = shown.networks[0]
    return [*lines, f"estimates for {clip(network.name, 40)}: a message takes {duration(shown.start)} to start"]
