"""Quantities are written as in TypeScript: ``tests/formats.json`` is the table of cases of both languages."""

import json
from pathlib import Path

import pytest

from shardwidget import _format

CASES = json.loads((Path(__file__).parents[1] / "formats.json").read_text())
WRITERS = {
    "bytes": _format.byte_count,
    "seconds": _format.duration,
    "rates": _format.rate,
    "flops": _format.flop_count,
    "percents": _format.percent,
    "times": _format.times,
}
UNITS = {"bytes": _format.BYTES, "seconds": _format.SECONDS, "rates": _format.RATES}


@pytest.mark.parametrize(("kind", "value", "text"), [(kind, *case) for kind in WRITERS for case in CASES[kind]])
def test_a_quantity_alone(kind, value, text):
    assert WRITERS[kind](value) == text


@pytest.mark.parametrize(("shares", "texts"), CASES["percent_columns"])
def test_shares_below_one_another_have_one_precision(shares, texts):
    assert list(map(_format.percents(shares), shares)) == texts


@pytest.mark.parametrize(("unit", "values", "texts"), CASES["columns"])
def test_a_column_has_one_unit(unit, values, texts):
    assert list(map(_format.column(values, UNITS[unit]), values)) == texts
