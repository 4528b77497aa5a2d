"""The forms that answers take: read from what a student types or a cell assigns, and written back as text.

What comes from a browser is text and is never evaluated: specs and numbers are read from the syntax tree of a literal.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jax.sharding import PartitionSpec

from shardwidget import _jax

LONGEST = 10_000
"""The most characters of an answer."""

SPEC_FORMS = "P('x', None), P(('x', 'y')), P(None, P.UNCONSTRAINED), P('x', unreduced={'y'})"


class AnswerError(ValueError):
    """An answer that does not have the required form. It does not count as an attempt."""


# ── PartitionSpec ─────────────────────────────────────────────────────────────────────────────────────────────────────


def read_spec(answer: Any) -> PartitionSpec:
    """A PartitionSpec, as it is or as text.

    Raises:
        AnswerError: it is neither.
    """
    if isinstance(answer, PartitionSpec):
        return answer
    if not isinstance(answer, str):
        raise AnswerError(f"answer with a PartitionSpec, for example {SPEC_FORMS}; got a {type(answer).__name__}")
    tree = _literal(answer, f"a PartitionSpec, for example {SPEC_FORMS}")
    if not isinstance(tree, ast.Call):
        entries = tree.elts if isinstance(tree, ast.Tuple) else [tree]
        return _spec(answer, entries, {})
    if _dotted(tree.func) not in ("P", "PartitionSpec", "jax.P", "jax.sharding.PartitionSpec"):
        raise AnswerError(f"{answer.strip()} is not a PartitionSpec; write for example {SPEC_FORMS}")
    return _spec(answer, tree.args, {k.arg: k.value for k in tree.keywords})


def _spec(text: str, entries: Sequence[ast.expr], keywords: dict[str | None, ast.expr]) -> PartitionSpec:
    kind = _kind(keywords.pop("unreduced_kind", None))
    if unknown := set(keywords) - {"unreduced", "reduced"}:
        raise AnswerError(f"a PartitionSpec has no argument {sorted(map(str, unknown))[0]!r}; write {SPEC_FORMS}")
    states: dict[str, Any] = {
        str(name): frozenset(_name(text, e) for e in _items(text, node)) for name, node in keywords.items()
    }
    try:
        states |= _jax.of_kind(kind)
        return PartitionSpec(*(_entry(text, e) for e in entries), **states)
    except AnswerError:
        raise
    except (TypeError, ValueError) as error:
        raise AnswerError(f"JAX refuses {text.strip()}: {error}") from error


def _kind(node: ast.expr | None) -> str:
    """What combines the parts, of ``UnreducedKind.max``, or of ``max`` as JAX prints it."""
    if node is None:
        return "sum"
    name = _dotted(node).rpartition(".")[2]
    if name in ("sum", "max", "min"):
        return name
    raise AnswerError(f"{ast.unparse(node)} is not a kind: write jax.sharding.UnreducedKind.max, .min or .sum")


def _entry(text: str, node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_name(text, e) for e in node.elts)
    if isinstance(node, ast.Attribute) and node.attr == "UNCONSTRAINED":
        return PartitionSpec.UNCONSTRAINED
    return _name(text, node)


def _name(text: str, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        raise AnswerError(f"names of mesh axes are strings: write '{node.id}' instead of {node.id}")
    raise AnswerError(f"{ast.unparse(node)} is not an entry of a PartitionSpec: write None, 'x' or ('x', 'y')")


def _items(text: str, node: ast.expr) -> Sequence[ast.expr]:
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        return node.elts
    if isinstance(node, ast.Call) and _dotted(node.func) in ("set", "frozenset") and len(node.args) == 1:
        return _items(text, node.args[0])
    raise AnswerError(f"{ast.unparse(node)} is not a set of axis names; write {{'x'}}")


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def _literal(text: str, wanted: str) -> ast.expr:
    plain = checked(text, wanted)
    try:
        return ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise AnswerError(f"{text.strip()[:80]} is not {wanted}") from None


def checked(text: str, wanted: str) -> str:
    """Text that is not empty and not too long.

    Raises:
        AnswerError: it is empty, or longer than ``LONGEST``.
    """
    if not text.strip():
        raise AnswerError(f"nothing is filled in; answer with {wanted}")
    if len(text) > LONGEST:
        raise AnswerError(f"the answer has {len(text)} characters; at most {LONGEST} are read")
    return text.strip()


# ── Numbers ───────────────────────────────────────────────────────────────────────────────────────────────────────────

UNITS = {"": 1, "b": 1, "byte": 1, "bytes": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def read_count(answer: Any) -> int:
    """A whole number, 0 or more."""
    if isinstance(answer, str):
        text = checked(answer, "a whole number")
        if not re.fullmatch(r"\d{1,18}", text):
            raise AnswerError(f"{text[:40]} is not a whole number")
        return int(text)
    if isinstance(answer, int | np.integer) and not isinstance(answer, bool) and answer >= 0:
        return int(answer)
    raise AnswerError(f"answer with a whole number; got {answer!r}")


def read_bytes(answer: Any) -> int:
    """A number of bytes: ``1024``, ``1024 B`` and ``1 KiB`` are the same."""
    if not isinstance(answer, str):
        return read_count(answer)
    text = checked(answer, "a number of bytes, for example 512 B or 1.5 KiB")
    found = re.fullmatch(r"(\d{1,18}(?:\.\d{1,9})?)\s*([a-zA-Z]*)", text)
    if not found or found[2].lower() not in UNITS:
        raise AnswerError(
            f"{text[:40]} is not a number of bytes; write for example 512, 512 B or 1.5 KiB (1 KiB = 1024 B)"
        )
    count = float(found[1]) * UNITS[found[2].lower()]
    if count != int(count):
        raise AnswerError(f"{text[:40]} is not a whole number of bytes")
    return int(count)


def read_shape(answer: Any) -> tuple[int, ...]:
    """A shape: ``(2, 8)``, ``2, 8``, ``[2,8]`` or ``2×8``."""
    if isinstance(answer, str):
        text = checked(answer, "a shape, for example (2, 8)").strip("()[] ,").replace("×", ",")
        parts: Iterable[Any] = [p.strip() for p in text.split(",")] if text else []
    elif isinstance(answer, Iterable):
        parts = answer
    else:
        parts = [answer]
    try:
        return tuple(read_count(part) for part in parts)
    except AnswerError:
        raise AnswerError(
            f"{answer!r} is not a shape; write one whole number for each dimension, for example (2, 8)"
        ) from None


def read_devices(answer: Any) -> frozenset[int]:
    """Device ids in any order: ``{0, 1}``, ``[1, 0]``, ``0 1``."""
    if isinstance(answer, str):
        text = checked(answer, "device ids, for example 0, 1").strip("{}[]() ")
        parts: Iterable[Any] = [p for p in re.split(r"[\s,;]+", text) if p]
    elif isinstance(answer, Iterable) and not isinstance(answer, bytes):
        parts = [getattr(d, "id", d) for d in answer]
    else:
        parts = [getattr(answer, "id", answer)]
    try:
        return frozenset(read_count(part) for part in parts)
    except AnswerError:
        raise AnswerError(f"{answer!r} is not a set of device ids; write for example 0, 1") from None


def read_slices(answer: Any, shape: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """First index and one past the last of each dimension: ``[4:6, 8:16]``, ``x[4:6, :]``, or a tuple of slices."""
    wanted = "slices, for example [4:6, 8:16]"
    if isinstance(answer, str):
        text = re.sub(r"^\s*\w*\s*\[|\]\s*$", "", checked(answer, wanted))
        parts: list[Any] = [p.strip() for p in text.split(",")]
    elif isinstance(answer, slice):
        parts = [answer]
    elif isinstance(answer, Sequence):
        parts = list(answer)
    else:
        raise AnswerError(f"answer with {wanted}; got {answer!r}")
    if len(parts) != len(shape):
        raise AnswerError(f"{len(parts)} slices for {len(shape)} dimensions; write one for each: [4:6, 8:16]")
    return tuple(_bounds(part, size, wanted) for part, size in zip(parts, shape, strict=True))


def _bounds(part: Any, size: int, wanted: str) -> tuple[int, int]:
    if isinstance(part, str):
        found = re.fullmatch(r"(\d{0,18})\s*:\s*(\d{0,18})", part)
        if not found:
            raise AnswerError(f"{part[:40]!r} is not one of {wanted}")
        part = slice(*(int(end) if end else None for end in found.groups()))
    if not isinstance(part, slice) or part.step not in (None, 1):
        raise AnswerError(f"{part!r} is not one of {wanted}")
    start, stop, _ = part.indices(size)
    return start, stop


def read_numbers(answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of a block of a shape, from rows of text or anything that numpy takes.

    Raises:
        AnswerError: they are not numbers, or not the right number of them.
    """
    what = f"{math.prod(shape)} numbers, as a block of shape {shape}"
    if isinstance(answer, str):
        rows = [r for r in re.split(r"[\n;]", re.sub(r"[\[\]()]", " ", answer)) if r.strip(" ,")]
        words = [w for row in rows for w in re.split(r"[\s,]+", row) if w]
        if not words:
            raise AnswerError(f"nothing is filled in; answer with {what}")
        if len(words) > LONGEST or max(map(len, words)) > 40:
            raise AnswerError(f"too much is filled in; answer with {what}")
        try:
            values = np.array([float(w.replace("−", "-")) for w in words])
        except ValueError:
            raise AnswerError(f"not everything that is filled in is a number; answer with {what}") from None
    else:
        try:
            values = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise AnswerError(f"answer with {what}; got a {type(answer).__name__}") from None
        if values.size == math.prod(shape) and values.ndim > 1 and values.shape != shape and len(shape) > 1:
            raise AnswerError(f"the block has shape {values.shape}; answer with {what}")
    if values.size != math.prod(shape):
        raise AnswerError(f"{values.size} numbers are filled in; answer with {what}")
    return values.reshape(shape)


def number_text(value: Any) -> str:
    """A number in the fewest digits."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def grid_text(values: np.ndarray) -> str:
    """A block as rows of text."""
    rows = np.atleast_2d(values)
    return "\n".join(", ".join(number_text(float(v)) for v in row) for row in rows)
