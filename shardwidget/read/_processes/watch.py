"""Whether the others still answer while processes work together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from shardwidget.read._processes.arrival import Keys, listed

__all__ = ["BEAT", "SILENT", "Watch"]

BEAT = 5.0
"""Seconds between two heartbeats."""
SILENT = 20.0
"""Seconds without one, after which a process is reported."""

_ENDED = b"ended"


class Watch:
    """Sends heartbeats, and reports once who sends none: a process that waits in a collective cannot report it itself.

    Args:
        keys: where processes post.
        folder: of this call's keys.
        processes: those that take part.
        me: this one.
        say: told who is silent.
        beat: seconds between two heartbeats.
        silent: seconds without one, after which a process is reported.
    """

    def __init__(
        self,
        keys: Keys,
        folder: str,
        processes: Sequence[int],
        me: int,
        say: Callable[[str], None],
        *,
        beat: float = BEAT,
        silent: float = SILENT,
    ) -> None:
        self._keys, self._folder, self._me, self._say = keys, folder, me, say
        self._beat, self._silent = beat, silent
        self._seen = {str(p): (b"", time.monotonic()) for p in processes if p != me}
        self._named: set[str] = set()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="shardwidget processes", daemon=True)

    def start(self) -> None:
        """Begins to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Ends it; this process is done."""
        self._stopped.set()
        self._thread.join()
        self._keys.post(f"{self._folder}/alive/{self._me}", _ENDED)

    def silent(self, seconds: float) -> list[str]:
        """The other processes that are not done and send no heartbeat in this time. To be called after ``stop``."""
        before = {process: sign for process, (sign, _) in self._seen.items()}
        until = time.monotonic() + seconds
        while True:
            now = self._keys.under(f"{self._folder}/alive")
            left = [p for p, sign in before.items() if sign != _ENDED and now.get(p, b"") == sign]
            if not left or time.monotonic() >= until:
                return left
            # Nobody sets this key: waiting for it lets other threads run.
            self._keys.wait(f"{self._folder}/never", min(0.5, seconds / 10))

    def _run(self) -> None:
        count = 0
        while not self._stopped.wait(self._beat if count else 0):
            count += 1
            try:
                self._keys.post(f"{self._folder}/alive/{self._me}", str(count).encode())
                self._look()
            except ConnectionError as error:
                self._say(str(error))
                return

    def _look(self) -> None:
        now = self._keys.under(f"{self._folder}/alive")
        for process, (sign, since) in self._seen.items():
            if (found := now.get(process, b"")) != sign:
                self._seen[process] = found, time.monotonic()
            elif sign != _ENDED and process not in self._named and time.monotonic() - since > self._silent:
                self._named.add(process)
                self._say(GONE.format(who=listed([process]), s=self._silent))


GONE = (
    "{who} has not answered for {s:g} s: it has ended, or hangs. The others may wait for it in a collective; "
    "JAX ends them when it misses its own heartbeat (heartbeat_timeout_seconds of jax.distributed.initialize)."
)
