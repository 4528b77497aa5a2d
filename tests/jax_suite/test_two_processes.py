"""An array on the devices of two processes: all are placed, only this process's are read."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

WORKER = Path(__file__).with_name("worker.py")
NUMBERS = np.arange(128, dtype="float32").reshape(8, 16)


@pytest.fixture(scope="module")
def seen() -> list[dict]:
    """What each of the two processes printed."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", str(WORKER), str(port), str(process)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for process in range(2)
    ]
    try:
        ends = [worker.communicate(timeout=120) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    for worker, (_, errors) in zip(workers, ends, strict=True):
        assert worker.returncode == 0, errors
    return [json.loads(printed) for printed, _ in ends]


@pytest.mark.parametrize("process", [0, 1])
def test_every_device_is_placed(seen, process):
    view = seen[process]
    assert len(view["devices"]) == 8
    assert view["process"] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert view["this_process"] == process
    covered = np.zeros((8, 16), int)
    for slices in view["slices"]:
        covered[tuple(slice(*bounds) for bounds in slices)] += 1
    assert (covered == 1).all()


@pytest.mark.parametrize("process", [0, 1])
def test_only_local_values_are_read(seen, process):
    view = seen[process]
    local = [device for device, owner in zip(view["devices"], view["process"], strict=True) if owner == process]
    remote = [device for device in view["devices"] if device not in local]
    assert view["fetched"] == local
    assert view["note"] == f"devices {', '.join(map(str, remote))} of another process cannot be read from here"
    assert list(view["values"]) == [str(device) for device in local]
    for device, slices in zip(view["devices"], view["slices"], strict=True):
        if device in local:
            shard = NUMBERS[tuple(slice(*bounds) for bounds in slices)]
            assert view["values"][str(device)] == shard.ravel().tolist()
