"""``read.propagation``: what the types of a program say beside where its values are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import jax
from jax.sharding import AbstractMesh, AxisType

from shardwidget import _jax
from shardwidget.document import Comparison, Continuation, HloCollective, Program, Row, Stop
from shardwidget.read._mesh import read_mesh
from shardwidget.read._program.entry import program as read_program
from shardwidget.read._propagation import arrays
from shardwidget.read._propagation.aligned import aligned, own
from shardwidget.read._propagation.arguments import AnyMesh, Asked, abstract, is_explicit, retyped
from shardwidget.read._propagation.concrete import TAG, Concrete, compiled
from shardwidget.read._propagation.explicit import Explicit, Run, closes_over_a_mesh
from shardwidget.read._propagation.mends import Compiled
from shardwidget.read._propagation.rows import row_of
from shardwidget.read._propagation.traced import traced
from shardwidget.read._propagation.tree import Tree
from shardwidget.read._trace.sources import OURS, listing_at

MOST_CONTINUATIONS = 24
"""Other choices that are worked out in advance."""

NO_DEVICES = (
    "An AbstractMesh has no devices, so where the data would lie is not known. Take a mesh that has some: "
    "jax.make_mesh({sizes}, {names}), for which jax.config.update('jax_num_cpu_devices', {count}) makes devices of one "
    "CPU; or shardwidget.tpu_mesh('v5e:4x4', ('x', 'y')), for which no TPU is needed."
)

STOPPED = "The program stops on its own mesh and on an Auto one: it is shown as far as it came, and was not compiled."


def propagation(
    f: Callable[..., Any] | Any,
    *args: Any,
    mesh: AnyMesh | None = None,
    compiled: Literal["auto", "explicit"] | None = None,
    choices: Mapping[int, int] | None = None,
    continuations: bool = False,
) -> Comparison:
    """Reads a function equation by equation: its types on an Explicit mesh, and its values' places once compiled.

    Nothing is run. The function is traced on the mesh that it comes with, or, where that stops, on an Auto one; the
    types of the other kind of mesh come from the same equations, applied once more.

    Args:
        f: a function of global arrays, jitted or not; or one array or a pytree of arrays, whose types are compared
            with their shardings.
        *args: the function's arguments, pytrees: arrays, ``jax.ShapeDtypeStruct``, ``(shape, dtype, PartitionSpec)``;
            anything else is passed on as it is.
        mesh: the mesh; None takes that of the arguments, or the one in force.
        compiled: which variant is compiled, ``"auto"`` or ``"explicit"``; None for the mesh as it is, where the
            function can be traced on it.
        choices: by row that stops on an Explicit mesh, the index of the mend to go on with.
        continuations: whether to work out what the rows are after each other choice, too.

    Returns:
        The comparison, one row an equation.

    Raises:
        TypeError: ``f`` is neither a function nor arrays.
        ValueError: there is no mesh, or ``compiled`` is not a legal one.
        Exception: what ``f`` itself raises.
    """
    if not callable(f):
        if args:
            raise TypeError(
                f"propagation takes a function and its arguments, or arrays; got {type(f).__name__} and more"
            )
        return arrays.compare(f)
    if compiled not in (None, "auto", "explicit"):
        raise ValueError(f"compiled must be 'auto', 'explicit' or None; got {compiled!r}")
    asked = Asked(f, args, mesh)
    base, closed, stopped = _trace(asked, compiled)
    tree = Tree(closed, asked.function, asked.names, base.axis_types)
    reader = _Reader(asked, base, tree, stopped)
    return reader.comparison(dict(choices or {}), continuations)


def _trace(asked: Asked, wanted: Literal["auto", "explicit"] | None) -> tuple[AnyMesh, Any, Exception | None]:
    """The program on a mesh, and why its tracing stopped, if it did.

    A program that stops on its own mesh is traced on an Auto one. One that cannot be (it has words that only Explicit
    axes know) is known as far as it came.
    """
    kind = {"auto": AxisType.Auto, "explicit": AxisType.Explicit}
    mesh = asked.mesh if wanted is None else retyped(asked.mesh, kind[wanted])
    try:
        with _jax.whole_tracebacks():
            return mesh, asked.trace(mesh), None
    except Exception as error:
        first = error
    if AxisType.Explicit in mesh.axis_types:
        try:
            auto = retyped(mesh, AxisType.Auto)
            return auto, asked.trace(auto), None
        except Exception as error:
            second = error
        if (type(first), str(first)) != (type(second), str(second)):
            unfinished = _jax.unfinished(first, OURS)
            if unfinished is not None:
                return mesh, unfinished.jaxpr, first
    raise first.with_traceback(None) from None


class _Reader:
    def __init__(self, asked: Asked, base: AnyMesh, tree: Tree, stopped: Exception | None) -> None:
        self.asked, self.base, self.tree, self.stopped = asked, base, tree, stopped
        self.note = ""
        self.concrete = self._compile()
        self.program: Program | None = None
        self.caused: dict[int, list[tuple[int, HloCollective]]] = defaultdict(list)
        if self.concrete:
            self.program = self._program(self.concrete, self.base)

    def comparison(self, choices: dict[int, int], continuations: bool) -> Comparison:
        rows, explicit = self.rows(choices)
        more = self.continuations(rows, explicit, choices) if continuations else ()
        base = (
            "Explicit" if is_explicit(self.base) else "given" if AxisType.Explicit in self.base.axis_types else "Auto"
        )
        listings = (listing_at(f.file_name, f.start_line) for line in self.tree.lines for f in line.frames[:1])
        return Comparison(
            of="function",
            mesh=read_mesh(self.asked.mesh),
            rows=rows,
            enclosures=tuple(self.tree.enclosures),
            continuations=more,
            program=self.program,
            compiled_from=base if self.concrete else "",
            listings=tuple(dict.fromkeys(found for found in listings if found)),
            name=self.asked.function,
            note=self.note,
            jax_version=jax.__version__,
        )

    def rows(self, choices: Mapping[int, int]) -> tuple[tuple[Row, ...], Explicit]:
        """The rows of the document: the arguments first, so line k of the program is row k + 1."""
        explicit = self._explicit({row - 1: choice for row, choice in choices.items()})
        places = self.concrete.places if self.concrete else None
        rows = [self._arguments()]
        rows += [
            row_of(line, k, explicit, None if places is None else places.get(k, {}), self.caused[k])
            for k, line in enumerate(self.tree.lines)
        ]
        if self.stopped is not None:
            rows.append(_end(self.stopped))
        return tuple(rows), explicit

    def continuations(
        self, rows: tuple[Row, ...], explicit: Explicit, choices: Mapping[int, int]
    ) -> tuple[Continuation, ...]:
        out = []
        for k, stop in explicit.stops.items():
            for choice in range(len(stop.mends)):
                if choice != stop.chosen and len(out) < MOST_CONTINUATIONS:
                    others, _ = self.rows({**choices, k + 1: choice})
                    changed = tuple(
                        (i, other) for i, (row, other) in enumerate(zip(rows, others, strict=True)) if row != other
                    )
                    out.append(Continuation(k + 1, choice, changed))
        return tuple(out)

    def _explicit(self, choices: Mapping[int, int]) -> Explicit:
        if is_explicit(self.base) or self.stopped is not None:
            return own(self.tree)
        mesh, does = abstract(retyped(self.asked.mesh, AxisType.Explicit)), self._compiled()
        if closes_over_a_mesh(self.tree):  # The function cannot be traced on another.
            return Run(self.tree, mesh, choices, does).of(self.asked.on(mesh))
        there = traced(self.asked, self.tree, mesh, choices, does)
        found = Explicit({}, {})
        if there.jaxpr is not None:
            theirs = Tree(there.jaxpr, self.asked.function, self.asked.names, mesh.axis_types)
            found = aligned(self.tree, theirs, there.stops)
        return Run(self.tree, mesh, choices, does, found).of(self.asked.on(mesh)) if there.error else found

    def _compiled(self) -> dict[int, Compiled]:
        out = {}
        for line, places in (self.concrete.places if self.concrete else {}).items():
            if 0 in places and (dims := places[0].dims) is not None:
                caused = [c for _, c in self.caused[line]]
                words = dict.fromkeys(f"{c.kind} over {' and '.join(c.axes)}" if c.axes else c.kind for c in caused)
                out[line] = Compiled(dims, ", ".join(words) or "none", sum(c.bytes_per_device for c in caused))
        return out

    def _arguments(self) -> Row:
        explicit = abstract(retyped(self.asked.mesh, AxisType.Explicit))
        types = [jax.sharding.NamedSharding(explicit, x.sharding.spec) for x in self.asked.on(explicit)]
        values = []
        for value, sharding, spec in zip(self.tree.arguments, types, self.asked.specs, strict=True):
            values.append(arrays.argument(value, sharding, spec, self.concrete is not None))
        return Row("arguments", tuple(values))

    def _compile(self) -> Concrete | None:
        if self.stopped is not None:
            self.note = STOPPED
            return None
        mesh = self.base
        if isinstance(mesh, AbstractMesh):
            self.note = NO_DEVICES.format(sizes=mesh.axis_sizes, names=mesh.axis_names, count=mesh.size)
            return None
        return compiled(self.tree, self.asked.on(mesh), mesh, self.asked.function)

    def _program(self, concrete: Concrete, mesh: Any) -> Program:
        program = read_program(concrete.compiled, mesh=mesh, name=self.asked.function)
        cleaned = []
        for k, c in enumerate(program.collectives):
            tags = TAG.findall(c.op)
            if tags:
                self.caused[int(tags[-1])].append((k, c))
            cleaned.append(replace(c, op=TAG.sub("", c.op)))
        return replace(program, collectives=tuple(cleaned))


def _end(error: Exception) -> Row:
    """The row at which tracing stopped."""
    return Row("error", (), error=Stop(type(error).__name__, str(error), ""))
