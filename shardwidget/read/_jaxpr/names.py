"""The user's names for values: what a line assigns the result of an equation to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeVar

from jax.extend.core import JaxprEqn, Literal

from shardwidget import _jax
from shardwidget._jax import Frame
from shardwidget.collectives import statement_of
from shardwidget.read._jaxpr.sources import frames_of
from shardwidget.read._jaxpr.syntax import calls_at, leaves, names_at, parts_at, span_of, text_at
from shardwidget.read._jaxpr.value import Body, Value

T = TypeVar("T")
Names = Mapping[Any, tuple[Any, ...]]
"""By expression around an equation, the names of its value."""
LOOPS = frozenset({"fori_loop", "map", "scan", "while_loop"})
LONGEST = 28
"""The most characters of an expression that can stand for the name of its value."""


def placeholders(taken: Set[str]) -> Iterator[str]:
    """Names for values that have none: ``tmp1``, ``tmp2`` and so on, without those that are taken."""
    return (name for k in itertools.count(1) if (name := f"tmp{k}") not in taken)


def parameter_names(jaxpr: _jax.AnyJaxpr) -> tuple[str, ...]:
    """The user's names for the parameters of a traced function, or for what it unpacks them into.

    Returns:
        One for each flat argument, or nothing where JAX does not know them. ``k, v = carry`` gives ``k`` and ``v``.
        Empty ones for a library's function.
    """
    file, line = _jax.function_place(jaxpr)
    if not _jax.is_user_file(file):
        return ("",) * len(jaxpr.invars)
    return tuple(_unpacked(name, file, line) for name in _jax.argument_names(jaxpr))


def _unpacked(name: str, file: str, line: int) -> str:
    parameter, *path = _path(name)
    return (_at(parts_at(file, line, parameter), path) if path else "") or name


def within(frames: list[Any], function: str) -> list[Any]:
    """The frames from a function inwards, innermost first; only the innermost where it is not among them."""
    for k in range(len(frames) - 1, -1, -1):
        if _called(frames[k]) == function:
            return frames[: k + 1]
    return frames[:1]


def _called(frame: Frame) -> str:
    return frame.function_name.rpartition(".")[2]


def name_outputs(
    body: Body[Any], env: Mapping[Any, Any], function: str, stack: str, outside: Sequence[Frame] = ()
) -> list[tuple[Value, str]]:
    """Names the values of a body after the variables that they are assigned to.

    An expression is often several equations, one after another: a run. Where the first equation of a run comes again
    from the same call stack, a Python loop has come back to the line. What the backward pass makes has no
    name, except the gradient that a call returns.

    Args:
        body: the equations.
        env: the values of their variables.
        function: the function that they belong to.
        stack: name stacks around the body.
        outside: frames of what calls the body: what they assign is not made by one of its equations.

    Returns:
        Values and the short expressions that give them: names for those that no caller assigns to a variable.
    """
    stacks = [_jax.stack_within(stack, node.eqn) for node in body.nodes]
    forward = [at for at, names in enumerate(stacks) if _jax.is_forward(names)]
    said = _Said(body, function, outside)
    users = _users(body, forward)
    for run in _runs(said.origins, forward, said.of(_assigned)):
        if said.hoisted(run):
            continue
        at = _result(run, body, users)
        if at is not None or not _jax.is_differentiated(stacks[run.nodes[-1]]):
            _assign(run.names, body.nodes[run.nodes[-1] if at is None else at], env)
    _name_gradients(body, env, said, {*forward})
    for node in body.nodes:
        _name_carries(node.eqn, env)
    texts: list[tuple[Value, str]] = []
    for run in _runs(said.origins, forward, said.of(_expression)):
        if said.hoisted(run):
            continue
        at = _result(run, body, users)
        if at is not None or not _jax.is_differentiated(stacks[run.nodes[-1]]):
            outputs = [env[v] for v in body.nodes[run.nodes[-1] if at is None else at].eqn.outvars]
            texts += [(value, run.names[0]) for value in outputs if len(outputs) == 1 and isinstance(value, Value)]
    return texts


class _Said:
    """What the user's lines say of the equations of a body; of those from one call stack, once."""

    def __init__(self, body: Body[Any], function: str, outside: Sequence[Frame]) -> None:
        self._stacks = [_jax.call_stack(node.eqn) for node in body.nodes]
        firsts = dict(zip(reversed(self._stacks), reversed(body.nodes), strict=True))
        around = {(frame.file_name, span_of(frame)) for frame in outside}
        self._chains = {
            stack: [f for f in _own(within(frames_of(node.eqn), function)) if (f.file_name, span_of(f)) not in around]
            for stack, node in firsts.items()
        }
        self.origins = [origin_of(node.eqn) for node in body.nodes]
        self._prepares = [
            origin is None or _jax.name_of(node.eqn) == "broadcast_in_dim"
            for origin, node in zip(self.origins, body.nodes, strict=True)
        ]
        self._outside = self.of(lambda chain: _is_outside(chain, function))

    def of(self, names: Callable[[list[Any]], T]) -> list[T]:
        """For each equation, what its frames say of it."""
        known = {stack: names(chain) for stack, chain in self._chains.items()}
        return [known[stack] for stack in self._stacks]

    def hoisted(self, run: _Run) -> bool:
        """Whether a run only prepares operands of an expression that is in a loop: differentiation takes them out."""
        return all(self._prepares[at] and self._outside[at] for at in run.nodes)


