"""How far tracing got when an exception stopped it."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import numpy as np
from jax.core import Tracer
from jax.sharding import PartitionSpec

from shardwidget._jax.control import STOPPED, Control, FunctionCall, Scan, While, shard_map_of
from shardwidget._jax.jaxprs import OpenJaxpr, open_jaxpr
from shardwidget._jax.sources import function_name, function_place, is_user_file

if TYPE_CHECKING:
    from jax.extend.core import Var

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Mapped:
    """A ``shard_map`` as it was called."""

    function: Any
    """What is mapped."""
    mesh: Any
    in_specs: Any
    """A pytree of specs."""
    out_specs: Any
    given: tuple[Any, ...]
    """Its arguments."""

    @functools.cached_property
    def args(self) -> list[Any]:
        """The leaves of its arguments."""
        return jax.tree.leaves(self.given)

    @functools.cached_property
    def specs(self) -> list[PartitionSpec]:
        """The spec of each: in_specs may have one for a whole tree of them."""
        return jax.tree.leaves(self.in_specs_with({}, whole=True), is_leaf=_is_spec)

    def in_specs_with(self, others: Mapping[int, PartitionSpec], *, whole: bool = False) -> Any:
        """in_specs with other specs for some leaves, by their numbers: a tree that had one spec gets one for each leaf.

        Args:
            others: the new specs.
            whole: whether every leaf gets a spec of its own.
        """
        given = tuple(self.in_specs) if isinstance(self.in_specs, list) else self.in_specs
        prefix, tree = jax.tree.flatten(given, is_leaf=_is_spec)
        numbers, out = itertools.count(), []
        for spec, part in zip(prefix, tree.flatten_up_to(self.given), strict=True):
            leaves, inside = jax.tree.flatten(part)
            here = list(itertools.islice(numbers, len(leaves)))
            own = [others.get(k, PartitionSpec() if spec is None else spec) for k in here]
            changes = whole or any(k in others for k in here)
            out.append(jax.tree.unflatten(inside, own) if changes else spec)
        return jax.tree.unflatten(tree, out)


def _is_spec(x: Any) -> bool:
    return x is None or isinstance(x, PartitionSpec)


@dataclass(frozen=True, eq=False)
class _Link:
    """What leads to a level: control flow, by its operands."""

    kind: str
    operands: list[Any]
    about: dict[str, Any] = field(default_factory=dict)
    carries: int = 0


@dataclass(frozen=True, eq=False)
class PartialTrace:
    """How far tracing got."""

    jaxpr: OpenJaxpr
    """The whole program; the last equation of each level is the one whose body stopped."""
    mapped: Mapped | None
    """The innermost ``shard_map`` that was called."""
    outs: list[Any]
    """Results of the innermost body, if it ran to its end."""
    out_specs: list[Any]
    """Their specs."""
    operands: list[Any]
    """Variables that JAX was working on."""
    held: list[tuple[int, ...]]
    """For each of them, which of its dimensions the user's value has: ``vmap`` adds some."""
    names: list[Any]
    """Axis names that JAX was working on."""


def unfiltered(call: Callable[[], T]) -> T:
    """What a call returns; an exception from it keeps the frames of JAX, whatever ``jax_traceback_filtering`` says.

    JAX 0.9 – 0.12: only the outermost ``api_boundary`` (private) filters a traceback. Here that is one of ours, and
    the exception does not cross it. The option itself belongs to the user and to all threads.
    """
    from jax._src.traceback_util import api_boundary

    def within() -> tuple[T | None, Exception | None]:
        try:
            return call(), None
        except Exception as error:
            return None, error

    result, error = api_boundary(within)()
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


