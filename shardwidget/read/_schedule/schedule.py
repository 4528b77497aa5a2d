"""``read.schedule``: a pipeline schedule from whatever holds one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shardwidget import pipeline
from shardwidget._text import visible
from shardwidget.document import Schedule
from shardwidget.read._schedule import mpmd_text, table_text, task_lists

if TYPE_CHECKING:
    from shardwidget._jax import AnyMesh

FORMS = """read.schedule takes
  a Schedule:                     what shardwidget.pipeline or this function made
  lists of tasks, one per rank:   [["0F0", "0B0"], ["1F0", "1B0"]]
  an object with .tasks(m):       read.schedule(jaxpp.Std1F1B(4), microbatches=8)
  a compiled JaxPP program:       anything with .eqns or .jaxpr whose equations are `task` and `transfer`
  PyTorch's CSV, Shardy's MPMD:   the text, or the path of a file
  a function that pipelines:      read.schedule(f, *args, microbatches=axis), axis: the dimension of the first argument
                                  that counts microbatches"""


def schedule(
    x: Any,
    *args: Any,
    microbatches: int | None = None,
    argument: int = 0,
    axis: str | None = None,
    mesh: AnyMesh | None = None,
    name: str | None = None,
) -> Schedule:
    """Reads a pipeline schedule.

    Args:
        x: what holds it; the message of the ``TypeError`` lists all forms. A function runs its pipeline in a
            ``jax.shard_map`` with ``ppermute``; it is run once, on its arguments.
        *args: the function's arguments.
        microbatches: for an object with ``.tasks``, how many; for a function, the dimension of an argument that counts
            them.
        argument: for a function, which of its arguments that is.
        axis: the mesh axis whose devices hold the stages; None for the only one that a function permutes over, or the
            first of ``mesh``.
        mesh: the ``jax.sharding.Mesh`` or ``AbstractMesh`` that the ranks are on. A function has its own.
        name: what to call it; None finds a name.

    Returns:
        The schedule. It has been simulated: it can run.

    Raises:
        TypeError: it is of none of these forms.
        ValueError: the schedule is impossible, a text cannot be read (the message names the place), or the function is
            not a pipeline (the message says why).
    """
    made = _read(x, args, microbatches, argument, axis)
    if mesh is not None:
        made = _placed(made, mesh, axis)
    return made if name is None else replace(made, name=name)


def _placed(made: Schedule, mesh: AnyMesh, axis: str | None) -> Schedule:
    """The schedule with its ranks on a mesh axis."""
    from shardwidget.read._mesh import read_mesh

    known = read_mesh(mesh)
    sizes = {a.name: a.size for a in known.axes}
    chosen = axis if axis is not None else next(iter(sizes), "")
    if sizes.get(chosen) != made.ranks:
        fits = [name for name, size in sizes.items() if size == made.ranks]
        have = ", ".join(f"{name} of {size}" for name, size in sizes.items())
        raise ValueError(
            f"the schedule has {made.ranks} ranks, and mesh axis {chosen!r} has another size; the mesh has {have}"
            + (f". Give axis={fits[0]!r}" if fits else "")
        )
    return replace(made, mesh=known, axis=chosen)


def _read(x: Any, args: tuple[Any, ...], microbatches: int | None, argument: int, axis: str | None) -> Schedule:
    if args or (callable(x) and not hasattr(x, "tasks") and not hasattr(x, "eqns")):
        if not callable(x):
            raise TypeError(f"arguments belong to a function; got {type(x).__name__} and {len(args)} more.\n{FORMS}")
        from shardwidget.read._schedule.function import schedule_of_function

        return schedule_of_function(x, args, microbatches, argument, axis)
    if isinstance(x, Schedule):
        x.simulate()
        return x
    # A schedule that is a document needs no JAX.
    from shardwidget.read._schedule import compiled

    if (tasks := getattr(x, "tasks", None)) is not None:
        if microbatches is None:
            raise TypeError(f"{type(x).__name__} has tasks for any number of microbatches: give microbatches=…")
        return task_lists.schedule(tasks(microbatches), type(x).__name__)
    if (equations := compiled.equations(x)) is not None:
        return compiled.schedule(equations)
    if isinstance(x, str | os.PathLike):
        return _of_text(x)
    if isinstance(x, Sequence) and not isinstance(x, bytes):
        if x and all(isinstance(r, Sequence) and not isinstance(r, str | bytes) for r in x):
            texts = all(isinstance(task, str) or task is None for rank in x for task in rank)
            return pipeline.schedule(x) if texts else task_lists.schedule(x, "")
        if not x:
            return pipeline.schedule(x)
    raise TypeError(f"{type(x).__name__} is not a schedule that can be read.\n{FORMS}")


def _of_text(x: str | os.PathLike[str]) -> Schedule:
    if isinstance(x, os.PathLike) or ("\n" not in x and "," not in x and Path(x).suffix):
        path = Path(x)
        made = _of_text(_file(path) + "\n")
        return replace(made, name=made.name or path.stem)
    return mpmd_text.schedule(x) if "mpmd." in x else table_text.schedule(x)


def _file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        # A name that no file can have is rather a text that is no schedule.
        short = visible(str(path)[:80])
        raise ValueError(f"{short!r} is neither a schedule nor the path of a file with one: {error}"[:400]) from None
