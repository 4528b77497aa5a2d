"""Types of an HLO module in bytes: ``bf16[8,4]{1,0:T(8,128)(2,1)}``, ``(f32[8], u32[])``."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass

_ARRAY = re.compile(r"([a-z][a-z0-9]*)\[([^\]]*)\](?:\{([^}]*)\})?")
_BITS = {"pred": 8, "s4": 4, "u4": 4, "s2": 2, "u2": 2, "c64": 64, "c128": 128, "token": 0, "opaque": 0}


@dataclass(frozen=True, slots=True)
class Array:
    """One array of a type."""

    text: str
    """Dtype and shape as JAX writes them: ``bf16[8,4]``."""
    bytes: int
    """With the padding of its tiles; 0 for a token and for what is not in the devices' own memory."""


@functools.lru_cache(maxsize=65536)
def arrays_of(text: str) -> tuple[Array, ...]:
    """The arrays of a type, a tuple's from left to right, nested ones flat."""
    return tuple(_array(*found.groups("")) for found in _ARRAY.finditer(_without_comments(text)))


@functools.lru_cache(maxsize=65536)
def element_counts(text: str) -> tuple[int, ...]:
    """The number of arrays in each element of a tuple's type; ``(1,)`` for an array."""
    text = _without_comments(text)
    if not text.startswith("("):
        return (len(_ARRAY.findall(text)),)
    counts, depth, start = [], 0, 1
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if (character == "," and depth == 1) or (character == ")" and depth == 0):
            if text[start:at].strip():
                counts.append(len(_ARRAY.findall(text[start:at])))
            start = at + 1
    return tuple(counts)


@functools.lru_cache(maxsize=65536)
def layout_of(text: str, number: int = 0) -> str:
    """The order of an array's dimensions in memory, ``1,0``, of a tuple's array by its number; empty where none is."""
    found = [layout.partition(":")[0] for _, _, layout in _ARRAY.findall(_without_comments(text))]
    return found[number] if number < len(found) else ""


def is_tiled(text: str) -> bool:
    """Whether layouts of a module have tiles: the compiler for TPUs writes them, those for CPU and GPU do not."""
    return ":T(" in text


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text)


def _array(dtype: str, dims: str, layout: str) -> Array:
    sizes = [int(size.lstrip("<=")) for size in dims.split(",") if size]
    text = f"{dtype}[{','.join(map(str, sizes))}]"
    space = re.search(r"S\((\d+)\)", layout)
    if space and space[1] != "0":
        return Array(text, 0)
    return Array(text, -(-math.prod(_padded(sizes, layout)) * _bits(dtype) // 8))


def _bits(dtype: str) -> int:
    known = _BITS.get(dtype)
    if known is not None:
        return known
    # f8e4m3fn has eight, f4e2m1fn four: the first number is that of bits.
    found = re.match(r"[a-z]+(\d+)", dtype)
    return int(found[1]) if found else 0


def _padded(sizes: list[int], layout: str) -> list[int]:
    """Sizes from the slowest to the fastest dimension, the last ones rounded up to whole tiles."""
    order, _, rest = layout.partition(":")
    minor_first = [int(d) for d in order.split(",") if d.strip().isdigit()]
    tile = re.search(r"T\(([\d,]+)\)", rest)
    if not tile or len(minor_first) != len(sizes):
        return sizes
    tiles = [int(size) for size in tile[1].split(",")]
    ordered = [sizes[d] for d in reversed(minor_first)]
    for k, size in enumerate(reversed(tiles), start=1):
        if k <= len(ordered):
            ordered[-k] = -(-ordered[-k] // size) * size
        else:
            ordered.insert(0, size)
    return ordered