def _own(chain: list[Any]) -> list[Any]:
    """Frames from the user's own line outwards: what a library assigns inside is not the user's name."""
    return list(itertools.dropwhile(lambda frame: _jax.is_library_file(frame.file_name), chain))


def _is_outside(chain: list[Any], function: str) -> bool:
    """Whether frames are of a loop's body: the function around it is not among them, or calls the loop."""
    return not any(_called(frame) == function for frame in chain) or any(calls_at(f) in LOOPS for f in chain[1:])


def _runs(origins: Sequence[Any], nodes: Iterable[int], keys: Sequence[Names]) -> list[_Run]:
    """The equations of each expression, in the order in which they end.

    Args:
        origins: where each equation comes from.
        nodes: which of them count.
        keys: for each equation, the expressions around it that have names, and the names.
    """
    runs: dict[Any, _Run] = {}
    ended: list[_Run] = []
    for at in nodes:
        origin = origins[at]
        ended += [runs.pop(key) for key in [k for k, run in runs.items() if k not in keys[at] or run.again(origin)]]
        for key, names in keys[at].items():
            runs.setdefault(key, _Run(names)).add(at, origin)
    return [*ended, *runs.values()]


def _assigned(chain: list[Any]) -> Names:
    """The expressions around an equation whose values are assigned to variables, outermost first."""
    return {
        (depth, frame.file_name, span_of(frame)): names
        for depth, frame in enumerate(reversed(chain))
        if (names := names_at(frame)) and not is_gradient(frame)
    }


def _expression(chain: list[Any]) -> Names:
    """The innermost expression around an equation, where its text is short enough to name its value."""
    if not chain or len(text := text_at(chain[0])) > LONGEST:
        return {}
    return {tuple((frame.file_name, span_of(frame)) for frame in chain): (text,)}


def is_gradient(frame: Frame) -> bool:
    """Whether a frame's expression is a call of what ``jax.grad`` or ``jax.value_and_grad`` returned."""
    return calls_at(frame) in ("grad(", "value_and_grad(")


def _gradients(chain: list[Any]) -> Names:
    """The gradients around an equation that are assigned to variables."""
    return {(f.file_name, span_of(f)): names for f in chain if is_gradient(f) and (names := names_at(f))}


def _name_gradients(body: Body[Any], env: Mapping[Any, Any], said: _Said, forward: Set[int]) -> None:
    """Names what ``g = jax.grad(f)(w)`` and ``y, g = jax.value_and_grad(f)(w)`` give: of several, ``y`` alone."""
    users = _users(body, range(len(body.nodes)))
    returned = {v for v in body.jaxpr.outvars if not isinstance(v, Literal)}
    for run in _runs(said.origins, range(len(body.nodes)), said.of(_gradients)):
        used = [at for at in run.nodes if _used_outside(at, run, body, users)]
        names = leaves(run.names)
        if len(used) == len(names):
            for at, name in zip(used, names, strict=True):
                _assign((name,), body.nodes[at], env)
        elif len(run.names) == 2 and isinstance(run.names[0], str):  # y, (g, h) = jax.value_and_grad(f)(w, v)
            left = [at for at in run.nodes if at in used or returned.intersection(body.nodes[at].eqn.outvars)]
            values = [at for at in left if at in forward and not _is_constant(body.nodes[at].eqn)]
            if len(values) == 1:
                _assign(run.names[:1], body.nodes[values[0]], env)


def _is_constant(eqn: JaxprEqn) -> bool:
    """Whether it takes numbers alone, as the gradient of what is not used."""
    return all(isinstance(v, Literal) for v in eqn.invars)


