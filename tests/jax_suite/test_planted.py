"""Faults planted in a step of training a scanned transformer: ``why`` names each, and a remedy removes it."""

from __future__ import annotations

import re

import jax
import pytest
from jax.sharding import AxisType

from shardwidget import read
from tests.jax_suite.planted import faults, said

MESH = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
FAULTS = faults(MESH)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_training_step_is_named_and_removed(name: str) -> None:
    fault = FAULTS[name]
    words = said(read.comparison(fault.step, *fault.args))
    assert [one for one in words if re.match(fault.named, one)], words
    found = read.remedies(fault.step, *fault.args, lowers="communication", limit=6)
    remedy = next((r for r in found if re.search(fault.remedy, r.what)), None)
    assert remedy is not None, [r.what for r in found]
    assert remedy.after < remedy.before or remedy.memory < 0
