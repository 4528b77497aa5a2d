"""Places where errands run: processes of their own, which this process starts, waits for and ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

import jax

from shardwidget.teach import frames, travel
from shardwidget.teach.errands import Errand
from shardwidget.teach.worker import LENGTH, PID

START = 180.0
"""Seconds in which a process must have imported JAX."""

MOST = 2**28
"""Bytes of the largest reply."""

FORKS = sys.platform == "linux"
"""Whether a process that has imported JAX is forked. On macOS its libraries do not allow that."""

_OPTIONS = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_numpy_dtype_promotion",
    "jax_numpy_rank_promotion",
    "jax_threefry_partitionable",
    "jax_default_prng_impl",
)
"""Options of JAX that change what a function gives."""

_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
)

_START = (
    "import sys; sys.path[:] = {paths!r}; from shardwidget.teach.worker import main; main({number!r}, {settings!r})"
)


class StoppedError(Exception):
    """An errand that did not end; the message says why, and the process is gone."""


class FailedError(Exception):
    """An errand that raised; the message says what."""


class Processes:
    """Starts processes for places, and ends them; in a ``with`` block, which leaves none behind.

    Args:
        memory: bytes that each may take, where the system has such a limit.
    """

    def __init__(self, memory: int) -> None:
        self._settings = json.dumps({"forks": FORKS, "memory": memory, "jax": _options()})
        self._folder = tempfile.TemporaryDirectory(prefix="shardwidget-")
        self._server: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        self._own: set[subprocess.Popen[bytes]] = set()
        self._children: set[int] = set()
        """Those of the server."""
        self._strays: set[int] = set()
        """Those of a server that has ended; they work on."""

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_server()
        for started in [*self._own, *self._strays]:
            self.stop(started)
        self._folder.cleanup()

    def start(self, theirs: socket.socket) -> Any:
        """Starts a process at one end of a connection; what ``stop`` takes."""
        if not FORKS:
            process = self._interpreter(theirs)
            self._own.add(process)
            return process
        for _ in range(2):
            if self._server is None:
                control, end = socket.socketpair()
                self._server = self._interpreter(end), control
                end.close()
            try:
                socket.send_fds(self._server[1], [b"f"], [theirs.fileno()])
                child = int.from_bytes(self._answer())
                self._children.add(child)
                return child
            except OSError:
                # An answer has ended it.
                self._end_server()
        raise RuntimeError("the process that runs answers cannot be started; run python -m shardwidget.teach.worker")

    def stop(self, started: Any) -> int | None:
        """Ends a process; its exit code, negative for a signal, where that is known."""
        if isinstance(started, subprocess.Popen):
            self._own.discard(started)
            with contextlib.suppress(subprocess.TimeoutExpired):
                # One that ends by itself has closed its connection just before.
                return started.wait(0.2)
            started.kill()
            return started.wait()
        if self._server is not None and started in self._children:
            try:
                self._server[1].sendall(started.to_bytes(PID))
                code = int.from_bytes(self._answer(), signed=True)
                self._children.discard(started)
                return code
            except OSError:
                self._end_server()
        self._strays.discard(started)
        with contextlib.suppress(OSError):
            os.killpg(started, signal.SIGKILL)
        return None

    def _answer(self) -> bytes:
        assert self._server
        self._server[1].settimeout(START)
        answer = self._server[1].recv(PID)
        if not answer:
            raise ConnectionError
        return answer

    def _interpreter(self, end: socket.socket) -> subprocess.Popen[bytes]:
        code = _START.format(paths=travel.paths(), number=str(end.fileno()), settings=self._settings)
        with open(os.devnull, "r+b") as nothing:
            return subprocess.Popen(
                [sys.executable, "-P", "-c", code],
                pass_fds=[end.fileno()],
                cwd=self._folder.name,
                env=_environment(),
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                start_new_session=True,
            )

    def _end_server(self) -> None:
        if self._server is not None:
            process, control = self._server
            self._server = None
            control.close()
            process.kill()
            process.wait()
            self._strays |= self._children
            self._children.clear()


class Place:
    """A process that runs one errand after another.

    Args:
        processes: what starts it.
    """

    def __init__(self, processes: Processes) -> None:
        self.connection, theirs = socket.socketpair()
        self._processes, self._process = processes, None
        with theirs:
            self._process = processes.start(theirs)
        self.deadline = time.monotonic() + START
        """When what it does now must be done."""
        self._received = bytearray()
        self._waiting = b""
        self._ready = False
        self._seconds = 0.0

    def send(self, errand: Errand, seconds: float) -> None:
        """Gives it an errand, to be done in so many seconds from when it takes it up.

        Raises:
            Exception: the errand cannot leave this process.
            StoppedError: the process is gone.
        """
        mesh = jax.sharding.get_mesh()
        data = travel.pack((None if mesh.empty else mesh, errand))
        self._seconds, self._waiting = seconds, len(data).to_bytes(LENGTH) + data
        if self._ready:
            self._give()

    def receive(self) -> Reply | None:
        """Reads what has come: the result of the errand, or None while there is none.

        Raises:
            FailedError: the errand raised.
            StoppedError: the process is gone, or what it sends is no result.
        """
        try:
            part = self.connection.recv(2**20)
        except OSError:
            part = b""
        if not part:
            raise StoppedError(self._end())
        self._received += part
        if len(self._received) < 2 * LENGTH:
            return None
        sizes = [int.from_bytes(self._received[i : i + LENGTH]) for i in (0, LENGTH)]
        if sum(sizes) > MOST:
            raise StoppedError("what it gives is too large")
        if len(self._received) < 2 * LENGTH + sum(sizes):
            return None
        message = bytes(self._received[2 * LENGTH :])
        self._received.clear()
        return self._reply(message[: sizes[0]], message[sizes[0] : sum(sizes)])

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def _give(self) -> None:
        self.deadline = time.monotonic() + self._seconds
        self.connection.settimeout(self._seconds)
        try:
            self.connection.sendall(self._waiting)
        except OSError:
            raise StoppedError(self._end()) from None

    def _reply(self, head: bytes, data: bytes) -> Reply | None:
        try:
            said = json.loads(head)
            if "error" in said:
                raise FailedError(f"{said['error']}: {said['said']}")
            if "ready" not in said:
                return Reply(frames.read(data))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise StoppedError(f"what it gives cannot be read: {error}") from None
        if not self._ready:
            self._ready = True
            self._give()
        return None

    def _end(self) -> str:
        self.connection.close()
        code = None if self._process is None else self._processes.stop(self._process)
        self._process = None
        if not code:
            return "its process ended"
        return f"its process ended with exit code {code}" if code > 0 else f"its process was ended by signal {-code}"


@dataclass(frozen=True)
class Reply:
    """The result of an errand, which may be anything, None too."""

    value: Any


def _options() -> dict[str, Any]:
    options = {name: getattr(jax.config, name, None) for name in _OPTIONS}
    known = {name: value for name, value in options.items() if value is None or isinstance(value, bool | int | str)}
    known = {name: value for name, value in known.items() if value is not None}
    return known | {"jax_platforms": "cpu", "jax_num_cpu_devices": len(jax.devices())}


def _environment() -> dict[str, str]:
    """The variables of this process that a program needs, and no others."""
    kept = {name: value for name, value in os.environ.items() if name in _VARIABLES}
    flags = [flag for flag in os.environ.get("XLA_FLAGS", "").split() if "host_platform_device_count" not in flag]
    return kept | {"XLA_FLAGS": " ".join(flags), "JAX_PLATFORMS": "cpu"}
