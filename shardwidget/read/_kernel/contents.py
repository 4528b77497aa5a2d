"""Which block a slot holds at which moment of an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shardwidget._jax import Action, RecordedKernel
from shardwidget.document import KernelBlock, KernelStretch
from shardwidget.read._kernel.machine import Moments
from shardwidget.read._kernel.slots import Slots

Where = tuple[int, int, int]
"""A device, a core and a slot; core 0 of what all cores share."""


@dataclass(frozen=True)
class Moved:
    """What an operation reads, writes or copies."""

    device: int
    core: int
    kind: str
    slots: tuple[int, ...]
    to: tuple[int, ...] = ()
    """A copy's destination, and where that is."""
    target: int = -1
    target_core: int = 0


class Contents:
    """The blocks of a kernel: parts of arguments, and what devices computed.

    A block is known again by its values, so that what is loaded and stored keeps its name.
    """

    def __init__(self, kernel: RecordedKernel, slots: Slots, inputs: Sequence[int]) -> None:
        self.slots = slots
        self.blocks: list[KernelBlock] = []
        self._known: dict[bytes, int] = {}
        self._first: dict[Where, int] = {}
        self._written: dict[tuple[int, int], int] = {}
        """Block by operation and slot."""
        self.unwritten: list[int] = []
        """Copies to other devices, of the last order, whose source nobody has written."""
        for device in range(kernel.devices):
            own = [k for k, part in enumerate(slots.parts) if part.buffer in inputs]
            for n, k in enumerate(own):
                held = kernel.buffers.get((slots.parts[k].buffer, device, 0))
                if held is None:
                    continue
                text = f"{device}" if len(own) == 1 else f"{device}.{n}"
                self._first[device, 0, k] = self._block(_cut(held.values, slots, k), KernelBlock(device, text))

    def write(self, op: int, action: Action) -> None:
        """Keeps what an operation of a core wrote."""
        assert action.at is not None
        box = self.slots.box(action.at)
        for k in self.slots.of(action.at):
            part = self.slots.parts[k].box
            inside = all(a <= c and d <= b for (a, b), (c, d) in zip(box, part, strict=True))
            shape = tuple(end - begin for begin, end in box)
            values = np.asarray(action.values)
            if not inside or values.size != np.prod(shape, dtype=int):
                values = np.asarray([op, k])
            else:
                at = tuple(slice(c - a, d - a) for (a, _), (c, d) in zip(box, part, strict=True))
                values = values.reshape(shape)[at]
            device = action.at.device
            self._written[op, k] = self._block(values, KernelBlock(device, f"{device}′", computed=True))

    def stretches(
        self, moments: Moments, kinds: Sequence[Moved], length: int
    ) -> tuple[list[KernelStretch], dict[Where, int]]:
        """What slots hold in an order, and what they hold at its end.

        Args:
            moments: the order.
            kinds: of each operation what it moves.
            length: the last moment.
        """
        events: list[tuple[int, int, int, str]] = []
        for (what, op), at in moments.at.items():
            kind = kinds[op].kind if op < len(kinds) else ""
            if (kind == "write" and what == "end") or (kind == "copy" and what in ("sent", "arrived")):
                # Where a source is read at the moment at which something arrives there, it is read afterwards.
                events.append((at, 0 if what == "arrived" else 1, op, what))
        held = dict(self._first)
        self.unwritten: list[int] = []
        since = dict.fromkeys(held, 0)
        carried: dict[int, list[int]] = {}
        done: list[KernelStretch] = []

        def put(where: Where, block: int, at: int) -> None:
            if held.get(where, -1) == block:
                return
            if where in held and at > since[where]:
                done.append(_stretch(where, since[where], at, held[where]))
            held[where], since[where] = block, at

        for at, _, op, what in sorted(events):
            of = kinds[op]
            if of.kind == "write":
                for k in of.slots:
                    put((of.device, self.slots.core(k, of.core), k), self._written.get((op, k), -1), at)
            elif what == "sent":
                carried[op] = [held.get((of.device, self.slots.core(k, of.core), k), -1) for k in of.slots]
                if -1 in carried[op] and (not of.to or of.target != of.device):
                    self.unwritten.append(op)
            else:
                blocks = carried.pop(op, [])
                same = blocks[0] if len(set(blocks)) == 1 else -1
                mixed = blocks if len(blocks) == len(of.to) else [same] * len(of.to)
                for k, block in zip(of.to, mixed, strict=True):
                    put((of.target, self.slots.core(k, of.target_core), k), block, at)
        done += [_stretch(where, since[where], length, block) for where, block in held.items()]
        return [s for s in done if s.block >= 0 and s.end > s.begin], held

    def _block(self, values: Any, block: KernelBlock) -> int:
        key = np.ascontiguousarray(values).tobytes() + str(np.asarray(values).dtype).encode()
        if key not in self._known:
            self._known[key] = len(self.blocks)
            self.blocks.append(replace(block, values=first(values)))
        return self._known[key]


def _stretch(where: Where, begin: int, end: int, block: int) -> KernelStretch:
    device, core, slot = where
    return KernelStretch(device, slot, begin, end, block, core=core)


def first(values: Any) -> str:
    """The first of some values, in words."""
    if values is None or not np.size(values):
        return ""
    some = [f"{x:g}" if np.issubdtype(type(x), np.floating) else str(x) for x in np.ravel(values)[:3]]
    return " ".join(some) + (" …" if np.size(values) > 3 else "")


def _cut(values: Any, slots: Slots, k: int) -> Any:
    return values[tuple(slice(begin, end) for begin, end in slots.parts[k].box)]
