"""The arrays of a session as text and as a plain HTML table: one line per name, most bytes first, and what changed."""

from __future__ import annotations

from shardwidget._format import byte_count, count
from shardwidget.document import Namespace
from shardwidget.document.columns import NAMES
from shardwidget.document.namespace import Holder
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 40
"""The most lines that are written; a longer list is cut, with a note."""

MOST_FLAGS = 8

UNNAMED = "(no name)"


def headline(namespace: Namespace) -> str:
    """The totals of the arrays, in one line."""
    if not namespace.groups:
        return "Arrays: none"
    parts = [_where(namespace)]
    if namespace.spent:
        parts.append(f"{byte_count(namespace.spent)} spent on copies")
    if namespace.flagged:
        parts.append(f"{len(namespace.flagged)} to look at")
    cell = f", after cell {namespace.cell}" if namespace.cell else ""
    return f"Arrays of {count(namespace.names, 'name')}{cell}: {', '.join(parts)}"


def _said(namespace: Namespace) -> listing.Said:
    """A line for each name, under what to look at first."""
    return listing.Said(NAMES, _rows(namespace), _first_look(namespace), _left_out(namespace), 60)


picture, table = listing.writers(headline, _said)


def type_text(namespace: Namespace, holder: Holder) -> str:
    """The type of an array; of a tree, how many arrays it holds."""
    if holder.type >= 0:
        of = namespace.types[holder.type]
        return f"{of.type}, deleted" if of.state == "deleted" else of.type
    if holder.change == "gone" and holder.was:
        return holder.was
    gone = f", {holder.deleted} deleted" if holder.deleted else ""
    return f"{count(holder.arrays, 'array')}{gone}"


def change_text(holder: Holder) -> str:
    """What the last cell did with a name."""
    if not holder.change:
        return ""
    of = f" {holder.path}" if holder.path else ""
    was = f" from {holder.was}" if holder.was and holder.change in ("resharded", "changed") else ""
    delta = f" {'+' if holder.delta > 0 else '−'}{byte_count(abs(holder.delta))}" if holder.delta else ""
    return f"{holder.change}{of}{was}{delta}"


def _rows(namespace: Namespace) -> list[listing.Row]:
    return [_row(namespace, holder) for holder in namespace.holders[:MOST]]


def _row(namespace: Namespace, holder: Holder) -> listing.Row:
    shared = holder.shared and not holder.bytes
    return {
        "name": holder.name or UNNAMED,
        "type": type_text(namespace, holder),
        "here": f"in {holder.shared_with or 'an array without a name'}" if shared else holder.bytes_per_device,
        "change": change_text(holder),
    }


def _first_look(namespace: Namespace) -> list[str]:
    """What deserves a look, with what to do."""
    out = []
    for holder in namespace.flagged[:MOST_FLAGS]:
        more = f", with {holder.flags - 1} more" if holder.flags > 1 else ""
        cost = f" ({byte_count(holder.cost)} on each device{more})" if holder.cost else ""
        spec = f" Try {holder.spec}." if holder.spec else ""
        out.append(f"! {holder.name}{holder.flagged}: {clip(holder.reason, 200)}{cost}{spec}")
    left = len(namespace.flagged) - MOST_FLAGS
    return [*out, f"! … {left} more to look at; .flagged has all of them"] if left > 0 else out


def _left_out(namespace: Namespace) -> list[str]:
    more = len(namespace.holders) - MOST
    return [f"… {count(more, 'more line')}; .holders has all of them"] if more > 0 else []


def _where(namespace: Namespace) -> str:
    most = namespace.groups[0]
    where = "each device" if len({g.held for g in namespace.groups}) == 1 else "the device that holds the most"
    return f"{byte_count(most.held)} on {where}"
