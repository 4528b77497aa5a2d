"""Pictures of pixels: an SVG as PNG, pictures in time as GIF. Needs the extra ``shardwidget[images]``."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from shardwidget.export.svg import Frames

_INSTALL = '{what} needs {package}, which comes with an optional extra: pip install "shardwidget[images]".'

_COLORS = 255
"""Colours of a GIF; one more marks what does not change."""

_FLAT = 160
"""The colours that are exact: areas and text. The others are edges, where a near one will do."""

_SANS = (
    "DejaVu Sans", "Arial", "Helvetica", "Liberation Sans", "Noto Sans", "Segoe UI", "Roboto", "Ubuntu", "Nimbus Sans",
)  # fmt: skip
_MONO = (
    "DejaVu Sans Mono", "Menlo", "Consolas", "Liberation Mono", "Noto Sans Mono", "Courier New", "Ubuntu Mono",
    "Nimbus Mono PS",
)  # fmt: skip


def png(svg: str, scale: float = 1.0) -> bytes:
    """An SVG as PNG.

    Args:
        svg: text of an SVG without animations.
        scale: pixels of the picture for each CSS pixel, 0.25 to 8.

    Raises:
        ImportError: the extra ``shardwidget[images]`` is not installed.
        RuntimeError: no font was found.
        ValueError: the scale is not a legal one.
    """
    if not 0.25 <= scale <= 8:
        raise ValueError(f"scale must be 0.25 to 8 pixels for each CSS pixel; got {scale!r}")
    return _drawn(svg, scale, sans_serif_family=_font(_SANS), monospace_family=_font(_MONO))


def gif(frames: Frames) -> bytes:
    """Pictures in time as a GIF that plays without end.

    Args:
        frames: what ``svg.frames`` gave.

    Raises:
        ImportError: the extra ``shardwidget[images]`` is not installed.
        RuntimeError: no font was found.
    """
    pictures = [_codes(picture) for picture in pixels(frames)]
    counted = [np.unique(picture, return_counts=True) for picture in pictures]
    colors, found = np.unique(np.concatenate([colors for colors, _ in counted]), return_inverse=True)
    often = np.bincount(found, np.concatenate([count for _, count in counted]))
    palette = _palette(colors, often)
    from PIL import Image

    # One palette without dithering: what does not move has the same pixels in every picture, and is stored once.
    nearest = np.zeros(1 << 24, np.uint8)
    nearest[colors] = _nearest(colors, palette)
    drawn = []
    for picture in pictures:
        image = Image.fromarray(nearest[picture], "P")
        image.putpalette(palette.astype(np.uint8).tobytes())
        drawn.append(image)
    out = io.BytesIO()
    options: dict[str, Any] = {"append_images": drawn[1:], "duration": _durations(frames.times)}
    drawn[0].save(out, format="GIF", save_all=True, loop=0, optimize=False, **options)
    return out.getvalue()


def pixels(frames: Frames) -> Iterator[Any]:
    """The full pictures, one after another, as RGB images of Pillow.

    Raises:
        ImportError: the extra ``shardwidget[images]`` is not installed.
        RuntimeError: no font was found.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(_INSTALL.format(what="drawing a moving picture", package="Pillow")) from None

    whole = Image.open(io.BytesIO(png(frames.first))).convert("RGB")
    yield whole
    for part in frames.parts:
        whole = whole.copy()
        whole.paste(Image.open(io.BytesIO(png(part))).convert("RGB"), frames.corner)
        yield whole


def _drawn(svg: str, scale: float, **fonts: Any) -> bytes:
    try:
        import resvg_py
    except ImportError:
        raise ImportError(_INSTALL.format(what="writing a PNG", package="resvg-py")) from None
    # Texts are measured for the condensed face, where there is one.
    style = "text{font-stretch:condensed}"
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale, style_sheet=style, **fonts))


@cache
def _font(names: tuple[str, ...]) -> str:
    """The first of these families that this machine has; else any, if the renderer draws text in a face of its own.

    Text of a missing family is drawn in the renderer's serif face, or is left out silently where that is missing too.
    """
    blank = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
    nothing = _drawn(blank.format(""), 1)

    def draws(name: str, **fallback: str) -> bool:
        letter = f'<text x="4" y="16" font-family="{name}">m</text>'
        return _drawn(blank.format(letter), 1, **fallback) != nothing

    for name in names:
        if draws(name, serif_family=name):
            return name
    if draws(names[0]):
        return names[0]
    raise RuntimeError(
        f"there is no font to draw text with: none of {', '.join(names)} is installed. On Debian and Ubuntu, "
        "apt-get install fonts-dejavu-core brings some. An SVG is drawn with the fonts of whoever opens it: to_svg()."
    )


def _codes(picture: Any) -> np.ndarray:
    """An RGB image as one number per pixel, (height, width)."""
    r, g, b = np.moveaxis(np.asarray(picture, np.uint32), -1, 0)
    return (r << 16) | (g << 8) | b


def _channels(codes: np.ndarray) -> np.ndarray:
    return np.stack([(codes >> 16) & 255, (codes >> 8) & 255, codes & 255], -1).astype(np.int32)


def _palette(colors: np.ndarray, often: np.ndarray) -> np.ndarray:
    """At most ``_COLORS`` colours, (n, 3), for these and counts: the most frequent ones, and means of the rest."""
    from PIL import Image

    order = np.argsort(-often, kind="stable")
    if len(colors) <= _COLORS:
        return _channels(colors)
    rest = _channels(colors[order[_FLAT:]]).astype(np.uint8)
    means = Image.fromarray(rest[None], "RGB").quantize(_COLORS - _FLAT, method=Image.Quantize.MEDIANCUT)
    near = np.asarray(means.getpalette(), np.int32).reshape(-1, 3)[: _COLORS - _FLAT]
    return np.concatenate([_channels(colors[order[:_FLAT]]), near])


def _nearest(colors: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Index of the nearest colour of a palette for each colour."""
    exact = _channels(colors)
    out = np.empty(len(exact), np.intp)
    for start in range(0, len(exact), 4096):
        some = exact[start : start + 4096, None] - palette[None]
        out[start : start + 4096] = (some * some).sum(-1).argmin(-1)
    return out


def _durations(times: tuple[float, ...]) -> list[int]:
    """Milliseconds as a GIF has them, in tens, without accumulating rounding errors."""
    out, begun, said = [], 0.0, 0
    for ms in times:
        begun += ms
        shown = max(10, round((begun - said) / 10) * 10)
        out.append(shown)
        said += shown
    return out
