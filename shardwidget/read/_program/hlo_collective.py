"""One collective of a module, as the document states it."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass

import numpy as np

from shardwidget import collectives, cost
from shardwidget.collectives import Statement, statement_of_opcode
from shardwidget.document import HloCollective, Ints, Mesh, Plan
from shardwidget.read._program import megascale
from shardwidget.read._program.axes import GroupAxes, axes_of_groups, ranked
from shardwidget.read._program.groups import Groups, expand, groups_text, meaning_of, modes, positions
from shardwidget.read._program.loops import FoundCollective
from shardwidget.read._program.module import Computation, Module
from shardwidget.read._program.origin import InstructionOrigin, Origins
from shardwidget.read._program.remark import Remark, argument_of, remark_of
from shardwidget.read._program.widened import widened_from
from shardwidget.read._target import estimates


@dataclass(frozen=True)
class _Facts:
    """What collectives of one kind, with the same groups and the same bytes, have in common."""

    pairs: tuple[tuple[int, int], ...]
    over: GroupAxes
    n: int
    traffic: collectives.Traffic
    plans: tuple[int, ...]
    latency: tuple[float, ...]
    bandwidth: tuple[float, ...]
    ids: tuple[tuple[int, ...], ...]
    packed: Ints


class HloCollectives:
    """Reads the collectives of a module and numbers the plans that they use.

    Args:
        module: the module.
        mesh: the user's mesh.
        order: mesh position of each device of the program, in the order of its device assignment.
        interconnects: what times are estimated for.
        fitting: the one of them that connects these devices; None where none does.
    """

    def __init__(
        self,
        module: Module,
        mesh: Mesh,
        order: tuple[int, ...],
        interconnects: tuple[cost.Interconnect, ...],
        fitting: cost.Interconnect | None,
    ) -> None:
        self.plans: list[Plan] = []
        self._module = module
        self._mesh = mesh
        self._order = order
        self._interconnects = interconnects
        self._fitting = fitting
        self._numbers: dict[Plan, int] = {}
        self.origins = Origins(module)
        self._ids = mesh.device_ids.array().tolist()
        # A program has many that differ only in their lines; the cache of what they share ends with the reading.
        self._facts = functools.cache(self._read_facts)

    def of(self, found: FoundCollective) -> tuple[HloCollective, tuple[InstructionOrigin, ...]]:
        """A collective as a document, and its origin: for a combined one several, most bytes first.

        Raises:
            ValueError: part of its text cannot be read; the message names it.
        """
        instruction = found.instruction
        between_slices = megascale.is_host_transfer(instruction)
        if between_slices:
            statement = megascale.transferred(instruction)
            kind, text = statement.opcodes[0], megascale.target_text(instruction)
        else:
            statement, kind = _statement(found, self._module)
            text = groups_text(instruction.text)
        shapes = _operand_types(found, statement)
        size = sum(map(_bytes, shapes))
        facts = self._facts(statement, kind, text, *modes(instruction.text), size, between_slices)
        origins = self._origins_of(found, [_bytes(shape) for shape in shapes])
        origin = origins[0]
        by_user = 'is_spmd_generated="true"' not in instruction.text and _by_user(origin.primitive, kind)
        looks = Remark() if by_user else remark_of(found, statement.semantics, facts.over.axes, origin, self._module)
        document = HloCollective(
            kind=kind,
            semantics=statement.semantics,
            axes=facts.over.axes,
            irregular=facts.over.irregular,
            within=facts.over.within,
            groups=facts.ids,
            positions=facts.packed,
            group_size=facts.n,
            shapes=tuple(map(_as_jax, shapes)),
            bytes_per_device=facts.traffic.bytes,
            arithmetic=facts.traffic.arithmetic,
            times=found.times,
            nest=found.trail[-1] if found.trail else -1,
            calls=found.calls,
            pairs=facts.pairs,
            source=origin.source,
            library=origin.library,
            module=origin.module,
            also=tuple(dict.fromkeys(o.source for o in origins[1:] if o.source and o.source != origin.source)),
            op=origin.op,
            backward=origin.backward,
            recomputed=origin.recomputed,
            by_user=by_user,
            asynchronous=found.asynchronous,
            name=instruction.name,
            operand=argument_of(found, self._module),
            groups_text=text,
            groups_meaning=meaning_of(text, facts.ids, self._mesh.size),
            widened_from=widened_from(found, self._module) if self._mesh.platform == "cpu" else "",
            remark=looks.said,
            advice=looks.advice,
            plans=facts.plans,
            latency=facts.latency,
            bandwidth=facts.bandwidth,
        )
        return document, origins

    def _origins_of(self, found: FoundCollective, sizes: list[int]) -> tuple[InstructionOrigin, ...]:
        parts = self.origins.parts(found)
        if len(parts) != len(sizes) or not any(part.op for part in parts):
            return (self.origins.of(found),)
        order = sorted(range(len(parts)), key=lambda k: -sizes[k])
        return tuple(parts[k] for k in order if parts[k].op)

    def _read_facts(
        self, statement: Statement, kind: str, text: str, channel: bool, flattened: bool, size: int, slices: bool
    ) -> _Facts:
        groups = self._between_slices(text) if slices else self._groups(text, statement, channel, flattened)
        pairs = ranks = ()
        if statement.by_pairs:
            pairs = tuple((source, target) for source, target in groups)
            groups, ranks = ranked(pairs, self._mesh.shape)
        goes = axes_of_groups(groups, [axis.name for axis in self._mesh.axes], self._mesh.shape)
        # The first of a group sends, where one does: openxla.org/xla/operation_semantics, "CollectiveBroadcast".
        call = collectives.Call(statement, kind, goes.axes, groups, pairs=ranks, source=0)
        times = self._estimates(call, size, slices)
        return _Facts(
            pairs=pairs,
            over=goes,
            n=call.n,
            traffic=collectives.bytes_sent(call, size),
            plans=tuple(self._number(plan) for plan in collectives.plans(call)),
            latency=tuple(float(f"{estimate.latency_s:.3g}") for estimate in times),
            bandwidth=tuple(float(f"{estimate.bandwidth_s:.3g}") for estimate in times),
            ids=tuple(tuple(self._ids[p] for p in group) for group in groups),
            packed=Ints.pack(np.array([[*group, *[-1] * (call.n - len(group))] for group in groups])),
        )

    def _groups(self, text: str, statement: Statement, channel: bool, flattened: bool) -> Groups:
        if not text:
            raise ValueError("it names no groups")
        replicas, partitions = self._module.replicas, self._module.partitions
        orders = self._orders()
        count = len(orders[0])
        if replicas * partitions != count:
            raise ValueError(f"it is for {replicas} × {partitions} devices, and the mesh has {len(self._order)}")
        ids = expand(text.partition("=")[2])
        if statement.by_pairs and not ids:  # Nobody sends: every device gets zeros.
            return ()
        crosses = statement.numbers_partitions
        groups = positions(ids, replicas, partitions, channel=channel, flattened=flattened, crosses=crosses)
        unknown = [p for group in groups for p in group if p >= count]
        if unknown:
            raise ValueError(f"it names the device {unknown[0]} of {count}")
        return tuple(tuple(order[p] for p in group) for order in orders for group in groups)

    def _orders(self) -> list[list[int]]:
        """Mesh positions of the devices that one copy of the module runs on: of all, or of the slices one by one."""
        slices = self._mesh.slices
        if slices is None or self._module.replicas * self._module.partitions == len(self._order):
            return [list(self._order)]
        of = slices.array().tolist()
        return [[p for p in self._order if of[p] == one] for one in sorted(set(of))]

    def _between_slices(self, text: str) -> Groups:
        position = {device: p for p, device in enumerate(self._ids)}
        ids = megascale.target_ids(text)
        unknown = [device for group in ids for device in group if device not in position]
        if unknown:
            raise ValueError(f"it names the device {unknown[0]}, which the mesh does not have")
        return tuple(tuple(position[device] for device in group) for group in ids)

    def _estimates(self, call: collectives.Call, size: int, slices: bool) -> list[cost.Estimate]:
        whole = collectives.gathered_bytes(call, size)
        if slices:
            return [cost.estimate(call, [call.n], whole, ici, between_slices=True) for ici in self._interconnects]
        return estimates(call, whole, self._mesh, self._interconnects, self._fitting)

    def _number(self, plan: Plan) -> int:
        if plan not in self._numbers:
            self._numbers[plan] = len(self.plans)
            self.plans.append(plan)
        return self._numbers[plan]


def _statement(found: FoundCollective, module: Module) -> tuple[Statement, str]:
    """What an instruction does, and XLA's name for it: of a fusion that does another collective by it, that one's."""
    opcode = found.instruction.kind
    fused = collectives.statement_of_fusion(opcode, found.computation.name)
    return (fused, fused.opcodes[0]) if fused else (statement_of_opcode(opcode, _reduction(found, module)), opcode)


def _by_user(primitive: str, opcode: str) -> bool:
    requested = collectives.statement_of(primitive)
    return requested is not None and opcode in (*requested.opcodes, *requested.compiled_to)


def _reduction(found: FoundCollective, module: Module) -> str:
    """Opcode of the operation that a collective combines with; empty where it does not combine."""
    computation: Computation | None = module.computations.get(found.instruction.attribute("to_apply").lstrip("%"))
    return computation.root.opcode if computation is not None and computation.root is not None else ""


def _operand_types(found: FoundCollective, statement: Statement) -> list[str]:
    instruction = found.instruction
    types = []
    for name in instruction.operands:
        operand = found.computation.by_name.get(name)
        if operand is None:
            raise ValueError(f"the type of its operand {name} is not in the text")
        types += _ARRAY.findall(operand.type)
    if statement.ragged:
        return types[:1]  # the output and the offsets stay where they are
    return [kind for kind in types if not kind.startswith("token")]


_ARRAY = re.compile(r"\b[a-z]+\d*[a-z\d]*\[[\d,<=]*\]")


def _bytes(kind: str) -> int:
    dtype, _, shape = kind.partition("[")
    width = re.match(r"[a-z]+(\d+)", dtype)
    bits = int(width[1]) if width else 8  # pred
    return -(-math.prod(int(size) for size in re.findall(r"\d+", shape)) * bits // 8)


def _as_jax(kind: str) -> str:
    """A type in JAX's spelling: ``s32[4]`` is ``i32[4]``."""
    dtype, _, shape = kind.partition("[")
    dtype = {"pred": "bool"}.get(dtype, re.sub(r"^s(?=\d)", "i", dtype))
    return re.sub(r"^(f\d+)(e\d)", r"\1_\2", dtype) + "[" + shape
