"""A spec being edited: what a page needs to show, on its own, what JAX would make of it."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any, Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import AxisType, Mesh, MeshAxis
from shardwidget.document.wire import VERSION

__all__ = ["DtypeName", "Playground", "SpecDraft", "SpecEntry", "Terms", "Wording"]

RefusalKind = Literal[
    "states_overlap", "unreduced_overlap", "reduced_overlap", "repeated", "unknown", "unconstrained",
    "unreduced_unknown", "unreduced_auto", "reduced_unknown", "reduced_auto", "rank", "scalar_rank", "indivisible",
]  # fmt: skip


@dataclass(frozen=True)
class SpecEntry:
    """The entry of a PartitionSpec for one dimension: ``None`` where there are no axes."""

    axes: tuple[str, ...] = ()
    """Mesh axes, major to minor."""
    unconstrained: bool = False
    """Whether it is ``P.UNCONSTRAINED``; then there are no axes."""


@dataclass(frozen=True)
class SpecDraft:
    """What is on screen: an array, a mesh and a spec, which need not fit."""

    shape: tuple[int, ...]
    dtype: str
    """Long name of one of ``Playground.dtypes``."""
    axes: tuple[MeshAxis, ...]
    """Of the mesh. More positions than there are devices make an abstract mesh."""
    entries: tuple[SpecEntry, ...] = ()
    """As many as are written; there may be fewer than dimensions, or more."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()

    @staticmethod
    def of(wire: Any) -> SpecDraft:
        """A draft that came over the wire.

        Raises:
            ValueError: the wire data is not a draft of a spec.
        """
        try:
            return SpecDraft(
                tuple(operator.index(size) for size in wire["shape"]),
                _text(wire["dtype"]),
                tuple(MeshAxis(_text(a["name"]), operator.index(a["size"]), _type(a["type"])) for a in wire["axes"]),
                tuple(SpecEntry(_names(e["axes"]), e["unconstrained"] is True) for e in wire["entries"]),
                _names(wire["unreduced"]),
                _names(wire["reduced"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is not a draft of a spec: {error!r}") from error


@dataclass(frozen=True)
class DtypeName:
    """A dtype that the array may have."""

    name: str
    short: str
    """As types spell it: ``f32``."""
    bits: int
    """Bits of one element in memory."""


@dataclass(frozen=True)
class Wording:
    """JAX's words for one kind of error, with ``{fields}`` where it states what it was given."""

    kind: RefusalKind
    error: str
    """Class of the exception."""
    text: str


@dataclass(frozen=True)
class Terms:
    """How this version of JAX spells shardings and their errors."""

    wordings: tuple[Wording, ...]
    spec: str
    """What a spec's text begins with: ``P``."""
    sums: str
    """What it adds to a spec with unreduced axes: ``, unreduced_kind=sum``."""
    mesh: str
    """A mesh, ``Mesh({axes}, axis_types={types})``."""
    abstract_mesh: str
    sharding: str
    """A sharding on devices, ``NamedSharding(mesh={mesh}, spec={spec}, memory_kind=device)``."""
    abstract_sharding: str
    hlo_counts_ones: bool
    """Whether axes of size 1 take part in the HLO sharding."""


@dataclass(frozen=True, repr=False)
class Playground(Document):
    """A spec to play with, and the words that describe its result."""

    mesh: Mesh
    """The devices that meshes are made of, in order and without axes; if abstract, as many as asked for."""
    draft: SpecDraft
    """What is on screen."""
    given: tuple[MeshAxis, ...]
    """Axes of the mesh that the user's variable ``mesh`` holds."""
    dtypes: tuple[DtypeName, ...]
    terms: Terms
    name: str = "x"
    array: str = ""
    """Type of the real array that *Apply* moves; empty where there is none. Shape and dtype are then fixed."""
    fixed: bool = False
    """Whether only the spec is edited: an exercise asks for one, and for what follows from it."""
    most_devices: int = 4096
    """The most positions that a mesh may have on screen."""
    most_dims: int = 6
    jax_version: str = ""
    kind: Literal["playground"] = field(default="playground", init=False)
    version: int = field(default=VERSION, init=False)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _names(values: Any) -> tuple[str, ...]:
    return tuple(_text(v) for v in values)


def _type(value: Any) -> AxisType:
    if value not in ("Auto", "Explicit", "Manual"):
        raise TypeError(f"{value!r} is not an axis type")
    return value
