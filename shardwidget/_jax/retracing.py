"""Tracing a program again, changed: other code in its functions, other options or another mesh of its regions."""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import jax
import numpy as np
from jax import lax
from jax.sharding import AbstractMesh, AxisType, Mesh, get_abstract_mesh, get_mesh, use_abstract_mesh

from shardwidget._jax.continuing import FIXING
from shardwidget._jax.control import control_of, with_bodies
from shardwidget._jax.jaxprs import open_jaxpr
from shardwidget._jax.primitives import PLACES, WRITES, name_of
from shardwidget._jax.sources import is_library_file, is_user_file

Regions = Literal["as they are", "unchecked", "whole"]
"""How regions are traced: as they are; without ``check_vma``; or also on a mesh of one device, which makes every block
the whole array."""


def live_functions(f: Any) -> Iterator[types.FunctionType]:
    """The functions that calling one may lead to: what it wraps, closes over, or names among its globals.

    Of the user's own classes that it may use, such as models of flax and equinox, the methods are among them.

    JAX 0.9 – 0.12: what ``jit`` and ``shard_map`` return has ``__wrapped__``, ``custom_vjp`` has ``fun``.
    """
    left, seen = [f], dict[int, Any]()
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one  # As long as it is held, no other object has its id.
        left += [v for key in _LEADS if callable(v := _attribute(one, key))]
        if isinstance(one, partial):
            left += [v for v in (*one.args, *one.keywords.values()) if callable(v)]
        if isinstance(one, type):
            left += [v for cls in one.__mro__ if _is_users(cls.__module__) for v in vars(cls).values()]
        elif isinstance(one, types.ModuleType):
            left += [v for v in vars(one).values() if isinstance(v, _HOLDERS)] if _is_users(one.__name__) else []
        elif not isinstance(one, types.FunctionType):
            left += [type(one), type(_attribute(one, "__self__"))]
        else:
            yield one
            held = [_contents(cell) for cell in one.__closure__ or ()]
            if is_user_file(one.__code__.co_filename):
                names = one.__globals__
                held += [names.get(name) for name in _names(one.__code__)]
                if id(names) not in seen:  # An instance of any class of the file may be an argument.
                    seen[id(names)] = names
                    held += [v for v in names.values() if isinstance(v, type)]
            left += held


_LEADS = ("__wrapped__", "__func__", "func", "fun", "f", "fget", "method")
"""Attributes that hold what is called: of wrappers, of bound methods, of properties, of equinox's methods."""

_HOLDERS = types.FunctionType | type | types.ModuleType
"""What of a user's module is looked at."""


