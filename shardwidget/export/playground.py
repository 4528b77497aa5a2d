"""A spec being edited, in words: where it puts the array, or the error that JAX raises.

Without JAX a ``Playground`` is only its draft; with JAX it has a placement, or an error.
"""

from __future__ import annotations

from html import escape

from shardwidget._text import short_dtype
from shardwidget.document import Placement, Playground, SpecEntry
from shardwidget.export import table as placed
from shardwidget.export import text
from shardwidget.export.words import clip
from shardwidget.export.words import headline as type_and_spec


def headline(shown: Playground | Placement, error: str = "") -> str:
    """Type and spec in one line; of an invalid spec, JAX's words."""
    if isinstance(shown, Playground):
        draft = shown.draft
        entries = [*map(_entry, draft.entries)]
        entries += [f"{k}={{{', '.join(map(repr, v))}}}" for k, v in _states(shown) if v]
        shape = ",".join(map(str, draft.shape))
        spec = f"P({', '.join(entries)})"
        return f"{clip(shown.name, 40)}: {short_dtype(draft.dtype)}[{shape}]  {clip(spec, 90)}"
    return clip(error, 160) if error else type_and_spec(shown)


def picture(shown: Playground | Placement, error: str = "", forbidden: str = "") -> str:
    """The tiles as boxes, under JAX's words where the spec on screen is invalid or a reshard to it forbidden."""
    if isinstance(shown, Playground):
        return "\n".join([headline(shown), _mesh(shown)])
    return "\n".join([*_refusal(error), *_forbidden(forbidden), text.picture(shown)])


def table(shown: Playground | Placement, error: str = "", forbidden: str = "") -> str:
    """The placement as a table, under JAX's words where the spec on screen is invalid or a reshard to it forbidden."""
    if isinstance(shown, Playground):
        return f"<p><b>{escape(headline(shown))}</b></p><p>{escape(_mesh(shown))}</p>"
    said = [*_refusal(error), *_forbidden(forbidden)]
    return "".join(f"<p>{escape(line)}</p>" for line in said) + placed.table(shown)


def _entry(entry: SpecEntry) -> str:
    if entry.unconstrained:
        return "P.UNCONSTRAINED"
    return {0: "None", 1: repr(entry.axes[0]) if entry.axes else ""}.get(len(entry.axes), repr(entry.axes))


def _states(shown: Playground) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ("unreduced", shown.draft.unreduced), ("reduced", shown.draft.reduced)


def _mesh(shown: Playground) -> str:
    return "mesh " + " ".join(f"{clip(axis.name, 20)}={axis.size} ({axis.type})" for axis in shown.draft.axes)


def _refusal(error: str) -> list[str]:
    return [error, "The picture shows the last valid spec."] if error else []


def _forbidden(forbidden: str) -> list[str]:
    return [f"jax.reshard to this spec raises {forbidden}"] if forbidden else []
