"""Traces made by hand, without JAX: one of each thing that a stepper can show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shardwidget import _jax
from shardwidget.collectives import Call, apply, bytes_by_plan, bytes_sent, call_of, plans
from shardwidget.document import (
    Collective,
    Dim,
    Failure,
    Fix,
    Ints,
    Listing,
    Mesh,
    MeshAxis,
    Plan,
    Region,
    Scope,
    Source,
    Step,
    Trace,
    Variable,
    Window,
)
from shardwidget.document.step import Origin, ValueFormat

TYPES: dict[str, tuple[str, ValueFormat]] = {
    "float32": ("f32", "f4"),
    "int32": ("i32", "i4"),
    "bool": ("bool", "b1"),
    "complex64": ("c64", "c8"),
}


class Program:
    """A shard_map body on a mesh, run by numpy: every method adds a step."""

    def __init__(self, *lines: str, name: str = "f", **axes: int):
        self.axes, self.lines, self.name = axes, lines, name
        self.size = math.prod(axes.values())
        self.variables: list[Variable] = []
        self.values: list[np.ndarray] = []
        self.steps: list[Step] = []
        self.plans: list[Plan] = []
        self.scopes: list[Scope] = [Scope("region", name, -1)]
        self.scope = 0
        self.in_specs: list[str] = []
        self.out_specs: list[str] = []

    def block(self, name: str, values: np.ndarray, varying: Sequence[str]) -> Variable:
        """A value in the body; ``values`` is ``[devices, *shape]``."""
        short, _ = TYPES[str(values.dtype)]
        over = tuple(a for a in self.axes if a in varying)
        vary = f"{{V:{over[0] if len(over) == 1 else '(' + ','.join(over) + ')'}}}" if over else ""
        text = f"{short}[{','.join(map(str, values.shape[1:]))}]{vary}"
        return self._add(name, text, values.shape[1:], values, region=0, varying=over)

    def whole(self, name: str, values: np.ndarray, shape: tuple[int, ...], spec: Sequence[str | None]) -> Variable:
        """A value outside the body: the shard of every device."""
        dims = tuple(Dim(n, (a,) if a else ()) for n, a in zip(shape, spec, strict=True))
        sizes = ",".join(f"{n}@{a}" if a else str(n) for n, a in zip(shape, spec, strict=True))
        return self._add(name, f"{TYPES[str(values.dtype)][0]}[{sizes}]", shape, values, region=-1, dims=dims)

    def arguments(self, *given: tuple[str, np.ndarray, tuple[str | None, ...]], line: int = 1) -> list[Variable]:
        """in_specs: cuts global arrays; each is given as name, array and the axis of each dimension."""
        outside, inside = [], []
        for name, array, spec in given:
            shards = np.stack([self._shard(array, spec, p) for p in range(self.size)])
            outside.append(self.whole(name, shards, array.shape, spec))
            inside.append(self.block(name, shards, [a for a in spec if a]))
            self.in_specs.append(f"P({', '.join(repr(a) for a in spec)})")
        names = " and ".join(name for name, _, _ in given)
        self.step("in_specs", outside, inside, f"{names} split into blocks.", line)
        return inside

    def local(
        self, primitive: str, name: str, f: Callable[..., Any], *inputs: Variable, line: int = 0, **rest: Any
    ) -> Variable:
        """An equation that every device computes from its own blocks."""
        made = np.stack([np.asarray(f(*(self.values[v.id][p] for v in inputs))) for p in range(self.size)])
        over = sorted({a for v in inputs for a in v.varying})
        out = self.block(name, made.astype(self.values[inputs[0].id].dtype), over)
        self.step(
            primitive, inputs, [out], f"{primitive} computes {name}, each device from its own block.", line, **rest
        )
        return out

    def pvary(self, x: Variable, axis: str, line: int = 0) -> Variable:
        """What JAX inserts where a value meets one that varies over more axes."""
        out = self.block(x.name, self.values[x.id], [*x.varying, axis])
        self.step("pvary", [x], [out], f"{x.name} is typed as varying over {axis}.", line, implicit=True)
        return out

    def collective(
        self, primitive: str, name: str, x: Variable, axes: Sequence[str | int], line: int = 0, **params: Any
    ) -> Variable:
        """A collective, by its own rule."""
        params = {"axes": tuple(axes), "axis_name": tuple(axes), "axis_index_groups": None} | params
        call = call_of(primitive, params, tuple(self.axes), tuple(self.axes.values()))
        assert call
        made = apply(call, self.values[x.id])
        semantics = call.statement.semantics
        gone = axes if semantics.combines and semantics.replicates else ()
        out = self.block(name, np.asarray(made, self.values[x.id].dtype), [a for a in x.varying if a not in gone])
        shown = tuple((k, str(v)) for k, v in params.items() if k not in ("axes", "axis_name", "axis_index_groups"))
        sentence = f"{call.kind} of {x.name} over {' and '.join(map(str, axes))}."
        self.step(primitive, [x], [out], sentence, line, collective=self._collective(call, x), params=shown)
        return out

    def start(self, primitive: str, name: str, x: Variable, axes: Sequence[str], line: int, **params: Any) -> Variable:
        """A collective that is only started: what it gives has a type and no values yet."""
        out = self.collective(primitive, name, x, axes, line, **params)
        future = replace(out, type=f"AbstractFuture{{{out.type}}}", window=None)
        self.variables[out.id] = future
        step = self.steps[-1]
        self.steps[-1] = replace(step, primitive=f"{primitive}_start", outputs=(future,))
        return future

    def done(self, name: str, future: Variable, line: int, origin: Origin | None = None) -> Variable:
        """What was started, received."""
        out = replace(self.block(name, self.values[future.id], future.varying), origin=origin)
        self.variables[out.id] = out
        self.step("ppermute_done", [future], [out], f"Waits until {future.name} has arrived.", line)
        return out

    def result(self, name: str, x: Variable, spec: tuple[str | None, ...], line: int = 0) -> Variable:
        """out_specs: what the blocks are assembled to."""
        shape = tuple(n * (self.axes[a] if a else 1) for n, a in zip(x.shape, spec, strict=True))
        out = self.whole(name, self.values[x.id], shape, spec)
        self.out_specs.append(f"P({', '.join(repr(a) for a in spec)})")
        self.step("out_specs", [x], [out], f"{name} assembled from the blocks of {x.name}.", line)
        return out

    def step(
        self,
        primitive: str,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        sentence: str,
        line: int = 0,
        **rest: Any,
    ) -> None:
        """Any step; ``line`` is that of the listing, from 1."""
        source = Source("cell 3", line, self.lines[line - 1].strip(), self.name) if line and self.lines else None
        elementwise = primitive in _jax.ELEMENTWISE
        known = {"region": 0, "scope": self.scope, "elementwise": elementwise, **rest}
        self.steps.append(Step(primitive, tuple(inputs), tuple(outputs), sentence, source, **known))

    def enter(self, scope: Scope) -> None:
        """Steps from here on are in a scope."""
        self.scopes.append(scope)
        self.scope = len(self.scopes) - 1

    def trace(self, **rest: Any) -> Trace:
        """The document."""
        mesh = self._mesh()
        region = Region(self.name, mesh, tuple(self.axes), tuple(self.in_specs), tuple(self.out_specs), True)
        listings = (Listing("cell 3", 1, self.lines),) if self.lines else ()
        fields = {
            "scopes": tuple(self.scopes),
            "listings": listings,
            "plans": tuple(self.plans),
            "interconnects": ("TPU v5p", "H100"),
            "name": self.name,
            "jax_version": "0.10.2",
        }
        return Trace(mesh, tuple(self.steps), tuple(self.variables), (region,), **(fields | rest))

    def _mesh(self) -> Mesh:
        axes = tuple(MeshAxis(name, n, "Explicit") for name, n in self.axes.items())
        return Mesh(axes, Ints.pack(range(self.size)), Ints.pack([0] * self.size), 0, kind="cpu", platform="cpu")

    def _shard(self, array: np.ndarray, spec: Sequence[str | None], position: int) -> np.ndarray:
        digits = dict(zip(self.axes, np.unravel_index(position, tuple(self.axes.values())), strict=True))
        for d, axis in enumerate(spec):
            if axis:
                array = np.split(array, self.axes[axis], d)[digits[axis]]
        return array

    def _add(
        self, name: str, text: str, shape: tuple[int, ...], values: np.ndarray, *, region: int, **rest: Any
    ) -> Variable:
        kind = TYPES[str(values.dtype)][1]
        data = [np.ascontiguousarray(v).tobytes() for v in values]
        distinct = list(dict.fromkeys(data))
        window = Window(values.shape[1:], kind, b"".join(distinct), Ints.pack([distinct.index(d) for d in data]))
        bits = 8 * values.itemsize
        fetch = values.__getitem__
        v = Variable(
            len(self.variables), name, text, shape, str(values.dtype), bits, region, window=window, fetch=fetch, **rest
        )
        self.variables.append(v)
        self.values.append(values)
        return v

    def _collective(self, call: Call, x: Variable) -> Collective:
        values = self.values[x.id]
        sent, arithmetic, hops = bytes_sent(call, values[0].nbytes)
        first, algorithms = len(self.plans), plans(call)
        self.plans += algorithms
        most = max(map(len, call.groups))
        positions = [p for group in call.groups for p in [*group, *[-1] * (most - len(group))]]
        return Collective(
            call.kind,
            call.statement.semantics,
            call.axes,
            call.groups,
            Ints.pack(positions),
            most,
            sent,
            arithmetic,
            hops,
            tuple(range(first, len(self.plans))),
            tuple(bytes_by_plan(plan, call, values[0].nbytes) for plan in algorithms),
            call.statement.split_axis(call, x.shape),
            call.statement.concat_axis(call, x.shape),
            (1e-6 * hops, 2e-6),
            (sent / 9e10, sent / 4.5e11),
        )


def count(*shape: int) -> np.ndarray:
    """0, 1, 2 … in a shape."""
    return np.arange(math.prod(shape), dtype=np.float32).reshape(shape)


def psum(**axes: int) -> Trace:
    """A matrix product whose inner dimension is split: partial products, summed over the second axis."""
    axes = axes or {"x": 4, "y": 2}
    x, y = axes
    lines = (
        f"@jax.shard_map(in_specs=(P('{x}', '{y}'), P('{y}')),",
        f"               out_specs=P('{x}'))",
        "def f(a, b):",
    )
    f = Program(*lines, "    p = a @ b", f"    return jax.lax.psum(p, '{y}')", name="f", **axes)
    whole = (("a", count(2 * axes[x], 2 * axes[y]) % 5, (x, y)), ("b", count(2 * axes[y], 4) % 3, (y, None)))
    a, b = f.arguments(*whole)
    p = f.local("dot_general", "p", np.matmul, a, f.pvary(b, x, 4), line=4)
    f.result("out", f.collective("psum_invariant", "s", p, (y,), 5), (x, None), 2)
    return f.trace()


def all_gather() -> Trace:
    """Rows gathered along the first axis, in place of its own."""
    f = Program("def layer(w):", "    return all_gather(w, 'x', tiled=True)", name="layer", x=4, y=2)
    (w,) = f.arguments(("w", count(8, 4), ("x", "y")))
    g = f.collective("all_gather", "g", w, ("x",), 2, all_gather_dimension=0, tiled=True)
    f.result("out", g, ("x", "y"))
    return f.trace()


def both_axes() -> Trace:
    """A layer whose weights are gathered along one axis, and whose product is summed over the other."""
    lines = ("def mlp(x, w, v):", "    w = all_gather(w, 'fsdp', tiled=True)", "    h = x @ w", "    h = h @ v")
    f = Program(*lines, "    return psum(h, 'tensor')", name="mlp", fsdp=2, tensor=4)
    halves = [((count(*shape) % 17) - 8) / 8 for shape in ((8, 8), (8, 16), (16, 8))]
    x, w, v = f.arguments(
        ("x", halves[0], ("fsdp", None)), ("w", halves[1], ("fsdp", "tensor")), ("v", halves[2], ("tensor", None))
    )
    g = f.collective("all_gather", "w", w, ("fsdp",), 2, all_gather_dimension=0, tiled=True)
    h = f.local("dot_general", "h", np.matmul, f.pvary(x, "tensor", 3), g, line=3)
    p = f.local("dot_general", "h", np.matmul, h, f.pvary(v, "fsdp", 4), line=4)
    f.result("out", f.collective("psum_invariant", "s", p, ("tensor",), 5), ("fsdp", None))
    return f.trace()


def stacked() -> Trace:
    """Blocks gathered along a new dimension, between the others."""
    f = Program("def f(x):", "    return all_gather(x, 'i', axis=1)", i=4)
    (x,) = f.arguments(("x", count(8, 3), ("i", None)))
    f.collective("all_gather", "g", x, ("i",), 2, all_gather_dimension=1, tiled=False)
    return f.trace()


def reduce_scatter() -> Trace:
    """A sum of which each device keeps a part."""
    f = Program("def f(x):", "    return psum_scatter(x, 'i', scatter_dimension=1, tiled=True)", i=4)
    (x,) = f.arguments(("x", count(4, 4), ("i", None)))
    f.result("out", f.collective("reduce_scatter", "s", x, ("i",), 2, scatter_dimension=1, tiled=True), ("i", None))
    return f.trace()


def all_to_all() -> Trace:
    """A transpose of blocks."""
    f = Program("def f(x):", "    return all_to_all(x, 'i', 1, 0, tiled=True)", i=4)
    (x,) = f.arguments(("x", count(8, 8), ("i", None)))
    f.result("out", f.collective("all_to_all", "t", x, ("i",), 2, split_axis=1, concat_axis=0), (None, "i"))
    return f.trace()


def ppermute() -> Trace:
    """A permutation in which nothing arrives at two devices."""
    f = Program("def f(x):", "    return ppermute(x, 'i', [(0, 1), (1, 3)])", i=4)
    (x,) = f.arguments(("x", count(4, 2) + 1, ("i", None)))
    f.result("out", f.collective("ppermute", "p", x, ("i",), 2, perm=((0, 1), (1, 3))), ("i", None))
    return f.trace()


def pbroadcast() -> Trace:
    """One device's block to all."""
    f = Program(i=5)
    (x,) = f.arguments(("x", count(10), ("i",)))
    f.result("out", f.collective("pbroadcast", "p", x, ("i",), source=2), ("i",))
    return f.trace()


