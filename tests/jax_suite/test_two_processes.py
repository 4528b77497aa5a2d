"""An array and a program on the devices of two processes.

All shards of an array are placed, and only this process's are read; of a program, which both run, each has all values.
"""

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
        ends = [worker.communicate(timeout=600) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    for worker, (_, errors) in zip(workers, ends, strict=True):
        assert worker.returncode == 0, errors
    # Gloo writes lines of its own.
    return [json.loads(next(line for line in printed.splitlines() if line[:1] == "{")) for printed, _ in ends]


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


@pytest.mark.parametrize("process", [0, 1])
def test_an_array_on_the_other_process_group_is_known_from_metadata(seen, process):
    here, there = ["live", "none"], ["none", "remote"]
    assert seen[process]["remote"] == ([here, there] if process == 0 else [there[::-1], here[::-1]])


def test_jaxpps_array_of_the_other_process_is_known_and_planned_from_metadata(seen):
    assert [view["of_jaxpp"] for view in seen] == [["none", "remote"], ["none", "live"]]
    # Group 1 provides it: 128 bytes of a shard of it, and 64 after; group 0 adds 128 of zeros.
    groups, held, kinds = seen[0]["plan"]
    assert (groups, held) == ([1], [[192, 192]])
    assert kinds
    assert seen[0]["plan"] == seen[1]["plan"]


@pytest.mark.parametrize("process", [0, 1])
def test_a_program_has_the_values_of_all(seen, process):
    view = seen[process]
    ids = view["devices"]
    assert view["engine"] == "mesh"
    a = NUMBERS.reshape(4, 2, 2, 8).swapaxes(1, 2)
    x = np.arange(4).reshape(4, 1, 1, 1)
    b = np.where(x % 2 == 0, a + 1, a - 1)
    c = b * 2.0 ** (x + 1)
    for name, blocks in {"a": a, "shifted": b, "scaled": c}.items():
        np.testing.assert_array_equal(view["program"][name], blocks.reshape(8, 2, 8))
        assert view["blocks"][name] == list(range(8))
    # The branch and the number of iterations of every device, including those of the other process.
    assert view["sentences"][0] == (
        f"Devices {ids[2]}, {ids[3]}, {ids[6]} and {ids[7]} take branch 0 and "
        f"devices {ids[0]}, {ids[1]}, {ids[4]} and {ids[5]} take branch 1."
    )
    assert any("after 1 to 4 iterations" in sentence for sentence in view["sentences"])
    assert next(on for primitive, on in view["active"] if primitive == "add") == [0, 1, 4, 5]
    assert [on for primitive, on in view["active"] if primitive == "mul"] == [[2, 3, 4, 5, 6, 7], [4, 5, 6, 7], [6, 7]]
    total = c.sum(1)
    assert view["printed"][0].count("device") == 4
    for device, shard in view["outputs"]:
        np.testing.assert_array_equal(shard, total[ids.index(device) // 2])
