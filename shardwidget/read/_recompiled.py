"""``read.recompiled``: which functions JAX compiled during a call, and why it compiled one again."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.sharding import NamedSharding

from shardwidget import _jax
from shardwidget.document import CompileCause, CompiledCall, Recompiled
from shardwidget.read import _errors
from shardwidget.read._call import function_name, keywords, parameter_names
from shardwidget.read._devices import ids_text
from shardwidget.read._entries import spec_text
from shardwidget.read._jaxpr.sources import shown_name

FREE = "not committed to a device"
LONGEST = 60
"""The most characters of a static argument that are kept."""

NO_FUNCTION = (
    "recompiled calls a function and says what JAX compiled during the call: give a function that makes the calls to "
    "compare, and its arguments, read.recompiled(train, state, batches); got a {type}"
)


def recompiled(f: Callable[..., Any], *args: Any, kwargs: Mapping[str, Any] | None = None) -> Recompiled:
    """Calls a function, and says what JAX compiled during the call and why it compiled a function again.

    Each call that compiled a function of the user's is compared with the most similar earlier one: arguments of another
    shape, dtype, sharding, mesh or memory, weak types, static values, a function that is made anew each time, options
    of JAX. What was compiled before is not known. The result of the function is dropped.

    ```python
    def two_steps(state):
        for batch in batches[:2]:
            state, loss = step(state, batch)

    print(read.recompiled(two_steps, state))
    ```

    Args:
        f: a function that makes the calls. It runs once.
        *args: its arguments.
        kwargs: its keyword arguments.

    Raises:
        TypeError: ``f`` is not a function.
        Exception: what the function raises.
    """
    if not callable(f):
        raise TypeError(NO_FUNCTION.format(type=_errors.type_of(f)))
    with _jax.compiled_calls(signature) as found:
        f(*args, **keywords(kwargs))
    return explained(function_name(f), found)


@dataclass(frozen=True)
class Signature:
    """What JAX's caches of a jitted function depend on. It holds no arrays."""

    name: str
    own: bool
    """Whether the function is the user's, not JAX's or a library's."""
    made: Any
    """A weak reference to the function object: the same for the same object."""
    options: tuple[Any, ...]
    """What ``jax.jit`` was given besides the function."""
    file: str
    line: int
    structure: str
    parts: Mapping[str, Mapping[str, str]]
    """Of each argument by its path: what a cause may name, in words."""
    context: tuple[Any, ...]


def signature(f: Any, info: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Signature:
    """The signature of a call of a jitted function."""
    names = parameter_names(f, len(args))
    positions = (k if k >= 0 else k + len(args) for k in info.static_argnums)
    given = {**dict(zip(names, args, strict=True)), **kwargs}
    static = {names[k] for k in positions if 0 <= k < len(args)} | set(info.static_argnames)
    fixed = {name: value for name, value in given.items() if name in static}
    arrays = {name: value for name, value in given.items() if name not in static}
    leaves = [
        (name + jax.tree_util.keystr(path), leaf)
        for name, value in arrays.items()
        for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0]
    ]
    users = next((g for g in _jax.live_functions(f) if _jax.is_user_file(g.__code__.co_filename)), None)
    at = _jax.current_location(beyond_libraries=True)
    return Signature(
        name=function_name(users or f),
        own=users is not None,
        made=weakref.ref(users or f),
        options=tuple(info)[2:],  # The first two are the function's name and signature.
        file=shown_name(at[0]) if at else "",
        line=at[1] if at else 0,
        structure=", ".join(f"{name}: {jax.tree.structure(value)}" for name, value in arrays.items()),
        parts={path: _array(leaf) for path, leaf in leaves} | {k: {"static": _value(v)} for k, v in fixed.items()},
        context=_jax.traced_under(),
    )


def explained(name: str, found: Sequence[tuple[Signature, float]], before: Sequence[Signature] = ()) -> Recompiled:
    """The document of the calls that compiled.

    Args:
        name: what ran.
        found: signatures and the compiler's seconds.
        before: signatures of calls that compiled earlier.
    """
    own = [(call, seconds) for call, seconds in found if call.own]
    known = list(before)
    calls = []
    for call, seconds in own:
        causes = [_causes(earlier, call) for earlier in known if earlier.name == call.name]
        nearest = min(causes, key=lambda c: sum(cause.more + 1 for cause in c), default=())
        calls.append(CompiledCall(call.name, call.file, call.line, seconds, bool(causes), nearest))
        known.append(call)
    return Recompiled(name, tuple(calls), len(found) - len(own), jax.__version__)


def _causes(before: Signature, now: Signature) -> tuple[CompileCause, ...]:
    """In what two calls of a function differ, equal differences of several arguments as one."""
    found: list[CompileCause] = []
    for cause in _differences(before, now):
        same = next((k for k, c in enumerate(found) if (c.what, c.before, c.now) == _of(cause) and cause.path), None)
        if same is None:
            found.append(cause)
        else:
            first = found[same]
            found[same] = CompileCause(first.what, first.path, first.before, first.now, first.more + 1)
    return tuple(found) or (CompileCause("unknown", "", "", ""),)


def _of(cause: CompileCause) -> tuple[str, str, str]:
    return cause.what, cause.before, cause.now


def _differences(before: Signature, now: Signature) -> Iterator[CompileCause]:
    for path in now.parts.keys() & before.parts.keys() if before.structure != now.structure else now.parts:
        yield from _changed(path, before.parts.get(path, {}), now.parts[path])
    if before.structure != now.structure:
        left = [path for path in before.parts if path not in now.parts]
        new = [path for path in now.parts if path not in before.parts]
        yield CompileCause("structure", "", _first(left) or before.structure, _first(new) or now.structure)
    if before.context != now.context:
        yield CompileCause("context", "", "", "")
    if before.made != now.made:
        yield CompileCause("function", "", "", "")
    elif before.options != now.options:
        yield CompileCause("options", "", "", "")


def _changed(path: str, before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[CompileCause]:
    for what, value in now.items():
        if before.get(what, "") != value:
            yield CompileCause(what, path, before.get(what, ""), value)  # pyright: ignore[reportArgumentType]


def _first(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0]}{more}" if paths else ""


def _array(x: Any) -> dict[str, str]:
    """What a call depends on of an array, a number, or what stands for an array."""
    aval = jax.typeof(x)
    shape = getattr(aval, "shape", None)
    if shape is None:
        return {"dtype": str(aval)}
    sharding = x.sharding if isinstance(x, jax.Array | jax.ShapeDtypeStruct) and getattr(x, "committed", True) else None
    where = {"sharding": FREE, "mesh": ""}
    devices = ids_text(_jax.device_assignment(sharding) or ()) if sharding is not None else ""
    if isinstance(sharding, NamedSharding):
        mesh = sharding.mesh
        axes = ", ".join(f"{n}={s} ({t.name})" for (n, s), t in zip(mesh.shape.items(), mesh.axis_types, strict=True))
        where = {"sharding": spec_text(sharding.spec), "mesh": f"{axes}, {devices}"}
    elif sharding is not None:
        where = {"sharding": f"on {devices}", "mesh": ""}
    return {
        "shape": str(tuple(shape)),
        "dtype": str(aval.dtype),
        "weak type": "a weak type" if aval.weak_type else "a strong type",
        **where,
        "memory": (sharding and sharding.memory_kind) or "",
    }


def _value(x: Any) -> str:
    text = "".join(itertools.islice(repr(x), LONGEST))
    return text if len(text) < LONGEST else text[:-1] + "…"
