"""The user's step: its leaves, its flat program, and how it is lowered for a plan."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget._text import visible
from shardwidget.read import _errors
from shardwidget.read._call import FlatCall
from shardwidget.read._jaxpr.sources import frames_of, source_of
from shardwidget.read._program.executable import first_mesh
from shardwidget.read._search.dims import Dim, Dims

NOT_A_STEP = (
    "a search needs the function itself, to trace it on other meshes, and this is a {type}. Give the jitted function "
    "and its arguments: read.search(train_step, state, batch, mesh='v5p:4x4x4')."
)

NOT_JITTED = (
    "{function} is not jitted, so its donations are not known. Give jax.jit({function}, donate_argnums=...) with the "
    "arguments, as you run it."
)

ANOTHER_MESH = (
    "{first} is on a mesh {one} and {second} on {two}. What is compared with the candidates is one sharding: put all "
    "arguments on one mesh, or give jax.ShapeDtypeStruct(shape, dtype) without shardings."
)

INSIDE = (
    "{function} has a shard_map over {axes}, which fixes its mesh: other meshes cannot be tried. Search for the step "
    "without it: leave the collectives to the compiler."
)

NO_MESH = (
    "{function} names axes of a mesh that is not set here. Search inside it, as you call it: with jax.set_mesh(mesh): "
    "read.search(...). Or give arguments that are on it."
)


Chosen = Callable[[tuple[Dim | None, ...], tuple[int, ...]], PartitionSpec | None]
"""The spec of a value by the groups of its dimensions and its shape; None leaves it open."""


class Step:
    """A step to search for.

    Args:
        f: the jitted function.
        args: its arguments.
        kwargs: its keyword arguments.
        shapes: other shapes of leaves, by their numbers, for another size of the batch.

    Raises:
        TypeError: it is no function, or not jitted, or compiled already.
        ValueError: its arguments are on several meshes, or its program fixes one.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any] | None,
        shapes: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        if not callable(f) or isinstance(f, jax.stages.Compiled | Mesh | AbstractMesh):
            raise TypeError(NOT_A_STEP.format(type=_errors.type_of(f)))
        # What is shown may be asked for other sizes later, and must not hold arrays until then.
        self._f = f
        self._given: tuple[Any, Any] = jax.tree.map(_shape, (tuple(args), kwargs))
        call = FlatCall(f, args, kwargs, returns_written=True)
        if not hasattr(f, "lower"):
            raise TypeError(NOT_JITTED.format(function=visible(call.function)))
        self.donation = _jax.donation_of(f)
        """How its state is donated, as code."""
        self.function = call.function
        self.arguments = call.arguments
        numbers = [k for k, x in enumerate(call.leaves) if not call.static[k] and _is_array(x)]
        self.names = [call.names[k] for k in numbers]
        given = [call.leaves[k] for k in numbers]
        for k, shape in (shapes or {}).items():
            given[k] = jax.ShapeDtypeStruct(shape, _typed(given[k]).dtype, sharding=getattr(given[k], "sharding", None))
        self.mesh, self.shardings = _placed(self.names, given)
        jaxpr = self._traced(call, numbers, [_typed(x) for x in given])
        inner = _jax.open_jaxpr(jaxpr)[0]
        self._refuse(inner)
        self.mesh, self.shardings, self._donated, self.asks_by_jit = _by_jit(inner, self.mesh, self.shardings)
        self._jaxpr = jaxpr
        self.flat, self._consts = _jax.flattened(jaxpr)
        # JAX 0.12 puts constants before the arguments.
        self.inputs = [*self.flat.constvars, *self.flat.invars][len(self._consts) :]
        self.avals = [v.aval for v in self.inputs]
        self.dims = Dims(self.flat)
        self.closed_over = sum(getattr(c, "nbytes", 0) for c in self._consts)
        # The loss, of which nothing is split, is resharded by ``jax.grad`` itself.
        asking = (e for e in _jax.every_equation(jaxpr) if _jax.constraint_of(e) is not None)
        self._constraining = [e for e in asking if e.outvars[0].aval.shape]

    def with_shapes(self, shapes: Mapping[int, tuple[int, ...]]) -> Step:
        """The step for other shapes of some leaves, by their numbers."""
        return Step(self._f, *self._given, shapes)

    def _traced(self, call: FlatCall, numbers: Sequence[int], given: Sequence[Any]) -> Any:
        # A spec without a mesh is legal in the user's code where a mesh of these names is set. Types of Explicit axes
        # are needed only by code that names them.
        own = self.mesh.abstract_mesh if isinstance(self.mesh, Mesh) else self.mesh or jax.sharding.get_abstract_mesh()
        auto = AbstractMesh(own.axis_sizes, own.axis_names, (AxisType.Auto,) * len(own.axis_names))
        plain = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in given]
        ways = [(auto, plain)]
        if AxisType.Explicit in (own.axis_types or ()):
            specs = [s.spec if isinstance(s, NamedSharding) else PartitionSpec() for s in self.shardings]
            on = [NamedSharding(own, spec) for spec in specs]
            typed = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=s) for x, s in zip(given, on, strict=True)]
            ways.append((own, typed))
        for mesh, structs in ways:
            context = contextlib.nullcontext() if mesh.empty else jax.sharding.use_abstract_mesh(mesh)
            try:
                with context:
                    return call.jaxpr(numbers, structs)[0]
            except Exception as error:
                if mesh is not ways[-1][0]:
                    continue
                if _jax.messages.is_of_no_mesh(error):
                    error.add_note(NO_MESH.format(function=call.function))
                raise call.explained(error)  # noqa: B904  the same exception
        raise AssertionError

    def _refuse(self, jaxpr: Any) -> None:
        for eqn in _jax.every_equation(jaxpr):
            control = _jax.control_of(eqn)
            if isinstance(control, _jax.ShardMap):
                raise ValueError(INSIDE.format(function=self.function, axes=", ".join(map(repr, control.axes))))

    @property
    def donated(self) -> tuple[bool, ...]:
        """Whether each leaf is donated."""
        return self._donated

    def local_bytes(self, specs: Sequence[PartitionSpec], sizes: Mapping[str, int]) -> int:
        """Bytes of the arguments on a device."""
        return sum(
            math.prod(aval.shape) * aval.dtype.itemsize // math.prod(sizes[a] for e in spec for a in _names(e))
            for aval, spec in zip(self.avals, specs, strict=True)
        )

    def own_constraints(self) -> list[str]:
        """The lines of the user's own constraints, which candidates replace: ``model.py:12``."""
        frames = (each[0] for each in map(frames_of, self._constraining) if each)
        found = (source_of(each) for each in frames if not _jax.is_library_file(each.file_name))
        return list(dict.fromkeys(f"{s.file}:{s.line}" for s in found))

    @property
    def constrains(self) -> bool:
        """Whether the user's code has constraints of its own, which candidates replace."""
        return bool(self._constraining)

    def outputs(self) -> list[int | None]:
        """For each result the argument that it is the new value of; None for any other."""
        of, free = self.dims.of, dict(enumerate(self.inputs))
        found: list[int | None] = []
        for out in self.flat.outvars:
            same = None
            if hasattr(out, "aval") and not hasattr(out, "val"):
                alike = (k for k, v in free.items() if v is out)
                same = next(alike, None)
                if same is None:
                    alike = (k for k, v in free.items() if v.aval.shape == out.aval.shape and of(v) == of(out))
                    same = next(alike, None)
            if same is not None:
                del free[same]
            found.append(same)
        return found

    def lowered(
        self,
        mesh: Mesh | AbstractMesh,
        specs: Sequence[PartitionSpec],
        choose: Chosen | None,
        outputs: Sequence[int | None],
        *,
        platform: str,
        read_as: Chosen | None = None,
    ) -> jax.stages.Lowered:
        """The step lowered for a mesh.

        Args:
            mesh: a mesh of Auto axes; abstract to be estimated, of devices to be compiled.
            specs: of each leaf.
            choose: the spec of a value of the program that is to be constrained; of a product, a gathered value, a
                carry. None keeps the user's own constraints, which must be on a mesh of the same axes.
            outputs: as of ``outputs``.
            platform: what to lower for: ``tpu``, ``cpu``.
            read_as: the spec with which products read weights, and make their gradients; None leaves that open.
        """
        jaxpr, consts = self.flat if read_as is None else self._once, self._consts
        if choose is None:
            jaxpr, consts = _jax.flattened(self._jaxpr, keep=lambda s: _moved(s, mesh))
        else:
            jaxpr = _jax.constrained(jaxpr, *self._constraints(mesh, choose, read_as))
        # What the function closes over is on every device, whole: as an argument it counts, as a constant it would not.
        held = [*jaxpr.constvars, *jaxpr.invars]
        jaxpr = jaxpr.replace(constvars=[], invars=held)
        shardings = [NamedSharding(mesh, spec) for spec in (*(PartitionSpec() for _ in consts), *specs)]
        structs = [
            jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype, sharding=s) for v, s in zip(held, shardings, strict=True)
        ]
        first = len(consts)
        after = [None if k is None else shardings[first + k] for k in outputs]
        donated = tuple(first + k for k, is_donated in enumerate(self._donated) if is_donated)
        jitted = jax.jit(_jax.as_function(jaxpr, ()), out_shardings=after, donate_argnums=donated)
        with _jax.without_mesh():
            return jitted.trace(*structs).lower(lowering_platforms=(platform,))

    def _constraints(self, mesh: Mesh | AbstractMesh, choose: Chosen, read_as: Chosen | None) -> tuple[Any, Any]:
        """The sharding of a value, and that with which an equation reads an operand; each None where it is open."""

        def of(v: Any, by: Chosen) -> NamedSharding | None:
            spec = by(self.dims.of(v), v.aval.shape)
            return None if spec is None else NamedSharding(mesh, spec)

        def value(v: Any) -> NamedSharding | None:
            eqn = self._pinned.get(v)
            found = None if eqn is None else of(v, choose)
            is_gradient = found is None and read_as and eqn is not None and all(map(_is_activation, eqn.invars))
            return of(v, read_as) if is_gradient and _is_product(eqn) and read_as else found

        def _is_activation(v: Any) -> bool:
            return not hasattr(v, "val") and choose(self.dims.of(v), v.aval.shape) is not None

        def operand(eqn: Any, k: int) -> NamedSharding | None:
            v = eqn.invars[k]
            is_read = read_as is not None and _is_product(eqn) and not hasattr(v, "val") and not _is_activation(v)
            return of(v, read_as) if is_read and read_as and any(map(_is_activation, eqn.invars)) else None

        return value, operand

    @functools.cached_property
    def _once(self) -> Any:
        return _jax.computed_once(self.flat)

    @functools.cached_property
    def _pinned(self) -> dict[Any, Any]:
        """Values that a plan may constrain, and their equations: products, gathered values, carries of scans."""
        return {v: eqn for v, eqn, _ in self.pins}

    @functools.cached_property
    def pins(self) -> list[tuple[Any, Any, str]]:
        """The same values, each with its equation and the name stack of that, in the order of the program."""
        return list(_pins(self.flat, ""))


