"""The one room for what JAX does not promise: private names, undocumented methods, differences between versions.

Each shim names the JAX versions that it was run on. A text that a version cannot give is an empty string, never an
error: HLO and Shardy texts explain a sharding, nothing is computed from them.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import os
import threading
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

PPERMUTE_IN_MESH_ORDER = jax.__version_info__ < (0, 11)
"""Whether ``ppermute`` over several axes counts ranks in the order of the mesh, whatever order they are given in."""

LONGEST_TEXT = 4096
"""Characters kept of an HLO or Shardy text, which spells out every device where the order is no pattern."""


def type_text(aval: Any) -> str:
    """A type as jaxprs print it, with short dtypes: ``f32[8@x,16]{U:y}``.

    JAX 0.9 – 0.12: ``str_short`` is not documented; ``str`` of a type is, and has long dtypes.
    """
    return aval.str_short(short_dtypes=True)


def partitions(spec: jax.sharding.PartitionSpec) -> tuple[Any, ...]:
    """The entries of a PartitionSpec: None, a name, a tuple of names or ``P.UNCONSTRAINED``.

    JAX 0.9: a spec with unreduced axes refuses to be iterated and ``partitions`` is private; public from 0.10 on.
    """
    return spec.partitions if hasattr(spec, "partitions") else spec._partitions


def logical_device_ids(sharding: jax.sharding.Sharding) -> tuple[int, ...] | None:
    """A NamedSharding's own permutation of its mesh's devices, if it has one.

    JAX 0.9 – 0.12: a private constructor argument, which ``jit`` and ``device_put`` set.
    """
    return getattr(sharding, "_logical_device_ids", None)


def device_assignment(sharding: jax.sharding.Sharding) -> tuple[Any, ...] | None:
    """The devices of a sharding in the order that a compiled program counts them; None for an abstract one.

    JAX 0.9 – 0.12: private; only the set of devices is public.
    """
    try:
        return tuple(sharding._device_assignment)
    except (AttributeError, ValueError):
        return None


def unreduced_kind(spec: jax.sharding.PartitionSpec) -> str:
    """What the parts on a spec's unreduced axes are combined by.

    JAX 0.12: ``unreduced_kind`` is ``sum``, ``max`` or ``min``; before, it is always a sum.
    """
    kind = getattr(spec, "unreduced_kind", None)
    return "sum" if kind is None else kind.name.lower()


def hlo_text(sharding: jax.sharding.Sharding, rank: int) -> str:
    """The HLO sharding of an array of this rank, ``{devices=[4,2]<=[8]}``; empty where JAX has none.

    JAX 0.9 – 0.12: private method.
    """
    try:
        return _clip(str(sharding._to_xla_hlo_sharding(rank)))
    except Exception:
        return ""


def shardy_text(sharding: jax.sharding.Sharding, rank: int) -> str:
    """The Shardy attribute of an array of this rank, ``#sdy.sharding<mesh<["x"=4]>, [{"x"}]>``, or empty.

    JAX 0.9 – 0.12: private method; ``build`` takes a cache of attributes from 0.10 on. JAX 0.9.0 ends the process when
    a GSPMDSharding whose devices follow no pattern is asked, so only the classes that answer safely are. (For a
    GSPMDSharding, JAX would make up axis names.)
    """
    if not isinstance(sharding, jax.sharding.NamedSharding | jax.sharding.SingleDeviceSharding):
        return ""
    try:
        with _mlir_context():
            sdy: Any = sharding._to_sdy_sharding(rank)
            try:
                return _clip(str(sdy.build({})))
            except TypeError:
                return _clip(str(sdy.build()))
    except Exception:
        return ""


@functools.lru_cache(maxsize=1)
def _mlir_context() -> Any:
    # Making one takes 1.5 ms and more; building an attribute in one takes 20 µs.
    from jax._src.interpreters import mlir

    return mlir.make_ir_context()


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} … ({len(text)} characters)"


# ── Jaxprs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def open_jaxpr(jaxpr: Any) -> tuple[Any, tuple[Any, ...]]:
    """A jaxpr without its constants, and they.

    JAX 0.9 – 0.10: a ClosedJaxpr holds both, a Jaxpr has none. JAX 0.12: every Jaxpr holds its constants.
    """
    return getattr(jaxpr, "jaxpr", jaxpr), tuple(getattr(jaxpr, "consts", ()))


def manual_types(aval: Any) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Mesh axes over which a type varies, is unreduced and is reduced.

    JAX 0.9: ``vma`` and the spec of the sharding. From 0.10 on: ``manual_axis_type``, for manual axes, and the spec.
    """
    spec = getattr(getattr(aval, "sharding", None), "spec", None)
    unreduced, reduced = (frozenset(getattr(spec, state, None) or ()) for state in ("unreduced", "reduced"))
    manual = getattr(aval, "manual_axis_type", None)
    if manual is None:
        return frozenset(getattr(aval, "vma", ())), unreduced, reduced
    return frozenset(manual.varying), unreduced | manual.unreduced, reduced | manual.reduced


