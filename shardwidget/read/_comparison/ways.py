"""Ways on from an equation that stops on an Explicit mesh, yet to be tried."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend.core import Literal
from jax.sharding import NamedSharding, auto_axes

from shardwidget import _jax, collectives
from shardwidget.read._comparison.tree import Line
from shardwidget.read._entries import Entries, entries, entries_text, spec_of
from shardwidget.read._jaxpr.syntax import function_of
from shardwidget.read._jaxpr.value import Value

Bind = Callable[[Sequence[Any]], list[Any]]


@dataclass(frozen=True)
class CompilerLayout:
    """What the compiler does at an equation."""

    dims: Entries
    """Of the first result."""
    communication: str
    bytes: int


@dataclass(frozen=True)
class Way:
    """A way on that is yet to be tried."""

    title: str
    code: str
    communication: str
    bytes: int
    bind: Bind


def contractions(line: Line, values: Sequence[Any]) -> Iterator[Way]:
    """A product whose contracted dimensions are split alike: the partial sums are added, and kept whole or split."""
    lhs, rhs = values
    params = line.eqn.params
    (lc, rc), (lb, rb) = params["dimension_numbers"]
    left, right = _of(lhs), _of(rhs)
    free = [d for k, d in enumerate(left) if k not in lc and k not in lb]
    free += [d for k, d in enumerate(right) if k not in rc and k not in rb]
    batch = [left[k] for k in lb]
    summed = tuple(a for k in lc for a in left[k])
    if not summed or [left[k] for k in lc] != [right[k] for k in rc]:
        return
    mesh = jax.typeof(lhs).sharding.mesh
    out = line.eqn.outvars[0].aval
    whole = _without_repeats([*batch, *free])
    n = math.prod(mesh.shape[a] for a in summed)
    over = " and ".join(summed)

    def bind(dims: Sequence[Sequence[str]], unreduced: tuple[str, ...] = ()) -> Bind:
        sharding = NamedSharding(mesh, spec_of(dims, unreduced))
        return lambda operands: _jax.bind_here(
            line.eqn.primitive, _jax.on_mesh(params, mesh) | {"out_sharding": sharding}, *operands
        )

    def code(dims: Sequence[Sequence[str]]) -> str:
        return _product(line, f"out_sharding={entries_text(dims)}")

    block = _bytes(out, whole, mesh)
    call = _call("psum", n)
    yield Way(
        f"sum over {over}, whole along it",
        code(whole),
        f"all-reduce over {over}",
        collectives.bytes_sent(call, block).bytes,
        bind(whole),
    )
    for d, size in enumerate(out.shape):
        parts = n * math.prod(mesh.shape[a] for a in whole[d])
        if size % parts == 0:
            cut = [(*axes, *summed) if k == d else axes for k, axes in enumerate(whole)]
            yield Way(
                f"sum over {over}, split again along dim {d}",
                code(cut),
                f"reduce-scatter over {over}",
                collectives.bytes_sent(_call("reduce_scatter", n), block).bytes,
                bind(cut),
            )


def left_to_compiler(line: Line, bind: Bind, compiled: CompilerLayout, known: Set[str]) -> Iterator[Way]:
    """The equation left to the compiler, and its result given the type that it has there."""
    if not line.frames or len(line.outputs) != 1:
        return
    found = function_of(line.frames[0], known)
    if found is None:
        return
    expression, names = found
    spec, listed = entries_text(compiled.dims), ", ".join(names)

    def left(operands: Sequence[Any]) -> list[Any]:
        arrays = [k for k, v in enumerate(operands) if hasattr(v, "aval")]

        def inside(*values: Any) -> Any:
            return bind([values[arrays.index(k)] if k in arrays else v for k, v in enumerate(operands)])[0]

        return [auto_axes(inside, out_sharding=spec_of(compiled.dims))(*(operands[k] for k in arrays))]

    yield Way(
        f"leave it to the compiler: {spec}",
        f"{_name(line.outputs[0])} = jax.sharding.auto_axes(lambda {listed}: {expression}, "
        f"out_sharding={spec})({listed})",
        compiled.communication,
        compiled.bytes,
        left,
    )


def resharded_operands(
    line: Line, values: Sequence[Any], bind: Bind, asked: Sequence[tuple[int, Entries]]
) -> Iterator[Way]:
    """Operands laid out in another way first: as is asked for, as another operand is, or whole where one is split."""
    if asked:
        yield _together([_reshard(line, values, k, dims, bind) for k, dims in asked], values, asked, bind)
        return
    arrays = [k for k, v in enumerate(values) if getattr(jax.typeof(v), "ndim", 0) and hasattr(v, "aval")]
    for k in arrays:
        mine = _of(values[k])
        wanted: list[Entries] = []
        for other in arrays:
            theirs = _of(values[other])
            if other != k and jax.typeof(values[other]).shape == jax.typeof(values[k]).shape and theirs != mine:
                wanted.append(theirs)
        for d in range(len(mine)):
            if mine[d]:
                wanted.append(tuple(() if j == d else axes for j, axes in enumerate(mine)))
        if sum(map(bool, mine)) > 1:
            wanted.append(((),) * len(mine))
        for dims in dict.fromkeys(wanted if line.inputs[k] not in line.inputs[:k] else ()):
            yield _reshard(line, values, k, dims, bind)
        alike = [j for j in arrays if jax.typeof(values[j]).shape == jax.typeof(values[k]).shape]
        others = [(j, mine) for j in alike if _of(values[j]) != mine]
        if len(others) > 1:
            yield _together([_reshard(line, values, j, mine, bind) for j, _ in others], values, others, bind)


def _reshard(line: Line, values: Sequence[Any], k: int, dims: Entries, bind: Bind) -> Way:
    type_ = jax.typeof(values[k])
    mesh, mine = type_.sharding.mesh, _of(values[k])
    name = _name(line.inputs[k])
    lost = tuple(a for axes in mine for a in axes if a not in {b for d in dims for b in d})
    n = math.prod(mesh.shape[a] for a in lost)
    moved = tuple(a for axes in mine for a in axes if a not in lost) != tuple(
        a for axes in dims for a in axes if a in {b for d in mine for b in d}
    ) or any(set(m) - set(lost) != set(d) & {b for e in mine for b in e} for m, d in zip(mine, dims, strict=True))
    block = _bytes(type_, mine, mesh)
    if lost:
        over, sent = " and ".join(lost), collectives.bytes_sent(_call("all_gather", n), block).bytes
        communication = f"all-gather over {over}"
    elif moved:
        axes = tuple(a for m, d in zip(mine, dims, strict=True) for a in m if a not in d)
        over, n = " and ".join(axes), math.prod(mesh.shape[a] for a in axes)
        communication, sent = f"all-to-all over {over}", collectives.bytes_sent(_call("all_to_all", n), block).bytes
    else:
        communication, sent = "none", 0

    def resharded(operands: Sequence[Any]) -> list[Any]:
        laid_out = jax.sharding.reshard(operands[k], NamedSharding(mesh, spec_of(dims)))
        # In x @ x both operands are what the line changes.
        return bind([laid_out if v is line.inputs[k] else o for v, o in zip(line.inputs, operands, strict=True)])

    return Way(
        f"lay {name} out as {entries_text(dims)} first",
        f"{name} = jax.reshard({name}, {entries_text(dims)})",
        communication,
        sent,
        resharded,
    )


def _together(ways: Sequence[Way], values: Sequence[Any], asked: Sequence[tuple[int, Entries]], bind: Bind) -> Way:
    """Several operands laid out in other ways at once."""
    mesh = jax.typeof(values[asked[0][0]]).sharding.mesh

    def resharded(operands: Sequence[Any]) -> list[Any]:
        changed = list(operands)
        for k, dims in asked:
            changed[k] = jax.sharding.reshard(operands[k], NamedSharding(mesh, spec_of(dims)))
        return bind(changed)

    words = list(dict.fromkeys(way.communication for way in ways if way.communication != "none"))
    return Way(
        "; ".join(way.title for way in ways),
        "\n".join(way.code for way in ways),
        ", ".join(words) or "none",
        sum(way.bytes for way in ways),
        resharded,
    )


def _product(line: Line, option: str) -> str:
    """A product as a call that takes an option."""
    (lc, rc), (lb, rb) = line.eqn.params["dimension_numbers"]
    lhs, rhs = map(_name, line.inputs)
    to = _name(line.outputs[0])
    ranks = [v.aval.ndim for v in line.eqn.invars]
    if ranks == [2, 2] and (tuple(lc), tuple(rc)) == ((1,), (0,)) and not lb:
        return f"{to} = jnp.matmul({lhs}, {rhs}, {option})"
    letters = iter(string.ascii_lowercase)
    left = [next(letters) for _ in range(ranks[0])]
    right = [next(letters) for _ in range(ranks[1])]
    for a, b in (*zip(lb, rb, strict=True), *zip(lc, rc, strict=True)):
        right[b] = left[a]
    out = [left[k] for k in lb]
    out += [c for k, c in enumerate(left) if k not in lb and k not in lc]
    out += [c for k, c in enumerate(right) if k not in rb and k not in rc]
    return f"{to} = jnp.einsum('{''.join(left)},{''.join(right)}->{''.join(out)}', {lhs}, {rhs}, {option})"


def _without_repeats(dims: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Each axis kept where it comes first."""
    seen: set[str] = set()
    out = []
    for axes in dims:
        out.append(tuple(a for a in axes if a not in seen))
        seen |= set(axes)
    return out


def _of(value: Any) -> Entries:
    type_ = jax.typeof(value)
    return entries(type_.sharding.spec, type_.ndim)


def _bytes(aval: Any, dims: Sequence[Sequence[str]], mesh: Any) -> int:
    parts = math.prod(mesh.shape[a] for axes in dims for a in axes)
    return math.prod(aval.shape) * aval.dtype.itemsize // parts


def _call(kind: str, n: int) -> collectives.Call:
    statement = collectives.statement_of(kind)
    assert statement is not None
    return collectives.Call(statement, kind, (), (tuple(range(n)),))


def _name(v: Value | Literal) -> str:
    return str(v.val) if isinstance(v, Literal) else v.name
