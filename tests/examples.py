"""How many random examples, and how many of its cases, a test tries."""

import os
from collections.abc import Sequence

import jax
import pytest
from hypothesis import settings

SHARE = float(os.environ.get("SHARDWIDGET_EXAMPLES", "1"))
"""All in `.ci/run`, which tries some on other versions of JAX; `make test` tries fewer too."""


def count(examples: int) -> int:
    """As many as are asked for, or the share of them that this run tries."""
    return max(1, round(examples * SHARE))


def examples(number: int) -> settings:
    """For tests whose examples compile programs, or are so many that they take long."""
    return settings(max_examples=count(number))


LEAST = 2
"""A test with so many cases, or fewer, is run with all of them."""


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The cases of tests that this run does not try: each version of JAX gets others, evenly among all."""
    by_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    found = []
    for cases in by_test.values():
        tried = max(LEAST, count(len(cases)))
        if tried < len(cases):
            kept = {(jax.__version_info__[1] + k * len(cases) // tried) % len(cases) for k in range(tried)}
            found += [case for k, case in enumerate(cases) if k not in kept]
    return found
