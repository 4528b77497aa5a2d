"""The executable to read and the mesh that its collectives are named by."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh, NamedSharding

from shardwidget import _jax
from shardwidget.read import _errors
from shardwidget.read._call import FlatCall, function_name, keywords
from shardwidget.read._processes.together import compiling

NO_PROGRAM = (
    "cannot compile a value of type {type}. Give a function and then its arguments, (f, x, w), "
    "or what jax.jit(f).lower(x, w) or its .compile() gave, or the text of a compiled module with mesh=."
)

TEXT_ALONE = (
    "the text of a module names devices only by number. Give the mesh that it was compiled for: "
    "read.program(text, mesh=jax.make_mesh((4, 2), ('x', 'y')))."
)

SHARED_LINES = (
    "JAX 0.9 reuses its trace of jitted functions such as jnp.roll, so these lines may be those of an earlier call. "
    "Given the function and its arguments instead, each call has its own."
)

PROGRAM_ARGUMENTS = (
    "a {type} is already lowered for its arguments; it was given {count} more. Give it alone, "
    "or the function and its arguments, (f, x, w)."
)

ABSTRACT_PROGRAM = (
    "the mesh is abstract: a program is compiled for devices. Give mesh=jax.make_mesh(...) of the same axes, "
    "or compile for TPUs that this machine does not have: mesh=shardwidget.tpu_mesh('v5e:4x4', ('data', 'model'))."
)


@dataclass(frozen=True)
class Executable:
    """A compiled program, or only its text."""

    text: str = field(repr=False)
    """The text of the optimised module; empty where there is none."""
    devices: tuple[Any, ...]
    """The devices, in the order in which groups count them."""
    mesh: Mesh | None
    """The user's mesh; None where none is found."""
    given: bool
    """Whether the user gave it."""
    name: str
    compiled: jax.stages.Compiled | None = None
    """What ``lowered.compile()`` gave; None where there is only a text."""
    lowered: jax.stages.Lowered | None = field(default=None, repr=False)
    """What it was compiled from; None where only the compiled program was given."""
    traced: jax.stages.Traced | None = field(default=None, repr=False)
    """What it was lowered from; None where that is not known."""
    names: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the user calls a parameter, by what the program calls it; without those for which both are the same."""
    note: str = ""
    """What the user should know about it; empty for nothing."""
    function: Callable[..., Any] | None = field(default=None, repr=False)
    """The function that was compiled; None where it was given in another form."""
    dump: _jax.Dump | None = field(default=None, repr=False)
    """What was scheduled, where it could not be compiled; None where it could."""
    failure: str = ""
    """Why it could not be compiled: it needs more memory than the device has. ``text`` is then the module that XLA had
    scheduled. Empty where it compiled."""


def executable_of(
    f: Any, args: tuple[Any, ...], mesh: Mesh | None, kwargs: Mapping[str, Any] | None = None, *, quick: bool = False
) -> Executable:
    """Compiles a function for its arguments, unless it is compiled already.

    ``quick`` leaves out, for CPUs, what makes a program fast: it is to be read, not to be run.

    Raises:
        ValueError: the mesh is abstract, or there is a text and no mesh.
        TypeError: ``f`` can be neither compiled nor read, or was given arguments that it does not take; or the mesh is
            not a mesh; or an argument is a tracer.
    """
    if isinstance(mesh, AbstractMesh):
        raise ValueError(ABSTRACT_PROGRAM)
    if not isinstance(mesh, Mesh | None):
        raise TypeError(_errors.NO_MESH_OF_PROGRAM.format(type=_errors.type_of(mesh)))
    if isinstance(f, jax.stages.Traced) and not (args or kwargs):
        f = f.lower()
    if isinstance(f, str | jax.stages.Lowered | jax.stages.Compiled | Executable):
        if count := len(args) + len(kwargs or {}):
            raise TypeError(PROGRAM_ARGUMENTS.format(type=type(f).__name__, count=count))
        if isinstance(f, Executable):
            return f if mesh is None else replace(f, mesh=mesh, given=True)
        if isinstance(f, str):
            return _of_text(f, mesh or _set_mesh(), mesh is not None)
        if isinstance(f, jax.stages.Lowered):
            return _of_lowered(f, _jax.compilation(f), mesh, mesh is not None, "")
        return _of(f, mesh or first_mesh(_shardings(f)) or _set_mesh(), mesh is not None, "", None)
    if not callable(f):
        raise TypeError(NO_PROGRAM.format(type=_errors.type_of(f)))
    args, named = jax.tree.map(lambda x: _on(x, mesh), (args, keywords(kwargs)), is_leaf=_is_abstract)
    call = FlatCall(f, args, named)  # Raises for tracers, which nothing below would notice.
    found = mesh or _mesh_of_arguments((args, named)) or _set_mesh()
    with setting(mesh, (args, named)):
        try:
            with _jax.own_lines():
                traced = _jax.lowered_by_library(f, args, named)
                if traced is None:
                    jitted, args, named = jitted_of(f, args, named, call)
                    traced = _jax.traced_by_jax(jitted.trace(*args, **named))
            if not isinstance(traced, jax.stages.Lowered):
                found = found or first_mesh(meshes_in(_jax.open_jaxpr(traced.jaxpr)[0]))
        except (TypeError, AttributeError, ValueError) as error:
            raise call.explained(error)  # noqa: B904  the same exception
        if isinstance(found, AbstractMesh):
            raise ValueError(ABSTRACT_PROGRAM)
        with compiling(function_name(f), found.devices.flat if found is not None else ()):
            try:
                lowered = traced if isinstance(traced, jax.stages.Lowered) else traced.lower()
                made = _jax.compilation(lowered, quick=quick)
            except ValueError as error:
                raise call.explained(error)  # noqa: B904  the same exception
    names = {f"{_GIVEN}[{k}]": call.names[number] for k, number in enumerate(_numbers(call))}
    names |= _jax.parameters_of_library(f, call.arguments)
    read = _of_lowered(lowered, made, found, mesh is not None, function_name(f))
    note = " ".join(filter(None, (_failed(made), call.lost)))
    traced = traced if isinstance(traced, jax.stages.Traced) else None
    return replace(read, names=names, note=note, function=f, traced=traced)


def compiled(
    f: Callable[..., Any] | jax.stages.Traced | jax.stages.Lowered | jax.stages.Compiled | str,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: Mesh | None = None,
) -> Executable:
    """Compiles a function, to be read several times: by ``read.program``, by ``read.memory``.

    Args:
        f: a function, jitted or not; or what ``jax.jit(f).trace(...)``, ``lower(...)`` or its ``compile()`` gave; or,
            with ``mesh=``, the text of a compiled module.
        *args: arguments of the function: arrays, or ``jax.ShapeDtypeStruct``s with a sharding, which need no data.
        kwargs: keyword arguments of the function.
        mesh: the mesh; None takes the one of the arguments.

    Raises:
        ValueError: the mesh is abstract, or a text came without one.
        TypeError: ``f`` can be neither compiled nor read, or an argument is a tracer.
    """
    return executable_of(f, args, mesh, kwargs)


def shardings_of(executable: Executable) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Shardings of the arguments and of the results, in the order of the program's; empty where it has none."""
    if executable.compiled is None:
        known = () if executable.lowered is None else _jax.lowered_shardings(executable.lowered)
        return known, ()
    inputs, outputs = _jax.boundary_shardings(executable.compiled)
    return tuple(inputs), tuple(outputs)


