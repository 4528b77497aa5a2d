"""A number of bytes, as written in an answer."""

from __future__ import annotations

from typing import Any

from shardwidget._format import parse_bytes
from shardwidget.teach.forms import AnswerError, checked

FORM = "a number of bytes, such as 3.5 MiB"


def read_bytes(value: Any) -> int:
    """A number of bytes, or text with a unit.

    Raises:
        AnswerError: it has another form.
    """
    text = checked(str(value), FORM)
    try:
        return parse_bytes(text)
    except ValueError:
        raise AnswerError(f"{text[:80]!r} is not {FORM}") from None
