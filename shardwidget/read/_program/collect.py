"""The collectives of a module, as the document states them."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shardwidget import collectives, cost
from shardwidget.collectives import Call
from shardwidget.document import HloCollective, Ints, Listing, Mesh, Plan
from shardwidget.read._program.axes import axes_between, axes_of
from shardwidget.read._program.groups import Groups, GroupsError, groups_of, pairs_of
from shardwidget.read._program.loops import Visit, visits
from shardwidget.read._program.module import COLLECTIVES, Instruction, Module, arrays
from shardwidget.read._program.source import Positions, is_asked_for, is_backward, listings_of, source_of


@dataclass(frozen=True)
class Collected:
    """What a module has of collectives."""

    collectives: tuple[HloCollective, ...]
    plans: tuple[Plan, ...]
    listings: tuple[Listing, ...]
    unread: tuple[str, ...]


def collect(module: Module, mesh: Mesh, interconnects: Sequence[cost.Interconnect]) -> Collected:
    """Reads the collectives of a module, in program order.

    Args:
        module: what was compiled.
        mesh: the user's mesh, its positions those of the device assignment.
        interconnects: what times are estimated for.
    """
    reader = _Reader(module, mesh, tuple(interconnects))
    for visit in visits(module):
        for i in visit.computation.instructions:
            if i.opcode in COLLECTIVES:
                reader.add(i, visit)
    return reader.collected()


class _Reader:
    def __init__(self, module: Module, mesh: Mesh, interconnects: tuple[cost.Interconnect, ...]) -> None:
        self._module = module
        self._mesh = mesh
        self._interconnects = interconnects
        self._positions = Positions(module)
        self._ids = mesh.device_ids.array()
        self._found: dict[tuple[str, str], HloCollective] = {}
        self._unread = [f"{line[:160]}: its form is not known" for line in module.unread]
        self._plans: dict[Plan, int] = {}
        self._frames: list[tuple[str, int, str]] = []

    def add(self, i: Instruction, visit: Visit) -> None:
        # A TPU splits one asynchronous collective over several fusions: parts of one channel are one collective.
        channel = re.search(r"channel_id=(\d+)", i.attributes)
        part = visit.inside_fusion and channel
        key = ("channel", channel[1]) if channel and part else (visit.computation.name, i.name)
        if key in self._found:
            if not part:
                before = self._found[key]
                times = None if before.times is None or visit.times is None else before.times + visit.times
                self._found[key] = _replaced(before, times)
            return
        try:
            found = self._read(i, visit, asynchronous=bool(part))
        except GroupsError as error:
            self._unread.append(f"{i.line[:160]}: {error}")
            return
        if found is not None:
            self._found[key] = found

    def collected(self) -> Collected:
        return Collected(
            tuple(self._found.values()), tuple(self._plans), listings_of(self._frames), tuple(self._unread)
        )

    def _read(self, i: Instruction, visit: Visit, *, asynchronous: bool) -> HloCollective | None:
        mesh = self._mesh
        pairs: tuple[tuple[int, int], ...] = ()
        if i.opcode == "collective-permute":
            read, text = pairs_of(i.attributes, mesh.size)
            pairs = tuple((a, b) for a, b in read if a != b)
            if not pairs:
                return None
            axes = axes_between(pairs, mesh)
            groups, ranked = _ranked(pairs, axes, mesh)
            irregular = not axes
        else:
            groups, text = groups_of(i.attributes, mesh.size)
            if max(map(len, groups)) < 2:
                return None
            named = axes_of(groups, mesh)
            axes, irregular, ranked = named or (), named is None, ()
        operands = [a for name in i.operands for a in arrays(_up_to_call(visit.computation.types.get(name, "")))]
        size = sum(a.nbytes for a in operands)
        call = Call(
            kind=_kind(i, self._module),
            primitive=i.opcode,
            axes=axes,
            groups=groups,
            dimension=_dimension(i),
            pairs=ranked,
            source=0 if i.opcode == "collective-broadcast" else -1,
        )
        traffic = collectives.bytes_sent(call, size)
        frame = self._positions.user_frame(i)
        if frame:
            self._frames.append(frame)
        estimates = _estimates(call, self._sizes(call), size, self._interconnects)
        return HloCollective(
            kind=i.opcode,  # type: ignore[arg-type]
            axes=axes,
            irregular=irregular,
            groups=tuple(tuple(int(self._ids[p]) for p in group) for group in groups),
            positions=_positions(groups),
            group_size=call.n,
            shapes=tuple(map(str, operands)),
            bytes_per_device=traffic.bytes,
            arithmetic=traffic.arithmetic,
            times=visit.times,
            where=visit.where,
            pairs=pairs,
            source=source_of(frame),
            op=i.metadata.get("op_name", ""),
            backward=is_backward(i),
            by_user=is_asked_for(i),
            asynchronous=i.asynchronous or asynchronous or visit.asynchronous,
            name=i.name,
            groups_text=text,
            remark=self._remark(i, visit, axes),
            plans=tuple(self._plans.setdefault(plan, len(self._plans)) for plan in collectives.plans(call)),
            latency=tuple(float(f"{e.latency_s:.3g}") for e in estimates),
            bandwidth=tuple(float(f"{e.bandwidth_s:.3g}") for e in estimates),
        )

    def _sizes(self, call: Call) -> tuple[int, ...]:
        sizes = tuple(axis.size for axis in self._mesh.axes if axis.name in call.axes)
        return sizes if math.prod(sizes) == call.n else (call.n,)

    def _remark(self, i: Instruction, visit: Visit, axes: tuple[str, ...]) -> str:
        """An argument of the program that is gathered whole again; empty unless the module says so."""
        if i.opcode != "all-gather" or visit.where or len(i.operands) != 1:
            return ""
        name, types = i.operands[0], visit.computation.types
        for _ in range(4):
            text = types.get(name, "")
            if " parameter(" in text:
                found = re.search(r'metadata=\{[^}]*op_name="([^"]+)"', text)
                over = " and ".join(axes) or "irregular groups"
                return f"gathers {found[1]}: undoes its split over {over}" if found else ""
            passed = re.search(r" (?:copy|bitcast|convert)\(%?([\w.\-]+)\)", text)
            if not passed:
                return ""
            name = passed[1]
        return ""


def _replaced(c: HloCollective, times: int | None) -> HloCollective:

    return replace(c, times=times)


def _up_to_call(text: str) -> str:
    """The type at the start of an instruction's text: all before its opcode."""
    found = re.search(r" [a-z][\w\-]*\(", text)
    return text[: found.start()] if found else text


