"""Why values of a program that is compiled already are split as they are, without compiling it again."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
from jax.sharding import Mesh

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Program, Row
from shardwidget.document.comparison import Explained
from shardwidget.read._comparison.base import Base, base_of, tree_of
from shardwidget.read._comparison.ends import arguments_row, outputs_row
from shardwidget.read._comparison.explicit import Explicit
from shardwidget.read._comparison.lazily import Lazily
from shardwidget.read._comparison.propagated import propagated
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._comparison.reasons import reasons_of
from shardwidget.read._comparison.rows import row_of


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without Python's cyclic collector: after a compile, what is made here starts a collection of all that JAX holds.

    That takes half as long again as the answer for a long program; it comes later, outside of the question.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@_uncollected()
def explained(
    program: Program,
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: AnyMesh | None = None,
    traced: jax.stages.Traced | None = None,
) -> Explained | None:
    """What Shardy records of a program, beside the rows of a comparison: without types, without a compilation.

    Args:
        program: what ``read.program`` gave for the function.
        f: the function.
        *args: its arguments.
        kwargs: its keyword arguments.
        mesh: the mesh; None takes that of the arguments.
        traced: what the program was lowered from; None traces the function again.

    Returns:
        What is known; None where Shardy's record cannot be had.

    Raises:
        Exception: as ``comparison``.
    """
    call = ComparedCall(f, args, mesh, kwargs)
    in_order = list(kwargs or ()) == sorted(kwargs or ())  # JAX flattens keyword arguments by their names.
    if traced is not None and not (in_order and _is_of(traced, call)):
        traced = None
    base = base_of(call, None) if traced is None else Base(call.mesh, traced.jaxpr)
    if base.error is not None or not isinstance(base.mesh, Mesh):
        return None
    tree = tree_of(call, base.jaxpr, base.mesh)
    concrete = propagated(tree, call, base.mesh, program, traced)
    if concrete is None:
        return None
    none = Explicit({}, {})
    last = len(tree.lines) + 1

    def row(k: int) -> Row:
        if k == 0:
            return arguments_row(tree, call, None, concrete)
        if k == last:
            return outputs_row(tree, call, None, none, concrete)
        return row_of(tree.lines[k - 1], k - 1, none, concrete)

    rows = Lazily(last + 1, row)
    owned = frozenset(k for of in concrete.caused.values() for k, _ in of)
    return Explained(program, rows, owned, *reasons_of(tree, concrete))


def _is_of(traced: jax.stages.Traced, call: ComparedCall) -> bool:
    """Whether what was traced takes the arrays of a call, and nothing else."""
    given = [(v.aval.shape, v.aval.dtype) for v in _jax.open_jaxpr(traced.jaxpr)[0].invars]
    return given == call.shapes
