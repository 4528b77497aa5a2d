"""Possible fixes of an equation that stops on an Explicit mesh, yet to be tried."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend.core import Literal
from jax.sharding import NamedSharding, auto_axes

from shardwidget import _jax
from shardwidget.read._comparison.pasting import Pasting
from shardwidget.read._comparison.price import Prices
from shardwidget.read._comparison.tree import Line
from shardwidget.read._comparison.written import WrittenSource
from shardwidget.read._entries import Entries, entries, entries_text, spec_of, without_repeats
from shardwidget.read._jaxpr.rewrite import Edit
from shardwidget.read._jaxpr.syntax import function_of
from shardwidget.read._jaxpr.value import Value

Bind = Callable[[Sequence[Any]], list[Any]]


@dataclass(frozen=True)
class FixCandidate:
    """A possible fix, yet to be tried."""

    title: str
    code: str
    """In the names of the program's values, where the source does not show the place."""
    edits: Sequence[Edit]
    """The change to the user's source, written in one or more ways; the first that runs counts."""
    bind: Bind
    """The equation's results with this fix."""
    gathers: bool = False
    """Whether an operand is made whole for it."""
    leaves: bool = False
    """Whether the code replaces the whole expression, so that other equations may be in its place."""


@dataclass(frozen=True)
class FixContext:
    """What fixes are made from, besides the equation."""

    names: Set[str]
    """The user's names of arrays."""
    written: WrittenSource
    prices: Prices
    pasting: Pasting
    compiled: Mapping[int, Entries]
    """How the compiler lays out the first result of lines."""


def contractions(line: Line, values: Sequence[Any], written: WrittenSource) -> Iterator[FixCandidate]:
    """A product or convolution whose summed dimensions are split: partial sums are added, and kept whole or split."""
    lhs, rhs = values
    params = line.eqn.params
    left, right = _of(lhs), _of(rhs)
    if _jax.name_of(line.eqn) == "dot_general":
        (lc, rc), (lb, rb) = params["dimension_numbers"]
        free = [d for k, d in enumerate(left) if k not in lc and k not in lb]
        free += [d for k, d in enumerate(right) if k not in rc and k not in rb]
        whole = without_repeats([*(left[k] for k in lb), *free])
        summed = tuple(a for k in lc for a in left[k])
        if not summed or [left[k] for k in lc] != [right[k] for k in rc]:
            return
    else:
        one, other, out = (getattr(params["dimension_numbers"], f"{name}_spec") for name in ("lhs", "rhs", "out"))
        batch, features = without_repeats([left[one[0]], right[other[0]]])
        whole = [batch if k == out[0] else features if k == out[1] else () for k in range(len(out))]
        summed = tuple(a for a in left[one[1]] if a not in (*batch, *features))
    mesh = jax.typeof(lhs).sharding.mesh
    n = math.prod(mesh.shape[a] for a in summed)
    over = " and ".join(summed)

    def way(title: str, dims: Sequence[Sequence[str]]) -> FixCandidate:
        sharding = NamedSharding(mesh, spec_of(dims))

        def bind(operands: Sequence[Any]) -> list[Any]:
            return _jax.bind_here(
                line.eqn.primitive, _jax.on_mesh(params, mesh) | {"out_sharding": sharding}, *operands
            )

        code = _product(line, f"out_sharding={entries_text(dims)}")
        stated = f"sum over {over}, {title}" if over else f"state {entries_text(dims)}"
        return FixCandidate(stated, code, list(written.product(line, dims)), bind)

    yield way("whole along it", whole)
    for d, size in enumerate(line.outputs[0].aval.shape if summed else ()):
        parts = n * math.prod(mesh.shape[a] for a in whole[d])
        if size % parts == 0:
            yield way(
                f"split again along dim {d}", [(*axes, *summed) if k == d else axes for k, axes in enumerate(whole)]
            )


