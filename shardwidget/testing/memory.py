"""An assertion about memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jax.sharding import Mesh

from shardwidget import read
from shardwidget._format import byte_count, parse_bytes
from shardwidget.document import Memory
from shardwidget.export.memory import first_look

__tracebackhide__ = True

MOST = 6
"""The most buffers that a failure names."""


def assert_memory(
    f: Callable[..., Any],
    *args: Any,
    at_most: int | str | None = None,
    chip: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
    mesh: Mesh | None = None,
) -> None:
    """Fails if a device needs more memory to run the compiled program.

    Args:
        f: a function, jitted or not, or what ``read.memory`` takes in its place.
        *args: its arguments: arrays, or ``jax.ShapeDtypeStruct``s with a sharding.
        at_most: bytes of a device: a number, or a text such as ``"16 GiB"``. None for all that the chip has.
        chip: a name in ``shardwidget.chips.CHIPS``; None for the one that the program is compiled for.
        kwargs: keyword arguments of the function.
        mesh: the mesh; None takes that of the arguments.

    Raises:
        AssertionError: it needs more.
        ValueError: neither a limit nor a chip is known, or there is no such chip.
    """
    limit = parse_bytes(at_most) if isinstance(at_most, str) else at_most
    memory = read.memory(f, *args, kwargs=kwargs, mesh=mesh, chip=chip)
    if limit is None:
        if memory.chip is None:
            raise ValueError("no limit is known: give at_most='16 GiB', or the name of a chip: chip='TPU v5e'")
        limit = memory.chips[memory.chip].bytes
    if memory.peak_bytes > limit:
        raise AssertionError(_described(memory, limit))


def _described(memory: Memory, limit: int) -> str:
    over = memory.peak_bytes - limit
    largest = memory.alive()
    lines = [
        f"{memory.name} needs {byte_count(memory.peak_bytes)} on a device, {byte_count(over)} more than "
        f"{byte_count(limit)}. At the peak are alive:"
    ]
    for buffer in largest[:MOST]:
        where = f"  {buffer.source.file}:{buffer.source.line}: {buffer.source.text}" if buffer.source else ""
        lines.append(f"    {byte_count(buffer.bytes):>10}  {buffer.kind} {buffer.name} {buffer.type}{where}")
    if len(largest) > MOST:
        rest = sum(buffer.bytes for buffer in largest[MOST:])
        lines.append(f"    {byte_count(rest):>10}  in {len(largest) - MOST} more")
    return "\n".join([*lines, *first_look(memory)])
