"""The arguments of a function to trace: those that are arrays, and what abstract ones are filled with."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, Mesh, NamedSharding

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.read import _errors
from shardwidget.read._call import FlatCall
from shardwidget.read._devices import is_on_other_devices, is_split_on_other_axes, mesh_text

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


class Arguments:
    """Arguments, flat.

    Args:
        f: the function.
        args: what it is called with. A leaf that is not an array is passed on as it is.
        kwargs: its keyword arguments.
    """

    def __init__(self, f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> None:
        self._call = FlatCall(f, args, kwargs)
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

    def trace(self, changed: Callable[[Any, int], Any] | None = None) -> tuple[Any, Any]:
        """The function as a jaxpr of its arrays, and the shapes of what it returns.

        Args:
            changed: makes another array, or a shape, of each array, by its number.
        """
        arrays = [changed(x, k) for k, x in enumerate(self.arrays)] if changed else self.arrays
        return self._call.jaxpr(self._arrays, arrays)

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

    @property
    def bytes(self) -> int:
        """Bytes of the arrays."""
        return sum(math.prod(x.shape) * x.dtype.itemsize for x in self.arrays)

    @property
    def abstract_bytes(self) -> int:
        """Bytes of the abstract arguments."""
        return sum(math.prod(x.shape) * x.dtype.itemsize for x in self.arrays if isinstance(x, jax.ShapeDtypeStruct))

    @property
    def notes(self) -> list[str]:
        """What was done to the arguments."""
        filled = any(isinstance(x, jax.ShapeDtypeStruct) for x in self.arrays)
        return [FILLED] * filled + [CUT] * self._cut + [self._call.lost.removesuffix(".")] * bool(self._call.lost)

    def copied(self) -> Arguments:
        """The same with copies on the host in place of arrays, which are not kept alive.

        Raises:
            TypeError: an array cannot be copied: this process does not have all of it, or it is of keys.
        """
        return self._with(lambda x, _: Copied(x) if isinstance(x, jax.Array) else x)

    def given(self, changed: Callable[[Any, int], Any] | None) -> Arguments:
        """The same with arrays in place of their copies, and each array changed."""

        def array(x: Any, number: int) -> Any:
            x = x.array() if isinstance(x, Copied) else x
            return changed(x, number) if changed else x

        return self._with(array)

    def _with(self, make: Callable[[Any, int], Any]) -> Arguments:
        new, leaves = copy.copy(self), list(self._leaves)
        for number, at in enumerate(self._arrays):
            leaves[at] = make(leaves[at], number)
        vars(new)["_leaves"] = leaves
        return new

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


class Copied:
    """The values of an array, on the host.

    Args:
        x: any but one of keys.

    Raises:
        TypeError: this process does not have all of it, or it is of keys.
    """

    def __init__(self, x: jax.Array) -> None:
        if not x.is_fully_addressable or jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended):
            raise TypeError("this array cannot be copied to the host")
        refuse_deleted(x, "an argument")
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
    if isinstance(x.sharding, NamedSharding) and x.sharding.spec.unreduced:
        raise ValueError(UNREDUCED_ON_HOST.format(type=_jax.type_text(jax.typeof(x))))
    return on_one_device(x)


def on_one_device(x: jax.Array) -> jax.Array:
    """An array on a single device, free to be moved to others."""
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(on_one_device(jax.random.key_data(x)), impl=jax.random.key_impl(x))
    return jnp.asarray(np.asarray(x))
