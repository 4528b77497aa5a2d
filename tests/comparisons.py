"""Comparisons made by hand, without JAX: one of each thing that a comparison can show."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np

from shardwidget.collectives import statement_of_opcode
from shardwidget.document import (
    Compared,
    Comparison,
    Continuation,
    Dim,
    Failure,
    Fix,
    HloCollective,
    Ints,
    Layout,
    Mesh,
    MeshAxis,
    Program,
    Row,
    Scope,
    Source,
)
from shardwidget.document.mesh import AxisType
from shardwidget.findings.comparison import verdict

LINES = (
    "def layer(x, w1, w2, scale):",
    "    h = x @ w1",
    "    r = jax.nn.relu(h)",
    "    y = r @ w2",
    "    z = y * scale",
    "    mu = z.mean(0)",
    "    return z - mu",
)
Split = tuple[str | tuple[str, ...] | None, ...]
"""The mesh axes of each dimension."""


def mesh(kind: AxisType = "Explicit", **axes: int) -> Mesh:
    """CPU devices, numbered in order."""
    size = math.prod(axes.values())
    named = tuple(MeshAxis(name, n, kind) for name, n in axes.items())
    return Mesh(named, Ints.pack(range(size)), Ints.pack([0] * size), 0, kind="cpu", platform="cpu")


def _dims(shape: tuple[int, ...], split: Split) -> tuple[Dim, ...]:
    return tuple(Dim(n, (a,) if isinstance(a, str) else a or ()) for n, a in zip(shape, split, strict=True))


def typed(shape: tuple[int, ...], split: Split, unreduced: tuple[str, ...] = ()) -> Layout:
    """A type: ``f32[8@x,16]{U:y}``."""
    sizes = [
        str(d.size) + (f"@{d.axes[0] if len(d.axes) == 1 else '(' + ','.join(d.axes) + ')'}" if d.axes else "")
        for d in _dims(shape, split)
    ]
    more = f"{{U:{unreduced[0] if len(unreduced) == 1 else '(' + ','.join(unreduced) + ')'}}}" if unreduced else ""
    return Layout(f"f32[{','.join(sizes)}]{more}", _dims(shape, split), unreduced)


def spec(shape: tuple[int, ...], split: Split) -> Layout:
    """A PartitionSpec: ``P('x', None)``."""
    return Layout(f"P({', '.join(map(repr, split))})", _dims(shape, split))


def value(
    name: str, shape: tuple[int, ...], split: Split | None, really: Split | None = None, note: str = "", **rest: Any
) -> Compared:
    """A float32 value; ``split`` is what its type says, ``really`` where it differs what the compiler chose."""
    concrete = split if really is None else really
    fields: dict[str, Any] = {
        "explicit": None if split is None else typed(shape, split),
        "auto": f"f32[{','.join(map(str, shape))}]",
        "concrete": None if concrete is None else spec(shape, concrete),
        "agreement": "differs" if really is not None else "" if split is None else "same",
        "note": note,
    }
    return Compared(name, shape, "float32", 32, **(fields | rest))


def source(line: int, lines: tuple[str, ...] = LINES) -> Source:
    """A line of a listing, from 1."""
    function = re.match(r"def (\w+)", lines[0])
    return Source("cell 3", line, lines[line - 1].strip(), function[1] if function else "f")


def collective(
    on: Mesh, kind: str, axes: tuple[str, ...], shape: str, sent: int, line: int = 0, **rest: Any
) -> HloCollective:
    """A collective over groups of a mesh's axes."""
    n = math.prod(a.size for a in on.axes if a.name in axes)
    last = [i for i, a in enumerate(on.axes) if a.name in axes]
    grid = np.moveaxis(np.arange(on.size).reshape(on.shape), last, range(-len(last), 0)).reshape(-1, n)
    fields: dict[str, Any] = {
        "kind": kind,
        "semantics": statement_of_opcode(kind).semantics,
        "axes": axes,
        "irregular": False,
        "within": (),
        "groups": tuple(map(tuple, grid.tolist())),
        "positions": Ints.pack(grid.ravel()),
        "group_size": n,
        "shapes": (shape,),
        "bytes_per_device": sent,
        "arithmetic": f"2·V·(N−1)/N, V = {sent} B, N = {n}",
        "times": 1,
        "source": source(line) if line else None,
        "name": f"{kind}.{line}",
    }
    return HloCollective(**(fields | rest))


