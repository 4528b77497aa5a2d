"""How many random examples a test tries."""

import os

from hypothesis import settings

SHARE = float(os.environ.get("SHARDWIDGET_EXAMPLES", "1"))
"""`.ci/run` tries only some of them on other versions of JAX."""


def count(examples: int) -> int:
    """As many as are asked for, or the share of them that this run tries."""
    return max(1, round(examples * SHARE))


def examples(number: int) -> settings:
    """For tests whose examples compile programs, or are so many that they take long."""
    return settings(max_examples=count(number))
