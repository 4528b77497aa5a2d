"""Shardings of a program's own operations, before the compiler partitions it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
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
            state_rules(copy)
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


def state_rules(module: Any) -> None:
    """Says of each operation of CHLO how its results are split with its operands.

    Shardy has rules for StableHLO, in which XLA writes ``square``, ``lgamma`` and ``top_k`` before it propagates. Their
    dimensions go together where operands and results have one shape; of a ``top_k`` all but the last do. ``erf`` XLA
    hands on as it is: until JAX 0.12 it gathers the operand whole.
    """
    from jax.extend.mlir import ir

    for operation in inside(module):
        if operation.name == "chlo.erf" and jax.__version_info__ < (0, 12):
            continue
        if operation.name.startswith("chlo."):
            shapes = [tuple(v.type.shape) for v in (*operation.operands, *operation.results)]
            if rule := _rule(shapes, len(operation.operands), ranked=operation.name == "chlo.top_k"):
                operation.attributes["sdy.sharding_rule"] = ir.Attribute.parse(rule)
        else:
            state_rules(operation)


def _rule(shapes: Sequence[tuple[int, ...]], operands: int, *, ranked: bool) -> str:
    """``#sdy.op_sharding_rule<([i, j])->([i, j]) {i=64, j=8}>``; empty where none is known."""
    rank = len(shapes[0])
    alike = {shape[:-1] for shape in shapes} if ranked else set(shapes)
    if not 0 < rank <= len(_FACTORS) - 1 or len(alike) > 1:
        return ""
    sizes = dict(zip(_FACTORS, shapes[0], strict=False))
    if ranked:  # Elements are picked along the last dimension: what is split there is no part of the result.
        sizes[_FACTORS[rank]] = shapes[-1][-1]
    first = ", ".join(_FACTORS[:rank])
    last = ", ".join([*_FACTORS[: rank - 1], _FACTORS[rank]]) if ranked else first
    given, made = (", ".join([f"[{one}]"] * n) for one, n in ((first, operands), (last, len(shapes) - operands)))
    return f"#sdy.op_sharding_rule<({given})->({made}) {{{', '.join(f'{f}={n}' for f, n in sizes.items())}}}>"


_FACTORS = "ijklmnopqrstuvwxyz"


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
