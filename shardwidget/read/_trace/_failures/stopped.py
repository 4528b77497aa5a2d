"""A program whose tracing failed, and how far it got."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import jax
from jax.extend.core import Literal
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import FailureKind, Mesh
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._jaxpr.sources import line_of
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._trace._failures.changes import Changes
from shardwidget.read._trace.arguments import Arguments
from shardwidget.read._trace.communicated import StepContext
from shardwidget.read._trace.draft import Draft, TracedValue
from shardwidget.read._trace.steps import Writer

WRONG_ARGUMENTS = (
    "{words}\nGive read.trace the function and then its arguments, each as you would call it: read.trace({call})."
)

WRONG_SPECS = {
    "in_specs": "in_specs must be one spec for each argument, a tree of specs where the argument is a tree, or one "
    "spec for all, as in_specs=(P('x'), P(None, 'y')) for f(x, w)",
    "out_specs": "out_specs must be one spec for each result, a tree of specs where the result is a tree, or one "
    "spec for all, as out_specs=(P('x'), P()) for return y, loss",
}

WRONG_RESULT = (
    "{words}\nA function that is traced returns arrays, numbers, or trees of them. Leave the other values out of what "
    "it returns."
)


class StoppedTrace:
    """A program whose tracing failed.

    Args:
        error: raised by ``_jax.unfiltered``.
        f: the function.
        arguments: what it was called with.
    """

    def __init__(self, error: Exception, f: Callable[..., Any], arguments: Arguments) -> None:
        self.error = error
        self.arguments = arguments
        self.kind: FailureKind = _kind(error)
        self.f = f
        wrong = _jax.messages.is_wrong_arguments(error)
        if self.kind == "other" and wrong and self._never_ran():
            raise self._wrong_call() from error
        reached = _jax.partial_trace(error)
        if reached is None:
            raise error
        self.reached = reached
        self.jaxpr = self.reached.jaxpr

    def argument_shardings(self) -> dict[int, NamedSharding]:
        """How in_specs cuts the program's arguments that were passed to the region unchanged, by their numbers."""
        mapped = self.reached.mapped
        if mapped is None or _jax.messages.is_too_long(self.error):
            return {}
        mesh, found = mapped.mesh, {}
        for x, spec in zip(mapped.args, mapped.specs, strict=True):
            var = self._outermost(_jax.variable_of(x))
            # Under vmap a spec is not of the whole argument.
            if var in self.jaxpr.invars and var.aval.ndim == jax.typeof(x).ndim:
                found[self.jaxpr.invars.index(var)] = NamedSharding(mesh, _explicit_spec(x, spec, mesh))
        return found

    def _outermost(self, var: Any) -> Any:
        """The outermost variable that is passed for a variable of a called function, through all enclosing calls."""
        levels, jaxpr = [], self.jaxpr
        while jaxpr.eqns and (control := _jax.control_of(jaxpr.eqns[-1])) and _jax.is_open(control.bodies[0]):
            levels.append((jaxpr.eqns[-1], control.bodies[0]))
            jaxpr = control.bodies[0]
        for eqn, body in reversed(levels):
            inner = body.invars
            var = eqn.invars[inner.index(var)] if var in inner else var
        return var

    def mesh(self) -> Mesh:
        """The mesh of the region, that of the arguments, or only the first device."""
        found = self.reached.mapped.mesh if self.reached.mapped else None
        for x in self.arguments.arrays:
            found = found or getattr(getattr(x, "sharding", None), "mesh", None)
        return read_mesh(self.arguments.concrete(found)) if found is not None else read_devices(jax.devices()[:1])

    def users_dims(self, value: TracedValue) -> tuple[int, ...]:
        """The dimensions of an operand that the user's value has: ``vmap`` adds some."""
        return self._held.get(value, tuple(range(value.aval.ndim)))

    def write(self, writer: Writer) -> None:
        """Adds the step where the program stops."""
        values = self.reached.outs or self.reached.operands
        at = writer.stopped or StepContext(None, {}, -1, "")
        inputs = [
            v
            for v in (writer.known.get(var) for var in values if not isinstance(var, Literal))
            if isinstance(v, TracedValue)
        ]
        self.inputs = list(dict.fromkeys(inputs))
        held = [h for h in zip(self.reached.operands, self.reached.held, strict=True) if not isinstance(h[0], Literal)]
        self._held = {v: dims for var, dims in held if isinstance(v := writer.known.get(var), TracedValue)}
        self.changes = Changes(self.f, self.error, self.reached.mapped, writer)
        self.step = Draft("error", self.inputs, [], region=at.region, scope=at.scope, kind="error")
        if frames := self.users():
            frame, line = frames[-1]
            self.step.source = line_of(frame.f_code.co_filename, line, frame.f_code.co_name)
            writer.frames.append((frame.f_code.co_filename, line))
        writer.steps.append(self.step)

    def users(self) -> list[tuple[Any, int]]:
        """The user's frames in the traceback, outermost first, and their lines."""
        frames = traceback.walk_tb(self.error.__traceback__)
        return [f for f in frames if _jax.is_user_file(f[0].f_code.co_filename)]

    def wrong_specs(self) -> str:
        """What is wrong with specs that are no tree like the values; empty where it is something else."""
        refused = _jax.refused_spec(self.error)
        if refused is None or refused.why != "structure":
            return ""
        which, path, rest = refused.which.partition("[")
        return f"{WRONG_SPECS[which]}. JAX finds {refused.spec}{f' at {which}{path}{rest}' if path else ''}."

    def _never_ran(self) -> bool:
        """Whether none of the user's code was running: JAX or Python rejected the arguments, or JAX the result."""
        files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(self.error.__traceback__)]
        ours = max(k for k, file in enumerate(files) if _jax.is_ours(file))
        return not any(_jax.is_user_file(file) for file in files[ours:])

    def _wrong_call(self) -> Exception:
        # Where all arguments are arrays, what is not one was returned.
        returned = _jax.messages.is_of_no_array(self.error) and not self.arguments.others
        if returned or _jax.messages.is_wrong_result(self.error):
            return TypeError(WRONG_RESULT.format(words=self.error))
        if _jax.messages.is_not_an_array(self.error):
            return TypeError(f"{self.error}\n{self.arguments.not_arrays()}")
        words = "\n".join(filter(None, [str(self.error), self.wrong_specs()]))
        call = ", ".join(["f", *self.arguments.names])
        return self.arguments.explained(TypeError(WRONG_ARGUMENTS.format(words=words, call=call)))


def _kind(error: Exception) -> FailureKind:
    kind = _jax.messages.kind_of(error)
    return "user" if kind in ("shape", "other") and _raised_by_user(error) else kind


def _raised_by_user(error: Exception) -> bool:
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and _jax.is_user_file(frames[-1].f_code.co_filename)


def _explicit_spec(x: Any, spec: PartitionSpec, mesh: AnyMesh) -> PartitionSpec:
    """What a spec states about Explicit axes: the part that a type must state too."""
    kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    dims = dims_of_spec(jax.typeof(x).shape, spec)
    return PartitionSpec(*(tuple(a for a in dim.axes if kinds[a].name == "Explicit") or None for dim in dims))
