"""Fixes of calls that JAX refuses before there is an equation: each is pasted, and the whole function traced with it.

``jnp.repeat`` asks for ``out_sharding`` before it does anything, and a loop compares its carry with what its body
returns before it is an equation. No equation can be bound in another way there: the user's line is changed.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import jax

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._comparison.explicit import Ended, Rewritten
from shardwidget.read._comparison.pasting import PastedTrace, Pasting
from shardwidget.read._comparison.price import Price, Prices
from shardwidget.read._comparison.rows import typed
from shardwidget.read._entries import Entries, entries, entries_text
from shardwidget.read._jaxpr.rewrite import (
    LOOPS,
    Edit,
    SourceText,
    argument,
    last_name,
    part,
    source_text,
    span_of_node,
    spelled,
)
from shardwidget.read._jaxpr.sources import RaisedAt, raised_at, shown_name

MOST = 5
"""The most fixes offered for one call."""


class _Change(NamedTuple):
    title: str
    edit: Edit
    carry: int = -1
    """Index of the loop's result that it is about; -1 for the first array."""


class RefusedCall:
    """The call that an exception comes from.

    Args:
        ended: what JAX raised.
        pasting: traces the function with changes.
        prices: compiles the call with its changes.
        dims: how the compiler lays out what the call gives; None where that is not known.
    """

    def __init__(self, ended: Ended, pasting: Pasting, prices: Prices, dims: Entries | None = None) -> None:
        self._error, self._after = ended
        self._pasting, self._prices, self._dims = pasting, prices, dims

    def fixes(self) -> tuple[Rewritten, ...]:
        """Changes of the call with which the function is traced past it, with the type that the call then has.

        Those that send least come first, where that is known of all.
        """
        at = raised_at(self._error)
        if at is None or at.span is None or _jax.is_library_file(at.file):
            return ()
        with self._after.readable() if self._after else contextlib.nullcontext():
            return self._of_call(at)

    def _of_call(self, at: RaisedAt) -> tuple[Rewritten, ...]:
        assert at.span
        source = source_text(at.file)
        call = source.expression(at.span)
        if not isinstance(call, ast.Call):
            return ()
        known = at.frame.f_locals
        kinds = self._carries(source, call), self._with_option(source, call, known), self._left(source, call, known)
        return next(filter(None, (self._traced(changes, call) for changes in kinds)), ())

    def _traced(self, changes: Iterator[_Change], call: ast.Call) -> tuple[Rewritten, ...]:
        """The changes that get past the call, one for each type that it then has."""
        found: dict[str, tuple[Rewritten, Price | None]] = {}
        for change in itertools.islice(changes, MOST):
            edit = change.edit
            lines = _lines_before(edit, self._after)
            traced = self._pasting.traced(edit, span_of_node(call), self._after) if lines else None
            type_ = None if traced is None else _type(traced, call, change.carry)
            if lines and traced is not None and type_ is not None:
                layout = typed(type_)
                if layout.text not in found:
                    fix = Fix(change.title, edit.code, shown_name(edit.file), *lines, layout)
                    price = self._prices.of_equations(traced.run_once(span_of_node(call)))
                    if price is not None:
                        fix = replace(fix, communication=price.communication, bytes_per_device=price.bytes)
                    found[layout.text] = Rewritten(fix, type_, traced), price
        fixes = [change for change, _ in found.values()]
        known = all(price is not None for _, price in found.values())
        return tuple(sorted(fixes, key=lambda change: change.fix.bytes_per_device) if known else fixes)

    def _carries(self, source: SourceText, call: ast.Call) -> Iterator[_Change]:
        """A loop that starts with the type that its body returns, or a body that returns what the loop starts with."""
        called = last_name(call.func)
        changed = _jax.messages.carries(self._error)
        if called not in LOOPS or not changed:
            return
        at, name, body_at, body_name = LOOPS[called]
        body = source.callable(argument(call, body_at, body_name))
        returned = source.returned(body) if body is not None else None
        if called == "scan" and returned is not None:
            returned = part(returned, [0], source)
        paths = [c.path[1:] if called == "fori_loop" else c.path for c in changed]
        for what, whole, wanted in (
            ("start with", argument(call, at, name), [c.after.dims for c in changed]),
            ("return", returned, [c.before.dims for c in changed]),
        ):
            nodes = [None if whole is None else part(whole, path, source) for path in paths]
            changes = [
                (node, spelled(f"jax.reshard({source.segment(node)}, {entries_text(dims)})", source))
                for node, dims in zip(nodes, wanted, strict=True)
                if node is not None
            ]
            edit = source.edit(changes) if changes and len(changes) == len(changed) else None
            if edit is not None:
                specs = " and ".join(dict.fromkeys(map(entries_text, wanted)))
                yield _Change(f"{what} {specs}", edit, changed[0].number)

    def _with_option(self, source: SourceText, call: ast.Call, known: dict[str, Any]) -> Iterator[_Change]:
        """The call with ``out_sharding``, where its message asks for that."""
        asks = _jax.messages.asks_for_out_sharding(self._error)
        if not asks or any(k.arg in (None, "out_sharding") for k in call.keywords):
            return
        given = [source.segment(argument) for argument in (*call.args, *call.keywords)]
        for spec in self._specs(_arrays(call, known)):
            code = f"{source.segment(call.func)}({', '.join([*given, f'out_sharding={spec}'])})"
            yield from _changed(f"out_sharding {spec}", source, call, code)

    def _left(self, source: SourceText, call: ast.Call, known: dict[str, Any]) -> Iterator[_Change]:
        """The call left to the compiler, as a function of the arrays that it names."""
        names = _arrays(call, known)
        if not names or last_name(call.func) in LOOPS:  # A loop closes over arrays on Explicit axes.
            return
        listed = ", ".join(names)
        for spec in self._specs(names):
            inside = f"lambda {listed}: {source.segment(call)}, out_sharding={spec}"
            code = f"jax.sharding.auto_axes({inside})({listed})"
            yield from _changed(f"leave it to the compiler: {spec}", source, call, code)

    def _specs(self, names: dict[str, jax.Array]) -> Iterator[str]:
        """Specs that the result may have: the compiler's, those of the operands, and whole."""
        compiled = [self._dims] if self._dims is not None else []
        return map(entries_text, dict.fromkeys([*compiled, *map(_dims_of, names.values()), ()]))


