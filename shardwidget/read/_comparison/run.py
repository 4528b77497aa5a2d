"""The program once more on an Explicit mesh, equation by equation: the types, and where they stop."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.core import JaxprEqn, Literal, jaxpr_as_fun
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.read._comparison.explicit import Explicit, Fixing, Stopped
from shardwidget.read._comparison.fix import Fixed, fixes_of
from shardwidget.read._comparison.question import abstract
from shardwidget.read._comparison.tree import TAG, LineBody, LineNode, Tree, bodies
from shardwidget.read._comparison.ways import FixContext
from shardwidget.read._comparison.written import WrittenSource
from shardwidget.read._entries import Entries, entries


class _Unknown:
    """A value below an equation that stopped and is not fixed."""


UNKNOWN = _Unknown()


def closes_over_another(tree: Tree, mesh: AbstractMesh) -> bool:
    """Whether a program has constants on a mesh of other axis types, or puts values on one: not traceable."""
    shardings = [getattr(c, "sharding", None) for body in bodies(tree.root) for c in body.consts]
    puts = [line.eqn for line in tree.lines if _jax.name_of(line.eqn) == "device_put"]
    shardings += [s for eqn in puts for s in eqn.params["devices"]]
    meshes = [s.mesh for s in shardings if isinstance(s, NamedSharding)]
    return any(m.size > 1 and m.axis_types != mesh.axis_types for m in meshes)


class ExplicitRun:
    """Binds the equations of a program to tracers on an Explicit mesh.

    Args:
        tree: the program.
        mesh: all its axes Explicit.
        fixing: how to continue where it stops.
        known: types and stops found by JAX's own trace on such a mesh.
    """

    def __init__(
        self,
        tree: Tree,
        mesh: AbstractMesh,
        fixing: Fixing,
        known: Explicit | None = None,
    ) -> None:
        self._tree = tree
        self._mesh = mesh
        self._choices = fixing.choices
        self._compiled = fixing.compiled
        self._known_of_fixes = FixContext(
            frozenset(_roots(tree)), WrittenSource(tree), fixing.prices, fixing.pasting, fixing.compiled
        )
        self._types_known = known.types if known else {}
        self.types: dict[int, tuple[Any, ...]] = {}
        self.stops: dict[int, Stopped] = dict(known.stops) if known else {}
        self._constants: dict[int, Any] = {}
        self._call = ""
        """Name of the innermost function that is called."""
        self._carried: dict[int, dict[int, Any]] = {}
        """By line of a loop, the types of its carries, by operand."""

    def of(self, arguments: Sequence[jax.ShapeDtypeStruct]) -> Explicit:
        """Runs the program on shapes on the mesh."""
        # What the program closes over is on its own mesh: it becomes an argument, to be placed on this one.
        closed_over = {id(c): c for body in bodies(self._tree.root) for c in body.consts}

        def call(values: Sequence[Any], constants: Sequence[Any]) -> list[Any]:
            self._constants = dict(zip(closed_over, constants, strict=True))
            return [v for v in self._body(self._tree.root, values) if v is not UNKNOWN]

        constants = [self._shape(c) for c in closed_over.values()]
        with jax.sharding.use_abstract_mesh(self._mesh):
            traced = jax.make_jaxpr(call)(list(arguments), constants)
        whole = not constants and len(traced.out_avals) == len(self._tree.results)
        return Explicit(self.types, self.stops, bound=traced if whole else None)

    def _shape(self, constant: Any) -> jax.ShapeDtypeStruct:
        sharding: Any = getattr(constant, "sharding", None)
        here = isinstance(sharding, NamedSharding) and sharding.mesh.axis_names == self._mesh.axis_names
        spec = sharding.spec if here else PartitionSpec()
        return jax.ShapeDtypeStruct(constant.shape, constant.dtype, sharding=NamedSharding(self._mesh, spec))

    def _body(self, body: LineBody, args: Sequence[Any]) -> list[Any]:
        constants = [self._constants[id(c)] for c in body.consts]
        env: dict[Any, Any] = dict(zip(body.jaxpr.constvars, constants, strict=True))
        env.update(zip(body.jaxpr.invars, args, strict=True))

        def read(v: Any) -> Any:
            # A literal may refer to the mesh that it was traced on; its number does not.
            return np.asarray(v.val, dtype(v)) if isinstance(v, Literal) else env[v]

        def dtype(v: Any) -> Any:
            return v.aval.dtype

        for node in body.nodes:
            env.update(zip(node.eqn.outvars, self._node(node, [read(v) for v in node.eqn.invars]), strict=True))
        return [read(v) for v in body.jaxpr.outvars]

    def _node(self, node: LineNode, values: list[Any]) -> list[Any]:
        if node.line < 0 and not node.bodies:
            return values  # How they are sharded is up to the fix.
        if node.line < 0:
            around, self._call = self._call, node.control.name if isinstance(node.control, _jax.FunctionCall) else ""
            outs = self._body(node.bodies[0], values)
            self._call = around
            return outs
        if node.line in self._types_known:
            self._take_known(node)
            return [_jax.of_type(t) for t in self._types_known[node.line]]
        if any(v is UNKNOWN for v in values):
            outs: list[Any] = [UNKNOWN] * len(node.eqn.outvars)
        else:
            outs = self._bound(node, values)
        self.types[node.line] = tuple(None if v is UNKNOWN else jax.typeof(v) for v in outs)
        return outs

    def _take_known(self, node: LineNode) -> None:
        """Records the known types and stops of an equation and of all in it."""
        if node.line in self._types_known:
            self.types[node.line] = self._types_known[node.line]
        for body in node.bodies:
            for inner in body.nodes:
                self._take_known(inner)

    def _bound(self, node: LineNode, values: list[Any]) -> list[Any]:
        with jax.named_scope(f"{TAG}{node.line}"):
            return self._bound_or_fixed(node, values)

    def _bound_or_fixed(self, node: LineNode, values: list[Any]) -> list[Any]:
        try:
            return self._bind(node, values)
        except Exception as error:
            if node.line in self.stops:  # A loop's body is traced more than once.
                stopped = self.stops[node.line]
            else:
                stopped = self.stopped(node, values, error)
                if stopped.chosen < 0 or not _is_answered(node.eqn):
                    self.stops[node.line] = stopped
            if stopped.chosen < 0:
                return [UNKNOWN] * len(node.eqn.outvars)
            return stopped.fixes[stopped.chosen].bind(values)

    def stopped(self, node: LineNode, values: list[Any], error: Exception) -> Stopped:
        """What can be done about an equation that raised.

        Args:
            node: the equation.
            values: its operands, tracers on the Explicit mesh.
            error: what it raised.
        """
        line = self._tree.lines[node.line]
        before = dict(self.types), dict(self.stops)
        wanted: dict[int, Entries] = {}
        fixes: tuple[Fixed, ...] = ()
        for _ in range(2):  # A loop asks for the layout of its carry only once the rest is right.
            wanted |= self._wanted_layouts(node, values)
            fixes = fixes or fixes_of(
                line,
                values,
                lambda operands: self._bind(node, list(operands)),
                tuple(wanted.items()),
                self._compiled.get(node.line),
                self._known_of_fixes,
            )
        self.types, self.stops = before  # Trying leaves nothing behind.
        chosen = self._choices.get(node.line, 0 if fixes else -1)
        types = tuple(
            None if isinstance(v, Literal) else jax.typeof(x) for v, x in zip(line.inputs, values, strict=True)
        )
        chosen = chosen if chosen < len(fixes) else -1
        if chosen >= 0 and line.frames:
            place = line.frames[0].file_name, line.frames[0].start_line, line.frames[0].start_column
            fix, is_loop = fixes[chosen], isinstance(node.control, _jax.Scan | _jax.While)
            loop = fix.edit if is_loop else None
            self._known_of_fixes.pasting.choose(_jax.name_of(node.eqn), place, fix.bind, loop)
        return Stopped(error, fixes, chosen, types, node.line)

    def _wanted_layouts(self, node: LineNode, values: Sequence[Any]) -> dict[int, Entries]:
        """Layouts that an equation asks of operands: a loop that of its carries, a shard_map its specs."""
        params = node.eqn.params
        if _jax.name_of(node.eqn) == "sharding_constraint":
            return {0: _constrained(params["sharding"].spec, values[0])}
        if isinstance(node.control, _jax.ShardMap):
            wanted = {
                k: entries(s, jax.typeof(v).ndim)
                for k, (s, v) in enumerate(zip(node.control.in_specs, values, strict=True))
            }
        else:
            wanted = {k: entries(t.sharding.spec, t.ndim) for k, t in self._carried.pop(node.line, {}).items()}
        if isinstance(node.control, _jax.Scan):  # What it scans over is whole.
            for k, v in list(enumerate(values))[node.control.consts + node.control.carries :]:
                wanted[k] = ((), *entries(jax.typeof(v).sharding.spec, jax.typeof(v).ndim)[1:])
        mine = {k: entries(jax.typeof(values[k]).sharding.spec, jax.typeof(values[k]).ndim) for k in wanted}
        return {k: dims for k, dims in wanted.items() if dims != mine[k]}

    def _bind(self, node: LineNode, values: list[Any]) -> list[Any]:
        eqn = node.eqn
        name, params, control = _jax.name_of(eqn), eqn.params, node.control
        if isinstance(control, _jax.Scan):
            return self._scan(node, control, values)
        if isinstance(control, _jax.While):
            return self._while(node, control, values)
        if isinstance(control, _jax.Cond):
            return self._cond(node, values)
        if isinstance(control, _jax.ShardMap):
            return self._shard_map(node, control, values)
        if name == "select_n" and self._call == "_where":
            values = _broadcast(values)
        if name == "sharding_constraint":
            return [lax.with_sharding_constraint(values[0], NamedSharding(self._mesh, params["sharding"].spec))]
        if name == "reshard":
            return [jax.sharding.reshard(values[0], NamedSharding(self._mesh, params["dst_sharding"].spec))]
        return _jax.bind_here(eqn.primitive, _jax.on_mesh(params, self._mesh), *values)

    def _scan(self, node: LineNode, control: _jax.Scan, values: list[Any]) -> list[Any]:
        consts, carries = control.consts, control.carries

        def step(carry: Any, slices: Any) -> tuple[Any, Any]:
            outs = self._known(self._body(node.bodies[0], [*values[:consts], *carry, *slices]))
            self._carried[node.line] = {consts + k: jax.typeof(out) for k, out in enumerate(outs[:carries])}
            return outs[:carries], outs[carries:]

        carry, stacked = lax.scan(
            step,
            values[consts : consts + carries],
            values[consts + carries :],
            length=control.length,
            reverse=control.reverse,
        )
        return [*carry, *stacked]

    def _while(self, node: LineNode, control: _jax.While, values: list[Any]) -> list[Any]:
        first, second = control.tests, control.tests + control.consts
        test, body = node.bodies

        def step(carry: Any) -> list[Any]:
            outs = self._known(self._body(body, [*values[first:second], *carry]))
            self._carried[node.line] = {second + k: jax.typeof(out) for k, out in enumerate(outs)}
            return outs

        return list(
            lax.while_loop(
                lambda carry: self._known(self._body(test, [*values[:first], *carry]))[0], step, values[second:]
            )
        )

    def _cond(self, node: LineNode, values: list[Any]) -> list[Any]:
        def branch(body: LineBody) -> Any:
            return lambda *operands: self._known(self._body(body, operands))

        return list(lax.switch(values[0], [branch(body) for body in node.bodies], *values[1:]))

    def _shard_map(self, node: LineNode, control: _jax.ShardMap, values: list[Any]) -> list[Any]:
        # A region may be on a mesh of its own, which its body names.
        own, manual = abstract(control.mesh), control.axes
        mesh = own.update(axis_types=(AxisType.Explicit,) * len(own.axis_names))

        def block(*args: Any) -> list[Any]:
            if len(manual) < len(mesh.axis_names):
                return self._known(self._body(node.bodies[0], args))
            # Inside, all axes are Manual: its types are those of the program as it is.
            return jaxpr_as_fun(_jax.closed(node.bodies[0].jaxpr, node.bodies[0].consts))(*args)

        mapped: Any = jax.shard_map(
            block,
            mesh=mesh,
            in_specs=control.in_specs,
            out_specs=list(control.out_specs),
            axis_names=set(manual),
            check_vma=control.check_vma,
        )
        for inner in node.bodies[0].nodes:
            self._types_inside(inner)
        with jax.sharding.use_abstract_mesh(mesh):
            return list(mapped(*values))

    def _types_inside(self, node: LineNode) -> None:
        for body in node.bodies:
            for inner in body.nodes:
                self._types_inside(inner)
        if node.line >= 0:
            self.types[node.line] = tuple(v.aval for v in node.eqn.outvars)

    def _known(self, values: list[Any]) -> list[Any]:
        """The results of a body that is traced.

        Raises:
            StoppedInsideError: one of them is not known.
        """
        if any(v is UNKNOWN for v in values):
            raise StoppedInsideError("an equation in its body stops; see that row")
        return values


def _is_answered(eqn: JaxprEqn) -> bool:
    """Whether an equation stops only here: what differentiation adds states how its results are sharded."""
    if not _jax.is_differentiated(_jax.stack_within("", eqn)):
        return False
    return _jax.name_of(eqn) in _jax.ACCUMULATES or _jax.is_silent(eqn.params.get("out_sharding"))


def _broadcast(values: list[Any]) -> list[Any]:
    """Operands of the ``select_n`` of ``jnp.where``, laid out like the one that is split, as JAX itself does."""
    types = [jax.typeof(v) for v in values]
    layouts = {t.sharding for t in types if any(entries(t.sharding.spec, t.ndim))}
    if len(layouts) != 1:
        return values
    (layout,) = layouts
    return [
        jax.sharding.reshard(v, layout) if t.ndim and t.sharding != layout else v
        for v, t in zip(values, types, strict=True)
    ]


def _roots(tree: Tree) -> Iterator[str]:
    """The user's names of values, without what is picked of a pytree: ``p`` of ``p['w']``."""
    for value in (*tree.arguments, *(v for line in tree.lines for v in line.outputs)):
        if found := value.is_named and re.fullmatch(r"([^\W\d]\w*)(?:\.\w+|\[[^\[\]()]*\])*", value.name):
            yield found[1]


def _constrained(spec: PartitionSpec, value: Any) -> Entries:
    """What a constraint asks of a value: a dimension that it leaves open stays as it is."""
    type_ = jax.typeof(value)
    listed = [*_jax.partitions(spec), *[None] * (type_.ndim - len(_jax.partitions(spec)))]
    mine = entries(type_.sharding.spec, type_.ndim)
    return tuple(
        m if e is PartitionSpec.UNCONSTRAINED else d
        for e, d, m in zip(listed, entries(spec, type_.ndim), mine, strict=True)
    )


class StoppedInsideError(Exception):
    """A loop or branch whose body stops on an Explicit mesh."""
