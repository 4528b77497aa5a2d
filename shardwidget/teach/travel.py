"""Errands on their way to another process: devices by their ids, a teacher's functions by their code.

Only what a teacher made travels this way, to the process of a submission. What comes back are ``frames``.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import importlib.util
import io
import marshal
import pickle
import site
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, PartitionSpec, Sharding

from shardwidget.teach.source import unwrapped

_PLAIN = (int, float, complex, str, bytes, np.dtype, np.generic, Mesh, AbstractMesh, PartitionSpec, Sharding, AxisType)

_LARGE = 2**20
"""Bytes of the largest array that travels though the teacher's function does not refer to it."""


def pack(value: Any) -> bytes:
    """A value as bytes, for ``pickle.loads`` in a process that has as many devices.

    Raises:
        Exception: it cannot leave this process, in pickle's words.
    """
    out = io.BytesIO()
    _Pickler(out).dump(value)
    return out.getvalue()


@dataclass(frozen=True)
class Names:
    """What a recorded function finds by name: each is unpacked where it is needed, and what cannot be is not there."""

    packed: dict[str, bytes]

    def unpacked(self) -> dict[str, Any]:
        """What each name is bound to."""
        found = {}
        for name, data in self.packed.items():
            with contextlib.suppress(Exception):
                found[name] = pickle.loads(data)
        return found


def names_for(f: Callable[..., Any] | None, secret: Any) -> Names:
    """What a recorded function finds by name.

    It is what the teacher's function refers to, with what its functions refer to in turn, and of all else in its
    module what is imported from a package, meshes, specs and numbers. So the teacher's solution is not among it.

    Args:
        f: the teacher's function.
        secret: an object that is left out even if the function refers to it.
    """
    plain = unwrapped(f)
    scope: dict[str, Any] = getattr(plain, "__globals__", {})
    code = getattr(plain, "__code__", None)
    wanted = {name: scope[name] for name in _referred(code) if name in scope} if code else {}
    public = {name: value for name, value in scope.items() if not name.startswith("_") and _is_public(value)}
    packed = {}
    for name, value in (public | wanted).items():
        if value is secret or value is f:
            continue
        with contextlib.suppress(Exception):
            packed[name] = pack(value)
    return Names(packed)


def paths() -> list[str]:
    """Where another process looks for modules: where packages are installed, not where the teacher's files are."""
    own = [str(Path(sys.modules[name].__file__ or "").parent.parent) for name in ("shardwidget", "jax", "numpy")]
    return list(dict.fromkeys([*(p for p in sys.path if p and _is_installed(p)), *own]))


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, jax.Device):
            return _device, (value.id,)
        if isinstance(value, jax.Array) and not jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):
            return _array, (np.asarray(value), value.sharding if getattr(value, "committed", True) else None)
        if isinstance(value, ModuleType):
            return _module, (value.__name__, None if _has_package(value.__name__) else value.__file__)
        if isinstance(value, FunctionType) and not _is_importable(value):
            return _reduced(value)
        if callable(value) and not isinstance(value, type | FunctionType) and _is_importable(value):
            return _found, (value.__module__, getattr(value, "__qualname__", value.__name__))
        return NotImplemented


def _reduced(f: FunctionType) -> Any:
    """A function by its code, with the globals that it refers to."""
    package = _has_package(f.__module__ or "")
    scope = f.__module__ if package else {n: f.__globals__[n] for n in _referred(f.__code__) if n in f.__globals__}
    cells = tuple(cell.cell_contents for cell in f.__closure__ or ())
    made = (
        marshal.dumps(f.__code__),
        f.__name__,
        f.__defaults__,
        f.__kwdefaults__,
        cells,
        f.__module__ if package else None,
    )
    return _function, made, None if package else scope, None, None, _set_globals


def _function(code: bytes, name: str, defaults: Any, keywords: Any, cells: tuple[Any, ...], module: str | None) -> Any:
    scope = vars(importlib.import_module(module)) if module else {"__builtins__": builtins}
    f = FunctionType(marshal.loads(code), scope, name, defaults, tuple(map(CellType, cells)))
    f.__kwdefaults__ = keywords
    return f


def _set_globals(f: FunctionType, scope: dict[str, Any]) -> None:
    f.__globals__.update(scope)


def _device(number: int) -> Any:
    return next(d for d in jax.devices() if d.id == number)


def _array(values: np.ndarray, sharding: Sharding | None) -> jax.Array:
    return jax.numpy.asarray(values) if sharding is None else jax.device_put(values, sharding)


def _module(name: str, file: str | None) -> ModuleType:
    if file is None or name in sys.modules:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _referred(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _referred(constant)


def _is_public(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return _has_package(value.__name__)
    if isinstance(value, np.ndarray | jax.Array):
        return value.nbytes <= _LARGE
    # Not every object of a package: an exercise knows its truth.
    return isinstance(value, _PLAIN) or (callable(value) and _is_importable(value))


def _is_importable(f: Any) -> bool:
    """Whether a function or class is found by its name in an installed package."""
    module, names = getattr(f, "__module__", None), getattr(f, "__qualname__", getattr(f, "__name__", None))
    if not isinstance(module, str) or not isinstance(names, str) or not _has_package(module):
        return False
    return _found(module, names) is f


def _found(module: str, names: str) -> Any:
    found: Any = importlib.import_module(module)
    for name in names.split("."):
        found = getattr(found, name, None)
    return found


@cache
def _has_package(name: str) -> bool:
    """Whether a module belongs to Python or to an installed package."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return True
    if top in ("jax", "jaxlib", "numpy", "shardwidget"):
        return True
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None)
    return bool(file) and _is_installed(str(file))


@cache
def _is_installed(path: str) -> bool:
    roots = {sys.prefix, sys.base_prefix, *site.getsitepackages(), site.getusersitepackages()}
    return any(Path(path).resolve().is_relative_to(Path(root).resolve()) for root in roots)