def _name_carries(eqn: JaxprEqn, env: Mapping[Any, Any]) -> None:
    """The carries of a loop keep their names in its body, where its results have no others."""
    control = _jax.control_of(eqn)
    if not isinstance(control, _jax.Scan | _jax.While):
        return
    jaxpr, _ = _jax.open_jaxpr(control.body)
    names = parameter_names(jaxpr)
    if len(names) == len(jaxpr.invars):
        for v, name in zip(eqn.outvars[: control.carries], names[control.consts :], strict=False):
            if isinstance(value := env.get(v), Value) and not value.name:
                value.name = name


def origin_of(eqn: JaxprEqn) -> Any:
    """What two equations have in common if they come from one call of the same primitive in a Python loop.

    Returns:
        None for what JAX may insert itself: one for each operand, all from one call.
    """
    statement = statement_of(_jax.name_of(eqn))
    inserted = statement is not None and statement.requested_by
    return None if inserted else (_jax.name_of(eqn), _jax.call_stack(eqn))


@dataclass
class _Run:
    """The equations of one expression."""

    names: tuple[Any, ...]
    """What its value is assigned to."""
    first: Any = None
    """Where the first equation comes from."""
    nodes: list[int] = field(default_factory=list)

    def again(self, origin: Any) -> bool:
        """Whether a Python loop has come back to the expression."""
        return origin is not None and origin == self.first

    def add(self, at: int, origin: Any) -> None:
        """Adds an equation."""
        self.first = self.first or origin
        self.nodes.append(at)


def _result(run: _Run, body: Body[Any], users: Mapping[Any, Sequence[int]]) -> int | None:
    """The last equation of a run whose result others use; differentiation adds others after it, for the backward pass.

    Returns:
        None where there is none: the value is returned, or not used.
    """
    return next((at for at in reversed(run.nodes) if _used_outside(at, run, body, users)), None)


def _used_outside(at: int, run: _Run, body: Body[Any], users: Mapping[Any, Sequence[int]]) -> bool:
    return any(user not in run.nodes for v in body.nodes[at].eqn.outvars for user in users.get(v, ()))


def _users(body: Body[Any], forward: Sequence[int]) -> dict[Any, list[int]]:
    """By variable, the equations that use it in the forward pass."""
    users: dict[Any, list[int]] = {}
    for at in forward:
        for v in body.nodes[at].eqn.invars:
            if not isinstance(v, Literal):
                users.setdefault(v, []).append(at)
    return users


def _assign(names: tuple[Any, ...], node: Any, env: Mapping[Any, Any]) -> None:
    outputs = [env[v] for v in node.eqn.outvars]
    for value, name in zip(outputs, _one_each(names, node, len(outputs)), strict=False):
        if isinstance(value, Value) and not value.name and name != "_":
            value.name = name


def _one_each(names: tuple[Any, ...], node: Any, count: int) -> list[str]:
    """A name for each result of a node, from the target that they are assigned to; no names where that does not fit."""
    flat = leaves(names)
    if len(flat) == count:
        return flat
    control = _jax.control_of(node.eqn)
    return _of_loop(names, control) if isinstance(control, _jax.Scan | _jax.While) else []


def _of_loop(names: tuple[Any, ...], loop: _jax.Scan | _jax.While) -> list[str]:
    """A name for each result of a loop; empty ones where the target has a name for several of them together."""
    jaxpr, _ = _jax.open_jaxpr(loop.body)
    carried = [_path(name)[1:] for name in _jax.argument_names(jaxpr)[loop.consts :][: loop.carries]]
    in_two = isinstance(loop, _jax.Scan) and len(names) == 2  # carry, slices = scan(…)
    if not carried and (in_two or isinstance(loop, _jax.While)):
        # Differentiation keeps the carries in their order, without names of parameters.
        carries = leaves(names[0] if in_two else names)
        carries = carries if len(carries) == loop.carries else [""] * loop.carries
        return carries + leaves(names[1]) if in_two else carries
    if in_two:
        return [_at(names[0], path) for path in carried] + leaves(names[1])
    return [_at(names if path else names[0], path) for path in carried]


def _path(name: str) -> list[str]:
    """``carry[1][0]`` as its parts."""
    return re.split(r"[\[\]]+", name.rstrip("]"))


def _at(pattern: Any, path: Sequence[str]) -> str:
    """The name in a nested pattern at a path; empty where there is none."""
    for index in path:
        if not (isinstance(pattern, tuple) and index.isdigit() and int(index) < len(pattern)):
            return ""
        pattern = pattern[int(index)]
    return pattern if isinstance(pattern, str) else ""
