"""Assertions about where arrays live."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jax.sharding import PartitionSpec

from shardwidget import _jax, read
from shardwidget._format import byte_count, parse_bytes
from shardwidget.document import Dim, Mesh, Placement
from shardwidget.document.model import Leaf, Model
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text

__tracebackhide__ = True

MOST = 12
"""The most leaves that a failure names."""


def assert_placement(x: Any, spec: PartitionSpec) -> None:
    """Fails if an array is not split as a spec says.

    Args:
        x: a ``jax.Array``, or a ``jax.ShapeDtypeStruct`` with a sharding.
        spec: how each dimension is split. Axes of size 1 split nothing.

    Raises:
        AssertionError: it is split in another way; or its mesh has one device.
        ValueError: the mesh has no such axis, or the spec does not fit the array.
    """
    placed = read.placement(x)
    _check_mesh(placed.mesh, [spec], "the array")
    if (said := _unlike(placed, placed.mesh, spec)) is not None:
        raise AssertionError(f"{placed.name or 'the array'} {said}")


def assert_sharded(tree: Any, rules: Mapping[str, PartitionSpec], *, replicated_up_to: int | str = 0) -> None:
    r"""Fails if an array of a tree is not split as the rules say, or if no rule is about it.

    ```python
    assert_sharded(params, {"embed": P("model", None), r"layers/.*/w\\d": P(None, "model")}, replicated_up_to="1 MiB")
    ```

    Args:
        tree: any pytree of arrays, or of shapes with shardings: see ``read.model``.
        rules: specs by regular expressions that are searched in the paths of leaves, ``params/layers/0/w``. The last
            that matches counts, as in ``ModelView``.
        replicated_up_to: arrays that no rule matches may take so many bytes on a device.

    Raises:
        AssertionError: a leaf is split in another way, a larger one has no rule, or a rule matches no leaf; or the mesh
            has one device.
        ValueError: a pattern is no regular expression, the mesh has no such axis, or a spec does not fit a leaf.
    """
    model = read.model(tree)
    most = parse_bytes(replicated_up_to) if isinstance(replicated_up_to, str) else replicated_up_to
    _check_mesh(model.mesh, rules.values(), "the tree")
    patterns = {pattern: _compiled(pattern) for pattern in rules}
    faults, used = [], set()
    for leaf in model.leaves:
        if not leaf.kind.is_array:
            continue
        matching = [pattern for pattern, compiled in patterns.items() if compiled.search(leaf.name)]
        used.update(matching)
        faults += _faults(model, leaf, rules[matching[-1]] if matching else None, most)
    unused = [f"no leaf matches {pattern!r}: this rule checks nothing" for pattern in rules if pattern not in used]
    if faults or unused:
        lines = [*faults[:MOST], *([f"… and {len(faults) - MOST} more leaves"] if len(faults) > MOST else []), *unused]
        raise AssertionError("\n".join(lines))


def _faults(model: Model, leaf: Leaf, spec: PartitionSpec | None, most: int) -> Iterator[str]:
    if not leaf.kind.on_devices:
        yield f"{leaf.name} {leaf.kind.type} is on no mesh ({leaf.kind.state})"
    elif spec is None:
        if leaf.bytes_per_device > most:
            size = byte_count(leaf.bytes_per_device)
            yield f"{leaf.name} {leaf.kind.type} has no rule, and takes {size} on each device"
    else:
        placed = leaf.kind.placement(model.meshes, model.jax_version)
        if (said := _unlike(placed, placed.mesh, spec)) is not None:
            yield f"{leaf.name} {said}"


def _unlike(placed: Placement, mesh: Mesh, spec: PartitionSpec) -> str | None:
    """In what an array is not split as a spec says; None where it is."""
    sizes = {axis.name: axis.size for axis in mesh.axes}
    shape = placed.shape or ()
    if len(spec) > len(shape):
        raise ValueError(f"{spec_text(spec)} has {len(spec)} entries; {placed.type} has {len(shape)} dimensions")
    wanted = dims_of_spec(shape, spec)
    if not sizes and any(dim.axes for dim in wanted):
        return f"is {placed.type} on one device, not split as {spec_text(spec)}: {byte_count(placed.nbytes)} there"
    for axis in (axis for dim in wanted for axis in dim.axes):
        if axis not in sizes:
            raise ValueError(f"{spec_text(spec)} names the axis {axis!r}; the mesh has {', '.join(map(repr, sizes))}")
    alike = _split(placed.dims, sizes) == _split(wanted, sizes) and not any(dim.cut for dim in placed.dims)
    if alike and set(placed.unreduced) == set(spec.unreduced):
        return None
    copies = f", {placed.copies} copies" if placed.copies > 1 else ""
    held = f"{byte_count(placed.bytes_per_device)} on a device{copies}"
    given = (placed.spec or placed.sharding).replace("PartitionSpec", "P")  # As JAX 0.9 prints it.
    return f"is {placed.type}, split as {given}, not {spec_text(spec)}: {held}"


def _split(dims: tuple[Dim, ...], sizes: Mapping[str, int]) -> list[tuple[str, ...]]:
    """The axes that split each dimension."""
    return [tuple(axis for axis in dim.axes if sizes[axis] > 1) for dim in dims]


def _check_mesh(mesh: Mesh, specs: Iterable[PartitionSpec], what: str) -> None:
    """What is on a device without a mesh is not split, so a spec that splits finds it; on a mesh of one, none does."""
    on_a_mesh = mesh.axes or not any(entry for spec in specs for entry in _jax.partitions(spec))
    if on_a_mesh and math.prod(axis.size for axis in mesh.axes) == 1:
        raise AssertionError(f"the mesh of {what} has one device, where nothing is split: this checks nothing")


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
