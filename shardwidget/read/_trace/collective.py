"""The collective of an equation, as the document states it."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.extend.core import JaxprEqn

from shardwidget import _jax, collectives, cost
from shardwidget.document import Collective, Ints, Mesh, Plan
from shardwidget.read._target import estimates, interconnect_of
from shardwidget.read._trace.nodes import RegionNode


class Collectives:
    """Reads collectives and numbers the plans that they use.

    Args:
        meshes: the mesh of each region, as a document.
        interconnects: what times are estimated for.
    """

    def __init__(self, meshes: dict[RegionNode, Mesh], interconnects: tuple[cost.Interconnect, ...]) -> None:
        self.plans: list[Plan] = []
        self._meshes = meshes
        self._interconnects = interconnects
        self._numbers: dict[Plan, int] = {}

    def call(self, eqn: JaxprEqn, region: RegionNode) -> collectives.Call | None:
        """What an equation in a region asks for; None where it sends nothing."""
        mesh = self._meshes[region]
        return call_of(eqn, [axis.name for axis in mesh.axes], mesh.shape)

    def of(
        self, eqn: JaxprEqn, call: collectives.Call, region: RegionNode, sizes: np.ndarray | None = None
    ) -> Collective:
        """The document of a collective in a region; ``sizes`` of a ragged one as ``ragged_bytes_sent`` takes them."""
        mesh = self._meshes[region]
        aval: Any = eqn.invars[0].aval
        size = math.prod(aval.shape) * aval.dtype.itemsize
        whole, traffic = collectives.gathered_bytes(call, size), collectives.bytes_sent(call, size)
        if sizes is not None and aval.shape[0] and call.n > 1:
            evenly = traffic.bytes
            traffic = collectives.ragged_bytes_sent(call, size // aval.shape[0], sizes)
            whole = whole * traffic.bytes // max(1, evenly)
        times = _estimates(call, whole, mesh, self._interconnects)
        ids = mesh.device_ids.array()
        plans = collectives.plans(call)
        return Collective(
            kind=call.kind,
            semantics=call.statement.semantics,
            axes=call.axes,
            groups=tuple(tuple(int(ids[p]) for p in group) for group in call.groups),
            positions=_positions(call.groups),
            group_size=call.n,
            bytes_per_device=traffic.bytes,
            arithmetic=traffic.arithmetic,
            hops=traffic.hops,
            plans=tuple(self._number(plan) for plan in plans),
            plan_bytes=tuple(
                traffic.bytes if plan.algorithm == "meaning" else collectives.bytes_by_plan(plan, call, size)
                for plan in plans
            ),
            split_axis=call.statement.split_axis(call, tuple(aval.shape)),
            concat_axis=call.statement.concat_axis(call, tuple(aval.shape)),
            latency=tuple(float(f"{estimate.latency_s:.3g}") for estimate in times),
            bandwidth=tuple(float(f"{estimate.bandwidth_s:.3g}") for estimate in times),
        )

    def _number(self, plan: Plan) -> int:
        if plan not in self._numbers:
            self._numbers[plan] = len(self.plans)
            self.plans.append(plan)
        return self._numbers[plan]


def call_of(eqn: JaxprEqn, names: Sequence[str], sizes: Sequence[int]) -> collectives.Call | None:
    """What an equation asks for on a mesh with axes of such names and sizes; None where it sends nothing."""
    order = _jax.PPERMUTE_IN_MESH_ORDER
    call = collectives.call_of(_jax.name_of(eqn), eqn.params, names, sizes, ppermute_in_mesh_order=order)
    return call if call is not None and call.statement.communicates else None


@functools.lru_cache(maxsize=1024)
def _estimates(
    call: collectives.Call, whole: int, mesh: Mesh, interconnects: tuple[cost.Interconnect, ...]
) -> tuple[cost.Estimate, ...]:
    own = next((ici for ici in interconnects if ici.name == interconnect_of(mesh.kind)), None)
    return tuple(estimates(call, whole, mesh, interconnects, own))


@functools.lru_cache(maxsize=64)
def _positions(groups: tuple[tuple[int, ...], ...]) -> Ints:
    size = max(map(len, groups))
    return Ints.pack(np.array([[*group, *[-1] * (size - len(group))] for group in groups]))