def layer() -> Comparison:
    """A layer whose second product is ambiguous on an Explicit mesh, continued with the first fix."""
    on = mesh("Auto", x=4, y=2)
    x, y = "x", "y"
    arguments = (
        value("x", (128, 64), (x, None)),
        value("w1", (64, 256), (None, y)),
        value("w2", (256, 16), (y, None)),
        value("scale", (16,), (y,)),
    )
    why = "scale is split on y and the compiler carried that back to the matmul."
    fixes = (
        Fix(
            "keep rows split over x",
            "y = jnp.matmul(r, w2, out_sharding=P('x', None))",
            "train.py",
            4,
            1,
            layout=typed((128, 16), (x, None)),
            communication="all-reduce over y",
            bytes_per_device=2048,
        ),
        Fix(
            "match the compiler",
            "y = jnp.matmul(r, w2, out_sharding=P('x', 'y'))",
            "train.py",
            4,
            1,
            layout=typed((128, 16), (x, y)),
            communication="reduce-scatter over y",
            bytes_per_device=1024,
        ),
    )
    stop = Failure(
        "ShardingTypeError",
        "Contracting dimensions are sharded and it is ambiguous how the output should be sharded. Please specify the "
        "output sharding via the `out_sharding` parameter. Got lhs_contracting_spec=('y',) and "
        "rhs_contracting_spec=('y',)",
        "The inner dimensions of r and w2 are both split over y: each device has a part of the sum, and the type must "
        "say where the whole sum goes.",
        ("y",),
        fixes,
        chosen=0,
    )
    stopped = value("y", (128, 16), None, (x, y), why)
    rows = (
        Row("arguments", arguments, inputs=tuple(v.name for v in arguments)),
        Row("dot_general", (value("h", (128, 256), (x, y)),), source(2), ("x", "w1")),
        Row("max", (value("r", (128, 256), (x, y)),), source(3), ("h",)),
        Row("dot_general", (stopped,), source(4), ("r", "w2"), error=stop, collectives=(0,)),
        Row("mul", (value("z", (128, 16), (x, y)),), source(5), ("y", "scale")),
        Row("reduce_sum", (value("mu", (16,), (y,)),), source(6), ("z",), collectives=(1,)),
        Row("sub", (value("", (128, 16), (x, y)),), source(7), ("z", "mu")),
    )
    program = Program(
        on,
        (
            collective(on, "all-reduce", ("y",), "f32[32,16]", 2048, 4),
            collective(on, "all-reduce", ("x",), "f32[8]", 32, 6),
        ),
        name="layer",
        target="8 CPU devices",
    )
    matched = replace(rows[3], error=replace(stop, chosen=1))
    other = replace(rows[4], values=(value("z", (128, 16), (x, None), (x, y), "Below the other choice."),))
    said = verdict((*rows[:3], matched, other), program, {3: 1})
    return Comparison(
        "function",
        on,
        rows,
        continuations=(Continuation(3, 1, (3, 4), (matched, other), program, said),),
        program=program,
        compiled_from="Auto",
        name="layer",
        verdict=verdict(rows, program),
        jax_version="0.10.2",
    )