def scan() -> Trace:
    """A loop of which some iterations are shown, with a ring in its body and a printed line."""
    f = Program(
        "def f(x):", "    def body(c, _):", "        c = ppermute(c, 'i', ring)", "        return c + 1, None", i=4
    )
    (c,) = f.arguments(("x", count(4, 3), ("i", None)))
    for iteration in (0, 1, 11):
        f.enter(Scope("iteration", "scan", 0, iteration, 12))
        c = f.collective("ppermute", "c", c, ("i",), 3, perm=tuple((k, (k + 1) % 4) for k in range(4)))
        c = f.local(
            "add", "c", lambda v: v + 1, c, line=4, printed=f"iteration {iteration}\n" if iteration == 1 else ""
        )
    f.scope = 0
    f.result("out", c, ("i", None))
    return f.trace(note="Iterations 2 to 10 of scan are left out.")


def ring_attention() -> Trace:
    """Blocks of keys and values that go round a ring: every device's queries meet them all."""
    f = Program(
        "def ring_attention(q, k, v):",
        "    def hop(_, state):",
        "        k, v, out = state",
        "        out += jax.nn.softmax(q @ k.T) @ v",
        '        k = jax.lax.ppermute(k, "seq", to_next)',
        '        v = jax.lax.ppermute(v, "seq", to_next)',
        "        return k, v, out",
        "    return jax.lax.fori_loop(0, 4, hop, (k, v, 0 * q))[2]",
        name="ring_attention",
        seq=4,
    )
    blocks = [(name, (count(8, 2) + i) % 3, ("seq", None)) for i, name in enumerate("qkv")]
    q, k, v = f.arguments(*blocks)
    first = {"k": k.id, "v": v.id}
    next_ = tuple((p, (p + 1) % 4) for p in range(4))

    def moved(name: str, x: Variable, hop: int, line: int) -> Variable:
        came = Origin(first[name], Ints.pack([(p - hop) % 4 for p in range(4)]))
        here = replace(f.collective("ppermute", name, x, ("seq",), line, perm=next_), origin=came)
        f.variables[here.id] = here
        f.steps[-1] = replace(f.steps[-1], outputs=(here,))
        return here

    out = q
    for hop in range(4):
        f.enter(Scope("iteration", "scan", 0, hop, 4))
        scores = f.local("dot_general", "q @ k.T", lambda q, k: q @ k.T, q, k, line=4)
        out = f.local("dot_general", "out", lambda s, v: s @ v, scores, v, line=4)
        k, v = moved("k", k, hop + 1, 5), moved("v", v, hop + 1, 6)
    f.scope = 0
    f.result("out", out, ("seq", None))
    return f.trace()


