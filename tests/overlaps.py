"""Schedules of compiled programs over time, made by hand, without JAX."""

from __future__ import annotations

from dataclasses import replace

from shardwidget.document import Interval, LineWork, Loop, Overlap, Transfer
from shardwidget.findings.overlap import with_verdict
from tests.programs import line, mesh

MS = 1e-3


def training() -> Overlap:
    """Two loops: gathers over data are hidden, sums over model are waited for; a part is over both, one irregular."""
    products = ("dot_general, line 21",)
    transfers = (
        Transfer("all-reduce", "all-reduce.1", ("model",), 12, 11 * MS, 11 * MS, False, source=line(22)),
        Transfer("all-reduce", "all-reduce.2", ("model",), 12, 11 * MS, 8 * MS, True, source=line(21), backward=True),
        Transfer("reduce-scatter", "reduce-scatter.1", ("data", "model"), 1, 3 * MS, 1 * MS, True, source=line(20)),
        Transfer("collective-permute", "collective-permute.1", (), None, 1 * MS, 1 * MS, True),
        Transfer("all-gather", "all-gather.1", ("data",), 12, 12 * MS, 0.0, True, products, 20 * MS, line(21)),
    )
    intervals = (
        Interval("compute", 0, 2 * MS, source=line(20)),
        Interval("compute", 2 * MS, 16 * MS, source=line(21)),
        Interval("transfer", 3 * MS, 12 * MS, 4),
        Interval("transfer", 18 * MS, 11 * MS, 0, 11 * MS),
        Interval("wait", 18 * MS, 11 * MS, 0),
        Interval("compute", 29 * MS, 20 * MS, source=line(21)),
        Interval("transfer", 46 * MS, 11 * MS, 1, 8 * MS),
        Interval("wait", 49 * MS, 8 * MS, 1),
        Interval("transfer", 56 * MS, 3 * MS, 2, 1 * MS),
        Interval("compute", 57 * MS, 1 * MS),
        Interval("wait", 58 * MS, 1 * MS, 2),
        Interval("transfer", 59 * MS, 1 * MS, 3, 1 * MS),
        Interval("wait", 59 * MS, 1 * MS, 3),
    )
    return with_verdict(
        Overlap(
            mesh("TPU v5 lite", "tpu", (4, 4), data=4, model=4),
            compute=39 * MS,
            exposed=21 * MS,
            overlapped=45 * MS,
            transfers=transfers,
            lines=(
                LineWork(line(21), 6e12, 2e9, 31 * MS, "compute"),
                LineWork(line(22), 1e12, 1e10, 12 * MS, "memory"),
                LineWork(None, 0.0, 8e8, 1 * MS, "memory"),
            ),
            intervals=intervals,
            loops=(Loop(2 * MS, 27 * MS, 12, line(20)), Loop(29 * MS, 28 * MS, 12, line(20), True)),
            flops=7e12,
            bytes=1.28e10,
            links=24 * MS,
            bound="compute",
            chip="TPU v5e",
            flops_per_second=1.97e14,
            bytes_per_second=8.1e11,
            link_bytes_per_second=9e10,
            ridges=(1.97e14 / 8.1e11, 1.97e14 / 9e10),
            formula="estimate: each operation takes max(FLOP ÷ 1.97e+14, bytes ÷ 8.1e+11 B/s) on TPU v5e, at full rate",
            name="train_step",
            target="TPU v5e 4×4",
            note="Custom calls of which only the bytes are counted: 2.",
        )
    )


def alone() -> Overlap:
    """Without collectives."""
    work = (Interval("compute", 0, 39 * MS, source=line(21)),)
    none = {"transfers": (), "intervals": work, "loops": ()}
    return with_verdict(replace(training(), exposed=0.0, overlapped=39 * MS, links=0.0, note="", **none))


OVERLAPS = {"training": training, "alone": alone}
