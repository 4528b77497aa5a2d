"""The text of an optimised HLO module, as computations and instructions.

The text is what every JAX and every backend gives (``compiled.as_text()``; instructions as objects only from 0.10 on),
and XLA prints 20,000 instructions in under 100 ms. Of each line only name, type and opcode are looked at here;
attributes are read where they matter.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass, field

from shardwidget.collectives import OPCODES

# A name of one word means the instruction only where its operands follow.
_COLLECTIVE = re.compile("|".join(rf"\b{name}" + r"\(" * ("-" not in name) for name in sorted(OPCODES)))
_CALLERS = frozenset({"while", "conditional", "call", "fusion", "async-start", "custom-call"})

_INSTRUCTION = re.compile(r"\s+(ROOT )?%?([\w.\-]+) = (\(.*?\)|\S+) ([a-z][a-z\d\-]*)\(")
_COMPUTATION = re.compile(r"(ENTRY )?%?([\w.\-]+) .*\{$")
_CALLED = re.compile(
    r", (condition|body|calls|to_apply|true_computation|false_computation|branch_computations|called_computations)="
    r"(\{[^}]*\}|%?[\w.\-]+)"
)
_ANNOTATION = re.compile(r"/\*.*?\*/|\{[^}]*\}|\[[^\]]*\]")
_TUPLE = re.compile(r"\([^()]*\)")
_NAME = re.compile(r"[\w.\-]+")


MOST_STEPS = 2**21
"""The most instructions that are gone through in turn, those of a computation once for each call of it."""

TOO_MANY_STEPS = (
    f"the program runs more than {MOST_STEPS:,} instructions, those of a computation once for each call of it: too "
    "many to go through. Give the part of it that matters."
)


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """One line of a computation."""

    name: str
    type: str
    """The type of the result, as XLA writes it: ``f32[8,4]{1,0}``, ``(f32[8], u32[])``."""
    opcode: str
    text: str
    root: bool

    @property
    def kind(self) -> str:
        """The collective that it is, or that it starts; empty where it is not one. The ``-done`` half is not.

        Nor is a send to the host: what ``jax.debug.print`` and callbacks need. Between TPU slices it is a collective.
        """
        opcode = self.opcode.removesuffix("-start")
        if opcode not in OPCODES:
            return ""
        to_host = "is_host_transfer=true" in self.text and "_xla_megascale_transfer_type" not in self.text
        return "" if to_host else opcode

    @property
    def operands(self) -> list[str]:
        """Names of the operands; older texts have their types before them."""
        text = self.arguments
        if "[" in text or "/" in text:
            text = _TUPLE.sub("", _ANNOTATION.sub("", text))
        return [words[-1].lstrip("%") for part in text.split(",") if (words := part.split())]

    @property
    def arguments(self) -> str:
        """The text between the parentheses."""
        start = self.text.index(f"{self.opcode}(") + len(self.opcode) + 1
        end = self.text.find(")", start)
        while end >= 0 and self.text.count("(", start, end) > self.text.count(")", start, end):
            end = self.text.find(")", end + 1)
        return self.text[start:end] if end >= 0 else self.text[start:]

    @property
    def op_name(self) -> str:
        """JAX's path of the operation, or the name of the user's argument; empty where it has none."""
        found = re.search(r'op_name="((?:[^"\\]|\\.)*)"', self.text.partition("metadata={")[2])
        return unescaped(found[1]) if found else ""

    def attribute(self, name: str) -> str:
        """A plain attribute, such as ``direction=LT``; empty where it is missing."""
        found = re.search(rf", {name}=([^,\s]+)", self.text)
        return found[1] if found else ""

    @property
    def called(self) -> list[tuple[str, str]]:
        """Computations that it runs, each with the attribute that names it."""
        if self.opcode not in _CALLERS:
            return []
        return [(attribute, name) for attribute, names in _CALLED.findall(self.text) for name in _NAME.findall(names)]


@dataclass(frozen=True, eq=False)
class Computation:
    """Instructions, in the order of the schedule."""

    name: str
    instructions: list[Instruction] = field(default_factory=list)

    @functools.cached_property
    def by_name(self) -> dict[str, Instruction]:
        """Instructions by name."""
        return {instruction.name: instruction for instruction in self.instructions}

    @functools.cached_property
    def root(self) -> Instruction | None:
        """The instruction whose result is the computation's."""
        return next((i for i in reversed(self.instructions) if i.root), None)

    def parameter(self, number: int) -> Instruction | None:
        """A parameter by its number."""
        return self._parameters.get(str(number))

    @functools.cached_property
    def _parameters(self) -> dict[str, Instruction]:
        return {i.arguments: i for i in self.instructions if i.opcode == "parameter"}

    @functools.cached_property
    def users(self) -> dict[str, list[Instruction]]:
        """Instructions that take a result, by its name."""
        out: dict[str, list[Instruction]] = {}
        for instruction in self.instructions:
            for operand in instruction.operands:
                out.setdefault(operand, []).append(instruction)
        return out


