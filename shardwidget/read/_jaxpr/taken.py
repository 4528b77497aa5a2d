"""What a line takes out of an array by indices, written otherwise: text alone."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwidget.read._jaxpr.rewrite import SourceText, last_name

MOST = 4
"""The most places that are tried for rows that a line takes."""

_PLACE = "out_sharding"


@dataclass(frozen=True)
class Taken:
    """``array[index]``, or ``array.at[index].get(…)``."""

    array: ast.expr
    index: ast.expr
    keywords: tuple[ast.keyword, ...] = ()


def taken(node: ast.expr) -> Taken | None:
    """What an expression takes out of an array by an index; None where it does something else."""
    if isinstance(node, ast.Subscript):
        is_at = isinstance(node.value, ast.Attribute) and node.value.attr == "at"
        return None if is_at else Taken(node.value, node.slice)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"):
        return None
    at = node.func.value
    if not (isinstance(at, ast.Subscript) and isinstance(at.value, ast.Attribute) and at.value.attr == "at"):
        return None
    return None if node.args else Taken(at.value.value, at.slice, tuple(node.keywords))


def mapped(text: SourceText, node: ast.expr) -> str:
    """``x[jnp.arange(n), i]`` for each row: the indices of a gather along a split dimension go to all devices.

    ``x[jnp.arange(n)[:, None], jnp.arange(m), i]`` for each row of each.
    """
    of = taken(node)
    if of is None or not isinstance(of.index, ast.Tuple):
        return ""
    *rows, at = of.index.elts
    every = all(_is_every(one, len(rows) - 1 - k) for k, one in enumerate(rows))
    if not rows or not every or isinstance(at, ast.Slice | ast.Constant | ast.Starred):
        return ""
    kept = [text.segment(k) for k in of.keywords if k.arg != _PLACE]
    row = f"row.at[at].get({', '.join(kept)})" if kept else "row[at]"
    function = f"lambda row, at: {row}"
    for _ in rows:
        function = f"jax.vmap({function})"
    return f"{function}({text.segment(of.array)}, {text.segment(at)})"


def _is_every(node: ast.expr, behind: int) -> bool:
    """Whether an index is ``jnp.arange(n)``, with as many dimensions of one after it as others stand behind it."""
    if isinstance(node, ast.Subscript):
        given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        entries = [ast.unparse(entry) for entry in given]
        after = entries[entries.index(":") + 1 :] if ":" in entries else []
        if not {":", "None", "jnp.newaxis", "np.newaxis"}.issuperset(entries) or entries.count(":") > 1:
            return False
        if len(after) != behind:
            return False
        node = node.value
    elif behind:
        return False
    return isinstance(node, ast.Call) and last_name(node.func) == "arange" and len(node.args) == 1


def cast_before(text: SourceText, node: ast.expr) -> str:
    """``x[i].astype(t)`` as ``x.astype(t)[i]``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype"):
        return ""
    of = taken(node.func.value)
    if of is None or isinstance(of.index, ast.Slice | ast.Constant):
        return ""
    if any(k.arg not in (_PLACE, "indices_are_sorted", "unique_indices") for k in of.keywords):
        return ""  # What is filled in depends on the dtype.
    cast = ", ".join(map(text.segment, [*node.args, *node.keywords]))
    array, index = f"{text.operand(of.array)}.astype({cast})", text.segment(of.index)
    if isinstance(node.func.value, ast.Subscript):
        return f"{array}[{index}]"
    return f"{array}.at[{index}].get({', '.join(map(text.segment, of.keywords))})"


def placed(
    text: SourceText, node: ast.expr, shape: Sequence[int], firsts: Sequence[Any], axes: Mapping[str, int], mesh: str
) -> Iterator[tuple[str, str]]:
    """``x.at[i].get(out_sharding=…)`` with other axes for its first and its last dimension; each with its spec.

    Args:
        text: the file.
        node: an expression in it.
        shape: the shape of what is taken.
        firsts: entries of a spec that may split the first dimension.
        axes: the sizes of the mesh axes that may split the last.
        mesh: what the mesh is called there; empty where it has no name.
    """
    of = taken(node)
    if of is None or len(shape) < 2 or isinstance(of.index, ast.Slice | ast.Constant):
        return
    given = next((k.value for k in of.keywords if k.arg == _PLACE), None)
    spec = only_spec(given)
    if given is not None and (spec is None or any(isinstance(e, ast.Starred) for e in spec.args)):
        return
    old = [ast.unparse(e) for e in spec.args] if spec else []
    old += ["None"] * (len(shape) - len(old))
    lasts = [old[-1], *(repr(axis) for axis, size in axes.items() if shape[-1] % size == 0), "None"]
    ways = dict.fromkeys((first, *old[1:-1], last) for first in [*map(repr, firsts), old[0]] for last in lasts)
    others = (list(way) for way in ways if list(way) != old and _each_once(way))
    for entries in itertools.islice(others, MOST):
        written = f"{text.segment(spec.func) if spec else 'P'}({', '.join(entries)})"
        if given is None or spec is None:
            sharding = sharding_text(mesh, entries)
        else:
            sharding = text.segment(given).replace(text.segment(spec), written)
        rest = [text.segment(k) for k in of.keywords if k.arg != _PLACE]
        arguments = ", ".join([*rest, f"{_PLACE}={sharding}"])
        yield written, f"{text.operand(of.array)}.at[{text.segment(of.index)}].get({arguments})"


def sharding_text(mesh: str, entries: Sequence[str]) -> str:
    """A sharding as it is written; a bare spec where the mesh has no name."""
    spec = f"P({', '.join(entries)})"
    return f"jax.NamedSharding({mesh}, {spec})" if mesh else spec


def only_spec(given: ast.expr | None) -> ast.Call | None:
    """The one spec that is written out in an expression."""
    specs = [n for n in ast.walk(given) if isinstance(n, ast.Call) and _is_spec(n)] if given is not None else []
    return specs[0] if len(specs) == 1 else None


def _each_once(entries: Sequence[str]) -> bool:
    """Whether no axis splits two dimensions."""
    named = [n.value for e in entries for n in ast.walk(ast.parse(e)) if isinstance(n, ast.Constant) and n.value]
    return len(named) == len(set(named))


def _is_spec(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in ("P", "PartitionSpec") and not node.keywords
