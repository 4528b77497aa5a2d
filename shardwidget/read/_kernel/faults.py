"""What is wrong with a kernel, in sentences, and what would help."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from shardwidget._format import byte_count, count
from shardwidget.document import KernelFault
from shardwidget.read._kernel.machine import Event, Machine, Moments
from shardwidget.read._kernel.races import Pair, covering, helps, unordered
from shardwidget.read._kernel.reading import Reading

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
        said = (
            f"Device {does.device} waits for ever at line {line}: {semaphore.name} needs "
            f"{amount(does.amount)}, {'nothing' if has == 0 else 'only ' + amount(has)} has come"
        )
        others = _unclaimed(reading, usual, step.semaphore)
        detail = f"{_alike(len(ops), 'device')}No copy and no signal for it is left to run.{others}"
        fault = KernelFault("deadlock", said, detail, ops=tuple(ops), device=does.device, count=len(ops))
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
        count=len(group),
    )


def said(reading: Reading, pair: Pair) -> str:
    """The race in a sentence."""
    first, second = pair.first, pair.second
    narrow = second if first.kind in ("enter", "leave") else first
    slot = reading.slot(narrow)
    name = slot.name if slot else "a buffer"
    at = first.device
    who = [reading.ops[a.op].device for a in (first, second)]
    line = [reading.line(a.op) for a in (first, second)]
    if first.kind == "enter":
        return f"Device {who[1]} may write {name} of device {at} before it has entered the kernel (line {line[1]})"
    if second.kind == "leave":
        does = "writes" if first.writes else "reads"
        return f"Device {who[1]} may leave the kernel while the copy of line {line[0]} still {does} its {name}"
    if first.writes and second.writes:
        if who[0] == who[1]:
            return f"Device {who[0]} may write {name} of device {at} twice at once (lines {line[0]} and {line[1]})"
        return (
            f"Devices {who[0]} and {who[1]} may write {name} of device {at} at once "
            f"(line{'s' if line[0] != line[1] else ''} {' and '.join(map(str, dict.fromkeys(line)))})"
        )
    if first.writes:
        does = "send" if second.kind == "copy" else "read"
        by = "its own copy" if who[0] == at else f"the copy from device {who[0]}"
        if first.kind != "copy":
            return f"Device {who[1]} may {does} {name} (line {line[1]}) before line {line[0]} has written it"
        return f"Device {who[1]} may {does} {name} (line {line[1]}) before {by} (line {line[0]}) has arrived"
    does = "still sends it" if reading.ops[first.op].target != at else "still copies it"
    until = f"while it {does}" if first.kind == "copy" else "before it has read it"
    where = (
        f"line {line[1]}"
        if line[0] == line[1]
        else f"line {line[1]}, {'copy' if first.kind == 'copy' else 'read'} in line {line[0]}"
    )
    if who[1] == at:
        return f"Device {at} may overwrite its {name} {until} ({where})"
    return f"Device {who[1]} may overwrite {name} of device {at} {until} ({where})"


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
    return _sentence(reading, pair, covers[0] if waited else None), needs


def _sentence(reading: Reading, pair: Pair, where: int | None) -> str:
    """What to add so that the second access of a pair waits for an operation that comes after the first."""
    first, second = pair.first, pair.second
    line = [reading.line(a.op) for a in (first, second)]
    if first.kind == "enter":
        return (
            f"Before line {line[1]}, signal pltpu.get_barrier_semaphore() of each neighbour and wait until all of them "
            "have signalled this device's"
        )
    does = reading.ops[first.op]
    name = ""
    if first.kind == "copy":
        index = does.semaphore if first.writes else does.sent
        name = reading.semaphores[index].name if index >= 0 else ""
    if second.kind == "leave" or _waits_itself(reading, pair):
        if _waited_before(reading, pair):
            return (
                f"Give the copy of line {line[0]} a semaphore of its own: {name} counts other copies too, and they may "
                "come first"
            )
        wait = "wait_recv" if first.writes else "wait_send"
        what = f"wait for {name} ({wait})" if name else "wait"
        return f"Before {'the kernel ends' if second.kind == 'leave' else f'line {line[1]}'}, {what}"
    by, to = (reading.ops[a.op].device for a in (first, second))
    after = line[0] if where is None else reading.line(where)
    owner = by if where is None else reading.ops[where].device
    return (
        f"On device {owner}, signal a semaphore of device {to} after line {after}; on device {to}, wait for it before "
        f"line {line[1]}: pl.semaphore_wait(free, 1)"
    )


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


def _waited_before(reading: Reading, pair: Pair) -> bool:
    """Whether the second access comes after a wait for the first one's semaphore: it was another copy that ended it."""
    step = reading.steps[pair.first.op]
    semaphore = step.semaphore if pair.first.writes else step.sent
    of = reading.machine.of_core[pair.second.core]
    before = of[: reading.machine.place[pair.second.op]]
    return any(reading.steps[k].kind == "wait" and reading.steps[k].semaphore == semaphore for k in before)


def _waits_itself(reading: Reading, pair: Pair) -> bool:
    """Whether the device that comes second can wait for the copy itself."""
    first, second = pair.first, pair.second
    if first.kind != "copy":
        return False
    step = reading.steps[first.op]
    semaphore = step.semaphore if first.writes else step.sent
    return semaphore is not None and semaphore[1] == reading.ops[second.op].device
