"""The algorithms of a collective, with what each round sends and what the links of a ring carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shardwidget.collectives.plan import expand, plans
from shardwidget.collectives.registry import STATEMENTS, statement_of
from shardwidget.collectives.statement import Call
from shardwidget.document import Algorithm, Algorithms, Network, Plan

MOST = 64
"""The most devices of a group: more cannot be told apart on a ring."""

NO_ALGORITHMS = "{given!r} has no algorithms to compare. Give one of {names}."


def compare(collective: str, n: int, nbytes: int, networks: Sequence[Network], start: float) -> Algorithms:
    """All algorithms of a collective in a group of n.

    Args:
        collective: JAX's name for it: ``"psum"``, ``"all_gather"``, ``"psum_scatter"``, ``"all_to_all"`` ….
        n: devices of the group.
        nbytes: bytes of a device's block, the operand.
        networks: what times are estimated for, in this order.
        start: seconds that a message takes to start.

    Raises:
        ValueError: it has no algorithms, or a number is out of range.
    """
    statement = statement_of({"psum_scatter": "reduce_scatter"}.get(collective, collective))
    if statement is None or not statement.phases:
        names = ", ".join(repr(one.kind) for one in STATEMENTS if one.phases)
        raise ValueError(NO_ALGORITHMS.format(given=collective, names=names))
    if not 2 <= n <= MOST:
        raise ValueError(f"n must be 2 to {MOST} devices; got {n!r}")
    if nbytes < 1 or not start > 0:
        raise ValueError(f"nbytes must be 1 or more and start more than 0 s; got {nbytes!r} and {start!r}")
    source = 0 if statement.semantics.starts == "source" else -1
    call = Call(statement, collective, ("x",), (tuple(range(n)),), source=source)
    semantics = statement.semantics
    whole = semantics.starts == "source" or semantics.cuts == "received"
    return Algorithms(
        collective,
        n,
        nbytes,
        1.0 if whole else 1 / n,
        tuple(_loads(plan) for plan in plans(call) if plan.algorithm != "meaning"),
        tuple(networks),
        start,
    )


def _loads(plan: Plan) -> Algorithm:
    sent, busiest = [], []
    for number in range(len(plan.rounds)):
        leaving: Counter[int] = Counter()
        links: Counter[tuple[int, int]] = Counter()
        for transfer in expand(plan, number):
            leaving[transfer.source] += 1
            for step, hops, part in routes(plan.n, transfer.source, transfer.destination):
                for hop in range(hops):
                    links[(transfer.source + step * hop) % plan.n, step] += part  # pyright: ignore[reportArgumentType]
        sent.append(float(max(leaving.values())))
        busiest.append(float(max(links.values())))
    return Algorithm(plan, tuple(sent), tuple(busiest))


def routes(n: int, source: int, destination: int) -> list[tuple[int, int, float]]:
    """How a message goes round a ring: step, links that it passes, and the part of it that goes that way."""
    forward = (destination - source) % n
    if 2 * forward == n:
        return [(1, forward, 0.5), (-1, forward, 0.5)]
    return [(1, forward, 1.0)] if 2 * forward < n else [(-1, n - forward, 1.0)]
