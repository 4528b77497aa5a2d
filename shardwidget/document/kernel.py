"""A Pallas kernel that runs on several devices: what each core does, in which orders, and what nothing orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import MeshAxis
from shardwidget.document.step import Listing, Source
from shardwidget.document.wire import VERSION

__all__ = [
    "Kernel",
    "KernelBlock",
    "KernelFault",
    "KernelOp",
    "KernelOrder",
    "KernelSemaphore",
    "KernelSlot",
    "KernelStretch",
]

KernelOpKind = Literal["enter", "read", "write", "copy", "wait", "signal", "leave"]
KernelFaultKind = Literal["race", "deadlock", "unwritten", "semaphore", "error"]


@dataclass(frozen=True)
class KernelSlot:
    """A part of a buffer that is read, written or copied as a whole.

    Every device has one in ``hbm``; in other memory every core does.
    """

    name: str
    """The buffer's, as the kernel calls it, with an index: ``slots[1]``."""
    space: str
    """Its memory: ``vmem``, ``hbm``, ``smem``."""
    type: str
    """Type and shape: ``f32[8,128]``."""
    bytes: int


@dataclass(frozen=True)
class KernelSemaphore:
    """A semaphore. Every core has one."""

    name: str
    """As the kernel calls it, with an index: ``recv_sems[1]``."""
    counts_bytes: bool
    """Whether copies signal it, with their bytes."""


@dataclass(frozen=True)
class KernelOp:
    """An operation of a core."""

    device: int
    """The device's position in the mesh."""
    core: int
    """Which core of the device."""
    kind: KernelOpKind
    """``enter`` and ``leave`` are the kernel's begin and end; a ``copy`` starts a DMA."""
    source: int = -1
    """Index of its line in ``Kernel.sources``; -1 for what has none."""
    slots: tuple[int, ...] = ()
    """Indices in ``Kernel.slots`` of what is read or written; of a copy, of its source."""
    to: tuple[int, ...] = ()
    """Indices in ``Kernel.slots`` of what a copy writes; empty for anything else."""
    target: int = -1
    """The device that a copy goes to or whose semaphore is signalled; -1 for others."""
    target_core: int = 0
    """Which core of that device."""
    semaphore: int = -1
    """Index in ``Kernel.semaphores`` of what is waited for, signalled, or signalled when a copy has arrived; -1 for
    none."""
    sent: int = -1
    """The same of what is signalled when a copy's source has been read; -1 for none."""
    amount: int = 0
    """By how much: bytes for copies and for semaphores that copies signal."""
    values: str = ""
    """The first of the values that are read or written."""


@dataclass(frozen=True)
class KernelBlock:
    """What a slot may hold."""

    device: int
    """The position of the device that it comes from."""
    text: str
    """A short name: the device's position; with ``′`` for what it computed."""
    computed: bool = False
    """Whether a device computed it; otherwise it is part of an argument."""
    values: str = ""
    """The first of its values."""


@dataclass(frozen=True)
class KernelStretch:
    """A slot that holds one block for a while."""

    device: int
    slot: int
    """Index in ``Kernel.slots``."""
    begin: int
    """Moment of the order."""
    end: int
    block: int
    """Index in ``Kernel.blocks``."""
    instead_of: int = -1
    """The block that it holds at the end of the first order, where it is another; -1 where it is the same."""
    core: int = 0
    """Whose slot it is; 0 where the cores of a device share it."""


@dataclass(frozen=True)
class KernelOrder:
    """An order in which the kernel may run. Moments are counted from 0 and are no times."""

    title: str
    """What it shows."""
    begins: tuple[int, ...]
    """The moment at which each operation begins; -1 where it does not."""
    ends: tuple[int, ...]
    """The moment at which it ends; -1 where it does not."""
    sent: tuple[int, ...]
    """The moment at which the source of the copy that it starts has been read; -1 for others."""
    arrived: tuple[int, ...]
    """The moment at which that copy has arrived; -1 for others."""
    stretches: tuple[KernelStretch, ...] = field(metadata={"wire": "table"})
    """What slots hold."""
    length: int = 0
    """The last moment."""


@dataclass(frozen=True)
class KernelFault:
    """Something that is wrong, for all places that are alike."""

    kind: KernelFaultKind
    """``race``: nothing orders two accesses; ``deadlock``: a wait never ends; ``unwritten``: a copy sends what nobody
    has written; ``semaphore``: one does not end at zero; ``error``: the interpreter stopped."""
    headline: str
    """What happens, in a sentence."""
    detail: str = ""
    """Where it happens, and how often."""
    advice: str = ""
    """What to add; empty where nothing was found that helps."""
    ops: tuple[int, ...] = ()
    """Indices in ``Kernel.ops``: of a race, both accesses; of a deadlock, the waits that never end."""
    events: tuple[str, ...] = ()
    """What each access of a race is: ``read`` or ``write``; that of the copy where it is one."""
    device: int = -1
    """The device whose slot or semaphore it is about; -1 for several."""
    slot: int = -1
    """The slot that both access; -1 for none."""
    core: int = 0
    """Whose slot or semaphore it is; 0 for a slot that the cores of a device share."""
    order: int = 0
    """Index in ``Kernel.orders`` of one that shows it."""
    count: int = 1
    """How many pairs of accesses, waits or semaphores are alike."""


@dataclass(frozen=True, repr=False)
class Kernel(Document):
    """A Pallas kernel as it ran under JAX's interpreter."""

    name: str
    """The kernel function."""
    axes: tuple[MeshAxis, ...]
    """The axes of the mesh that it runs on."""
    slots: tuple[KernelSlot, ...]
    semaphores: tuple[KernelSemaphore, ...]
    ops: tuple[KernelOp, ...] = field(metadata={"wire": "table"})
    """What all cores do, those of one core in order."""
    sources: tuple[Source, ...]
    """The lines of operations."""
    blocks: tuple[KernelBlock, ...]
    orders: tuple[KernelOrder, ...]
    """The first has no delays; the others show faults."""
    faults: tuple[KernelFault, ...] = ()
    """The worst first."""
    cores: int = 1
    """Cores of a device."""
    listing: Listing | None = None
    """The kernel's text; None where it cannot be read."""
    checked: bool = True
    """Whether every pair of accesses was checked."""
    notes: tuple[str, ...] = ()
    """What else is to be known, each in a sentence."""
    jax_version: str = ""
    kind: Literal["kernel"] = field(default="kernel", init=False)
    version: int = field(default=VERSION, init=False)

    @property
    def devices(self) -> int:
        """The number of devices."""
        size = 1
        for axis in self.axes:
            size *= axis.size
        return size

    @property
    def races(self) -> tuple[KernelFault, ...]:
        """Accesses of one slot that nothing orders."""
        return tuple(fault for fault in self.faults if fault.kind == "race")

    def lines(self, fault: KernelFault) -> tuple[int, ...]:
        """The source lines of a fault's operations; 0 where one has none."""
        sources = [self.ops[op].source for op in fault.ops]
        return tuple(self.sources[k].line if k >= 0 else 0 for k in sources)