def _of(
    compiled: jax.stages.Compiled, mesh: Mesh | None, given: bool, name: str, lowered: jax.stages.Lowered | None
) -> Executable:
    try:
        text = compiled.as_text() or ""
    except Exception:  # An executable that was loaded from a file may have none.
        text = ""
    # What we trace ourselves has no such lines; its note is set by the caller.
    return Executable(text, _devices_of(compiled), mesh, given, name, compiled, lowered, note=_note(text))


def _of_lowered(
    lowered: jax.stages.Lowered, made: _jax.Compilation, mesh: Mesh | None, given: bool, name: str
) -> Executable:
    if made.compiled is not None:
        # A function without arguments may still name shardings for its results.
        mesh = mesh or first_mesh(_shardings(made.compiled)) or _set_mesh()
        return _of(made.compiled, mesh, given, name, lowered)
    assert made.dump is not None
    shardings = [s for s in _jax.lowered_shardings(lowered) if isinstance(s, jax.sharding.Sharding)]
    mesh = mesh or first_mesh(shardings) or _set_mesh()
    devices = next((d for s in shardings if (d := _jax.device_assignment(s)) is not None), None)
    devices = devices or tuple(mesh.devices.flat if mesh is not None else ())
    read = Executable(made.dump.text, devices, mesh, given, name, None, lowered, note=_failed(made))
    return replace(read, dump=made.dump, failure=made.failure)


OUT_OF_MEMORY = (
    "XLA did not compile it, because it needs more memory than the device has. What is shown is the module that XLA "
    "had scheduled for it."
)


def _failed(made: _jax.Compilation) -> str:
    return OUT_OF_MEMORY if made.failure else ""


def _of_text(text: str, mesh: Mesh | None, given: bool) -> Executable:
    if mesh is None:
        raise ValueError(TEXT_ALONE)
    return Executable(text, tuple(mesh.devices.flat), mesh, given, "", note=_note(text))