def left_to_compiler(line: Line, bind: Bind, dims: Entries, known: FixContext) -> Iterator[FixCandidate]:
    """The equation left to the compiler, with the type that the compiler gives its result."""
    if len(line.outputs) != 1:
        return
    spec = entries_text(dims)

    def left(operands: Sequence[Any]) -> list[Any]:
        arrays = [k for k, v in enumerate(operands) if hasattr(v, "aval")]

        def inside(*values: Any) -> Any:
            return bind([values[arrays.index(k)] if k in arrays else v for k, v in enumerate(operands)])[0]

        return [auto_axes(inside, out_sharding=spec_of(dims))(*(operands[k] for k in arrays))]

    found = function_of(line.frames[0], known.names) if line.frames else None
    edits: list[Edit] = []
    code = f"jax.sharding.auto_axes(..., out_sharding={spec})(...)"
    if found is not None:
        expression, names = found
        listed = ", ".join(names)
        code = f"jax.sharding.auto_axes(lambda {listed}: {expression}, out_sharding={spec})({listed})"
        # A loop closes over arrays on Explicit axes.
        edits = [] if _jax.control_of(line.eqn) else list(known.written.left(line, names, dims, known.compiled))
    yield FixCandidate(f"leave it to the compiler: {spec}", _given(line.outputs[0], code), edits, left, leaves=True)


def in_batches(line: Line, values: Sequence[Any], written: WrittenSource) -> Iterator[FixCandidate]:
    """``x[jnp.arange(n), i]`` row by row: an index into each row stays on the device that has the row."""
    # Other indices than one for each row, in a list, would give other values.
    if _jax.name_of(line.eqn) != "gather" or jax.typeof(values[1]).ndim != 2:
        return
    if (found := written.row_by_row(line)) is None:
        return

    def rows(operands: Sequence[Any]) -> list[Any]:
        return [jax.vmap(lambda row, at: row[at])(operands[0], operands[1][:, -1])]

    yield FixCandidate("take from each row with vmap", found.code, [found], rows, leaves=True)


def resharded_operands(
    line: Line, values: Sequence[Any], bind: Bind, layouts: Sequence[tuple[int, Entries]], written: WrittenSource
) -> Iterator[FixCandidate]:
    """Operands laid out in another way first: as asked for, like another operand, or whole where one is split."""
    if layouts:
        yield _resharded(line, values, layouts, bind, written)
        return
    arrays = [k for k, v in enumerate(values) if getattr(jax.typeof(v), "ndim", 0) and hasattr(v, "aval")]
    parts = [k for k in arrays if jax.typeof(values[k]).sharding.spec.unreduced]
    if alone := [k for k in parts if line.inputs[k] not in line.inputs[:k]]:
        yield _resharded(line, values, [(k, _of(values[k])) for k in alone], bind, written)
    for k in arrays:
        mine = _of(values[k])
        wanted: list[Entries] = []
        for other in arrays:
            theirs = _of(values[other])
            if other != k and _are_alike(line, values[other], values[k]) and theirs != mine:
                wanted.append(theirs)
        for d in range(len(mine)):
            if mine[d]:
                wanted.append(tuple(() if j == d else axes for j, axes in enumerate(mine)))
        if sum(map(bool, mine)) > 1:
            wanted.append(((),) * len(mine))
        for dims in dict.fromkeys(wanted if line.inputs[k] not in line.inputs[:k] else ()):
            yield _resharded(line, values, [(k, dims)], bind, written)
            if _jax.name_of(line.eqn) == "sort" and len(arrays) > 1:  # jnp.argsort sorts positions beside the values.
                yield _resharded(line, values, [(j, dims) for j in arrays], bind, written)
        alike = [j for j in arrays if jax.typeof(values[j]).shape == jax.typeof(values[k]).shape]
        others = [(j, mine) for j in alike if _of(values[j]) != mine]
        if len(others) > 1:
            yield _resharded(line, values, others, bind, written)


def _are_alike(line: Line, one: Any, other: Any) -> bool:
    """Whether two operands are laid out alike: of one shape, or a part and what it is part of."""
    a, b = jax.typeof(one), jax.typeof(other)
    parts = _jax.name_of(line.eqn) in _jax.JOINING
    return a.shape == b.shape or (parts and a.ndim == b.ndim)


