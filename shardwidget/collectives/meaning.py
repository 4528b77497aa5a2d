"""What each collective means: the blocks after it from the blocks before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.statement import Call


@np.errstate(all="ignore")  # infinities and overflow are the program's; devices do not warn of them
def apply(call: Call, blocks: Any, xp: Any = np) -> Any:
    """The blocks after a collective.

    Args:
        call: the collective.
        blocks: the operand on every device, ``[devices, *block shape]`` in mesh order. A tuple of such arrays where the
            collective has several operands: ragged_all_to_all (operand, output, input_offsets, send_sizes,
            output_offsets, recv_sizes) and pbroadcast with a source of its own. Ignored by axis_index.
        xp: ``numpy`` or ``jax.numpy``; with the latter it may be called under ``jax.jit``.

    Returns:
        ``[devices, *result shape]`` in mesh order, of the operand's dtype (axis_index: int32). In pmax and pmin a NaN
        wins, as StableHLO defines ``maximum`` and ``minimum``; XLA's CPU can lose it.
    """
    return call.statement.apply(call, blocks, xp)
