"""What a program would be had another value won an axis, or without the constraint that decides: compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jax.sharding import Mesh, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Alternative, Comparison, Program, Reason
from shardwidget.document.why import chain_of
from shardwidget.read._comparison.base import Base, tree_of
from shardwidget.read._comparison.concrete import Concrete, compiled
from shardwidget.read._comparison.lowered import ValuePlacement
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._entries import entries, entries_text, spec_of
from shardwidget.read._instead.attempts import Progress, attempts
from shardwidget.read._instead.communication import figures, work_of
from shardwidget.read._instead.source import Change, Sources
from shardwidget.read._jaxpr.pasted import readable
from shardwidget.read._jaxpr.syntax import text_of


@dataclass(frozen=True)
class _Candidate:
    what: str
    code: str
    change: Change | None = None
    """The user's line otherwise."""
    spec: tuple[int, PartitionSpec] | None = None
    """An argument, by its index among the arrays, and its spec."""
    losers: tuple[int, ...] = ()
    """Indices of the reasons that must hold with the spec, as the one asked about must not."""


class Alternatives:
    """Compiles a function as it would be otherwise.

    Args:
        call: the function and its arguments.
        base: its program as it is.
        based: makes the program of a call that is changed.
    """

    def __init__(self, call: ComparedCall, based: Callable[[ComparedCall], Base]) -> None:
        self._call, self._based = call, based

    def __call__(
        self, c: Comparison, reason: int, progress: Progress | None = None
    ) -> tuple[tuple[Alternative, ...], bool]:
        """The program as it is, then what compiles otherwise; and whether all was tried, or it was interrupted.

        Args:
            c: the comparison of the function.
            reason: index in ``c.reasons`` of the split that is asked about.
            progress: called with how many were compiled, and how many there are.
        """
        assert c.program is not None, "reasons are of a compiled program"
        asked = c.reasons[reason]
        of = c.rows[asked.row].values[asked.value].concrete
        found = [_alternative("as it is", "", of.text if of else "", c.program)]
        try:
            candidates = list(self._candidates(c, reason))
            tried = attempts(candidates, lambda one: self._compiled(one, c, asked), progress)
            for candidate, (gives, program) in tried:
                found.append(_alternative(candidate.what, candidate.code, gives, program))
        except KeyboardInterrupt:  # What was compiled is known.
            return tuple(found), False
        return tuple(found), True

    def _candidates(self, c: Comparison, reason: int) -> Iterator[_Candidate]:
        chain = chain_of(c.reasons, reason)
        lost = {k: chain_of(c.reasons, k)[0] for n in chain for k in c.reasons[n].lost if k not in chain}
        first = c.reasons[chain[0]]
        if first.given == "argument" and lost:
            yield self._had_won(c, chain, lost)
        sources = Sources(self._call.f, self._call.mesh) if isinstance(self._call.mesh, Mesh) else None
        for k in dict.fromkeys((chain[0], *lost.values())):
            row = c.rows[c.reasons[k].row]
            file = sources.files.get(row.source.file) if sources and row.source else None
            if sources and file and row.source and c.reasons[k].given == "constraint":
                for change in sources.without((file, row.source.line)):
                    yield _Candidate(f"without line {row.source.line}", change.fix.code, change)

    def _had_won(self, c: Comparison, chain: Sequence[int], lost: Mapping[int, int]) -> _Candidate:
        """The argument that gave the axis without it; split along the dimension that the loser needs, if it is that."""
        first, loser = c.reasons[chain[0]], next(iter(lost))
        names = dict.fromkeys(_asking(c, loser, origin) for loser, origin in lost.items())
        wanted = c.reasons[chain[1]].wanted if len(chain) > 1 and loser in c.reasons[chain[1]].lost else -1
        rank = len(c.rows[first.row].values[first.value].shape)
        split = [list(axes) for axes in entries(self._call.specs[first.value], rank)]
        split[first.dim].remove(first.axis)
        if wanted >= 0:
            split[wanted].append(first.axis)
        spec = spec_of(split)
        code = f"{self._call.names[first.value]}: {entries_text(split)}"
        return _Candidate(f"had {' and '.join(names)} won", code, spec=(first.value, spec), losers=tuple(lost))

    def _compiled(self, candidate: _Candidate, c: Comparison, asked: Reason) -> tuple[str, Program] | None:
        """What the value asked about has then, and the program; None where it is not what the words say."""
        if candidate.change is not None:
            return self._rewritten(candidate.change)
        assert candidate.spec is not None, "a candidate changes a line or an argument"
        concrete = self._of(self._call.with_spec(*candidate.spec))
        put, *lost = (_placed(concrete, c, r) for r in (asked, *(c.reasons[k] for k in candidate.losers)))
        if put is None or put.dims is None or asked.axis in put.dims[asked.dim]:
            return None
        kept = (c.reasons[k] for k in candidate.losers)
        if not all(of and of.dims and r.axis in of.dims[r.dim] for of, r in zip(lost, kept, strict=True)):
            return None
        return entries_text(put.dims), concrete.program

    def _rewritten(self, change: Change) -> tuple[str, Program] | None:
        """The program with a line of the user's otherwise."""
        assert isinstance(self._call.mesh, Mesh), "what was compiled has devices"
        swaps = Sources(self._call.f, self._call.mesh).swaps(change)
        if not swaps:
            return None
        with readable(change.fix.applied(text_of(change.file)), change.file), _jax.retracing(swaps, "as they are"):
            return "", self._of(self._call).program

    def _of(self, call: ComparedCall) -> Concrete:
        """A call, compiled.

        Raises:
            Exception: it is not.
        """
        base = self._based(call)
        if base.error is not None:
            raise base.error
        return compiled(tree_of(call, base.jaxpr, base.mesh), call, base.mesh)  # type: ignore[arg-type]


def _asking(c: Comparison, loser: int, origin: int) -> str:
    """Who asked for the axis: the line of a constraint, or a value by its name."""
    given = c.reasons[origin]
    row = c.rows[given.row]
    if given.given == "constraint" and row.source:
        return f"line {row.source.line}"
    of = c.reasons[loser]
    return c.rows[of.row].values[of.value].name


def _placed(concrete: Concrete, c: Comparison, of: Reason) -> ValuePlacement | None:
    """Where a program of the same rows puts the value of a reason."""
    if of.row == 0:
        return concrete.arguments[of.value]
    if of.row == len(c.rows) - 1:
        return concrete.outputs[of.value]
    return concrete.places.get(of.row - 1, {}).get(of.value)


def _alternative(what: str, code: str, gives: str, program: Program) -> Alternative:
    kinds = dict.fromkeys(f"{op.kind} over {', '.join(op.axes)}" if op.axes else op.kind for op in program.collectives)
    return Alternative(what, code, gives, tuple(kinds), figures(program).sent, work_of(program), program)
