"""A recorded kernel as operations of a machine, accesses of slots, and blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shardwidget._jax import Action, RecordedKernel
from shardwidget.document import KernelOp, KernelOrder, KernelSlot, Listing, Source
from shardwidget.read._jaxpr.sources import function_at, own_frame, source_of
from shardwidget.read._kernel.contents import Contents, Moved, Where, first
from shardwidget.read._kernel.machine import Event, Machine, Moments, Op
from shardwidget.read._kernel.races import Access, Pair
from shardwidget.read._kernel.slots import Box, Slots, meet, names_of, numbered


class Reading:
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
        self.accesses: list[Access] = []
        self.broken: int | None = None
        """The operation at which the interpreter stopped."""
        for number, ((device, core), actions) in enumerate(sorted(kernel.actions.items())):
            self._core(number, device, core, actions)
        self.machine = Machine(self.steps, kernel.barrier)

    def listing(self) -> Listing | None:
        file, line = self.kernel.place
        return function_at(file, line) if file else None

    def in_orders(self, orders: Sequence[Moments], titles: Sequence[str]) -> tuple[KernelOrder, ...]:
        made = []
        kinds = [Moved(o.device, o.core, o.kind, o.slots, o.to, o.target, o.target_core) for o in self.ops]
        meant: dict[Where, int] = {}
        for title, moments in zip(titles, orders, strict=True):
            length = max(moments.at.values(), default=0) + 1
            stretches, last = self.contents.stretches(moments, kinds, length)
            meant = meant or last
            stretches = [
                replace(s, instead_of=meant[s.device, s.core, s.slot])
                if s.end == length and meant.get((s.device, s.core, s.slot), s.block) not in (s.block, -1)
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
        self.steps.append(Op(number, kind, device=device))
        for key, held in self.kernel.buffers.items():
            if key[1] == device:
                box = tuple((0, n) for n in held.shape)
                self.accesses.append(Access(op, True, ("end", op), key, box, kind, number))

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
        self.steps.append(Op(number, kind, signalled, sent, amount, device))
        self.ops.append(
            KernelOp(
                device=device,
                core=core,
                kind=kind,
                source=source,
                slots=at,
                to=self.slots.of(action.to) if action.to else (),
                target=target,
                target_core=action.target[1] if kind == "copy" or kind == "signal" else 0,
                semaphore=self.index.get(action.semaphore, -1),
                sent=self.index.get(action.sent, -1),
                amount=amount,
                values=first(action.values),
            )
        )

    def _access(self, number: int, op: int, place: Any, writes: bool, end: Event, kind: str) -> None:
        key = (place.buffer, place.device, place.core)
        self.accesses.append(Access(op, writes, end, key, self.slots.box(place), kind, number))

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

    def slot(self, access: Access) -> KernelSlot | None:
        """The first slot of an access."""
        k = self.slot_index(access)
        return self.slots.slots[k] if k >= 0 else None

    def slot_index(self, access: Access) -> int:
        """The index of the first slot of an access; -1 for none."""
        parts = self.slots.parts
        met = (k for k, p in enumerate(parts) if p.buffer == access.key[0] and meet(p.box, access.box))
        return next(met, -1)

    def line(self, op: int) -> int:
        """The source line of an operation; 0 where it has none."""
        source = self.ops[op].source
        return self.sources[source].line if source >= 0 else 0

    def grouped(self, pairs: Sequence[Pair]) -> list[list[Pair]]:
        """Pairs that are alike: the same lines, kinds and buffer."""
        groups: dict[Any, list[Pair]] = defaultdict(list)
        for pair in pairs:
            sides = tuple((self.line(a.op), a.kind, a.end[0], a.writes) for a in (pair.first, pair.second))
            groups[*sides, pair.first.key[0]].append(pair)
        return list(groups.values())


def _count(box: Box) -> int:
    return int(np.prod([end - begin for begin, end in box], dtype=int))
