"""A program as one jaxpr without calls, in which no variable stands for two values; and the same with constraints."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from shardwidget._jax.control import FunctionCall, control_of, with_bodies
from shardwidget._jax.jaxprs import closed, is_dropped, open_jaxpr
from shardwidget._jax.primitives import PLACES, RELAYOUTS
from shardwidget._jax.retracing import without_mesh
from shardwidget._jax.shardings import is_silent
from shardwidget._jax.sources import user_frames
from shardwidget._jax.types import without_sharding

INLINED = frozenset({"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"})
"""Calls that are replaced by what they call. The rest (``remat2``) say how it is
differentiated."""

MESH_WORDS = PLACES - {"device_put"}
"""Equations that only say of a value how it is divided."""

Constraint = Callable[[Any], "jax.sharding.NamedSharding | None"]


def flattened(jaxpr: Any, *, keep: Callable[[Any], Any] | None = None) -> tuple[Any, tuple[Any, ...]]:
    """A jaxpr with its calls inlined and every variable new, and its constants.

    What the program says of meshes is left out: shardings that ``jit`` was given, ``with_sharding_constraint``, types
    on Explicit axes and the context in which equations were traced.

    JAX 0.9 – 0.12: constructors of variables, ``replace`` of equations and jaxprs.

    Args:
        jaxpr: the program.
        keep: called with the sharding of a constraint that is to stay; returns the one to put there. None drops all.
    """
    inner, consts = open_jaxpr(jaxpr)
    copy = _Copy(keep)
    flat = copy.jaxpr(inner)
    lifted = dict(copy.lifted)
    return flat.replace(constvars=[*flat.constvars, *lifted]), (*consts, *lifted.values())


def constraint_of(eqn: Any) -> Any:
    """The sharding that an equation asks of its value; None where it asks for none, as a reshard on Auto axes."""
    if eqn.primitive.name not in RELAYOUTS:
        return None
    if eqn.primitive.name != "reshard":
        return eqn.params["sharding"]
    said = eqn.params["dst_sharding"]
    return None if is_silent(said) else said


class _Copy:
    def __init__(self, keep: Callable[[Any], Any] | None) -> None:
        self._keep = keep
        self.lifted: list[tuple[Any, Any]] = []
        """Arrays that inlined functions close over, with variables for them."""
        self._depth = 0
        with without_mesh():
            self._context = jax.make_jaxpr(lambda x: x + 1)(0).eqns[0].ctx

    def jaxpr(self, old: Any) -> Any:
        new: dict[Any, Any] = {}
        invars = [self._new(v, new) for v in old.invars]
        constvars = [self._new(v, new) for v in old.constvars]
        eqns: list[Any] = []
        self._depth += 1
        self._run(old.eqns, new, eqns)
        self._depth -= 1
        outvars = [_at(v, new) for v in old.outvars]
        return old.replace(invars=invars, constvars=constvars, eqns=eqns, outvars=outvars)

    def _new(self, v: Any, new: dict[Any, Any]) -> Any:
        made = type(v)(without_sharding(v.aval))
        new[v] = made
        return made

    def _run(self, old: Sequence[Any], new: dict[Any, Any], eqns: list[Any]) -> None:
        for eqn in old:
            control, asked = control_of(eqn), None
            if eqn.primitive.name in INLINED and isinstance(control, FunctionCall):
                self._inline(eqn, control, new, eqns)
                continue
            if eqn.primitive.name in MESH_WORDS:
                said = constraint_of(eqn)
                kept = self._keep and said is not None and self._keep(said)
                if not kept:
                    new[eqn.outvars[0]] = _at(eqn.invars[0], new)
                    continue
                eqn = _constraint(eqn.invars[0].aval, kept).replace(invars=eqn.invars, outvars=eqn.outvars)
            elif said := {key for key in ("out_sharding", "sharding") if eqn.params.get(key) is not None}:
                sharding = eqn.params[min(said)]
                asked = None if self._keep is None or is_silent(sharding) else self._keep(sharding)
                eqn = eqn.replace(params=eqn.params | dict.fromkeys(said))
            elif control is not None:
                eqn = with_bodies(eqn, [self.jaxpr(open_jaxpr(body)[0]) for body in control.bodies])
            invars = [_at(v, new) for v in eqn.invars]
            outvars = [type(v)(v.aval) if is_dropped(v) else self._new(v, new) for v in eqn.outvars]
            eqns.append(eqn.replace(invars=invars, outvars=outvars, ctx=self._context))
            if asked and not is_dropped(eqn.outvars[0]):
                # What the user asked of the result itself, as an equation behind it.
                self._constrain(eqn.outvars[0], asked, new, eqns)

    def _constrain(self, v: Any, sharding: Any, new: dict[Any, Any], eqns: list[Any]) -> None:
        plain = new[v]
        eqn = _constraint(plain.aval, sharding)
        eqns.append(eqn.replace(invars=[plain], outvars=[self._new(v, new)], ctx=self._context))

    def _inline(self, eqn: Any, control: FunctionCall, new: dict[Any, Any], eqns: list[Any]) -> None:
        from jax.extend.core import Literal

        body, consts = open_jaxpr(control.body)
        # A constant of an inner jaxpr has become an argument since JAX 0.8; what is left are numbers.
        inside = dict(zip(body.invars, (_at(v, new) for v in eqn.invars), strict=True))
        for v, c in zip(body.constvars, consts, strict=True):
            # In a loop, a constant of a call stays where it is: its body has no other arguments than before.
            if v.aval.shape and self._depth == 1:
                self.lifted.append((self._new(v, inside), c))
            else:
                inside[v] = Literal(c, v.aval)
        start = len(eqns)
        self._run(body.eqns, inside, eqns)
        if self._keep is not None:  # What a library's function computes is the user's line that calls it.
            eqns[start:] = [e if user_frames(e) else e.replace(source_info=eqn.source_info) for e in eqns[start:]]
        for v, of in zip(eqn.outvars, body.outvars, strict=True):
            new[v] = _at(of, inside)


def _at(v: Any, new: dict[Any, Any]) -> Any:
    from jax.extend.core import Literal

    return v if isinstance(v, Literal) else new[v]


def constrained(jaxpr: Any, choose: Constraint, operand: Callable[[Any, int], Any] | None = None) -> Any:
    """A flat jaxpr with a constraint on each value for which ``choose`` gives a sharding: results and carries.

    Args:
        jaxpr: the program.
        choose: the sharding of a variable; None for none.
        operand: the sharding that an equation is to read an operand with, by its number; None for none.
    """
    from jax.extend.core import Var

    eqns: list[Any] = []
    for eqn in jaxpr.eqns:
        control = control_of(eqn)
        if control is not None:
            bodies = [constrained(open_jaxpr(body)[0], choose, operand) for body in control.bodies]
            eqn = with_bodies(eqn, bodies)
        for k, v in enumerate(eqn.invars if operand else ()):
            if operand and (sharding := operand(eqn, k)) is not None:
                read = Var(v.aval)
                eqns.append(_constraint(v.aval, sharding).replace(invars=[v], outvars=[read]))
                eqn = eqn.replace(invars=[*eqn.invars[:k], read, *eqn.invars[k + 1 :]])
        held = {v: s for v in eqn.outvars if not is_dropped(v) and (s := choose(v)) is not None}
        results = {v: Var(v.aval) for v in held}
        eqns.append(eqn.replace(outvars=[results.get(v, v) for v in eqn.outvars]) if held else eqn)
        eqns += [_constraint(v.aval, s).replace(invars=[results[v]], outvars=[v]) for v, s in held.items()]
    return jaxpr.replace(eqns=eqns)


def _constraint(aval: Any, sharding: jax.sharding.NamedSharding) -> Any:
    """An equation that constrains a value of a type; its variables are to be replaced."""
    return _made(aval.shape, aval.dtype, sharding)


@functools.lru_cache(maxsize=512)
def _made(shape: tuple[int, ...], dtype: Any, sharding: jax.sharding.NamedSharding) -> Any:
    with without_mesh():
        made = jax.make_jaxpr(lambda x: jax.lax.with_sharding_constraint(x, sharding))(
            jax.ShapeDtypeStruct(shape, dtype)
        )
    return open_jaxpr(made)[0].eqns[0]


def computed_once(jaxpr: Any) -> Any:
    """A flat jaxpr that computes equal values once in each body, as XLA does.

    Gathers, for example, that three products make of the same normalised input are one.
    """
    new: dict[Any, Any] = {}
    made: dict[Any, list[Any]] = {}
    eqns: list[Any] = []
    for eqn in jaxpr.eqns:
        eqn = eqn.replace(invars=[new.get(v, v) if not hasattr(v, "val") else v for v in eqn.invars])
        if (control := control_of(eqn)) is not None:
            eqn = with_bodies(eqn, [computed_once(open_jaxpr(body)[0]) for body in control.bodies])
        elif not eqn.effects and (key := _key(eqn)) is not None:
            if (before := made.get(key)) is not None:
                new.update(zip(eqn.outvars, before, strict=True))
                continue
            made[key] = eqn.outvars
        eqns.append(eqn)
    outvars = [new.get(v, v) if not hasattr(v, "val") else v for v in jaxpr.outvars]
    return jaxpr.replace(eqns=eqns, outvars=outvars)


def _key(eqn: Any) -> Any:
    """Equal for equations that compute the same; None where that cannot be told."""
    numbers = [v for v in eqn.invars if hasattr(v, "val")]
    if any(map(is_dropped, eqn.outvars)) or any(v.aval.shape for v in numbers):
        return None
    read = tuple((str(v.aval), repr(v.val)) if hasattr(v, "val") else v for v in eqn.invars)
    key = eqn.primitive, read, tuple(sorted(eqn.params.items(), key=lambda item: item[0]))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def as_function(jaxpr: Any, consts: Sequence[Any]) -> Callable[..., list[Any]]:
    """A flat jaxpr as a function of flat arguments."""
    from jax.extend.core import jaxpr_as_fun

    if len(jaxpr.constvars) == len(consts):
        return jaxpr_as_fun(closed(jaxpr, consts))
    # JAX 0.12 puts constants before the arguments.
    function = jaxpr_as_fun(closed(jaxpr, ()))
    return lambda *args: function(*consts, *args)