def manual_axes(params: dict[str, Any]) -> frozenset[str]:
    """The axes that a ``shard_map`` equation makes Manual. JAX 0.9 has another name for them than 0.10 and newer."""
    return params["newly_manual_axes"] if "newly_manual_axes" in params else params["manual_axes"]


def scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """Numbers of constants and of carries among the operands of a ``scan`` equation.

    JAX 0.12 holds them as trees of placeholders.
    """
    if "num_carry" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = (len(list(part)) for part in params["ft_in"].unpack())
    return consts, carry


def bind(eqn: Any, *values: Any) -> list[Any]:
    """Applies an equation to values, in the context that it was traced in.

    JAX 0.9: ``get_bind_params`` returns functions and parameters; from 0.10 on parameters alone.
    """
    with eqn.ctx.manager:
        return bind_here(eqn.primitive, eqn.params, *values)


def bind_here(primitive: Any, params: dict[str, Any], *values: Any) -> list[Any]:
    """Applies a primitive to values, in the context of the caller."""
    bound = primitive.get_bind_params(params)
    functions, bound = bound if isinstance(bound, tuple) else ((), bound)
    out = primitive.bind(*functions, *values, **bound)
    return list(out) if primitive.multiple_results else [out]


def function_place(jaxpr: Any) -> tuple[str, int]:
    """File and first line of the traced function; line 0 where JAX does not know it.

    JAX 0.9 – 0.12: ``func_src_info`` is ``name at file:line``.
    """
    text = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None) or ""
    file, _, line = text.partition(" at ")[2].rpartition(":")
    return (file, int(line)) if file and line.isdigit() else ("", 0)


