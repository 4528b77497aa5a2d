"""``read.search``: candidates for the sharding of a step, estimated, and the best of them compiled."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from shardwidget import _jax
from shardwidget.document import Scaled, Search
from shardwidget.read._search import asked
from shardwidget.read._search.machine import Machine
from shardwidget.read._search.plans import Candidates, candidates
from shardwidget.read._search.ranking import checked
from shardwidget.read._search.roles import Roles, resized, roles_of
from shardwidget.read._search.run import Run
from shardwidget.read._search.step import Step

NEEDS_NEWER = (
    "a search needs JAX 0.10 or later; this is {version}. Shardy of JAX 0.9 does not follow values into called "
    "functions, and would count too few collectives. To compare some shardings there, compile them: read.programs."
)

NO_MESHES = "mesh=[] is empty: give topologies, mesh=['v5p:64', 'v5p:128'], or one."


def search(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: str | Mesh | Sequence[str] | None = None,
    compiled: int = 8,
    batch: str | Sequence[str] = (),
    batch_sizes: Sequence[int] = (),
    whole: str | Sequence[str] = (),
    sizes: Mapping[str, int | Sequence[int]] | None = None,
    most_axes: int = 2,
    objective: str = "time",
    limit_s: float | None = None,
    progress: Callable[[Search], None] | None = None,
) -> Search:
    """Searches for the mesh and the specs that a training step is fastest with. Nothing is run.

    ```python
    found = read.search(train_step, state, batch, mesh="v5p:4x4x4")
    print(found.best.code)
    ```

    The step is traced once. Its operations tie dimensions together, which shows what is the batch, the sequence,
    d_model, heads, d_ff, experts. A candidate gives the axes of a mesh to these: the batch is split over ``data`` and
    ``fsdp``, d_model of the weights over ``fsdp``, heads, d_ff and vocabulary over ``tensor``, the sequence over
    ``seq``, experts over ``expert``; activations are constrained accordingly. Shardy says which collectives each
    needs; ``cost`` prices them. The best are then compiled for the target.

    The user's own ``with_sharding_constraint`` and shardings of ``jit`` are part of the candidate "now" alone.
    Pipelining is not searched.

    Interrupted (``KeyboardInterrupt``), it returns what is known.

    Args:
        f: the jitted step.
        *args: its arguments: arrays, or ``jax.ShapeDtypeStruct``s, which need no data. Their shardings, or those that
            ``jit`` was given, are the candidate "now", if their mesh has as many devices.
        kwargs: its keyword arguments.
        mesh: a topology, ``v5p:4x4x4``, or the number of its chips, ``v5p:64``, which need no device; or a mesh, for
            its devices. None takes the mesh of the arguments, else all devices. Of several topologies, the first is
            searched for, and ``scaling`` has the best estimate for each.
        compiled: how many of the best to compile, besides "now"; for a topology that needs libtpu. 0 estimates alone.
        batch: names of the arguments that hold the batch; if not given, those that the step does not return changed.
        batch_sizes: numbers of examples, in place of the batch's own; ``scaling`` has the best estimate for each.
        whole: axes of plans that are not to be used: ``("tensor",)`` keeps heads, d_ff and vocabulary whole.
        sizes: which sizes axes may have: ``{"tensor": 4}``, ``{"expert": 1}`` to keep experts whole.
        most_axes: the most mesh axes of a plan.
        objective: what the candidates are sorted by: ``"time"``; ``"memory"`` of a chip; ``"bytes"`` that a chip sends
            in a step, or those over one axis, ``"bytes:fsdp"``.
        limit_s: seconds after which nothing more is begun.
        progress: called with what is known, after each candidate, and before one is compiled.

    Returns:
        The candidates, those that are compiled and fit first. ``best`` is the first, with its ``code``.

    Raises:
        TypeError: ``f`` is not a jitted function, ``mesh`` is neither a topology nor a mesh, or an option is of another
            type.
        ValueError: there is no such topology, axis or objective; no plan divides the dimensions; no batch was found;
            the arguments are on several meshes; or the step has a ``shard_map``, which fixes its mesh.
        NotImplementedError: JAX is older than 0.10.
    """
    found: Search | None = None
    asked.check_progress(progress)
    try:
        with _interrupts() as interrupts:
            for found in searching(
                f,
                args,
                kwargs=kwargs,
                mesh=mesh,
                compiled=compiled,
                batch=batch,
                batch_sizes=batch_sizes,
                whole=whole,
                sizes=sizes,
                most_axes=most_axes,
                objective=objective,
                limit_s=limit_s,
            ):
                if progress is not None:
                    progress(found)
                if interrupts:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:  # Between two candidates.
        if found is None:
            raise
        found = replace(found, ended="interrupted", compiling=-1)
    assert found is not None
    return found


def searching(
    f: Callable[..., Any],
    args: Sequence[Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    mesh: str | Mesh | Sequence[str] | None = None,
    compiled: int = 8,
    batch: str | Sequence[str] = (),
    batch_sizes: Sequence[int] = (),
    whole: str | Sequence[str] = (),
    sizes: Mapping[str, int | Sequence[int]] | None = None,
    most_axes: int = 2,
    objective: str = "time",
    limit_s: float | None = None,
) -> Iterator[Search]:
    """What is known after each candidate; the last is what ``search`` returns, which says what the arguments are."""
    if not _jax.ENTERS_FUNCTIONS:
        raise NotImplementedError(NEEDS_NEWER.format(version=jax.__version__))
    asked.check_limit(limit_s)
    until = asked.until(limit_s, time.monotonic())
    asked.check_count("compiled", compiled, 0)
    asked.check_count("most_axes", most_axes, 1)
    objective = checked(objective)
    allowed = asked.allowed(whole, sizes)
    names = asked.names("batch", batch, "'tokens'")
    examples = asked.examples(batch_sizes)
    step = Step(f, args, kwargs)
    meshes = [mesh] if isinstance(mesh, str | Mesh) or not isinstance(mesh, Sequence) else list(mesh)
    if not meshes:
        raise ValueError(NO_MESHES)
    machines = [Machine(_devices(one, step)) for one in meshes]
    roles = roles_of(step, names)

    @functools.cache
    def traced(examples: int) -> tuple[Step, Roles]:
        if examples == roles.examples:
            return step, roles
        other = resized(step, roles, examples)
        return other, roles_of(other, names)

    def others(machine: Machine, examples: int) -> Candidates:
        """Plans without the limits that were given; of one axis more, where there are no others."""
        tried = (candidates(*traced(examples), machine.size, most, {}) for most in (most_axes, most_axes + 1))
        return next((of for of in tried if of.plans), Candidates((), 0, 0))

    def begin(machine: Machine, examples: int, wanted: int = 0, *, again: bool = False, free: bool = False) -> Run:
        of = others(machine, examples) if free else candidates(*traced(examples), machine.size, most_axes, allowed)
        return Run(*traced(examples), machine, of, wanted, objective, math.inf if again else until, begin)

    found: Search | None = None
    rows: list[Scaled] = []
    for machine, size in itertools.product(machines, examples or (roles.examples,)):
        run = begin(machine, size, compiled if found is None else 0)
        if found is None:
            if not run.plans:
                tried = functools.partial(candidates, *traced(size))
                why = asked.none_fit(machine, traced(size)[1], most_axes, allowed, tried)
                run.only_now(why, others=bool(others(machine, size).plans))
            for found in run.run():
                yield found
        assert found is not None
        if len(machines) * len(examples or "1") > 1 and not found.ended and (row := run.scaled()):
            rows.append(row)
            found = replace(found, scaling=tuple(rows))
            yield found


@contextlib.contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Notes interrupts: one that comes while JAX calls Python from its compiler is lost there."""
    found: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield found
        return

    def note(number: int, frame: Any) -> None:
        found.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield found
    finally:
        signal.signal(signal.SIGINT, before)


def _devices(mesh: str | Mesh | None, step: Step) -> Any:
    if mesh is not None:
        return mesh
    if isinstance(step.mesh, Mesh):
        return step.mesh
    return Mesh(np.array(jax.devices()), ("data",))