def training(layers: int = 2, width: int = 10) -> Comparison:
    """A training step: layers with scopes and a loop, forward and backward; one unwanted gather.

    It has ``1 + layers × 2 × width + 2`` rows.
    """
    on = mesh("Auto", data=4, model=2)
    scopes, rows = [Scope("function", "train_step", -1)], []
    lines = ("def train_step(params, batch):", "    h = block(h, w)", "    grads = jax.grad(loss)(params)")
    collectives: list[HloCollective] = []
    rows.append(
        Row(
            "arguments",
            (value("batch", (256, 512), ("data", None)), value("w", (512, 512), (None, "model"))),
            inputs=("batch", "w"),
        )
    )
    for direction, line in ("forward", 2), ("backward", 3):
        for layer_index in range(layers):
            scopes.append(Scope("named_scope", f"{direction}/layer{layer_index}", 0))
            outer = len(scopes) - 1
            scopes.append(Scope("loop", "scan", outer, times=12))
            inner = len(scopes) - 1
            for k in range(width):
                product = k % 5 == 0
                gathers = product and direction == "backward"
                if gathers:
                    op = collective(
                        on, "all-gather", ("model",), "f32[512,256]", 2**19, times=12, source=source(line, lines)
                    )
                    collectives.append(op)
                result = value(f"h{k}", (256, 512), ("data", "model"))
                rows.append(
                    Row(
                        "dot_general" if product else "add",
                        (result,),
                        source(line, lines),
                        (f"h{k - 1}" if k else "batch", "w"),
                        inner if k < width // 2 else outer,
                        collectives=(len(collectives) - 1,) if gathers else (),
                        remark="w is gathered whole over model" if gathers else "",
                        wasted_bytes=2**20 if gathers else 0,
                    )
                )
    rows += [
        Row(
            "sub",
            (value("new", (512, 512), (None, "model"), ("data", "model"), "new is cut further."),),
            None,
            ("w",),
            0,
        ),
        Row("reduce_sum", (value("loss", (), ()),), None, ("h0",), 0),
    ]
    program = Program(on, tuple(collectives), name="train_step", target="8 CPU devices")
    return Comparison(
        "function",
        on,
        tuple(rows),
        tuple(scopes),
        program=program,
        compiled_from="Auto",
        name="train_step",
        verdict=verdict(rows, program),
    )


def scopes() -> Comparison:
    """Changes of axis types, decisions of the user's own, a shard_map, an unreduced value, and no devices."""
    on = replace(mesh(x=4, y=2), abstract=True, kind="", platform="")
    lines = ("def f(a, b):", "    c = reshard(a, P('y', None))", "    d = auto_axes(g, axes='x')(c)", "    return k(d)")
    scopes = (
        Scope("auto_axes", "g", -1, axis_types=("Auto", "Explicit")),
        Scope("explicit_axes", "h", 0, axis_types=("Explicit", "Explicit")),
        Scope("region", "k", -1, axis_types=("Manual", "Manual")),
        Scope("branch", "cond branch 1", -1),
    )
    silent = Compared(
        "d", (8, 16), "float32", 32, Layout("f32[8,16@y]", _dims((8, 16), (None, "y"))), "f32[8,16]", None, "silent"
    )
    partial = Compared("p", (8, 4), "float32", 32, typed((8, 4), (None, None), ("y",)), "f32[8,4]", None)
    block = Compared("t", (2, 8), "float32", 32, Layout("f32[2,8]{V:(x,y)}", None), "f32[2,8]{V:(x,y)}", None)

    def known(name: str, shape: tuple[int, ...], split: Split) -> Compared:
        return replace(value(name, shape, split), concrete=None, agreement="")

    rows = (
        Row("arguments", (known("a", (8, 16), ("x", "y")), known("b", (16, 4), ("y", None))), inputs=("a", "b")),
        Row("reshard", (known("c", (8, 16), ("y", None)),), source(2, lines), ("a",), decision="reshard"),
        Row("mul", (silent,), source(3, lines), ("c",), 0),
        Row("sharding_constraint", (silent,), source(3, lines), ("d",), 0, decision="with_sharding_constraint"),
        Row("add", (known("e", (8, 16), (None, "y")),), source(3, lines), ("d",), 1),
        Row("dot_general", (partial,), source(4, lines), ("e", "b"), decision="out_sharding"),
        Row("sin", (block,), source(4, lines), ("p",), 2),
        Row("scan", tuple(known(f"s{i}", (8, 16), ("x", None)) for i in range(7)), source(4, lines), ("t",), 3),
    )
    return Comparison(
        "function",
        on,
        rows,
        scopes,
        name="f",
        note="The compiled column is empty: the mesh is abstract. Give a mesh of 8 devices, or of a TPU topology: "
        "sw.tpu_mesh('v5e:2x4', ('x', 'y')).",
    )


