"""A document as SVG without a browser: the front end's own painter, run in a small JavaScript engine."""

from __future__ import annotations

import atexit
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from shardwidget.export import bundle
from shardwidget.export.state import encode

Theme = Literal["light", "dark"]

_NO_ENGINE = (
    "drawing pictures from Python needs a JavaScript engine, which comes with an optional extra: "
    'pip install "shardwidget[svg]", or "shardwidget[images]" for PNG and GIF too. Without it, to_html(path) saves '
    "the whole interactive picture."
)


def picture(state: Mapping[str, Any], *, width: int = 960, theme: Theme = "light") -> str:
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
    return _call("svg", state, width, theme)


def film(
    state: Mapping[str, Any], *, width: int, theme: Theme, speed: float, steps: tuple[int, int] | None = None
) -> str:
    """SVG text of a widget's state that plays by itself; empty where nothing moves.

    Args:
        state: as in ``picture``.
        width: as in ``picture``.
        theme: as in ``picture``.
        speed: how many times as fast as in the widget.
        steps: of a trace, the first and the last step; None for the one that is shown.

    Raises:
        ImportError: as ``picture`` does, like the others.
    """
    return _call("animated", state, width, theme, speed=_speed(speed), steps=steps)


@dataclass(frozen=True)
class Frames:
    """The pictures of a film.

    Attributes:
        first: the first picture, as SVG text.
        parts: for each picture after it, the part in which anything changes, as SVG text.
        corner: where that part begins, in pixels from the left and from the top.
        times: how many milliseconds each picture is shown.
    """

    first: str
    parts: tuple[str, ...]
    corner: tuple[int, int]
    times: tuple[float, ...]


def frames(
    state: Mapping[str, Any],
    *,
    width: int,
    theme: Theme,
    speed: float,
    rate: float,
    steps: tuple[int, int] | None = None,
) -> Frames | None:
    """The pictures of a film; None where nothing moves.

    Args:
        state: as in ``picture``.
        width: as in ``picture``.
        theme: as in ``picture``.
        speed: as in ``film``.
        rate: pictures per second, 1 to 50. Equal neighbours are one picture.
        steps: as in ``film``.

    Raises:
        ImportError: as ``picture`` does, like the others.
    """
    if not 1 <= rate <= 50:
        raise ValueError(f"rate must be 1 to 50 pictures per second; got {rate!r}")
    drawn = _call("frames", state, width, theme, speed=_speed(speed), steps=steps, rate=rate)
    if not drawn:
        return None
    found = json.loads(drawn)
    part = found["part"] or {"x": 0, "y": 0}
    return Frames(found["first"], tuple(found["parts"]), (part["x"], part["y"]), tuple(found["times"]))


def available() -> bool:
    """Whether the optional JavaScript engine is installed."""
    try:
        import py_mini_racer  # noqa: F401
    except ImportError:
        return False
    return True


def _speed(speed: float) -> float:
    if not 0.05 <= speed <= 20:
        raise ValueError(f"speed must be 0.05 to 20 times that of the widget; got {speed!r}")
    return float(speed)


def _call(name: str, state: Mapping[str, Any], width: int, theme: Theme, **options: Any) -> str:
    if not 200 <= width <= 10_000:
        raise ValueError(f"width must be 200 to 10000 CSS pixels; got {width!r}")
    if theme not in ("light", "dark"):
        raise ValueError(f"theme must be 'light' or 'dark'; got {theme!r}")
    given = {"width": width, "theme": theme, **options}
    return engine().call(f"shardwidget.{name}", encode(state), encode(given))


@cache
def engine() -> Any:
    """The JavaScript engine with the bundle that draws pictures, one for the process.

    Raises:
        ImportError: the extra ``shardwidget[svg]`` is not installed.
    """
    try:
        from py_mini_racer import MiniRacer
    except ImportError:
        raise ImportError(_NO_ENGINE) from None
    made = MiniRacer()
    # One that is still open when the interpreter ends waits for ever for a thread that has already ended.
    atexit.register(made.close)
    made.eval(bundle.read("picture.js"))
    return made
