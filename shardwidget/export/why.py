"""Why a value is split as it is: the chain found in a comparison, and in words, the answer first."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from shardwidget._format import byte_count, count, flop_count
from shardwidget._text import short_dtype
from shardwidget.document import Alternative, Compared, Comparison, Link, Row, Why
from shardwidget.document.columns import INSTEAD, Column
from shardwidget.document.comparison import Explained
from shardwidget.document.why import Reason, chain_of
from shardwidget.export import listing
from shardwidget.export.words import clip

SHOWN = 7
"""The most links of a chain that are written out."""

MOST_NAMED = 6
"""The most values that are named of those that were given the same."""

NOT_SPLIT = "Nothing asked for a split of dim {dim} of {name}."
NOT_COMPILED = "Why {name} is split as it is is not known: the program was not compiled."
NO_RECORD = "This JAX does not say why: {version} lacks the record that this needs, or the program is too large for it."
NOT_KNOWN = (
    "Dim {dim} of {name} is split over {axis}; why is not known. The compiler changed it after its shardings were "
    "propagated, or the value is not one that it names."
)

NO_FUNCTION = (
    "what would be otherwise is compiled by the Python that read the function; this comparison comes from a file, a "
    "saved page or a widget that was closed. Read it again: read.comparison(f, ...)."
)

ASK = "{ask} compiles it as it would be otherwise."

NOTHING_ELSE = "Nothing else compiles here: what decides is not in a line or an argument that can be changed alone."


def why(
    c: Comparison,
    row: int,
    dim: int,
    axis: str | None,
    value: int,
    *,
    instead: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Why:
    """``Comparison.why``."""
    of = c.rows[row].values[value]
    if not 0 <= dim < len(of.shape):
        raise IndexError(f"{of.name or 'the value'} has {len(of.shape)} dimensions; there is no dim {dim}")
    axes = of.concrete.dims[dim].axes if of.concrete and of.concrete.dims else ()
    if axis is None:
        axis = axes[0] if axes else ""
    at = row, value, dim, axis if axes else ""
    places = [k for k, r in enumerate(c.reasons) if (r.row, r.value, r.dim, r.axis) == at]
    if places:
        found = _found(c, places[0])
        if not instead or not found.ask:
            return found
        if c.compiled_otherwise is None:
            raise ValueError(NO_FUNCTION)
        return replace(found, instead=c.compiled_otherwise(c, places[0], progress)[0])
    if c.program is None or of.concrete is None:
        answer = NOT_COMPILED.format(name=of.name)
    elif axis not in axes:
        split = f"Dim {dim} of {of.name} is not split over {axis}." if axis else ""
        answer, axis = split or NOT_SPLIT.format(dim=dim, name=of.name), ""
    elif not c.steps and not c.reasons:
        answer = NO_RECORD.format(version=f"JAX {c.jax_version}")
    else:
        answer = NOT_KNOWN.format(dim=dim, name=of.name, axis=axis)
    return Why(of.name, dim, axis, answer)


def why_collective(c: Comparison | Explained, collective: int) -> tuple[Why, ...]:
    """``Comparison.why_collective``."""
    found = len(c.program.collectives) if c.program else 0
    if not 0 <= collective < found:
        raise IndexError(f"the program has {count(found, 'collective')}; there is no collective {collective}")
    reasons = (k for cause in c.causes if cause.collective == collective for k in cause.reasons)
    return tuple(_found(c, k) for k in dict.fromkeys(reasons))


def _found(c: Comparison | Explained, index: int) -> Why:
    chain = chain_of(c.reasons, index)
    first, last = c.reasons[chain[0]], c.reasons[index]
    of = _value(c, last)
    links = tuple(_link(c, k, begins=n == 0) for n, k in enumerate(chain))
    lost = tuple(dict.fromkeys(k for n in chain for k in c.reasons[n].lost if k not in chain))
    group = c.groups[last.group].reasons if last.group >= 0 else ()
    rows = {last.row} | {row for k in chain for row in c.reasons[k].through}
    over = {k for cause in c.causes if cause.row in rows for k in [cause.collective] if _over(c, k, last.axis)}
    if not last.axis:
        over = {cause.collective for cause in c.causes if chain[0] in cause.reasons}
    return Why(
        of.name,
        last.dim,
        last.axis,
        _answer(c, chain, of),
        first.given,
        links,
        tuple(_link(c, k, begins=True) for k in lost),
        tuple(_also(c, k) for k in group if k not in chain),
        tuple(dict.fromkeys(c.reasons[k].because for k in chain if c.reasons[k].because)) if lost else (),
        tuple(_collective(c, k) for k in sorted(over)),
        _ask(last) if lost or first.given == "constraint" else "",
        steps=c.steps,
    )


def _also(c: Comparison | Explained, k: int) -> Link:
    """A value that was given the same."""
    link = _link(c, k, begins=True)
    told = c.reasons[k].given == "jit"
    return replace(link, name=f"the sharding given to jit for {link.name or 'a result'}") if told else link


def _ask(asked: Reason) -> str:
    axis = f", {asked.axis!r}" if asked.axis else ""
    value = f", value={asked.value}" if asked.value else ""
    return f"comparison.why({asked.row}, {asked.dim}{axis}{value}, instead=True)"


def _answer(c: Comparison | Explained, chain: list[int], of: Compared) -> str:
    first, last = c.reasons[chain[0]], c.reasons[chain[-1]]
    origin = _origin(c, first)
    own = first is last and not first.through
    passed = [row for k in reversed(chain) for row in c.reasons[k].through]
    if first.given == "shard_map" and first.through:
        passed = passed[:-1]
    passed = list(dict.fromkeys(row for row in passed if row != first.row or len(chain) == 1))[::-1]
    is_split = of.concrete and of.concrete.dims and of.concrete.dims[last.dim].axes
    is_ = f"split over {last.axis}" if last.axis else "made whole" if is_split else "whole"
    split = f"Dim {last.dim} of {of.name} is {is_} because "
    if own:
        return split + origin[0] + "."
    through = ""
    if len(passed) == 1:
        through = f", {'back ' * last.back}through {_operation(c.rows[passed[0]])}"
    elif passed:
        through = f", through {count(len(passed), 'operation')}, the last {_operation(c.rows[passed[-1]])}"
    return f"{split}{origin[1]}{through}."


def _origin(c: Comparison | Explained, first: Reason) -> tuple[str, str]:
    """Where a chain begins, in words: for the value itself, and for another that it was passed on to."""
    name, row = _value(c, first).name, c.rows[first.row]
    if first.given == "argument":
        argument = _argument(row, name)
        return f"{argument} was given so", f"{name} ({argument}) is"
    if first.given == "constraint":
        asks = f"{row.decision or row.primitive}{_at(row)} asks for it"
        return asks, asks
    if first.given == "type":
        return "its type says so", f"the type of {name}{_at(row)} says so"
    if first.given == "jit":
        return "jit was given this sharding for it", f"jit was given this sharding for {name}"
    if first.given == "shard_map":
        region = c.rows[first.through[-1]] if first.through else row
        verb = "takes" if first.through else "returns"
        whose = "it" if first.back or not first.through else name
        return f"the shard_map{_at(region)} {verb} {whose} so", f"the shard_map{_at(region)} {verb} {name} so"
    return "of what is not known", f"{name} is"


def _argument(row: Row, name: str) -> str:
    """Which argument an array is in: ``argument 2``."""
    at = next((k for k, of in enumerate(row.inputs) if re.match(rf"{re.escape(of)}(?!\w)", name)), 0)
    return f"argument {at}"


def _link(c: Comparison | Explained, k: int, *, begins: bool) -> Link:
    reason = c.reasons[k]
    row, of = c.rows[reason.row], _value(c, reason)
    through = () if begins else tuple(_operation(c.rows[n]) for n in reversed(reason.through))
    type_ = f"{short_dtype(of.dtype)}[{','.join(map(str, of.shape))}] {of.concrete.text if of.concrete else ''}".strip()
    return Link(of.name, type_, reason.dim, reason.row, row.source, through, reason.back, reason.step)


def _value(c: Comparison | Explained, reason: Reason) -> Compared:
    return c.rows[reason.row].values[reason.value]


def _operation(row: Row) -> str:
    name = "the return" if row.primitive == "outputs" else row.primitive
    return f"{name}, line {row.source.line}" if row.source else name


def _at(row: Row) -> str:
    if row.source is None or (caller := row.called_from) is None:
        return f" in line {row.source.line}" if row.source else ""
    file = f" of {row.source.file}" if row.source.file != caller.file else ""
    return f" in line {row.source.line}{file}, called from line {caller.line},"


def _over(c: Comparison | Explained, collective: int, axis: str) -> bool:
    return c.program is not None and axis in c.program.collectives[collective].axes


def _collective(c: Comparison | Explained, index: int) -> str:
    assert c.program is not None, "rows name collectives of a program"
    op = c.program.collectives[index]
    where = f", line {op.source.line}" if op.source else ""
    return f"{op.kind} over {', '.join(op.axes)}: {byte_count(op.bytes_per_device)} per device{where}"


# Words.


def headline(w: Why) -> str:
    """The answer."""
    return clip(w.answer, 400)


def picture(w: Why) -> str:
    """The answer, and below it the chain from what gave the axis."""
    return "\n".join([headline(w), *listing.lines(COLUMNS, _rows(w)), *_rest(w), *_instead(w)])


def table(w: Why) -> str:
    """The same as an HTML table."""
    return listing.table(headline(w), COLUMNS, _rows(w), [*_rest(w), *_instead(w)])


COLUMNS = (
    Column("way", ""),
    Column("name", "value"),
    Column("type", "compiled"),
    Column("dim", "dim"),
    Column("line", "line"),
    Column("through", "through"),
    Column("step", "step"),
)


def _rows(w: Why) -> list[listing.Row]:
    links = list(w.chain)
    if not links:
        return []
    folded = len(links) - SHOWN if len(links) > SHOWN + 1 else 0
    rows = [_row(link, "from" if k == 0 else "←" if link.back else "→", w.steps) for k, link in enumerate(links)]
    if folded:
        middle = SHOWN // 2
        rows[middle : middle + folded] = [{"way": "…", "name": f"{folded} more"}]
    return [*rows, *(_row(link, "lost", w.steps) for link in w.lost)]


def _row(link: Link, way: str, steps: int) -> listing.Row:
    step = f"{link.step + 1} of {steps}" if link.step >= 0 and way != "lost" else ""
    line = str(link.source.line) if link.source else ""
    cells = {"way": way, "name": link.name, "type": link.type, "dim": str(link.dim), "line": line}
    return {**cells, "through": ", ".join(link.through), "step": step}


def _rest(w: Why) -> list[str]:
    also = [link.name + (f" (line {link.source.line})" if link.source else "") for link in w.also]
    more = f" and {len(also) - MOST_NAMED} more" if len(also) > MOST_NAMED else ""
    asked = f"Also given the same: {', '.join(also[:MOST_NAMED])}{more}."
    return [*([asked] if also else []), *w.because, *(f"It follows: {words}" for words in w.collectives)]


def _instead(w: Why) -> list[str]:
    """What else was compiled, or how to ask for it."""
    if not w.instead:
        return [ASK.format(ask=w.ask)] if w.ask else []
    if len(w.instead) == 1:
        return [NOTHING_ELSE]
    return listing.lines(INSTEAD, [_alternative(a, w.name) for a in w.instead])


def _alternative(a: Alternative, name: str) -> listing.Row:
    return {
        "what": a.what,
        "code": a.code,
        "gives": f"{name} {a.gives}" if a.gives else "",
        "collectives": ", ".join(a.collectives) or "none",
        "sent": a.sent,
        "work": flop_count(a.flops) if a.flops >= 0 else "",
    }
