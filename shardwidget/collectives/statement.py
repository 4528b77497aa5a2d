"""What is stated of each collective, once, and what a call of one asks for. All else is derived from both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shardwidget.collectives.phases import Phase
from shardwidget.document import Move, Semantics

Chunks = dict[tuple[int, int], Any]
"""The chunks that a rank has, by number and (where chunks have one) by origin; an origin of -1 stands for none."""

Blocks = tuple[np.ndarray, ...]
"""The operands of one rank."""


@dataclass(frozen=True)
class Reducer:
    """A function of ``jax.lax`` that combines the blocks of a group, for fixes to offer."""

    function: str
    """Its name in ``jax.lax``."""
    verb: str
    """What it does with the blocks, at the start of a title: ``Sum``, ``Take the maximum of``."""


@dataclass(frozen=True)
class Completion:
    """How a reduction that each device does of its own block is completed over devices, for fixes to offer."""

    of: str
    """JAX's primitive for the reduction: ``reduce_sum``."""
    reducer: Reducer
    mean: Reducer | None = None
    """The one to use where the result is then divided by the number of elements; None where none divides."""
    negated: Reducer | None = None
    """The one to use where the result is then negated; None where that is ``reducer``."""


@dataclass(frozen=True, eq=False)
class Statement:
    """One collective. Instances are in ``collectives/kinds/``, listed in ``registry.py``."""

    kind: str
    """What happens, whatever JAX calls it. ``pshuffle`` is a ppermute, ``pswapaxes`` an all_to_all, ``pmean`` a psum.
    """
    semantics: Semantics
    apply: Callable[[Call, Any, Any], Any]
    """The blocks after it: ``(call, blocks, xp)``, see ``collectives.apply``."""
    primitives: tuple[str, ...] = ()
    """JAX's other names for it."""
    opcodes: tuple[str, ...] = ()
    """XLA's names for it, the usual one first; none where the compiler has none."""
    reduction: str = ""
    """XLA's opcode of the operation that combines, where several collectives share their opcode."""
    compiled_to: tuple[str, ...] = ()
    """Other opcodes that the compiler may turn it into. Any further one with its name was added by the compiler."""
    fusion: str = ""
    """How the TPU compiler begins the name of a fusion that does it by one of ``compiled_to``; empty where it makes
    none."""
    transfer: str = ""
    """XLA's name for it as a transfer between TPU slices; empty where slices cannot do it."""
    numbers_partitions: bool = False
    """Whether XLA's ids in its groups are partitions as soon as it has a channel, and not replicas."""
    direct: Callable[[int, int], list[Move]] = lambda n, source: []
    """Its meaning, as the moves of one round: ``(n, source)``."""
    phases: tuple[Phase, ...] = ()
    """What its algorithms do, one phase after another; none where it sends nothing, or by ``pairs``."""
    by_pairs: bool = False
    """Whether it sends blocks directly, by the call's ``pairs``."""
    joint: bool = False
    """Whether its operands belong together. Otherwise it acts on each alone."""
    completes: Completion | None = None
    """The reduction that it completes; None where it completes none."""
    requested_by: tuple[str, ...] = ()
    """Functions of ``jax.lax`` that ask for it, where JAX also inserts it itself; none where it never does."""
    sizes: int = -1
    """Index of the operand that gives, at run time, how many rows go to each rank; -1 where there is none."""
    split_axis: Callable[[Call, tuple[int, ...]], int] = lambda call, shape: -1
    """Dimension along which the sent block is cut into chunks, from its shape on one device; -1 for none."""
    concat_axis: Callable[[Call, tuple[int, ...]], int] = lambda call, shape: -1
    """Dimension along which chunks are in the received block, from the shape of the sent one; -1 for none."""
    cut: Callable[[Call, Blocks], list[Any]] = lambda call, operands: [operands[0]]
    """A rank's chunks before the first round, from its operands."""
    join: Callable[[Call, int, Blocks, Chunks, Chunks], Any] = lambda call, rank, operands, held, arrived: operands[0]
    """A rank's result, from what it holds after the last round and what arrived: ``(call, rank, operands, held,
    arrived)``."""
    sentence: str = ""
    """What happened, in words, for ``read/_trace/words.py`` to fill in; empty where it is told as any other step."""
    inserted_sentence: str = ""
    """The same, where JAX inserted it."""

    @property
    def ragged(self) -> bool:
        """Whether it is known only at run time how much is sent to whom."""
        return self.sizes >= 0

    @property
    def communicates(self) -> bool:
        """Whether it can send anything."""
        return bool(self.phases) or self.by_pairs

    @property
    def redistributes(self) -> bool:
        """Whether a rank receives another part of the array than it sends, so that other mesh axes may divide it."""
        return self.by_pairs or self.semantics.by_origin or self.semantics.cuts in ("sent", "received")


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
