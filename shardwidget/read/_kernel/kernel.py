"""``read.kernel``: what a Pallas kernel does on each device, and what in it nothing orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from shardwidget import _jax
from shardwidget._jax import Action, RecordedKernel
from shardwidget.document import (
    Kernel,
    KernelFault,
    KernelOp,
    KernelOrder,
    KernelSlot,
    Listing,
    MeshAxis,
    Source,
)
from shardwidget.read._call import FlatCall
from shardwidget.read._jaxpr.sources import function_at, own_frame, source_of
from shardwidget.read._kernel import faults, races
from shardwidget.read._kernel.contents import Contents, first
from shardwidget.read._kernel.machine import Event, Machine, Moments, Op
from shardwidget.read._kernel.slots import Slots, names_of, numbered

MOST_ORDERS = 6
"""Orders that are kept beside the one without delays."""

NOT_HERE = "read.kernel records a kernel while JAX interprets it, and {why}. A JAX from 0.9 to 0.12 has it."

NO_KERNEL = (
    "{function} calls no Pallas kernel for TPUs: read.kernel follows pl.pallas_call and pl.core_map with "
    "pltpu.make_async_remote_copy. Kernels of Mosaic GPU and other custom calls cannot be followed."
)

NOT_ON_CPU = (
    "read.kernel interprets the kernel on CPU devices, and the argument {name} is on {platform}. Give arrays on a mesh "
    "of as many CPU devices: jax.make_mesh(..., devices=jax.devices('cpu')), after "
    "jax.config.update('jax_num_cpu_devices', 4)."
)

NO_SUCH = "which={which}: {function} calls {count} kernels, numbered from 0: {names}."

TOGETHER = (
    "The kernel names no collective_id, so JAX's interpreter lets all devices enter it together. On TPUs nothing does: "
    "a device may send before its neighbour has entered."
)


def kernel(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    which: int | None = None,
    cores: int = 1,
    patience: float = 10.0,
) -> Kernel:
    """Follows a Pallas kernel on all devices, and finds races and waits that never end.

    The function runs once, on CPU devices: JAX interprets its kernels (``pltpu.InterpretParams``), whatever they were
    given as ``interpret``. What each core does is recorded; which of it can happen in which order follows from the
    semaphores, for all orders at once. A kernel that cannot go on is ended as soon as no core can.

    ```python
    print(read.kernel(all_gather, x))
    ```

    Args:
        f: a function that calls the kernel, inside ``jax.shard_map``.
        *args: its arguments, on CPU devices.
        kwargs: its keyword arguments.
        which: which of the function's kernels, counted from 0; None for the first that sends.
        cores: cores of each device; ``pl.core_map`` over a ``TensorCoreMesh`` has as many as the mesh.
        patience: seconds without any action after which kernels with several cores count as stopped. With one core, a
            kernel that cannot go on is ended within a second.

    Raises:
        NotImplementedError: this JAX has no interpreter of TPU kernels.
        TypeError: there is no function, or an argument is a tracer.
        ValueError: the function calls no such kernel, or its arguments are not on CPU devices.
        Exception: what the function raises outside the kernel.
    """
    if why := _jax.interprets_kernels():
        raise NotImplementedError(NOT_HERE.format(why=why))
    call = FlatCall(f, args, kwargs)
    for name, leaf in zip(call.names, call.leaves, strict=True):
        platform = next((d.platform for d in leaf.devices()), "cpu") if isinstance(leaf, jax.Array) else "cpu"
        if platform != "cpu":
            raise ValueError(NOT_ON_CPU.format(name=name, platform=platform))
    traced = [k for k, static in enumerate(call.static) if not static and hasattr(call.leaves[k], "dtype")]

    def run(*arrays: Any) -> Any:
        leaves = list(call.leaves)
        for k, array in zip(traced, arrays, strict=True):
            leaves[k] = array
        return call(leaves)

    recorded, _ = _jax.recorded_kernels(run, [call.leaves[k] for k in traced], cores=cores, patience=patience)
    if not recorded:
        raise ValueError(NO_KERNEL.format(function=call.function))
    sending = [k for k, found in enumerate(recorded) if _sends(found)]
    at = which if which is not None else next(iter(sending), 0)
    if not 0 <= at < len(recorded):
        names = ", ".join(f"{k} {found.name}" for k, found in enumerate(recorded))
        raise ValueError(NO_SUCH.format(which=at, function=call.function, count=len(recorded), names=names))
    others = [f"{k} {found.name}" for k, found in enumerate(recorded) if k != at]
    return _Reading(recorded[at]).document(others)


def _sends(kernel: RecordedKernel) -> bool:
    return any(
        a.kind == "copy" and a.to is not None and a.to.device != device
        for (device, _), actions in kernel.actions.items()
        for a in actions
    )


class _Reading:
    """A recorded kernel on its way to a document."""

    def __init__(self, kernel: RecordedKernel) -> None:
        self.kernel = kernel
        names, semaphores = names_of(kernel)
        self.index, self.semaphores = numbered(semaphores)
        self.slots = Slots(kernel, names)
        self.contents = Contents(kernel, self.slots, range(100, 100 + kernel.inputs))
        self.sources: list[Source] = []
        self.ops: list[KernelOp] = []
        self.steps: list[Op] = []
        self.accesses: list[races.Access] = []
        self.broken: int | None = None
        """The operation at which the interpreter stopped."""
        for number, ((device, core), actions) in enumerate(sorted(kernel.actions.items())):
            self._core(number, device, core, actions)
        self.machine = Machine(self.steps, kernel.barrier)

    def document(self, others: Sequence[str]) -> Kernel:
        kernel = self.kernel
        pairs, checked = races.races(self.machine, self.accesses)
        usual = self.machine.run()
        self._orders([usual], [""])
        orders = [usual]
        found = faults.faults(self, pairs, usual)
        kept: list[KernelFault] = []
        titles = ["without delays"]
        for fault, pair in found:
            if pair is not None and len(orders) <= MOST_ORDERS:
                fault = replace(fault, order=len(orders))
                orders.append(self.machine.run(races.shown(pair)))
                titles.append("shows the race")
            kept.append(fault)
        notes = [TOGETHER] if kernel.barrier and _sends(kernel) else []
        if others:
            notes.append(f"The function calls other kernels too: {', '.join(others)}; which= chooses.")
        return Kernel(
            name=kernel.name,
            axes=tuple(MeshAxis(name, size, "Manual") for name, size in kernel.axes),
            slots=tuple(self.slots.slots),
            semaphores=tuple(self.semaphores),
            ops=tuple(self.ops),
            sources=tuple(self.sources),
            blocks=tuple(self.contents.blocks),
            orders=self._orders(orders, titles),
            faults=tuple(kept),
            cores=kernel.cores,
            listing=self._listing(),
            checked=checked,
            notes=tuple(notes),
            jax_version=jax.__version__,
        )

    def _listing(self) -> Listing | None:
        file, line = self.kernel.place
        return function_at(file, line) if file else None

    def _orders(self, orders: Sequence[Moments], titles: Sequence[str]) -> tuple[KernelOrder, ...]:
        made = []
        kinds = [(op.device, op.kind, op.slots, op.to, op.target) for op in self.ops]
        meant: dict[tuple[int, int], int] = {}
        for title, moments in zip(titles, orders, strict=True):
            length = max(moments.at.values(), default=0) + 1
            stretches, last = self.contents.stretches(moments, kinds, length)
            meant = meant or last
            stretches = [
                replace(s, instead_of=meant[s.device, s.slot])
                if s.end == length and meant.get((s.device, s.slot), s.block) not in (s.block, -1)
                else s
                for s in stretches
            ]

            def moment(what: str, k: int, at: Mapping[Event, int] = moments.at) -> int:
                return at.get((what, k), -1)

            each = range(len(self.ops))
            made.append(
                KernelOrder(
                    title=title,
                    begins=tuple(moment("begin", k) for k in each),
                    ends=tuple(moment("end", k) for k in each),
                    sent=tuple(moment("sent", k) for k in each),
                    arrived=tuple(moment("arrived", k) for k in each),
                    stretches=tuple(stretches),
                    length=length,
                )
            )
        return tuple(made)

    def _core(self, number: int, device: int, core: int, actions: Sequence[Action]) -> None:
        """The operations of a core."""
        self._boundary(number, device, core, "enter")
        for action in actions:
            self._operation(number, device, core, action)
        if device in self.kernel.ended or not (self.kernel.stopped or self.kernel.error):
            self._boundary(number, device, core, "leave")

    def _boundary(self, number: int, device: int, core: int, kind: Any) -> None:
        """The kernel's begin, when its buffers are made, and its end, when they are given up."""
        op = len(self.ops)
        self.ops.append(KernelOp(device, core, kind))
        self.steps.append(Op(number, kind))
        for key, held in self.kernel.buffers.items():
            if key[1] == device:
                box = tuple((0, n) for n in held.shape)
                self.accesses.append(races.Access(op, True, ("end", op), key, box, kind, number))

    def _operation(self, number: int, device: int, core: int, action: Action) -> None:
        op = len(self.ops)
        source = self._source(action)
        kind = action.kind
        at = self.slots.of(action.at) if action.at else ()
        signalled, sent = None, None
        amount, target = action.amount, -1
        if kind == "copy":
            assert action.at
            assert action.to
            amount = _count(self.slots.box(action.at)) * self._item(action)
            target = action.to.device
            signalled = (action.semaphore, target, action.target[1])
            sent = (action.sent, device, core) if action.sent >= 0 else None
            for place, writes, end in ((action.at, False, "sent"), (action.to, True, "arrived")):
                self._access(number, op, place, writes, (end, op), "copy")
        elif kind == "signal":
            signalled, target = (action.semaphore, *action.target), action.target[0]
        elif kind == "wait":
            signalled = (action.semaphore, device, core)
        else:
            assert action.at
            self._access(number, op, action.at, kind == "write", ("end", op), kind)
            if kind == "write":
                self.contents.write(op, action)
        if not action.ended and self.kernel.error and kind != "wait" and self.broken is None:
            self.broken = op
        self.steps.append(Op(number, kind, signalled, sent, amount))
        self.ops.append(
            KernelOp(
                device=device,
                core=core,
                kind=kind,
                source=source,
                slots=at,
                to=self.slots.of(action.to) if action.to else (),
                target=target,
                semaphore=self.index.get(action.semaphore, -1),
                sent=self.index.get(action.sent, -1),
                amount=amount,
                values=first(action.values),
            )
        )

    def _access(self, number: int, op: int, place: Any, writes: bool, end: Event, kind: str) -> None:
        key = (place.buffer, place.device, place.core)
        self.accesses.append(races.Access(op, writes, end, key, self.slots.box(place), kind, number))

    def _item(self, action: Action) -> int:
        assert action.at
        return next(h.values.dtype.itemsize for k, h in self.kernel.buffers.items() if k[0] == action.at.buffer)

    def _source(self, action: Action) -> int:
        if not action.frames:
            return -1
        source = source_of(own_frame(action.frames))
        if source not in self.sources:
            self.sources.append(source)
        return self.sources.index(source)

    @property
    def unwritten(self) -> list[int]:
        """Copies to other devices, without delays, whose source nobody has written."""
        return self.contents.unwritten

    def slot(self, access: races.Access) -> KernelSlot | None:
        """The first slot of an access."""
        k = self.slot_index(access)
        return self.slots.slots[k] if k >= 0 else None

    def slot_index(self, access: races.Access) -> int:
        """The index of the first slot of an access; -1 for none."""
        parts = self.slots.parts
        met = (k for k, p in enumerate(parts) if p.buffer == access.key[0] and races.meet(p.box, access.box))
        return next(met, -1)

    def line(self, op: int) -> int:
        """The source line of an operation; 0 where it has none."""
        source = self.ops[op].source
        return self.sources[source].line if source >= 0 else 0

    def grouped(self, pairs: Sequence[races.Pair]) -> list[list[races.Pair]]:
        """Pairs that are alike: the same lines, kinds and buffer."""
        groups: dict[Any, list[races.Pair]] = defaultdict(list)
        for pair in pairs:
            sides = tuple((self.line(a.op), a.kind, a.end[0], a.writes) for a in (pair.first, pair.second))
            groups[*sides, pair.first.key[0]].append(pair)
        return list(groups.values())


def _count(box: races.Box) -> int:
    return int(np.prod([end - begin for begin, end in box], dtype=int))
