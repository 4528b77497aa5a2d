"""What a call does in a program of several processes: announced, begun when all are there, watched until its end."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax

from shardwidget import _jax
from shardwidget._config import config
from shardwidget.read._processes.arrival import Keys, Meeting, MissingProcessError, listed
from shardwidget.read._processes.watch import SILENT, Watch

__all__ = ["Gathering", "compiling", "participants", "processes_of", "say", "say_alone", "together"]

CHUNK = 2**20
"""The most bytes of a value; the coordination service refuses messages larger than 4 MiB."""

_meetings: dict[tuple[int, ...], Meeting] = {}
"""By the processes that take part."""
_meeting = threading.Lock()
"""Held while processes meet: calls of several threads of one process meet the others one after the other."""


def processes_of(devices: Iterable[Any]) -> list[int]:
    """The processes of some devices; none where the program has one process, or they are those of a topology."""
    return participants(device.process_index for device in devices)


def participants(processes: Iterable[int]) -> list[int]:
    """Processes, each once, in order; none where the program has one, or this one is not among them."""
    # JAX is asked last: asking starts its backends, which a user may not have configured yet.
    if _jax.Board.here() is None or jax.process_count() == 1:
        return []
    found = sorted(set(processes))
    return found if len(found) > 1 and jax.process_index() in found else []


def say(does: str, processes: list[int]) -> None:
    """Prints a line, where several processes take part."""
    if processes:
        print(f"shardwidget, process {jax.process_index()}: {does}", flush=True)


def say_alone(does: str, processes: list[int]) -> None:
    """Prints what this process does alone, with what several hold."""
    say(f"{does} Nothing is run or sent: a process may do this alone.", processes)


@dataclass(frozen=True)
class Gathering:
    """Processes that have arrived at a call."""

    keys: Keys
    folder: str
    processes: list[int]
    me: int

    def exchange(self, data: bytes) -> dict[int, bytes]:
        """Gives every process what each of them has.

        Raises:
            MissingProcessError: a process did not send within ``watch.SILENT`` seconds; the message names it.
        """
        pieces = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
        for k, piece in enumerate(pieces):
            self.keys.post(f"{self.folder}/values/{self.me}/{k}", piece)
        self.keys.post(f"{self.folder}/sent/{self.me}", str(len(pieces)).encode())
        until = time.monotonic() + SILENT
        return {process: data if process == self.me else self._from(process, until) for process in self.processes}

    def _from(self, process: int, until: float) -> bytes:
        count = None
        while count is None and time.monotonic() < until:
            count = self.keys.wait(f"{self.folder}/sent/{process}", 0.5)
        if count is None:
            raise MissingProcessError(f"{listed([process])} has sent no values within {SILENT:g} s.")
        pieces = (self.keys.get(f"{self.folder}/values/{process}/{k}") for k in range(int(count)))
        return b"".join(piece or b"" for piece in pieces)


@contextlib.contextmanager
def compiling(name: str, devices: Iterable[Any]) -> Iterator[None]:
    """Around the compilation of a program for several processes."""
    devices = list(devices)
    does = f"compiles {name} for {len(devices)} devices"
    if devices and devices[0].platform == "gpu":
        # XLA autotunes kernels for GPUs on all hosts, and shares the results.
        with together(does, devices):
            yield
        return
    if processes := processes_of(devices):
        say_alone(f"{does} of {listed(processes)}.", processes)
    yield


@contextlib.contextmanager
def together(does: str, devices: Iterable[Any]) -> Iterator[Gathering | None]:
    """A context around what processes do together; yields None, and does nothing, where there is only one.

    Args:
        does: what they do, in words: ``runs step 7 times``. The same in all.
        devices: those that take part.

    Raises:
        MissingProcessError: a process did not arrive within ``config.arrival`` seconds; the message names it.
        RuntimeError: they arrived at different calls.
    """
    devices = list(devices)
    processes, keys = processes_of(devices), _jax.Board.here()
    if not processes or keys is None:
        yield None
        return
    seconds, me = config.arrival, jax.process_index()
    who = listed(processes)
    say(f"{does} on {len(devices)} devices of {who}, together; each waits {seconds:g} s for the others.", processes)
    with _meeting:
        meeting = _meetings.setdefault(tuple(processes), Meeting(keys, processes, me))
        folder = meeting.arrive(does, seconds)
    watch = Watch(keys, folder, processes, me, lambda text: say(text, processes))
    watch.start()
    try:
        yield Gathering(keys, folder, processes, me)
    except Exception as error:
        watch.stop()
        if gone := watch.silent(SILENT / 2):
            error.add_note(f"{listed(gone)} did not answer in the {SILENT / 2:g} s after this error.")
        raise
    except BaseException:  # An interrupt is passed on at once.
        watch.stop()
        raise
    else:
        watch.stop()
