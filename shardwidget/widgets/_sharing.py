"""What a card's menu asks for: a picture of what is shown, drawn here, for the browser to save."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Kinds = tuple[tuple[str, str], ...]
"""What a card saves: each kind, and its name in the menu."""

STILL: Kinds = (("svg", "SVG"), ("png", "PNG"))
"""What every card can save."""

MOVING: Kinds = (("playing", "SVG that plays"), ("gif", "GIF"), ("webm", "WebM"))
"""What one that plays can save too."""

_TYPES = {
    "svg": ("svg", "image/svg+xml"),
    "playing": ("svg", "image/svg+xml"),
    "png": ("png", "image/png"),
    "gif": ("gif", "image/gif"),
    "webm": ("webm", "video/webm"),
}


def answer(widget: Any, kinds: Kinds, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """A picture, or why there is none.

    Args:
        widget: a ``DocumentWidget``, whose picture it is.
        kinds: what the widget saves.
        wanted: ``{n, kind, width, theme}``, as the browser sends it.

    Returns:
        ``{n, name, type, data, error}``: ``n`` as sent, a file's name, type and bytes; ``error`` in words, or empty.
    """
    kind = str(wanted.get("kind"))
    name, media, data, error = "", "", None, ""
    try:
        if kind not in [known for known, _ in kinds]:
            raise ValueError(f"a {type(widget).__name__} cannot be saved as {kind!r}")
        suffix, media = _TYPES[kind]
        name = f"{_stem(widget)}.{suffix}"
        data = _drawn(widget, kind, {"width": wanted.get("width"), "theme": wanted.get("theme")})
    except Exception as problem:
        # Any error belongs in the card that asked: a traceback would go to the log.
        error = str(problem) or type(problem).__name__
    return {"n": wanted.get("n"), "name": name, "type": media, "data": data, "error": error}


def _drawn(widget: Any, kind: str, options: dict[str, Any]) -> bytes:
    if kind == "playing":
        return widget.to_svg(animate=True, **options).encode()
    if kind == "svg":
        return widget.to_svg(**options).encode()
    return getattr(widget, f"to_{kind}")(**options)


def _stem(widget: Any) -> str:
    """A file's name: what is shown, without what file systems dislike."""
    name = getattr(widget.document, "name", "") or type(widget).__name__
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or type(widget).__name__
