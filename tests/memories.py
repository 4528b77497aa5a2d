"""Memory over compiled programs made by hand, without JAX."""

from __future__ import annotations

from dataclasses import replace

from shardwidget.chips import chips
from shardwidget.document import Buffer, Chip, Ints, Memory, MemoryLoop, MemoryTotals
from tests.programs import LINES, MIB, line, mesh

_LINES = tuple(line(20 + k) for k in range(len(LINES)))


def training() -> Memory:
    """A training step of 120 instructions: a loop forward, one back, a peak in the one going back."""
    w, h, back = _LINES[1], _LINES[2], True
    known, at = chips("TPU v5e", "")
    buffers = (
        Buffer(48 * MIB, "bf16[12,1024,2048]", "params['w_in']", "argument", 0, 119, axes=("data",), donated=True),
        Buffer(16 * MIB, "bf16[4096,2048]", "x", "argument", 0, 119, axes=()),
        Buffer(8 * MIB, "f32[2048,1024]", "y", "output", 110, 119, h, axes=("data", "model")),
        Buffer(96 * MIB, "bf16[12,2048,2048]", "h", "kept", 10, 100, w, instruction="fusion.1"),
        *(Buffer(16 * MIB, "bf16[2048,4096]", "h", "temporary", 20 + k, 22 + k, w, loop=0) for k in (0, 4, 8)),
        Buffer(32 * MIB, "f32[2048,4096]", "y", "temporary", 62, 80, h, back, 1, "fusion.7"),
        *(
            Buffer(24 * MIB, "f32[2048,3072]", "y", "temporary", 64 + k, 74, h, back, 1, f"fusion.{8 + k}")
            for k in (0, 2)
        ),
        Buffer(16 * MIB, "bf16[2048,4096]", "h", "collective", 24, 30, w, False, 0, "all-reduce.1"),
        Buffer(8 * MIB, "bf16[1024,4096]", "h", "collective", 70, 90, w, back, 1, "reduce-scatter.6"),
    )
    work = [0] * 120
    for step in range(18, 34):
        work[step] = 1 + 2 * (1 + step % 2)
    for step in range(62, 92):
        work[step] = 2 + 2 * (1 + step % 2)
    return Memory(
        mesh("TPU v5 lite", "tpu", (4, 4), data=4, model=4),
        buffers,
        120,
        (MemoryLoop(16, 40, 12, "scan", _LINES[0]), MemoryLoop(60, 96, 12, "scan", _LINES[0], True)),
        _LINES,
        Ints.pack(work),
        known,
        at,
        compiler=MemoryTotals(64 * MIB, 8 * MIB, 200 * MIB, 0, 2**18, 262 * MIB),
        name="train_step",
        target="TPU v5e 4×4",
    )


def tight() -> Memory:
    """The same on a device that has too little."""
    known, at = chips(192 * MIB, "")
    return replace(training(), chips=known, chip=at)


def refused() -> Memory:
    """A program that XLA did not compile: too large for the device, with two large constants and a small one."""
    base = training()
    constants = (
        Buffer(64 * MIB, "f32[4096,4096]", "table", "constant", 0, 119, _LINES[1], axes=()),
        Buffer(2 * MIB, "f32[1024,512]", "model.head", "constant", 0, 119, axes=()),
        Buffer(4096, "f32[1024]", "constant.3", "constant", 0, 119, axes=()),
    )
    said = "RESOURCE_EXHAUSTED: Ran out of memory on HBM: 339.0M exceeds available HBM (192.00M)."
    known = (Chip("what XLA may use", 192 * MIB, "the compiler's message"), *base.chips)
    first = replace(base.buffers[0], taken_by="result[0]['w_in']")
    buffers = (first, *base.buffers[1:], *constants)
    totals = MemoryTotals(64 * MIB, 8 * MIB, 200 * MIB, 0, 0)
    return replace(base, buffers=buffers, failure=said, chips=known, chip=0, compiler=totals)


def plain() -> Memory:
    """Arguments and a result, without loops, lines or a figure of the compiler's."""
    buffers = (
        Buffer(1024, "f32[16,16]", "x", "argument", 0, 2),
        Buffer(512, "f32[8,16]", "dot.1", "output", 1, 2),
    )
    return Memory(mesh(x=1), buffers, 3, work=Ints.pack([0, 0, 0]), chips=chips(None, "")[0], name="f", target="1 CPU")


def hostile() -> Memory:
    """What the user named looks like markup, and is long."""
    evil = "<script>alert(1)</script>" * 20
    base = training()
    lines = tuple(replace(s, text=evil, file=evil) for s in base.lines)
    buffers = tuple(replace(b, name=evil, type=evil, source=lines[0]) for b in base.buffers)
    loops = tuple(replace(loop, name=evil) for loop in base.loops)
    return replace(base, buffers=buffers, lines=lines, loops=loops, name=evil)


MEMORIES = {"training": training, "tight": tight, "refused": refused, "plain": plain, "hostile": hostile}
"""By name; the front end's tests have each."""
