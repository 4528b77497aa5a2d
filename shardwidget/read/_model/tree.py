"""The tree above the leaves: its nodes in preorder, and which of them are equal."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import jax
from jax.tree_util import GetAttrKey, keystr

from shardwidget.document import Ints
from shardwidget.document.leaf import Key
from shardwidget.read._model.logical import logical_names

Path = tuple[Any, ...]

CYCLE = "this tree contains itself: a {got} is somewhere below itself. Give the part of it that holds the arrays."


def flatten(tree: Any) -> list[tuple[Path, Any, tuple[str, ...]]]:
    """Paths and leaves, including those inside what JAX treats as a leaf: modules that are not pytrees, dataclasses.

    Beside each leaf are the logical names of its dimensions, where flax keeps such.

    Raises:
        ValueError: the tree holds itself.
    """
    _refuse_cycles(tree)
    return list(_flatten((), tree))


def _refuse_cycles(tree: Any) -> None:
    """JAX would recurse until the stack is full, and after that Python counts its depth wrongly."""
    above: dict[int, None] = {}
    # An entry is a container still to be entered, or the id of one that is left.
    rest: list[Any] = [tree]
    while rest:
        item = rest.pop()
        if type(item) is _Left:
            del above[item.container]
            continue
        inner = _inside(item)
        if not inner:
            continue
        if id(item) in above:
            raise ValueError(CYCLE.format(got=type(item).__name__))
        above[id(item)] = None
        rest.append(_Left(id(item)))
        rest += inner


@dataclasses.dataclass(slots=True)
class _Left:
    container: int


def _inside(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return list(item.values())
    if isinstance(item, list | tuple):
        return list(item)
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return [getattr(item, f.name, None) for f in dataclasses.fields(item)]
    return []


def _flatten(above: Path, tree: Any) -> Iterator[tuple[Path, Any, tuple[str, ...]]]:
    # Logical names of what holds a parameter, by its id: asked for once, while the tree keeps it alive.
    named: dict[int, tuple[str, ...]] = {}

    def stands_alone(x: Any) -> bool:
        names = logical_names(x)
        if names:
            named[id(x)] = names
        return x is None or bool(names)

    for path, leaf in jax.tree_util.tree_flatten_with_path(tree, is_leaf=stands_alone)[0]:
        whole = above + path
        names = named.get(id(leaf))
        if names:
            inside, _ = jax.tree_util.tree_flatten_with_path(leaf, is_leaf=lambda x, box=leaf: x is not box)
            yield from ((whole + rest, value, names) for rest, value in inside)
            continue
        inner = _opened(leaf)
        if inner is None:
            yield whole, leaf, ()
        else:
            for key, value in inner:
                yield from _flatten((*whole, *key), value)


def _opened(leaf: Any) -> list[tuple[Path, Any]] | None:
    """The contents of a leaf that is a container after all; None where it is not."""
    if leaf is None or isinstance(leaf, jax.Array | jax.Ref | jax.ShapeDtypeStruct):
        return None
    # A module that is not a pytree: before flax 0.11. Whoever holds one has imported flax.
    nnx = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(leaf, nnx.Module):
        return [((), nnx.state(leaf))]
    if dataclasses.is_dataclass(leaf) and not isinstance(leaf, type):
        return [((GetAttrKey(f.name),), getattr(leaf, f.name)) for f in dataclasses.fields(leaf)]
    return None


class Nodes:
    """The nodes of a tree, in preorder."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.keys: list[Key] = []
        self.key: list[int] = []
        self.depth: list[int] = []
        self.leaves: list[int] = []
        """The node of each leaf."""
        self._key_at: dict[str, int] = {}
        self._known: dict[Any, int] = {}
        last: list[int] = []
        for path in paths:
            steps = [self._index(key) for key in path] or [self._named(Key("", ""))]
            shared = 0
            # The last step is the leaf itself, a node of its own even where another leaf has the same path.
            for a, b in zip(steps[:-1], last[:-1], strict=False):
                if a != b:
                    break
                shared += 1
            self.key += steps[shared:]
            self.depth += range(shared, len(steps))
            self.leaves.append(len(self.key) - 1)
            last = steps

    def _index(self, key: Any) -> int:
        try:
            found = self._known.get(key)
        except TypeError:  # A key of the user's own class, which cannot be hashed.
            return self._named(_key(key))
        if found is None:
            found = self._known[key] = self._named(_key(key))
        return found

    def _named(self, key: Key) -> int:
        at = self._key_at.setdefault(key.text, len(self.keys))
        if at == len(self.keys):
            self.keys.append(key)
        return at


def _key(key: Any) -> Key:
    return Key(keystr((key,)), keystr((key,), simple=True))


def roles(keys: Sequence[Key]) -> list[str]:
    """A key without its number: the same for ``[3]`` and ``[4]``, the same for ``block_3`` and ``block_4``."""
    return [re.sub(r"\d+", "#", key.text) for key in keys]


def folds(nodes: Nodes, leaf_types: Sequence[int]) -> tuple[Ints, ...]:
    """Neighbouring nodes with equal roles and equal subtrees: a fold needs two subtrees, or four leaves.

    Folds are those of the tree with all folds closed: none is below the second node of another.
    """
    role = roles(nodes.keys)
    count = len(nodes.key)
    leaf_at = dict(zip(nodes.leaves, leaf_types, strict=True))
    below: dict[int, list[int]] = {}
    ancestors: list[int] = []
    for node, depth in enumerate(nodes.depth):
        del ancestors[depth:]
        below.setdefault(ancestors[-1] if ancestors else -1, []).append(node)
        ancestors.append(node)
    # Children come after their parents: going backwards, they are known first.
    form = [0] * count
    form_at: dict[Any, int] = {}
    for node in reversed(range(count)):
        inner = tuple((nodes.key[child], form[child]) for child in below.get(node, ()))
        form[node] = form_at.setdefault(inner or leaf_at[node], len(form_at))
    found = []
    # What is below the second of equal nodes is never looked at.
    shown = [-1]
    while shown:
        equal: dict[tuple[str, int], list[int]] = {}
        for node in below.get(shown.pop(), ()):
            equal.setdefault((role[nodes.key[node]], form[node]), []).append(node)
        for group in equal.values():
            if len(group) >= (4 if group[0] in leaf_at else 2):
                found.append(Ints.pack(group))
                shown.append(group[0])
            else:
                shown += group
    return tuple(found)
