"""Compiled programs made by hand, without JAX: one of each thing that a program can show."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shardwidget import collectives, cost
from shardwidget.document import (
    HloCollective,
    Ints,
    Listing,
    MemoryTotals,
    Mesh,
    MeshAxis,
    Nest,
    Plan,
    Program,
    Programs,
    Source,
    Timing,
    Work,
)
from shardwidget.findings.program import with_findings

LINES = (
    "def train_step(params, x, y):",
    "    h = jax.nn.gelu(x @ params.w_in)",
    "    y = h @ params.w_out",
    "    y = y[:, perm]",
    "    return loss.mean()",
)
FIRST = 20

_CALLS = {
    "all-reduce": ("psum", {}),
    "all-gather": ("all_gather", {"all_gather_dimension": 0, "tiled": True}),
    "reduce-scatter": ("reduce_scatter", {"scatter_dimension": 0, "tiled": True}),
    "all-to-all": ("all_to_all", {"split_axis": 0, "concat_axis": 0}),
}


def mesh(kind: str = "", platform: str = "cpu", grid: Sequence[int] = (), **axes: int) -> Mesh:
    """Devices numbered in order; ``grid``: sizes of a physical box that they fill in that order."""
    size = math.prod(axes.values())
    coords = np.unravel_index(np.arange(size), grid) if grid else ()
    return Mesh(
        tuple(MeshAxis(name, n, "Auto") for name, n in axes.items()),
        Ints.pack(range(size)),
        Ints.pack([0] * size),
        0,
        coords=tuple(Ints.pack(c) for c in coords),
        kind=kind or platform,
        platform=platform,
    )


def line(number: int) -> Source:
    """A line of the function."""
    return Source("cell 4", number, LINES[number - FIRST].strip(), "train_step")


class Making:
    """Collectives of one program, with the plans that they use."""

    def __init__(self, on: Mesh, interconnects: tuple[cost.Interconnect, ...]) -> None:
        self.mesh = on
        self.plans: list[Plan] = []
        self._interconnects = interconnects

    def over(self, kind: str, axes: tuple[str, ...], size: int, at: int | None, **rest: Any) -> HloCollective:
        """A collective over mesh axes; ``size``: bytes of the operand on one device."""
        names = [a.name for a in self.mesh.axes]
        primitive, params = _CALLS[kind]
        call = collectives.call_of(primitive, {"axis_name": axes, **params}, names, list(self.mesh.shape))
        assert call
        sizes = [self.mesh.shape[names.index(a)] for a in axes]
        return self._made(kind, call, size, sizes, at, axes=axes, **rest)

    def among(self, kind: str, groups: tuple[tuple[int, ...], ...], size: int, at: int | None, **rest: Any):
        """A collective of irregular groups, given as mesh positions."""
        ranks = rest.pop("ranks", ())
        call = collectives.Call(collectives.statement_of_opcode(kind), kind, (), groups, pairs=ranks)
        fields = {"irregular": True, "groups_text": f"replica_groups={groups}", **rest}
        return self._made(kind, call, size, [call.n], at, **fields)

    def _made(
        self, kind: str, call: collectives.Call, size: int, sizes: list[int], at: int | None, **rest: Any
    ) -> HloCollective:
        traffic = collectives.bytes_sent(call, size)
        whole = collectives.gathered_bytes(call, size)
        estimates = [cost.estimate(call, sizes, whole, ici) for ici in self._interconnects]
        members = np.array(call.groups)
        fields: dict[str, Any] = {
            "axes": (),
            "irregular": False,
            "within": (),
            "times": 1,
            "groups_text": f"replica_groups=[{members.shape[0]},{members.shape[1]}]<=[{members.size}]",
            "source": None if at is None else line(at),
            "name": f"{kind}.{len(self.plans)}",
            **rest,
        }
        return HloCollective(
            kind=kind,
            semantics=call.statement.semantics,
            groups=tuple(map(tuple, members.tolist())),
            positions=Ints.pack(members.ravel()),
            group_size=call.n,
            shapes=fields.pop("shapes", (f"bf16[{size // 2}]",)),
            bytes_per_device=traffic.bytes,
            arithmetic=traffic.arithmetic,
            plans=tuple(map(self._number, collectives.plans(call))),
            latency=tuple(e.latency_s for e in estimates),
            bandwidth=tuple(e.bandwidth_s for e in estimates),
            **fields,
        )

    def _number(self, plan: Plan) -> int:
        if plan not in self.plans:
            self.plans.append(plan)
        return self.plans.index(plan)

    def program(self, made: Sequence[HloCollective], name: str, **rest: Any) -> Program:
        """The program of some collectives."""
        made_of = Program(
            self.mesh,
            tuple(made),
            plans=tuple(self.plans),
            interconnects=tuple(i.name for i in self._interconnects),
            name=name,
            instructions=412,
            listings=(Listing("cell 4", FIRST, LINES),),
            jax_version="0.10.2",
            **rest,
        )
        return with_findings(made_of)


KNOWN = tuple(cost.INTERCONNECTS[name] for name in ("TPU v5e", "TPU v5p", "H100"))
MIB = 2**20
UNDONE = "undoes the split over model: gathers y whole"


def training() -> Program:
    """A training step with fully sharded and tensor-parallel weights on 16 chips."""
    m = Making(mesh("TPU v5 lite", "tpu", (4, 4), data=4, model=4), KNOWN)
    loop: dict[str, Any] = {"times": 12, "nest": 0}
    back: dict[str, Any] = {"times": 12, "nest": 1, "backward": True}
    transposed = "replica_groups=[4,4]<=[4,4]T(1,0)"
    made = [
        m.over("all-gather", ("data",), 2 * MIB, 21, **loop, groups_text=transposed, shapes=("bf16[1024,1024]",)),
        m.over("all-reduce", ("model",), 16 * MIB, 22, **loop, asynchronous=True, shapes=("bf16[2048,4096]",)),
        m.over("all-gather", ("data",), 2 * MIB, 22, **loop, groups_text=transposed),
        m.over("all-gather", ("model",), 4 * MIB, 23, remark=UNDONE, advice="split another dim of y over model"),
        m.over("all-reduce", ("data", "model"), 4, 24, shapes=("f32[]",)),
        m.over("all-reduce", ("model",), 16 * MIB, 21, **back),
        m.over("reduce-scatter", ("data",), 8 * MIB, 21, **back, groups_text=transposed),
        m.over("reduce-scatter", ("data",), 8 * MIB, 22, **back, groups_text=transposed),
    ]
    return m.program(
        made,
        "train_step",
        nests=(Nest("loop", "scan", -1, 12, line(20)), Nest("loop", "scan", -1, 12, line(20), backward=True)),
        target="TPU v5e 4×4",
        wraps=(False, False),
        memory=MemoryTotals(48 * MIB, 48 * MIB, 96 * MIB, 48 * MIB, 2**18),
        work=Work(4.1e12, 3.3e9, 0.021),
    )


def shard_map() -> Program:
    """The user's own collectives on eight CPU devices: with a permutation, an exchange, and groups of no axis."""
    m = Making(mesh(x=4, y=2), KNOWN)
    ring = tuple((i, (i + 1) % 4) for i in range(4))
    columns = ((0, 2, 4, 6), (1, 3, 5, 7))
    pairs = tuple((g[a], g[b]) for g in columns for a, b in ring)
    made = [
        replace(
            m.among("collective-permute", columns, 4096, 21, ranks=ring, pairs=pairs, by_user=True),
            axes=("x",),
            irregular=False,
            groups_text=f"source_target_pairs={pairs}",
        ),
        m.over("all-to-all", ("x",), 4096, 22, by_user=True),
        m.over("all-reduce", ("y",), 512, 23, by_user=True, times=None, nest=0),
        m.among("all-reduce", ((0, 3, 5, 6), (1, 2, 4, 7)), 1024, 24),
        m.among("all-gather", ((0, 2), (4, 6), (1, 3), (5, 7)), 1024, None, within=("x",), op="jit(f)/dot_general"),
    ]
    timing = Timing(0.00213, 0.00198, 0.0031, 10)
    return m.program(
        made,
        "f",
        nests=(Nest("loop", "while_loop", -1, None),),
        target="8 CPU devices",
        unread=("%all-reduce.9 = f32[4] all-reduce(%x), replica_groups=@odd: it names no groups",),
        memory=MemoryTotals(8192, 4096, 16384, 0, 0),
        work=Work(32768.0),
        timing=timing,
    )


