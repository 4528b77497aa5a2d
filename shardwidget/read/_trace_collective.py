"""The collective of an equation, as the document states it."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shardwidget import _jax, collectives
from shardwidget.document import Collective, Ints, Mesh, Plan
from shardwidget.read._trace_plan import Region


class Collectives:
    """Reads collectives and numbers the plans that they use."""

    def __init__(self, meshes: dict[Region, Mesh]) -> None:
        self.plans: list[Plan] = []
        self._meshes = meshes
        self._numbers: dict[Plan, int] = {}

    def of(self, eqn: Any, region: Region, operands: Sequence[Any]) -> Collective | None:
        """The collective of an equation in a region; None where it sends nothing."""
        mesh = self._meshes[region]
        call = collectives.call_of(
            eqn.primitive.name,
            eqn.params,
            [axis.name for axis in mesh.axes],
            mesh.shape,
            ppermute_in_mesh_order=_jax.PPERMUTE_IN_MESH_ORDER,
        )
        if call is None or call.kind in collectives.SILENT:
            return None
        aval = eqn.invars[0].aval
        traffic = collectives.bytes_sent(call, math.prod(aval.shape) * aval.dtype.itemsize)
        ids = mesh.device_ids.array()
        return Collective(
            kind=call.kind,
            axes=call.axes,
            groups=tuple(tuple(int(ids[p]) for p in group) for group in call.groups),
            positions=_positions(call.groups),
            group_size=call.n,
            bytes_per_device=traffic.bytes,
            arithmetic=traffic.arithmetic,
            hops=traffic.hops,
            plans=tuple(self._number(plan) for plan in collectives.plans(call)),
            chunk_axis=collectives.chunk_axis(call, tuple(aval.shape)),
        )

    def _number(self, plan: Plan) -> int:
        if plan not in self._numbers:
            self._numbers[plan] = len(self.plans)
            self.plans.append(plan)
        return self._numbers[plan]


@functools.lru_cache(maxsize=64)
def _positions(groups: tuple[tuple[int, ...], ...]) -> Ints:
    size = max(map(len, groups))
    return Ints.pack(np.array([[*group, *[-1] * (size - len(group))] for group in groups]))