@dataclass(frozen=True, eq=False)
class Module:
    """An HLO module."""

    name: str
    computations: dict[str, Computation]
    entry: Computation | None
    partitions: int
    replicas: int
    tables: dict[str, dict[int, str]]
    """``FileNames``, ``FunctionNames``, ``FileLocations`` and ``StackFrames``: the text of each number."""
    size: int
    """Number of instructions."""
    marks_own: bool
    """Whether the compiler marks what it adds (from JAX 0.11 on); it then names what moves a value after the value."""
    unread: list[str]
    """Lines that could not be read as an instruction, and that name a collective."""

    @functools.cached_property
    def loops(self) -> dict[str, tuple[Computation, Instruction]]:
        """By the name of a loop's body, the loop and the computation that it is in."""
        return {
            name: (computation, instruction)
            for computation in self.computations.values()
            for instruction in computation.instructions
            if instruction.opcode == "while"
            for attribute, name in instruction.called
            if attribute == "body"
        }

    @staticmethod
    def parse(text: str) -> Module:
        """Reads a module's text. What cannot be read is named in ``unread``; nothing raises."""
        computations: dict[str, Computation] = {}
        entry = None
        tables: dict[str, dict[int, str]] = {}
        unread: list[str] = []
        header, _, _ = text.partition("\n")
        current: Computation | None = None
        table: dict[int, str] = {}
        for line in text.splitlines():
            if line[:1] == " ":
                found = _INSTRUCTION.match(line) if current is not None else None
                if found:
                    root, name, kind, opcode = found.groups()
                    current.instructions.append(Instruction(name, kind, opcode, line, bool(root)))  # pyright: ignore[reportOptionalMemberAccess]
                elif _names_collective(line):
                    unread.append(line.strip())
            elif found := _COMPUTATION.match(line):
                current = computations.setdefault(found[2], Computation(found[2]))
                entry = current if found[1] else entry
            elif line[:1].isdigit():
                number, _, rest = line.partition(" ")
                table[int(number)] = rest
            elif line in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
                table = tables.setdefault(line, {})
            elif line[:1] == "}":
                current = None
            elif line != header and _names_collective(line):
                unread.append(line.strip())
        return Module(
            name=_after(r"HloModule ([^,\s]+)", header, ""),
            computations=computations,
            entry=entry,
            partitions=int(_after(r"num_partitions=(\d+)", header, "1")),
            replicas=int(_after(r"replica_count=(\d+)", header, "1")),
            tables=tables,
            size=sum(len(c.instructions) for c in computations.values()),
            marks_own="is_spmd_generated" in text,
            unread=unread,
        )


def unescaped(text: str) -> str:
    """A string as XLA writes it, with C's escapes."""
    if "\\" not in text:
        return text
    try:
        return ast.literal_eval(f'b"{text}"').decode()
    except (SyntaxError, ValueError):
        return text


def _after(pattern: str, text: str, otherwise: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else otherwise


def _names_collective(line: str) -> bool:
    return _COLLECTIVE.search(line.partition("metadata=")[0]) is not None
