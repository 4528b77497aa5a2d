"""What differs, most of it made by hand: one of each kind, with all that one can show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import (
    ComparisonChange,
    ComparisonDiff,
    ComparisonSide,
    Document,
    Listing,
    MemoryChange,
    MemoryDiff,
    MemorySide,
    Program,
    ProgramDiff,
    SearchDiff,
    TraceDiff,
)
from shardwidget.findings.program import with_findings
from tests import searches as found
from tests.programs import FIRST, LINES, line, mesh, training

MIB = 2**20


def moved(program: Program, by: int) -> Program:
    """The program with its lines further down, in a function that begins with as many others."""
    collectives = (
        replace(c, source=c.source and replace(c.source, line=c.source.line + by)) for c in program.collectives
    )
    more = tuple(f"@decorator{k}" for k in range(by))
    listings = tuple(replace(one, lines=(*more, *one.lines)) for one in program.listings)
    return with_findings(replace(program, collectives=tuple(collectives), listings=listings))


def edited() -> Program:
    """The training step with a collective less, one that runs more often, and a new one."""
    base = moved(training(), 2)
    first, second, *rest, _ = base.collectives
    assert second.source
    new = replace(second, kind="all-to-all", source=replace(second.source, text="y = new(x)"))
    return with_findings(replace(base, collectives=(first, replace(second, times=24), *rest, new)))


def listed(program: Program) -> Program:
    """The program with the code of its function."""
    return replace(program, listings=(Listing("cell 4", FIRST, LINES),))


def lowered() -> ProgramDiff:
    """Half of the collectives are the program's own; of one of them the compiler makes another."""
    whole = training()
    after = replace(whole, collectives=tuple(replace(c, by_user=k < 4) for k, c in enumerate(whole.collectives)))
    own = [c for c in after.collectives if c.by_user]
    asked = (*own[:3], replace(own[3], times=2))
    return replace(listed(after), collectives=asked, lowered=True).diff(listed(after))


def memories() -> MemoryDiff:
    """A value that is gone, one that grew, one that was added."""
    changes = (
        MemoryChange("h", "kept", False, line(21), ("bf16[12,2048,4096]", ""), 192 * MIB, 0),
        MemoryChange("params['w_in']", "argument", False, None, ("f32[1024]", "f32[2048]"), 8 * MIB, 16 * MIB),
        MemoryChange("y", "temporary", True, line(22), ("", "bf16[2048,4096]"), 0, 16 * MIB),
    )
    before, after = (MemorySide("step", "TPU v5e 4×4", size * MIB, size * MIB) for size in (400, 232))
    return MemoryDiff(before, after, changes, 176 * MIB)


def comparisons() -> ComparisonDiff:
    """An error that went, a collective that came, values that are elsewhere, an operation that is new."""
    old = ComparisonSide(line(21), "", "f32[64@data,512]", "ShardingTypeError: Contracting dimensions are sharded", ())
    new = ComparisonSide(line(22), "f32[64@data,512]", "f32[64@data,512]", "", ("all-gather over model",))
    one = ComparisonSide(line(24), "f32[512]", "f32[512@model]", "", ())
    changes = (
        ComparisonChange("dot_general", "y", 1, old, new),
        ComparisonChange(
            "arguments", "w", 1, replace(one, source=None), replace(one, source=None, compiled="f32[512]")
        ),
        ComparisonChange("add", "a, b", 3, None, one),
        ComparisonChange("mul", "c", 1, one, None),
    )
    said = "line 22 stops no longer; the compiler adds 1 collective more"
    return ComparisonDiff(mesh(data=4, model=2), ("mlp", "mlp"), changes, 12, said)


def searches() -> SearchDiff:
    """Another best, compiled on both sides; one is slower, one compiled before alone, one new, one gone."""
    before = found.search(compiled=6)
    gone, *_, slow = (c for c in before.candidates if c is not before.now and c is not before.best)
    after = [c for c in before.candidates if c is not gone]
    made = []
    for k, c in enumerate(after):
        scale = 0.5 if k == 2 else 2 if c is slow else 1
        estimated = replace(c.estimated, compute_s=scale * c.estimated.compute_s)
        compiled = replace(c.compiled, compute_s=estimated.compute_s) if c.compiled and k != 3 else None
        made.append(replace(c, estimated=estimated, compiled=compiled))
    made.append(replace(after[1], rule="activations split"))
    made.sort(key=lambda c: (c.fits is False, c.compiled is None, c.time_s))
    at = next(k for k, c in enumerate(made) if before.now and c.title == before.now.title)
    return before.diff(replace(before, candidates=tuple(made), now_index=at, planned=len(made)))


def halos() -> TraceDiff:
    """Rows of the neighbour, sent the wrong way round, and in the reference the right way."""
    u = np.arange(32).reshape(8, 4) * 7 % 10
    mesh, spec = AbstractMesh((4,), ("x",), (AxisType.Auto,)), P("x")
    both = mine_halo, reference_halo
    mapped = [jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec) for f in both]
    mine, reference = (read.trace(f, u) for f in mapped)
    return mine.diff(reference)


def mine_halo(u: Any) -> Any:
    n = lax.axis_size("x")
    to = [(i, (i - 1) % n) for i in range(n)]
    halo = lax.ppermute(u[-1:], "x", to)
    return jnp.concatenate([halo, u])


def reference_halo(u: Any) -> Any:
    n = lax.axis_size("x")
    to = [(i, (i + 1) % n) for i in range(n)]
    halo = lax.ppermute(u[-1:], "x", to)
    return jnp.concatenate([halo, u])


DIFFS: dict[str, Callable[[], Document]] = {
    "training": lambda: listed(training()).diff(edited()),
    "lowered": lowered,
    "the same": lambda: training().diff(moved(training(), 7)),
    "memory": memories,
    "comparison": comparisons,
    "searches": searches,
    "traces": halos,
}
