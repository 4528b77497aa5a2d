"""A program as one jaxpr without calls, in which no variable stands for two values; and the same with constraints."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from shardwidget._jax.control import FunctionCall, control_of, with_bodies
from shardwidget._jax.jaxprs import closed, is_dropped, open_jaxpr
from shardwidget._jax.primitives import RELAYOUTS

INLINED = frozenset({"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"})
"""Calls that are replaced by what they call. The rest (``remat2``) say how it is
differentiated."""

Constraint = Callable[[Any], "jax.sharding.NamedSharding | None"]


def flattened(jaxpr: Any, *, keep: Callable[[Any], Any] | None = None) -> tuple[Any, tuple[Any, ...]]:
    """A jaxpr with its calls inlined and every variable new, and its constants.

    What the program says of meshes is left out: shardings that ``jit`` was given, ``with_sharding_constraint`` and the
    context in which equations were traced.

    JAX 0.9 – 0.12: constructors of variables, ``replace`` of equations and jaxprs.

    Args:
        jaxpr: the program.
        keep: called with the sharding of a constraint that is to stay; returns the one to put there. None drops all.
    """
    inner, consts = open_jaxpr(jaxpr)
    return _Copy(keep).jaxpr(inner), consts


class _Copy:
    def __init__(self, keep: Callable[[Any], Any] | None) -> None:
        self._keep = keep
        self._context = jax.make_jaxpr(lambda x: x + 1)(0).eqns[0].ctx

    def jaxpr(self, old: Any) -> Any:
        new: dict[Any, Any] = {}
        invars = [self._new(v, new) for v in old.invars]
        constvars = [self._new(v, new) for v in old.constvars]
        eqns: list[Any] = []
        self._run(old.eqns, new, eqns)
        outvars = [_at(v, new) for v in old.outvars]
        return old.replace(invars=invars, constvars=constvars, eqns=eqns, outvars=outvars)

    def _new(self, v: Any, new: dict[Any, Any]) -> Any:
        made = type(v)(v.aval)
        new[v] = made
        return made

    def _run(self, old: Sequence[Any], new: dict[Any, Any], eqns: list[Any]) -> None:
        for eqn in old:
            control = control_of(eqn)
            if eqn.primitive.name in INLINED and isinstance(control, FunctionCall):
                self._inline(eqn, control, new, eqns)
                continue
            if eqn.primitive.name in RELAYOUTS:
                kept = self._keep and self._keep(eqn.params.get("sharding", eqn.params.get("dst_sharding")))
                if kept is None:
                    new[eqn.outvars[0]] = _at(eqn.invars[0], new)
                    continue
                eqn = _constraint(eqn.invars[0].aval, kept).replace(invars=eqn.invars, outvars=eqn.outvars)
            elif control is not None:
                eqn = with_bodies(eqn, [self.jaxpr(open_jaxpr(body)[0]) for body in control.bodies])
            invars = [_at(v, new) for v in eqn.invars]
            outvars = [type(v)(v.aval) if is_dropped(v) else self._new(v, new) for v in eqn.outvars]
            eqns.append(eqn.replace(invars=invars, outvars=outvars, ctx=self._context))

    def _inline(self, eqn: Any, control: FunctionCall, new: dict[Any, Any], eqns: list[Any]) -> None:
        from jax.extend.core import Literal

        body, consts = open_jaxpr(control.body)
        # A constant of an inner jaxpr has become an argument since JAX 0.8; what is left are numbers.
        inside = dict(zip(body.invars, (_at(v, new) for v in eqn.invars), strict=True))
        inside |= {v: Literal(c, v.aval) for v, c in zip(body.constvars, consts, strict=True)}
        self._run(body.eqns, inside, eqns)
        for v, of in zip(eqn.outvars, body.outvars, strict=True):
            new[v] = _at(of, inside)


def _at(v: Any, new: dict[Any, Any]) -> Any:
    from jax.extend.core import Literal

    return v if isinstance(v, Literal) else new[v]


def constrained(jaxpr: Any, choose: Constraint) -> Any:
    """A flat jaxpr with a constraint on each value for which ``choose`` gives a sharding: results and carries."""
    from jax.extend.core import Var

    eqns: list[Any] = []
    for eqn in jaxpr.eqns:
        control = control_of(eqn)
        if control is not None:
            eqn = with_bodies(eqn, [constrained(open_jaxpr(body)[0], choose) for body in control.bodies])
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
    made = jax.make_jaxpr(lambda x: jax.lax.with_sharding_constraint(x, sharding))(jax.ShapeDtypeStruct(shape, dtype))
    return open_jaxpr(made)[0].eqns[0]


def as_function(jaxpr: Any, consts: Sequence[Any]) -> Callable[..., list[Any]]:
    """A flat jaxpr as a function of flat arguments."""
    from jax.extend.core import jaxpr_as_fun

    return jaxpr_as_fun(closed(jaxpr, consts))
