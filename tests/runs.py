"""Handmade measured runs, without JAX: events whose waiting and overlap are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from shardwidget.collectives import statement_of_opcode
from shardwidget.document import Ints, MeasuredCollective, Mesh, MeshAxis, Operation, Run, Runs, Source
from shardwidget.measured.build import Measured, build
from shardwidget.measured.events import Events

LINE = Source("model.py", 8, "h = x @ w", "f")


def mesh(*sizes: int, processes: int = 1) -> Mesh:
    count = int(np.prod(sizes))
    axes = tuple(MeshAxis(name, size, "Auto") for name, size in zip("xyz", sizes, strict=False))
    process = Ints.pack(np.arange(count) * processes // count)
    return Mesh(axes, Ints.pack(range(count)), process, 0, kind="cpu", platform="cpu")


def collective(groups: list[list[int]], pairs: tuple[tuple[int, int], ...] = ()) -> MeasuredCollective:
    kind = "collective-permute" if pairs else "all-reduce"
    return MeasuredCollective(
        kind=kind,
        semantics=statement_of_opcode(kind, "" if pairs else "add").semantics,
        axes=("y",),
        irregular=False,
        within=(),
        positions=Ints.pack(np.array(groups)),
        group_size=len(groups[0]),
        pairs=pairs,
        source=LINE,
        backward=False,
        by_user=True,
        name="all-reduce.1",
        bytes_per_device=1000,
        estimate_s=1e-6,
    )


MATMUL, REDUCE, LOST = Operation("dot.1", LINE), Operation("all-reduce.1", LINE, collective=0), Operation("copy.9")


def measure(
    rows: list[tuple[int, int, int, int, int]],
    *,
    of: MeasuredCollective | None = None,
    on: Mesh | None = None,
    **facts: Any,
) -> Run:
    """A run of events (device, call, operation, start, end) in microseconds; operations: matmul, all-reduce, copy."""
    device, call, operation, start, end = np.array(rows, np.int64).T
    return build(
        Measured(
            mesh=on or mesh(2, 2),
            name=facts.pop("name", "f"),
            target=f"{(on or mesh(2, 2)).size} CPU devices",
            operations=facts.pop("operations", (MATMUL, REDUCE, LOST)),
            collectives=(of or collective([[0, 1], [2, 3]]), *facts.pop("others", ())),
            events=Events(device, call, operation, start * 1000, end * 1000),
            interconnect="a copy on this host",
            peak=1e9,
            note="",
            jax_version="0",
            **facts,
        )
    )


def step(calls: int = 2, slow: int = 1) -> Run:
    """A training step on 4 × 2 devices, in loops of three: one device computes longer, and is waited for."""
    sums = replace(collective([[p, p + 1] for p in range(0, 8, 2)]), axes=("y",), name="all-reduce.1")
    gathers = replace(
        collective([[0, 2, 4, 6], [1, 3, 5, 7]]),
        kind="all-gather",
        semantics=statement_of_opcode("all-gather").semantics,
        axes=("x",),
        name="all-gather.1",
        source=Source("model.py", 10, "y = h @ w_out", "f"),
        backward=True,
    )
    later = Operation("dot.2", Source("model.py", 10, "y = h @ w_out", "f"), trips=(3,))
    operations = (
        replace(MATMUL, trips=(3,)),
        replace(REDUCE, trips=(3,)),
        LOST,
        later,
        Operation("all-gather.1", gathers.source, collective=1),
    )
    rows = []
    for call in range(calls):
        begin = 2000 * call
        for k in range(3):
            at = begin + 300 * k
            late = 60 + 20 * call
            for d in range(8):
                busy = 100 + 3 * d + late * (d == slow)
                both = 100 + 3 * (d | 1) + late * (d // 2 == slow // 2)
                rows += [
                    (d, call, 0, at, at + busy),
                    (d, call, 1, at + busy, at + both + 40),
                    (d, call, 3, at + both + 40, at + both + 90),
                ]
        rows += [(d, call, 4, begin + 900 + 10 * d, begin + 1010 + d) for d in range(8)]
        rows += [(d, call, 2, begin + 1020 + d, begin + 1040) for d in range(8)]
    return measure(rows, of=sums, others=(gathers,), on=mesh(4, 2), operations=operations, name="train_step")


def many(devices: int = 64, each: int = 40) -> Run:
    """More lanes than are drawn."""
    rows = [(d, 0, k % 2, 10 * k + (d == 37) * (k % 2), 10 * k + 10) for d in range(devices) for k in range(each)]
    return measure(rows, of=collective([list(range(devices))]), on=mesh(devices // 8, 8), name="many")


def hostile() -> Run:
    """Names and code that would be markup."""
    bad = Source("<img src=x onerror=alert(1)>.py", 8, "</script><script>alert(1)</script>", "<b>f</b>")
    rows = [(0, 0, 0, 0, 10), (0, 0, 1, 10, 40), (1, 0, 1, 25, 40)]
    operations = (replace(MATMUL, source=bad), replace(REDUCE, source=bad), replace(LOST, name="<i>"))
    of = replace(collective([[0, 1]]), source=bad, irregular=True, axes=())
    return measure(rows, of=of, on=mesh(1, 2), operations=operations, name="<script>alert(1)</script>")


def alone() -> Run:
    """One device and no collective: two layers, a loss, and a copy of no line."""
    texts = {8: "h = x @ w", 9: "return jax.nn.softmax(h @ w_out, axis=-1)", 14: "loss = -jnp.log(p[labels]).mean()"}
    lines = (Operation(f"fusion.{line}", Source("model.py", line, text, "f")) for line, text in texts.items())
    ends = [(0, 0, 300), (1, 300, 460), (2, 470, 495), (1, 495, 600), (3, 610, 640)]
    rows = [(0, call, o, 700 * call + a, 700 * call + b + 2 * call) for call in range(3) for o, a, b in ends]
    one = measure(rows, on=mesh(1), name="alone", operations=(*lines, LOST))
    return replace(one, collectives=())


def compared() -> Runs:
    """A step before and after one device became slower."""
    before, after = replace(step(slow=3), name="before"), replace(step(), name="after")
    return Runs(before.mesh, (before, after))


RUNS = {"step": step, "many": many, "hostile": hostile, "alone": alone, "compared": compared}
