"""The values of an array on paper, where nobody can point: of the shard that is picked, or of a small array whole."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from html import escape
from typing import TypedDict

import numpy as np

from shardwidget.document import Block, Placement, Values

SMALL = 256
"""The most elements of an array whose values are all printed."""
LARGEST = 4096
"""The most elements of a shard whose values are printed."""

ACROSS = 10
"""The most numbers in a row of a sheet."""


_ROWS = "margin:0 0 6px;font:11px monospace"


class Sheet(TypedDict):
    """The values of one shard, as the front end prints them."""

    name: str
    """Its slice and its device."""
    heads: list[str]
    """Where each row stands, by its index in all dimensions but the last; empty for up to two dimensions."""
    parts: list[list[list[str]]]
    """Tables of rows of cells; a row that is too long for a sheet of paper goes on in the next table."""


def printed(placement: Placement, device: int | None) -> list[int]:
    """Ids of the devices whose shards are printed: the one that is picked, or one for each tile of a small array."""
    if placement.shape is None or placement.state != "live":
        return []
    if device is not None:
        return [device] if math.prod(placement.shard_shape) <= LARGEST else []
    if math.prod(placement.shape) > SMALL:
        return []
    return list({placement.tile(one): one for one in reversed(placement.device_ids)}.values())[::-1]


def sheets(placement: Placement, values: Values) -> list[Sheet]:
    """The values of those shards that were read whole."""
    return [_sheet(placement, block) for block in values.blocks if all(step == 1 for step in block.steps)]


def listing(all_sheets: Sequence[Sheet]) -> str:
    """Sheets as HTML for viewers that run no script."""
    if not all_sheets:
        return ""
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px 28px">{"".join(map(_shown, all_sheets))}</div>'


def _shown(sheet: Sheet) -> str:
    parts = "".join(f'<pre style="{_ROWS}">{escape(_lines(sheet["heads"], part))}</pre>' for part in sheet["parts"])
    return (
        f'<div style="break-inside:avoid"><b style="font:600 11px monospace">{escape(sheet["name"])}</b>{parts}</div>'
    )


def _lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines of text, in columns of one width."""
    width = max((len(cell) for row in rows for cell in row), default=0)
    starts = [f"{head.ljust(max(map(len, heads)))}  " for head in heads] or [""] * len(rows)
    return "\n".join(
        start + " ".join(cell.rjust(width) for cell in row) for start, row in zip(starts, rows, strict=True)
    )


def _sheet(placement: Placement, block: Block) -> Sheet:
    slices = placement.slices(block.device_id)
    name = f"{placement.name or 'x'}[{', '.join(f'{s.start}:{s.stop}' for s in slices)}] on device {block.device_id}"
    numbers = np.frombuffer(block.data, f"<{block.format}" if block.format != "b1" else "?").reshape(block.shape)
    rows = numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim else numbers.reshape(1, 1)
    heads: list[str] = []
    if numbers.ndim > 2:
        counts = itertools.product(*(range(s.start, s.stop) for s in slices[:-1]))
        heads = [f"[{', '.join(map(str, index))}]" for index in counts]
    parts = [rows[:, at : at + ACROSS] for at in range(0, rows.shape[1], ACROSS)]
    return Sheet(name=name, heads=heads, parts=[[[_text(value) for value in row] for row in part] for part in parts])


def _text(value: np.generic) -> str:
    return f"{value:.5g}" if value.dtype.kind in "fc" else str(value)
