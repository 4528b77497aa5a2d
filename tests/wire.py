"""Reads what travels as a table, as the front end does."""

from __future__ import annotations

import json
from typing import Any


def items(table: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The items of a table of ``to_wire``, one dict each."""
    columns = {name: (column["at"], _values(column)) for name, column in table.items()}
    count = len(next(iter(columns.values()))[0]) if columns else 0
    return [
        {name: None if at[k] < 0 else values[at[k]] for name, (at, values) in columns.items()} for k in range(count)
    ]


def _values(column: dict[str, Any]) -> list[Any]:
    if "values" in column:
        return column["values"]
    flat = iter(items(column["table"]))
    return [[next(flat) for _ in range(n)] for n in column["counts"]] if "counts" in column else list(flat)


def size(wire: Any) -> int:
    """About how many bytes a wire document is: its buffers, and the rest as JSON."""
    buffers = []

    def counted(leaf: bytes) -> str:
        buffers.append(len(leaf))
        return ""

    return len(json.dumps(wire, default=counted)) + sum(buffers)
