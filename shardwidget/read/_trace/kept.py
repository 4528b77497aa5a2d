"""The values that a trace can be asked for: on the devices at first; once a view shows it, copies on the host."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from shardwidget.document import Mesh
from shardwidget.read._trace.global_values import whole
from shardwidget.read._trace.written import WrittenTensors

LET_GO = (
    "this value of {nbytes} bytes no longer exists: a trace that is displayed keeps at most {most} bytes of values, "
    "and other arrays only while a name holds them; keep= allows more"
)


class KeptValues:
    """Whole values outside regions, and the tensors that were written in them.

    Args:
        written: the tensors; None where nothing ran.
        most: the most bytes that are copied to the host.
    """

    def __init__(self, written: WrittenTensors | None, most: int) -> None:
        self._written = written
        self._most = most
        self._globals: dict[int, _Whole] = {}
        """By identity: an argument that is passed on is one array."""

    def whole(self, array: Any, mesh: Mesh) -> Callable[[int], np.ndarray]:
        """What reads a global array for a device of a mesh."""
        held = self._globals.setdefault(id(array), _Whole(array, self._most))
        return lambda device_id: whole(held.get(), mesh, device_id)

    def to_host(self) -> None:
        """Holds no array on a device any longer: up to ``most`` bytes are copied, the smallest values first."""
        left = self._most
        if self._written is not None:
            left -= self._written.to_host()
        for held in sorted(self._globals.values(), key=lambda one: one.nbytes):
            left -= held.nbytes
            held.let_go(copied=left >= 0)

    def shapes(self, outputs: Any) -> Any:
        """Outputs as ``jax.eval_shape`` gives them."""
        return jax.tree.map(
            lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding) if isinstance(x, jax.Array) else x,
            outputs,
        )


class _Whole:
    """A global array: on devices; then a copy, or whatever the array is while somebody else holds it."""

    def __init__(self, array: Any, most: int) -> None:
        self._get: Callable[[], Any] = lambda: array
        self._most = most
        # Constants of JAX 0.9 do not have nbytes.
        self.nbytes: int = math.prod(array.shape) * array.dtype.itemsize

    def get(self) -> Any:
        """The array.

        Raises:
            ValueError: it no longer exists.
        """
        found = self._get()
        if found is None:
            raise ValueError(LET_GO.format(nbytes=self.nbytes, most=self._most))
        return found

    def let_go(self, *, copied: bool) -> None:
        """Holds a copy on the host, or nothing."""
        array = self._get()
        if isinstance(array, jax.Array) and array.is_fully_addressable and not array.is_deleted():
            copy = np.array(array) if copied else None  # On CPUs what is not copied is the device's own memory.
            self._get = weakref.ref(array) if copy is None else lambda: copy