def partial_trace(error: BaseException) -> PartialTrace | None:
    """How far tracing got when an exception stopped it, from the frames of its traceback.

    JAX 0.9 – 0.12: the frames of ``trace_to_jaxpr*``, of ``shard_map``, of ``jit`` and of control flow hold what was
    traced.

    Args:
        error: raised by ``unfiltered``.
    """
    frames = list(_frames(error))
    users = [k for k, frame in enumerate(frames) if is_user_file(frame.f_code.co_filename)]
    last = users[-1] if users else -1
    levels: list[tuple[_Link | None, Any]] = []  # what leads to a level, and its trace or finished jaxpr
    link: _Link | None = None
    mapped: Mapped | None = None
    outs: list[Any] = []
    out_specs: list[Any] = []
    for k, frame in enumerate(frames):
        name, file, known = frame.f_code.co_name, frame.f_code.co_filename, frame.f_locals
        if file.endswith("shard_map.py") and name == "wrapped" and "in_specs" in known:
            given = known.get("f"), known.get("mesh"), known.get("in_specs"), known.get("out_specs")
            mapped = Mapped(*given, tuple(known.get("args", ())))
        elif file.endswith("shard_map.py") and name == "_shard_map_staging":
            link = _Link("shard_map", list(known["args"] if "args" in known else known["in_tracers"]), known)
            if "jaxpr" in known:
                body, consts = open_jaxpr(known["jaxpr"])
                outs = list(body.outvars)
                flat = known["out_specs"] if "out_specs" in known else known["out_specs_thunk"]()
                out_specs = list(flat)
                jaxpr = OpenJaxpr(body.invars, body.constvars, [], body.eqns, list(consts), body.debug_info)
                levels.append((link, jaxpr))
                break
        elif file.endswith("pjit.py") and name == "cache_miss":
            given = jax.tree.leaves((known.get("args"), known.get("kwargs")))
            # Static arguments, such as ``method="scan"``, are not operands.
            link = _Link("jit", [x for x in given if isinstance(x, (Tracer, *_CONSTANTS))])
        elif entered := _entered(file, name, known):
            link = entered
        elif name.startswith("trace_to_jaxpr") and type(known.get("trace")).__name__ == "DynamicJaxprTrace":
            file, _ = function_place(known["trace"].frame)
            theirs = k > last and not (file and is_user_file(file))
            if levels and (link is None or (link.kind != "shard_map" and theirs)):
                break
            levels.append((link, known["trace"]))
            link = None
    if not levels:
        return None
    operands, names = _at_work(frames[last + 1 :], levels[-1][1])
    variables, held = [v for v, _ in operands], [dims for _, dims in operands]
    return PartialTrace(_nested(levels), mapped, outs, out_specs, variables, held, names)


def _entered(file: str, name: str, known: dict[str, Any]) -> _Link | None:
    """Control flow whose body is about to be traced.

    A ``while`` is entered for its condition and for its body, both of which take the carries.
    """
    here = os.path.basename(file), name
    if here == ("loops.py", "scan"):
        carry, slices = (_flat(known, part, f"{part}_flat") for part in ("init", "xs"))
        about = {"length": known.get("length"), "reverse": bool(known.get("reverse"))}
        return _Link("scan", carry + slices, about, len(carry))
    if here == ("loops.py", "while_loop"):
        carry = _flat(known, "init_val_flat", "init_val")
        return _Link("while", carry, {}, len(carry))
    if here == ("conditionals.py", "cond"):
        name = f"cond branch {int('true_jaxpr_' not in known)}"
        return _Link("branch", jax.tree.leaves(known["operands"]), {"name": name})
    if here == ("conditionals.py", "_switch_internal"):
        return _Link("branch", jax.tree.leaves(known["operands"]), {"name": "cond branch"})
    if here in (("ad_checkpoint.py", "fun_remat"), ("custom_derivatives.py", "__call__")):
        return _Link("call", _flat(known, "args_flat"))
    return None


def _flat(known: dict[str, Any], *names: str) -> list[Any]:
    """The leaves of the first local variable that exists."""
    return next((list(known[name]) for name in names if name in known), [])


def _frames(error: BaseException | None) -> Iterator[Any]:
    """Frames of an exception, outermost first, then of what it was raised for."""
    while error is not None:
        step = error.__traceback__
        while step is not None:
            yield step.tb_frame
            step = step.tb_next
        error = error.__cause__ or error.__context__


def _nested(levels: list[tuple[_Link | None, Any]]) -> OpenJaxpr:
    """The levels as one program: each is the body of the last equation of the one before."""
    from jax._src.core import Var, new_jaxpr_eqn, no_effects  # in jax.extend from 0.10 on, but for Var
    from jax.extend.core import Literal, Primitive
    from jax.extend.source_info_util import new_source_info

    inner: tuple[_Link, OpenJaxpr] | None = None
    jaxpr: OpenJaxpr | None = None
    for number in range(len(levels) - 1, -1, -1):
        link, trace = levels[number]
        jaxpr = trace if isinstance(trace, OpenJaxpr) else _open(trace)
        if inner is not None:
            entered, body = inner
            body, around = _without_tracers(body)
            variables = []
            for value in (*around, *entered.operands):
                v = _variable(value, trace)
                if v is None and number:  # Made further out: this level closes over it, too.
                    v = Var(value.aval)
                    jaxpr.constvars.append(v)
                    jaxpr.consts.append(value)
                variables.append(Literal(v, jax.typeof(v)) if isinstance(v, _CONSTANTS) else v)
            if _fits(entered, variables, body, len(around)):
                params = {STOPPED: _control(entered, body, len(around))}
                eqn = new_jaxpr_eqn(variables, [], Primitive(entered.kind), params, no_effects, new_source_info())
                jaxpr.eqns.append(eqn)
        if link is not None:
            inner = link, jaxpr
    assert jaxpr is not None
    return jaxpr


