"""Arrays on groups of devices, for tests: fakes that behave like JaxPP's, and documents for the front end."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import Dim, Hold, Ints, MeshAxis, MpmdPlacement
from shardwidget.document import Mesh as MeshDocument

SPLIT = P("data", "model")


def stages(*sizes: int) -> Mesh:
    """A mesh of stages, data and model, on the first devices."""
    devices = np.array(jax.devices()[: int(np.prod(sizes))]).reshape(sizes)
    return Mesh(devices, ("stage", "data", "model")[: len(sizes)])


def group_mesh(mesh: Mesh, *groups: int) -> Mesh:
    """The part of a mesh of stages that some groups are."""
    return Mesh(mesh.devices[list(groups)], mesh.axis_names)


def put(mesh: Mesh, group: int, shape: tuple[int, ...] = (8, 8), spec: P = SPLIT) -> jax.Array:
    """An array on one group."""
    return jax.device_put(np.zeros(shape, np.float32), NamedSharding(group_mesh(mesh, group), spec))


@dataclass(frozen=True)
class FakeMpmdMesh:
    """JaxPP's ``MpmdMesh``."""

    jax_mesh: Mesh
    mpmd_axis_name: str

    @property
    def mpmd_dim(self) -> int:
        return self.jax_mesh.shape[self.mpmd_axis_name]


@dataclass(frozen=True)
class FakeMpmdSharding:
    """JaxPP's ``MpmdSharding``."""

    mpmd_mesh: FakeMpmdMesh
    mesh_ids: set[int]
    spec: P


class MpmdArray:
    """JaxPP's ``MpmdArray``, as far as its behaviour is known: no public group ids, and asserts that say nothing."""

    def __init__(
        self, arrays: dict[int, jax.Array], mesh: FakeMpmdMesh, groups: set[int], spec: P, shape: tuple[int, ...]
    ) -> None:
        self._partially_addressable_arrays = OrderedDict(sorted(arrays.items()))
        self._mpmd_mesh = mesh
        self._mpmd_idxs = tuple(sorted(groups))
        self._mpmd_sharding = FakeMpmdSharding(mesh, groups, spec)
        self.spec, self.shape, self.dtype, self.ndim = spec, shape, np.dtype("float32"), len(shape)

    @property
    def sharding(self) -> NamedSharding:
        assert self._mpmd_idxs
        mesh = self._mpmd_mesh.jax_mesh
        return NamedSharding(Mesh(mesh.devices[list(self._mpmd_idxs)], mesh.axis_names), self.spec)

    @property
    def is_partially_addressable(self) -> bool:
        return len(self._partially_addressable_arrays) > 0

    def is_deleted(self) -> bool:
        assert self.is_partially_addressable
        states = [a.is_deleted() for a in self._partially_addressable_arrays.values()]
        assert any(states) == all(states)
        return any(states)

    @property
    def to_mpmd_local_array(self) -> Any:
        if not self.is_partially_addressable:
            return None
        assert not self.is_deleted()
        found = list(self._partially_addressable_arrays.values())
        return found[0] if len(found) == 1 else found


def mpmd_array(mesh: Mesh, groups: set[int], held: set[int] | None = None, spec: P = SPLIT) -> MpmdArray:
    """An ``MpmdArray`` that names ``groups`` and has arrays on ``held``, which are all of them if not given."""
    arrays = {group: put(mesh, group, spec=spec) for group in (groups if held is None else held)}
    return MpmdArray(arrays, FakeMpmdMesh(mesh, "stage"), groups, spec, (8, 8))


def large(groups: int = 64, devices: int = 64) -> MpmdPlacement:
    """Many groups of many devices, half of them with the array, one process per group: only a document."""
    count = groups * devices
    axes = (MeshAxis("stage", groups, "Auto"), MeshAxis("data", 8, "Auto"), MeshAxis("model", devices // 8, "Auto"))
    process = Ints.pack(np.arange(count) // devices)
    mesh = MeshDocument(axes, Ints.pack(range(count)), process, 0, kind="TPU v5", platform="tpu")
    holds: tuple[Hold, ...] = tuple("none" if group % 2 else "remote" if group else "live" for group in range(groups))
    dims = (Dim(32768, ("data",)), Dim(4096, ("model",)))
    spec = "P('data', 'model')"
    return MpmdPlacement(
        mesh, "stage", (32768, 4096), dims, holds, "bfloat16", 16, "w", "bf16[32768,4096]", spec, "MpmdArray"
    )


def _of(mesh: Mesh, groups: set[int], **rest: Any) -> MpmdPlacement:
    return replace(read.placement(mpmd_array(mesh, groups, **rest), name="embed"), jax_version="")  # pyright: ignore


def _deleted() -> MpmdPlacement:
    x = mpmd_array(stages(4, 2, 2), {0, 1, 3}, held={0, 3})
    x._partially_addressable_arrays[3].delete()
    return replace(read.placement(x, name="embed"), jax_version="")  # pyright: ignore


def _remote() -> MpmdPlacement:
    known = _of(stages(4, 2, 2), {0, 2}, spec=P("data"))
    mesh = replace(known.mesh, process=Ints.pack(np.arange(16) // 4))
    return replace(known, mesh=mesh, holds=("live", "none", "remote", "none"))


MPMD: dict[str, Callable[[], MpmdPlacement]] = {
    "copies": lambda: _of(stages(4, 2, 2), {0, 2}, spec=P("data")),
    "deleted": _deleted,
    "remote": _remote,
    "empty": lambda: _of(stages(2, 2), set(), spec=P("data")),
    "large": large,
}
