"""What an instruction of a module does: floating-point operations, and bytes between a device and its memory.

Operations are those of products and convolutions, also in fusions and in calls of cuBLAS: what matrix units do. Bytes
are those that the operands and results of an instruction have in the device's memory (``S(1)`` in a layout is memory on
the chip). Of an operand that a fusion only slices, the slice counts; of one that it updates in place, the update.
"""

from __future__ import annotations

import functools
import math
import re
from typing import NamedTuple

from shardwidget.read._program.module import Computation, Instruction, Module

FREE = frozenset(
    {
        "parameter",
        "constant",
        "tuple",
        "get-tuple-element",
        "bitcast",
        "after-all",
        "partition-id",
        "replica-id",
        "add-dependency",
        "opt-barrier",
        "domain",
    }
)
"""Opcodes that take no time."""

_ARRAY = re.compile(r"\b([a-z]+\d*\w*)\[([\d,]*)\](?:\{([^{}]*)\})?")
_SLICES = ("dynamic-slice", "slice")


class Work(NamedTuple):
    """What an instruction does in one run."""

    flops: float = 0.0
    bytes: float = 0.0

    def __add__(self, other: tuple[object, ...]) -> Work:
        assert isinstance(other, Work)
        return Work(self.flops + other.flops, self.bytes + other.bytes)


