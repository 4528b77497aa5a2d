"""The arguments of a function to trace: those that are arrays, and what abstract ones are filled with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, Mesh, NamedSharding

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Mesh as DocumentMesh
from shardwidget.read import _errors
from shardwidget.read._call import FlatCall
from shardwidget.read._devices import is_on_other_devices, is_split_on_other_axes, mesh_text
from shardwidget.read._mesh import read_devices, read_mesh

UNREDUCED_ON_HOST = (
    "an argument of type {type} holds parts of a sum on several devices, which one device cannot simulate. "
    "Leave out engine='host', or pass jax.reshard(x, P(...)) instead."
)

DELETED_ARGUMENT = (
    "{name} was deleted or donated to another call, so nothing can be run on it. Make the array again, or give a "
    "jax.ShapeDtypeStruct of its shape, dtype and sharding"
)

NOT_ARRAYS = (
    "shard_map and jit take arrays, and an argument holds something else{words}. Split it before: with equinox, "
    "params, static = eqx.partition(model, eqx.is_array). Pass params, and write model = eqx.combine(params, static) "
    "inside the function."
)

SIMULATED_ELSEWHERE = "; or simulate the devices, engine='host', which takes arguments from anywhere"

REGION_OF_OTHER_AXES = (
    "{words}, and {function} runs a shard_map on {mesh}: to run it there, put all on one mesh, "
    "jax.device_put(x, jax.NamedSharding(mesh, spec))"
)

FILLED = "abstract arguments are filled with 0, 1, 2 …"
CUT = "those without a sharding are cut as in_specs asks"


Change = Callable[[Any, int], Any]
"""Makes another array, or a shape, of an array and its number among the arguments."""


class Arguments:
    """Arguments, flat.

    Args:
        call: the function, and what it is called with. A leaf that is not an array is passed on as it is.
    """

    def __init__(self, call: FlatCall) -> None:
        self._call = call
        self.function = self._call.function
        self._leaves = self._call.leaves
        self._arrays = [k for k, leaf in enumerate(self._leaves) if _is_array(leaf) and not self._call.static[k]]
        self._cut = False
        self.names = [self._call.names[k] for k in self._arrays]
        """For each array: its parameter, and its path in it."""
        self.result_names = self._call.gradient_names()
        """The name of each flat result that is a gradient; empty where the function is not a gradient."""

    @property
    def arrays(self) -> list[Any]:
        """The leaves that are arrays or stand for arrays."""
        return [self._leaves[k] for k in self._arrays]

    def explained(self, error: Exception) -> Exception:
        """An exception of the call, with notes on how the arguments may have caused it."""
        return self._call.explained(error)

    @property
    def others(self) -> str:
        """The first arguments that are not arrays, in words."""
        return self._call.others

    def not_arrays(self) -> str:
        """What to say where ``shard_map`` or ``jit`` is given something that is not an array."""
        return NOT_ARRAYS.format(words=f": {self.others}" if self.others else "")

    def refuse_others(self, mesh: AnyMesh) -> None:
        """Refuses arguments that are not on the devices of a mesh.

        Raises:
            ValueError: there is one, as in ``jit``.
        """
        if any(is_on_other_devices(x, mesh) for x in self.arrays):
            raise ValueError(self._about_places(_errors.REGION_ELSEWHERE, mesh, simulated=SIMULATED_ELSEWHERE))

    def cut_otherwise(self, mesh: AnyMesh | None) -> str:
        """What to say of arguments that are split on a mesh of other axes than this; empty where none is."""
        if mesh is None or not any(is_split_on_other_axes(x, mesh) for x in self.arrays):
            return ""
        return self._about_places(REGION_OF_OTHER_AXES, mesh)

    def _about_places(self, words: str, mesh: AnyMesh, **more: str) -> str:
        return words.format(words=self._call.places, function=self.function, mesh=mesh_text(mesh), **more)

    def trace(self, changed: Change | None = None) -> tuple[Any, Any]:
        """The function as a jaxpr of its arrays, and the shapes of what it returns.

        Args:
            changed: what is done to each array; None for nothing.
        """
        arrays = [changed(x, k) for k, x in enumerate(self.arrays)] if changed else self.arrays
        return self._call.jaxpr(self._arrays, arrays)

    def called(self, arrays: Sequence[Any]) -> Any:
        """What the function returns for other arrays."""
        leaves = list(self._leaves)
        for k, x in zip(self._arrays, arrays, strict=True):
            leaves[k] = x
        return self._call(leaves)

    def cut(self, shardings: Mapping[int, NamedSharding]) -> bool:
        """Gives shardings, by number, to abstract arrays that have none; returns whether there were any."""
        done = False
        for number, sharding in shardings.items():
            x = self.arrays[number]
            if isinstance(x, jax.ShapeDtypeStruct) and x.sharding is None:
                self._leaves[self._arrays[number]] = x.update(sharding=sharding)
                self._cut = done = True
        return done

    def concrete(self, mesh: AnyMesh) -> Any:
        """The devices that an abstract mesh stands for: the mesh that is set, or one that an argument is on."""
        if not isinstance(mesh, AbstractMesh):
            return mesh
        shardings = (getattr(x, "sharding", None) for x in self.arrays)
        for known in (jax.sharding.get_mesh(), *(s.mesh for s in shardings if isinstance(s, NamedSharding))):
            if isinstance(known, Mesh) and not known.empty and known.abstract_mesh.shape == mesh.shape:
                return known
        return mesh

    def mesh(self) -> DocumentMesh:
        """The mesh that the arguments are on; one device where they are on none."""
        shardings = (getattr(x, "sharding", None) for x in self.arrays)
        found = next((s.mesh for s in shardings if isinstance(s, NamedSharding)), None)
        return read_devices(jax.devices()[:1]) if found is None else read_mesh(self.concrete(found))

    @property
    def bytes(self) -> int:
        """Bytes of the arrays, abstract ones too."""
        return sum(map(_bytes, self.arrays))

    @property
    def abstract_bytes(self) -> int:
        """Bytes of the abstract arguments."""
        return sum(_bytes(x) for x in self.arrays if isinstance(x, jax.ShapeDtypeStruct))

    @property
    def notes(self) -> list[str]:
        """What was done to the arguments."""
        filled = any(isinstance(x, jax.ShapeDtypeStruct) for x in self.arrays)
        return [FILLED] * filled + [CUT] * self._cut + [self._call.lost.removesuffix(".")] * bool(self._call.lost)

    def again(self) -> Callable[[Change | None], Arguments] | None:
        """Makes the same arguments anew, each array changed, from copies on the host: it keeps no array alive.

        None where an array has no copy, or one is a ``jax.Ref``, which the user would see written once more.
        """
        arrays = [x for x in self.arrays if isinstance(x, jax.Array)]
        if any(isinstance(x, jax.Ref) for x in self._leaves) or not all(map(_has_copy, arrays)):
            return None
        others = [None if isinstance(x, jax.Array) else x for x in self._leaves]
        call, numbers = self._call.with_leaves(others), self._arrays
        copies = [_Copied(x) if isinstance(x, jax.Array) else x for x in self.arrays]

        def again(changed: Change | None) -> Arguments:
            leaves = list(others)
            for number, (at, x) in enumerate(zip(numbers, copies, strict=True)):
                made = x.array() if isinstance(x, _Copied) else x
                leaves[at] = changed(made, number) if changed else made
            return Arguments(call.with_leaves(leaves))

        return again

    def filled(self, *, on_host: bool) -> list[Any]:
        """The arrays, abstract ones filled; for the host engine all on one device.

        Raises:
            ValueError: one was deleted. Running a compiled program on it would abort the process.
        """
        for name, x in zip(self.names, self.arrays, strict=True):
            refuse_deleted(x, name)
        return [self._filled(x, on_host) for x in self.arrays]

    def _filled(self, x: Any, on_host: bool) -> Any:
        if not isinstance(x, jax.ShapeDtypeStruct):
            several = on_host and isinstance(x, jax.Array) and len(x.devices()) > 1
            return _gathered(x) if several else x
        values = _counted(x)
        mesh = self.concrete(x.sharding.mesh) if isinstance(x.sharding, NamedSharding) else None
        if on_host or not isinstance(mesh, Mesh):
            return values
        return jax.device_put(values, NamedSharding(mesh, x.sharding.spec))


def _bytes(x: Any) -> int:
    return math.prod(x.shape) * x.dtype.itemsize


def _has_copy(x: jax.Array) -> bool:
    """Whether an array can be made again, type and all, of its values on the host."""
    extended = jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended)
    return not (extended or is_unreduced(x) or x.weak_type or x.is_deleted()) and x.is_fully_addressable


def is_unreduced(x: Any) -> bool:
    """Whether devices hold parts of a sum."""
    sharding = getattr(x, "sharding", None)
    return isinstance(sharding, NamedSharding) and bool(sharding.spec.unreduced)


class _Copied:
    """The values of an array, on the host."""

    def __init__(self, x: jax.Array) -> None:
        self._values = np.asarray(x)
        self._place = x.sharding if len(x.devices()) > 1 else None

    def array(self) -> jax.Array:
        """An array of the same values; one that was on several devices is on them again."""
        return jnp.asarray(self._values) if self._place is None else jax.device_put(self._values, self._place)


def refuse_deleted(x: Any, name: str) -> None:
    """Refuses an array without data.

    Raises:
        ValueError: it was deleted or donated.
    """
    if isinstance(x, jax.Array) and x.is_deleted():
        raise ValueError(DELETED_ARGUMENT.format(name=name))


def _is_array(x: Any) -> bool:
    return isinstance(x, jax.Array | jax.ShapeDtypeStruct | np.ndarray | np.generic)


def _counted(x: jax.ShapeDtypeStruct) -> jax.Array:
    """0, 1, 2 …; for keys, as many of them."""
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        return jax.random.split(jax.random.key(0), x.shape)
    numbers = jnp.arange(math.prod(x.shape)).reshape(x.shape)
    return numbers % 2 == 1 if x.dtype == bool else numbers.astype(x.dtype)


def _gathered(x: jax.Array) -> jax.Array:
    if is_unreduced(x):
        raise ValueError(UNREDUCED_ON_HOST.format(type=_jax.type_text(jax.typeof(x))))
    return on_one_device(x)


def on_one_device(x: jax.Array) -> jax.Array:
    """An array on a single device, free to be moved to others."""
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(on_one_device(jax.random.key_data(x)), impl=jax.random.key_impl(x))
    return jnp.asarray(np.asarray(x))
