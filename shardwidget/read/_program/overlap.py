"""``read.overlap``: how much of a compiled program's communication is exposed, from the order of its schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh

from shardwidget import cost
from shardwidget.document import Interval, LineWork, Loop, Overlap, Program, Transfer
from shardwidget.document.overlap import Bound
from shardwidget.findings.overlap import with_verdict
from shardwidget.rates import RATES, Rate
from shardwidget.read._program.executable import Executable, executable_of
from shardwidget.read._program.module import Module
from shardwidget.read._program.programs import of_executable
from shardwidget.read._program.replay import MEMORY, Replay, Stretch, merged
from shardwidget.read._program.rings import Rings
from shardwidget.read._program.work import Work
from shardwidget.read._target import interconnect_of

NO_CHIP = (
    "the program is compiled for {target}, for which no figures are known. Compile it for TPUs, "
    "mesh=shardwidget.tpu_mesh('v5e:4x4', ('data', 'model')), or give a chip to estimate with: chip='TPU v5e'. "
    "Known are {names}."
)

NO_SUCH_CHIP = "chip={given!r} is not known. Give one of {names}, or a shardwidget.rates.Rate of your own."

NO_SCHEDULE = (
    "the schedule of a compiled program is not in files and saved pages. Read it again from the function: "
    "read.overlap(f, x, w)."
)

NOT_ESTIMATED = (
    "the program was read without estimates for {given!r}. Give it when the program is read: "
    "read.program(f, x, w, interconnect=…), or read.overlap(f, x, w, interconnect=…)."
)

FORMULA = (
    "estimate: each operation takes max(FLOP ÷ {flops:.4g}, bytes ÷ {memory:.4g} B/s) on {chip}, at full rate; "
    "collectives by the scaling book's roofline on {interconnect}; in the order of the compiled schedule"
)

MOST_LINES = 10
"""The lines of the roofline."""

PARTS = 1500
"""Of a call: what is shorter than one of them is joined to what is beside it."""


def overlap(
    f: Callable[..., Any] | jax.stages.Traced | jax.stages.Lowered | jax.stages.Compiled | Executable | Program | str,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: JaxMesh | None = None,
    name: str | None = None,
    chip: str | Rate | None = None,
    interconnect: str | cost.Interconnect | None = None,
) -> Overlap:
    """Estimates how much of a compiled program's communication is exposed. Nothing is run.

    Args:
        f: what ``read.program`` takes, or what it gave.
        *args: arguments of the function.
        kwargs: keyword arguments of the function.
        mesh: the mesh; None finds it.
        name: what to call the program.
        chip: a name in ``shardwidget.rates.RATES``, or a ``Rate`` of your own; None for the mesh's devices.
        interconnect: as of ``read.program``; None for that of the chip.

    Raises:
        ValueError: there are no figures for the devices, and no chip is given; or the program has no schedule.
        TypeError: ``f`` is not a program.
    """
    rate = chip if isinstance(chip, Rate) else rate_of(chip) if chip else None
    if chip and rate is None:
        raise ValueError(NO_SUCH_CHIP.format(given=chip, names=", ".join(map(repr, RATES))))
    if isinstance(f, Program):
        program = f if name is None else replace(f, name=name)
    else:
        program = of_executable(executable_of(f, args, mesh, kwargs), name, interconnect)
    rate = rate or rate_of(program.mesh.kind)
    if rate is None:
        raise ValueError(NO_CHIP.format(target=program.target, names=", ".join(RATES)))
    if not program.module_text:
        raise ValueError(NO_SCHEDULE)
    default = rate.name if rate.name in cost.INTERCONNECTS else cost.DEFAULT
    network = cost.interconnects(interconnect or default)[0]
    if network.name not in program.interconnects:
        raise ValueError(NOT_ESTIMATED.format(given=network.name))
    module = Module.parse(program.module_text)
    by_name = {c.name: c for c in program.collectives}
    replay = Replay(module, by_name, program.interconnects.index(network.name), rate)
    whole = replay.run(module.entry) if module.entry is not None else Stretch(1)
    return with_verdict(_document(program, replay, whole, rate, network, Rings(module)))


def rate_of(kind: str) -> Rate | None:
    """The figures of a device by JAX's name for its kind, or of a chip; None where there are none."""
    return RATES.get(kind) or RATES.get(interconnect_of(kind))


