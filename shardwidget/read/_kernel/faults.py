"""What is wrong with a kernel, in sentences, and what would help."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from shardwidget._format import byte_count, count
from shardwidget.document import KernelFault
from shardwidget.read._kernel.machine import Event, Machine, Moments
from shardwidget.read._kernel.races import Pair, covering, helps, unordered
from shardwidget.read._kernel.reading import Reading
from shardwidget.read._kernel.words import core_text, said, sentence

Found = tuple[KernelFault, Pair | None]


def faults(reading: Reading, pairs: Sequence[Pair], usual: Moments) -> list[Found]:
    """All that is wrong: errors, waits that never end, races, semaphores that do not end at zero."""
    blocked = _blocked(reading, usual)
    found: list[Found] = [*_errors(reading), *blocked, *_races(reading, pairs)]
    if not found:
        found += _unwritten(reading)
    if not blocked and not reading.kernel.error and not reading.kernel.stopped:
        found += _left_over(reading, usual)
    return found


def _races(reading: Reading, pairs: Sequence[Pair]) -> list[Found]:
    """Races, without those that the advice for another one ends too."""
    groups = sorted(reading.grouped(pairs), key=lambda group: (_rank(reading, group[0]), -len(group)))
    needs: dict[int, list[Event]] = defaultdict(list)
    found: list[Found] = []
    while groups:
        group = groups.pop(0)
        advice, ordered = _advice(reading, group)
        also = 0
        if advice:
            for op, events in ordered.items():
                needs[op] += events
            machine = Machine(reading.steps, reading.kernel.barrier, needs)
            left = [g for g in groups if any(unordered(machine, pair) for pair in g)]
            also, groups = len(groups) - len(left), left
        found.append((_race(reading, group, advice, also), group[0]))
    return found


def _unwritten(reading: Reading) -> list[Found]:
    """Copies of slots that nobody has written, by line."""
    grouped: dict[int, list[int]] = defaultdict(list)
    for op in reading.unwritten:
        grouped[reading.line(op)].append(op)
    found: list[Found] = []
    for line, ops in grouped.items():
        does = reading.ops[ops[0]]
        name = reading.slots.slots[does.slots[0]].name
        said = f"Device {does.device} sends {name} (line {line}), which nobody has written"
        more = f"The same for {len(ops)} copies." if len(ops) > 1 else ""
        fault = KernelFault(
            "unwritten", said, more, ops=(ops[0],), device=does.device, slot=does.slots[0], count=len(ops)
        )
        found.append((fault, None))
    return found


def _rank(reading: Reading, pair: Pair) -> int:
    """Which races come first: where devices may not have entered, and where they run ahead, others follow."""
    kinds = (pair.first.kind, pair.second.kind)
    if "enter" in kinds:
        return 0
    if "leave" in kinds:
        return 4
    if not pair.first.writes and reading.ops[pair.second.op].device != pair.first.device:
        return 1 if pair.first.kind == "copy" else 2
    return 3


def _errors(reading: Reading) -> list[Found]:
    kernel = reading.kernel
    if not kernel.error:
        return []
    places = range(kernel.devices)
    astray = (k for k, o in enumerate(reading.ops) if o.kind in ("copy", "signal") and o.target not in places)
    op = next(astray, reading.broken)
    where = "" if op is None else f" (line {reading.line(op)})"
    does = None if op is None else reading.ops[op]
    if does and does.kind in ("copy", "signal") and does.target not in places:
        verb = "sends" if does.kind == "copy" else "signals"
        said = f"Device {does.device} {verb} to device {does.target}{where}; the mesh has {kernel.devices}, from 0 on"
    else:
        said = f"The interpreter stopped{where}: {kernel.error.splitlines()[0]}"
    ops = () if op is None else (op,)
    return [(KernelFault("error", said, kernel.error[:2000], ops=ops, device=does.device if does else -1), None)]


def _blocked(reading: Reading, usual: Moments) -> list[Found]:
    """Waits that never end, by line and semaphore."""
    grouped: dict[tuple[int, int], list[int]] = defaultdict(list)
    for op in usual.blocked.values():
        if reading.steps[op].kind == "wait" and not (reading.kernel.error and not reading.kernel.stopped):
            grouped[reading.line(op), reading.ops[op].semaphore].append(op)
    found: list[Found] = []
    for (line, _), ops in grouped.items():
        op = ops[0]
        does = reading.ops[op]
        semaphore = reading.semaphores[does.semaphore]
        step = reading.steps[op]
        assert step.semaphore is not None
        has = usual.counts.get(step.semaphore, 0)
        amount = byte_count if semaphore.counts_bytes else str
        who = core_text(reading, op)
        said = (
            f"{who[:1].upper()}{who[1:]} waits for ever at line {line}: {semaphore.name} needs "
            f"{amount(does.amount)}, {'nothing' if has == 0 else 'only ' + amount(has)} has come"
        )
        others = _unclaimed(reading, usual, step.semaphore)
        alike = _alike(len(ops), "device" if reading.kernel.cores == 1 else "core")
        detail = f"{alike}No copy and no signal for it is left to run.{others}"
        fault = KernelFault(
            "deadlock", said, detail, ops=tuple(ops), device=does.device, core=does.core, count=len(ops)
        )
        found.append((fault, None))
    return sorted(found, key=lambda f: min(f[0].ops))


def _unclaimed(reading: Reading, usual: Moments, wanted: tuple[int, int, int]) -> str:
    """Semaphores of the same device that hold something that nobody waits for."""
    others = []
    for (number, device, core), left in usual.counts.items():
        if left > 0 and (device, core) == wanted[1:] and number != wanted[0] and number in reading.index:
            semaphore = reading.semaphores[reading.index[number]]
            others.append(f"{semaphore.name} holds {byte_count(left) if semaphore.counts_bytes else left}")
    return f" On device {wanted[1]}, {', '.join(others)} that nobody waits for." if others else ""


def _alike(n: int, noun: str) -> str:
    return f"The same on {count(n, noun)}. " if n > 1 else ""


def _left_over(reading: Reading, usual: Moments) -> list[Found]:
    """Semaphores that do not end at zero."""
    grouped: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (number, device, _), left in usual.counts.items():
        if left:
            grouped[reading.index.get(number, -1)].append((device, left))
    found: list[Found] = []
    for k, places in grouped.items():
        device, left = places[0]
        semaphore = reading.semaphores[k]
        amount = byte_count(left) if semaphore.counts_bytes else left
        said = f"{semaphore.name} of device {device} is not zero when the kernel ends: {amount} left"
        detail = _alike(len(places), "device") + "A TPU stops a program whose semaphores do not end at zero."
        fault = KernelFault("semaphore", said, detail, device=device, count=len(places))
        found.append((fault, None))
    return found


def _race(reading: Reading, group: Sequence[Pair], advice: str, also: int) -> KernelFault:
    pair = group[0]
    first, second = pair.first, pair.second
    lines = [line for line in dict.fromkeys(reading.line(a.op) for a in (first, second)) if line]
    where = f"Line {lines[0]}" if len(lines) == 1 else f"Lines {' and '.join(map(str, lines))}"
    detail = f"{where}: no semaphore orders the two."
    if len(group) > 1:
        detail += f" The same for {len(group)} pairs of accesses."
    if also:
        detail += f" What is to add ends {count(also, 'other race')} too."
    return KernelFault(
        kind="race",
        headline=said(reading, pair),
        detail=detail,
        advice=advice,
        ops=(first.op, second.op),
        events=tuple("write" if a.writes else "read" for a in (first, second)),
        device=first.device,
        slot=reading.slot_index(first),
        core=first.key[2],
        count=len(group),
    )


def _advice(reading: Reading, group: Sequence[Pair]) -> tuple[str, dict[int, list[Event]]]:
    """What orders all pairs of a group, in words and as events to wait for; nothing unless the kernel ends with it."""
    pair = group[0]
    covers = [_whole_line(reading, covering(reading.machine, one.first)) for one in group]
    needs = _needs(group, covers)
    waited = helps(reading.steps, reading.kernel.barrier, needs)
    if not waited:
        needs = _needs(group, [None] * len(group))
        if not helps(reading.steps, reading.kernel.barrier, needs):
            return "", {}
    return sentence(reading, pair, covers[0] if waited else None), needs


def _whole_line(reading: Reading, op: int | None) -> int | None:
    """The last of the waits that one line makes: ``copy.wait()`` is two."""
    if op is None:
        return None
    of = reading.machine.of_core[reading.steps[op].core]
    for k in of[reading.machine.place[op] + 1 :]:
        if reading.steps[k].kind != "wait" or reading.line(k) != reading.line(op):
            break
        op = k
    return op


def _needs(group: Sequence[Pair], covers: Sequence[int | None]) -> dict[int, list[Event]]:
    """What each second access waits for: the operation that covers the first, or the first's own end."""
    needs: dict[int, list[Event]] = defaultdict(list)
    for pair, op in zip(group, covers, strict=True):
        needs[pair.second.op].append(pair.first.end if op is None else ("end", op))
    return needs
