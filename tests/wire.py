"""Reads what is sent as a table, as the front end does."""

from __future__ import annotations

import json
from typing import Any

from shardwidget.document import Ints


def items(table: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The items of a table of ``to_wire``, one dict each."""
    columns = {name: (numbers(column["at"]), _values(column)) for name, column in table.items()}
    count = len(next(iter(columns.values()))[0]) if columns else 0
    return [
        {name: values[at[k]] if at[k] < len(values) else None for name, (at, values) in columns.items()}
        for k in range(count)
    ]


def numbers(wire: Any) -> list[int]:
    """Integers, packed where there are many."""
    if isinstance(wire, list):
        return wire
    return Ints(**wire | {"shape": tuple(wire["shape"]), "strides": tuple(wire["strides"])}).array().tolist()


def _values(column: dict[str, Any]) -> list[Any]:
    flat = items(column["table"]) if "table" in column else numbers(column["values"])
    words = column.get("words")
    if words is not None and "ends" in column:
        ends = numbers(column["ends"])
        return [words[k] + ("" if end < 0 else str(end)) for k, end in zip(flat, ends, strict=True)]
    rest = iter(flat if words is None else [words[k] for k in flat])
    if "counts" not in column:
        return list(rest)
    parts = [[next(rest) for _ in range(n)] for n in numbers(column["counts"])]
    return parts if words is None else [" ".join(map(str, part)) for part in parts]


def size(wire: Any) -> int:
    """About how many bytes a wire document is: its buffers, and the rest as JSON."""
    buffers = []

    def counted(leaf: bytes) -> str:
        buffers.append(len(leaf))
        return ""

    return len(json.dumps(wire, default=counted)) + sum(buffers)
