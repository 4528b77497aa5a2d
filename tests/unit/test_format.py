"""Quantities are written as in TypeScript: ``tests/formats.json`` is the table of cases of both languages."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from shardwidget import _format
from shardwidget._text import short_dtype

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


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e4m3fn", "int4", "uint8", "complex64", "bool"])
def test_dtypes_are_spelled_as_in_types_of_jax(name):
    assert jax.typeof(jnp.zeros(2, name)).str_short(short_dtypes=True) == f"{short_dtype(name)}[2]"