def _control(link: _Link, body: OpenJaxpr, closed: int) -> Control:
    """What enters a body whose first parameters are ``closed`` values from outside."""
    about = link.about
    if link.kind == "shard_map":
        specs = (jax.sharding.PartitionSpec(),) * closed + tuple(about["in_specs"])
        return shard_map_of({**about, "in_specs": specs, "out_specs": ()}, body)
    if link.kind == "scan":
        return Scan(body, closed, link.carries, about["length"], about["reverse"])
    if link.kind == "while":
        return While(None, body, 0, closed, link.carries)
    return FunctionCall(body, about.get("name") or function_name(body), branch=link.kind == "branch")


def _open(trace: Any) -> OpenJaxpr:
    frame = trace.frame
    constants = dict(frame.constvar_to_val)
    invars = [getattr(v, "val", v) for v in frame.invars]
    return OpenJaxpr(invars, list(constants), [], frame.get_eqns(), list(constants.values()), frame.debug_info)


def _without_tracers(body: OpenJaxpr) -> tuple[OpenJaxpr, list[Any]]:
    """A body whose first parameters are the values that it closes over, and those values."""
    closed = dict(zip(body.constvars, (getattr(c, "canonical", c) for c in body.consts), strict=True))
    around = {var: const for var, const in closed.items() if isinstance(const, Tracer)}
    own = {var: const for var, const in closed.items() if var not in around}
    invars = [*around, *body.invars]
    return replace(body, invars=invars, constvars=list(own), consts=list(own.values())), list(around.values())


def _fits(link: _Link, operands: list[Any], body: OpenJaxpr, closed: int) -> bool:
    """Whether a body can be run on operands: under ``vmap`` those have a dimension that it does not know of."""
    if len(operands) != len(body.invars) or any(v is None for v in operands):
        return False
    if link.kind == "shard_map":
        return True
    whole = closed + link.carries if link.kind in ("scan", "while") else len(operands)
    shapes = [v.aval.shape[1:] if k >= whole else v.aval.shape for k, v in enumerate(operands)]
    return shapes == [v.aval.shape for v in body.invars]


_CONSTANTS = (jax.Array, np.ndarray, np.generic, int, float, complex)


def _variable(value: Any, trace: Any) -> Any:
    """The variable of a tracer in a trace, through the tracers of grad and vmap; None where it has none."""
    for _ in range(8):
        if getattr(value, "_trace", None) is trace:
            return value.val
        if isinstance(value, _CONSTANTS) and not isinstance(value, Tracer):
            return value
        value = getattr(value, "primal", getattr(value, "val", None))
    return None


def variable_of(value: Any) -> Var | None:
    """The variable of a program that a tracer stands for, through the tracers of grad and vmap; None where it has none.

    JAX 0.9 – 0.12: ``val`` and ``primal`` of tracers are not documented.
    """
    from jax.extend.core import Var

    for _ in range(8):
        value = getattr(value, "primal", getattr(value, "val", None))
        if isinstance(value, Var):
            return value
    return None


def _own_dims(value: Any, trace: Any) -> tuple[int, ...]:
    """The dimensions of a tracer's variable that the tracer itself has.

    JAX 0.9 – 0.12: ``batch_dim`` of the tracers of ``vmap`` is not documented.
    """
    dims = tuple(range(getattr(value, "ndim", 0)))
    for _ in range(8):
        if getattr(value, "_trace", None) is trace:
            break
        if isinstance(batch := getattr(value, "batch_dim", None), int):
            dims = tuple(d + (d >= batch) for d in dims)
        value = getattr(value, "primal", getattr(value, "val", None))
    return dims


def _leaves(value: Any) -> Iterator[Any]:
    """What is in tuples, lists and dicts, whatever the keys: JAX's own trees sort them, and some have no order."""
    if isinstance(value, tuple | list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    else:
        yield value


def _at_work(frames: list[Any], trace: Any) -> tuple[list[tuple[Any, tuple[int, ...]]], list[Any]]:
    """Variables of a trace and axis names that the user's frame passed to the first JAX frames below it.

    Each variable comes with those of its dimensions that the user's value has.
    """
    variables: dict[int, tuple[Any, tuple[int, ...]]] = {}
    names: list[Any] = []
    for frame in frames:
        for key, value in frame.f_locals.items():
            if key in ("axis_name", "axes", "axis_name_") and not names:
                names = [n for n in (value if isinstance(value, tuple | list) else [value]) if isinstance(n, str)]
            for leaf in _leaves(value):
                if isinstance(leaf, Tracer) and (v := _variable(leaf, trace)) is not None:
                    variables.setdefault(id(v), (v, _own_dims(leaf, trace)))
        if variables and names:
            break
        if variables and frame.f_code.co_name not in ("reraise_with_filtered_traceback", "psum", "deferring_binary_op"):
            break
    return list(variables.values()), names