def error() -> Trace:
    """A program that stops: its result varies over an axis that out_specs leave out."""
    f = Program("@jax.shard_map(in_specs=P('i'), out_specs=P())", "def f(x):", "    return x * 2", i=2)
    (x,) = f.arguments(("x", count(6), ("i",)))
    y = f.local("mul", "y", lambda v: 2 * v, x, line=3)
    f.step("error", [y], [], "y varies over i.", 1)
    fixes = (
        Fix("Concatenate the blocks along i: add that to out_specs", "out_specs=P('i')"),
        Fix(
            "Sum the blocks along i, before the return",
            "return jax.lax.psum(x * 2, 'i')",
            "cell 3",
            3,
            1,
            communication="psum over i",
            bytes_per_device=12,
            value="same",
            row=("6", "10", "14"),
            row_size=3,
        ),
    )
    message = "shard_map applied to the function 'f' was given out_specs which require replication"
    why = "Along i, y is not the same block on all devices, but out_specs P() says that it is."
    failure = Failure("ValueError", message, why, ("i",), fixes, kind="out_specs", variable=y.id, origin=0)
    return f.trace(error=failure)


RING = tuple((k, (k + 1) % 4) for k in range(4))


def _started(*lines: str) -> tuple[Program, Variable, Variable, Variable]:
    """A ring of four that has started to send its blocks on: the program, both its blocks, the future."""
    f = Program("def f(k, q):", "    nxt = ppermute_start(k, 'x', ring)", *lines, x=4)
    rows = np.array([[2, 1], [1, 3], [0, 2], [2, 2]], np.float32)
    k, q = f.arguments(("k", count(4, 2) + 1, ("x", None)), ("q", rows, ("x", None)))
    return f, k, q, f.start("ppermute", "nxt", k, ("x",), 2, perm=RING)


