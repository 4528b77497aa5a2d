"""``read.search``: candidates for the sharding of a step, estimated, and the best of them compiled."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from shardwidget import _jax
from shardwidget.document import Scaled, Search
from shardwidget.read._search.machine import Machine
from shardwidget.read._search.plans import AXES, Candidates, candidates
from shardwidget.read._search.ranking import checked
from shardwidget.read._search.roles import Roles, roles_of
from shardwidget.read._search.run import Run, now_of
from shardwidget.read._search.step import Step

NEEDS_NEWER = (
    "a search needs JAX 0.10 or later; this is {version}. Shardy of JAX 0.9 does not follow values into called "
    "functions, and would count too few collectives. To compare some shardings there, compile them: read.programs."
)

NONE_FIT = (
    "there is no plan for {chips} chips: the batch has {batch} examples, and {groups}. Sizes of axes must divide them. "
    "Use a batch that {chips} or a part of it divides, other chips, or allow more: {allow}."
)

NO_SUCH_AXIS = "{option}={given} names no axis of plans; they are {known}."

NO_SIZES = "sizes={given!r} must say which sizes an axis may have: {{'tensor': 4}}, {{'fsdp': (8, 16), 'expert': 1}}."

NO_COUNT = "{option} must be a whole number, {least} or more; got {given!r}."

NO_EXAMPLES = "batch_sizes={given!r} must be whole numbers of examples, 1 or more: batch_sizes=(256, 512)."

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
        progress: called with what is known, after each candidate.

    Returns:
        The candidates, those that are compiled and fit first. ``best`` is the first, with its ``code``.

    Raises:
        TypeError: ``f`` is not a jitted function, or ``mesh`` is neither a topology nor a mesh.
        ValueError: there is no such topology, axis or objective; no plan divides the dimensions; no batch was found;
            the arguments are on several meshes; or the step has a ``shard_map``, which fixes its mesh.
        NotImplementedError: JAX is older than 0.10.
    """
    found: Search | None = None
    try:
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
    except KeyboardInterrupt:  # Between two candidates.
        if found is None:
            raise
        found = replace(found, ended="interrupted")
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
    until = math.inf if limit_s is None else time.monotonic() + limit_s
    _count("compiled", compiled, 0)
    _count("most_axes", most_axes, 1)
    objective = checked(objective)
    allowed = _allowed(whole, sizes)
    names = (batch,) if isinstance(batch, str) else tuple(batch)
    step = Step(f, args, kwargs)
    meshes = [mesh] if isinstance(mesh, str | Mesh) or not isinstance(mesh, Sequence) else list(mesh)
    if not meshes:
        raise ValueError(NO_MESHES)
    machines = [Machine(_devices(one, step)) for one in meshes]
    roles = roles_of(step, names)
    if not all(_is_count(n, 1) for n in batch_sizes):
        raise ValueError(NO_EXAMPLES.format(given=batch_sizes))
    steps = [step] if not batch_sizes else [_resized(f, args, kwargs, step, roles, n) for n in batch_sizes]
    found: Search | None = None
    rows: list[Scaled] = []
    for machine in machines:
        for each in steps:
            of_each = roles if each is step else roles_of(each, names)

            def plans(chips: int, step: Step = each, roles: Roles = of_each) -> Candidates:
                return candidates(step, roles, chips, most_axes, allowed)

            of, now = plans(machine.size), now_of(each, of_each, machine)
            if found is None and not of.plans and now is None:
                raise ValueError(_none_fit(machine, of_each, most_axes, allowed))
            wanted = compiled if found is None else 0
            run = Run(each, machine, of_each, of, now, wanted, objective, until, plans)
            if found is None:
                for found in run.run():
                    yield found
            assert found is not None
            if len(machines) * len(steps) > 1 and not found.ended and (row := run.scaled()):
                rows.append(row)
                found = replace(found, scaling=tuple(rows))
                yield found


def _allowed(whole: str | Sequence[str], sizes: Mapping[str, int | Sequence[int]] | None) -> dict[str, tuple[int, ...]]:
    """The sizes that axes may have, of those that may not have all."""
    names = (whole,) if isinstance(whole, str) else tuple(whole)
    if sizes is not None and not isinstance(sizes, Mapping):
        raise TypeError(NO_SIZES.format(given=sizes))
    given = {axis: (n,) if isinstance(n, int) else tuple(n) for axis, n in (sizes or {}).items()}
    for option, axes in (("whole", names), ("sizes", tuple(given))):
        if not set(axes) <= set(AXES):
            raise ValueError(NO_SUCH_AXIS.format(option=option, given=axes, known=", ".join(AXES)))
    if not all(_is_count(n, 1) for of in given.values() for n in of):
        raise ValueError(NO_SIZES.format(given=sizes))
    return given | dict.fromkeys(names, (1,))


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _count(option: str, value: Any, least: int) -> None:
    if not _is_count(value, least):
        raise ValueError(NO_COUNT.format(option=option, least=least, given=value))


def _none_fit(machine: Machine, roles: Roles, most_axes: int, allowed: Mapping[str, Any]) -> str:
    sizes = ", ".join(str(roles.sizes[g]) for g in roles.tensor if g in roles.sizes)
    examples = ", ".join(str(roles.sizes.get(g, g[0].aval.shape[g[1]])) for g in roles.batch)
    words = f"heads, d_ff or vocabulary have {sizes}" if sizes else "no dimension of the weights is split"
    allow = " or ".join([f"most_axes={most_axes + 1}", *(["no whole= and sizes="] if allowed else [])])
    return NONE_FIT.format(chips=machine.size, batch=examples, groups=words, allow=allow)


def _resized(f: Any, args: Any, kwargs: Any, step: Step, roles: Roles, examples: int) -> Step:
    """The step for another size of the batch."""
    groups = [step.dims.of(v) for v in step.inputs]
    shapes = {
        k: tuple(examples if g in roles.batch else n for n, g in zip(step.avals[k].shape, of, strict=True))
        for k, of in enumerate(groups)
        if not roles.batch.isdisjoint(of)
    }
    return Step(f, args, kwargs, shapes)


def _devices(mesh: str | Mesh | None, step: Step) -> Any:
    if mesh is not None:
        return mesh
    if isinstance(step.mesh, Mesh):
        return step.mesh
    return Mesh(np.array(jax.devices()), ("data",))
