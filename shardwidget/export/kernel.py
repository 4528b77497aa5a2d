"""A kernel in words: the verdict first, then what is wrong, then what each device does."""

from __future__ import annotations

from collections.abc import Sequence

from shardwidget._format import byte_count, count
from shardwidget.document import Kernel, KernelOp
from shardwidget.document.columns import KERNEL_OPS
from shardwidget.export import listing

MOST = 24
"""The most operations that are listed."""


def headline(kernel: Kernel) -> str:
    """The worst that is wrong, or that nothing is."""
    if kernel.faults:
        return kernel.faults[0].headline
    if not kernel.checked:
        return "No race found, but not every pair of accesses was compared"
    return "No race and no wait that never ends, in any order that the semaphores allow"


def facts(kernel: Kernel) -> list[str]:
    """What ran where, and how much it sent."""
    copies = [op for op in kernel.ops if op.kind == "copy" and op.target != op.device]
    axes = ", ".join(f"{a.name}={a.size}" for a in kernel.axes)
    sent = sum(op.amount for op in copies)
    each = (
        f"{count(len(copies), 'remote copy', 'remote copies')}, {byte_count(sent)} in all"
        if copies
        else "no remote copy"
    )
    waits = sum(op.kind == "wait" for op in kernel.ops)
    cores = f" of {kernel.cores} cores" if kernel.cores > 1 else ""
    on = f" on {count(kernel.devices, 'device')}{cores}" + (f" ({axes})" if axes else "")
    return [f"{kernel.name}{on}: {each}, {count(waits, 'wait')}."]


def problems(kernel: Kernel) -> list[str]:
    """Every fault with its lines and what to add."""
    lines = []
    for fault in kernel.faults:
        lines.append(f"{_SIGNS[fault.kind]}: {fault.headline}.")
        lines += [f"    {line}" for line in fault.detail.splitlines()[:6]]
        if fault.advice:
            lines.append(f"    Add: {fault.advice}.")
    return lines


_SIGNS = {
    "race": "race",
    "deadlock": "never ends",
    "unwritten": "not written",
    "semaphore": "not zero",
    "error": "error",
}


def picture(kernel: Kernel) -> str:
    """The verdict, what is wrong, and the first device's operations, as lines."""
    shown = [op for op in kernel.ops if op.device == 0][:MOST]
    rows = listing.lines(KERNEL_OPS, _rows(kernel, shown))
    left = sum(op.device == 0 for op in kernel.ops) - len(shown)
    more = [f"… {count(left, 'more operation')}"] if left > 0 else []
    wrong = problems(kernel)
    body = [headline(kernel) + ".", *facts(kernel), *([""] if wrong else []), *wrong, "", "device 0:", *rows, *more]
    return "\n".join([*body, *kernel.notes])


def table(kernel: Kernel) -> str:
    """The same as HTML that survives a notebook's sanitiser."""
    before = listing.paragraphs([*facts(kernel), *problems(kernel)])
    shown = kernel.ops[:200]
    left = len(kernel.ops) - len(shown)
    more = [f"… {count(left, 'more operation')}"] if left else []
    rows = _rows(kernel, shown)
    return listing.table(headline(kernel), KERNEL_OPS, rows, [*more, *kernel.notes], before)


def _rows(kernel: Kernel, ops: Sequence[KernelOp]) -> Sequence[listing.Row]:
    at = {id(op): k for k, op in enumerate(kernel.ops)}
    order = kernel.orders[0]
    return [
        {
            "moment": str(order.begins[at[id(op)]]) if order.begins[at[id(op)]] >= 0 else "never",
            "device": str(op.device) + (f".{op.core}" if kernel.cores > 1 else ""),
            "does": op.kind,
            "what": what(kernel, op),
            "line": f"line {kernel.sources[op.source].line}" if op.source >= 0 else "",
        }
        for op in ops
    ]


def what(kernel: Kernel, op: KernelOp) -> str:
    """What an operation is about."""

    def names(slots: Sequence[int]) -> str:
        if not slots:
            return "?"
        several = f" … {kernel.slots[slots[-1]].name}" if len(slots) > 1 else ""
        return kernel.slots[slots[0]].name + several

    def amount(k: int) -> str:
        return byte_count(op.amount) if kernel.semaphores[k].counts_bytes else str(op.amount)

    if op.kind in ("read", "write"):
        return names(op.slots)
    if op.kind == "copy":
        there = _there(op, "{} ")
        return f"{names(op.slots)} → {there}{names(op.to)}, {byte_count(op.amount)}"
    if op.kind == "signal":
        where = _there(op, "{}: ")
        return f"{where}{kernel.semaphores[op.semaphore].name} + {amount(op.semaphore)}"
    if op.kind == "wait":
        return f"{kernel.semaphores[op.semaphore].name} ≥ {amount(op.semaphore)}"
    return ""


def _there(op: KernelOp, form: str) -> str:
    """Where a copy or a signal goes; empty for the core's own."""
    if op.target != op.device:
        return form.format(f"device {op.target}" + (f" core {op.target_core}" if op.target_core != op.core else ""))
    return form.format(f"core {op.target_core}") if op.target_core != op.core else ""
