"""A program, executed: every equation, every device's values, every collective."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from shardwidget.document.base import Document, provided
from shardwidget.document.collective import Plan
from shardwidget.document.difference import Difference, NotFinite, Run, compare, first_not_finite
from shardwidget.document.fix import Failure, Fix
from shardwidget.document.mesh import Mesh
from shardwidget.document.serial import located
from shardwidget.document.step import Listing, Region, Scope, Step, Variable
from shardwidget.document.trace_diff import TraceDiff
from shardwidget.document.unsharded import Unsharded
from shardwidget.document.wire import VERSION

__all__ = ["Trace"]


@dataclass(frozen=True, repr=False)
class Trace(Document):
    """A program executed step by step."""

    mesh: Mesh
    """The mesh that is drawn: that of the first region. The positions of all windows, groups and steps are positions in
    it."""
    steps: tuple[Step, ...] = field(metadata={"wire": "table"})
    variables: tuple[Variable, ...] = field(metadata={"wire": "table"})
    regions: tuple[Region, ...]
    scopes: tuple[Scope, ...] = ()
    listings: tuple[Listing, ...] = ()
    plans: tuple[Plan, ...] = ()
    interconnects: tuple[str, ...] = ()
    """The names of the interconnects that estimates are for, the one to show first at the beginning."""
    name: str = ""
    engine: Literal["mesh", "host", "types"] = "mesh"
    """Where the values come from: the user's devices, a simulation on the host, or nowhere (types only)."""
    note: str = ""
    """What was left out and why, in one sentence; empty if nothing was."""
    error: Failure | None = None
    """Why the program stops; None where it runs to its end."""
    jax_version: str = ""
    outputs: Any = field(default=None, repr=False, compare=False, metadata={"wire": False})
    """What ``f(*args)`` returns."""
    kept: Any = field(default=None, repr=False, compare=False, metadata={"wire": False})
    """Holds what ``Variable.value`` reads, where the trace was made."""
    changed: Fix | None = None
    """The change that the program was traced with; None for the program as it is."""
    retraced: Any = field(default=None, repr=False, compare=False, metadata={"wire": False})
    """Makes what ``with_fix`` returns, where the trace was made."""
    call: Any = field(default=None, repr=False, compare=False, metadata={"wire": False})
    """The function and its arguments, which ``against`` runs, where the trace was made."""
    kind: Literal["trace"] = field(default="trace", init=False)
    version: int = field(default=VERSION, init=False)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process: the outputs stay on the devices."""
        return self.__dict__ | {"outputs": None, "kept": None, "retraced": None, "call": None}

    def without_values(self) -> Trace:
        """The same without the outputs and the values that ``Variable.value`` reads: what is drawn is there."""
        bare = tuple(replace(v, fetch=None) for v in self.variables)

        def bared(values: tuple[Variable, ...]) -> tuple[Variable, ...]:
            return tuple(bare[v.id] for v in values)

        steps = tuple(replace(s, inputs=bared(s.inputs), outputs=bared(s.outputs)) for s in self.steps)
        return replace(self, variables=bare, steps=steps, outputs=None, kept=None, retraced=None, call=None)

    def with_fix(self, number: int) -> Trace:
        """The same call, traced with a fix of its error; the function itself stays as it is.

        Args:
            number: index in ``error.fixes``.

        Raises:
            IndexError: there is no such fix.
            ValueError: it cannot be traced here: the fix was not run, or the trace was read from a file or let go of
                the arguments.
        """
        fixes = self.error.fixes if self.error else ()
        if not 0 <= number < len(fixes):
            offered = f"0 to {len(fixes) - 1}" if fixes else "none"
            raise IndexError(f"the fixes of this trace are {offered}; got {number}")
        if self.retraced is None:
            raise ValueError(
                "the program with a fix is traced where the trace was made, on arguments of up to 4 MiB: call "
                "read.trace or ShardMapStepper again there, or paste the fix"
            )
        return self.retraced(number)

    @property
    def event(self) -> int:
        """The index of the step to look at first: the one that stops, else the first collective, else the last."""
        sends = (k for k, s in enumerate(self.steps) if s.collective and s.collective.group_size > 1)
        return len(self.steps) - 1 if self.error else next(sends, len(self.steps) - 1)

    def completed(self) -> Trace:
        """The same, read from JSON: steps there name variables by id."""
        ids = self.mesh.device_ids.array()
        steps = tuple(
            replace(
                step,
                inputs=self._variables(step.inputs),
                outputs=self._variables(step.outputs),
                collective=located(step.collective, ids),
            )
            for step in self.steps
        )
        return replace(self, steps=steps)

    def _variables(self, ids: Sequence[Any]) -> tuple[Variable, ...]:
        wrong = [k for k in ids if not 0 <= k < len(self.variables)]
        if wrong:
            raise ValueError(f"a step names variable {wrong[0]}; there are {len(self.variables)} variables")
        return tuple(self.variables[k] for k in ids)

    def __getitem__(self, name: str) -> History:
        """The values of a name, in the order in which the program made them: ``trace["k"].origin(device=0)``.

        Raises:
            KeyError: the program has no value of that name.
        """
        found = tuple(v for v in self.variables if v.name == name)
        if not found:
            known = ", ".join(dict.fromkeys(v.name for v in self.variables if v.name.isidentifier()))
            raise KeyError(f"no value is called {name!r}; the names are {known}")
        return History(self, name, found)

    def compare(self, other: Trace, *, rtol: float = 1e-5, atol: float = 1e-6) -> Difference | None:
        """Where two runs begin to differ: the first step and device at which a value differs.

        For two traces of one function, every value is compared. For two functions (a program and its reference), the
        values with the same name in both are: the first ``h`` with the first ``h``, and so on; then the results. NaN
        equals NaN.

        Args:
            other: the other trace. On a mesh of other devices (a reference on one), global values are compared.
            rtol: tolerance relative to the other value, for floating-point and complex values; others must be equal.
            atol: absolute tolerance.

        Returns:
            The difference, or None where all values that both kept agree. Its text names the step, the line, the
            iteration, the device and the element that differs most.

        Raises:
            ValueError: the meshes have other devices, and no global value has the same name and shape in both.
        """
        return compare(run_of(self), run_of(other), rtol, atol)

    def diff(self, other: Trace, *, rtol: float = 1e-5, atol: float = 1e-6) -> TraceDiff:
        """Where two runs part, step by step, with what the devices have there: to be printed, shown, kept.

        Values correspond as in ``compare``, which returns the first difference alone, with its whole values.

        Args:
            other: the reference.
            rtol: as in ``compare``.
            atol: as in ``compare``.

        Raises:
            ValueError: as in ``compare``.
        """
        return provided("trace_diff")(self, other, rtol, atol)

    def against(
        self, reference: Callable[..., Any] | None = None, *, rtol: float | None = None, atol: float = 1e-6
    ) -> Unsharded | None:
        """The first value that differs from the same program without sharding, or from a reference.

        The program is run once more, with its regions on one device, where every block is the whole array. Values that
        have only parts of a sum, still to be added, do not differ. Where a result differs, the first value that it
        follows from and that differs is given; steps that one device does not have are left out and counted. A program
        without ``shard_map`` is run as it is and on one device; where the results differ, it is compiled with every
        value among its results, with its constraints and without.

        Args:
            reference: another function of the same arguments and mesh, to compare with step by step, or by names; None
                for the function itself on one device.
            rtol: tolerance, relative to the greatest element of a value. By default 1e-4, or twice the machine epsilon
                of the coarsest floating-point type in the program where that is more: 0.016 for bfloat16.
            atol: absolute tolerance.

        Returns:
            The difference, with its step, line, device and likely cause: a sum that is missing, or made twice, a value
            that is added once for each device, blocks on other devices. None where the results agree.

        Raises:
            ValueError: the program stops with an error, was not run on a mesh, or does not run on one device; or the
                trace no longer has its arguments: it was read from a file, or is displayed.
        """
        return provided("against")(self, reference, rtol, atol)

    def first(self, *, nan: bool = True, inf: bool = True) -> NotFinite | None:
        """The first NaN or Inf that the program makes, or that its arguments have.

        Args:
            nan: whether a NaN is looked for.
            inf: whether an Inf is: masks may have some that are meant.

        Returns:
            Its step, line, iteration and device, with the operands of the step; None where no value that was kept has
            one.
        """
        return first_not_finite(run_of(self), nan=nan, inf=inf)


def run_of(trace: Trace) -> Run:
    """What is compared of a trace."""
    return Run(trace.steps, trace.scopes, trace.mesh.device_ids.array().tolist())


class BlockOf(NamedTuple):
    """A block of a variable: ``BlockOf("k", 6)`` is the block of ``k`` that device 6 held at first."""

    name: str
    device: int | None
    """Its id; None where the device was sent nothing and has zeros."""

    def __str__(self) -> str:
        return f"{self.name} of device {self.device}" if self.device is not None else "zeros: no device sent a block"


@dataclass(frozen=True, eq=False)
class History:
    """The values that have one name, in the order in which the program made them.

    ```python
    trace["k"].origin(device=0, iteration=3)      # BlockOf("k", 5): the block that device 5 held at first
    ```
    """

    trace: Trace
    name: str
    variables: tuple[Variable, ...]

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __getitem__(self, index: int) -> Variable:
        return self.variables[index]

    def at(self, iteration: int | None = None) -> Variable:
        """The first value of this name in an iteration of a loop; without one, the last block of a region.

        Raises:
            KeyError: no recorded iteration of that number has such a value.
        """
        if iteration is None:
            return next((v for v in reversed(self.variables) if v.region >= 0), self.variables[-1])
        made = {v.id: step for step in self.trace.steps for v in step.outputs}
        numbers = [self._iteration(made.get(v.id)) for v in self.variables]
        if iteration not in numbers:
            known = sorted({n for n in numbers if n is not None})
            raise KeyError(f"{self.name} has no value in iteration {iteration}; it has one in {known or 'no loop'}")
        return self.variables[numbers.index(iteration)]

    def _iteration(self, step: Step | None) -> int | None:
        at = -1 if step is None else step.scope
        while at >= 0 and self.trace.scopes[at].kind != "iteration":
            at = self.trace.scopes[at].parent
        return self.trace.scopes[at].iteration if at >= 0 else None

    def origin(self, device: int, iteration: int | None = None) -> BlockOf | tuple[BlockOf, ...]:
        """Whose block a device holds: followed through permutations, gathers, exchanges, slices and loop carries.

        Args:
            device: id of the device.
            iteration: of the innermost loop around it, at whose start the value is read; None for the last value.

        Returns:
            The block, or one for each piece where the device holds pieces of several. A value that was computed is its
            own origin.

        Raises:
            KeyError: the mesh has no such device, or there is no such iteration.
            ValueError: it is not known, because the block was made in an iteration that was not recorded.
        """
        v = self.at(iteration)
        ids = self.trace.mesh.device_ids.array().tolist()
        if device not in ids:
            some = ", ".join(map(str, ids[:8])) + (f" … {ids[-1]}" if len(ids) > 8 else "")
            raise KeyError(f"no device {device!r}; the {len(ids)} devices of this mesh are {some}")
        if v.origin is None:
            return BlockOf(v.name, device)
        name = self.trace.variables[v.origin.variable].name
        positions = v.origin.positions.array().reshape(len(ids), -1)[ids.index(device)]
        if np.any(positions < -1):
            raise ValueError(
                f"not known whose block {v.name} is on device {device}: it is from an iteration that was not recorded"
            )
        blocks = tuple(BlockOf(name, ids[p] if p >= 0 else None) for p in positions.tolist())
        return blocks[0] if len(blocks) == 1 else blocks