def _note(text: str) -> str:
    """What to say of a program that was traced elsewhere."""
    return SHARED_LINES if _jax.shares_lines(text) else ""


def setting(mesh: Mesh | None, args: Any) -> contextlib.AbstractContextManager[Any]:
    """Sets the mesh that is given, as ``jax.set_mesh`` does, unless the arguments are on another.

    Then those decide: the mesh only names the axes.
    """
    if mesh is None or _mesh_of_arguments(args) not in (None, mesh):
        return contextlib.nullcontext()
    return jax.set_mesh(mesh)


def jitted_of(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], given_call: FlatCall | None = None
) -> tuple[Any, tuple[Any, ...], Mapping[str, Any]]:
    """A jitted function and its arguments; if it is not jitted yet, only the numeric ones.

    Args:
        f: the function.
        args: its positional arguments.
        kwargs: its keyword arguments.
        given_call: the same call, flat; it notices what the function writes into objects that it is given.
    """
    if hasattr(f, "trace"):
        return f, args, kwargs
    given_call = given_call or FlatCall(f, args, kwargs)
    leaves, numbers = given_call.leaves, _numbers(given_call)
    if len(numbers) == len(leaves) and not any(map(_is_object, (*args, *kwargs.values()))):
        return jax.jit(f), args, kwargs

    def call(*given: Any) -> Any:
        mixed = list(leaves)
        for k, leaf in zip(numbers, given, strict=True):
            mixed[k] = leaf
        return given_call(mixed)

    call.__name__ = call.__qualname__ = function_name(f)
    return jax.jit(call), tuple(leaves[k] for k in numbers), {}


def _is_object(x: Any) -> bool:
    """Whether an argument is of a class with attributes, which a function may write into: a module of flax nnx."""
    return hasattr(x, "__dict__") and not isinstance(x, jax.Array | jax.Ref | jax.ShapeDtypeStruct)


def _numbers(call: FlatCall) -> list[int]:
    """Which leaves of a call are arrays or numbers that are traced."""
    return [k for k, leaf in enumerate(call.leaves) if isinstance(leaf, _NUMBERS) and not call.static[k]]


_GIVEN = "given"
"""The parameter that those of a function with other arguments are passed as."""

_NUMBERS = (jax.Array, jax.Ref, jax.ShapeDtypeStruct, np.ndarray, np.generic, bool, int, float, complex)


def _devices_of(executable: Any) -> tuple[Any, ...]:
    """The devices of a program, in the order in which its groups count them."""
    for sharding in _shardings(executable):
        if (devices := _jax.device_assignment(sharding)) is not None:
            return devices
    return tuple(executable.runtime_executable().local_devices())


def _shardings(executable: Any) -> list[Any]:
    inputs, outputs = _jax.boundary_shardings(executable)
    return [leaf for leaf in (*inputs, *outputs) if isinstance(leaf, jax.sharding.Sharding)]


def first_mesh(of: Iterable[Any]) -> Any:
    """The first mesh of some shardings or meshes; a concrete one, if there is one. None where there is none."""
    meshes = [m for m in (getattr(s, "mesh", s) for s in of) if isinstance(m, Mesh | AbstractMesh) and not m.empty]
    return next((m for m in meshes if isinstance(m, Mesh)), meshes[0] if meshes else None)


def _mesh_of_arguments(args: Any) -> Any:
    return first_mesh([getattr(x, "sharding", None) for x in jax.tree.leaves(args)])


def _set_mesh() -> Mesh | None:
    mesh = jax.sharding.get_mesh()
    return None if mesh.empty else mesh


def _is_abstract(x: Any) -> bool:
    return isinstance(getattr(getattr(x, "sharding", None), "mesh", None), AbstractMesh)


def _on(x: Any, mesh: Mesh | None) -> Any:
    """An argument on an abstract mesh, moved to the one that is given."""
    if mesh is None or not _is_abstract(x) or mesh.abstract_mesh.shape != x.sharding.mesh.shape:
        return x
    return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, x.sharding.spec))


def meshes_in(jaxpr: _jax.AnyJaxpr) -> Iterator[Any]:
    """The meshes of a program's ``shard_map``s, and of the shardings that it names."""
    for eqn in jaxpr.eqns:
        for value in jax.tree.leaves(tuple(eqn.params.values()), is_leaf=_stands_alone):
            if isinstance(value, Mesh | AbstractMesh | NamedSharding):
                yield value
            elif hasattr(value, "eqns") or hasattr(value, "jaxpr"):
                yield from meshes_in(_jax.open_jaxpr(value)[0])


def _stands_alone(x: Any) -> bool:
    return not isinstance(x, tuple | list | dict)
