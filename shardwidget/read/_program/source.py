"""Where an instruction comes from: the user's line, by the module's tables of stack frames."""

from __future__ import annotations

import re

from shardwidget import _jax
from shardwidget.document import Listing, Source
from shardwidget.read._program.module import Instruction, Module
from shardwidget.read._trace import sources

# How collectives are called in the path of an operation, when a program asks for them itself.
ASKED = frozenset(
    {
        "psum", "psum_invariant", "pmax", "pmin", "all_gather", "all_gather_invariant", "all_gather_reduced",
        "reduce_scatter", "unreduced_reduce_scatter", "unreduced_psum", "all_to_all", "ragged_all_to_all", "ppermute",
        "pbroadcast", "psend", "precv",
    }
)  # fmt: skip


class Positions:
    """The tables of source positions of a module."""

    def __init__(self, module: Module) -> None:
        self._files = self._texts(module, "FileNames")
        self._functions = self._texts(module, "FunctionNames")
        self._places = self._numbers(module, "FileLocations")
        self._frames = self._numbers(module, "StackFrames")

    def user_frame(self, i: Instruction) -> tuple[str, int, str] | None:
        """File, line and function of the innermost frame that is the user's."""
        metadata = i.metadata
        if "source_file" in metadata and metadata.get("source_line", "").isdigit():
            file, line = metadata["source_file"], int(metadata["source_line"])
            return (file, line, "") if _jax.is_user_file(file, sources.OURS) else None
        frame = int(metadata.get("stack_frame_id", "0"))
        for _ in range(len(self._frames) + 1):
            place = self._places.get(self._frames.get(frame, {}).get("file_location_id", 0))
            if place is None:
                return None
            file = self._files.get(place.get("file_name_id", 0), "")
            if file and _jax.is_user_file(file, sources.OURS):
                return file, place.get("line", 0), self._functions.get(place.get("function_name_id", 0), "")
            # A parent is counted from 1 for none.
            frame = self._frames[frame].get("parent_frame_id", 1) - 1
        return None

    @staticmethod
    def _texts(module: Module, table: str) -> dict[int, str]:
        found = (re.match(r'(\d+) "(.*)"$', line) for line in module.tables.get(table, ()))
        return {int(f[1]): f[2] for f in found if f}

    @staticmethod
    def _numbers(module: Module, table: str) -> dict[int, dict[str, int]]:
        return {
            int(line.split(" ", 1)[0]): {key: int(n) for key, n in re.findall(r"(\w+)=(\d+)", line)}
            for line in module.tables.get(table, ())
        }


def source_of(frame: tuple[str, int, str] | None) -> Source | None:
    """A frame as a line of the user's program."""
    if frame is None:
        return None
    file, line, function = frame
    return sources.line_of(file, line, function.rpartition(".")[2])


def listings_of(frames: list[tuple[str, int, str]]) -> tuple[Listing, ...]:
    """The functions around frames, each once."""
    found = (sources.listing_at(file, line) for file, line, _ in frames)
    return tuple(dict.fromkeys(listing for listing in found if listing))


def is_asked_for(i: Instruction) -> bool:
    """Whether the program itself asks for a collective: the operation that it belongs to is one."""
    last = i.metadata.get("op_name", "").rpartition("/")[2]
    return re.sub(r"\[.*|\d+$", "", last) in ASKED


def is_backward(i: Instruction) -> bool:
    """Whether an instruction belongs to a transposed operation."""
    return "transpose(" in i.metadata.get("op_name", "")