def under_way() -> Trace:
    """A transfer that is under way while two other steps run."""
    f, k, q, nxt = _started("    s = q * k", "    t = s + q", "    k2 = nxt.done()", "    return t + k2")
    t = f.local("add", "t", np.add, f.local("mul", "s", np.multiply, q, k, line=3), q, line=4)
    k2 = f.done("k2", nxt, 5, Origin(k.id, Ints.pack([3, 0, 1, 2])))
    f.result("out", f.local("add", "t + k2", np.add, t, k2, line=6), ("x", None))
    return f.trace()


def never_received() -> Trace:
    """A transfer that nobody receives."""
    f, k, q, _ = _started("    return q * k")
    f.result("out", f.local("mul", "q * k", np.multiply, q, k, line=3), ("x", None))
    return f.trace()


def used_too_early() -> Trace:
    """A future that is used as if it were an array."""
    f, _, _, nxt = _started("    return q * nxt")
    f.step("error", [nxt], [], "The program stops here.", 3)
    why = "nxt is a future, not an array: it was started in line 2 and has no values until nxt.done()."
    fix = Fix("Wait for nxt here", "return q * nxt.done()", "cell 3", 3, 1)
    words = "unsupported operand type(s) for *: 'DynamicJaxprTracer' and 'DynamicJaxprTracer'"
    failure = Failure("TypeError", words, why, (), (fix,), kind="user", variable=nxt.id, origin=1)
    return f.trace(error=failure)


