"""A number of bytes, as written in an answer."""

from __future__ import annotations

import re
from typing import Any

from shardwidget.teach.forms import AnswerError, checked

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
FORM = "a number of bytes, such as 3.5 MiB"


def read_bytes(value: Any) -> int:
    """A number of bytes, or text with a unit.

    Raises:
        AnswerError: it has another form.
    """
    text = checked(str(value), FORM)
    found = re.fullmatch(r"(\d+(?:\.\d+)?(?:e\d+)?)\s*([a-zA-Z]*)", text)
    if found is None or found[2].upper() not in UNITS:
        raise AnswerError(f"{text!r} is not {FORM}")
    return round(float(found[1]) * UNITS[found[2].upper()])
