"""A document as SVG without a browser: the front end's own painter, run in a small JavaScript engine."""

from __future__ import annotations

import atexit
from functools import cache
from typing import Any, Literal

from shardwidget.export import bundle
from shardwidget.export.state import encode

_NO_ENGINE = (
    "drawing SVG from Python needs a JavaScript engine, which comes with the optional extra: "
    'pip install "shardwidget[svg]". Without it, to_html(path) saves the whole interactive picture, '
    "and the browser can save an SVG from there."
)


def picture(state: dict[str, Any], *, width: int = 960, theme: Literal["light", "dark"] = "light") -> str:
    """SVG text of a widget's state.

    Args:
        state: the widget's traits by name; ``bytes`` are allowed anywhere in it.
        width: width of the picture in CSS pixels; the height follows.
        theme: colours for a light or a dark page.

    Raises:
        ImportError: the extra ``shardwidget[svg]`` is not installed.
        FileNotFoundError: the front end has not been built.
        ValueError: the width or theme is not a legal one.
    """
    if not 200 <= width <= 10_000:
        raise ValueError(f"width must be 200 to 10000 CSS pixels; got {width!r}")
    if theme not in ("light", "dark"):
        raise ValueError(f"theme must be 'light' or 'dark'; got {theme!r}")
    return _engine().call("shardwidget.svg", encode(state), encode({"width": width, "theme": theme}))


def available() -> bool:
    """Whether the optional JavaScript engine is installed."""
    try:
        import py_mini_racer  # noqa: F401
    except ImportError:
        return False
    return True


@cache
def _engine() -> Any:
    try:
        from py_mini_racer import MiniRacer
    except ImportError:
        raise ImportError(_NO_ENGINE) from None
    engine = MiniRacer()
    # Left to the interpreter's end, the engine would wait there for a thread that has ended already.
    atexit.register(engine.close)
    engine.eval(bundle.read("headless.js"))
    return engine