def _is_users(module: str) -> bool:
    """Whether the user wrote a module; a notebook, and what ``exec`` makes, has no file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module == "__main__" or module not in sys.modules
    return is_user_file(file) and not is_library_file(file)


def _attribute(value: Any, key: str) -> Any:
    """An attribute that an object has; None for one that its ``__getattr__`` makes up, as a mock does without end."""
    try:
        return getattr(value, key) if inspect.getattr_static(value, key, None) is not None else None
    except Exception:
        return None  # The user's own attribute.


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names(inner)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None  # Nothing is in it yet.


def options_of(functions: Sequence[types.FunctionType], mapped: Any) -> Mapping[str, Any]:
    """The cells that hold the options of the ``shard_map`` of a function, by name; none where it is not found.

    JAX 0.9 – 0.12: ``shard_map`` returns a function that closes over them.

    Args:
        functions: what the program may call.
        mapped: the function that ``shard_map`` maps.
    """
    for function in functions:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        if {"f", "in_specs", "out_specs"} <= cells.keys() and _contents(cells["f"]) is mapped:
            return cells
    return {}


def holders(f: Any, value: Any) -> Iterator[tuple[Any, str]]:
    """Where the functions that calling one may lead to hold a value: globals and what they close over."""
    for function in live_functions(f):
        for cell in function.__closure__ or ():
            if _contents(cell) is value:
                yield cell, "cell_contents"
        if is_user_file(function.__code__.co_filename):
            for name, held in function.__globals__.items():
                if held is value:
                    yield function.__globals__, name


@contextlib.contextmanager
def retracing(changes: Sequence[tuple[Any, str, Any]], regions: Regions, *, with_specs: bool = False) -> Iterator[None]:
    """What is traced within is changed; afterwards all is as before, and nothing that was traced is ever used again.

    JAX caches what it traces by the context in force: here there is one of its own.
    JAX 0.9 – 0.12: the method that binds a ``shard_map`` and its checks are replaced, and put back, by one thread at a
    time. Of whole arrays the types say no placement, and the mesh of the context has too many devices.

    Args:
        changes: objects, an attribute of each (of a dict, a key), and what it is meanwhile.
        regions: how regions are traced.
        with_specs: whether specs without a mesh are of the mesh of the context, where regions are whole: it then has
            one device.
    """
    from jax._src import config
    from jax._src import shard_map as module

    primitive = module.ShardMapPrimitive
    bind, check, thread = primitive.bind_with_trace, module._check_specs_vs_args, threading.get_ident()
    of_mesh, around, explicit = module._shmap_checks, get_abstract_mesh(), _Explicit()
    known = get_mesh() if regions == "whole" else None
    varying = getattr(module, "_implicit_pvary_on_output", None)  # JAX 0.9

    def bind_with_trace(self: Any, trace: Any, *rest: Any) -> Any:
        if threading.get_ident() == thread:
            explicit.ignored_by = None
            rest[-1].update(check_vma=False)
            if regions == "whole":
                mesh = rest[-1]["mesh"]
                rest[-1].update(mesh=_of_one_device(mesh, known, mesh.axis_types if with_specs else ()))
        return bind(self, trace, *rest)

    def check_specs(*args: Any, **named: Any) -> Any:
        if threading.get_ident() != thread:
            return check(*args, **named)
        explicit.ignored_by = thread  # What follows compares the specs with the types of the arguments.
        return None

    def check_mesh(mesh: Any, *args: Any, **named: Any) -> Any:
        here = threading.get_ident() == thread
        if here and with_specs:  # The function keeps the mesh that is returned, for its next calls too.
            one = None if mesh is None else _of_one_device(mesh, known, mesh.axis_types)
            return around if mesh is None else mesh, of_mesh(one, *args, **named)[1]
        with use_abstract_mesh(around if here else get_abstract_mesh()):
            return of_mesh(mesh, *args, **named)

    def as_they_vary(fun: Any, specs: Any) -> Any:  # Whole values vary over no axis, and checks are off.
        return fun if varying is None or threading.get_ident() == thread else varying(fun, specs)

    changes = list(changes)
    if regions != "as they are":
        changes.append((primitive, "bind_with_trace", bind_with_trace))
    if regions == "whole":
        changes.append((module, "_check_specs_vs_args", check_specs))
        changes.append((module, "_shmap_checks", check_mesh))
        changes += [(module, "_implicit_pvary_on_output", as_they_vary)] if varying is not None else []
        changes.append((module, "AxisType", _types_with(explicit)))
    with FIXING, jax.make_user_context()(object()), contextlib.ExitStack() as before:
        if regions == "whole":
            one = _of_one_device(around, known, around.axis_types) if with_specs else None
            before.enter_context(without_mesh() if one is None else _entered(one))
            # Types do not name axes of one device then.
            before.enter_context(config.remove_size_one_mesh_axis_from_type(with_specs))
        for target, key, value in changes:
            before.callback(_set, target, key, target[key] if isinstance(target, dict) else getattr(target, key))
            _set(target, key, value)
        yield


def _set(target: Any, key: str, value: Any) -> None:
    if isinstance(target, dict):
        target[key] = value
    else:
        setattr(target, key, value)


class _Explicit:
    """The type of Explicit axes, which one thread may ignore."""

    ignored_by: int | None = None

    def __eq__(self, other: object) -> bool:
        return other == AxisType.Explicit and self.ignored_by != threading.get_ident()


def _types_with(explicit: _Explicit) -> types.SimpleNamespace:
    return types.SimpleNamespace(Auto=AxisType.Auto, Manual=AxisType.Manual, Explicit=explicit)


def without_mesh() -> contextlib.AbstractContextManager[Any]:
    """A context with no mesh: what has one of its own runs on it."""
    return jax.set_mesh(Mesh(np.empty((), dtype=object), ()))


def _entered(mesh: Mesh | AbstractMesh) -> contextlib.AbstractContextManager[Any]:
    return jax.set_mesh(mesh) if isinstance(mesh, Mesh) else use_abstract_mesh(mesh)


def _of_one_device(mesh: Any, known: Mesh | None, types_: Sequence[AxisType] = ()) -> Any:
    """A mesh with the same axes, each of size 1, on a device of the known mesh where it has none of its own."""
    types_ = tuple(types_) or tuple(AxisType.Auto if t == AxisType.Explicit else t for t in mesh.axis_types)
    if isinstance(mesh, AbstractMesh) and known is not None and not known.empty:
        mesh = known
    if isinstance(mesh, AbstractMesh):
        return AbstractMesh((1,) * len(mesh.axis_names), mesh.axis_names, axis_types=types_)
    devices = np.asarray(mesh.devices.flat[0]).reshape((1,) * len(mesh.axis_names))
    return Mesh(devices, mesh.axis_names, axis_types=types_)


_PLACING = PLACES | {"copy_to_host"}


def runnable(jaxpr: Any, *, on_one_device: bool = False) -> Any:
    """A jaxpr that can be run just to see what it returns: without what only writes.

    Args:
        jaxpr: any.
        on_one_device: whether what only places values is left out, too.

    Returns:
        None where it has other effects. A ``while_loop`` ends after ``TURNS`` iterations.
    """
    from jax.extend.core import Literal as Constant

    inner, _ = open_jaxpr(jaxpr)
    eqns: list[Any] = []
    same: dict[Any, Any] = {}
    for eqn in inner.eqns:
        name = name_of(eqn)
        eqn = eqn.replace(invars=[v if isinstance(v, Constant) else same.get(v, v) for v in eqn.invars])
        if name in WRITES:
            continue
        if on_one_device and name in _PLACING and len(eqn.invars) == len(eqn.outvars):
            same.update(zip(eqn.outvars, eqn.invars, strict=True))
            continue
        if control := control_of(eqn):
            bodies = [runnable(body, on_one_device=on_one_device) for body in control.bodies]
            if any(body is None for body in bodies):
                return None
            eqn = with_bodies(eqn, [open_jaxpr(body)[0] for body in bodies])
            eqn = eqn.replace(effects=frozenset(e for e in eqn.effects if _is_axis(e)))
        if name == "while":
            eqn = _ending(eqn)
        if eqn is None or not all(map(_is_axis, eqn.effects)):
            return None
        eqns.append(eqn)
    outs = [v if isinstance(v, Constant) else same.get(v, v) for v in inner.outvars]
    new = inner.replace(eqns=eqns, outvars=outs, effects=frozenset(e for e in inner.effects if _is_axis(e)))
    return jaxpr.replace(jaxpr=new) if inner is not jaxpr else new


TURNS = 256
"""The most iterations of a ``while_loop`` in a program that is run just to see what it returns."""


def _ending(eqn: Any) -> Any:
    """A ``while_loop`` with a counter as its last carry, which ends it; None for one that ``vmap`` maps.

    JAX 0.9 – 0.12: constructors of variables, ``replace`` of equations and jaxprs.
    """
    from jax.extend.core import Literal as Constant
    from jax.extend.core import Var

    less, both, more = open_jaxpr(jax.make_jaxpr(_counted)(np.bool_(True), np.int32(0)))[0].eqns
    count = less.invars[0].aval
    test, body = (open_jaxpr(eqn.params[key])[0] for key in ("cond_jaxpr", "body_jaxpr"))
    if test.outvars[0].aval.shape:
        return None
    turn, is_left = Var(count), Var(less.outvars[0].aval)
    goes_on, following = Var(test.outvars[0].aval), Var(count)
    tests = [
        *test.eqns,
        less.replace(invars=[turn, less.invars[1]], outvars=[is_left]),
        both.replace(invars=[test.outvars[0], is_left], outvars=[goes_on]),
    ]
    steps = [*body.eqns, more.replace(invars=[turn, more.invars[1]], outvars=[following])]
    eqn = with_bodies(
        eqn,
        [
            test.replace(invars=[*test.invars, turn], outvars=[goes_on], eqns=tests, debug_info=_unnamed(test)),
            body.replace(
                invars=[*body.invars, turn],
                outvars=[*body.outvars, following],
                eqns=steps,
                debug_info=_unnamed(body),
            ),
        ],
    )
    return eqn.replace(invars=[*eqn.invars, Constant(np.int32(0), count)], outvars=[*eqn.outvars, Var(count)])


def _counted(goes_on: Any, turn: Any) -> Any:
    return lax.bitwise_and(goes_on, lax.lt(turn, np.int32(TURNS))), lax.add(turn, np.int32(1))


def _unnamed(jaxpr: Any) -> Any:
    """What JAX knows of a jaxpr without the names of its arguments, of which there must be as many as arguments."""
    return jaxpr.debug_info._replace(arg_names=None, result_paths=None)


def _is_axis(effect: Any) -> bool:
    """Whether an effect only says that an axis is used. JAX 0.9 – 0.12: the class is private."""
    return type(effect).__name__ == "NamedAxisEffect"
