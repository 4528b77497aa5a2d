"""Documents without a kernel: as one HTML page, an SVG, a plain table, or text."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def words_of(document: object) -> Any:
    """The module that puts a document into words: ``headline``, ``picture`` and ``table``.

    It has the name of the module that defines the document.
    """
    return import_module(f"{__name__}.{type(document).__module__.rpartition('.')[2]}")
