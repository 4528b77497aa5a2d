"""What the processes of one program tell one another outside of their collectives. JAX 0.9.0 – 0.12."""

from __future__ import annotations

from typing import Any

import jax


class Board:
    """Keys and values of JAX's coordination service: what one process posts, all of them see.

    Every method raises ``ConnectionError`` where the process that coordinates, process 0, does not answer.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    @staticmethod
    def here() -> Board | None:
        """The board of this program; None where ``jax.distributed`` has not been initialized."""
        from jax._src import distributed

        client = distributed.global_state.client
        return None if client is None else Board(client)

    def post(self, key: str, value: bytes) -> None:
        """Sets a key, whether or not it is set already."""
        self._call("key_value_set_bytes", key, value, allow_overwrite=True)

    def post_once(self, key: str, value: bytes) -> None:
        """Sets a key, unless a process has set it already."""
        self._call("key_value_set_bytes", key, value, expected="ALREADY_EXISTS")

    def wait(self, key: str, seconds: float) -> bytes | None:
        """The value of a key, once it is set; None where it is not set in time."""
        return self._call("blocking_key_value_get_bytes", key, round(1000 * seconds), expected="DEADLINE_EXCEEDED")

    def get(self, key: str) -> bytes | None:
        """The value of a key; None where it is not set."""
        return self._call("key_value_try_get_bytes", key, expected="NOT_FOUND")

    def under(self, folder: str) -> dict[str, bytes]:
        """The keys in a folder, by what follows its name, and their values."""
        found = self._call("key_value_dir_get_bytes", folder) or ()
        return {key.removeprefix(folder).lstrip("/"): value for key, value in found}

    def clear(self, key: str) -> None:
        """Deletes a key, or all in a folder."""
        self._call("key_value_delete", key)

    def _call(self, name: str, *args: Any, expected: str = "NOT_FOUND", **kwargs: Any) -> Any:
        """Calls the client; None for an error that is expected."""
        try:
            return getattr(self._client, name)(*args, **kwargs)
        except jax.errors.JaxRuntimeError as error:
            if str(error).startswith(expected):
                return None
            raise ConnectionError(f"process 0, which coordinates the others, does not answer: {error}") from error
