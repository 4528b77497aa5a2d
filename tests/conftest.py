"""Sixteen CPU devices for every test, made before JAX starts its backend; the same random examples every time."""

import gc
import os
import platform
import sys

import comm
import hypothesis
import jax
import pytest

from tests.examples import count, left_out
from tests.front_end import FakeComm

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 16)
# Most programs run once: LLVM optimizes little, here and in every process that a test starts. Collectives, shardings
# and memory stay what they are.
jax.config.update("jax_disable_most_optimizations", True)
os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"

# No deadline and no complaint that examples come slowly: on a busy machine everything does.
hypothesis.settings.register_profile(
    "shardwidget",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=count(100),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("shardwidget")


# JAX makes many objects that stay: by default all are searched again and again, for a quarter of the tests' time.
gc.set_threshold(100_000, 20, 100)


def pytest_collection_finish() -> None:
    """Python's garbage collector leaves alone what is there before the first test: JAX, and the tests themselves."""
    _leave_alone_what_is_there()


@pytest.fixture(scope="module")
def only_new_garbage() -> None:
    """For tests that collect garbage: it is looked for among what they have made."""
    _leave_alone_what_is_there()


def _leave_alone_what_is_there() -> None:
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out, and counts as deselected, what needs libtpu on machines that cannot have it, and cases by share."""
    left = left_out(items)
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        left += [item for item in items if item.get_closest_marker("libtpu")]
    out = {id(item) for item in left}
    config.hook.pytest_deselected(items=[item for item in items if id(item) in out])
    items[:] = [item for item in items if id(item) not in out]


@pytest.fixture(autouse=True)
def _front_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Widgets without a notebook talk to a fake front end."""
    monkeypatch.setattr(comm, "create_comm", FakeComm)
