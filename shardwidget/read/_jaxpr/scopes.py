"""What equations are in: called functions and named scopes."""

from __future__ import annotations

from typing import Any

from jax.extend.core import JaxprEqn

from shardwidget import _jax
from shardwidget.document import Scope
from shardwidget.read._jaxpr.names import within
from shardwidget.read._jaxpr.syntax import span_of


class Scopes:
    """Numbers scopes in the order in which they are entered. One that was left is not entered again: a new one is."""

    def __init__(self) -> None:
        self.all: list[Scope] = []
        self._open: dict[int, list[tuple[Any, int]]] = {}
        """What the last equation was in, by key and number, outermost first; for each scope around a body, since the
        body of a called function comes in between."""
        self._spans: dict[int, tuple[Any, Any]] = {}
        """For a called function: the expressions of its first and its last equation."""

    def enter(self, scope: Scope) -> int:
        """Enters a new scope."""
        self.all.append(scope)
        return len(self.all) - 1

    def around(self, eqn: JaxprEqn, frames: list[Any], function: str, outer: int) -> int:
        """The scope of an equation: the functions that its frames were called through, then its named scopes.

        Args:
            eqn: the equation.
            frames: its frames, innermost first.
            function: the function whose body the equation is in; calls from there inwards count.
            outer: the scope around that body.
        """
        chain = within(frames, function)
        keys: list[tuple[Any, Any]] = [
            (("function", frame.function_name.rpartition(".")[2], caller.file_name, span_of(caller)), span_of(frame))
            for caller, frame in zip(chain[:0:-1], chain[-2::-1], strict=True)
        ]
        keys += [(("named_scope", name), None) for name in _jax.named_scopes(eqn)]
        before = self._open.get(outer, [])
        opened: list[tuple[Any, int]] = []
        scope = outer
        for depth, (key, span) in enumerate(keys):
            known = before[depth] if depth < len(before) else None
            if known is not None and known[0] == key and not self._again(known[1], span):
                number = known[1]
            else:
                before = []
                number = self.enter(Scope(key[0], key[1], scope))
                self._spans[number] = span, span
            self._spans[number] = self._spans[number][0], span
            opened.append((key, number))
            scope = number
        self._open[outer] = opened
        return scope

    def _again(self, number: int, span: Any) -> bool:
        """Whether a called function is back at its first expression: a Python loop has called it again."""
        first, last = self._spans[number]
        return span is not None and span == first != last