def cube() -> Trace:
    """A sum over two of three axes."""
    f = Program(data=2, model=2, expert=2)
    (x,) = f.arguments(("x", count(4, 4), ("data", "model")))
    s = f.collective("psum_invariant", "s", f.pvary(x, "expert"), ("model", "expert"))
    f.result("out", s, ("data", None))
    return f.trace()


def oddities() -> Trace:
    """What values and steps may be like: no elements, no dimensions, many, not finite, not real; unequal groups."""
    f = Program(i=4)
    numbers = np.array([[np.nan, np.inf], [-np.inf, 1e-9], [3, -0.0], [1e30, 2.5]], np.float32)
    x, empty, long = f.arguments(
        ("x", numbers, ("i", None)), ("empty", count(4, 0), ("i", None)), ("long", count(4 * 24), ("i",))
    )
    total = f.local("reduce_sum", "total", np.sum, long)
    f.collective("pmax", "most", x, ("i",))
    f.collective("pmin", "least", total, ("i",))
    f.collective("psum", "halves", long, ("i",), axis_index_groups=((0, 2, 3), (1,)))
    f.collective("psum_invariant", "nothing", empty, ("i",))
    f.collective("psum", "rows", x, ("i", 0))
    flag = f.block("flag", np.array([[True], [False], [True], [True]]), ["i"])
    wave = f.block("wave", np.full((4, 2), 1 - 2j, np.complex64), [])
    f.step("is_finite", [x], [flag], "", active=Ints.pack([0, 3]))
    f.step("mul", [flag, x, total], [wave, x], "")
    f.step("transpose", [wave], [wave], "", shape_only=True)
    cube = f.block("cube", np.stack([count(3, 4, 5)] * 4), [])
    f.variables[cube.id] = away = replace(cube, window=None)
    f.step("broadcast", [], [away], "", shape_only=True)
    f.step("debug_callback", [away], [], "", printed="<b>x</b> sum 3\n")
    return f.trace()


def single() -> Trace:
    """A mesh of one device."""
    f = Program(i=1)
    (x,) = f.arguments(("x", count(2, 2), ("i", None)))
    f.result("out", f.collective("psum_invariant", "s", x, ("i",)), (None, None))
    return f.trace()


TRACES: dict[str, Callable[[], Trace]] = {
    "psum": psum,
    "psum of four": lambda: psum(x=2, y=4),
    "all_gather": all_gather,
    "both axes": both_axes,
    "stacked": stacked,
    "reduce_scatter": reduce_scatter,
    "all_to_all": all_to_all,
    "ppermute": ppermute,
    "pbroadcast": pbroadcast,
    "scan": scan,
    "ring attention": ring_attention,
    "error": error,
    "under way": under_way,
    "never received": never_received,
    "used too early": used_too_early,
    "cube": cube,
    "oddities": oddities,
    "single": single,
    "64 devices": lambda: psum(data=8, model=8),
    "256 devices": lambda: psum(data=16, model=16),
}
