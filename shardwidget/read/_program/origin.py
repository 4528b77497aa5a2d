"""The user's line that an instruction belongs to, from the metadata that JAX leaves in the module."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from shardwidget import _jax, collectives
from shardwidget.document import Source
from shardwidget.read._jaxpr.sources import line_of
from shardwidget.read._program import megascale
from shardwidget.read._program.loops import FoundCollective
from shardwidget.read._program.module import Computation, Instruction, Module, unescaped

_PASSES_ON = frozenset({"copy", "bitcast", "reshape", "transpose", "get-tuple-element", "tuple", "convert", "fusion"})
"""Opcodes that may be between an instruction that lost its metadata and one that kept it."""


class ModuleFrame(NamedTuple):
    """A frame of the program, as JAX recorded it."""

    file: str
    function: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


class InstructionOrigin(NamedTuple):
    """Where an instruction comes from."""

    op: str
    """JAX's path: ``jit(f)/transpose(jvp(dot_general))``."""
    frames: tuple[ModuleFrame, ...]
    """Innermost first; the user's and others."""

    @property
    def primitive(self) -> str:
        """JAX's primitive, the last part of the path; empty where the path has none."""
        last = re.sub(r"\[.*", "", self.op).rpartition("/")[2]
        return _jax.known_name(last.rpartition("(")[2].rstrip(")"))

    @property
    def backward(self) -> bool:
        """Whether it belongs to a transposed operation."""
        return "transpose(" in self.op

    @property
    def recomputed(self) -> bool:
        """Whether it belongs to what ``jax.checkpoint`` computes once more."""
        return "rematted_computation" in self.op

    @property
    def source(self) -> Source | None:
        """The user's innermost line; one of an installed package only where there is no other."""
        return _line(self._own)

    @property
    def library(self) -> Source | None:
        """The innermost line of an installed package that the user's line runs; None where that is JAX's own."""
        inner = self.called()[:1]
        return _line(inner[0]) if inner and inner[0] is not self._own else None

    @property
    def file(self) -> str:
        """The full name of the file that ``source`` is in."""
        return self._own.file if self._own else ""

    @property
    def module(self) -> str:
        """The named scopes on the path: everything that is not a transformation, a call or the primitive itself."""
        *parts, _ = self.op.split("/")
        names = (_INSIDE.sub("", part).rstrip(")") for part in parts)
        return "/".join(
            name
            for name, part in zip(names, parts, strict=True)
            if name and not _CONTROL.fullmatch(part) and not name.startswith(("jit(", "pjit("))
        )

    @property
    def _own(self) -> ModuleFrame | None:
        frames = self.called()
        return next((frame for frame in frames if not _jax.is_library_file(frame.file)), (frames or [None])[0])

    def called(self) -> list[ModuleFrame]:
        """The frames of the user and of installed packages, innermost first."""
        # What called us, and what called that, is not part of the program.
        frames = (frame for frame in self.frames if not frame.file.startswith(_jax.SHIMS))
        frames = itertools.takewhile(lambda frame: not _jax.is_ours(frame.file), frames)
        return [frame for frame in frames if _jax.is_user_file(frame.file)]


def _line(frame: ModuleFrame | None) -> Source | None:
    return None if frame is None else line_of(frame.file, frame.line, frame.function.rpartition(".")[2])


_INSIDE = re.compile(r"^(?:(?:transpose|jvp|vmap|remat|checkpoint|rematted_computation)\()+")
"""Transformations are written around the scopes that they were applied in: ``transpose(jvp(mlp))``."""

_CONTROL = re.compile(
    r"(?:p?jit|transpose|jvp|vmap|xla_pmap)\((?:jvp\()?\)*|p?jit\(.*\)|while|body|cond|closed_call|branch_\d+_fun|scan|"
    r"core_call|custom_jvp_call|custom_vjp_call.*|remat\d?|checkpoint|rematted_computation|shard_map|main"
)
"""Parts of a path that JAX writes for control flow and calls, and that no user names a scope."""


