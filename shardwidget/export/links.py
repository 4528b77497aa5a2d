"""A mesh on the links of its chips in words: the answer, then each order's mesh axes."""

from __future__ import annotations

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
        [headline(links), facts(links), *listing.lines(CROSSINGS, rows), *(total(o) for o in links.orders)]
    )


def table(links: Links) -> str:
    """The same as an HTML table."""
    rows = [_row(o, c) for o in links.orders for c in o.crossings]
    before = listing.paragraphs([facts(links)])
    return listing.table(headline(links), CROSSINGS, rows, [total(o) for o in links.orders], before)


def total(order: DeviceOrder) -> str:
    """All together, in a line."""
    wraps = [LETTERS[k] for k, wraps in enumerate(order.wraps) if wraps]
    ring = f"wraparound along {', '.join(wraps)}" if wraps else "no wraparound"
    sent = f", {byte_count(order.bytes)} in {duration(order.seconds)} (estimate)" if order.bytes else ""
    chip = f", {order.devices_a_chip} devices a chip" if order.devices_a_chip > 1 else ""
    busiest = f"the busiest of {count(order.links, 'link')} carries {count(order.busiest, 'transfer')}{sent}"
    return f"{order.name}: {busiest}, {order.idle} idle; {ring}{chip}."


def _hop(c: Crossing) -> str:
    if c.within_chips == 1:
        return "none: within a chip"
    within = f", {percent(c.within_chips)} within a chip" if c.within_chips else ""
    return f"{c.links_a_hop:.2f}, at most {c.most_links}{within}"


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
