"""Which elements are sampled: few enough, evenly, none left out of a small shard."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shardwidget.read._window import WINDOW, sample_shape, sample_steps

shapes = st.lists(st.integers(0, 5000), max_size=6).map(tuple)


@given(shapes, st.integers(1, 10**6))
def test_a_sample_is_small_enough_and_no_smaller_than_need_be(shape, most):
    steps = sample_steps(shape, most)
    left = sample_shape(shape, steps)
    assert math.prod(left) <= most
    assert math.prod(left[-2:]) <= WINDOW
    assert bool(math.prod(left)) == bool(math.prod(shape))
    thinned = [d for d, step in enumerate(steps) if step > 1]
    finer = [sample_shape(shape, (*steps[:d], steps[d] // 2, *steps[d + 1 :])) for d in thinned]
    assert not thinned or any(math.prod(more) > most or math.prod(more[-2:]) > WINDOW for more in finer)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=4))
def test_the_shape_is_that_of_the_slice(dims):
    shape, steps = tuple(size for size, _ in dims), tuple(step for _, step in dims)
    assert sample_shape(shape, steps) == np.empty(shape)[tuple(slice(None, None, step) for step in steps)].shape


def test_examples():
    assert sample_steps((64, 64), 10**6) == (1, 1)
    assert sample_steps((4096, 4096), 10**6) == (64, 64)
    assert sample_steps((4, 100_000), 10**6) == (1, 128)
    assert sample_steps((32, 4096, 4096), 8 * 4096) == (1, 128, 128)
    assert sample_steps((), 1) == ()
