"""``read.model``: a whole tree of arrays, and what deserves a look in it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
from jax import export
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import Mesh as ConcreteMesh
from jax.tree_util import keystr

from shardwidget import _jax
from shardwidget.document import Ints, Mesh
from shardwidget.document.model import Model
from shardwidget.read._model.aliases import aliases, comparable
from shardwidget.read._model.flags import flagged
from shardwidget.read._model.leaves import LeafReader
from shardwidget.read._model.rules import Rules, ruled
from shardwidget.read._model.tree import Nodes, flatten, folds
from shardwidget.read._processes.together import participants, say_alone
from shardwidget.read._wordings import terms

NO_ARRAYS = (
    "there is no array in this {got}. Give a pytree of arrays: parameters, an optimizer's state, a module of flax or "
    "equinox, or their shapes (jax.eval_shape) with shardings."
)

SAME_MEMORY = "It has the memory of {path}, where it counts."

EXPORTED = "an Exported holds no arrays. Show what it computes: show(exported.call, *args)."


def model(tree: Any, *, name: str = "", rules: Rules = "") -> Model:
    """Reads where the arrays of a tree live, without touching their data.

    Args:
        tree: any pytree: dicts, dataclasses, states and modules of flax nnx and equinox, states of optax. Its leaves
            are arrays (also deleted, of other meshes, or of one device), ``jax.ShapeDtypeStruct``s, NumPy arrays, None,
            or anything else, which is named and takes no bytes. Or a ``Model``, to try rules on it.
        name: what to call it.
        rules: specs to try: then this is the tree as they would place it on its main mesh, and ``rules`` of the
            document says what came of each. One a line, ``pattern → P(...)``, as ``ModelView.rules``; or pairs
            ``(pattern, P(...))``. A pattern is searched in the path, ``params/layers/0/qkv``; the last that matches
            counts. A pair of a logical name of flax and mesh axes, ``('embed', 'model')``, is a rule for that name.

    Returns:
        The tree. A leaf that cannot be read is in it, with the reason in its ``note``.

    Raises:
        TypeError: there is no array in the tree, or the rules are neither text nor pairs.
        ValueError: the tree contains itself.
    """
    if isinstance(tree, Model):
        read = replace(tree, name=name or tree.name)
        return ruled(read, rules) if rules else read
    found = flatten(tree)
    reader = LeafReader()
    leaf_type = [reader.read(leaf, names) for _, leaf, names in found]
    _count_once(reader, leaf_type, found)
    if all(kind.state in ("none", "other") for kind in reader.types):
        exported = isinstance(tree, export.Exported)
        raise TypeError(EXPORTED if exported else NO_ARRAYS.format(got=type(tree).__name__))
    say_alone(
        "reads shapes and shardings.", participants(p for mesh in reader.meshes for p in mesh.process.array().tolist())
    )
    nodes = Nodes([path for path, *_ in found])
    meshes, of_mesh = _main_first(reader, leaf_type)
    without = Model(
        mesh=meshes[0],
        other_meshes=meshes[1:],
        types=tuple(kind if kind.mesh < 0 else replace(kind, mesh=of_mesh[kind.mesh]) for kind in reader.types),
        keys=tuple(nodes.keys),
        node_key=Ints.pack(nodes.key),
        node_depth=Ints.pack(nodes.depth),
        leaf_type=Ints.pack(leaf_type),
        folds=folds(nodes, leaf_type),
        flags=(),
        terms=terms(_named(reader, of_mesh)),
        name=name,
        jax_version=jax.__version__,
    )
    read = flagged(without)
    return ruled(read, rules) if rules else read


def _count_once(reader: LeafReader, leaf_type: list[int], found: Sequence[tuple[Any, Any, Any]]) -> None:
    """Replaces the type of leaves whose memory another leaf has too, such as tied weights."""
    held = [k for k, index in enumerate(leaf_type) if reader.types[index].state in ("live", "host")]
    kinds = [leaf_type[k] for k in held]
    addressed = comparable({index: reader.types[index] for index in kinds}, reader.meshes)
    for one, other in aliases([_jax.held_array(found[k][1]) for k in held], kinds, addressed).items():
        path = keystr(found[held[other]][0])
        leaf_type[held[one]] = reader.shared(leaf_type[held[one]], SAME_MEMORY.format(path=path or "the tree"))


def _main_first(reader: LeafReader, leaf_type: list[int]) -> tuple[tuple[Mesh, ...], dict[int, int]]:
    """The meshes, the one with the most devices and bytes first, and the index of each of the reader's among them."""
    if not reader.meshes:
        return (_host_mesh(),), {}
    held: Counter[int] = Counter()
    for index, count in Counter(leaf_type).items():
        kind = reader.types[index]
        held[kind.mesh] += count * kind.bits * math.prod(kind.shape)
    order = sorted(range(len(reader.meshes)), key=lambda m: (-reader.meshes[m].size, -held[m]))
    return tuple(reader.meshes[m] for m in order), {m: k for k, m in enumerate(order)}


def _host_mesh() -> Mesh:
    """For a tree of which nothing is on any device: no axes and one position."""
    return Mesh((), Ints.pack([0]), Ints.pack([0]), 0, abstract=True)


def _named(reader: LeafReader, of_mesh: dict[int, int]) -> ConcreteMesh | AbstractMesh:
    """JAX's own object for the main mesh; that of any other where the main one has no axes."""
    first = [mesh for at, mesh in reader.named.items() if of_mesh[at] == 0]
    return first[0] if first else AbstractMesh((1,), ("x",), axis_types=(AxisType.Auto,))
