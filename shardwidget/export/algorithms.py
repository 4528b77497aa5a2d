"""Algorithms of a collective in words: rounds, bytes, estimated times, and where two are equally fast."""

from __future__ import annotations

from itertools import combinations

from shardwidget.document import Algorithms
from shardwidget.export import listing
from shardwidget.export.listing import duration
from shardwidget.export.words import byte_count, clip


def headline(shown: Algorithms) -> str:
    """Collective, devices and bytes in one line."""
    name, many = clip(shown.collective, 40), len(shown.algorithms)
    return f"{name} of {byte_count(shown.nbytes)} on {shown.n} devices: {many} algorithms"


def picture(shown: Algorithms) -> str:
    """One line for each algorithm, then the sizes at which two are equally fast."""
    return "\n".join([headline(shown), *listing.columns(_rows(shown), most=400), *_rest(shown)])


def table(shown: Algorithms) -> str:
    """The same as an HTML table that survives a notebook's sanitiser."""
    return listing.table(headline(shown), (), _rows(shown), _rest(shown))


def _rows(shown: Algorithms) -> list[tuple[str, str]]:
    size = shown.chunk * shown.nbytes
    return [
        (
            one.plan.algorithm,
            f"{len(one.plan.rounds)} rounds, {byte_count(round(sum(one.sent) * size))} sent by a device, "
            f"{byte_count(round(sum(one.busiest) * size))} over the busiest link of a ring, "
            f"≈ {duration(shown.seconds(k))}",
        )
        for k, one in enumerate(shown.algorithms)
    ]


def _rest(shown: Algorithms) -> list[str]:
    names = [one.plan.algorithm for one in shown.algorithms]
    lines = []
    for a, b in combinations(range(len(names)), 2):
        equal = shown.equal(a, b)
        if equal is not None:
            few, many = sorted((a, b), key=lambda k: len(shown.algorithms[k].plan.rounds))
            lines.append(f"{names[few]} is faster below {byte_count(round(equal))}, {names[many]} above")
    network = shown.networks[0]
    return [*lines, f"estimates for {clip(network.name, 40)}: a message takes {duration(shown.start)} to start"]
