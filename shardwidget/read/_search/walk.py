"""What a divided program costs: its collectives by axis and loop, its products, its traffic with memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shardwidget import _jax, cost
from shardwidget.collectives import Statement
from shardwidget.collectives.registry import statement_of_opcode
from shardwidget.document import Figures, Sent
from shardwidget.read._search.alive import LANES, arguments_of, peak_of
from shardwidget.read._search.gathers import TURNS, same_gathers, turned, users
from shardwidget.read._search.machine import Layout, Machine
from shardwidget.read._search.sums import is_in_small_parts, is_of_one, is_turned_next
from shardwidget.read._search.tables import is_of_constant, lookups, rows_added, summed_whole

_OPCODES = {
    "sdy.all_gather": "all-gather",
    "sdy.all_reduce": "all-reduce",
    "sdy.reduce_scatter": "reduce-scatter",
    "sdy.all_to_all": "all-to-all",
    "sdy.collective_permute": "collective-permute",
}


@dataclass(eq=False)
class _Found:
    """A collective of a program."""

    opcode: str
    axes: _jax.Axes
    whole: int
    """V of ``cost.estimate``: bytes of the gathered array on a device; of the block of a permutation."""
    times: int
    in_loop: bool
    around: bool = False
    """Whether it is a ring of permutations, around a product that takes a part at a time."""


_TAKEN_APART = frozenset({"sdy.all_gather", "sdy.all_reduce", "sdy.reduce_scatter"})

AROUND = range(3, 64)
"""Sizes of groups in which XLA takes a product apart, to pass weights or sums around a ring."""

TAKEN = 1.9
"""How much longer such a product takes than to send a part over the links of one axis, at the least.

