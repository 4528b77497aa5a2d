"""How quantities are written: bytes, times, rates and shares, alone and below one another.

``js/src/core/format.ts`` says the same in TypeScript; ``tests/formats.json`` holds both to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal

Scale = tuple[Sequence[str], float, float]
"""Names of units, each so many times the one before it; and the size of the first."""

BYTES: Scale = (("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"), 1024, 1)
SECONDS: Scale = (("ns", "µs", "ms", "s"), 1000, 1e-9)
RATES: Scale = (("B/s", "kB/s", "MB/s", "GB/s", "TB/s"), 1000, 1)
FLOPS: Scale = (("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"), 1000, 1)

_DIGITS = 4
"""Of the largest number of a column, decimals among them."""
_DECIMALS = 2
_RANGE = 1000
"""Parts of the largest number that decimals are for."""


def byte_count(n: float) -> str:
    """Whole bytes in binary units, three significant digits: ``1.46 KiB``, ``1023 B``."""
    return _alone(round(n), BYTES)


def parse_bytes(text: str) -> int:
    """A number of bytes as people write it: ``16 GiB``, ``1.5MB``, ``4096``.

    Raises:
        ValueError: it has another form.
    """
    found = re.fullmatch(r"\s*(\d{1,40}(?:\.\d{1,40})?(?:e\d{1,2})?)\s*([a-zA-Z]*)\s*", text)
    if found is None or found[2].upper() not in _UNITS:
        raise ValueError(f"{text[:80]!r} is not a number of bytes, such as 16 GiB")
    return round(float(found[1]) * _UNITS[found[2].upper()])


_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    f"{prefix}IB": 2**power for prefix, power in (("K", 10), ("M", 20), ("G", 30), ("T", 40))
}


def duration(seconds: float) -> str:
    """Three significant digits: ``186 µs``."""
    return _alone(seconds, SECONDS) if seconds else "0 s"


def rate(per_second: float) -> str:
    """Bytes a second in decimal units, as links are sold: ``45.2 GB/s``."""
    return _alone(per_second, RATES)


def flop_count(n: float) -> str:
    """Floating-point operations in decimal units: ``67.6 MFLOP``."""
    return _alone(n, FLOPS)


def times(ratio: float) -> str:
    """How many times as much: ``1.93×``, with fewer decimals from 10 on."""
    return f"{_fixed(ratio, 2 if ratio < 10 else 1 if ratio < 100 else 0)}×"


def percent(share: float) -> str:
    """A share of 1, at most one decimal: ``27.3 %``; ``<0.1 %`` and ``>99.9 %`` are not all or nothing."""
    return percents([share])(share)


def percents(shares: Iterable[float]) -> Callable[[float], str]:
    """How shares below one another are written: one decimal for all, or none where all are whole; ``0 %`` has none."""
    decimals = 0 if all(_fixed(100 * share, 1).endswith(".0") for share in shares) else 1

    def write(share: float) -> str:
        shown = _fixed(100 * share, 1)
        if shown == "0.0":
            return "<0.1 %" if share > 0 else "0 %"
        return ">99.9 %" if shown == "100.0" and share < 1 else f"{_fixed(100 * share, decimals)} %"

    return write


def count(n: int, noun: str, plural: str = "") -> str:
    """``1 array``, ``2 arrays``."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def joined(words: Sequence[object], last: str = "and") -> str:
    """``a``; ``a and b``; ``a, b and c``."""
    texts = [str(word) for word in words]
    return f" {last} ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def column(values: Iterable[float], scale: Scale) -> Callable[[float], str]:
    """How numbers below one another are written: one unit, that of the largest, and as many decimals for all.

    Three significant digits, but no more than four in all; what would be written as zero is ``<0.01 MiB``.
    """
    some = [value for value in values if value > 0]
    most = max(some, default=0)
    large = [value for value in some if value * _RANGE >= most]
    # 1408 MiB beside 704 MiB and 88 MiB, not 1.38 GiB beside parts of one.
    whole = _unit_of(most, scale)[1]
    parts = sum(value < whole for value in large) > len(large) / 2
    name, size = _unit_of(0.99 * whole if parts and most < 10 * whole else most, scale)
    near = [value / size for value in large]
    least = min(near, default=most / size)
    room = min(_DECIMALS, _DIGITS - len(str(math.floor(most / size))))
    wanted = max(0, min(room, 2 - math.floor(math.log10(least or 1))))
    # No decimals that are zero in all of them.
    decimals = max((len(_number(_fixed(value, wanted)).partition(".")[2]) for value in near), default=0)
    last = 10.0**-decimals

    def write(value: float) -> str:
        if value == 0:
            return f"0 {name}"
        return (
            f"<{_fixed(last, decimals)} {name}"
            if value / size < last / 2
            else f"{_fixed(value / size, decimals)} {name}"
        )

    return write


def _alone(value: float, scale: Scale) -> str:
    """In the largest unit of which it is at least one, once it is rounded: 999.9 µs are 1 ms."""
    names, times, first = scale
    scaled, k = value / first, 0
    while _rounded(scaled) >= times and k < len(names) - 1:
        scaled, k = scaled / times, k + 1
    return f"{_number(repr(_rounded(scaled)))} {names[k]}"


def _rounded(value: float) -> float:
    """Three significant digits; what is 1000 or more keeps its whole part: 1023 KiB, not 1020."""
    if value >= 1000 or value == 0:
        return float(_fixed(value, 0))
    return float(_fixed(value, 2 - math.floor(math.log10(value))))


def _fixed(value: float, decimals: int) -> str:
    """As JavaScript's ``toFixed``: halves go up."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def _number(text: str) -> str:
    """Without zeros at the end of its decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _unit_of(value: float, scale: Scale) -> tuple[str, float]:
    """The largest unit of which a value is at least one; of nothing at all the plain one: 0 s, not 0 ns."""
    names, times, first = scale
    sizes = [float(f"{first * times**k:.15g}") for k in range(len(names))]
    fits = [size <= value if value else size == 1 for size in sizes]
    k = max((k for k, fit in enumerate(fits) if fit), default=0)
    return names[k], sizes[k]
