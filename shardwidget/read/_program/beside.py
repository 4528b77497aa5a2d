"""A measured run beside the estimate of a program's overlap."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from shardwidget._format import count
from shardwidget.document import MeasuredCall, MeasuredCollective, MeasuredLine, Overlap, Run
from shardwidget.rates import RATES
from shardwidget.read._program.overlap import rate_of

OTHER_DEVICES = (
    "the estimate is for {chip}, and the run was on {target}. Estimate for what it ran on: leave chip= out, or give "
    "chip=shardwidget.rates.Rate(...) with its figures."
)

OTHER_PROGRAM = (
    "the run is of another program: none of its collectives has the kind, the axes and the line of an estimated one. "
    "Measure the function that was estimated: read.run(f, *args)."
)


def beside(o: Overlap, run: Run) -> Overlap:
    """``Overlap.beside``."""
    own = rate_of(run.mesh.kind)
    if o.chip in RATES and (own is None or own.name != o.chip):
        raise ValueError(OTHER_DEVICES.format(chip=o.chip, target=run.target))
    known = {(line.kind, line.axes, line.source, line.backward) for line in o.by_line()}
    lines = tuple(_lines(run))
    of = [line for line in lines if (line.kind, line.axes, line.source, line.backward) in known]
    if bool(lines) != bool(known) or (known and not of):
        raise ValueError(OTHER_PROGRAM)
    call, s = run.median_s, run.shares
    on = f"{run.target}, {count(len(run.seconds), 'call')}"
    compute, exposed, waiting, idle = (share * call for share in (s.compute, s.communication, s.waiting, s.idle))
    return replace(o, measured=MeasuredCall(on, call, compute, exposed, waiting, idle, tuple(of)))


def _lines(run: Run) -> list[MeasuredLine]:
    """The collectives of a run by kind, axes, line and pass, as ``Overlap.by_line`` has them."""
    found: dict[tuple[str, tuple[str, ...], object, bool], list[MeasuredCollective]] = defaultdict(list)
    for c in run.collectives:
        found[c.kind, c.axes or c.within, c.source, c.backward].append(c)
    return [
        MeasuredLine(
            of[0].kind,
            of[0].axes or of[0].within,
            of[0].source,
            of[0].backward,
            sum(c.call_s for c in of),
            sum(c.call_s * (1 - c.hidden) for c in of),
        )
        for of in found.values()
        if any(c.times for c in of)
    ]