class Origins:
    """Reads metadata, with the tables of frames at the top of a module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._tables = module.tables
        roots = [int(_number("parent_frame_id", text)) for text in module.tables.get("StackFrames", {}).values()][:1]
        # XLA counts frames from 1 and prints parents from 0 or from 1; the first frame, which has none, tells which.
        self._none = roots[0] if roots else 0
        self._frames = functools.cache(self._read_frames)

    def at(self, instruction: Instruction) -> InstructionOrigin:
        """The origin that an instruction itself states."""
        return self._of(instruction)

    def of_any(self, instruction: Instruction, computation: Computation) -> InstructionOrigin:
        """The origin of an instruction that need not be a collective; empty where nothing near it has one."""
        origin = self._of(instruction)
        if origin.source:
            return origin
        if instruction.opcode == "fusion":
            inside = [self._module.computations[c] for _, c in instruction.called if c in self._module.computations]
            known = (self._of(i) for c in inside for i in reversed(c.instructions))
            origin = next((o for o in known if o.source), origin)
        # What the compiler made itself has one of its own names: broadcast.18.
        own = re.fullmatch(r"[\w\-]+\.\d+", origin.op) is not None
        return origin if origin.op and not own else self._near(instruction, computation) or origin

    def of(self, found: FoundCollective) -> InstructionOrigin:
        """The origin of a collective; for one that the compiler rewrote, that of what it is in or leads to."""
        if megascale.is_host_transfer(found.instruction):
            return self._of_transfer(found)
        place = found.places[0]
        origin = self._of(found.instruction)
        if not origin.op and place.caller is not None:
            origin = self._of(place.caller)
        if not origin.op:
            origin = self._near(found.instruction, found.computation) or origin
        statement = collectives.statement_of_opcode(found.instruction.kind)
        moves = statement.semantics.starts in ("own", "nothing")
        if moves and self._module.marks_own and not collectives.statement_of(origin.primitive):
            origin = self._consumer(found) or origin
        return origin

    def _of_transfer(self, found: FoundCollective) -> InstructionOrigin:
        """The origin of a transfer between slices: that of what takes the received value, under its former name."""
        name = megascale.rendezvous(found.instruction)
        arrivals = (i for i in found.computation.instructions if i.opcode == "recv" and megascale.rendezvous(i) == name)
        near = [self._near(i, found.computation) for i in (*arrivals, found.instruction)]
        origin = next((one for one in near if one is not None), InstructionOrigin("", ()))
        # XLA names what JAX asked for by JAX's primitive.
        primitive = (re.match(r"[a-z_]+", name) or [""])[0]
        if collectives.statement_of(primitive) is None:
            return origin
        return origin._replace(op="/".join(filter(None, (origin.op, primitive))))

    def _consumer(self, found: FoundCollective) -> InstructionOrigin | None:
        """The origin of the first operation that computes with a result; None where it is only passed on."""
        place = found.end or found.places[0]
        start = found.instruction, found.computation
        if place.caller is not None and place.around is not None:
            start = place.caller, place.around
        ways = [start]
        for instruction, computation in ways:
            for user in computation.users.get(instruction.name, ()):
                if user.opcode == "fusion":
                    ways += self._into(user, instruction.name, computation)
                elif user.opcode in _PASSES_ON or user.opcode.endswith("-done"):
                    ways.append((user, computation))
                elif (origin := self._of(user)).source:
                    return origin
            if len(ways) > 256:
                break
        return None

    def _into(self, fusion: Instruction, name: str, computation: Computation) -> list[tuple[Instruction, Computation]]:
        """Where a value goes in a fusion; after it, where the fusion only passes it on."""
        inner = next((self._module.computations.get(child) for _, child in fusion.called), None)
        if inner is None or {i.opcode for i in inner.instructions} <= _PASSES_ON - {"fusion"} | {"parameter"}:
            return [(fusion, computation)]
        numbers = [k for k, operand in enumerate(fusion.operands) if operand == name]
        return [(parameter, inner) for k in numbers if (parameter := inner.parameter(k)) is not None]

    def parts(self, found: FoundCollective) -> list[InstructionOrigin]:
        """For a collective that several were combined into: the origin of each operand, empty where it has none."""
        result, computation = found.instruction, found.computation
        root, place = computation.root, found.places[0]
        if place.caller is not None and place.around is not None and root is not None and root.opcode == "tuple":
            # A fusion of it with a slice of each result has the results outside.
            result, computation = place.caller, place.around
        halves = [i for i in computation.users.get(result.name, ()) if i.opcode.endswith("-done")]
        results = computation.users.get((halves or [result])[0].name, ())
        taken = {i.attribute("index"): i for i in results if i.opcode == "get-tuple-element"}
        operands = found.instruction.operands
        if len(operands) < 2 or not taken:
            return []
        return [self._of(taken[str(k)]) if str(k) in taken else InstructionOrigin("", ()) for k in range(len(operands))]

    def _near(self, instruction: Instruction, computation: Computation) -> InstructionOrigin | None:
        """The origin of what takes a result, through instructions that only pass it on; else that of its operands."""
        seen = [instruction]
        for known in itertools.islice(_grow(seen, computation), 32):
            if (origin := self._of(known)).op:
                return origin
        for known in itertools.islice(_made_from(instruction, computation), 32):
            if (origin := self._of(known)).op:
                return origin
        return None

    def _of(self, instruction: Instruction) -> InstructionOrigin:
        _, _, metadata = instruction.text.partition("metadata={")
        number = re.search(r"stack_frame_id=(\d+)", metadata)
        if number:
            frames = self._frames(int(number[1]))
        else:
            file, line = re.search(r'source_file="([^"]*)"', metadata), re.search(r"source_line=(\d+)", metadata)
            frames = (ModuleFrame(unescaped(file[1]), "", int(line[1])),) if file and line else ()
        return InstructionOrigin(instruction.op_name, frames)

    def _read_frames(self, number: int) -> tuple[ModuleFrame, ...]:
        frame = self._tables.get("StackFrames", {}).get(number)
        if frame is None:
            return ()
        place = self._tables.get("FileLocations", {}).get(_number("file_location_id", frame), "")
        file, function = (
            unescaped(self._tables.get(table, {}).get(_number(key, place), '""')[1:-1])
            for table, key in (("FileNames", "file_name_id"), ("FunctionNames", "function_name_id"))
        )
        spans = (_number(key, place) for key in ("line", "column", "end_line", "end_column"))
        parent = _number("parent_frame_id", frame)
        outer = self._frames(parent - self._none) if self._none < parent <= number + self._none - 1 else ()
        return (ModuleFrame(file, function, *spans), *outer)


def _grow(seen: list[Instruction], computation: Computation) -> Iterator[Instruction]:
    """What takes a result, near ones first."""
    for instruction in seen:
        for user in computation.users.get(instruction.name, ()):
            if user not in seen:
                yield user
                if user.opcode in _PASSES_ON or user.opcode.endswith("-done"):
                    seen.append(user)


def _made_from(instruction: Instruction, computation: Computation) -> Iterator[Instruction]:
    """The operands, near ones first, through instructions that only move one value: gathers in several steps."""
    seen = [instruction]
    for result in seen:
        for name in result.operands:
            operand = computation.by_name.get(name)
            if operand is None or operand.opcode == "parameter" or operand in seen:
                continue
            yield operand
            moves = operand.opcode in _PASSES_ON or operand.opcode.endswith("-done") or operand.kind
            if moves and len(operand.operands) == 1:
                seen.append(operand)


def _number(key: str, text: str) -> int:
    found = re.search(rf"\b{key}=(\d+)", text)
    return int(found[1]) if found else 0
