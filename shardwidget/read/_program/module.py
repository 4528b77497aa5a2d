"""An optimised HLO module, read from its text: computations, and the instructions in them that matter here.

The text is the one form that every version, backend and ``Compiled`` gives. One pass over its lines; lines that are
neither collectives nor calls of other computations are only counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

COLLECTIVES = (
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "ragged-all-to-all", "collective-permute",
    "collective-broadcast",
)  # fmt: skip
_CALLERS = ("while", "conditional", "call", "fusion", "async-start")

_OPCODE = re.compile(
    rf" (?P<opcode>(?:{'|'.join(sorted(COLLECTIVES, key=len, reverse=True))})(?:-start)?|{'|'.join(_CALLERS)})\("
)
_NAME = re.compile(r"^\s*(?:ROOT )?%?(?P<name>[\w.\-]+) = ")
_COMPUTATION = re.compile(r"^(?P<entry>ENTRY )?%?(?P<name>[\w.\-]+) (?:\(.*\) -> .*)?\{$")
_TABLE = re.compile(r"^(FileNames|FunctionNames|FileLocations|StackFrames)$")
_OPERAND = re.compile(r"%([\w.\-]+)")


@dataclass(frozen=True)
class Instruction:
    """A line of the module."""

    name: str
    opcode: str
    """Without ``-start``."""
    result: str
    """Type as written, with layouts."""
    operands: tuple[str, ...]
    """Names."""
    attributes: str
    """All that stands behind the operands."""
    asynchronous: bool
    line: str

    @cached_property
    def metadata(self) -> dict[str, str]:
        """``op_name stack_frame_id source_file source_line``, those that are there."""
        found = re.search(r"metadata=\{(.*?)\}(?:, |$)", self.attributes)
        if not found:
            return {}
        return {key: quoted or bare for key, quoted, bare in _PAIR.findall(found[1])}


_PAIR = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))')


@dataclass
class Computation:
    """A computation: its instructions that matter, and the text of all."""

    name: str
    instructions: list[Instruction] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @cached_property
    def types(self) -> dict[str, str]:
        """Types of all results by name, as written up to the opcode."""
        return {found["name"]: line[found.end() :] for line in self.lines if (found := _NAME.match(line))}


@dataclass
class Module:
    """What the text of a module says."""

    entry: str = ""
    """Name of the entry computation; empty where there is none."""
    computations: dict[str, Computation] = field(default_factory=dict)
    instructions: int = 0
    devices: int = 1
    """Partitions times replicas."""
    tables: dict[str, list[str]] = field(default_factory=dict)
    """Lines of the tables of source positions."""
    unread: list[str] = field(default_factory=list)
    """Lines that look like collectives and could not be read."""


def parse(text: str) -> Module:
    """Reads the text of a module. What cannot be read is kept in ``unread``; nothing raises."""
    module = Module()
    current: Computation | None = None
    table: list[str] | None = None
    for line in text.splitlines():
        if current is None:
            if line.startswith("HloModule"):
                counts = [int(n) for n in re.findall(r"(?:num_partitions|replica_count)=(\d+)", line)]
                for count in counts:
                    module.devices *= count
            elif _TABLE.match(line):
                table = module.tables.setdefault(line, [])
            elif table is not None and line[:1].isdigit():
                table.append(line)
            elif found := _COMPUTATION.match(line):
                current = module.computations.setdefault(found["name"], Computation(found["name"]))
                if found["entry"]:
                    module.entry = current.name
            continue
        if line.startswith("}"):
            current = None
            continue
        if not line.strip():
            continue
        module.instructions += 1
        current.lines.append(line)
        if found := _OPCODE.search(line):
            instruction = _instruction(line, found)
            if instruction:
                current.instructions.append(instruction)
            else:
                module.unread.append(line.strip())
    return module


def _instruction(line: str, opcode: re.Match[str]) -> Instruction | None:
    name = _NAME.match(line)
    end = _closing(line, opcode.end() - 1)
    if not name or name.end() > opcode.start() + 1 or end < 0:
        return None
    word = opcode["opcode"]
    return Instruction(
        name=name["name"],
        opcode=word if word == "async-start" else word.removesuffix("-start"),
        result=line[name.end() : opcode.start()],
        operands=tuple(_OPERAND.findall(line[opcode.end() : end])),
        attributes=line[end + 1 :],
        asynchronous=word.endswith("-start"),
        line=line.strip(),
    )


def _closing(line: str, opening: int) -> int:
    """Index of the bracket that closes the one at an index; -1 if none does."""
    depth = 0
    for k in range(opening, len(line)):
        depth += {"(": 1, ")": -1}.get(line[k], 0)
        if depth == 0:
            return k
    return -1


# ── Types ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

_ARRAY = re.compile(r"\b(pred|bf16|[sufc]\d+\w*|token)\[([\d,<=]*)\]")


@dataclass(frozen=True)
class ArrayType:
    """An array's type: element type as HLO writes it, and shape."""

    element: str
    shape: tuple[int, ...]

    @property
    def bits(self) -> int:
        """Bits of one element."""
        found = re.match(r"(?:bf|[sufc])(\d+)", self.element)
        return 8 if self.element == "pred" else int(found[1]) if found else 0

    @property
    def nbytes(self) -> int:
        """Bytes of the array, rounded up."""
        elements = 1
        for size in self.shape:
            elements *= size
        return -(-elements * self.bits // 8)

    def __str__(self) -> str:
        short = "bool" if self.element == "pred" else re.sub(r"^s(\d+)$", r"i\1", self.element)
        return f"{short}[{','.join(map(str, self.shape))}]"


def arrays(text: str) -> Iterator[ArrayType]:
    """The arrays in a type, tuples flattened, in order."""
    for element, shape in _ARRAY.findall(text):
        if element != "token":
            yield ArrayType(element, tuple(int(n.lstrip("<=")) for n in shape.split(",") if n))


def first_array(text: str) -> ArrayType | None:
    """The first array in a type."""
    return next(arrays(text), None)
