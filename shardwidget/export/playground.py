"""A spec being edited, in words: where it puts the array, or what JAX says to it."""

from __future__ import annotations

from html import escape

from shardwidget.document import Placement
from shardwidget.export import table as placed
from shardwidget.export import text
from shardwidget.export.words import clip
from shardwidget.export.words import headline as type_and_spec


def headline(placement: Placement, error: str) -> str:
    """Type and spec in one line; of an invalid spec, JAX's words."""
    return clip(error, 160) if error else type_and_spec(placement)


def picture(placement: Placement, error: str) -> str:
    """The tiles as boxes, under JAX's words where the spec on screen is invalid."""
    return "\n".join([*_refusal(error), text.picture(placement)])


def table(placement: Placement, error: str) -> str:
    """The placement as a table, under JAX's words where the spec on screen is invalid."""
    return "".join(f"<p>{escape(line)}</p>" for line in _refusal(error)) + placed.table(placement)


def _refusal(error: str) -> list[str]:
    return [error, "The picture shows the last valid spec."] if error else []
