"""Variants: the same exercise with other numbers for every student, and the same again for the same student."""

from __future__ import annotations

import hashlib
import random
from typing import Any


def draw(*seeds: Any) -> random.Random:
    """A source of random choices that follows from some names alone, the same on every machine."""
    digest = hashlib.sha256("\n".join(map(str, seeds)).encode(errors="backslashreplace")).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))