class Worker:
    """Finds the work of a module's instructions."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._flops: dict[str, float] = {}

    def of(self, instruction: Instruction, around: Computation) -> Work:
        """The work of an instruction that is neither a collective nor control flow."""
        if instruction.opcode in FREE:
            return Work()
        return Work(self._operations(instruction, around), self._traffic(instruction, around))

    def _operations(self, instruction: Instruction, around: Computation) -> float:
        if instruction.opcode == "dot":
            return _dot(instruction, around)
        if instruction.opcode == "convolution":
            return _convolution(instruction, around)
        if instruction.opcode == "custom-call":
            return _library_product(instruction, around)
        if instruction.opcode in ("fusion", "call"):
            return sum(self._inside(name) for _, name in instruction.called)
        return 0.0

    def _inside(self, name: str) -> float:
        computation = self._module.computations.get(name)
        if computation is None:
            return 0.0
        if name not in self._flops:
            self._flops[name] = sum(self._operations(i, computation) for i in computation.instructions)
        return self._flops[name]

    def _traffic(self, instruction: Instruction, around: Computation) -> float:
        operands = [around.by_name.get(name) for name in instruction.operands]
        fused = self._fused(instruction)
        if fused is not None:
            taken = sum(
                _taken(operand, fused.parameter(k), fused) for k, operand in enumerate(operands) if operand is not None
            )
            return taken + _given(instruction, fused)
        sizes = [in_memory(operand.type) for operand in operands if operand is not None]
        if instruction.opcode in _SLICES or instruction.opcode == "gather":
            return 2.0 * in_memory(instruction.type)
        if instruction.opcode == "dynamic-update-slice":
            return 2.0 * (sizes[1] if len(sizes) > 1 else 0)
        result = instruction.type
        if instruction.opcode == "custom-call" and _library_product(instruction, around):
            result = _parts(result)[0]  # What follows it is a workspace.
        return float(sum(sizes) + in_memory(result))

    def _fused(self, instruction: Instruction) -> Computation | None:
        called = [name for _, name in instruction.called] if instruction.opcode == "fusion" else []
        return self._module.computations.get(called[0]) if called else None


@functools.lru_cache(4096)
def in_memory(kind: str) -> int:
    """The bytes of a type that are in the device's own memory; of a tuple, of all its parts."""
    total = 0
    for dtype, sizes, layout in _ARRAY.findall(kind):
        if (space := re.search(r"S\((\d+)\)", layout)) and space[1] != "0":
            continue
        bits = 8 if dtype == "pred" else int((re.findall(r"\d+", dtype) or ["0"])[0])
        total += -(-math.prod(int(n) for n in sizes.split(",") if n) * bits // 8)
    return total


def sizes_of(kind: str) -> tuple[int, ...]:
    """The sizes of the first array of a type."""
    found = _ARRAY.search(kind)
    return tuple(int(n) for n in found[2].split(",") if n) if found else ()


def _taken(operand: Instruction, parameter: Instruction | None, fused: Computation) -> float:
    """Bytes that a fusion reads of an operand."""
    whole = in_memory(operand.type)
    if not whole or parameter is None:
        return whole
    read = 0.0
    for user in _users(parameter, fused):
        if user.opcode in _SLICES:
            read += in_memory(_in_memory_of(user.type))
        elif user.opcode == "dynamic-update-slice" and _first(user, fused) is parameter:
            continue  # It is updated in place.
        else:
            return whole
    return min(whole, read)


def _given(instruction: Instruction, fused: Computation) -> float:
    """Bytes that a fusion writes."""
    root = fused.root
    if root is None:
        return in_memory(instruction.type)
    parts = [fused.by_name.get(name) for name in root.operands] if root.opcode == "tuple" else [root]
    kinds = _parts(instruction.type) if root.opcode == "tuple" else [instruction.type]
    total = 0.0
    for part, kind in zip(parts, kinds, strict=False):
        while part is not None and part.opcode == "bitcast":
            part = fused.by_name.get(part.operands[0])
        update = part.operands[1:2] if part is not None and part.opcode == "dynamic-update-slice" else []
        written = fused.by_name.get(update[0]) if update else None
        total += in_memory(kind) if written is None else in_memory(kind) and in_memory(_in_memory_of(written.type))
    return total


def _parts(kind: str) -> list[str]:
    return [found[0] for found in _ARRAY.finditer(kind)]


def _in_memory_of(kind: str) -> str:
    """The same type, as it would be in the device's memory: what is in a fusion is nowhere."""
    return re.sub(r"\{[^{}]*\}", "", kind)


def _users(parameter: Instruction, fused: Computation) -> list[Instruction]:
    found: list[Instruction] = []
    for user in fused.users.get(parameter.name, []):
        found += _users(user, fused) if user.opcode == "bitcast" else [user]
    return found


def _first(instruction: Instruction, fused: Computation) -> Instruction | None:
    """The first operand, before bitcasts."""
    found = fused.by_name.get(instruction.operands[0])
    while found is not None and found.opcode == "bitcast":
        found = fused.by_name.get(found.operands[0])
    return found


def _dot(instruction: Instruction, around: Computation) -> float:
    """``2 · elements of the result · elements that are summed``."""
    left = around.by_name.get(instruction.operands[0])
    found = re.search(r"lhs_contracting_dims=\{([\d,]*)\}", instruction.text)
    sizes = sizes_of(left.type) if left is not None else ()
    summed = [sizes[int(d)] for d in (found[1].split(",") if found and found[1] else [])] if sizes else []
    return 2.0 * math.prod(sizes_of(instruction.type)) * math.prod(summed)


def _library_product(instruction: Instruction, around: Computation) -> float:
    """A product that a GPU's library computes (cuBLAS): its dimensions are in the configuration of the call."""
    found = re.search(r'"lhs_contracting_dimensions":\[([^\]]*)\]', instruction.text)
    left = around.by_name.get(instruction.operands[0]) if found and instruction.operands else None
    if found is None or left is None:
        return 0.0
    sizes = sizes_of(left.type)
    summed = [int(d) for d in re.findall(r"\d+", found[1])]
    return 2.0 * math.prod(sizes_of(instruction.type)) * math.prod(sizes[d] for d in summed if d < len(sizes))


class _Labels(NamedTuple):
    left: str
    right: str
    result: str


def _convolution(instruction: Instruction, around: Computation) -> float:
    """``2 · batch · output features · input features of a group · pairs of a place and a tap that is not padding``."""
    operands = [around.by_name.get(name) for name in instruction.operands[:2]]
    found = re.search(r"dim_labels=(\w+)_(\w+)->(\w+)", instruction.text)
    if found is None or None in operands:
        return 0.0
    labels = _Labels(*found.groups())
    left, right = (sizes_of(operand.type) for operand in operands if operand is not None)
    result = sizes_of(instruction.type)
    spatial = sorted(label for label in labels.result if label.isdigit())
    window = _Window(instruction.text, len(spatial))
    pairs = math.prod(
        window.pairs(k, left[labels.left.index(label)], result[labels.result.index(label)])
        for k, label in enumerate(spatial)
    )
    outer = result[labels.result.index("b")] * result[labels.result.index("f")]
    return 2.0 * outer * right[labels.right.index("i")] * pairs


class _Window:
    def __init__(self, text: str, rank: int) -> None:
        found = re.search(r"window=\{([^}]*)\}", text)
        self._given = dict(part.split("=") for part in found[1].split()) if found and found[1] else {}
        self._rank = rank

    def _of(self, name: str, default: str) -> list[str]:
        return self._given[name].split("x") if name in self._given else [default] * self._rank

    def pairs(self, k: int, size: int, places: int) -> int:
        """How many pairs of a place of the result and a tap of the window meet an element of the operand."""
        taps, stride = int(self._of("size", "1")[k]), int(self._of("stride", "1")[k])
        low = int(self._of("pad", "0_0")[k].split("_")[0])
        apart, spread = int(self._of("rhs_dilate", "1")[k]), int(self._of("lhs_dilate", "1")[k])
        if taps * places > _MOST_PAIRS:
            return min(taps * places, size * taps)
        end = (size - 1) * spread
        met = (place * stride + tap * apart - low for place in range(places) for tap in range(taps))
        return sum(0 <= at <= end and at % spread == 0 for at in met)


_MOST_PAIRS = 1_000_000
