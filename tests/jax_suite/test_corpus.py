"""Programs as people write them: both engines equal ``jax.jit``, and every name is the user's."""

import keyword
import re

import jax
import numpy as np
import pytest

from shardwidget import read
from tests.jax_suite.corpus import PROGRAMS
from tests.once import once

ENGINES = [(entry, engine) for entry in PROGRAMS for engine in (None, "host")]
LITERALS = {"inf", "nan", "True", "False"}
PLACEHOLDER = re.compile(r"tmp\d+")


@pytest.mark.parametrize(("entry", "engine"), ENGINES, ids=[f"{e.name}-{engine or 'mesh'}" for e, engine in ENGINES])
def test_it_gives_what_jax_gives(entry, engine):
    f, args = entry.make()
    trace = read.trace(f, *args, engine=engine)
    assert (trace.error, trace.engine) == (None, engine or "mesh")
    for found, expected in zip(jax.tree.leaves(trace.outputs), jax.tree.leaves(once(f)(*args)), strict=True):
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=2e-5, atol=2e-5)
    _check_names(trace)


def _check_names(trace) -> None:
    """No name that is an identifier is invented, and what is invented cannot be taken for the user's."""
    words = {word for listing in trace.listings for line in listing.lines for word in re.findall(r"\w+", line)}
    for variable in trace.variables:
        name = variable.name
        assert name
        if name.isidentifier() and not keyword.iskeyword(name) and not PLACEHOLDER.fullmatch(name):
            assert name in words or name in LITERALS, f"{name} is not a name of the source"
        assert not (PLACEHOLDER.fullmatch(name) and name in words)
    # Everything that a library makes of an expression belongs to that expression.
    assert trace.steps[0].begins == "statement"
    for step in trace.steps:
        assert step.begins or step.collective is None
