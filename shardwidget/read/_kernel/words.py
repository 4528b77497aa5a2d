"""A race in a sentence, and what to add to end it."""

from __future__ import annotations

from shardwidget.read._kernel.races import Access, Pair
from shardwidget.read._kernel.reading import Reading


def core_text(reading: Reading, op: int) -> str:
    """Who does an operation: the device; with several cores, which of them."""
    does = reading.ops[op]
    return f"device {does.device}" if reading.kernel.cores == 1 else f"core {does.core} of device {does.device}"


def said(reading: Reading, pair: Pair) -> str:
    """The race in a sentence."""
    text = _said(reading, pair)
    return text[:1].upper() + text[1:]


def _said(reading: Reading, pair: Pair) -> str:
    first, second = pair.first, pair.second
    name = _name(reading, second if first.kind in ("enter", "leave") else first)
    at = first.device
    who = [core_text(reading, a.op) for a in (first, second)]
    line = [reading.line(a.op) for a in (first, second)]
    if first.kind == "enter":
        return f"{who[1]} may write {name} of device {at} before it has entered the kernel (line {line[1]})"
    if second.kind == "leave":
        does = "writes" if first.writes else "reads"
        return f"device {at} may leave the kernel while the copy of line {line[0]} still {does} its {name}"
    if first.writes and second.writes:
        return _both_write(reading, pair, who, name)
    if first.writes:
        does = "send" if second.kind == "copy" else "read"
        by = "its own copy" if who[0] == who[1] else f"the copy from {who[0]}"
        if first.kind != "copy":
            of = "" if who[0] == who[1] else f" of {who[0]}"
            return f"{who[1]} may {does} {name} (line {line[1]}) before line {line[0]}{of} has written it"
        return f"{who[1]} may {does} {name} (line {line[1]}) before {by} (line {line[0]}) has arrived"
    return _overwrites(reading, pair, who, name)


def _name(reading: Reading, access: Access) -> str:
    slot = reading.slot(access)
    return slot.name if slot else "a buffer"


def _both_write(reading: Reading, pair: Pair, who: list[str], name: str) -> str:
    at = pair.first.device
    line = [reading.line(a.op) for a in (pair.first, pair.second)]
    if who[0] == who[1]:
        return f"{who[0]} may write {name} of device {at} twice at once (lines {line[0]} and {line[1]})"
    one, other = (reading.ops[a.op] for a in (pair.first, pair.second))
    both = (
        f"cores {one.core} and {other.core} of device {at}"
        if one.device == other.device == at
        else f"devices {one.device} and {other.device}"
    )
    return (
        f"{both} may write {name} of device {at} at once "
        f"(line{'s' if line[0] != line[1] else ''} {' and '.join(map(str, dict.fromkeys(line)))})"
    )


def _overwrites(reading: Reading, pair: Pair, who: list[str], name: str) -> str:
    first, second = pair.first, pair.second
    at = first.device
    line = [reading.line(a.op) for a in (first, second)]
    does = "still sends it" if reading.ops[first.op].target != at else "still copies it"
    it = "it" if who[0] == who[1] or reading.kernel.cores == 1 else who[0]
    until = f"while {it} {does}" if first.kind == "copy" else f"before {it} has read it"
    where = (
        f"line {line[1]}"
        if line[0] == line[1]
        else f"line {line[1]}, {'copy' if first.kind == 'copy' else 'read'} in line {line[0]}"
    )
    if reading.ops[second.op].device == at:
        return f"{who[1]} may overwrite its {name} {until} ({where})"
    return f"{who[1]} may overwrite {name} of device {at} {until} ({where})"


def sentence(reading: Reading, pair: Pair, where: int | None) -> str:
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
    after = line[0] if where is None else reading.line(where)
    owner, to = core_text(reading, first.op if where is None else where), core_text(reading, second.op)
    return (
        f"On {owner}, signal a semaphore of {to} after line {after}; on {to}, wait for it before line {line[1]}: "
        "pl.semaphore_wait(free, 1)"
    )


def _waited_before(reading: Reading, pair: Pair) -> bool:
    """Whether the second access comes after a wait for the first one's semaphore: it was another copy that ended it."""
    step = reading.steps[pair.first.op]
    semaphore = step.semaphore if pair.first.writes else step.sent
    of = reading.machine.of_core[pair.second.core]
    before = of[: reading.machine.place[pair.second.op]]
    return any(reading.steps[k].kind == "wait" and reading.steps[k].semaphore == semaphore for k in before)


def _waits_itself(reading: Reading, pair: Pair) -> bool:
    """Whether the core that comes second can wait for the copy itself."""
    first, second = pair.first, pair.second
    if first.kind != "copy":
        return False
    step = reading.steps[first.op]
    semaphore = step.semaphore if first.writes else step.sent
    does = reading.ops[second.op]
    return semaphore is not None and semaphore[1:] == (does.device, does.core)
