"""What a trace consists of: equations executed, the values that they gave, and what both are in.

On the wire a variable stands once in ``Trace.variables``; steps name it by its ``id``. Both are written as tables, and
the front end reads their rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from shardwidget.document.collective import Collective
from shardwidget.document.mesh import AxisType, Mesh
from shardwidget.document.placement import Dim
from shardwidget.document.wire import Ints

__all__ = [
    "Listing",
    "Origin",
    "Region",
    "Scope",
    "Source",
    "Step",
    "Variable",
    "Window",
]

Begins = Literal["", "expression", "statement"]
ValueFormat = Literal["f4", "f8", "i4", "u4", "i8", "u8", "b1", "c8", "c16"]


@dataclass(frozen=True)
class Source:
    """A line of the user's program."""

    file: str
    """File name without its folders; ``cell 3`` for a notebook cell."""
    line: int
    text: str
    """The line, stripped; empty where it cannot be read."""
    function: str


@dataclass(frozen=True)
class Listing:
    """Lines of a user's function, for the source panel."""

    file: str
    first_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Scope:
    """What a step of a trace or a row of a comparison is in: a function, a named scope, a loop, a branch."""

    kind: Literal["function", "named_scope", "loop", "iteration", "branch", "region", "auto_axes", "explicit_axes"]
    name: str
    """For example ``attention``, ``scan``, ``cond branch 1``."""
    parent: int
    """Index of the scope around it; -1 at the top."""
    iteration: int = 0
    """For an iteration of a loop: its index."""
    times: int | None = 1
    """For a loop or an iteration: how often the loop runs; None if not known."""
    axis_types: tuple[AxisType, ...] = ()
    """Types of the mesh's axes inside, where they differ from those outside."""


@dataclass(frozen=True)
class Window:
    """The part of a value that is sent: its leading corner on every device."""

    shape: tuple[int, ...]
    """Shape of the corner; smaller than the value where something was cut."""
    format: ValueFormat
    """Element format of ``data``, little-endian: numpy's letter and bytes. Narrow floats come as f4."""
    data: bytes
    """Distinct blocks one after another, each of ``shape`` in row-major order."""
    block: Ints
    """Index of the block that the device at each mesh position holds. Replicas share one."""


@dataclass(frozen=True)
class Origin:
    """Whose blocks the blocks of a variable are: they were only moved, cut, joined and reshaped."""

    variable: int
    """Index in ``Trace.variables`` of the variable whose blocks they are."""
    positions: Ints
    """By mesh position and piece: the position of the device whose block the piece comes from; -1 where nothing was
    sent to the device, -2 where it is not known."""
    axis: int = -1
    """Dimension along which the pieces are joined, all of one size; -1 where a block is a single piece."""


@dataclass(frozen=True)
class Variable:
    """A value of the program: in a region the block of each device, outside it a global array."""

    id: int
    """Index in ``Trace.variables``."""
    name: str
    """The user's name where there is one; else the expression that produces it, ``psum(p, "y")``, where that is short;
    else ``tmp1``, ``tmp2`` …"""
    type: str
    """As JAX prints it: ``f32[2,4]{V:(x,y)}`` in a region, ``f32[8@x,16]`` outside."""
    shape: tuple[int, ...]
    """Of the block in a region, of the global array outside."""
    dtype: str
    bits: int
    region: int
    """Index of the region that the value is local to; -1 for a global array."""
    varying: tuple[str, ...] = ()
    """Mesh axes over which a block varies, by its type; with ``check_vma=False`` all manual axes."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    dims: tuple[Dim, ...] = ()
    """How a global array is sharded over ``Trace.mesh``; empty for a block."""
    window: Window | None = None
    origin: Origin | None = None
    """Whose blocks its blocks are; None where they are its own, or not known to be another's."""
    drawn: bool = True
    """Whether it can be drawn on ``Trace.mesh``; False where it is on a mesh with other axes or devices."""
    fetch: Callable[[int], np.ndarray] | None = field(default=None, repr=False, compare=False, metadata={"wire": False})
    """Reads the value on a device; None after the values were released."""

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process: what reads values stays with the devices."""
        return self.__dict__ | {"fetch": None}

    def value(self, device_id: int) -> np.ndarray:
        """The value that the program has on a device: in a region the device's block, outside it the whole array.

        Outside a region the program works on whole arrays, and how they are cut is left to the compiler: both
        engines return the same.

        Raises:
            KeyError: the mesh has no such device.
            ValueError: the value was not kept: its step did not run, the trace is abstract, or it is an array of more
                than 1 MiB that other processes hold too.
        """
        if self.fetch is None:
            raise ValueError(f"the value of {self.name} was not kept")
        return self.fetch(device_id)


@dataclass(frozen=True)
class Step:
    """One equation executed, or the start or end of a region."""

    primitive: str
    """JAX's primitive; ``in_specs`` and ``out_specs`` for the ends of a region; ``error`` where the program stops."""
    inputs: tuple[Variable, ...] = field(metadata={"wire": "id"})
    outputs: tuple[Variable, ...] = field(metadata={"wire": "id"})
    sentence: str
    """What happened, in words."""
    source: Source | None = None
    begins: Begins = "statement"
    """The largest piece of the user's source that begins with this step. The steps that follow belong to it, up to the
    next one that begins a piece as large: ``x % n`` is one expression and nine steps."""
    expression: str = ""
    """The text of that expression, on one line; empty where the source cannot be read."""
    params: tuple[tuple[str, str], ...] = ()
    """Parameters that matter, as JAX prints them."""
    literals: tuple[str, ...] = ()
    """Constants among the operands, as JAX prints them."""
    region: int = -1
    scope: int = -1
    """Index of the innermost scope in ``Trace.scopes``."""
    collective: Collective | None = None
    implicit: bool = False
    """Inserted by JAX, not written by the user: an automatic ``pvary``."""
    shape_only: bool = False
    """Moves or reshapes elements and computes nothing: may be folded."""
    elementwise: bool = False
    """Elementwise: makes each element of its result from those in the same place."""
    active: Ints | None = None
    """Mesh positions that execute it, where a branch or a loop leaves some out; None for all."""
    printed: str = ""
    """What ``jax.debug.print`` and other callbacks wrote at this step."""


@dataclass(frozen=True)
class Region:
    """A ``shard_map`` in the program."""

    name: str
    mesh: Mesh
    manual: tuple[str, ...]
    """Axes that are Manual inside."""
    in_specs: tuple[str, ...]
    out_specs: tuple[str, ...]
    check_vma: bool
    parent: int = -1
    """The region around a nested one."""
