"""Shardings of a program's own operations, before the compiler partitions it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import jax

_PIPELINE = "builtin.module(sdy-propagation-pipeline)"
_MESH = re.compile(r'"([^"]+)"=(\d+)')
_VALUE = re.compile(r"<@([\w.\-]+), \[((?:\{[^{}]*\},? ?)*)\]([^<>]*)>")


class Split(NamedTuple):
    """How a result of an operation is divided."""

    shape: tuple[int, ...]
    """The shape of the whole."""
    local: tuple[int, ...]
    """Shape on a device."""
    axes: tuple[str, ...]
    """Mesh axes that divide it, by dimension."""


def propagated(lowered: jax.stages.Lowered) -> dict[str, frozenset[Split]]:
    """How the results of operations are divided, by the operation's name: ``jit(step)/jvp()/dot_general``.

    It runs Shardy's propagation on a copy of the module. The compiler runs it too, but not on the same module, so a
    value may be divided otherwise in the end. Operations of one name may differ. Values whose sharding is left open,
    partial sums and what is in a ``shard_map`` are left out. Empty where it cannot be run: without Shardy, or in a
    version that names it otherwise.

    JAX 0.9 – 0.12: the name of the pipeline and the text of shardings are not promised.
    """
    from jax.extend.mlir import ir, passmanager

    module: Any = lowered.compiler_ir()
    try:
        copy = module.operation.clone()
        with module.context:
            passmanager.PassManager.parse(_PIPELINE).run(copy)
    except (ir.MLIRError, ValueError, AttributeError):
        return {}
    functions, meshes = {}, {}
    for operation in inside(copy):
        if operation.name == "func.func":
            functions[operation.attributes["sym_name"].value] = operation
        elif operation.name == "sdy.mesh":
            sizes = _MESH.findall(str(operation.attributes["mesh"]).partition("{stablehlo")[0])
            meshes[operation.attributes["sym_name"].value] = {axis: int(size) for axis, size in sizes}
    found: dict[str, set[Split]] = {}
    for name, operation in _named(functions.get("main"), "", functions):
        found.setdefault(name, set()).update(_splits(operation, meshes))
    return {name: frozenset(splits) for name, splits in found.items()}


def inside(operation: Any) -> Iterator[Any]:
    """The operations in the regions of one, without those in theirs."""
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation


def _named(operation: Any, prefix: str, functions: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Operations by the names that the compiled module has for them: of those in a function, after the call's."""
    if operation is None:
        return
    for inner in inside(operation):
        name = prefix + name_of(inner.location)
        yield name, inner
        if inner.name == "func.call":
            yield from _named(functions.get(inner.attributes["callee"].value), f"{name}/", functions)
        elif inner.name != "sdy.manual_computation":
            yield from _named(inner, prefix, functions)


def name_of(location: Any) -> str:
    """The name stack of a location; empty where it has none."""
    # JAX 0.9 has one class for all locations, and ends the process where one has no name.
    is_a_name = location.is_a_name() if hasattr(location, "is_a_name") else hasattr(location, "name_str")
    return location.name_str if is_a_name else ""


def _splits(operation: Any, meshes: Mapping[str, Mapping[str, int]]) -> Iterator[Split]:
    if "sdy.sharding" not in operation.attributes:
        return
    written = _VALUE.findall(str(operation.attributes["sdy.sharding"]))
    types = [result.type for result in operation.results]
    if len(written) != len(types):
        return
    for (mesh, dimensions, rest), type_ in zip(written, types, strict=True):
        sizes = meshes.get(mesh, {})
        names = [re.findall(r'"([^"]+)"', each) for each in re.findall(r"\{([^{}]*)\}", dimensions)]
        known = all(axis in sizes for each in names for axis in each)
        # A colon is a part of an axis: "data":(1)2.
        if not known or ":" in dimensions or "unreduced" in rest or len(names) != len(type_.shape):
            continue
        parts = [math.prod(sizes[axis] for axis in each) for each in names]
        local = tuple(-(-size // part) for size, part in zip(type_.shape, parts, strict=True))
        yield Split(tuple(type_.shape), local, tuple(axis for each in names for axis in each))
