"""What was compiled while a function ran, and why some of it was compiled again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.wire import VERSION

__all__ = ["CompileCause", "CompiledCall", "Recompiled"]

CompileCauseKind = Literal[
    "function",
    "structure",
    "shape",
    "dtype",
    "weak type",
    "sharding",
    "mesh",
    "memory",
    "static",
    "options",
    "context",
    "unknown",
]
"""What differs from an earlier call: the function is another object with the same name; the arguments have another
tree structure; the shape, dtype, weak type, sharding, mesh or memory kind of an array; the value of a static argument;
the options of ``jax.jit``; an option of JAX or the mesh that is set; or nothing that was found."""


@dataclass(frozen=True)
class CompileCause:
    """One difference between a call and the most similar earlier call of the same function."""

    what: CompileCauseKind
    """What differs."""
    path: str
    """The first argument that differs so, as an expression: ``state['w']``; empty for the call as a whole."""
    before: str
    """What it was, in words or as a spec: ``P('data')``."""
    now: str
    """What it is."""
    more: int = 0
    """The number of other arguments with the same difference."""


@dataclass(frozen=True)
class CompiledCall:
    """A call for which JAX compiled a function."""

    function: str
    """The name of the function under ``jax.jit``."""
    file: str
    """The name of the file of the call, as in ``Source.file``; empty where none of the user's is found."""
    line: int
    """The line of the call; 0 where none is found."""
    seconds: float
    """The time of the compiler, without tracing."""
    again: bool
    """Whether the function was compiled before."""
    causes: tuple[CompileCause, ...] = ()
    """Why it was compiled again; empty for the first time."""


@dataclass(frozen=True, repr=False)
class Recompiled(Document):
    """What JAX compiled while a function ran."""

    name: str
    """The function that ran."""
    calls: tuple[CompiledCall, ...]
    """The calls that compiled a function of the user's, in order."""
    operations: int = 0
    """The number of compiled operations that the user's code calls outside ``jit``, such as ``jnp.zeros``."""
    jax_version: str = ""
    """The version of JAX."""
    version: int = VERSION
    """The version of the format."""
    kind: Literal["recompiled"] = "recompiled"
    """The kind of document."""

    @property
    def again(self) -> tuple[CompiledCall, ...]:
        """The calls that compiled a function again."""
        return tuple(call for call in self.calls if call.again)
