"""PartitionSpecs by the mesh axes of each dimension, and as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jax.sharding import PartitionSpec

from shardwidget import _jax

Entries = tuple[tuple[str, ...], ...]
"""The mesh axes of each dimension."""


def entries(spec: PartitionSpec, rank: int) -> Entries:
    """The axes of each dimension of a spec."""
    listed = [e if isinstance(e, tuple) else () if e is None else (e,) for e in _jax.partitions(spec)]
    return tuple(tuple(str(a) for a in e) for e in [*listed, *[()] * (rank - len(listed))])


def entries_text(dims: Sequence[Sequence[str]]) -> str:
    """The PartitionSpec of the mesh axes of each dimension, as it is written: ``P('x', None)``."""
    words = ["None" if not d else repr(d[0]) if len(d) == 1 else repr(tuple(d)) for d in dims]
    return f"P({', '.join(words)})"


def spec_of(dims: Sequence[Sequence[str]], unreduced: tuple[str, ...] = ()) -> PartitionSpec:
    """The PartitionSpec of the mesh axes of each dimension."""
    listed = [None if not d else d[0] if len(d) == 1 else tuple(d) for d in dims]
    return PartitionSpec(*listed, unreduced=frozenset(unreduced)) if unreduced else PartitionSpec(*listed)


def spec_text(spec: PartitionSpec) -> str:
    """A PartitionSpec as it is written: ``P('x', None)``."""
    unconstrained = PartitionSpec.UNCONSTRAINED
    parts = ["P.UNCONSTRAINED" if entry is unconstrained else repr(entry) for entry in _jax.partitions(spec)]
    for state in ("unreduced", "reduced"):
        if axes := getattr(spec, state):
            parts.append(f"{state}={{{', '.join(map(repr, sorted(axes)))}}}")
    if (kind := _jax.unreduced_kind(spec)) != "sum":
        parts.append(f"unreduced_kind=jax.sharding.UnreducedKind.{kind}")
    return f"P({', '.join(parts)})"


def without_repeats(dims: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """The axes of dimensions, each kept where it comes first."""
    seen: set[str] = set()
    out = []
    for axes in dims:
        out.append(tuple(a for a in axes if a not in seen))
        seen |= set(axes)
    return out
