"""Device orders of meshes on chips, without TPUs: coordinates as TPUs have them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from shardwidget.collectives import statement_of_opcode
from shardwidget.document import HloCollective, Ints, Links, Mesh, MeshAxis, Program
from shardwidget.read._links.links import of_meshes


def on_chips(
    kind: str, axes: dict[str, int], coords: Sequence[Sequence[int]] | np.ndarray, process: Sequence[int] | None = None
) -> Mesh:
    """A mesh whose devices, in its order, are at some coordinates: ``[position, axis]``."""
    columns = np.asarray(coords).T
    size = columns.shape[1]
    return Mesh(
        tuple(MeshAxis(name, n, "Auto") for name, n in axes.items()),
        Ints.pack(range(size)),
        Ints.pack([0] * size if process is None else process),
        0,
        tuple(Ints.pack(c) for c in columns),
        kind,
        "tpu",
    )


def cube(*, by_trays: bool) -> Mesh:
    """64 chips of a v5p: sorted by the trays of four that a host has, or with ``tensor`` along z."""
    chips = [(x, y, z) for x in range(4) for y in range(4) for z in range(4)]

    def tray(c: tuple[int, int, int]) -> int:
        return (c[2] * 2 + c[1] // 2) * 2 + c[0] // 2

    def along(c: tuple[int, int, int]) -> tuple[int, ...]:
        return (c[0], c[1], c[2])

    chips.sort(key=(lambda c: (tray(c), c[1], c[0])) if by_trays else along)
    return on_chips("TPU v5p", {"fsdp": 16, "tensor": 4}, chips, [tray(c) for c in chips])


def trays_and_rings() -> Links:
    return of_meshes({"by trays": cube(by_trays=True), "along rings": cube(by_trays=False)})


def two_cores() -> Links:
    """Eight devices of four chips in a square, the two of a chip along an axis of their own."""
    chips = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    return of_meshes({"jax.make_mesh": on_chips("TPU7x", {"data": 4, "core": 2}, [c for c in chips for _ in "01"])})


def square(data: int = 4, model: int = 4) -> Mesh:
    return on_chips("TPU v5 lite", {"data": data, "model": model}, [(i // 4, i % 4) for i in range(16)])


def collective(kind: str, groups: np.ndarray, sent: int, pairs: Sequence[tuple[int, int]] = ()) -> HloCollective:
    """One over the rows of some groups, which runs three times."""
    positions, ranks = Ints.pack(groups.ravel()), groups.shape[1]
    return HloCollective(
        kind,
        statement_of_opcode(kind).semantics,
        ("model",),
        False,
        (),
        positions,
        ranks,
        (),
        sent,
        "",
        3,
        pairs=tuple(pairs),
    )


def of_program() -> Links:
    """An all-gather along lines of four, and a permutation from each device to the next."""
    rows = np.arange(16).reshape(4, 4)
    following = [(int(a), int(b)) for row in rows for a, b in itertools.pairwise(row)]
    collectives = (collective("all-gather", rows, 100), collective("collective-permute", rows, 10, following))
    return of_meshes({"as compiled": square()}, Program(square(), collectives, name="step"))


LINKS: dict[str, Callable[[], Links]] = {
    "orders": trays_and_rings,
    "two cores": two_cores,
    "program": of_program,
    "line": lambda: of_meshes({"jax.make_mesh": square()}),
}
"""Links by name."""