def _pins(jaxpr: Any, around: str) -> Iterator[tuple[Any, Any, str]]:
    for eqn in jaxpr.eqns:
        control, stack = _jax.control_of(eqn), _jax.stack_within(around, eqn)
        if _jax.name_of(eqn) in _PRODUCTS:
            yield from ((v, eqn, stack) for v in eqn.outvars)
        elif isinstance(control, _jax.Scan):
            yield from ((v, eqn, stack) for v in eqn.outvars[: control.carries])
            body = _jax.open_jaxpr(control.bodies[0])[0]
            produced = {v: e for e in body.eqns for v in e.outvars}
            carries = [v for v in body.outvars[: control.carries] if not hasattr(v, "val")]
            inside = ((v, produced[v]) for v in carries if v in produced)
            yield from ((v, e, _jax.stack_within(stack, e)) for v, e in inside)
        for inner in control.bodies if control is not None else ():
            yield from _pins(_jax.open_jaxpr(inner)[0], stack)


_PRODUCTS = _jax.CONTRACTIONS | {"gather"}


def _is_product(eqn: Any) -> bool:
    return _jax.name_of(eqn) in _jax.CONTRACTIONS


def _names(entry: Any) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else entry or ()


def _is_array(x: Any) -> bool:
    return hasattr(x, "dtype") or isinstance(x, bool | int | float | complex)


