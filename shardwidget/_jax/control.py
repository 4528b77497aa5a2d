"""Equations that enter other jaxprs: calls, loops, branches and ``shard_map``, in one form for all JAX versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax

from shardwidget._jax.inspection import debug_effect, debugs
from shardwidget._jax.jaxprs import OpenJaxpr, open_jaxpr
from shardwidget._jax.primitives import CALLS, name_of
from shardwidget._jax.sources import function_name

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


@dataclass(frozen=True, eq=False)
class FunctionCall:
    """A called function: ``jit``, ``checkpoint``, ``custom_vjp``, ``custom_linear_solve`` and the like."""

    body: Any
    name: str
    operands: tuple[int, ...] | None = None
    """Indices of the operands that the body takes; None for all."""
    in_shardings: tuple[Any, ...] = ()
    """The shardings that ``jit`` asks of its operands; empty where it asks for none."""
    out_shardings: tuple[Any, ...] = ()
    donated: tuple[bool, ...] = ()
    """Whether ``jit`` donates each operand."""
    branch: bool = False
    """Whether it is the branch of a ``cond`` in which tracing stopped."""
    manner: str = ""
    """Where or how the function runs, if it says so: ``compute_on device_host``, ``program_order``. Its name then."""

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The jaxprs that are entered."""
        return (self.body,)


@dataclass(frozen=True, eq=False)
class Scan:
    """A ``scan``. Its operands, and its body's, are constants, carries and what it scans over."""

    body: Any
    consts: int
    carries: int
    length: int | None
    """None where tracing stopped before it was known."""
    reverse: bool = False
    unroll: int | bool = 1

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The jaxprs that are entered."""
        return (self.body,)


@dataclass(frozen=True, eq=False)
class While:
    """A ``while``. Its operands are constants of the test, constants of the body, and carries."""

    test: Any
    """None where tracing stopped in the loop."""
    body: Any
    tests: int
    consts: int
    carries: int

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The jaxprs that are entered."""
        return (self.body,) if self.test is None else (self.test, self.body)


@dataclass(frozen=True, eq=False)
class Cond:
    """A ``cond`` or ``switch``. Its operands are the branch's index, and what every branch takes."""

    branches: tuple[Any, ...]

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The jaxprs that are entered."""
        return self.branches


@dataclass(frozen=True, eq=False)
class ShardMap:
    """A ``shard_map``."""

    body: Any
    mesh: jax.sharding.Mesh | jax.sharding.AbstractMesh
    axes: tuple[str, ...]
    """Axes that it makes Manual, in mesh order."""
    in_specs: tuple[jax.sharding.PartitionSpec, ...]
    out_specs: tuple[jax.sharding.PartitionSpec, ...]
    check_vma: bool

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The jaxprs that are entered."""
        return (self.body,)


Control = FunctionCall | Scan | While | Cond | ShardMap

STOPPED = "shardwidget"
"""The parameter of an equation whose body stopped that holds its ``Control``."""


def control_of(eqn: JaxprEqn) -> Control | None:
    """What an equation enters; None where it is applied as it is.

    JAX 0.9 – 0.12: names of parameters. 0.9 calls the axes of a ``shard_map`` otherwise; 0.12 holds the numbers of a
    ``scan``'s operands as trees of placeholders.
    """
    name, params = name_of(eqn), eqn.params
    if STOPPED in params:
        return params[STOPPED]
    if name in CALLS:
        body = params.get("jaxpr") or params["call_jaxpr"]
        manner = _manner(name, params)
        called = manner or params.get("name") or function_name(open_jaxpr(body)[0])
        before, after = (tuple(params.get(key, ())) for key in ("in_shardings", "out_shardings"))
        donated = tuple(params.get("donated_invars", ()))
        return FunctionCall(body, str(called), in_shardings=before, out_shardings=after, donated=donated, manner=manner)
    if name == "scan":
        consts, carries = _scan_counts(params)
        return Scan(params["jaxpr"], consts, carries, params["length"], bool(params["reverse"]), params["unroll"])
    if name == "while":
        tests, consts = params["cond_nconsts"], params["body_nconsts"]
        carries = len(eqn.invars) - tests - consts
        return While(params["cond_jaxpr"], params["body_jaxpr"], tests, consts, carries)
    if name == "cond":
        return Cond(tuple(params["branches"]))
    if name == "shard_map":
        return shard_map_of(params, params["jaxpr"])
    if name == "custom_linear_solve":
        # Operands are the constants of matvec, vecmat, solve and transpose_solve, then b; the value is solve's.
        lengths = params["const_lengths"]
        first = lengths.matvec + lengths.vecmat
        after = first + lengths.solve
        operands = (*range(first, after), *range(after + lengths.transpose_solve, len(eqn.invars)))
        return FunctionCall(params["jaxprs"].solve, "linear_solve", operands)
    return None


