"""What would lower the peak of a program, found by compiling it that way."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh

from shardwidget import _jax
from shardwidget.document import Memory, Remedies, Remedy
from shardwidget.read._call import function_name
from shardwidget.read._memory.changes import Change, Changes
from shardwidget.read._memory.memory import memory
from shardwidget.read._memory.recomputed import recomputed, with_policies
from shardwidget.read._program.executable import Executable, executable_of

FUNCTIONS = 2
"""The most functions that are tried with ``jax.checkpoint``, those that keep the most first."""

LEAST = 0.001
"""The least share of the peak that a change must save to be offered."""

LOST = 0.9
"""A program that computes less than this share of what it did no longer does the same: recomputing only adds work."""

NOT_CALLABLE = (
    "remedies are found by compiling the function in other ways, and this is a {type}. Give the function and its "
    "arguments."
)


def tried(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    mesh: JaxMesh | None,
    progress: Callable[[int, int], None] | None,
) -> Remedies:
    """What lowers the peak; what was found until then where it is interrupted.

    While a change with ``jax.checkpoint`` is traced, the name of the function refers to the rewritten one.
    """
    if not callable(f) or isinstance(f, jax.stages.Compiled):
        raise TypeError(NOT_CALLABLE.format(type=type(f).__name__))
    search, ended = _Search(f, args, kwargs, mesh, progress), False
    with contextlib.suppress(KeyboardInterrupt):  # What was compiled is known.
        search.run()
        ended = True
    found = tuple(sorted(search.found.values(), key=lambda remedy: remedy.after))
    return Remedies(function_name(f), "peak", found, search.tried, ended, jax.__version__)


class _Search:
    """Compiles changes alone, then the best of each family together."""

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        mesh: JaxMesh | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._f, self._args, self._kwargs, self._mesh, self._progress = f, args, kwargs, mesh, progress
        self.found: dict[Change, Remedy] = {}
        self.tried = self._planned = 0

    def run(self) -> None:
        executable = self._compiled(self._f, self._args)
        self._before, self._flops = memory(executable), _flops(executable)
        lowered = executable.lowered
        self._changes = Changes(self._f, self._args, self._kwargs, _results(lowered) if lowered else ())
        functions = recomputed(self._f, self._before, executable)[:FUNCTIONS]
        # equinox donates arrays alone: other specs are tried with shapes, which it does not take.
        totals = self._before.compiler
        arrays_alone = _jax.donating(self._f, ()) is None and totals is not None and totals.aliased > 0
        others = [*self._changes.donations(), *(() if arrays_alone else self._changes.splits())]
        families = bool(functions) + len({change.family for change in others})
        self._planned = len(functions) + 2 * bool(functions) + len(others) + max(0, families - 1)
        # Of several ways to write the same, the first that compiles is used.
        checkpoints = [self._first([Change(way) for way in ways]) for ways in functions]
        best = min(filter(None, checkpoints), key=self._after, default=None)
        if best is not None and best.checkpoint is not None:
            for way in with_policies(self._f, best.checkpoint, offload=self._before.mesh.platform != "cpu"):
                self._first([Change(way)])
        for change in others:
            self._first([change])
        self._combine()

    def _combine(self) -> None:
        """The best change, with the best of each other family for as long as that saves more."""
        best: dict[str, Change] = {}
        for change in sorted(self.found, key=self._after):
            best.setdefault(change.family, change)
        whole, *rest = best.values() or (Change(),)
        for change in rest:
            together = self._first([whole | change])
            if together is not None and self._after(together) < (1 - LEAST) * self._after(whole):
                whole = together
            elif together is not None:
                del self.found[together]  # It saves no more than a part of it.

    def _first(self, ways: list[Change]) -> Change | None:
        """The first way that compiles, if it saves something."""
        if self._progress is not None:
            self._progress(self.tried, max(self._planned, self.tried + 1))
        self.tried += 1
        for change in ways:
            try:
                with self._changes.applied(change) as (f, args):
                    executable = self._compiled(f, args)
                    after = memory(executable)
            except Exception:  # What does not compile is not a remedy.
                continue
            if change.checkpoint and _flops(executable) < LOST * self._flops:
                continue  # It no longer does the same: a function that writes into objects, for example.
            if after.peak_bytes < (1 - LEAST) * self._before.peak_bytes and _donates(change, self._before, after):
                self.found[change] = self._remedy(change, after)
                return change
            return None
        return None

    def _remedy(self, change: Change, after: Memory) -> Remedy:
        words, code = self._changes.words(change), self._changes.code(change)
        fix = change.checkpoint.fix if change.checkpoint else None
        return Remedy(words, code, self._before.peak_bytes, after.peak_bytes, fix)

    def _after(self, change: Change) -> int:
        return self.found[change].after

    def _compiled(self, f: Callable[..., Any], args: tuple[Any, ...]) -> Executable:
        executable = executable_of(f, args, self._mesh, self._kwargs, quick=True)
        # Names of axes and of what is closed over are not needed here.
        return executable if f is self._f else replace(executable, function=None)


def _flops(executable: Executable) -> float:
    """What a device computes; 0 where that is not known."""
    try:
        return float((executable.compiled.cost_analysis() or {}).get("flops", 0)) if executable.compiled else 0.0
    except (NotImplementedError, RuntimeError):
        return 0.0


def _donates(change: Change, before: Memory, after: Memory) -> bool:
    """Whether results take the place of more arguments, where that was asked for."""
    if not change.donated or before.compiler is None or after.compiler is None:
        return True
    return after.compiler.aliased > before.compiler.aliased


def _results(lowered: jax.stages.Lowered) -> Sequence[Any]:
    """What a program returns; nothing where it writes into a ``jax.Ref``: JAX lists what is in it with the results."""
    try:
        return jax.tree.leaves(lowered.out_info)
    except ValueError:
        return ()
