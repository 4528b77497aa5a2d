"""A server program that is up when it says so."""

from __future__ import annotations

import socket
import subprocess
import threading


class Server:
    """Starts a program, waits until it prints ``ready``, and keeps reading what it prints."""

    def __init__(self, command: list[str], env: dict[str, str], ready: bytes):
        self._process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self._process.stdout
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

    def stop(self) -> None:
        """Ends the program."""
        self._process.terminate()
        self._process.wait(20)
        self._reader.join(20)
        assert self._process.stdout
        self._process.stdout.close()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
