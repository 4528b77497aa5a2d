"""A kernel that exercises ask about: its races by lines, and what a wait that is added would do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shardwidget.document import Listing
from shardwidget.read._kernel.kernel import chosen
from shardwidget.read._kernel.machine import Event, Machine
from shardwidget.read._kernel.races import Access, Pair, conflicts, races, unordered
from shardwidget.read._kernel.reading import Reading
from shardwidget.read._kernel.words import said

BEGIN, END = "the beginning of the kernel", "the end of the kernel"
When = Literal["end", "sent", "arrived"]
Race = tuple[str, tuple[str, str]]
"""A buffer, and the lines of both accesses in alphabetical order."""


@dataclass(frozen=True)
class Wait:
    """A wait that is not there: for an event of the same turn of a loop, or of one before."""

    before: str
    """The line that waits."""
    offset: int
    """How many positions further the device is whose event it waits for."""
    line: str
    """The line of that event."""
    event: When
    """``end`` of the line; ``sent`` or ``arrived``: of the copy that it starts."""
    back: int = 0
    """How many turns before."""


class AskedKernel:
    """A kernel's lines by their text, and its races.

    Raises:
        ValueError: the function has no such kernel, or its kernel does not run to its end.
    """

    def __init__(self, f: Callable[..., Any], args: Sequence[Any]) -> None:
        recorded, _ = chosen(f, args)
        self.reading = Reading(recorded)
        self.devices = recorded.devices
        self.axes = recorded.axes
        self.name = recorded.name
        machine = self.reading.machine
        if recorded.error or machine.run().blocked:
            raise ValueError(f"{recorded.name} does not run to its end; read.kernel says why")
        self.pairs, _ = races(machine, self.reading.accesses)
        self._texts = _texts(self.reading)
        self.races = {self._race(pair): pair for pair in reversed(self.pairs)}
        self._conflicts = {self._race(Pair(*both)) for both in conflicts(self.reading.accesses)}
        self._turns = {core: list(self._lines_of(of)) for core, of in machine.of_core.items()}

    @property
    def listing(self) -> Listing | None:
        """The kernel's text; None where it cannot be read."""
        return self.reading.listing()

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of all buffers that are read, written or copied."""
        return tuple(dict.fromkeys(self._buffer(part.buffer) for part in self.reading.slots.parts))

    def lines(self, shown: Listing, *kinds: str) -> tuple[str, ...]:
        """Lines with operations, in the order in which they first run: those that are shown, and those that race.

        Args:
            shown: the kernel's text.
            *kinds: kinds of operations; none for all.
        """
        there = {line.strip() for line in shown.lines}
        racing = {line for _, lines in self.races for line in lines}
        found = dict.fromkeys(
            op.source for op in self.reading.ops if op.source >= 0 and (not kinds or op.kind in kinds)
        )
        return tuple(self._texts[k] for k in found if self.reading.sources[k].text in there or self._texts[k] in racing)

    @property
    def offsets(self) -> tuple[int, ...]:
        """How many positions further the devices are that a device sends to or signals, as 1 or -1; 0 is itself."""
        found = {(op.target - op.device) % self.devices for op in self.reading.ops if op.kind in ("copy", "signal")} - {
            0
        }
        both = found | {-k % self.devices for k in found}
        return (
            0,
            *sorted((k if 2 * k <= self.devices else k - self.devices for k in both), key=lambda k: (abs(k), -k)),
        )

    @property
    def most_turns(self) -> int:
        """How often the line runs that runs most often."""
        counts = (sum(line == other for other, _ in of) for of in self._turns.values() for line, _ in of)
        return max(counts, default=0)

    def said(self, race: Race) -> str:
        """What happens, in a sentence."""
        return said(self.reading, self.races[race])

    def meet(self, buffer: str, lines: tuple[str, str]) -> bool:
        """Whether these lines access one part of a buffer, one of them to write it, ordered or not."""
        return (buffer, _sorted(*lines)) in self._conflicts

    def needs(self, wait: Wait) -> dict[int, list[Event]]:
        """What each operation would wait for."""
        needs: dict[int, list[Event]] = {}
        places = self._by_place(wait.line)
        for (device, core), runs in self._by_place(wait.before).items():
            others = places.get(((device + wait.offset) % self.devices, core), [])
            for turn, ops in enumerate(runs):
                if 0 <= turn - wait.back < len(others) and (event := self._event(others[turn - wait.back], wait.event)):
                    needs[ops[0]] = [event]
        return needs

    def left(self, wait: Wait) -> list[Pair] | None:
        """The pairs of accesses that nothing orders with a wait; None where the kernel cannot go on then."""
        machine = self._with(wait)
        if machine.run().blocked:
            return None
        return [pair for pair in self.pairs if unordered(machine, pair)]

    def ends_all(self, wait: Wait) -> bool:
        """Whether a wait ends all races, and the kernel still ends."""
        machine = self._with(wait)
        return not machine.run().blocked and not any(unordered(machine, pair) for pair in self.pairs)

    def _with(self, wait: Wait) -> Machine:
        return Machine(self.reading.steps, self.reading.kernel.barrier, self.needs(wait))

    def _event(self, ops: Sequence[int], event: str) -> Event | None:
        if event == "end":
            return "end", ops[-1]
        return next(((event, op) for op in ops if self.reading.ops[op].kind == "copy"), None)

    def _by_place(self, line: str) -> dict[tuple[int, int], list[list[int]]]:
        """The operations of each run of a line, by device and core."""
        found: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
        for of in self._turns.values():
            for text, ops in of:
                if text == line:
                    op = self.reading.ops[ops[0]]
                    found[op.device, op.core].append(ops)
        return found

    def _lines_of(self, of: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        """The lines that a core runs, each time with its operations: ``copy.wait()`` is two."""
        ops: list[int] = []
        for k in of:
            if ops and (self._text(k) != self._text(ops[0]) or self._same(k, ops[0])):
                yield self._text(ops[0]), ops
                ops = []
            ops.append(k)
        if ops:
            yield self._text(ops[0]), ops

    def _same(self, one: int, other: int) -> bool:
        """Whether two operations of a line are one that runs again."""
        a, b = self.reading.ops[one], self.reading.ops[other]
        return (a.kind, a.semaphore, a.sent) == (b.kind, b.semaphore, b.sent)

    def _text(self, op: int) -> str:
        does = self.reading.ops[op]
        ends = {"enter": BEGIN, "leave": END}
        return self._texts[does.source] if does.source >= 0 else ends.get(does.kind, "")

    def _race(self, pair: Pair) -> Race:
        return self._buffer(pair.first.key[0]), _sorted(*(self._line(a) for a in (pair.first, pair.second)))

    def _line(self, access: Access) -> str:
        return self._text(access.op)

    def _buffer(self, number: int) -> str:
        slots = self.reading.slots
        found = (s.name for part, s in zip(slots.parts, slots.slots, strict=True) if part.buffer == number)
        return next(found, "").partition("[")[0]


def _sorted(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)


def _texts(reading: Reading) -> list[str]:
    """The text of each line; of lines that read alike, with their number among them."""
    texts = [source.text for source in reading.sources]
    alike = {text: sorted(s.line for s in reading.sources if s.text == text) for text in texts}
    return [
        text if len(alike[text]) == 1 else f"{text} ({alike[text].index(source.line) + 1} of {len(alike[text])})"
        for text, source in zip(texts, reading.sources, strict=True)
    ]
