"""The collectives of a module's text, with what is said of them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from shardwidget import cost
from shardwidget.document import HloCollective, Listing, Mesh, Nest, Plan
from shardwidget.read._jaxpr.sources import listing_at
from shardwidget.read._program.hlo_collective import HloCollectives
from shardwidget.read._program.loops import Entered, walk
from shardwidget.read._program.module import Module
from shardwidget.read._program.origin import InstructionOrigin

LONGEST = 400
"""The most characters kept of an instruction that cannot be read."""


@dataclass(frozen=True)
class Reading:
    """What was read from a module."""

    collectives: tuple[HloCollective, ...]
    origins: tuple[tuple[InstructionOrigin, ...], ...]
    """The origin of each collective: JAX's path of its operation, and all its frames; several for a combined one."""
    nests: tuple[Nest, ...]
    plans: tuple[Plan, ...]
    unread: tuple[str, ...]
    instructions: int
    name: str
    """The name of the module, without ``jit_``."""

    def listings(self) -> tuple[Listing, ...]:
        """The functions that the collectives' lines are in."""
        found: dict[Listing, None] = {}
        for origin in itertools.chain(*self.origins):
            listing = listing_at(origin.file, origin.source.line) if origin.source else None
            if listing:
                found.setdefault(listing)
        return tuple(found)


def collectives_of(
    text: str,
    mesh: Mesh,
    order: tuple[int, ...],
    interconnects: tuple[cost.Interconnect, ...],
    fitting: cost.Interconnect | None = None,
) -> Reading:
    """Reads the collectives out of the text of a compiled module.

    Args:
        text: what ``compiled.as_text()`` gave.
        mesh: the user's mesh, as a document.
        order: mesh position of each device of the program, in the order of its device assignment.
        interconnects: what times are estimated for.
        fitting: the one of them that connects these devices; None where none does.
    """
    module = Module.parse(text)
    reader = HloCollectives(module, mesh, order, interconnects, fitting)
    walked = walk(module)
    unread = list(module.unread)
    read = []
    for found in walked.found:
        try:
            read.append(reader.of(found))
        except ValueError as error:
            unread.append(f"{found.instruction.text.strip()[:LONGEST]}: {error}")
    return Reading(
        tuple(collective for collective, _ in read),
        tuple(origins for _, origins in read),
        tuple(_nest(entered, reader.origins.at(entered.instruction)) for entered in walked.entered),
        tuple(reader.plans),
        tuple(unread),
        module.size,
        module.name.removeprefix("jit_"),
    )


def _nest(entered: Entered, origin: InstructionOrigin) -> Nest:
    source, name = origin.source, entered.name
    if entered.kind in ("loop", "condition") and source is not None:
        # JAX lowers all its loops to the same instruction; the user's line shows which one was written.
        written = re.search(r"\b(scan|fori_loop|while_loop|map|associative_scan)\(", source.text)
        name = written[1] if written else name
    return Nest(entered.kind, name, entered.parent, entered.times, source, origin.backward)


def note_of(mesh: Mesh, reading: Reading) -> str:
    if not reading.instructions:
        return "The text of the compiled program cannot be read, so its collectives are not known."
    notes = []
    if not reading.collectives and not reading.unread:
        alone = "It runs on one device, which has no other to send to" if mesh.size == 1 else "No device sends anything"
        notes.append(f"{alone}: the program has no collectives.")
    if not mesh.axes and mesh.size > 1:
        notes.append("No mesh was found, so groups are not named by axes: give mesh=.")
    if widened := sorted({(c.widened_from, _wide(c)) for c in reading.collectives if c.widened_from}):
        count = sum(bool(c.widened_from) for c in reading.collectives)
        said = " and ".join(f"{_of_jax(narrow)} as {_of_jax(wide)}" for narrow, wide in widened)
        notes.append(
            f"XLA computes {said} on CPUs: {count} of the collectives send more bytes here than on a TPU or a GPU."
        )
    return " ".join(notes)


def _wide(c: HloCollective) -> str:
    """The dtype that a collective sends."""
    return c.shapes[0].partition("[")[0]


def _of_jax(dtype: str) -> str:
    """A dtype as JAX shortens it, of which XLA calls signed integers s8."""
    return re.sub(r"^s(?=\d)", "i", dtype)
