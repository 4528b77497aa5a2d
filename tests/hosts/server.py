"""A server program, which is ready once it answers."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import threading

HANG = 120
"""Seconds after which something hangs."""

LONGEST = 5 * HANG
"""Seconds after which a test or a program hangs."""


class Server:
    """Starts a program, waits until it printed ``ready`` and listens on the port, and keeps reading what it prints."""

    def __init__(self, command: list[str], env: dict[str, str], ready: bytes, port: int):
        self._process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self._process.stdout
        hangs = threading.Timer(HANG, self._process.kill)
        hangs.daemon = True
        hangs.start()
        log: list[bytes] = []
        for line in self._process.stdout:
            log.append(line)
            if ready in line:
                break
        else:
            raise RuntimeError(f"{' '.join(command)} ended before it was ready:\n{b''.join(log).decode()}")
        # A full pipe would stop it.
        self._reader = threading.Thread(target=log.extend, args=[self._process.stdout], daemon=True)
        self._reader.start()
        # Some say that they are ready before they listen.
        while not _listens(port):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
                raise RuntimeError(f"{' '.join(command)} ended before it listened:\n{b''.join(log).decode()}")
        hangs.cancel()

    def stop(self) -> None:
        """Ends the program."""
        self._process.terminate()
        try:
            self._process.wait(HANG)
        finally:
            self._process.kill()
        self._reader.join(HANG)
        assert self._process.stdout
        self._process.stdout.close()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def free_port() -> int:
    """A free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