def _shape(x: Any) -> Any:
    """The shape of an array; anything else as it is."""
    if not isinstance(x, jax.Array | np.ndarray):
        return x
    sharding = getattr(x, "sharding", None)
    return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding if isinstance(sharding, NamedSharding) else None)


def _typed(x: Any) -> Any:
    return jax.typeof(x) if not isinstance(x, jax.ShapeDtypeStruct) else x


def _placed(names: Sequence[str], leaves: Sequence[Any]) -> tuple[Any, list[NamedSharding | None]]:
    """The mesh that the leaves are on, and their shardings on it."""
    found = [getattr(x, "sharding", None) for x in leaves]
    named = [s if isinstance(s, NamedSharding) and not s.mesh.empty else None for s in found]
    on = [(name, s.mesh) for name, s in zip(names, named, strict=True) if s is not None]
    for name, mesh in on:
        if dict(mesh.shape) != dict(on[0][1].shape):
            one, two = dict(on[0][1].shape), dict(mesh.shape)
            raise ValueError(ANOTHER_MESH.format(first=on[0][0], one=one, second=name, two=two))
    return first_mesh(s for s in named if s is not None), named


def _by_jit(
    jaxpr: Any, mesh: Any, shardings: list[NamedSharding | None]
) -> tuple[Any, list[NamedSharding | None], tuple[bool, ...], bool]:
    """The mesh, shardings and donations of the leaves, with what ``jit`` itself was given; whether it was given any."""
    donated, asks = dict.fromkeys(jaxpr.invars, False), False
    asked: dict[Any, Any] = {}
    for eqn in jaxpr.eqns:
        control = _jax.control_of(eqn)
        if isinstance(control, _jax.FunctionCall):
            donated |= {v: True for v, d in zip(eqn.invars, control.donated) if d and v in donated}  # noqa: B905
            given = zip(eqn.invars, control.in_shardings)  # noqa: B905
            asked |= {v: s for v, s in given if isinstance(s, NamedSharding) and v in donated}
            asks |= any(isinstance(s, NamedSharding) for s in (*control.in_shardings, *control.out_shardings))
    mesh = mesh or first_mesh(asked.values())
    found = [asked.get(v, s) for v, s in zip(jaxpr.invars, shardings, strict=True)]
    return mesh, found, tuple(donated.values()), asks


def _moved(sharding: Any, mesh: Any) -> NamedSharding | None:
    """A sharding of the user's on a mesh of the same axes; None for another."""
    if not isinstance(sharding, NamedSharding) or dict(sharding.mesh.shape) != dict(mesh.shape):
        return None
    return NamedSharding(mesh, sharding.spec)
