"""Where expressions of the user's program begin among the equations that they were traced to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shardwidget.document.step import Begins
from shardwidget.read._jaxpr.names import origin_of, within
from shardwidget.read._jaxpr.sources import frames_of
from shardwidget.read._jaxpr.syntax import span_of, statement_at


def beginnings(eqns: Sequence[Any], function: str) -> Iterator[Begins]:
    """For each equation of a body, the largest piece of the user's source that begins with it.

    An expression is one operator, call or index of the source: ``a @ b``, ``jnp.where(…)``, ``x[1:]``. Where a Python
    loop comes back to the first equation of an expression or a statement, another one begins. Equations that no line of
    the user's made (the counter of a loop, the inside of a library's function) belong to what is before them.

    Args:
        eqns: the equations, in order.
        function: the function that they belong to.
    """
    expression, statement = _Unit(), _Unit()
    for eqn in eqns:
        frames = frames_of(eqn)
        if not frames:
            yield ""
            continue
        chain = tuple((frame.file_name, span_of(frame)) for frame in within(frames, function))
        origin = origin_of(eqn)
        new_statement = statement.left((chain[1:], frames[0].file_name, statement_at(frames[0])), origin)
        new_expression = expression.left(chain, origin) or new_statement
        yield "statement" if new_statement else "expression" if new_expression else ""


class _Unit:
    """The expression or statement that the last equation was part of."""

    def __init__(self) -> None:
        self._key: Any = None
        self._first: Any = None

    def left(self, key: Any, origin: Any) -> bool:
        """Moves on to an equation; returns whether it begins another unit."""
        new = key != self._key or (origin is not None and origin == self._first)
        if new:
            self._key, self._first = key, None
        self._first = self._first or origin
        return new
