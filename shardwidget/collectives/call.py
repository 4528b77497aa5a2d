"""A collective as an equation or an instruction asks for it: which devices take part, and along which dimensions."""

from __future__ import annotations

from dataclasses import dataclass

from shardwidget.collectives.statement import Statement


@dataclass(frozen=True)
class Call:
    """One collective on a mesh. ``apply`` is its meaning, ``plans`` its algorithms, ``bytes_sent`` its traffic."""

    statement: Statement
    primitive: str
    """JAX's name for it, for example ``psum_invariant`` or ``all_gather_reduced``; XLA's opcode in a compiled program.
    """
    axes: tuple[str, ...]
    """Mesh axes as the program names them; their order is that of the ranks, first axis slowest."""
    groups: tuple[tuple[int, ...], ...]
    """Mesh positions that take part together, in rank order. Every position is in one group."""
    dimension: int = 0
    """Dimension that is gathered, scattered or (all_to_all) split."""
    concat: int = 0
    """For all_to_all: dimension that the arriving pieces are concatenated on."""
    tiled: bool = True
    """Whether ``dimension`` exists on both sides, or is added by all_gather and removed by reduce_scatter."""
    pairs: tuple[tuple[int, int], ...] = ()
    """For a permutation: (source rank, destination rank)."""
    source: int = -1
    """For pbroadcast: the rank that is copied; -1 where a second operand gives it."""
    positional: tuple[int, ...] = ()
    """For psum, pmax and pmin: dimensions of the block that are reduced too."""

    @property
    def kind(self) -> str:
        """What happens, whatever JAX calls it."""
        return self.statement.kind

    @property
    def n(self) -> int:
        """Ranks of a group (the largest, where they differ)."""
        return max(map(len, self.groups))

    @property
    def even(self) -> bool:
        """Whether all groups have the same size; only psum, pmax and pmin do not need it."""
        return len(set(map(len, self.groups))) == 1
