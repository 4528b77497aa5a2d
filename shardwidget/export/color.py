"""Colours of tiles: a tile's colour shows where it is in the global array, so replicas have the same one.

The same rule as ``js/src/core/color.ts``, for the plain table that is shown where no script runs.
"""

from __future__ import annotations

import math

# Hue and change of lightness of each part, for up to four parts: chosen by eye to stay apart for every colour vision.
_FEW_HUES = {
    1: ((252, -0.037),),
    2: ((252, -0.037), (75, 0.0)),
    3: ((252, -0.037), (158, 0.031), (75, -0.02)),
    4: ((252, -0.037), (158, 0.031), (88, -0.025), (355, -0.044)),
}


def tile_color(tile: tuple[int, ...], grid: tuple[int, ...]) -> str:
    """``#rrggbb`` of a tile, on a light page.

    Args:
        tile: part index along each dimension, shape ``[rank]``.
        grid: number of parts along each dimension, shape ``[rank]``.
    """
    # The dimension with the most parts sets the hue, the next one the lightness.
    by_parts = sorted(range(len(grid)), key=lambda d: -grid[d])
    (i, n), (j, m) = ([(tile[d], grid[d]) for d in by_parts] + [(0, 1), (0, 1)])[:2]
    if n in _FEW_HUES:
        hue, lift = _FEW_HUES[n][i]
    else:
        hue = 252 - 262 * i / (n - 1)
        lift = (-0.02 if i % 2 else 0.012) if n <= 16 else 0.0
    t = j / (m - 1) if m > 1 else 0.3
    return _oklch(0.885 - 0.17 * t + lift, 0.075 + 0.05 * t, hue)


def _oklch(lightness: float, chroma: float, hue: float) -> str:
    """OKLCH to sRGB; chroma is reduced by bisection until the colour is within sRGB."""
    rgb = _linear(lightness, chroma, hue)
    if not _in_gamut(rgb):
        low, high = 0.0, chroma
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if _in_gamut(_linear(lightness, middle, hue)) else (low, middle)
        rgb = _linear(lightness, low, hue)
    return "#" + "".join(f"{_gamma(v):02x}" for v in rgb)


def _linear(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    """Linear sRGB. Björn Ottosson, "A perceptual color space for image processing" (2020)."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
    )


def _in_gamut(rgb: tuple[float, float, float]) -> bool:
    return all(-1e-4 <= v <= 1.0001 for v in rgb)


def _gamma(v: float) -> int:
    v = min(1.0, max(0.0, v))
    return round(255 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055))
