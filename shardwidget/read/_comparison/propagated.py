"""Where Shardy's propagation puts the values of a program that is compiled already: nothing is compiled again."""

from __future__ import annotations

import functools
from typing import Any

import jax
from jax.sharding import Mesh

from shardwidget import _jax
from shardwidget.document import Program
from shardwidget.read._comparison.concrete import TAGS, Concrete
from shardwidget.read._comparison.lowered import ValuePlacement, lowered, numbered
from shardwidget.read._comparison.owners import owners
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._comparison.tree import Tree


def propagated(
    tree: Tree, call: ComparedCall, mesh: Mesh, program: Program, traced: jax.stages.Traced | None = None
) -> Concrete | None:
    """Where Shardy puts the values of a program; None where it leaves no record.

    XLA partitions the program as Shardy says. What it simplifies away afterwards is not seen here.

    Args:
        tree: the program.
        call: the function and its arguments.
        mesh: the devices that it is compiled for.
        program: the same, compiled.
        traced: what the tree is of; None where it is of another jaxpr than JAX lowered.
    """
    own = None
    if traced is not None:
        with call.setting(mesh):
            own = _jax.lowered_as(traced, numbered(tree, mesh))
    record = _jax.recorded(own or lowered(tree, call, mesh, keep_unused=True))
    if record is None:
        return None

    def put(v: int, value: Any) -> ValuePlacement:
        at = record.values[v]
        if at.shape != tuple(getattr(value.aval, "shape", ())):  # Random keys are arrays of numbers there.
            return ValuePlacement(None, "")
        return _placed(at.dims or ((),) * len(at.shape))

    arguments = tuple(map(put, record.arguments, tree.arguments))
    results = tuple(map(put, record.results, tree.results))
    made = {line: list(map(put, of, tree.lines[line].outputs)) for line, of in results_of(tree, record).items()}
    known = list(zip(tree.arguments, arguments, strict=True))
    known += [one for line, of in made.items() for one in zip(tree.lines[line].outputs, of, strict=True)]
    of = {id(value): placement for value, placement in known}
    for part, whole in tree.slices:
        if (at := of.get(id(whole))) is not None and at.dims:
            of[id(part)] = ValuePlacement(at.dims[1:], "")
            known.append((part, of[id(part)]))
    paths = [(line_of_path(o.path), TAGS.sub("", o.path)) for o in record.operations]
    caused, among = owners(tree, paths, known, mesh, program)
    places = {line: dict(enumerate(of)) for line, of in made.items()}
    return Concrete(program, caused, arguments, results, places, frozenset(), record, among=among)


@functools.lru_cache(1024)
def _placed(dims: tuple[tuple[str, ...], ...]) -> ValuePlacement:
    # A part of an axis, data:(1)2, is none that a spec can name.
    return ValuePlacement(tuple(tuple(axis for axis in axes if ":" not in axis) for axes in dims), "")


def results_of(tree: Tree, record: _jax.Record) -> dict[int, list[int]]:
    """By line, the values of a record that its results are.

    The last operation of a line gives them. A loop has them last, after what it reads and its counter.
    """
    last = {line_of_path(o.path): o for o in record.operations if o.name != "sdy.data_flow_edge"}
    found: dict[int, list[int]] = {}
    for line, operation in last.items():
        if line < 0 or tree.lines[line].local:
            continue
        outputs = tree.lines[line].outputs
        made = list(operation.results[-len(outputs) :])
        if [record.values[v].shape for v in made] == [tuple(getattr(v.aval, "shape", ())) for v in outputs]:
            found[line] = made
    return found


@functools.lru_cache(4096)  # It is asked three times of each operation.
def line_of_path(path: str) -> int:
    """The line that an operation belongs to; -1 where it has none."""
    tags = TAGS.findall(path)
    return int(tags[-1]) if tags else -1
