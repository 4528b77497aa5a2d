"""Exceptions keep JAX's frames, and the user's option does not change, in any number of threads."""

import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import pytest

from shardwidget import _jax


def option() -> str:
    return jax.config.values["jax_traceback_filtering"]


@pytest.fixture
def filtering():
    before = option()
    yield lambda value: jax.config.update("jax_traceback_filtering", value)
    jax.config.update("jax_traceback_filtering", before)


@jax.jit
def refused(x):
    return x @ jnp.ones(7)


def has_frames_of_jax(error: BaseException) -> bool:
    return any("/jax/_src/" in summary.filename for summary in traceback.extract_tb(error.__traceback__))


@pytest.mark.parametrize("value", ["off", "quiet_remove_frames", "remove_frames", "tracebackhide"])
def test_frames_of_jax_are_kept_whatever_the_option_says(filtering, value):
    filtering(value)
    with pytest.raises(TypeError) as caught:
        _jax.unfiltered(lambda: refused(jnp.ones(3)))
    assert has_frames_of_jax(caught.value)
    assert not hasattr(caught.value, "__notes__")
    assert option() == value


def test_a_result_is_returned():
    assert _jax.unfiltered(lambda: 3) == 3


def test_threads_that_overlap_leave_the_option_alone(filtering):
    filtering("quiet_remove_frames")
    entered, left = threading.Event(), threading.Event()
    seen = []

    def first():
        def call():
            entered.set()
            assert left.wait(60)
            seen.append(option())
            filtering("remove_frames")  # What the user sets meanwhile stays.
            return refused(jnp.ones(3))

        return _jax.unfiltered(call)

    def second():
        assert entered.wait(60)
        try:
            return _jax.unfiltered(lambda: refused(jnp.ones(3)))
        finally:
            left.set()

    with ThreadPoolExecutor(2) as threads:
        errors = [future.exception() for future in [threads.submit(first), threads.submit(second)]]
    assert all(isinstance(error, TypeError) and has_frames_of_jax(error) for error in errors)
    assert seen == ["quiet_remove_frames"]
    assert option() == "remove_frames"


def test_an_interrupt_passes(filtering):
    filtering("quiet_remove_frames")

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _jax.unfiltered(interrupted)
    assert option() == "quiet_remove_frames"
