"""Types as answers: every form in which JAX prints one, taken apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.read._entries import entries
from shardwidget.teach.forms import AnswerError, checked, read_spec


@dataclass(frozen=True)
class Typed:
    """A type as JAX prints it, taken apart."""

    dtype: str
    """Short: ``f32``."""
    shape: tuple[int, ...]
    axes: tuple[tuple[str, ...], ...]
    """Mesh axes of each dimension, major to minor."""
    states: frozenset[tuple[str, str]] = frozenset()
    """``("U", "y")`` for an axis that it is unreduced over, ``U_max`` where the parts are maxima; ``R`` reduced, ``V``
    varying."""

    def __str__(self) -> str:
        dims = (f"{n}@{_joined(a)}" if a else str(n) for n, a in zip(self.shape, self.axes, strict=True))
        kinds = sorted({kind for kind, _ in self.states})
        said = (f"{k}:{_joined(sorted(a for kind, a in self.states if kind == k))}" for k in kinds)
        return f"{self.dtype}[{','.join(dims)}]" + (f"{{{', '.join(said)}}}" if kinds else "")


TYPE_FORMS = "f32[8@x,16], f32[8@(x,y)], f32[8]{U:y}"
_SHORT = (("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))
"""What JAX writes for a part of a dtype's name in a short type, in the order in which it replaces them."""


def read_type(answer: Any) -> Typed:
    """A type as JAX spells it: ``f32[8@x]``; or as a notebook prints it.

    ``ShapedArray(float32[8@x])`` and ``ShapeDtypeStruct(shape=(8,), dtype=float32, sharding=…)`` are what a notebook
    prints. What ``jax.typeof`` and ``jax.eval_shape`` return may be given as it is. Spaces do not matter.

    Raises:
        AnswerError: it is not a type.
    """
    if isinstance(answer, type(jax.typeof(0)) | jax.ShapeDtypeStruct):
        answer = str(answer)
    if not isinstance(answer, str):
        raise AnswerError(f"answer with a type as text, for example {TYPE_FORMS}; got a {type(answer).__name__}")
    text = re.sub(r"\s", "", checked(answer, f"a type, for example {TYPE_FORMS}"))
    if printed := re.fullmatch(r"ShapedArray\((.*?)(?:,weak_type=True)?\)", text):
        text = printed[1]
    if struct := _STRUCT.fullmatch(text):
        return _of_struct(struct[1], struct[2], struct[3] or "")
    whole = re.fullmatch(r"([a-z]\w*)\[([^\[\]{}]*)\](?:\{([^{}]*)\})?", text)
    if not whole:
        raise AnswerError(f"{answer.strip()[:80]} is not a type as JAX writes it; write for example {TYPE_FORMS}")
    sizes, axes = [], []
    for dim in _split(whole[2]):
        found = re.fullmatch(r"(\d{1,18})(?:@(?:(\w+)|\(([\w,]+)\)))?", dim)
        if not found:
            raise AnswerError(
                f"{dim} is not a dimension: write its size, and @ with the axes that split it: 8@x, 8@(x,y)"
            )
        sizes.append(int(found[1]))
        axes.append(tuple(a for a in (found[2] or found[3] or "").split(",") if a))
    states = set()
    for part in _split(whole[3] or ""):
        found = re.fullmatch(r"(U_max|U_min|[UVR]):(?:(\w+)|\(([\w,]+)\))", part)
        if not found:
            raise AnswerError(f"{{{part}}} is not a state: write {{U:y}}, {{R:y}} or {{V:(x,y)}}")
        states |= {(found[1], a) for a in (found[2] or found[3]).split(",") if a}
    return Typed(_short(whole[1]), tuple(sizes), tuple(axes), frozenset(states))


_STRUCT = re.compile(
    r"(?:jax\.)?ShapeDtypeStruct\(shape=\(([\d,]*)\),dtype=(\w+)(?:,sharding=(None|NamedSharding\(.*\)))?"
    r"(?:,weak_type=(?:True|False))?\)"
)
_AXES = re.compile(r"mesh=\w+\((.*?),axis_types=\(([\w,]*)\)")
_SPEC = re.compile(r"spec=((?:P|PartitionSpec)\((?:[^()]|\([^()]*\))*\))")


def _of_struct(shape: str, dtype: str, sharding: str) -> Typed:
    """The type of what a ``ShapeDtypeStruct`` describes: a type shows only what Explicit axes split."""
    sizes = tuple(int(n) for n in shape.split(",") if n)
    spec, mesh = _SPEC.search(sharding), _AXES.search(sharding)
    if not spec:
        return Typed(_short(dtype), sizes, ((),) * len(sizes))
    read = read_spec(spec[1])
    if len(read) > len(sizes):
        raise AnswerError(f"{spec[1]} has more entries than the shape has dimensions")
    names = re.findall(r"'(\w+)':", mesh[1]) if mesh else []
    kinds = [kind for kind in mesh[2].split(",") if kind] if mesh else []
    hidden = {name for name, kind in zip(names, kinds, strict=False) if kind != "Explicit"}
    axes = tuple(tuple(a for a in dim if a not in hidden) for dim in entries(read, len(sizes)))
    kind = _jax.unreduced_kind(read)
    parts = "U" if kind == "sum" else f"U_{kind}"
    of_each = ((parts, read.unreduced), ("R", read.reduced))
    states = {(letter, a) for letter, of in of_each for a in of if a not in hidden}
    return Typed(_short(dtype), sizes, axes, frozenset(states))


def _short(dtype: str) -> str:
    for long, letter in _SHORT:
        dtype = dtype.replace(long, letter)
    return dtype


def _split(text: str) -> list[str]:
    """Splits at the commas outside parentheses."""
    return [part for part in re.findall(r"(?:[^,()]|\([^()]*\))+", text) if part] if text else []


def _joined(axes: Sequence[str]) -> str:
    return axes[0] if len(axes) == 1 else f"({','.join(axes)})"
