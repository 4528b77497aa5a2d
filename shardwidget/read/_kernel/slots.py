"""Buffers, cut where what is read, written and copied is cut."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shardwidget._jax import Buffer, Place, RecordedKernel
from shardwidget._text import short_dtype
from shardwidget.document import KernelSemaphore, KernelSlot

MOST_PARTS = 16
"""The most parts of a buffer; a buffer that is cut finer is one slot, and its accesses are compared by their ranges."""

SHARED = ("any", "hbm")
"""Memory that the cores of a device share."""

Box = tuple[tuple[int, int], ...]
"""Begin and end of each dimension."""


@dataclass(frozen=True)
class Part:
    """A slot of one buffer."""

    buffer: int
    box: Box


class Slots:
    """The slots of a kernel's buffers, and which of them a range is."""

    def __init__(self, kernel: RecordedKernel, names: dict[int, str]) -> None:
        self._held: dict[int, Buffer] = {}
        for (buffer, _, _), held in kernel.buffers.items():
            self._held.setdefault(buffer, held)
        used = [place for actions in kernel.actions.values() for a in actions for place in (a.at, a.to) if place]
        ranges: dict[int, set[Box]] = defaultdict(set)
        for place in used:
            ranges[place.buffer].add(self.box(place))
        self.parts: list[Part] = []
        self.slots: list[KernelSlot] = []
        for buffer in sorted(ranges, key=lambda b: (not _is_copied(kernel, b), b)):
            for box in self._cut(buffer, ranges[buffer]):
                self.parts.append(Part(buffer, box))
                self.slots.append(self._slot(names.get(buffer, f"buffer {buffer}"), buffer, box))

    def box(self, place: Place) -> Box:
        """A range, with all dimensions of its buffer."""
        shape = self._held[place.buffer].shape
        whole = [(first, first + size) for first, size in place.range]
        return tuple(whole + [(0, n) for n in shape[len(whole) :]])

    def of(self, place: Place) -> tuple[int, ...]:
        """The slots that a range meets."""
        box = self.box(place)
        return tuple(k for k, part in enumerate(self.parts) if part.buffer == place.buffer and meet(part.box, box))

    def core(self, k: int, core: int) -> int:
        """Whose slot a core sees: its own, or that of core 0, which stands for what all share."""
        return 0 if self.slots[k].space in SHARED else core

    def _cut(self, buffer: int, boxes: Iterable[Box]) -> list[Box]:
        shape = self._held[buffer].shape
        cuts = [sorted({0, n, *(end for box in boxes for end in box[d] if 0 <= end <= n)}) for d, n in enumerate(shape)]
        parts = [tuple(box) for box in itertools.product(*(itertools.pairwise(c) for c in cuts))]
        return parts if len(parts) <= MOST_PARTS else [tuple((0, n) for n in shape)]

    def _slot(self, name: str, buffer: int, box: Box) -> KernelSlot:
        held = self._held[buffer]
        cut = [d for d, n in enumerate(held.shape) if box[d] != (0, n)]
        index = [
            ":" if d not in cut else str(box[d][0]) if box[d][1] - box[d][0] == 1 else f"{box[d][0]}:{box[d][1]}"
            for d in range((cut[-1] + 1) if cut else 0)
        ]
        shape = [end - begin for d, (begin, end) in enumerate(box) if not (d in cut and end - begin == 1)]
        count = 1
        for begin, end in box:
            count *= end - begin
        dtype = short_dtype(held.dtype)
        return KernelSlot(
            name=name + (f"[{', '.join(index)}]" if index else ""),
            space=held.space,
            type=f"{dtype}[{','.join(map(str, shape))}]",
            bytes=count * held.values.dtype.itemsize,
        )


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes of one buffer have an element in common."""
    return all(a < d and c < b for (a, b), (c, d) in zip(one, other, strict=True))


def _is_copied(kernel: RecordedKernel, buffer: int) -> bool:
    """Whether a buffer is the source or the destination of a copy."""
    return any(
        a.kind == "copy" and buffer in (getattr(a.at, "buffer", None), getattr(a.to, "buffer", None))
        for actions in kernel.actions.values()
        for a in actions
    )


def names_of(kernel: RecordedKernel) -> tuple[dict[int, str], dict[int, KernelSemaphore]]:
    """How the kernel calls its buffers and its semaphores, by their numbers.

    The interpreter numbers buffers from 100 on: inputs, outputs that are no inputs, scalars, then what is not in HBM
    of the kernel's own parameters, in order; semaphores from 2000 on. What ``pl.run_scoped`` makes comes after.
    """
    parameters = list(kernel.parameters)
    count = kernel.scalars + kernel.inputs + kernel.outputs
    names: dict[int, str] = {}
    number = itertools.count(100)
    inputs = [next(number) for _ in range(kernel.inputs)]
    outputs: list[int] = []
    for k in range(kernel.outputs):
        outputs.append(inputs[kernel.aliased[k]] if k in kernel.aliased else next(number))
    for p in parameters[: kernel.scalars]:
        names[next(number)] = p.name
    semaphores: dict[int, KernelSemaphore] = {}
    semaphore = 2000
    for k, p in enumerate(parameters[kernel.scalars :], start=kernel.scalars):
        whole = None
        if k < count:
            at = k - kernel.scalars
            whole = inputs[at] if at < kernel.inputs else outputs[at - kernel.inputs]
        if p.space.startswith("semaphore"):
            for index in itertools.product(*map(range, p.shape)):
                label = p.name + (f"[{', '.join(map(str, index))}]" if index else "")
                semaphores[semaphore] = KernelSemaphore(label, p.dtype.startswith("dma"))
                semaphore += 1
        elif whole is not None and p.space in ("any", "hbm"):
            names[whole] = p.name
        else:
            if whole is not None:
                names[whole] = f"{p.name} in HBM"
            names[next(number)] = p.name
    for other in sorted({b for b, _, _ in kernel.buffers} - names.keys()):
        names[other] = f"scoped {other - 99}"
    for other in kernel.collective:
        semaphores[other] = KernelSemaphore("barrier semaphore", False)
    signalled = {a.semaphore for of in kernel.actions.values() for a in of if a.kind == "copy"}
    signalled |= {a.sent for of in kernel.actions.values() for a in of if a.kind == "copy"}
    for k, other in enumerate(n for n in kernel.semaphores if n not in semaphores):
        semaphores[other] = KernelSemaphore(f"scoped semaphore {k + 1}", other in signalled)
    return names, semaphores


def numbered(semaphores: dict[int, KernelSemaphore]) -> tuple[dict[int, int], Sequence[KernelSemaphore]]:
    """Indices of semaphores by their numbers, and the semaphores."""
    return {number: k for k, number in enumerate(semaphores)}, tuple(semaphores.values())
