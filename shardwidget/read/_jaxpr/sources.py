"""Where equations come from: lines of the user's program, and the functions around them."""

from __future__ import annotations

import inspect
import itertools
import linecache
import os
import re
import sys
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

from jax.extend.core import JaxprEqn

from shardwidget import _jax
from shardwidget._jax import Frame
from shardwidget.document import Listing, Source
from shardwidget.read._jaxpr.syntax import Span, function_lines, lines_of, text_of


def frames_of(eqn: JaxprEqn) -> list[Frame]:
    """The user's frames that an equation comes from, innermost first; not those that called us."""
    return list(itertools.takewhile(lambda frame: not _jax.is_ours(frame.file_name), _jax.user_frames(eqn)))


class RaisedAt(NamedTuple):
    """The user's expression that an exception comes from."""

    file: str
    line: int
    frame: types.FrameType
    span: Span | None
    """None where Python does not know it."""


def raised_at(error: BaseException) -> RaisedAt | None:
    """The innermost of the user's expressions that an exception comes from; None where there is none."""
    found, step = None, error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if _jax.is_user_file(code.co_filename):
            at: Any = next(itertools.islice(code.co_positions(), step.tb_lasti // 2, None), (None,) * 4)
            line, last, column, end = at
            found = RaisedAt(
                code.co_filename, step.tb_lineno, step.tb_frame, None if None in at else (line, column, last, end)
            )
        step = step.tb_next
    return found


def own_frame(frames: Sequence[Frame]) -> Frame:
    """The innermost of the user's frames that is not in an installed package; else the innermost of all."""
    return next((f for f in frames if not _jax.is_library_file(f.file_name)), frames[0])


def source_of(frame: Frame) -> Source:
    """The line of a frame."""
    return line_of(frame.file_name, frame.start_line, frame.function_name.rpartition(".")[2])


def line_of(file: str, line: int, function: str) -> Source:
    """A line of a file, in a function."""
    return Source(shown_name(file), line, linecache.getline(file, line).strip(), function)


def shown_name(file: str) -> str:
    """A file's name without its folders; ``cell 3`` for a notebook cell. A text with a fix has that of its file."""
    while file.startswith("<") and len(listed := linecache.cache.get(file, ())) == 4 and listed[3] != file:
        file = listed[3]  # Of a text with a fix that was changed again, this is one, too.
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
        if file in cells:
            return f"cell {cells[file]}"
    found = re.match(r"<ipython-input-(\d+)-", os.path.basename(file))
    return f"cell {found[1]}" if found else os.path.basename(file)


def function_at(file: str, line: int) -> Listing | None:
    """The function that begins at a line, wherever it stands; None where the text cannot be read."""
    lines = [f"{text}\n" for text in lines_of(text_of(file))[max(0, line - 1) :]]
    if not lines:
        return None
    try:
        block = inspect.getblock(lines)
    except (SyntaxError, IndentationError):
        block = lines[:1]
    return Listing(shown_name(file), line, tuple(text.rstrip("\n") for text in block))


def listing_at(file: str, line: int) -> Listing | None:
    """The outermost function around a line; None where the text cannot be read."""
    text = text_of(file)
    lines = lines_of(text)
    for first, last in function_lines(text):
        if first <= line <= last:
            return Listing(shown_name(file), first, tuple(lines[first - 1 : last]))
    if 0 < line <= len(lines):
        return Listing(shown_name(file), line, (lines[line - 1],))
    return None
