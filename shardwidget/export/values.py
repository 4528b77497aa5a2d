"""The values of an array on paper, where nobody can point: of the shard that is picked, or of a small array whole."""

from __future__ import annotations

import math
from html import escape

import numpy as np

from shardwidget.document import Block, Placement, Values

SMALL = 256
"""Elements of an array of which all values are printed."""
LARGEST = 4096
"""Elements of a shard of which the values are printed."""

ACROSS = 10
"""Numbers in a row of a sheet."""

_NAME = "margin:10px 0 2px;font:600 12px monospace"
_CELL = "padding:1px 6px;text-align:right;font:11px monospace"


def printed(placement: Placement, device: int | None) -> list[int]:
    """Ids of the devices whose shards are printed: the one that is picked, or one for each tile of a small array."""
    if placement.shape is None or placement.state != "live":
        return []
    if device is not None:
        return [device] if math.prod(placement.shard_shape) <= LARGEST else []
    if math.prod(placement.shape) > SMALL:
        return []
    return list({placement.tile(one): one for one in reversed(placement.device_ids)}.values())[::-1]


def tables(placement: Placement, values: Values) -> str:
    """The values of some shards as HTML: for each, its slice and its device over rows of numbers."""
    return "".join(_table(placement, block) for block in values.blocks if all(step == 1 for step in block.steps))


def _table(placement: Placement, block: Block) -> str:
    slices = ", ".join(f"{s.start}:{s.stop}" for s in placement.slices(block.device_id))
    name = f"{placement.name or 'x'}[{slices}] on device {block.device_id}"
    numbers = np.frombuffer(block.data, f"<{block.format}" if block.format != "b1" else "?").reshape(block.shape)
    rows = numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim else numbers.reshape(1, 1)
    parts = [rows[:, at : at + ACROSS] for at in range(0, rows.shape[1], ACROSS)]
    return f'<p style="{_NAME}">{escape(name)}</p>' + "".join(_rows(part, len(parts) > 1) for part in parts)


def _rows(rows: np.ndarray, parted: bool) -> str:
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    # A row that is too long for a sheet goes on in a table below.
    return f'<table style="border-collapse:collapse{";margin-bottom:8px" * parted}">{body}</table>'


def _cell(value: np.generic) -> str:
    text = f"{value:.5g}" if value.dtype.kind in "fc" else str(value)
    return f'<td style="{_CELL}">{escape(text)}</td>'
