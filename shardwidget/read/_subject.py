"""An array that a view shows: held until a sample of its values is on the host, and then while somebody else does."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from shardwidget._config import config
from shardwidget.document import Document, Values

NO_VALUES = "this document has no values; read.fetch(x) returns one that has them"

NOT_SAMPLED = "the array no longer exists, and its values were not read while it did"

SINCE = "as they were when the array was shown; it no longer exists"


class Subject:
    """What a view was given: an array, or whatever else can be shown. A document is held without JAX."""

    def __init__(self, x: Any) -> None:
        self._x = x
        self._refs: list[weakref.ref[Any]] = []
        """In place of what was given, once it is let go; several for a list of copies."""
        self._sample: Values | None = None

    def get(self) -> Any:
        """What was given; None once it no longer exists."""
        if not self._refs:
            return self._x
        found = [ref() for ref in self._refs]
        return None if any(one is None for one in found) else found if self._x == [] else found[0]

    def values(self, device_ids: Sequence[int]) -> Values:
        """The values on some devices; from the sample where the array no longer exists.

        Raises:
            Exception: what reading them raises.
        """
        x = self.get()
        if isinstance(x, Document):
            return Values(note=NO_VALUES)
        from shardwidget.read._values import is_gone, sampled

        if x is not None and (self._sample is None or not is_gone(x)):
            return sampled(x, device_ids, limit=config.values)
        if self._sample is None:
            return Values(note=NOT_SAMPLED)
        blocks = tuple(block for block in self._sample.blocks if block.device_id in device_ids)
        return Values(blocks, "; ".join(filter(None, (self._sample.note, SINCE))))

    def settle(self, device_ids: Sequence[int]) -> bool:
        """Reads a sample, up to ``config.values`` bytes, and lets go of the array; not while it is being computed."""
        x = self.get()
        if isinstance(x, Document):
            return True
        from shardwidget.read._values import is_gone, is_ready, sampled

        if not is_ready(x):
            return False
        if self._sample is None and not self._refs and device_ids and not is_gone(x):
            try:
                self._sample = sampled(x, device_ids, limit=config.values)
            except Exception as error:  # The user sees why where the values would be.
                self._sample = Values(note=f"{type(error).__name__}: {error}")
        self.let_go()
        return True

    def is_ready(self) -> bool:
        """Whether the values can be read without waiting."""
        x = self.get()
        if x is None or isinstance(x, Document):
            return True
        from shardwidget.read._values import is_ready

        return is_ready(x)

    def let_go(self) -> None:
        """Holds no array any longer; what has none, a mesh or a type, is kept."""
        if isinstance(self._x, Document):
            return
        import jax

        several = isinstance(self._x, list | tuple)
        given: Sequence[Any] = self._x if isinstance(self._x, list | tuple) else [self._x]
        if self._refs or (several and not any(isinstance(one, jax.Array) for one in given)):
            return
        try:
            self._refs = [weakref.ref(one) for one in given]
        except TypeError:  # What Python cannot refer to weakly holds no array.
            return
        self._x = [] if several else None
