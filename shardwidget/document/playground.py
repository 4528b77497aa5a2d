"""A spec being edited: all that a page needs to show, without Python, what JAX would make of it."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any, Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import AxisType, Mesh, MeshAxis
from shardwidget.document.wire import VERSION

__all__ = ["DtypeName", "Forbids", "Playground", "SpecDraft", "SpecEntry", "Terms", "Wording"]

RefusalKind = Literal[
    "states_overlap", "unreduced_overlap", "reduced_overlap", "repeated", "unknown", "unconstrained",
    "unreduced_unknown", "unreduced_auto", "reduced_unknown", "reduced_auto", "rank", "scalar_rank", "indivisible",
]  # fmt: skip


@dataclass(frozen=True)
class SpecEntry:
    """The entry of a PartitionSpec for one dimension: ``None`` where there are no axes."""

    axes: tuple[str, ...] = ()
    """The mesh axes, major to minor."""
    unconstrained: bool = False
    """Whether it is ``P.UNCONSTRAINED``; then there are no axes."""


@dataclass(frozen=True)
class SpecDraft:
    """What is on screen: an array, a mesh and a spec, which need not fit each other."""

    shape: tuple[int, ...]
    dtype: str
    """The long name of one of ``Playground.dtypes``."""
    axes: tuple[MeshAxis, ...]
    """The axes of the mesh. A mesh with more positions than there are devices is an abstract one."""
    entries: tuple[SpecEntry, ...] = ()
    """The entries that are written: possibly fewer than the array has dimensions, or more."""
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
    """The short name, as in types: ``f32``."""
    bits: int
    """Bits of one element in memory."""


@dataclass(frozen=True)
class Wording:
    """JAX's message for one kind of error, with ``{fields}`` in place of what it was given."""

    kind: RefusalKind
    error: str
    """The class of the exception."""
    text: str
    """The message."""


@dataclass(frozen=True)
class Terms:
    """How this version of JAX spells shardings and words their errors."""

    wordings: tuple[Wording, ...]
    """The messages of errors."""
    spec: str
    """The name that the text of a spec begins with: ``P``."""
    sums: str
    """What the text of a spec with unreduced axes has at its end: ``, unreduced_kind=sum``."""
    mesh: str
    """The text of a mesh: ``Mesh({axes}, axis_types={types})``."""
    abstract_mesh: str
    """The text of an abstract mesh, with the same fields."""
    sharding: str
    """The text of a sharding on devices: ``NamedSharding(mesh={mesh}, spec={spec}, memory_kind=device)``."""
    abstract_sharding: str
    """The text of a sharding on an abstract mesh, with the same fields."""
    hlo_counts_ones: bool
    """Whether axes of size 1 take part in the HLO sharding."""


@dataclass(frozen=True)
class Forbids:
    """What ``jax.sharding.no_collectives`` forbids where the playground was made.

    It is about ``jax.reshard`` on Explicit axes. The messages have ``{axis}`` in place of the axis.
    """

    axes: tuple[str, ...]
    """The axes over which collectives are forbidden."""
    before: SpecDraft
    """What is resharded: the array as it is, or the first spec."""
    error: str
    """The class of the exception."""
    sums: str
    """The message where parts of a sum over the axis would be added up."""
    gathers: str
    """The message where the array would no longer be split over the axis."""
    moves: str
    """The message where the axis would split another dimension."""


@dataclass(frozen=True, repr=False)
class Playground(Document):
    """A spec to edit, and JAX's words for what comes of it."""

    mesh: Mesh
    """The devices that meshes are made of, in order and without axes; an abstract mesh itself, where one was given."""
    draft: SpecDraft
    """What is on screen."""
    given: tuple[MeshAxis, ...]
    """The axes of the mesh that the user gave."""
    dtypes: tuple[DtypeName, ...]
    """The dtypes that can be chosen."""
    terms: Terms
    name: str = "x"
    """What the code calls the array."""
    array: str = ""
    """The type of the real array that *Apply* moves, whose shape and dtype are then fixed; empty where there is
    none."""
    fixed: bool = False
    """Whether only the spec can be edited, as in an exercise that asks for one and for what follows from it."""
    forbids: Forbids | None = None
    """None where nothing is forbidden."""
    most_devices: int = 4096
    """The most positions that a mesh may have on screen."""
    most_dims: int = 6
    """The most dimensions that an array may have on screen."""
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
