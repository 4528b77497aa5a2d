"""A plan within limits, compiled once: what is kept whole, how much is shown, whether it can run at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shardwidget import _jax
from shardwidget.read._numbers import element_format
from shardwidget.read._trace.arguments import Arguments, refuse_deleted
from shardwidget.read._trace.cache import _CACHE, key_of
from shardwidget.read._trace.fusing import REPEATED, fused_operations
from shardwidget.read._trace.host_engine import HostEngine
from shardwidget.read._trace.mesh_engine import MeshEngine
from shardwidget.read._trace.nodes import LoopNode, RegionNode, Site, TracePlan, leads
from shardwidget.read._trace.planner import Planner
from shardwidget.read._trace.recorder import Recorder
from shardwidget.read._trace.refs import without_refs, write_back

CLOSED_OVER = "an array that the function closes over"

CORNERS = ((8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 1))
"""The most rows and columns of the corner of a value that is shown: the first for which all fit ``SHOWN``."""

SHOWN = 7 * 2**18
"""The most bytes of all corners together, if they can be made small enough."""

FILL = 2**28
"""The most bytes that abstract arguments are filled with; beyond that, only types are read."""

QUICK = 2**27
"""The most bytes of values for a program that is compiled quickly and runs slowly."""

SIMULATE = 2**31
"""The most bytes of values that the host engine computes."""

TOO_BIG_TO_FILL = (
    "types only: filling the abstract arguments would take {have} MiB, more than {most}; "
    "give real arrays, or smaller shapes"
)

TOO_BIG_TO_SIMULATE = (
    "types only: simulating all devices on one would take {have} MiB, more than {most}; give smaller shapes, or run on "
    "a concrete mesh"
)

NOT_ALL_KEPT = (
    "of {count} of {total} values only the corner that is shown is kept: all take {have} MiB, "
    "and keep= allows {most} bytes"
)

SMALL_CORNERS = "values are shown by their leading {rows}×{columns} elements"


@dataclass
class Runnable:
    """A plan to run."""

    plan: TracePlan
    corner: tuple[int, int]
    notes: list[str]
    on_host: bool

    @staticmethod
    def of(closed: _jax.AnyJaxpr, keep: int, on_host: bool) -> Runnable:
        """Plans a jaxpr, values of up to ``keep`` bytes kept whole, the smallest first.

        Args:
            closed: the jaxpr.
            keep: bytes.
            on_host: whether values are in the host's memory, where those that are kept whole need no corner besides.
        """
        notes = []
        plans = ((corner, Planner(corner, not on_host).plan(closed)) for corner in CORNERS)
        corner, plan = next(((c, p) for c, p in plans if sum(map(_shown, p.sites)) <= SHOWN or c == CORNERS[-1]))
        if corner != CORNERS[0]:
            notes.append(SMALL_CORNERS.format(rows=corner[0], columns=corner[1]))
        whole = [(_bytes(site), k) for k, site in enumerate(plan.sites) if site.tensor >= 0]
        left, dropped = keep, set()
        for size, k in sorted(whole):
            left -= size
            if left < 0:
                dropped.add(k)
        if dropped:
            have = math.ceil(sum(size for size, _ in whole) / 2**20)
            notes.append(NOT_ALL_KEPT.format(count=len(dropped), total=len(plan.sites), have=have, most=keep))
            plan = Planner(corner, not on_host, frozenset(dropped)).plan(closed)
        return Runnable(plan, corner, notes, on_host)

    @property
    def options(self) -> dict[str, Any]:
        """How it is compiled for CPUs."""
        fused = fused_operations(self.plan.root) <= REPEATED
        # Where all values are small, compiling the program takes longer than running it.
        if sum(map(_bytes, self.plan.sites)) <= QUICK:
            return _jax.quick_options(fused=fused and _jax.FUSES_QUICKLY)
        return {} if fused else _jax.UNFUSED

    def too_big(self, arguments: Arguments, host: bool) -> str:
        """Why the program is not run; empty where it is."""
        if (size := arguments.abstract_bytes) > FILL:
            return TOO_BIG_TO_FILL.format(have=size >> 20, most=FILL >> 20)
        if host and (size := sum(_bytes(site) for site in self.plan.sites)) > SIMULATE:
            return TOO_BIG_TO_SIMULATE.format(have=size >> 20, most=SIMULATE >> 20)
        return ""

    def run(self, leaves: Sequence[Any], host: bool) -> tuple[list[Any], list[jax.Array]]:
        """The program's results, and what was written.

        Raises:
            ValueError: an array that the function closes over was deleted.
        """
        for const in self.plan.consts:
            refuse_deleted(const, CLOSED_OVER)
        consts = without_refs(self.plan, on_host=host)
        key = key_of(self.plan, consts, leaves, host)
        run = _CACHE.get(key)
        if run is None:
            recorder = Recorder(replace(self.plan, consts=[]), HostEngine() if host else MeshEngine())
            types = [x.dtype for x in map(jax.typeof, (*consts, *leaves))]

            def recorded(*inputs: Any) -> tuple[list[Any], list[Any], list[Any]]:
                given = [
                    lax.convert_element_type(x, t) if x.dtype != t else x for x, t in zip(inputs, types, strict=True)
                ]
                return recorder(given[: len(consts)], given[len(consts) :])

            lowered = jax.jit(recorded).lower(*map(_in_bytes, (*consts, *leaves)))
            run = lowered.compile(self.options if self.on_host else None)
            _CACHE.put(key, run)
        shardings, _ = run.input_shardings
        outs, tensors, held = run(*map(_cut, map(_in_bytes, (*consts, *leaves)), shardings))
        write_back(self.plan, held)
        return outs, tensors


def _in_bytes(x: Any) -> Any:
    """An argument whose elements fill bytes: JAX refuses others where what takes them was compiled before."""
    kind = jax.typeof(x).dtype
    for kinds, (info, wide) in _IN_BYTES.items():
        if jax.dtypes.issubdtype(kind, kinds) and info(kind).bits < 8:
            return jnp.asarray(x).astype(wide)
    return x


_IN_BYTES: dict[Any, tuple[Callable[[Any], Any], Any]] = {
    np.signedinteger: (jnp.iinfo, np.int8),
    np.unsignedinteger: (jnp.iinfo, np.uint8),
    np.floating: (jnp.finfo, np.float16),
}
"""What types whose elements take less than a byte are passed as, by their kind."""


def _cut(x: Any, sharding: jax.sharding.Sharding | None) -> Any:
    """An argument that is on one CPU device, cut in memory: JAX would compile a program for that, one for each shape.

    Args:
        x: the argument.
        sharding: where the program wants it; None where it does not use it.
    """
    on_one = isinstance(x, jax.Array) and isinstance(x.sharding, jax.sharding.SingleDeviceSharding)
    stays = sharding is None or len(sharding.device_set) == 1
    if not on_one or stays or jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended):
        return x
    (device,) = x.devices()
    return jax.device_put(np.asarray(x), sharding) if device.platform == "cpu" else x


def _copies(site: Site) -> int:
    """How many devices and iterations a site is written for."""
    count = 1
    for owner in leads(site.level):
        if isinstance(owner, LoopNode):
            count *= owner.slots
        elif isinstance(owner, RegionNode):
            count *= math.prod(owner.mesh.shape[axis] for axis in owner.axes)
    return count


def _shown(site: Site) -> int:
    return math.prod(site.corner) * int(element_format(site.dtype)[1:]) * _copies(site)


def _bytes(site: Site) -> int:
    return math.prod(site.shape) * site.dtype.itemsize * _copies(site)
