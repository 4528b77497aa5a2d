"""What a trace consists of: equations executed, the values that they gave, and what both are in.

On the wire a variable stands once in ``Trace.variables``; steps name it by its ``id``. Both are written as tables, and
the front end reads their rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from shardwidget.document.collective import Collective
from shardwidget.document.fix import Fix
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
    """The name of the file without its folders; ``cell 3`` for a notebook cell."""
    line: int
    """The line number, counted from 1."""
    text: str
    """The text of the line, stripped; empty where it cannot be read."""
    function: str
    """The name of the function that it is in."""


@dataclass(frozen=True)
class Listing:
    """Lines of a user's function, for the source panel."""

    file: str
    """The name of the file, as in ``Source.file``."""
    first_line: int
    """The number of the first line."""
    lines: tuple[str, ...]
    """The lines' text."""

    def with_fix(self, fix: Fix) -> Listing:
        """The same with the lines of a fix, where it replaces some of these by as many."""
        start = fix.line - self.first_line
        as_many = fix.code.count("\n") + 1 == fix.lines
        if fix.file != self.file or not 0 <= start < len(self.lines) or not as_many:
            return self
        return replace(self, lines=tuple(replace(fix, line=start + 1).applied("\n".join(self.lines)).split("\n")))


@dataclass(frozen=True)
class Scope:
    """A function, named scope, loop or branch that a step of a trace or a row of a comparison is in."""

    kind: Literal["function", "named_scope", "loop", "iteration", "branch", "region", "auto_axes", "explicit_axes"]
    name: str
    """The name to show, for example ``attention``, ``scan``, ``cond branch 1``."""
    parent: int
    """Index of the scope around it; -1 for an outermost one."""
    iteration: int = 0
    """The index of an iteration; 0 for any other scope."""
    times: int | None = 1
    """How many iterations a loop has, for the loop and for each iteration; None where not known, 1 for any other
    scope."""
    axis_types: tuple[AxisType, ...] = ()
    """The types of the mesh axes inside, where they differ from those outside; otherwise empty."""


@dataclass(frozen=True)
class Window:
    """The part of a value that the document carries: its leading corner on every device."""

    shape: tuple[int, ...]
    """The shape of the corner; smaller than the value's where something was cut off."""
    format: ValueFormat
    """The little-endian format of the elements of ``data``: numpy's letter and the number of bytes. Narrow floats come
    as ``f4``."""
    data: bytes
    """The distinct blocks one after another, each of shape ``shape``, in row-major order."""
    block: Ints
    """For each mesh position, the index of the block that the device holds. Replicas share one."""


@dataclass(frozen=True)
class Origin:
    """Where the blocks of a variable come from, if they were only moved, cut, joined and reshaped."""

    variable: int
    """Index in ``Trace.variables`` of the variable whose blocks they were."""
    positions: Ints
    """For each mesh position and each piece of its block, the position of the device whose block the piece comes from;
    -1 where nothing was sent to the device, -2 where it is not known."""
    axis: int = -1
    """The dimension along which pieces of equal size are joined; -1 where a block is a single piece."""


@dataclass(frozen=True)
class Variable:
    """A value of the program: inside a region a block on each device, outside a global array."""

    id: int
    """Index in ``Trace.variables``."""
    name: str
    """The user's name for it, if there is one; otherwise the expression that produces it, ``psum(p, "y")``, if that is
    short; otherwise ``tmp1``, ``tmp2`` …"""
    type: str
    """The type as JAX prints it: ``f32[2,4]{V:(x,y)}`` inside a region, ``f32[8@x,16]`` outside."""
    shape: tuple[int, ...]
    """The shape of the block inside a region, of the global array outside."""
    dtype: str
    bits: int
    region: int
    """Index of the region that the value is local to; -1 for a global array."""
    varying: tuple[str, ...] = ()
    """The mesh axes over which a block varies, by its type; with ``check_vma=False`` all manual axes."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    dims: tuple[Dim, ...] = ()
    """How a global array is sharded over ``Trace.mesh``; empty for a block."""
    window: Window | None = None
    """Its values; None where they were not kept."""
    origin: Origin | None = None
    """Where its blocks come from; None where the variable computed them itself, or where it is not known."""
    drawn: bool = True
    """Whether it can be drawn on ``Trace.mesh``; False where it is on a mesh with other axes or devices."""
    fetch: Callable[[int], np.ndarray] | None = field(default=None, repr=False, compare=False, metadata={"wire": False})
    """Reads the value on a device; None where it was not kept, or was released."""

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process: without ``fetch``, which stays with the devices."""
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
    """JAX's primitive; ``in_specs`` and ``out_specs`` at the ends of a region, ``error`` where the program stops."""
    inputs: tuple[Variable, ...] = field(metadata={"wire": "id"})
    outputs: tuple[Variable, ...] = field(metadata={"wire": "id"})
    sentence: str
    """What happened, in words."""
    source: Source | None = None
    begins: Begins = "statement"
    """The largest piece of the user's source that begins with this step. It extends to the next step that begins a
    piece as large: ``x % n`` is one expression and nine steps."""
    expression: str = ""
    """The text of the expression that the step belongs to, on one line; empty where the source cannot be read."""
    params: tuple[tuple[str, str], ...] = ()
    """The parameters that matter, as names and values that JAX prints."""
    literals: tuple[str, ...] = ()
    """The constants among the operands, as JAX prints them."""
    region: int = -1
    """Index of its region in ``Trace.regions``; -1 outside regions."""
    scope: int = -1
    """Index of the innermost scope in ``Trace.scopes``."""
    collective: Collective | None = None
    """What it communicates; None where it sends nothing."""
    implicit: bool = False
    """Whether JAX inserted it, as an automatic ``pvary``, and the user did not write it."""
    shape_only: bool = False
    """Whether it only moves or reshapes elements and computes nothing, so that it may be folded."""
    elementwise: bool = False
    """Whether it makes each element of its result from the operands' elements in the same place."""
    active: Ints | None = None
    """The mesh positions that execute it, where a branch or a loop leaves some out; None where all do."""
    printed: str = ""
    """What ``jax.debug.print`` and other callbacks wrote at this step."""

    @property
    def sums(self) -> bool:
        """Whether it adds up what devices hold."""
        return self.collective is not None and self.collective.semantics.combines == "sum"

    @property
    def sums_for_all(self) -> bool:
        """Whether every device of a group then has the whole sum."""
        return self.collective is not None and self.sums and self.collective.semantics.replicates


@dataclass(frozen=True)
class Region:
    """A ``shard_map`` of the program."""

    name: str
    mesh: Mesh
    manual: tuple[str, ...]
    """The mesh axes that are Manual inside."""
    in_specs: tuple[str, ...]
    """The spec of each argument, as JAX prints it."""
    out_specs: tuple[str, ...]
    """The spec of each result, as JAX prints it."""
    check_vma: bool
    """Whether JAX checks over which axes results vary."""
    parent: int = -1
    """Index of the region around a nested one; -1 for an outermost one."""
