"""What is stated of each collective, once. Algorithms, traffic, times, pictures and tests are derived from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shardwidget.collectives.phases import Phase
from shardwidget.document import Move, Semantics

if TYPE_CHECKING:
    from shardwidget.collectives.call import Call

Held = dict[tuple[int, int], Any]
"""What a rank holds, by chunk and (where chunks have one) by origin; an origin of -1 stands for none."""

Blocks = tuple[np.ndarray, ...]
"""The operands of one rank."""


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
    sizes: int = -1
    """Index of the operand that gives, at run time, how many rows go to each rank; -1 where there is none."""
    split_axis: Callable[[Call, tuple[int, ...]], int] = lambda call, shape: -1
    """Dimension along which the sent block is cut into chunks, from its shape on one device; -1 for none."""
    concat_axis: Callable[[Call, tuple[int, ...]], int] = lambda call, shape: -1
    """Dimension along which chunks are in the received block, from the shape of the sent one; -1 for none."""
    cut: Callable[[Call, Blocks], list[Any]] = lambda call, operands: [operands[0]]
    """A rank's chunks before the first round, from its operands."""
    join: Callable[[Call, int, Blocks, Held, Held], Any] = lambda call, rank, operands, held, arrived: operands[0]
    """A rank's result, from what it holds after the last round and what arrived: ``(call, rank, operands, held,
    arrived)``."""
    sentence: str = ""
    """What happened, in words, for ``read/_trace/words.py`` to fill in."""

    @property
    def ragged(self) -> bool:
        """Whether it is known only at run time how much is sent to whom."""
        return self.sizes >= 0

    @property
    def communicates(self) -> bool:
        """Whether it can send anything."""
        return bool(self.phases) or self.by_pairs