def torus() -> Program:
    """64 chips of a v5p: a torus of three physical axes under a mesh of two."""
    m = Making(mesh("TPU v5", "tpu", (4, 4, 4), data=4, model=16), KNOWN)
    made = [
        m.over("all-reduce", ("model",), 8 * MIB, 22),
        m.over("all-gather", ("data",), 8 * MIB, 21),
        m.over("all-reduce", ("data", "model"), 4, 24),
    ]
    return m.program(made, "step", target="TPU v5p 4×4×4", interconnect=1, wraps=(True, True, True))


def ring() -> Program:
    """Eight chips of a v5e in JAX's order, round their box: a ring of one axis."""
    around = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (2, 1), (1, 1), (0, 1)]
    places = tuple(Ints.pack(column) for column in zip(*around, strict=True))
    m = Making(replace(mesh("TPU v5 lite", "tpu", i=8), coords=places, ring=True), KNOWN)
    pairs = tuple((k, (k + 1) % 8) for k in range(8))
    made = [
        replace(
            m.among("collective-permute", (tuple(range(8)),), 4096, 21, ranks=pairs, pairs=pairs, by_user=True),
            axes=("i",),
            irregular=False,
            groups_text=f"source_target_pairs={pairs}",
        ),
        m.over("all-gather", ("i",), 2 * MIB, 22),
    ]
    return m.program(made, "step", target="TPU v5e 4×2", wraps=(False, False))


