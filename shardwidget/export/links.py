"""A mesh on the links of its chips in words: the answer, then each order's mesh axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shardwidget._format import byte_count, count, duration, percent
from shardwidget.document import Crossing, DeviceOrder, Links
from shardwidget.document.columns import CROSSINGS
from shardwidget.export import listing

LETTERS = "xyz"
"""Names of physical axes."""


def headline(links: Links) -> str:
    """The answer."""
    return links.answer


def facts(links: Links) -> str:
    """What it is about, and how hops go."""
    order = links.orders[0]
    whose = f"the collectives of {links.program}" if links.program else "all mesh axes at once"
    return f"{links.target}, {count(order.links, 'link')}: {whose}, each group in a ring, used both ways."


def picture(links: Links) -> str:
    """The answer and the orders as lines."""
    rows = [_row(o, c) for o in links.orders for c in o.crossings]
    return "\n".join(
        [
            headline(links),
            facts(links),
            *listing.lines(CROSSINGS, rows),
            *(total(o) for o in links.orders),
            *made(links),
        ]
    )


def table(links: Links) -> str:
    """The same as an HTML table."""
    rows = [_row(o, c) for o in links.orders for c in o.crossings]
    before = listing.paragraphs([facts(links)])
    return listing.table(headline(links), CROSSINGS, rows, [*map(total, links.orders), *made(links)], before)


def total(order: DeviceOrder) -> str:
    """All together, in a line."""
    wraps = [LETTERS[k] for k, wraps in enumerate(order.wraps) if wraps]
    ring = f"wraparound along {', '.join(wraps)}" if wraps else "no wraparound"
    sent = f", {byte_count(order.bytes)} in {duration(order.seconds)} (estimate)" if order.bytes else ""
    chip = f", {order.devices_a_chip} devices a chip" if order.devices_a_chip > 1 else ""
    busiest = f"the busiest of {count(order.links, 'link')} carries {count(order.busiest, 'transfer')}{sent}"
    place = f", {_place(order)}" if order.most[0] >= 0 else ""
    return f"{order.name}: {busiest}{place}, {order.idle} idle; {ring}{chip}."


def _hop(c: Crossing) -> str:
    if c.within_chips == 1:
        return "none: within a chip"
    within = f", {percent(c.within_chips)} within a chip" if c.within_chips else ""
    return f"{c.links_a_hop:.2f}, at most {c.most_links}{within}"


def made(links: Links) -> list[str]:
    """With a program: which of its collectives make which hops, the same in every order."""
    return [f"{c.name}: {_some(c.of)}" for c in links.orders[0].crossings if c.of]


def _some(of: Sequence[str]) -> str:
    return "; ".join(of[:4]) + (f"; and {len(of) - 4} more" if len(of) > 4 else "")


def _place(order: DeviceOrder) -> str:
    """The link that carries most."""
    axis, chip = order.most
    at = [int(k) for k in np.unravel_index(chip, order.chips)]
    to = [(k + 1) % size if a == axis else k for a, (k, size) in enumerate(zip(at, order.chips, strict=True))]
    return f"the one along {LETTERS[axis]} from chip ({', '.join(map(str, at))}) to ({', '.join(map(str, to))})"


def _row(order: DeviceOrder, c: Crossing) -> listing.Row:
    return {
        "order": order.name,
        "axes": f"{c.name} {c.size}",
        "hop": _hop(c),
        "busiest": str(c.busiest),
        "wraparound": ", ".join(LETTERS[k] for k in c.wraparound) or "none",
        "hosts": str(c.hosts),
        "sent": c.bytes * c.busiest if c.bytes else None,
    }
