"""Widget state as JSON: what a saved page carries in place of a kernel."""

from __future__ import annotations

import base64
import json
from typing import Any


def encode(state: Any) -> str:
    """JSON that is safe inside ``<script>``: ``bytes`` become ``{"$bytes": base64}``, every ``<`` is escaped.

    Without a ``<``, no string in it can end a script element or open a comment in it.

    Raises:
        TypeError: the state holds something that is neither JSON nor bytes.
        ValueError: the state holds a number that JSON does not have (NaN, infinity).
    """
    text = json.dumps(state, default=_bytes, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _bytes(value: Any) -> dict[str, str]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"a saved state holds JSON values and bytes; got {type(value).__name__}")
