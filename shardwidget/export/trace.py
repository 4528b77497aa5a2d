"""A trace as text and as a plain HTML table: its steps, with types and what they communicate."""

from __future__ import annotations

from collections.abc import Iterator

from shardwidget._format import byte_count, count
from shardwidget.document import Fix, Scope, Step, Trace
from shardwidget.document.columns import STEPS
from shardwidget.export import listing
from shardwidget.export.words import clip, verdict_of

MOST, LEAST = 60, 12
"""The most lines of text, and the fewest steps that are listed; a longer trace is cut, with a note."""

WHOLE = 200
"""The most steps of a table in which every iteration of a loop has its rows, as in ``js/src/stepper/model/rows.ts``."""

LARGEST = 600
"""The most rows of a table, some 200 KB in a notebook; a longer one is cut, with a note."""


def headline(trace: Trace) -> str:
    """Why it stops, or what to look at first, in one line."""
    return verdict_of(trace.name or "f", verdict(trace)[0])


def facts(trace: Trace) -> str:
    """What was traced, in one line."""
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in trace.mesh.axes)
    why = trace.note if trace.note.startswith("types only") else "types only"
    where = {"mesh": "run on its devices", "host": "simulated on the host", "types": why}[trace.engine]
    stop = f", stops with {trace.error.error}" if trace.error else ""
    of = "" if trace.regions or trace.error else " of whole arrays"
    mesh = f" on mesh {axes}" if axes else " on one device"
    return f"{count(len(trace.steps), 'step')}{of}{mesh}, {where}{stop}"


def verdict(trace: Trace) -> list[str]:
    """What a reader looks for, in lines: why the program stops and what makes it run, or the first collective."""
    error = trace.error
    if not error and not trace.regions:
        return ["calls no shard_map: the compiler chooses what devices send, and read.program counts it"]
    step = trace.steps[trace.event]
    place = f", {step.source.file}:{step.source.line}" if step.source else ""
    if error:
        fixes = [f"  {k}. {_fix(fix)}" for k, fix in enumerate(error.fixes, 1)]
        head = ["a change that makes it run:" if len(fixes) == 1 else "changes that make it run:"] if fixes else []
        return [
            f"stops at step {trace.event}{place}: {error.explanation}",
            *head,
            *fixes,
            f"{error.error}: {error.message}",
        ]
    if step.collective is None:
        if any("read.kernel" in s.sentence or "cannot be followed" in s.sentence for s in trace.steps):
            return ["no collective; what kernels and custom calls send is not counted here: see their steps"]
        return ["no collective: devices send nothing to one another"]
    return [f"first collective: step {trace.event}{place}: {step.sentence}"]


def _fix(fix: Fix) -> str:
    where = f" (line {fix.line})" if fix.line else ""
    gives = {"same": "; gives the value of the whole array", "other": f"; {fix.effect}"}.get(fix.value, "")
    sends = f"; sends {byte_count(fix.bytes_per_device)}" if fix.communication else ""
    return f"{fix.title}{where}: {' '.join(fix.code.split())}{gives}{sends}"


def picture(trace: Trace) -> str:
    """The steps as lines of text: primitive, mesh axes, types, source line."""
    first = [headline(trace), facts(trace), *verdict(trace)[1:]]
    room, steps = max(LEAST, MOST - len(first) - 1), len(trace.steps)
    begin, end = 0, steps
    if steps > room:  # Those around the one to look at first.
        begin = min(max(0, trace.event - room // 2), steps - room + 2)
        end = begin + room - 2
    rows = [_cells(k, trace.steps[k]) for k in range(begin, end)]
    before = [f"… {count(begin, 'step')} before"] * bool(begin)
    return "\n".join([*first, *before, *listing.lines(STEPS, rows, 60), *_rest(steps - end)])


def table(trace: Trace) -> str:
    """The steps as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg.

    In a long trace the iterations of a loop after the first are one row.
    """
    rows = list(_rows(trace))
    left = len(trace.steps) - rows[LARGEST][0] if len(rows) > LARGEST else 0
    shown = [cells for _, cells in rows[:LARGEST]]
    before = listing.paragraphs([facts(trace)])
    return listing.table(headline(trace), STEPS, shown, [*_rest(left), *verdict(trace)[1:]], before)


def _rows(trace: Trace) -> Iterator[tuple[int, listing.Row]]:
    """Steps, or the later iterations of a loop together: the index of the first step, and cells."""
    whole = len(trace.steps) <= WHOLE
    later = [None if whole else _later(trace, step.scope) for step in trace.steps]
    at = 0
    while at < len(later):
        first, begin = later[at], at
        at += 1
        if first is None:
            yield begin, _cells(begin, trace.steps[begin])
            continue
        last = first
        while at < len(later) and (scope := later[at]) is not None and scope.parent == first.parent:
            last, at = scope, at + 1
        to = f" to {last.iteration + 1}" if last != first else ""
        which = f"{first.name}, iteration {first.iteration + 1}{to} of {first.times}"
        yield begin, {"at": str(begin), "step": which, "gives": count(at - begin, "step")}


def _later(trace: Trace, scope: int) -> Scope | None:
    """The outermost iteration around that is not the first of its loop."""
    found = None
    while scope >= 0:
        around = trace.scopes[scope]
        if around.kind == "iteration" and around.iteration > 0:
            found = around
        scope = around.parent
    return found


def _cells(at: int, step: Step) -> listing.Row:
    gives = ", ".join(f"{v.name} {v.type}" for v in step.outputs)
    sent = ""
    if step.collective is not None:
        c = step.collective
        sent = f"over {', '.join(c.axes)}"
        if c.bytes_per_device:
            sent += f", {byte_count(c.bytes_per_device)} per device"
    source = f"{step.source.file}:{step.source.line} {step.source.text}" if step.source else ""
    name = step.primitive + (" (implicit)" if step.implicit else "")
    return {"at": str(at), "step": name, "gives": gives, "sent": sent, "source": source}


def _rest(left: int) -> list[str]:
    all_steps = "`trace.steps`, or `view.document.steps` of a stepper, has them all"
    return [f"… {count(left, 'more step')}: {all_steps}"] if left > 0 else []