def stopped() -> Comparison:
    """A program that stops where nothing fixes it, below an error that is fixed."""
    base = layer()
    bare = replace(base.rows[3], error=replace(base.rows[3].error, fixes=(), chosen=-1))  # type: ignore[arg-type]
    below = tuple(
        replace(row, values=tuple(replace(v, explicit=None, agreement="") for v in row.values)) for row in base.rows[4:]
    )
    return replace(base, rows=(*base.rows[:3], bare, *below), continuations=())


def refused() -> Comparison:
    """A loop that JAX refuses before it is an equation: a fix is offered, and no row follows from it."""
    lines = (
        "def steps(x):",
        "    def body(h, _):",
        "        return jax.reshard(jnp.tanh(h), P(None, 'y')), None",
        "    return jax.lax.scan(body, x, None, length=3)[0]",
    )
    on, shape = mesh(x=4, y=2), (128, 16)
    fix = Fix(
        "start with P(None, 'y')",
        "return jax.lax.scan(body, jax.reshard(x, P(None, 'y')), None, length=3)[0]",
        "train.py",
        4,
        1,
        layout=typed(shape, (None, "y")),
    )
    stop = Failure(
        "TypeError",
        "scan body function carry input and carry output must have equal types, but they differ:\n\n"
        "The input carry h has type float32[128@x,16] but the corresponding output carry component has type "
        "float32[128,16@y].",
        fixes=(fix,),
    )
    x = replace(value("x", shape, ("x", None)), concrete=None, agreement="")
    rows = (Row("arguments", (x,), inputs=("x",)), Row("error", (), source(4, lines), error=stop))
    note = "JAX stops here: the program is shown as far as it got, and was not compiled."
    return Comparison("function", on, rows, name="steps", verdict=verdict(rows, None), note=note)


def arrays() -> Comparison:
    """A pytree of arrays, of which one is not where its type says, and one has a sharding without a spec."""
    on = mesh(x=4, y=2)
    odd = Layout("GSPMDSharding({devices=[2,4]<=[8]})", None)
    values = (
        value("params['w']", (8, 16), ("x", "y")),
        value("params['b']", (16,), (None,), ("y",), "The type was set by device_put under another mesh."),
        replace(value("params['e']", (8, 8, 16), (("x", "y"), None, None)), agreement="same"),
        replace(value("step", (), ()), concrete=odd, agreement="", note=""),
    )
    rows = tuple(Row("array", (replace(v, auto=""),)) for v in values)
    return Comparison("arrays", on, rows, name="params")


def hostile() -> Comparison:
    """What the user named looks like markup, and is long."""
    evil = "<script>alert(1)</script>" * 20
    base = layer()
    rows = tuple(
        replace(
            row,
            primitive=row.primitive if row.primitive == "arguments" else evil,
            values=tuple(replace(v, name=evil, note=v.note and evil) for v in row.values),
            source=row.source and replace(row.source, text=evil, file=evil, line=123456),
        )
        for row in base.rows
    )
    return replace(base, rows=rows, name=evil, note=evil)


COMPARISONS = {
    "layer": layer,
    "training": training,
    "scopes": scopes,
    "stopped": stopped,
    "refused": refused,
    "arrays": arrays,
    "hostile": hostile,
}
"""By name; the front end's tests have each."""