def _lines_before(edit: Edit, after: PastedTrace | None) -> tuple[int, int] | None:
    """The first line that a change replaces, as the lines are numbered before all changes, and their count.

    None where it replaces part of what another change wrote.
    """
    first, last = edit.first, edit.last
    if after is not None:
        meet = first <= after.edit.last + after.more and after.edit.first <= last
        if meet and after.more and edit.file == after.file:
            return None
        first, last = (after.line_before(edit.file, line)[1] for line in (first, last))
    return first, last - first + 1


def _changed(title: str, source: SourceText, call: ast.Call, code: str) -> list[_Change]:
    edit = source.edit([(call, spelled(code, source))])
    return [] if edit is None else [_Change(title, edit)]


def _arrays(call: ast.Call, known: dict[str, Any]) -> dict[str, jax.Array]:
    """The arrays that a call names, by their names."""
    names = dict.fromkeys(n.id for n in ast.walk(call) if isinstance(n, ast.Name))
    return {name: known[name] for name in names if isinstance(known.get(name), jax.Array)}


def _dims_of(value: Any) -> Entries:
    type_ = jax.typeof(value)
    return entries(type_.sharding.spec, type_.ndim)


def _type(traced: PastedTrace, call: ast.Call, carry: int) -> Any:
    """The type of what a call gives in a function that was traced with a change; None where it is not found."""
    lines = call.lineno, call.end_lineno or call.lineno
    here = traced.run_once(span_of_node(call)) or [eqn for eqn in traced.equations() if traced.is_within(eqn, *lines)]
    loops = [eqn for eqn in here if isinstance(_jax.control_of(eqn), _jax.Scan | _jax.While)]
    for eqn in reversed(loops if last_name(call.func) in LOOPS else here):
        types = [v.aval for v in eqn.outvars]
        if 0 <= carry < len(types):
            return types[carry]
        if arrays := [t for t in types if getattr(t, "ndim", 0)]:
            return arrays[0]
    return None