XLA's ``dot_handler.cc`` weighs this (``disable_windowed_einsum``): parts that are sent besides are 2, at libtpu's own
speeds. Float32 weights of groups of 4 to 32 that 8192 rows of a group read were gathered, those of 8448 on v5e and of
10240 on v5p went around; in bfloat16 half as many did. Groups of 2 × 2 on v5p never went around.
"""

SUMMED = 64
"""The fewest devices of a program in which XLA sums, filled up with zeros, what all of them gather: 32 gather it."""


@dataclass
class _Work:
    seconds: float = 0.0
    found: list[_Found] = field(default_factory=list)


def figures_of(
    program: _jax.Block, machine: Machine, layout: Layout, *, batch_axes: frozenset[str], donated: Sequence[bool]
) -> Figures:
    """What a program takes.

    Args:
        program: the program, as Shardy divides it.
        machine: its devices.
        layout: how the axes lie on them.
        batch_axes: axes that split the batch. The rule: collectives over them, which move weights and gradients,
            overlap with compute; all others stand between products and are exposed.
        donated: as of ``peak_of``.
    """
    work = _Work()
    _walk(program, machine, layout, batch_axes, work, 1, False)
    # Optimizers read and write the state once, element by element.
    state = sum(v.bytes for v in (*program.arguments, *program.results))
    compute = work.seconds + state / machine.speed.memory
    sent = _priced(work.found, machine, layout, batch_axes)
    exposed = math.fsum(s.seconds for s in sent if not s.hidden)
    hidden = math.fsum(s.seconds for s in sent if s.hidden)
    lanes = LANES if machine.platform == "tpu" else 1
    arguments = arguments_of(program, lanes=lanes)
    return Figures(compute, exposed, hidden, arguments, peak_of(program, donated, lanes=lanes), sent)


def _walk(
    block: _jax.Block,
    machine: Machine,
    layout: Layout,
    batch_axes: frozenset[str],
    work: _Work,
    times: int,
    in_loop: bool,
) -> None:
    used, looked_up = users(block), lookups(block)
    made = {id(v): op for op in block.ops for v in op.results}
    returned = {id(v) for v in block.results}
    same = same_gathers(block, made, looked_up)
    once: set[tuple[int, str]] = set()
    partial: dict[int, list[_Found]] = {}
    for op in block.ops:
        if op.name in ("stablehlo.case", "stablehlo.if"):
            # The branch that takes longest: which one runs is known only then.
            branches = [_Work() for _ in op.bodies]
            for body, each in zip(op.bodies, branches, strict=True):
                _walk(body, machine, layout, batch_axes, each, times, in_loop)
            most = max(branches, key=lambda each: (each.seconds, sum(f.whole for f in each.found)), default=_Work())
            work.seconds += most.seconds
            work.found += most.found
            continue
        for body in op.bodies:
            _walk(body, machine, layout, batch_axes, work, times * op.times, in_loop or op.name == "stablehlo.while")
        if op.name in ("stablehlo.dot_general", "stablehlo.convolution"):
            work.seconds += times * _product(op, machine)
        elif op.name == "stablehlo.add":
            # XLA adds parts of sums first, and reduces the sum.
            first, second = (partial.get(id(v), []) for v in op.operands)
            alike = [f.axes for f in first] == [f.axes for f in second]
            if first and first is not second and alike and all(f in work.found for f in first):
                work.found = [f for f in work.found if f not in first]
                partial[id(op.results[0])] = second
        elif op.name in _OPCODES and op.axes:
            key = (id(turned(op.operands[0], made)), op.key)
            if id(op) in same or (op.name != "sdy.all_gather" and key in once):
                continue
            if op.name == "sdy.all_gather" and is_of_constant(op, made):
                continue
            once.add(key)
            rows = looked_up.get(id(op))
            sent = _collective(op, made, used, rows, id(op.results[0]) in returned, machine, times, in_loop)
            of_weights = bool(batch_axes & {name for name, _ in op.axes})
            if of_weights and _is_around(op, made, used, machine):
                sent = [replace(each, around=True) for each in sent]
            work.found += sent
            if (
                op.name == "sdy.all_reduce"
                and len(used.get(id(op.results[0]), ())) == 1
                and id(op.results[0]) not in returned
            ):
                partial[id(op.results[0])] = sent


def _is_around(
    op: _jax.Op,
    made: Mapping[int, _jax.Op],
    used: Mapping[int, Sequence[_jax.Op]],
    machine: Machine,
) -> bool:
    """Whether XLA takes a product apart, and passes what it needs, or what it sums, around a ring.

    It does so for weights that no two devices have a copy of, in a product that reads them alone.
    """
    gathers = op.name == "sdy.all_gather"
    split, whole = (op.operands[0], op.results[0]) if gathers else _summed(op, used)
    members = _members(op.axes)
    if machine.platform != "tpu" or members not in AROUND or op.name not in _TAKEN_APART:
        return False
    if math.prod(split.local) * machine.size > math.prod(split.shape):
        return False
    if gathers:
        # Gathered for another product too, it is gathered once, for both.
        if sum(reader.name == op.name for reader in used.get(id(split), ())) > 1:
            return False
        readers = used.get(id(whole), [])
        while len(readers) == 1 and readers[0].name in TURNS:
            readers = used.get(id(readers[0].results[0]), [])
        product = readers[0] if len(readers) == 1 else None
    else:
        product = made.get(id(turned(op.operands[0], made)))
    if product is None or product.name != "stablehlo.dot_general":
        return False
    part = whole.bytes / members
    return _arithmetic(product, machine) > TAKEN * part / machine.interconnect.bandwidth


def _summed(op: _jax.Op, used: Mapping[int, Sequence[_jax.Op]]) -> tuple[_jax.Value, _jax.Value]:
    """The part of a sum that a device keeps, and the sum."""
    slices = used.get(id(op.results[0]), [])
    kept = slices[0].results[0] if slices and all(u.name == "sdy.all_slice" for u in slices) else op.results[0]
    return kept, op.operands[0]


def _collective(
    op: _jax.Op,
    made: Mapping[int, _jax.Op],
    readers: Mapping[int, Sequence[_jax.Op]],
    rows: _jax.Value | None,
    returned: bool,
    machine: Machine,
    times: int,
    in_loop: bool,
) -> list[_Found]:
    opcode = _OPCODES[op.name]
    (operand,), (result,) = op.operands, op.results
    whole = result.bytes
    users = readers.get(id(result), [])
    sliced = {axis for u in users for axis in u.axes}
    scatters = opcode == "all-reduce" and users and not returned and all(u.name == "sdy.all_slice" for u in users)
    if scatters:
        # Of the sum each keeps a part: it is scattered over those axes, and the part is summed over the others.
        over = tuple(axis for axis in op.axes if axis in sliced)
        rest = tuple(axis for axis in op.axes if axis not in sliced)
        part = whole // _members(over)
        summed = [_Found(opcode, rest, part, times, in_loop)] if rest else []
        if added := rows_added(op, users, made, readers):
            added_rows, moves = added
            if not moves:
                gathers, sums = summed_whole(users[0], made, readers)
                gathered = [_Found("all-gather", over, whole, times, in_loop)] if gathers else []
                return gathered + ([_Found(opcode, op.axes, whole, times, in_loop)] if sums else [])
            return [_Found("all-to-all", over, added_rows.bytes * _members(over), times, in_loop), *summed]
        # On TPUs XLA sums whole what all devices have a part of, and what is not cut as it is summed.
        of_all = _members(over) == machine.size
        is_uncut = is_turned_next(users, readers) or is_in_small_parts(users) or is_of_one(op, made)
        is_whole = machine.platform == "tpu" and (of_all or is_uncut)
        kept = "all-reduce" if is_whole else "reduce-scatter"
        scattered = [_Found(kept, over, whole, times, in_loop)] if over else []
        return [*scattered, *summed]
    if opcode == "reduce-scatter":
        whole = operand.bytes
    elif opcode == "all-to-all":
        whole = operand.bytes * _members(op.axes)
    elif rows is not None:
        opcode, whole = "all-to-all", rows.bytes * _members(op.axes)
    elif opcode == "all-gather" and machine.platform == "tpu" and _members(op.axes) == machine.size >= SUMMED:
        opcode = "all-reduce"
    return [_Found(opcode, op.axes, whole, times, in_loop)]


def _members(axes: _jax.Axes) -> int:
    """How many devices a group over some axes has."""
    return math.prod(size for _, size in axes)


def _product(op: _jax.Op, machine: Machine) -> float:
    """Seconds of a product: the longer of its arithmetic and its traffic with memory."""
    moved = sum(v.bytes for v in (*op.operands[:2], *op.results))
    return max(_arithmetic(op, machine), moved / machine.speed.memory)


def _arithmetic(product: _jax.Op, machine: Machine) -> float:
    return 2 * math.prod(product.results[0].local) * product.summed / machine.speed.flops


def _priced(found: Sequence[_Found], machine: Machine, layout: Layout, batch_axes: frozenset[str]) -> tuple[Sent, ...]:
    """Collectives with their prices, those that are alike together."""
    sums: dict[tuple[tuple[str, ...], str, int, bool, bool], tuple[int, float]] = {}
    for each in _joined(found, batch_axes):
        spans = layout.spans(each.axes)
        n = _members(each.axes)
        if each.around:
            kind, part = "collective-permute", each.whole / n
            one = cost.estimate("ppermute", spans, part, machine.interconnect, routes=layout.ring(each.axes))
            # Half of the parts go one way around, half the other, at once; one comes first.
            seconds = (n // 2 + 1) * one.seconds * each.times
            bytes_ = math.ceil((n + 1) * part)
        else:
            kind = each.opcode
            seconds = cost.estimate(kind, spans, each.whole, machine.interconnect).seconds * each.times
            bytes_ = _sends(statement_of_opcode(kind), each.whole, n)
        names = _names(each)
        hidden = bool(batch_axes & set(names))
        key = (names, kind, each.times, each.in_loop, hidden)
        known = sums.get(key, (0, 0.0))
        sums[key] = known[0] + bytes_ * each.times, known[1] + seconds
    return tuple(
        Sent(names, kind, times, in_loop, total, seconds, hidden)
        for (names, kind, times, in_loop, hidden), (total, seconds) in sums.items()
    )


def _joined(found: Sequence[_Found], batch_axes: frozenset[str]) -> list[_Found]:
    """The same with sums of gradients as one: they do not wait for one another, and XLA joins them."""
    sums: dict[tuple[_jax.Axes, int, bool], int] = {}
    others = []
    for each in found:
        if each.opcode == "all-reduce" and not each.around and batch_axes & set(_names(each)):
            key = each.axes, each.times, each.in_loop
            sums[key] = sums.get(key, 0) + each.whole
        else:
            others.append(each)
    return [*others, *(_Found("all-reduce", axes, whole, n, loop) for (axes, n, loop), whole in sums.items())]


def _names(of: _Found) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name, _ in of.axes))


def _sends(statement: Statement, whole: int, n: int) -> int:
    return math.ceil(sum(phase.sends(n) for phase in statement.phases) * whole) if statement.phases else whole