def static_parameters(f: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Positions (negative ones count from the end) and names of the static arguments of a jitted function.

    JAX 0.9 – 0.12: private; what is not jitted has none.
    """
    info = getattr(f, "_jit_info", None)
    return tuple(getattr(info, "static_argnums", None) or ()), tuple(getattr(info, "static_argnames", None) or ())


def context_key(eqn: Any) -> tuple[Any, ...]:
    """What, beside its parameters, decides how an equation is applied.

    JAX 0.9 – 0.12: ``ctx`` of an equation is not documented.
    """
    ctx = eqn.ctx
    return ctx.compute_type, ctx.threefry_partitionable, ctx.cur_abstract_mesh, repr(ctx.xla_metadata)


def print_text(params: dict[str, Any], values: list[Any]) -> str:
    """What ``jax.debug.print`` writes for some operands.

    JAX 0.9 – 0.12: operands that are no arrays are kept apart, put back by a private function.
    """
    from jax._src import debugging

    args, kwargs = debugging.merge_callback_args(params["in_tree"], values, params["static_args"])
    if not params["has_placeholders"]:
        return " ".join((params["fmt"], *map(str, args)))
    with np.printoptions(**dict(params["np_printoptions"])):
        return params["fmt"].format(*args, **kwargs)


def stack_within(stack: str, eqn: Any) -> str:
    """The name stack of an equation, within those around it: ``transpose(jvp())/mlp``.

    JAX 0.9 – 0.12: ``source_info`` of an equation is not documented.
    """
    return f"{stack}/{eqn.source_info.name_stack}"


def user_frames(eqn: Any) -> list[Any]:
    """Frames of the user's program that an equation comes from, innermost first: file, function, lines and columns.

    JAX 0.9 – 0.12: private.
    """
    return _user_frames(eqn.source_info)


def _user_frames(info: Any) -> list[Any]:
    from jax._src import source_info_util

    # Under ``fixing``, this file is between the user's line and JAX.
    return [f for f in source_info_util.user_frames(info.traceback) if f.file_name != __file__]


def calls_reshard(eqn: Any, ours: str) -> bool:
    """Whether the user's program calls ``jax.reshard`` for a ``reshard`` equation: most are JAX's own.

    JAX 0.9 – 0.12: private. ``jax.tree.map`` may stand between.
    """
    frames = getattr(eqn.source_info.traceback, "frames", ())
    callers = [after for frame, after in itertools.pairwise(frames) if frame.function_name == "reshard"]
    return any(is_user_file(f.file_name, ours) or f.function_name.startswith("tree_map") for f in callers)


def argument_names(jaxpr: Any) -> tuple[str, ...]:
    """Names of a traced function's parameters, one for each flat argument; empty where JAX does not know them.

    JAX 0.9 – 0.12: ``debug_info`` of a jaxpr is not documented.
    """
    info = getattr(jaxpr, "debug_info", None)
    names = tuple(name or "" for name in (getattr(info, "arg_names", None) or ()))
    # What an open jaxpr closes over comes before its parameters.
    return ("",) * (len(jaxpr.invars) - len(names)) + names if isinstance(jaxpr, OpenJaxpr) else names


def function_name(jaxpr: Any) -> str:
    """Name of the traced function, without what it is nested in; empty where JAX does not know it."""
    info = getattr(jaxpr, "debug_info", None)
    return (getattr(info, "func_name", None) or "").rpartition(".")[2]


# ── A value as it lies on the devices, whatever its type ──────────────────────────────────────────────────────────────


def kept(x: Any, axes: frozenset[str]) -> Any:
    """The same block, typed as varying over ``axes`` and neither unreduced nor reduced.

    ``jax.lax.pcast`` does this for invarying and reduced values only. JAX 0.9 – 0.12: a type with other manual axes is
    made by methods that are not documented; 0.12 says of unreduced axes what they are combined by, too.
    """
    return _kept_primitive().bind(x, axes=axes)


@functools.lru_cache(maxsize=1)
def _kept_primitive() -> Any:
    from jax.extend.core import Primitive
    from jax.interpreters import mlir

    primitive = Primitive("shardwidget_kept")
    primitive.def_abstract_eval(_kept_type)
    mlir.register_lowering(primitive, lambda ctx, x, *, axes: [x])
    return primitive


def _kept_type(aval: Any, *, axes: frozenset[str]) -> Any:
    sharding = aval.sharding.update(
        mesh=jax.sharding.get_abstract_mesh(), spec=jax.sharding.PartitionSpec(*partitions(aval.sharding.spec))
    )
    manual = getattr(aval, "manual_axis_type", None)
    if manual is None:
        return aval.update(sharding=sharding, vma=axes)
    sums = {"unreduced_kind": None} if hasattr(manual, "unreduced_kind") else {}
    none = frozenset()
    manual = manual.update(varying=axes, unreduced=none, reduced=none, **sums)
    return aval.update(sharding=sharding, manual_axis_type=manual)


# ── When tracing fails ────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class OpenJaxpr:
    """A jaxpr whose tracing stopped: the equations up to there. Read like a jaxpr."""

    invars: list[Any]
    constvars: list[Any]
    outvars: list[Any]
    eqns: list[Any]
    consts: list[Any]
    debug_info: Any


@dataclass(frozen=True, eq=False)
class Unfinished:
    """How far tracing came."""

    jaxpr: OpenJaxpr
    """The whole program; the last equation of each level is the one whose body stopped."""
    specs: dict[str, Any] | None
    """``mesh in_specs out_specs check_vma`` of the innermost ``shard_map`` that was called, and its flat ``args``."""
    outs: list[Any]
    """Results of the innermost body, where that came to its end."""
    out_specs: list[Any]
    """Their specs."""
    operands: list[Any]
    """Variables that JAX was working on."""
    names: list[Any]
    """Axis names that JAX was working on."""


@contextlib.contextmanager
def whole_tracebacks() -> Iterator[None]:
    """Exceptions from JAX keep the frames of JAX.

    JAX 0.9 – 0.12: a process-wide option; it is put back.
    """
    before = jax.config.values["jax_traceback_filtering"]
    jax.config.update("jax_traceback_filtering", "off")
    try:
        yield
    finally:
        jax.config.update("jax_traceback_filtering", before)


def unfinished(error: BaseException, ours: str) -> Unfinished | None:
    """How far tracing came when an exception stopped it, from the frames of its traceback.

    JAX 0.9 – 0.12: the frames of ``trace_to_jaxpr*``, of ``shard_map``, of ``jit`` and of control flow hold what was
    traced.

    Args:
        error: raised under ``whole_tracebacks``.
        ours: folder whose frames are not the user's.
    """
    frames = list(_frames(error))
    users = [k for k, frame in enumerate(frames) if is_user_file(frame.f_code.co_filename, ours)]
    last = users[-1] if users else -1
    levels: list[tuple[Any, Any]] = []  # what leads to a level, and its trace or finished jaxpr
    link: Any = None
    specs = None
    outs: list[Any] = []
    out_specs: list[Any] = []
    for k, frame in enumerate(frames):
        name, file, known = frame.f_code.co_name, frame.f_code.co_filename, frame.f_locals
        if file.endswith("shard_map.py") and name == "wrapped" and "in_specs" in known:
            specs = {key: known.get(key) for key in ("mesh", "in_specs", "out_specs", "check_vma", "axis_names")}
            specs["args"] = jax.tree.leaves(known.get("args"))
        elif file.endswith("shard_map.py") and name == "_shard_map_staging":
            link = "shard_map", known, known["args"] if "args" in known else known["in_tracers"]
            if "jaxpr" in known:
                body, consts = open_jaxpr(known["jaxpr"])
                outs = list(body.outvars)
                flat = known["out_specs"] if "out_specs" in known else known["out_specs_thunk"]()
                out_specs = list(flat)
                jaxpr = OpenJaxpr(body.invars, body.constvars, [], body.eqns, list(consts), body.debug_info)
                levels.append((link, jaxpr))
                break
        elif file.endswith("pjit.py") and name == "cache_miss":
            link = "jit", {}, jax.tree.leaves((known.get("args"), known.get("kwargs")))
        elif entered := _entered(file, name, known):
            link = entered
        elif name.startswith("trace_to_jaxpr") and type(known.get("trace")).__name__ == "DynamicJaxprTrace":
            file, _ = function_place(known["trace"].frame)
            theirs = k > last and not (file and is_user_file(file, ours))
            if levels and (link is None or (link[0] != "shard_map" and theirs)):
                break
            levels.append((link, known["trace"]))
            link = None
    if not levels:
        return None
    operands, names = _at_work(frames[last + 1 :], levels[-1][1])
    return Unfinished(_nested(levels), specs, outs, out_specs, operands, names)


def _entered(file: str, name: str, known: dict[str, Any]) -> tuple[str, dict[str, Any], list[Any]] | None:
    """Control flow whose body is about to be traced: what it is, what is known of it, and its operands.

    A ``while`` is entered for its condition and for its body, both of which take the carries.
    """
    here = os.path.basename(file), name
    if here == ("loops.py", "scan"):
        carry, slices = (_flat(known, part, f"{part}_flat") for part in ("init", "xs"))
        params = {"length": known.get("length"), "reverse": bool(known.get("reverse")), "carries": len(carry)}
        return "scan", params, carry + slices
    if here == ("loops.py", "while_loop"):
        carry = _flat(known, "init_val_flat", "init_val")
        return "while", {"length": None, "reverse": False, "carries": len(carry)}, carry
    if here == ("conditionals.py", "cond"):
        return "branch", {"name": f"cond branch {int('true_jaxpr_' not in known)}"}, jax.tree.leaves(known["operands"])
    if here == ("conditionals.py", "_switch_internal"):
        return "branch", {"name": "cond branch"}, jax.tree.leaves(known["operands"])
    if here in (("ad_checkpoint.py", "fun_remat"), ("custom_derivatives.py", "__call__")):
        return "call", {}, _flat(known, "args_flat")
    return None


def _flat(known: dict[str, Any], *names: str) -> list[Any]:
    """The leaves of the first local variable that is there."""
    return next((list(known[name]) for name in names if name in known), [])


def raised_at(error: BaseException, ours: str) -> tuple[str, int, str] | None:
    """File, line and function of the user's that an exception comes from; None where it is not the user's."""
    steps = traceback.walk_tb(error.__traceback__)
    found = [(f.f_code.co_filename, line, f.f_code.co_name) for f, line in steps]
    return next((at for at in reversed(found) if is_user_file(at[0], ours)), None)


def from_user(error: Exception, ours: str) -> Exception:
    """An exception whose traceback has the user's frames alone."""
    steps, users = error.__traceback__, None
    kept = []
    while steps is not None:
        if is_user_file(steps.tb_frame.f_code.co_filename, ours):
            kept.append(steps)
        steps = steps.tb_next
    for step in reversed(kept):
        users = types.TracebackType(users, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return error.with_traceback(users)


def is_user_file(file: str, ours: str) -> bool:
    """Whether a file is the user's: neither JAX's nor Python's, nor in ``ours``."""
    from jax._src import source_info_util

    return source_info_util.is_user_filename(file) and not file.startswith(ours)


def _frames(error: BaseException | None) -> Iterator[Any]:
    """Frames of an exception, outermost first, then of what it was raised for."""
    while error is not None:
        step = error.__traceback__
        while step is not None:
            yield step.tb_frame
            step = step.tb_next
        error = error.__cause__ or error.__context__


def _nested(levels: list[tuple[Any, Any]]) -> OpenJaxpr:
    """The levels as one program: each is the body of the last equation of the one before."""
    from jax._src.core import Var, new_jaxpr_eqn, no_effects  # in jax.extend from 0.10 on, but for Var
    from jax.extend.core import Literal, Primitive
    from jax.extend.source_info_util import new_source_info

    inner = None
    for number in range(len(levels) - 1, -1, -1):
        link, trace = levels[number]
        jaxpr = trace if isinstance(trace, OpenJaxpr) else _open(trace)
        if inner is not None:
            (kind, known, values), body = inner
            body, around = _without_tracers(body)
            variables = []
            for value in (*around, *values):
                v = _variable(value, trace)
                if v is None and number:  # Made further out: this level closes over it, too.
                    v = Var(value.aval)
                    jaxpr.constvars.append(v)
                    jaxpr.consts.append(value)
                variables.append(Literal(v, jax.typeof(v)) if isinstance(v, _CONSTANTS) else v)
            if kind == "shard_map":
                specs = (jax.sharding.PartitionSpec(),) * len(around) + tuple(known["in_specs"])
                params = {"mesh": known["mesh"], "in_specs": specs, "out_specs": (), "check_vma": known["check_vma"]}
                params |= {"newly_manual_axes": manual_axes(known)}
            else:
                params = {"name": function_name(body), "consts": len(around), **known}
            if _fit(kind, variables, body, params):
                params["jaxpr"] = body
                eqn = new_jaxpr_eqn(variables, [], Primitive(kind), params, no_effects, new_source_info())
                jaxpr.eqns.append(eqn)
        inner = link, jaxpr
    assert inner is not None
    return inner[1]


def _open(trace: Any) -> OpenJaxpr:
    frame = trace.frame
    constants = dict(frame.constvar_to_val)
    invars = [getattr(v, "val", v) for v in frame.invars]
    return OpenJaxpr(invars, list(constants), [], frame.get_eqns(), list(constants.values()), frame.debug_info)


def _without_tracers(body: OpenJaxpr) -> tuple[OpenJaxpr, list[Any]]:
    """A body whose first parameters are what it closes over from around, and that."""
    closed = dict(zip(body.constvars, (getattr(c, "canonical", c) for c in body.consts), strict=True))
    around = {var: const for var, const in closed.items() if isinstance(const, Tracer)}
    own = {var: const for var, const in closed.items() if var not in around}
    invars = [*around, *body.invars]
    return replace(body, invars=invars, constvars=list(own), consts=list(own.values())), list(around.values())


def _fit(kind: str, operands: list[Any], body: OpenJaxpr, params: dict[str, Any]) -> bool:
    """Whether a body can be run on operands: under ``vmap`` those have a dimension that it does not know of."""
    if len(operands) != len(body.invars) or any(v is None for v in operands):
        return False
    if kind == "shard_map":
        return True
    whole = params["consts"] + params.get("carries", len(operands))
    shapes = [v.aval.shape[1:] if k >= whole else v.aval.shape for k, v in enumerate(operands)]
    return shapes == [v.aval.shape for v in body.invars]


def _variable(value: Any, trace: Any) -> Any:
    """The variable of a tracer in a trace, through the tracers of grad and vmap; None where it has none."""
    for _ in range(8):
        if getattr(value, "_trace", None) is trace:
            return value.val
        if isinstance(value, _CONSTANTS) and not isinstance(value, Tracer):
            return value
        value = getattr(value, "primal", getattr(value, "val", None))
    return None


_CONSTANTS = (jax.Array, np.ndarray, np.generic, int, float, complex)


def _at_work(frames: list[Any], trace: Any) -> tuple[list[Any], list[Any]]:
    """Variables of a trace, and axis names, that the first frames of JAX below the user's were given."""
    variables: dict[int, Any] = {}
    names: list[Any] = []
    for frame in frames:
        for key, value in frame.f_locals.items():
            if key in ("axis_name", "axes", "axis_name_") and not names:
                names = [n for n in (value if isinstance(value, tuple | list) else [value]) if isinstance(n, str)]
            leaves = jax.tree.leaves(value) if isinstance(value, tuple | list | dict) else [value]
            for leaf in leaves:
                if isinstance(leaf, Tracer) and (v := _variable(leaf, trace)) is not None:
                    variables.setdefault(id(v), v)
        if variables and names:
            break
        if variables and frame.f_code.co_name not in ("reraise_with_filtered_traceback", "psum", "deferring_binary_op"):
            break
    return list(variables.values()), names


# ── Going on where a type stops ───────────────────────────────────────────────────────────────────────────────────────

Fixer = Callable[[Any, list[Any], dict[str, Any], Exception], "list[Any] | None"]
"""Gives the results of a primitive, by its operands and parameters, in place of an exception; None lets it raise."""


_FIXING = threading.RLock()


@contextlib.contextmanager
def fixing(fix: Fixer) -> Iterator[None]:
    """Where a primitive raises while it is traced in this thread, ``fix`` is asked for its results.

    ``with_sharding_constraint``, which refuses on Explicit axes before there is a primitive, is asked for as one. JAX
    keeps what it traces by all that is in force; with a context of its own, nothing fixed is ever used elsewhere.
    JAX 0.9 – 0.12: methods of two private classes and two private functions are replaced, and put back; by one thread
    at a time.
    """
    from jax._src import core, pjit, source_info_util
    from jax._src.interpreters.partial_eval import DynamicJaxprTrace, JaxprTrace

    apart, contexts = jax.make_user_context(), contextlib.ExitStack()
    contexts.enter_context(_FIXING)
    thread = threading.get_ident()
    binds: dict[Any, Any] = {tracing: tracing.process_primitive for tracing in (DynamicJaxprTrace, JaxprTrace)}
    check, unflatten = pjit.assert_shardings_equal, pjit.tree_unflatten
    refused: list[tuple[Any, Exception] | None] = []

    def here() -> contextlib.AbstractContextManager[None]:
        now = source_info_util.current()
        return source_info_util.user_context(now.traceback, name_stack=now.name_stack)

    def process_primitive(self: Any, primitive: Any, tracers: Any, params: dict[str, Any]) -> Any:
        try:
            return binds[type(self)](self, primitive, tracers, params)
        except Exception as error:
            if threading.get_ident() != thread:
                raise
            with core.set_current_trace(self), here():
                fixed = fix(primitive, list(tracers), params, error)
            if fixed is None:
                raise
            contexts.enter_context(apart(object()))
            return fixed if primitive.multiple_results else fixed[0]

    def assert_shardings_equal(aval: Any, sharding: Any) -> None:
        try:
            check(aval, sharding)
            if threading.get_ident() == thread:
                refused.append(None)
        except AssertionError as error:
            if threading.get_ident() != thread:
                raise
            refused.append((sharding, error))

    def tree_unflatten(tree: Any, leaves: Any) -> Any:
        if threading.get_ident() != thread:
            return unflatten(tree, leaves)
        leaves = list(leaves)
        for k, (sharding, error) in ((k, asked) for k, asked in enumerate(refused) if asked):
            refused.clear()
            with here():
                fixed = fix(pjit.sharding_constraint_p, [leaves[k]], {"sharding": sharding}, error)
            if fixed is None:
                raise error
            leaves[k] = fixed[0]
        refused.clear()
        return unflatten(tree, leaves)

    def put_back() -> None:
        for tracing, bind in binds.items():
            tracing.process_primitive = bind
        pjit.assert_shardings_equal, pjit.tree_unflatten = check, unflatten

    with contexts:
        contexts.callback(put_back)
        for tracing in binds:
            tracing.process_primitive = process_primitive
        pjit.assert_shardings_equal, pjit.tree_unflatten = assert_shardings_equal, tree_unflatten
        contexts.enter_context(apart(object()))
        yield


@dataclass(frozen=True)
class Mark:
    """What the equations of a fix carry."""

    number: int
    primitive: str
    """The one that is fixed; empty where it is left to the compiler instead."""

    def __str__(self) -> str:
        return f"{self.number} {self.primitive}"


def marked(mark: Mark) -> contextlib.AbstractContextManager[Any]:
    """Equations that are traced in it carry a mark, and so do their transposes."""
    from jax.experimental.xla_metadata import set_xla_metadata

    return set_xla_metadata(shardwidget=mark)


def mark_of(eqn: Any) -> Mark | None:
    """The mark that an equation was traced under. JAX 0.9 – 0.12: ``ctx`` of an equation is not documented."""
    metadata = getattr(getattr(eqn, "ctx", None), "xla_metadata", None)
    return (getattr(metadata, "val", metadata) or {}).get("shardwidget")


def place_now(ours: str) -> tuple[str, int, int] | None:
    """File, line and column of the user's expression that is at work; None where there is none.

    From Python's own stack: JAX forgets who called what it keeps traced.
    """
    frame = inspect.currentframe()
    while frame is not None and not is_user_file(frame.f_code.co_filename, ours):
        frame = frame.f_back
    if frame is None:
        return None
    line, _, column, _ = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    return frame.f_code.co_filename, line or 0, column or 0


def of_type(aval: Any) -> Any:
    """Some value of a type, in a program that is only traced."""
    return _some_primitive().bind(aval=aval)


@functools.lru_cache(maxsize=1)
def _some_primitive() -> Any:
    from jax.extend.core import Primitive

    primitive = Primitive("shardwidget_some")
    primitive.def_abstract_eval(lambda *, aval: aval)
    return primitive


# ── A program looked at from outside ──────────────────────────────────────────────────────────────────────────────────


def context_mesh(eqn: Any) -> jax.sharding.AbstractMesh:
    """The mesh that an equation was traced under.

    JAX 0.9 – 0.12: ``ctx`` of an equation is not documented.
    """
    return eqn.ctx.cur_abstract_mesh


def on_mesh(params: dict[str, Any], mesh: jax.sharding.AbstractMesh) -> dict[str, Any]:
    """Parameters of an equation with the shardings among them moved to a mesh of the same axes.

    What JAX itself writes down as the type of a result says nothing on Auto axes: it is left out.
    """
    moved = {key: _on(value, mesh) for key, value in params.items()}
    silent = [key for key in ("out_sharding", "sharding") if is_silent(params.get(key)) or is_silent(moved.get(key))]
    return moved | dict.fromkeys(silent)


def is_silent(sharding: Any) -> bool:
    """Whether a sharding is that of a type on Auto axes."""
    named = isinstance(sharding, jax.sharding.NamedSharding)
    return named and jax.sharding.AxisType.Explicit not in sharding.mesh.axis_types


def _on(value: Any, mesh: jax.sharding.AbstractMesh) -> Any:
    if isinstance(value, jax.sharding.NamedSharding) and value.mesh.axis_names == mesh.axis_names:
        return jax.sharding.NamedSharding(mesh, value.spec)
    return tuple(_on(v, mesh) for v in value) if type(value) is tuple else value


def closed(jaxpr: Any, consts: Any) -> Any:
    """A jaxpr with its constants.

    JAX 0.9 – 0.10: a ClosedJaxpr of both. JAX 0.12: every Jaxpr holds its constants.
    """
    if hasattr(jaxpr, "consts"):
        return jaxpr
    from jax.extend.core import ClosedJaxpr

    return ClosedJaxpr(jaxpr, list(consts))


def is_dropped(v: Any) -> bool:
    """Whether nothing can use an equation's result. JAX 0.9: ``DropVar`` is not public."""
    return type(v).__name__ == "DropVar"


def with_equations(jaxpr: Any, eqns: list[Any]) -> Any:
    """A jaxpr of other equations, some of which inspect a sharding."""
    effects = set(jaxpr.effects).union(*(eqn.effects for eqn in eqns)) if eqns else set(jaxpr.effects)
    return jaxpr.replace(
        eqns=eqns, effects=frozenset(e for e in effects if not hasattr(e, "input_index")) | jaxpr.effects
    )


def with_bodies(eqn: Any, bodies: list[Any]) -> Any:
    """An equation that enters other bodies: those of a call, a loop, the branches of a ``cond``."""
    keys = [key for key in ("jaxpr", "call_jaxpr", "cond_jaxpr", "body_jaxpr", "branches") if key in eqn.params]
    left = list(bodies)
    params = dict(eqn.params)
    for key in keys:
        if key == "branches":
            params[key] = tuple(_reclosed(old, left.pop(0)) for old in params[key])
        else:
            params[key] = _reclosed(params[key], left.pop(0))
    effects = frozenset(eqn.effects) | {_debug_effect()} if any(_debugs(b) for b in bodies) else eqn.effects
    return eqn.replace(params=params, effects=effects)


def _reclosed(old: Any, body: Any) -> Any:
    return old.replace(jaxpr=body) if hasattr(old, "jaxpr") and old.jaxpr is not old else body


def _debugs(jaxpr: Any) -> bool:
    return _debug_effect() in jaxpr.effects


def named(eqn: Any, name: str) -> Any:
    """An equation in one more named scope."""
    info = eqn.source_info
    return eqn.replace(source_info=info.replace(name_stack=info.name_stack.extend(name)))


def inspection(eqn: Any, v: Any, callback: Any) -> Any:
    """An equation that tells the compiler's sharding of a variable, behind the one that gives it.

    Args:
        eqn: the one that gives it.
        v: the variable.
        callback: takes an XLA ``HloSharding``. It is called when the program is partitioned: not for one device.
    """
    return _inspection().replace(invars=[v], params={"callback": callback}, ctx=eqn.ctx, source_info=eqn.source_info)


@functools.lru_cache(maxsize=1)
def _inspection() -> Any:
    """``jax.debug.inspect_array_sharding`` as an equation, without its failing where a sharding is no PartitionSpec.

    JAX 0.9 – 0.12: effects and lowerings are private.
    """
    from jax._src.debugging import debug_effect
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import hlo
    from jax.extend.core import Primitive

    primitive = Primitive("shardwidget_inspection")
    primitive.multiple_results = True
    primitive.def_effectful_abstract_eval(lambda aval, **_: ([], {debug_effect}))

    def lowered(ctx: Any, value: Any, *, callback: Any) -> list[Any]:
        key = xla_client.encode_inspect_sharding_callback(callback)
        ctx.module_context.add_keepalive(callback)
        hlo.CustomCallOp(
            [value.type],
            [value],
            call_target_name=ir.StringAttr.get("InspectSharding"),
            has_side_effect=ir.BoolAttr.get(True),
            api_version=mlir.i32_attr(1),
            called_computations=ir.ArrayAttr.get([]),
            backend_config=ir.StringAttr.get(key),
        )
        return []

    mlir.register_lowering(primitive, lowered)
    return open_jaxpr(jax.make_jaxpr(lambda x: primitive.bind(x, callback=None))(0.0))[0].eqns[0]


def _debug_effect() -> Any:
    (effect,) = _inspection().effects
    return effect


def spec_on(sharding: Any, mesh: jax.sharding.Mesh) -> jax.sharding.PartitionSpec | None:
    """An XLA ``HloSharding`` as a spec on a mesh; None where it is none.

    JAX 0.9 – 0.12: the parser is private.
    """
    from jax._src.sharding_impls import parse_flatten_op_sharding

    try:
        spec = parse_flatten_op_sharding(sharding, mesh)[0]
        return getattr(spec, "get_partition_spec", lambda: spec)()
    except Exception:
        return None


def with_sharding(aval: Any, sharding: jax.sharding.NamedSharding) -> Any:
    """A type that says another sharding. JAX 0.9 – 0.12: ``update`` is not documented."""
    return aval.update(sharding=sharding)
