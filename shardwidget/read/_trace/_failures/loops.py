"""Loops and branches whose types do not fit."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.read._jaxpr.rewrite import LOOPS, argument, last_name, part
from shardwidget.read._trace._failures.explanation import Explanation, vary
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer


def changed_carry(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """The first carry whose type changes; JAX's message names it, and the axes if it says how to fix it."""
    changes = _jax.messages.carries(stop.error)
    gains = [(carry, axes) for carry in changes if (axes := carry.after.varying - carry.before.varying)]
    losses = [(carry, axes) for carry in changes if (axes := carry.before.varying - carry.after.varying)]
    chosen = gains or losses
    if not chosen:
        return None
    carry, axes = chosen[0][0], sorted(chosen[0][1])
    value = _carry_called(carry, stop.inputs, set(axes), bool(gains))
    what = value.name if value is not None else carry.name
    same, varies = f"the same along {joined(axes)}", f"varying over {joined(axes)}"
    before, after = (same, varies) if gains else (varies, same)
    text = f"{what} is {before} when the loop starts and {after} when its body returns; a carry must keep its type."
    return Explanation(text, value, axes, _carries_typed(stop, chosen, bool(gains), what))


def _carries_typed(
    stop: StoppedTrace, changed: Sequence[tuple[_jax.messages.Carry, frozenset[str]]], gains: bool, what: str
) -> list[Proposal]:
    """Carries that gain axes are typed as varying before the loop; those that lose some, in what the body returns."""
    call, source = stop.changes.expression, stop.changes.source
    called = last_name(call.func) if isinstance(call, ast.Call) else ""
    if called not in LOOPS or source is None or not isinstance(call, ast.Call):
        return []
    at, name, body_at, body_name = LOOPS[called]
    whole = argument(call, at, name)
    if not gains:
        body = source.callable(argument(call, body_at, body_name))
        whole = source.returned(body) if body is not None else None
        if called == "scan" and whole is not None:
            whole = part(whole, [0], source)
    if whole is None:
        return []
    changes = []
    for carry, axes in changed:
        path = carry.path[1:] if called == "fori_loop" else carry.path
        changes.append((part(whole, path, source), vary(sorted(axes))))
    over = joined(sorted(changed[0][1]))
    where = "before the loop" if gains else "in what the body returns"
    made = stop.changes.each(f"Type {what} as varying over {over}, {where}: nothing is sent", changes)
    return [replace(made, only_types=True)] if made else []


def _carry_called(
    carry: _jax.messages.Carry, values: Sequence[TracedValue], axes: set[str], gains: bool
) -> TracedValue | None:
    fitting = [v for v in values if bool(axes & _jax.manual_types(v.aval)[0]) != gains]
    if 0 <= carry.number < len(values) and values[carry.number] in fitting:
        return values[carry.number]
    return fitting[0] if fitting else None


def unlike_branches(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """Branches whose results vary over different axes. JAX's message has their types but not their names."""
    every = _jax.messages.branches(stop.error)
    if not every:
        return None
    one, other = every[0]
    axes = sorted(one.type.varying ^ other.type.varying)
    less, more = (one, other) if one.type.varying < other.type.varying else (other, one)
    fixes = _branches_typed(stop, every)
    if not less.type.varying < one.type.varying | other.type.varying:
        types = f"{one.name} returns {one.type.text} and {other.name} {other.type.text}"
        return Explanation(f"{types}; branches must return the same type.", axes=axes, fixes=fixes)
    same = [v for v in stop.inputs if str(v.aval) == less.type.text]
    words = (
        f"What {more.name} returns varies over {joined(axes)}, and what {less.name} returns is the same along "
        f"{joined(axes)}; branches must return the same type."
    )
    return Explanation(words, same[0] if len(same) == 1 else None, axes, fixes)


def _branches_typed(
    stop: StoppedTrace, pairs: Sequence[tuple[_jax.messages.Branch, _jax.messages.Branch]]
) -> list[Proposal]:
    """What branches return, typed as varying over all axes that another branch's result varies over."""
    call, source = stop.changes.expression, stop.changes.source
    if source is None or not isinstance(call, ast.Call):
        return []
    missing: dict[tuple[str, tuple[int | str, ...]], frozenset[str]] = {}
    for one, other in pairs:
        for mine, theirs in ((one, other), (other, one)):
            at = mine.name, one.path
            missing[at] = missing.get(at, frozenset()) | (theirs.type.varying - mine.type.varying)
    changes, names = [], []
    for (name, path), axes in missing.items():
        if not axes:
            continue
        names.append(name)
        branch = _branch(call, name)
        function = source.callable(branch)
        if function is not None:
            result = source.returned(function)
            changes.append((None if result is None else part(result, path, source), vary(sorted(axes))))
        else:  # A function of a library.
            code = f"lambda *args: {vary(sorted(axes)).format('{}(*args)')}"
            changes.append((None if path else branch, code))
    over = joined(sorted(axes for a in missing.values() for axes in a))
    title = f"Type what {joined(names)} returns as varying over {over}: nothing is sent"
    made = stop.changes.each(title, changes)
    return [replace(made, only_types=True)] if made else []


def _branch(call: ast.Call, name: str) -> ast.expr | None:
    """The branch that JAX calls ``true_fun``, ``false_fun`` or ``branch 1``."""
    if name in ("true_fun", "false_fun"):
        return argument(call, 1 if name == "true_fun" else 2, name)
    number, branches = re.search(r"\d+", name), argument(call, 1, "branches")
    if number is None or not isinstance(branches, ast.List | ast.Tuple) or int(number[0]) >= len(branches.elts):
        return None
    return branches.elts[int(number[0])]