def _manner(name: str, params: dict[str, Any]) -> str:
    """Where or how a called function runs; empty where nothing is said of that.

    JAX 0.9 – 0.12: names of parameters. Until 0.10, each word for the compiler is one.
    """
    if name == "compute_on":
        return f"compute_on {params['compute_type']}"
    if name == "program_order":
        return "program_order" if params["enforce"] else "program_order, not enforced"
    if name == "xla_metadata_call":
        words = params.get("xla_metadata", [item for item in params.items() if item[0] != "jaxpr"])
        return ", ".join(f"{key} {value}" for key, value in words)
    return ""


def shard_map_of(params: dict[str, Any], body: Any) -> ShardMap:
    """A ``shard_map``, by the parameters of its equation."""
    mesh = params["mesh"]
    manual = params["newly_manual_axes"] if "newly_manual_axes" in params else params["manual_axes"]
    axes = tuple(name for name in mesh.axis_names if name in manual)
    return ShardMap(body, mesh, axes, tuple(params["in_specs"]), tuple(params["out_specs"]), params["check_vma"])


def _scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """Numbers of constants and of carries among the operands of a ``scan``."""
    if "num_carry" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = (len(list(part)) for part in params["ft_in"].unpack())
    return consts, carry


def own_params(eqn: JaxprEqn) -> dict[str, Any]:
    """Parameters of an equation without the jaxprs that it enters and the functions that make more of them."""
    return {k: v for k, v in eqn.params.items() if k not in _ENTERED}


_ENTERED = frozenset(
    {"jaxpr", "call_jaxpr", "branches", "body_jaxpr", "cond_jaxpr", "jvp_jaxpr_fun", "fwd_jaxpr_thunk", "bwd", "jaxprs"}
)


def every_equation(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr and of all jaxprs in it, including those that ``control_of`` does not know."""
    for eqn in open_jaxpr(jaxpr)[0].eqns:
        yield eqn
        yield from equations_in(eqn)


def equations_in(eqn: Any) -> Iterator[Any]:
    """The equations of all jaxprs among the parameters of an equation."""
    for body in jax.tree.leaves(list(eqn.params.values()), is_leaf=lambda x: hasattr(x, "eqns")):
        if hasattr(body, "eqns"):
            yield from every_equation(body)


def is_open(jaxpr: Any) -> bool:
    """Whether tracing stopped in a jaxpr."""
    return isinstance(jaxpr, OpenJaxpr)


def with_bodies(eqn: JaxprEqn, bodies: Sequence[Any]) -> Any:
    """An equation that enters other bodies, in the order of ``control_of(eqn).bodies``.

    JAX 0.9 – 0.12: ``replace`` of an equation and of a jaxpr.
    """
    left = list(bodies)
    params = dict(eqn.params)
    for key in ("jaxpr", "call_jaxpr", "cond_jaxpr", "body_jaxpr", "branches"):
        if key == "branches" and key in params:
            params[key] = tuple(_reclosed(old, left.pop(0)) for old in params[key])
        elif key in params:
            params[key] = _reclosed(params[key], left.pop(0))
    effects = frozenset(eqn.effects) | {debug_effect()} if any(debugs(b) for b in bodies) else eqn.effects
    return eqn.replace(params=params, effects=effects)


def _reclosed(old: Any, body: Any) -> Any:
    return old.replace(jaxpr=body) if hasattr(old, "jaxpr") and old.jaxpr is not old else body
