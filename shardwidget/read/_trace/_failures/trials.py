"""Proposals are traced, run, and compared with what the function gives on the whole array."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun
from jax.sharding import AbstractMesh

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._errors import first_line
from shardwidget.read._jaxpr.pasted import readable
from shardwidget.read._jaxpr.syntax import text_of
from shardwidget.read._trace._failures.costs import cost_of, sent_by, work_of
from shardwidget.read._trace._failures.proposal import Paster, Proposal, after, both
from shardwidget.read._trace._failures.samples import Verdict, samples, verdict
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.arguments import is_unreduced

LARGEST = 2**22
"""The most bytes of arguments, and of closed-over arrays, with which proposals are run."""

WORK = 2**26
"""The most elements and products that a program which is run computes."""

MOST = 24
"""The most proposals that are traced."""

STOPS = 12
"""The most changes that are made one after the other, each where the program stops with those before it."""

EQUATIONS = 4_000
"""The most equations that are traced for proposals after the third, and the most that are compiled to run them."""

SAME, OTHER = 4, 2
"""The most fixes that are offered: of those that give the intended value, and of others beside them."""

NONE_GIVES_IT = " None of these changes gives what the function gives on the whole array; each says what it gives."

NOT_KNOWN = " The values of these changes were not compared: {reason}."

BY_POSITION = "the function asks for its position on the mesh, so what it gives depends on how the array is cut"
NOT_FOUND = "the options of its shard_map were not found"
NOT_WHOLE = "the function does not run on the whole array ({words})"
OTHER_SHAPE = "on the whole array the function gives results of other shapes"
TOO_LARGE = "the program is too large to be run for each"
NO_DEVICES = "the mesh has no devices"
NOT_PLAIN = "it has callbacks, or writes into its arguments"
UNREDUCED = "an argument is unreduced, and its parts are not numbers of the whole array"
NOT_FINITE = "on the whole array the function gives no finite numbers"


@dataclass(frozen=True)
class TracedProposal:
    """A proposal that JAX traces to its end."""

    proposal: Proposal
    jaxpr: Any
    cost: float
    """How much its regions hold and receive, to order proposals of equal value by."""

    def known(self, **known: Any) -> Proposal:
        """The proposal, with what is known of its fix."""
        # What it takes to lay out arguments otherwise is not in the program.
        sent = None if self.proposal.argument else sent_by(self.jaxpr, None)
        communication = "" if sent is None else ", ".join(sent) or "none"
        total = sum((sent or {}).values())
        fix = replace(self.proposal.fix, communication=communication, bytes_per_device=total, **known)
        return replace(self.proposal, fix=fix)

    def judged(self, given: Verdict) -> Proposal:
        """The proposal, with what the program gives with it."""
        value = "other" if given.effect else "same"
        return self.known(value=value, effect=given.effect, row=given.row, row_size=given.row_size)


def tried(
    stop: StoppedTrace, proposals: Sequence[Proposal], explain: Callable[[StoppedTrace], Sequence[Proposal]]
) -> tuple[list[Proposal], str]:
    """The proposals that run, the best first, and what to say of all of them.

    Those that give the intended value stand first. Each fix has what is known of it.

    Args:
        stop: the program.
        proposals: changes to it.
        explain: the changes to a program that stops elsewhere.
    """
    trials = _Trials(stop, explain)
    found = list(trials.traced(proposals))
    if not found:
        return [], ""
    if all(one.proposal.only_types for one in found):
        return [one.proposal for one in found], ""
    verdicts, reason = trials.compared(found)
    if not verdicts:
        return [one.known(value="unknown") for one in found][: SAME + OTHER], NOT_KNOWN.format(reason=reason)
    judged = [
        ((bool(given.effect), one.proposal.last, one.cost, one.proposal.changes), one.judged(given))
        for one, given in zip(found, verdicts, strict=True)
        if not (given.effect and one.proposal.rests_on_equality)
    ]
    judged.sort(key=lambda one: one[0])
    same = [one for _, one in judged if not one.fix.effect][:SAME]
    return same + [one for _, one in judged if one.fix.effect][: OTHER if same else SAME], "" if same else NONE_GIVES_IT


_LOCAL = frozenset({"scan_carry", "branches", "shape", "traced_value", "axis_name", "sharding_type"})
"""Kinds of failures whose fixes may reveal another."""


class _Trials:
    def __init__(self, stop: StoppedTrace, explain: Callable[[StoppedTrace], Sequence[Proposal]]) -> None:
        self._explain = explain
        self._kind, self._f = stop.kind, stop.f
        self._equations = 1 + sum(1 for _ in _jax.every_equation(stop.jaxpr))
        self._arguments = stop.arguments
        self._mapped = stop.reached.mapped
        self._paster = Paster(stop.f)
        self._asks_itself = stop.kind in ("axis_name", "traced_value")
        """Whether the function does not run on the whole array either."""
        self._too_long = _jax.messages.is_too_long(stop.error)
        """Whether a spec does not fit the whole array either."""

    def traced(self, proposals: Sequence[Proposal]) -> Iterator[TracedProposal]:
        """Those that reach the program and make it run, each once; one that stops further on, with what helps there."""
        left, later, seen = [*proposals], list[Proposal](), set[str]()
        found = False  # One that is enough alone.
        few = max(3, EQUATIONS // self._equations)
        while (left or (later and not found)) and len(seen) < min(few, MOST):
            proposal = (left or later).pop(0)
            code = f"{proposal.fix.line} {proposal.fix.code}"
            if code in seen:
                continue
            seen.add(code)
            further: list[Proposal] = []
            try:
                jaxpr = self._trace(proposal, "as they are", further if proposal.changes < STOPS else None)
            except Exception:
                # Of a long row of stops, one way through is enough for each change of the first two.
                ways = [both(proposal, other) for other in further[: None if proposal.changes == 1 else 1]]
                if self._kind in _LOCAL:
                    left[:0] = ways
                elif proposal.changes == 1:
                    later += ways
                else:
                    later[:0] = ways
                continue
            if jaxpr is not None:
                found |= proposal.changes == 1
                yield TracedProposal(proposal, jaxpr, cost_of(jaxpr))

    def _trace(
        self,
        proposal: Proposal | None,
        regions: _jax.Regions,
        further: list[Proposal] | None = None,
        *,
        with_specs: bool = False,
    ) -> Any:
        """The program with a proposal; None where that changes nothing that runs.

        Args:
            proposal: the change; None for none.
            regions: how regions are traced.
            further: takes proposals for where the program with this one stops.
            with_specs: whether specs have a mesh where regions are whole.
        """
        swaps = self._paster.swaps(proposal) if proposal is not None else []
        changed = proposal.argument if proposal is not None else None
        if proposal is not None and not swaps and changed is None:
            return None
        with _jax.retracing(swaps, regions, with_specs=with_specs):
            try:
                return _jax.unfiltered(lambda: self._arguments.trace(_plain if regions == "whole" else changed))[0]
            except Exception as error:
                if further is not None and proposal is not None and proposal.file:
                    further += self._further(proposal, error)
                raise

    def _further(self, proposal: Proposal, error: Exception) -> list[Proposal]:
        """Proposals for where the program with a proposal stops."""
        text = proposal.fix.applied(text_of(proposal.file))
        with readable(text, proposal.file), contextlib.suppress(Exception):
            found = self._explain(StoppedTrace(error, self._f, self._arguments))
            return [there for other in found if (there := after(proposal, other)) is not None]
        return []

    def compared(self, found: Sequence[TracedProposal]) -> tuple[list[Verdict], str]:
        """What each gives, beside the intended value; or why nothing is known."""
        whole, reason = self._whole(found)
        if whole is None:
            return [], reason
        programs = [_jax.runnable(one.jaxpr) for one in found]
        if any(map(_has_no_devices, programs)):
            return [], NO_DEVICES
        if any(program is None for program in programs):
            return [], NOT_PLAIN
        shapes = [v.shape for v in whole.out_avals]
        alike = any([v.shape for v in program.out_avals] == shapes for program in programs)
        if not alike and self._kind != "indivisible":
            return [], OTHER_SHAPE
        arguments = self._arguments.filled(on_host=False)
        if any(map(is_unreduced, arguments)):
            return [], UNREDUCED
        size = sum(x.nbytes for x in (*arguments, *whole.consts) if hasattr(x, "nbytes"))
        equations = sum(1 for program in programs for _ in _jax.every_equation(program))
        if size > LARGEST or equations > EQUATIONS or max(map(work_of, (whole, *programs))) > WORK:
            return [], TOO_LARGE
        return self._run(whole, programs, found, arguments)

    def _whole(self, found: Sequence[TracedProposal]) -> tuple[Any, str]:
        """The program on one device, where every block is the whole array; or why there is none."""
        changed = found[0].proposal if self._asks_itself else self._without_specs() if self._too_long else None
        try:
            try:
                jaxpr = self._trace(changed, "whole")
            except Exception as error:
                if not _jax.messages.is_of_no_mesh(error):
                    raise
                jaxpr = self._trace(changed, "whole", with_specs=True)
        except Exception as error:
            return None, NOT_WHOLE.format(words=first_line(error))
        if jaxpr is None:
            return None, NOT_FOUND
        if any(_jax.name_of(eqn) in _jax.POSITIONAL for eqn in _jax.every_equation(jaxpr)):
            return None, BY_POSITION
        whole = _jax.runnable(jaxpr, on_one_device=True)
        return whole, "" if whole is not None else NOT_PLAIN

    def _without_specs(self) -> Proposal:
        """Specs that fit any array, where every block is the whole array."""
        mapped = self._mapped.function if self._mapped else None
        return Proposal(Fix("", ""), options={(mapped, "in_specs"): "P()", (mapped, "out_specs"): "P()"})

    def _run(
        self, whole: Any, programs: Sequence[Any], found: Sequence[TracedProposal], arguments: Sequence[Any]
    ) -> tuple[list[Verdict], str]:
        given = [one.proposal.argument or (lambda x, _: x) for one in found]
        every = list(samples(arguments))
        try:
            with _jax.without_mesh():
                wanted = _results([whole], [[list(sample)] for sample in every])
            gotten = _results(
                programs,
                [
                    [
                        [give(_like(x, a), k) for k, (x, a) in enumerate(zip(sample, arguments, strict=True))]
                        for give in given
                    ]
                    for sample in every
                ],
            )
        except Exception as error:
            return [], f"running them fails ({first_line(error)})"
        known = [k for k, (outs,) in enumerate(wanted) if all(map(_is_finite, outs))]
        if not known:
            return [], NOT_FINITE
        return [
            verdict([wanted[k][0] for k in known], [gotten[k][number] for k in known], gotten[0][number])
            for number in range(len(found))
        ], ""


def _results(programs: Sequence[Any], arguments: Sequence[Sequence[Sequence[Any]]]) -> list[list[list[np.ndarray]]]:
    """What programs return, for each sample of the arguments of each; compiled once, together."""

    def every(given: Sequence[Sequence[Any]]) -> list[Any]:
        return [jaxpr_as_fun(program)(*args) for program, args in zip(programs, given, strict=True)]

    on_cpu = jax.default_backend() == "cpu"
    run = jax.jit(every).lower(arguments[0]).compile(_jax.quick_options() if on_cpu else None)
    return [[[_numbers(x) for x in outs] for outs in run(given)] for given in arguments]


def _numbers(x: Any) -> np.ndarray:
    x = jax.random.key_data(x) if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) else x
    return np.asarray(x)


def _is_finite(x: np.ndarray) -> bool:
    return not jax.numpy.issubdtype(x.dtype, np.inexact) or bool(np.isfinite(x.astype(np.complex128)).all())


def _like(x: Any, argument: Any) -> Any:
    """Numbers where an argument is; those of one device go where the program wants them."""
    spread = isinstance(argument, jax.Array) and len(argument.devices()) > 1
    return jax.device_put(x, argument.sharding) if spread else x


def _plain(x: Any, _: int) -> jax.ShapeDtypeStruct:
    """An argument without a place."""
    return jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=bool(getattr(x, "weak_type", False)))


def _has_no_devices(jaxpr: Any) -> bool:
    if not jax.sharding.get_mesh().empty:
        return False  # A region without a mesh of its own runs on that of the context.
    regions = (_jax.control_of(eqn) for eqn in _jax.every_equation(jaxpr) if _jax.name_of(eqn) == "shard_map")
    return any(isinstance(cast(_jax.ShardMap, region).mesh, AbstractMesh) for region in regions)