def _document(
    program: Program, replay: Replay, whole: Stretch, rate: Rate, network: cost.Interconnect, rings: Rings
) -> Overlap:
    work = sum((line for line, _ in replay.lines.values()), Work())
    links = max((s for (axis, _), s in replay.busy.items() if axis != MEMORY), default=0.0)
    sent = sorted(replay.sent.values(), key=lambda s: (-s.exposed, -s.seconds))
    number = {s: k for k, s in enumerate(sent)}
    lines = sorted(_rooflines(replay, rate), key=lambda line: -line.seconds)[:MOST_LINES]
    intervals = [
        Interval(e.what, e.begin, e.end - e.begin, -1 if e.sent is None else number[e.sent], e.exposed, e.source)
        for e in merged(whole.events, whole.clock / PARTS)
    ]
    return Overlap(
        mesh=program.mesh,
        compute=whole.compute,
        exposed=whole.exposed,
        overlapped=whole.overlapped,
        transfers=tuple(
            Transfer(
                s.collective.kind,
                s.collective.name,
                s.collective.axes or s.collective.within,
                s.collective.times,
                s.seconds,
                s.exposed,
                s.collective.asynchronous,
                tuple(s.between),
                s.between_s,
                s.collective.source,
                s.collective.backward,
                rings.of(s.collective),
                s.collective.operand,
            )
            for s in sent
        ),
        lines=tuple(lines),
        intervals=tuple(sorted(intervals, key=lambda i: i.begin)),
        loops=tuple(
            Loop(t.begin, t.end - t.begin, t.times, t.origin.source, t.origin.backward)
            for t in sorted(whole.loops, key=lambda t: t.begin)
        ),
        flops=work.flops,
        bytes=work.bytes,
        links=links,
        bound=_bound(work, links, rate),
        chip=rate.name,
        flops_per_second=rate.flops,
        bytes_per_second=rate.memory,
        link_bytes_per_second=network.bandwidth,
        ridges=(rate.flops / rate.memory, rate.flops / network.bandwidth),
        formula=FORMULA.format(flops=rate.flops, memory=rate.memory, chip=rate.name, interconnect=network.name),
        name=program.name,
        target=program.target,
        note=" ".join(_notes(program, replay)),
    )


def _rooflines(replay: Replay, rate: Rate) -> Iterator[LineWork]:
    for source, (work, seconds) in replay.lines.items():
        longer = work.flops / rate.flops >= work.bytes / rate.memory
        yield LineWork(source, work.flops, work.bytes, seconds, "compute" if longer else "memory")


def _notes(program: Program, replay: Replay) -> Iterator[str]:
    if replay.sent and not any(s.collective.asynchronous for s in replay.sent.values()):
        yield "XLA runs each collective of this program at once: none has a -start that other work follows."
    if program.mesh.platform == "cpu":
        yield "It is compiled for CPUs, whose schedule is not that of the chip."
    if replay.unknown["loops"]:
        yield f"Loops whose number of turns is not known are counted once: {replay.unknown['loops']}."
    if replay.unknown["custom calls"]:
        yield f"Custom calls of which only the bytes are counted: {replay.unknown['custom calls']}."
    if program.unread:
        yield f"Collectives that could not be read and are left out: {len(program.unread)}."


def _bound(work: Work, links: float, rate: Rate) -> Bound:
    parts: dict[Bound, float] = {
        "compute": work.flops / rate.flops,
        "memory": work.bytes / rate.memory,
        "links": links,
    }
    longest = max(parts, key=lambda part: parts[part])
    return longest if parts[longest] else ""
