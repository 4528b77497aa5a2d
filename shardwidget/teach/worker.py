"""A process that runs errands, of one submission or of none: what starts it, limits it and speaks for it.

It is started with ``main``. Where processes can be forked (Linux), one that has imported JAX and started nothing forks
one for every submission; elsewhere every one is started anew.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pickle
import signal
import socket
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax

from shardwidget import read
from shardwidget.teach import frames, run
from shardwidget.teach.results import failed

LENGTH = 8
"""Bytes of the length of a message."""

PID = 4
"""Bytes of the number of a process, and of its exit code."""

_REFUSED = {
    *("os.kill", "os.killpg", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system"),
    *("os.startfile", "subprocess.Popen", "pty.spawn", "signal.pthread_kill", "resource.prlimit"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"),
    *("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"),
    # Files that Python's own code does not open, memory that no limit counts, an interpreter without these guards.
    *("sqlite3.connect", "mmap.__new__", "cpython.PyInterpreterState_New"),
}
"""What no answer needs to do, by the names of Python's audit events."""


def main(number: str, settings: str) -> None:
    """Serves a connection: forks a process for each connection that comes through it, or runs errands itself.

    Args:
        number: file descriptor of the connection.
        settings: JSON of ``forks``, ``memory`` (bytes) and ``jax`` (options by name).
    """
    given = json.loads(settings)
    connection = socket.socket(fileno=int(number))
    for name, value in given["jax"].items():
        jax.config.update(name, value)
    # What errands need, loaded once.
    _ = read.program, read.trace
    if given["forks"]:
        _fork_for_each(connection, given["memory"])
    else:
        _serve(connection, given["memory"])


def receive(connection: socket.socket, count: int) -> bytes:
    """So many bytes.

    Raises:
        EOFError: the other end is closed.
    """
    parts, left = [], count
    while left:
        part = connection.recv(min(left, 2**20))
        if not part:
            raise EOFError
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _fork_for_each(control: socket.socket, memory: int) -> None:
    """Forks a process for every connection that it is sent, and ends those that it is told to."""
    children: set[int] = set()
    while True:
        asked, handles, _, _ = socket.recv_fds(control, PID, 1)
        if not asked:
            break
        if handles:
            child = os.fork()
            if child == 0:
                control.close()
                os.setsid()
                with contextlib.suppress(EOFError, OSError):
                    _serve(socket.socket(fileno=handles[0]), memory)
                signal.raise_signal(signal.SIGKILL)
            os.close(handles[0])
            children.add(child)
            control.sendall(child.to_bytes(PID))
        else:
            child = int.from_bytes(asked)
            children.discard(child)
            control.sendall(_end(child).to_bytes(PID, signed=True))
    for child in children:
        _end(child)


def _end(child: int) -> int:
    """Ends a process and those that it has started; its exit code, negative for a signal."""
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _serve(connection: socket.socket, memory: int) -> None:
    """Runs errands until the connection is closed."""
    with open(os.devnull, "r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    jax.devices()
    _limit(memory)
    _guard()
    _send(connection, {"ready": True})
    while True:
        size = int.from_bytes(receive(connection, LENGTH))
        data = receive(connection, size)
        try:
            mesh, errand = pickle.loads(data)
            with run.on_mesh(mesh):
                reply = frames.write(errand.run())
        except BaseException as error:  # sys.exit too
            outcome = failed(error)
            _send(connection, {"error": outcome.error, "said": outcome.said[:2000]})
        else:
            _send(connection, {}, reply)


def _send(connection: socket.socket, head: dict[str, Any], data: bytes = b"") -> None:
    text = json.dumps(head).encode()
    connection.sendall(len(text).to_bytes(LENGTH) + len(data).to_bytes(LENGTH) + text + data)


def _limit(memory: int) -> None:
    """No core dumps, no files and no more memory than is said, where the system has such limits."""
    if importlib.util.find_spec("resource") is None:
        return
    import resource

    used = 0
    with contextlib.suppress(OSError):
        # The data of this process so far, in pages: Linux alone says it, and keeps to RLIMIT_DATA.
        used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_DATA: used + memory}
    for limit, value in limits.items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))


def _guard() -> None:
    """Refuses what no answer needs: to write files, to read others than Python's, to start or end processes.

    It is a guard against accidents and plain tricks, and no sandbox: code can get around it.
    """
    refused = frozenset(_REFUSED)
    roots = tuple({os.path.realpath(p) for p in _readable() if p and os.path.isdir(p)})
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    real, start = os.path.realpath, os.sep

    def hook(event: str, args: tuple[Any, ...]) -> None:
        library = event == "ctypes.dlsym" and not str(args[1]).startswith("Py")
        if event in refused or library:
            raise PermissionError(f"an answer may not do this: {event}")
        if event in ("open", "ctypes.dlopen") and isinstance(args[0], str | bytes | os.PathLike):
            path = real(os.fsdecode(args[0]))
            inside = any(path == root or path.startswith(root + start) for root in roots)
            flags = args[2] or 0 if event == "open" else 0
            if flags & writes or not (inside or path in ("/dev/null", "/dev/urandom")):
                raise PermissionError(f"an answer may not open files: {path}")

    def refuse(*_: Any) -> None:
        raise PermissionError("an answer may not do this: start a process")

    sys.addaudithook(hook)
    # multiprocessing calls it without an event.
    if module := sys.modules.get("_posixsubprocess"):
        vars(module)["fork_exec"] = refuse


def _readable() -> Iterator[str]:
    """Folders of Python and of packages; of a package that is developed, its own alone, not what lies beside it."""
    paths = sysconfig.get_paths()
    yield from (paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"], "/usr/share/zoneinfo")
    package = Path(read.__file__).parents[1]
    yield str(package)
    yield from (p for p in sys.path if Path(p) != package.parent)
