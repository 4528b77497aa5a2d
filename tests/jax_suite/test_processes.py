"""Every widget in a program of two and of four processes: what each says before it does it, and who is missing."""

import base64
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
import pytest

import shardwidget as sw
from shardwidget.document import Run

WORKER = Path(__file__).with_name("processes_worker.py")
NUMBERS = np.arange(64, dtype="float32").reshape(8, 8)


class Measured(NamedTuple):
    seen: list[dict]
    """What each process saw."""
    devices: int
    """The result of each process."""
    slow: int
    """The row of the mesh that is slow."""

    @property
    def runs(self) -> list[Run]:
        return [seen["run"] for seen in self.seen]

    @property
    def all(self) -> str:
        return f"{len(self.seen) * self.devices} devices of processes 0 {'to' if len(self.seen) > 2 else 'and'} "


@pytest.fixture(
    scope="module",
    params=[pytest.param((2, 4, 3), id="two"), pytest.param((4, 2, 0), id="four", marks=pytest.mark.once)],
)
def measured(request) -> Measured:
    processes, devices, slow = request.param
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", str(WORKER), *map(str, (port, processes, process, devices, slow))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for process in range(processes)
    ]
    try:
        # The first ends when its input is closed: after the others, which it coordinates.
        ends = [worker.communicate(timeout=600) for worker in reversed(workers)][::-1]
    finally:
        for worker in workers:
            worker.kill()
    for worker, (_, errors) in zip(workers, ends, strict=True):
        assert worker.returncode == 0, errors
    # Gloo writes lines of its own.
    lines = [next(line for line in printed.splitlines() if line.startswith("SEEN ")) for printed, _ in ends]
    return Measured([pickle.loads(base64.b64decode(line[5:])) for line in lines], devices, slow)


def test_each_says_first_what_it_does(measured):
    for process, seen in enumerate(measured.seen):
        said = {name: [line.split(": ", 1)[1] for line in lines] for name, lines in seen["said"].items()}
        assert all(
            line.startswith(f"shardwidget, process {process}: ") for lines in seen["said"].values() for line in lines
        )
        together = f"on {measured.all}{len(measured.seen) - 1}, together; each waits 60 s for the others."
        compiles = f"for {measured.all}{len(measured.seen) - 1}. Nothing is run or sent: a process may do this alone."
        assert said["CompiledProgram"] == [f"compiles step {compiles}"]
        assert said["profile"] == [f"compiles step {compiles}", f"calls step 5 times {together}"]
        assert said["ShardingComparison"] == [f"compiles product {compiles}"]
        assert said["ModelView"] == ["reads shapes and shardings. Nothing is run or sent: a process may do this alone."]
        assert said["ArrayView"] == []
        # What was recorded, on all devices, and what goes in and comes out.
        runs, *sends = said["ShardMapStepper"]
        assert runs == f"runs body, recording every value, {together}"
        # JAX 0.12 has one value more.
        first = 800 if jax.__version_info__ < (0, 12) else 832
        assert sends == [f"sends the values of all to every process, {size} bytes." for size in (first, 256, 128)]
        assert said["fetch"] == [f"sends samples of f32[8,8], 32 bytes for each shard, to every process {together}"]


def test_fetched_values_are_those_of_all_shards(measured):
    for seen in measured.seen:
        placement = seen["placement"]
        assert seen["before"] == measured.devices
        assert [block.device_id for block in placement.values.blocks] == list(placement.device_ids)
        assert placement.values.note == ""
        assert seen["wanted"] == placement.values.blocks
        for block in placement.values.blocks:
            shard = NUMBERS[tuple(slice(s.start, s.stop) for s in placement.slices(block.device_id))]
            np.testing.assert_array_equal(np.frombuffer(block.data, "<f4").reshape(shard.shape), shard)


def test_documents_are_shown_elsewhere(measured):
    seen = measured.seen[-1]
    view = sw.ArrayView(seen["placement"])
    assert view.document.values == seen["placement"].values
    assert sw.ShardMapStepper(seen["trace"]).document.steps
    assert sw.ShardingComparison(seen["comparison"]).document.rows
    assert sw.ModelView(seen["model"]).document.leaves
    assert sw.RunView(seen["run"]).document == seen["run"]
    with pytest.raises(ValueError, match="was not kept"):
        seen["trace"].variables[0].value(0)


def test_a_process_that_does_not_come_is_named(measured):
    last = len(measured.seen) - 1
    for seen in measured.seen[:-1]:
        assert seen["missing"].startswith(f"missing after 0.5 s: process {last}. Nothing was run")
        assert seen["ended"].startswith(f"missing after 0.5 s: process {last}. Nothing was run")
    assert "missing" not in measured.seen[-1]


def test_different_calls_do_not_hang(measured):
    for seen in measured.seen:
        assert seen["different"].startswith("processes arrived at different calls, so nothing was run: process 0 sends")
        assert "f32[8]" in seen["different"]


def test_each_process_has_its_own_lanes(measured):
    for process, run in enumerate(measured.runs):
        mine = range(process * measured.devices, (process + 1) * measured.devices)
        assert [lane.position for lane in run.lanes] == list(mine)
        assert run.mesh.this_process == process
        assert len(run.seconds) == 3
        assert "run.merge(*of_the_others)" in run.note


def test_merged_lanes_show_who_is_waited_for(measured):
    runs, slow = measured.runs, measured.slow
    merged = runs[0].merge(*runs[1:])
    assert [lane.position for lane in merged.lanes] == list(range(len(runs) * measured.devices))
    (psum,) = merged.collectives
    assert psum.times == 3 * len(merged.lanes)
    last = psum.last.array().tolist()
    assert [p for p, count in enumerate(last) if count] == [2 * slow, 2 * slow + 1]
    assert sum(last) == 6
    # All others wait for most of the time that the slow row wastes, 50 ms in each call.
    assert psum.wait_s > 0.02
    assert "merge" not in merged.note


def test_clocks_are_aligned_and_the_skew_is_stated(measured):
    runs = measured.runs
    merged = runs[0].merge(*runs[1:])
    assert [clock.process for clock in merged.clocks] == list(range(1, len(runs)))
    # Two groups, three calls. All processes are on one machine, so their clocks agree up to measurement error.
    for clock in merged.clocks:
        assert clock.collectives == 6
        assert abs(clock.offset_s) < 0.05
        assert 0 <= clock.skew_s < 0.05
    assert "The clock of process 1 was moved by" in repr(merged)
