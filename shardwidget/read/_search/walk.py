"""What a divided program costs: its collectives by axis and loop, its products, its traffic with memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shardwidget import _jax, cost
from shardwidget.collectives import Statement
from shardwidget.collectives.registry import statement_of_opcode
from shardwidget.document import Figures, Sent
from shardwidget.read._search.alive import peak_of
from shardwidget.read._search.machine import Layout, Machine
from shardwidget.read._search.rounding import round_first, rounds_first

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
    if machine.platform == "tpu" and rounds_first():
        round_first(program)
    work = _Work()
    _walk(program, machine, work, 1, False)
    arguments = sum(v.bytes for v in program.arguments)
    # Optimizers read and write the state once, element by element.
    results = sum(v.bytes for v in program.results)
    compute = work.seconds + (arguments + results) / machine.speed.memory
    sent = _priced(work.found, machine, layout, batch_axes)
    exposed = math.fsum(s.seconds for s in sent if not s.hidden)
    hidden = math.fsum(s.seconds for s in sent if s.hidden)
    return Figures(compute, exposed, hidden, arguments, peak_of(program, donated), sent)


def _walk(block: _jax.Block, machine: Machine, work: _Work, times: int, in_loop: bool) -> None:
    used = _users(block)
    made = {id(v): op for op in block.ops for v in op.results}
    returned = {id(v) for v in block.results}
    once: set[tuple[int, str]] = set()
    partial: dict[int, list[_Found]] = {}
    for op in block.ops:
        if op.name in ("stablehlo.case", "stablehlo.if"):
            # The branch that takes longest: which one runs is known only then.
            branches = [_Work() for _ in op.bodies]
            for body, each in zip(op.bodies, branches, strict=True):
                _walk(body, machine, each, times, in_loop)
            most = max(branches, key=lambda each: (each.seconds, sum(f.whole for f in each.found)), default=_Work())
            work.seconds += most.seconds
            work.found += most.found
            continue
        for body in op.bodies:
            _walk(body, machine, work, times * op.times, in_loop or op.name == "stablehlo.while")
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
            key = (id(_turned(op.operands[0], made)), str(op.axes) if op.name == "sdy.all_gather" else op.key)
            if key in once:
                continue
            once.add(key)
            users = used.get(id(op.results[0]), [])
            sent = _collective(op, users, id(op.results[0]) in returned, times, in_loop)
            work.found += sent
            if op.name == "sdy.all_reduce" and len(users) == 1 and id(op.results[0]) not in returned:
                partial[id(op.results[0])] = sent


def _turned(v: _jax.Value, made: Mapping[int, _jax.Op]) -> _jax.Value:
    """The value that one is made of by turning it round: XLA gathers it once, and turns what is gathered."""
    while (op := made.get(id(v))) is not None and op.name in ("stablehlo.reverse", "stablehlo.transpose"):
        v = op.operands[0]
    return v


def _users(block: _jax.Block) -> dict[int, list[_jax.Op]]:
    found: dict[int, list[_jax.Op]] = {}
    for op in block.ops:
        for v in op.operands:
            found.setdefault(id(v), []).append(op)
    return found


def _collective(op: _jax.Op, users: Sequence[_jax.Op], returned: bool, times: int, in_loop: bool) -> list[_Found]:
    opcode = _OPCODES[op.name]
    (operand,), (result,) = op.operands, op.results
    whole = result.bytes
    sliced = {axis for u in users for axis in u.axes}
    if opcode == "all-reduce" and users and not returned and all(u.name == "sdy.all_slice" for u in users):
        # Of the sum each keeps a part: it is scattered over those axes, and the part is summed over the others.
        over = tuple(axis for axis in op.axes if axis in sliced)
        rest = tuple(axis for axis in op.axes if axis not in sliced)
        part = whole // math.prod(size for _, size in over)
        scattered = [_Found("reduce-scatter", over, whole, times, in_loop)] if over else []
        return [*scattered, *([_Found(opcode, rest, part, times, in_loop)] if rest else [])]
    if opcode == "reduce-scatter":
        whole = operand.bytes
    elif opcode == "all-to-all":
        whole = operand.bytes * math.prod(size for _, size in op.axes)
    return [_Found(opcode, op.axes, whole, times, in_loop)]


def _product(op: _jax.Op, machine: Machine) -> float:
    """Seconds of a product: the longer of its arithmetic and its traffic with memory."""
    elements = math.prod(op.results[0].local)
    moved = sum(v.bytes for v in (*op.operands[:2], *op.results))
    return max(2 * elements * op.summed / machine.speed.flops, moved / machine.speed.memory)


def _priced(found: Sequence[_Found], machine: Machine, layout: Layout, batch_axes: frozenset[str]) -> tuple[Sent, ...]:
    """Collectives with their prices, those that are alike together."""
    sums: dict[tuple[tuple[str, ...], str, int, bool, bool], tuple[int, float]] = {}
    for each in _joined(found, batch_axes):
        statement = statement_of_opcode(each.opcode)
        spans = layout.spans(each.axes)
        seconds = cost.estimate(each.opcode, spans, each.whole, machine.interconnect).seconds * each.times
        names = _names(each)
        hidden = bool(batch_axes & set(names))
        key = (names, each.opcode, each.times, each.in_loop, hidden)
        known = sums.get(key, (0, 0.0))
        n = math.prod(size for _, size in each.axes)
        sums[key] = known[0] + _sends(statement, each.whole, n) * each.times, known[1] + seconds
    return tuple(
        Sent(names, kind, times, in_loop, total, seconds, hidden)
        for (names, kind, times, in_loop, hidden), (total, seconds) in sums.items()
    )


def _joined(found: Sequence[_Found], batch_axes: frozenset[str]) -> list[_Found]:
    """The same with sums of gradients as one: they do not wait for one another, and XLA joins them."""
    sums: dict[tuple[_jax.Axes, int, bool], int] = {}
    others = []
    for each in found:
        if each.opcode == "all-reduce" and batch_axes & set(_names(each)):
            key = each.axes, each.times, each.in_loop
            sums[key] = sums.get(key, 0) + each.whole
        else:
            others.append(each)
    return [*others, *(_Found("all-reduce", axes, whole, n, loop) for (axes, n, loop), whole in sums.items())]


def _names(of: _Found) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name, _ in of.axes))


def _sends(statement: Statement, whole: int, n: int) -> int:
    return math.ceil(sum(phase.sends(n) for phase in statement.phases) * whole) if statement.phases else whole
