"""Bytes that stages send on, from the transfers of a program."""

from __future__ import annotations

from collections.abc import Mapping

from shardwidget.pipeline.tasks import Task


def send_bytes(sizes: Mapping[Task, int], stages: int) -> tuple[int, ...]:
    """Bytes that each stage sends on, taken from what is sent after its first forward task; the last sends nothing on.

    Args:
        sizes: bytes of the transfers from each task.
        stages: number of stages.

    Returns:
        One entry per stage; none if the size of one is not known.
    """
    first = [sizes.get(Task(stage, "F", 0), 0) for stage in range(stages - 1)]
    return (*first, 0) if first and all(first) else ()