def _kind(i: Instruction, module: Module) -> collectives.Kind:
    if i.opcode == "all-reduce":
        applied = re.search(r"to_apply=%?([\w.\-]+)", i.attributes)
        computation = module.computations.get(applied[1]) if applied else None
        root = next((line for line in computation.lines if line.lstrip().startswith("ROOT")), "") if computation else ""
        return "pmax" if " maximum(" in root else "pmin" if " minimum(" in root else "psum"
    return _KINDS[i.opcode]


_KINDS: dict[str, collectives.Kind] = {
    "all-gather": "all_gather",
    "reduce-scatter": "reduce_scatter",
    "all-to-all": "all_to_all",
    "ragged-all-to-all": "ragged_all_to_all",
    "collective-permute": "ppermute",
    "collective-broadcast": "pbroadcast",
}


def _dimension(i: Instruction) -> int:
    found = re.search(r"dimensions=\{(\d+)", i.attributes)
    return int(found[1]) if found else 0


def _ranked(
    pairs: Sequence[tuple[int, int]], axes: tuple[str, ...], mesh: Mesh
) -> tuple[Groups, tuple[tuple[int, int], ...]]:
    """The groups of a permutation, and its pairs as ranks in them; one group of all where groups do not do the same."""
    numbers = [k for k, axis in enumerate(mesh.axes) if axis.name in axes]
    others = [k for k in range(len(mesh.axes)) if k not in numbers]
    if numbers:
        grid = np.arange(mesh.size).reshape(mesh.shape).transpose(others + numbers)
        groups = tuple(map(tuple, grid.reshape(-1, math.prod(mesh.shape[k] for k in numbers)).tolist()))
        place = {p: (g, r) for g, group in enumerate(groups) for r, p in enumerate(group)}
        moves: dict[int, set[tuple[int, int]]] = {g: set() for g in range(len(groups))}
        for a, b in pairs:
            moves[place[a][0]].add((place[a][1], place[b][1]))
        if len({frozenset(m) for m in moves.values()}) == 1:
            return groups, tuple(sorted(moves[0]))
    return (tuple(range(mesh.size)),), tuple(pairs)


@functools.lru_cache(maxsize=1024)
def _estimates(
    call: Call, sizes: tuple[int, ...], block_bytes: int, interconnects: tuple[cost.Interconnect, ...]
) -> tuple[cost.Estimate, ...]:
    whole = collectives.gathered_bytes(call, block_bytes)
    return tuple(cost.estimate(call, sizes, whole, interconnect) for interconnect in interconnects)


def _positions(groups: Groups) -> Ints:
    size = max(map(len, groups))
    return Ints.pack(np.array([[*group, *[-1] * (size - len(group))] for group in groups]))
