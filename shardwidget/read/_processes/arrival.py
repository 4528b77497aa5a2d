"""All processes arrive at a call, or all of them give it up.

A process that begins a collective alone waits in it forever. So before it, each posts that it has arrived; the first
that sees all of them posts that they start, the first that has waited long enough posts who is missing. Only the first
such verdict counts, and all follow it. A process that comes too late joins the next attempt.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

__all__ = ["Keys", "Meeting", "MissingProcessError", "listed"]

_GO = b"go"
_SLICE = 0.5
"""Seconds of one wait; interrupts are handled between waits."""


class MissingProcessError(TimeoutError):
    """Processes did not arrive at a call in time."""


class Keys(Protocol):
    """What processes post to one another: ``_jax.Board``."""

    def post(self, key: str, value: bytes) -> None: ...
    def post_once(self, key: str, value: bytes) -> None: ...
    def wait(self, key: str, seconds: float) -> bytes | None: ...
    def get(self, key: str) -> bytes | None: ...
    def under(self, folder: str) -> dict[str, bytes]: ...
    def clear(self, key: str) -> None: ...


class Meeting:
    """Where some processes meet, again and again.

    Args:
        keys: where processes post.
        processes: those that take part.
        me: this one.
    """

    def __init__(self, keys: Keys, processes: Sequence[int], me: int) -> None:
        self._keys, self._me = keys, me
        self._processes = [str(process) for process in processes]
        self._folder = f"shardwidget/{'.'.join(self._processes)}"
        self._attempt = 0

    def arrive(self, does: str, seconds: float) -> str:
        """Waits until all processes have arrived at the same call.

        Args:
            does: what this one is about to do, in words; the same in all.
            seconds: the longest wait.

        Returns:
            The folder of this call's keys.

        Raises:
            MissingProcessError: some did not arrive in time; the message names them.
            RuntimeError: they arrived at different calls.
        """
        until = time.monotonic() + seconds
        while True:
            at = f"{self._folder}/{self._attempt}"
            self._attempt += 1
            self._keys.post(f"{at}/arrived/{self._me}", does.encode())
            missing = self._missing(at, until)
            if str(self._me) not in missing:
                break
            # The others gave up before this process arrived: it may meet them at their next call.
        if missing:
            raise MissingProcessError(_MISSING.format(who=listed(missing), s=seconds))
        calls = self._keys.under(f"{at}/arrived")
        if len(set(calls.values())) > 1:
            each = "; ".join(f"process {process} {call.decode()}" for process, call in sorted(calls.items()))
            raise RuntimeError(_DIFFERENT.format(each=each))
        # All are here, so nobody reads what was posted before.
        self._keys.clear(f"{self._folder}/{self._attempt - 2}")
        return at

    def _missing(self, at: str, until: float) -> list[str]:
        """Waits for the verdict: the processes that are missing, none where all start."""
        try:
            while (verdict := self._keys.get(f"{at}/verdict")) is None:
                here = self._keys.under(f"{at}/arrived")
                missing = [process for process in self._processes if process not in here]
                if not missing:
                    self._keys.post_once(f"{at}/verdict", _GO)
                elif (left := until - time.monotonic()) <= 0:
                    self._keys.post_once(f"{at}/verdict", ",".join(missing).encode())
                else:
                    self._keys.wait(f"{at}/arrived/{missing[0]}", min(_SLICE, left))
        except KeyboardInterrupt:
            self._keys.post_once(f"{at}/verdict", str(self._me).encode())
            raise
        return [] if verdict == _GO else verdict.decode().split(",")


def listed(processes: Sequence[int] | Sequence[str]) -> str:
    """``process 3``, ``processes 0 to 3``, ``processes 1 and 3``."""
    numbers = sorted(map(int, processes))
    if len(numbers) == 1:
        return f"process {numbers[0]}"
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"processes {numbers[0]} to {numbers[-1]}"
    return f"processes {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


_MISSING = (
    "missing after {s:g} s: {who}. Nothing was run: all processes make this call together. Check whether the "
    "missing ones still run, and make the call again on all of them. shardwidget.config.arrival is how long each waits."
)
_DIFFERENT = "processes arrived at different calls, so nothing was run: {each}. All of them must make the same call."
