"""A measured run of two and of four processes: each reads its own devices, and merged they show who waited for whom."""

import base64
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from shardwidget.document import Run

WORKER = Path(__file__).with_name("run_worker.py")


@pytest.fixture(scope="module", params=[(2, 4, 3), (4, 2, 0)], ids=["two", "four"])
def measured(request) -> tuple[list[Run], int, int]:
    """The run of each process, how many devices each has, and which row of the mesh is slow."""
    processes, devices, slow = request.param
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", str(WORKER), *map(str, (port, processes, process, devices, slow))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for process in range(processes)
    ]
    try:
        ends = [worker.communicate(timeout=600) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    for worker, (_, errors) in zip(workers, ends, strict=True):
        assert worker.returncode == 0, errors
    # Gloo writes lines of its own.
    lines = [next(line for line in printed.splitlines() if line.startswith("RUN ")) for printed, _ in ends]
    return [pickle.loads(base64.b64decode(line[4:])) for line in lines], devices, slow


def test_each_process_has_its_own_lanes(measured):
    runs, devices, _ = measured
    for process, run in enumerate(runs):
        assert [lane.position for lane in run.lanes] == list(range(process * devices, (process + 1) * devices))
        assert run.mesh.this_process == process
        assert len(run.seconds) == 3
        assert "run.merge(*of_the_others)" in run.note


def test_merged_lanes_show_who_is_waited_for(measured):
    runs, devices, slow = measured
    merged = runs[0].merge(*runs[1:])
    assert [lane.position for lane in merged.lanes] == list(range(len(runs) * devices))
    (psum,) = merged.collectives
    assert psum.times == 3 * len(merged.lanes)
    last = psum.last.array().tolist()
    assert [p for p, count in enumerate(last) if count] == [2 * slow, 2 * slow + 1]
    assert sum(last) == 6
    # Everybody else waits for most of what the slow row burns, 50 ms in each call.
    assert psum.wait_s > 0.02
    assert "merge" not in merged.note


def test_clocks_are_aligned_and_the_skew_is_stated(measured):
    runs, _, _ = measured
    merged = runs[0].merge(*runs[1:])
    assert [clock.process for clock in merged.clocks] == list(range(1, len(runs)))
    # Two groups, three calls. All processes are on one machine, so their clocks agree but for what is measured.
    for clock in merged.clocks:
        assert clock.collectives == 6
        assert abs(clock.offset_s) < 0.05
        assert 0 <= clock.skew_s < 0.05
    assert "The clock of process 1 was moved by" in repr(merged)
