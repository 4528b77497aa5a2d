"""How quantities are written: bytes, times, rates and shares, alone and below one another.

``js/src/core/format.ts`` says the same in TypeScript; ``tests/formats.json`` holds both to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal

Unit = tuple[str, float]

BYTES: Sequence[Unit] = [(name, 1024.0**k) for k, name in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))]
SECONDS: Sequence[Unit] = [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)]
RATES: Sequence[Unit] = [(name, 1000.0**k) for k, name in enumerate(("B/s", "kB/s", "MB/s", "GB/s", "TB/s"))]

_DIGITS = 4
"""Of the largest number of a column, decimals among them."""
_DECIMALS = 2
_RANGE = 1000
"""Parts of the largest number that decimals are for."""


def byte_count(n: float) -> str:
    """Whole bytes in binary units, three significant digits: ``1.46 KiB``, ``1023 B``."""
    return _alone(round(n), BYTES)


def duration(seconds: float) -> str:
    """Three significant digits: ``186 µs``."""
    return _alone(seconds, SECONDS) if seconds else "0 s"


def rate(per_second: float) -> str:
    """Bytes a second in decimal units, as links are sold: ``45.2 GB/s``."""
    return _alone(per_second, RATES)


def percent(share: float) -> str:
    """A share of 1, at most one decimal: ``27.3 %``; ``<0.1 %`` and ``>99.9 %`` are not all or nothing."""
    shown = _number(_fixed(100 * share, 1))
    if shown == "0" and share > 0:
        return "<0.1 %"
    if shown == "100" and share < 1:
        return ">99.9 %"
    return f"{shown} %"


def count(n: int, noun: str, plural: str = "") -> str:
    """``1 array``, ``2 arrays``."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def column(values: Iterable[float], units: Sequence[Unit]) -> Callable[[float], str]:
    """How numbers below one another are written: one unit, that of the largest, and as many decimals for all.

    Three significant digits, but no more than four in all; what would be written as zero is ``<0.01 MiB``.
    """
    some = [value for value in values if value > 0]
    most = max(some, default=0)
    large = [value for value in some if value * _RANGE >= most]
    # 1408 MiB beside 704 MiB and 88 MiB, not 1.38 GiB beside parts of one.
    whole = _unit_of(most, units)[1]
    parts = sum(value < whole for value in large) > len(large) / 2
    name, size = _unit_of(0.99 * whole if parts and most < 10 * whole else most, units)
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


def _alone(value: float, units: Sequence[Unit]) -> str:
    k = max((k for k, (_, size) in enumerate(units) if value >= size), default=0)
    shown = _rounded(value / units[k][1])
    if k + 1 < len(units) and shown * units[k][1] >= units[k + 1][1]:  # 999.9 µs are 1 ms.
        k += 1
        shown = _rounded(value / units[k][1])
    return f"{_number(repr(shown))} {units[k][0]}"


def _rounded(scaled: float) -> float:
    # What is rounded keeps its whole part: 1023 KiB, not 1020.
    if scaled >= 1000 or scaled == 0:
        return float(_fixed(scaled, 0))
    return float(_fixed(scaled, 2 - math.floor(math.log10(scaled))))


def _fixed(value: float, decimals: int) -> str:
    """As JavaScript's ``toFixed``: halves go up."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def _number(text: str) -> str:
    """Without zeros at the end of its decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _unit_of(value: float, units: Sequence[Unit]) -> Unit:
    if value == 0:  # Nothing at all is 0 s, not 0 ns.
        return next(unit for unit in units if unit[1] == 1)
    return next((unit for unit in reversed(units) if value >= unit[1]), units[0])