def _resharded(
    line: Line, values: Sequence[Any], layouts: Sequence[tuple[int, Entries]], bind: Bind, written: WrittenSource
) -> FixCandidate:
    """Operands, by their index, laid out in other ways at once."""
    mesh = jax.typeof(values[layouts[0][0]]).sharding.mesh
    # In x @ x the line changes both operands.
    wanted = {id(line.inputs[k]): dims for k, dims in layouts}

    counted = {id(v): v for v in line.inputs if len(layouts) > 1 and written.counts(v)}

    def laid_out(v: Value | Literal, operand: Any) -> Any:
        if id(v) not in wanted:
            return operand
        sharding = NamedSharding(mesh, spec_of(wanted[id(v)]))
        # 0, 1, 2 … are made as they are asked for.
        return written.counted(v, sharding) if id(v) in counted else jax.sharding.reshard(operand, sharding)

    def resharded(operands: Sequence[Any]) -> list[Any]:
        return bind([laid_out(v, o) for v, o in zip(line.inputs, operands, strict=True)])

    told = [(k, dims) for k, dims in layouts if id(line.inputs[k]) not in counted]
    if _jax.control_of(line.eqn) is None:  # A loop starts with what it is given.
        told = [(k, dims) for k, dims in told if not _is_number(line.inputs[k])] or told
    specs = [(k, entries_text(dims)) for k, dims in told]
    kept = [{a for axes in dims for a in axes} for _, dims in layouts]
    return FixCandidate(
        "; ".join(f"lay {line.operand_name(k)} out as {spec} first" for k, spec in specs),
        "\n".join(_given(line.inputs[k], f"jax.reshard({_name(line.inputs[k])}, {spec})") for k, spec in specs),
        # The type is not compared: a spec without the dimension of vmap must not pass for another layout.
        list(written.resharded(line, layouts))[: 1 if counted else None],
        resharded,
        gathers=any({a for d in _of(values[k]) for a in d} - to for (k, _), to in zip(layouts, kept, strict=True)),
        leaves=bool(counted),
    )


def _product(line: Line, option: str) -> str:
    """A product or convolution as a call that takes an option."""
    if _jax.name_of(line.eqn) != "dot_general":
        return _given(line.outputs[0], f"jax.lax.conv_general_dilated(..., {option})")
    (lc, rc), (lb, rb) = line.eqn.params["dimension_numbers"]
    lhs, rhs = map(_name, line.inputs)
    avals: list[Any] = [v.aval for v in line.eqn.invars]
    ranks = [aval.ndim for aval in avals]
    if ranks == [2, 2] and (tuple(lc), tuple(rc)) == ((1,), (0,)) and not lb:
        return _given(line.outputs[0], f"jnp.matmul({lhs}, {rhs}, {option})")
    letters = iter(string.ascii_lowercase)
    left = [next(letters) for _ in range(ranks[0])]
    right = [next(letters) for _ in range(ranks[1])]
    for a, b in (*zip(lb, rb, strict=True), *zip(lc, rc, strict=True)):
        right[b] = left[a]
    out = [left[k] for k in lb]
    out += [c for k, c in enumerate(left) if k not in lb and k not in lc]
    out += [c for k, c in enumerate(right) if k not in rb and k not in rc]
    letters = f"{''.join(left)},{''.join(right)}->{''.join(out)}"
    return _given(line.outputs[0], f"jnp.einsum('{letters}', {lhs}, {rhs}, {option})")


def _is_number(v: Value | Literal) -> bool:
    """Whether an operand is a constant without a name, which follows the others."""
    return isinstance(v, Literal) or (v.is_constant and not v.is_named)


def _of(value: Any) -> Entries:
    type_ = jax.typeof(value)
    return entries(type_.sharding.spec, type_.ndim)


def _name(v: Value | Literal) -> str:
    if isinstance(v, Literal):
        return str(v.val)
    return v.name if v.is_named else "..."


def _given(v: Value | Literal, code: str) -> str:
    """Code that gives a value, assigned to its name where it has one of its own."""
    name = _name(v)
    return f"{name} = {code}" if name.isidentifier() else code
