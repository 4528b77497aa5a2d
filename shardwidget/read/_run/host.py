"""What a reader should know about the machine that a run was measured on."""

from __future__ import annotations

import functools
import os
import time

import numpy as np

from shardwidget.document import Mesh

_COPIED = 2**25
"""Bytes that are copied to measure its speed."""


def describe(mesh: Mesh) -> str:
    """What times on these devices do not show; empty where there is nothing to say."""
    here = int((mesh.process.array() == mesh.this_process).sum())
    if mesh.platform != "cpu" or mesh.size == 1:
        return ""
    cores = _cores()
    return (
        f"{here} devices of one CPU share {cores} {'core' if cores == 1 else 'cores'}: "
        "times show order and waiting, not an interconnect."
    )


@functools.cache
def copy_speed() -> float:
    """Bytes per second of a copy in memory: the best of a few, measured once."""
    source = np.ones(_COPIED, np.uint8)
    target = np.empty_like(source)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        np.copyto(target, source)
        seconds.append(time.perf_counter() - start)
    return float(f"{_COPIED / min(seconds):.3g}")


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