def pod(n: int = 16, across: int = 16) -> Program:
    """A pod of n × across chips that fill a grid."""
    m = Making(mesh("TPU v5 lite", "tpu", (n, across), data=n, model=across), KNOWN)
    made = [
        m.over("all-gather", ("data",), 2 * MIB, 21),
        m.over("all-reduce", ("model",), 2 * MIB, 22),
        m.over("all-reduce", ("data", "model"), 4, 24),
    ]
    return m.program(made, "step", target=f"TPU v5e {n}×{across}", wraps=(n % 16 == 0, across % 16 == 0))


def layouts() -> Programs:
    """Three layouts of one training step, side by side: one measured, one without any collective."""
    fsdp = replace(training(), name="FSDP + tensor parallel", timing=Timing(0.0312, 0.0301, 0.0344, 10))
    m = Making(fsdp.mesh, KNOWN)
    made = [m.over("all-reduce", ("data", "model"), 32 * MIB, 21, times=12, nest=0)]
    plain = m.program(
        made,
        "data parallel",
        nests=(Nest("loop", "scan", -1, 12),),
        target=fsdp.target,
        wraps=fsdp.wraps,
        memory=MemoryTotals(768 * MIB, 768 * MIB, 64 * MIB, 768 * MIB, 2**18),
    )
    alone = Making(mesh(x=1), KNOWN).program(
        (), "one device", target="1 CPU device", note="It runs on one device: the program has no collectives."
    )
    return Programs(fsdp.mesh, (fsdp, plain, alone))


def hostile() -> Program:
    """What the user named looks like markup, and is long."""
    evil = "<script>alert(1)</script>" * 20
    base = shard_map()
    renamed = {a.name: f"{evil}{i}" for i, a in enumerate(base.mesh.axes)}
    axes = tuple(replace(a, name=renamed[a.name]) for a in base.mesh.axes)
    made = tuple(
        replace(
            c,
            axes=tuple(renamed[a] for a in c.axes),
            within=tuple(renamed[a] for a in c.within),
            op=evil,
            remark=evil,
            groups_text=evil,
            source=c.source and replace(c.source, text=evil, file=evil, line=123456),
        )
        for c in base.collectives
    )
    return replace(
        base, name=evil, note=evil, unread=(evil,), target=evil, mesh=replace(base.mesh, axes=axes), collectives=made
    )


def many(count: int = 400) -> Program:
    """A program of hundreds of collectives."""
    base = training()
    rows = itertools.islice(itertools.cycle(base.collectives), count)
    cycled = tuple(replace(c, name=f"op.{k}", times=1 + k % 7) for k, c in enumerate(rows))
    return with_findings(replace(base, collectives=cycled))


PROGRAMS = {
    "training": training,
    "shard_map": shard_map,
    "torus": torus,
    "ring": ring,
    "pod": pod,
    "layouts": layouts,
    "hostile": hostile,
}
"""By name; the front end's tests have each."""
