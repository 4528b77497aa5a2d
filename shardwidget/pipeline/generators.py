"""Well-known schedules, and the paper that each is from.

Every generator takes the total number of *stages*, which are on ``ranks`` ranks, and the number of microbatches. The
front end follows the same rules (``js/src/pipeline/model/generators.ts``), so a schedule is sent as its recipe.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from shardwidget.document.order import GeneratorName, Order, Recipe
from shardwidget.document.schedule import Schedule
from shardwidget.pipeline.tasks import Task, Unit, pack

NAMES: dict[GeneratorName, str] = {
    "gpipe": "GPipe",
    "one_f_one_b": "1F1B",
    "eager_1f1b": "Eager 1F1B",
    "interleaved_1f1b": "Interleaved 1F1B",
    "zb_h1": "ZB-H1",
    "zb_v": "ZB-V",
    "dualpipe_v": "DualPipeV",
    "circular": "Circular",
}


def gpipe(stages: int, microbatches: int) -> Schedule:
    """All microbatches forward, then all back (GPipe, arXiv 1811.06965).

    Args:
        stages: number of stages, one per rank.
        microbatches: number of microbatches.

    Raises:
        ValueError: a number is less than 1.
    """
    return _schedule("gpipe", stages, microbatches, stages)


def one_f_one_b(stages: int, microbatches: int) -> Schedule:
    """After a warm-up, one forward and one backward task in turn (PipeDream-Flush, arXiv 2104.04473, section 2.2).

    Args:
        stages: number of stages, one per rank.
        microbatches: number of microbatches.

    Raises:
        ValueError: a number is less than 1.
    """
    return _schedule("one_f_one_b", stages, microbatches, stages)


def eager_1f1b(stages: int, microbatches: int) -> Schedule:
    """1F1B with twice the warm-up, so that a send has a task's time to arrive (AlpaComm, arXiv 2211.05322, section 4).

    Args:
        stages: number of stages, one per rank.
        microbatches: number of microbatches.

    Raises:
        ValueError: a number is less than 1.
    """
    return _schedule("eager_1f1b", stages, microbatches, stages)


def interleaved_1f1b(stages: int, microbatches: int, ranks: int) -> Schedule:
    """1F1B where rank r has the stages r, r + ranks, r + 2·ranks, … (arXiv 2104.04473, section 2.2).

    Args:
        stages: number of stages in all, a multiple of ``ranks``.
        microbatches: number of microbatches, a multiple of ``ranks``.
        ranks: number of ranks.

    Raises:
        ValueError: a number is less than 1 or not such a multiple.
    """
    return _schedule("interleaved_1f1b", stages, microbatches, ranks)


def zb_h1(stages: int, microbatches: int) -> Schedule:
    """1F1B with backward tasks in halves; the weight halves fill gaps (Zero Bubble, arXiv 2401.10241, section 2.3).

    Rank r lags r weight halves behind, so that each rank keeps as much as rank 0 in 1F1B.

    Args:
        stages: number of stages, one per rank.
        microbatches: number of microbatches.

    Raises:
        ValueError: a number is less than 1.
    """
    return _schedule("zb_h1", stages, microbatches, stages)


def zb_v(stages: int, microbatches: int) -> Schedule:
    """Two stages per rank in the form of a V, backward tasks in halves (ZB-V, arXiv 2401.10241, section 6).

    Rank r has the stages r and ``stages - 1 - r``.

    Args:
        stages: number of stages in all, twice the number of ranks.
        microbatches: number of microbatches.

    Raises:
        ValueError: a number is less than 1, or ``stages`` is odd.
    """
    return _schedule("zb_v", stages, microbatches, _halved("zb_v", stages))


def dualpipe_v(stages: int, microbatches: int) -> Schedule:
    """Two stages per rank in the form of a V, forward and backward tasks fused (DualPipeV, cut from arXiv 2412.19437).

    Rank r has the stages r and ``stages - 1 - r``.

    Args:
        stages: number of stages in all, twice the number of ranks.
        microbatches: number of microbatches, at least ``stages``.

    Raises:
        ValueError: a number is less than 1, ``stages`` is odd, or there are too few microbatches.
    """
    return _schedule("dualpipe_v", stages, microbatches, _halved("dualpipe_v", stages))


def circular(stages: int, microbatches: int, ranks: int) -> Schedule:
    """All microbatches once around the ring of ranks, then around again (GSPMD, arXiv 2105.04663, 3.3; MaxText).

    Rank r has the stages r, r + ranks, r + 2·ranks, …; the backward pass is the forward pass in reverse, as
    differentiation makes it.

    Args:
        stages: number of stages in all, a multiple of ``ranks``.
        microbatches: number of microbatches, at least ``ranks``.
        ranks: number of ranks.

    Raises:
        ValueError: a number is less than 1, not such a multiple, or too small.
    """
    return _schedule("circular", stages, microbatches, ranks)


def generate(recipe: Recipe) -> Order:
    """The order that a recipe stands for.

    Raises:
        ValueError: its numbers do not fit its generator.
    """
    _check(recipe)
    return pack([_RULES[recipe.generator](rank, recipe) for rank in range(recipe.ranks)])


def _schedule(generator: GeneratorName, stages: Any, microbatches: Any, ranks: Any) -> Schedule:
    recipe = Recipe(generator, *(operator.index(n) for n in (stages, microbatches, ranks)))
    _check(recipe)
    return Schedule(recipe, NAMES[generator])


def _halved(generator: str, stages: int) -> int:
    if operator.index(stages) % 2:
        raise ValueError(f"{generator} puts two stages on each rank, so stages must be even; got {stages}")
    return stages // 2


def _check(recipe: Recipe) -> None:
    name, p, m = recipe.generator, recipe.ranks, recipe.microbatches
    for what, number in (("stages", recipe.stages), ("microbatches", m), ("ranks", p)):
        if number < 1:
            raise ValueError(f"{what} must be at least 1; got {number}")
    if recipe.stages % p:
        raise ValueError(f"{name} needs equally many stages on each rank; got {recipe.stages} stages on {p} ranks")
    if name == "interleaved_1f1b" and m % p:
        raise ValueError(f"{name} needs a multiple of {p} microbatches, in rounds of one per rank; got {m}")
    if name == "circular" and recipe.stages > p > m:
        raise ValueError(f"circular needs at least as many microbatches as ranks, {p}; got {m}")
    if name == "dualpipe_v" and m < 2 * p:
        raise ValueError(f"dualpipe_v needs at least as many microbatches as stages, {2 * p}; got {m}")


def _gpipe(rank: int, recipe: Recipe) -> list[Unit]:
    return [(Task(rank, kind, k),) for kind in "FB" for k in range(recipe.microbatches)]


def _one_f_one_b(rank: int, recipe: Recipe) -> list[Unit]:
    return _steady(rank, recipe, warm_up=recipe.ranks - 1 - rank)


def _eager(rank: int, recipe: Recipe) -> list[Unit]:
    return _steady(rank, recipe, warm_up=2 * (recipe.ranks - 1 - rank))


def _interleaved(rank: int, recipe: Recipe) -> list[Unit]:
    after_first = recipe.stages - recipe.ranks
    # Without another stage on the rank to turn to, twice the warm-up would only keep more.
    per_rank = 2 if after_first else 1
    return _steady(rank, recipe, warm_up=after_first + per_rank * (recipe.ranks - 1 - rank))


def _zb_h1(rank: int, recipe: Recipe) -> list[Unit]:
    return _steady(rank, recipe, warm_up=recipe.ranks - 1 - rank, lag=rank)


def _steady(rank: int, recipe: Recipe, *, warm_up: int, lag: int | None = None) -> list[Unit]:
    """``warm_up`` forward tasks, then forward and backward in turn; backward tasks in halves where there is a lag.

    Args:
        rank: the rank.
        recipe: sizes. Microbatches go through a rank's stages in rounds of ``ranks``.
        warm_up: forward tasks before the first turn.
        lag: how many weight halves wait at most; None for whole backward tasks.
    """
    p, chunks = recipe.ranks, recipe.stages // recipe.ranks
    total = recipe.microbatches * chunks

    def task(kind: str, k: int) -> Unit:
        turn, within = divmod(k, p * chunks) if chunks > 1 else (0, 0)
        chunk = within // p if kind == "F" else chunks - 1 - within // p
        return (Task(rank + p * chunk, kind, turn * p + within % p if chunks > 1 else k),)

    forward = min(warm_up, total)
    units = [task("F", k) for k in range(forward)]
    weights = 0
    for k in range(total):
        if forward < total:
            units.append(task("F", forward))
            forward += 1
        units.append(task("B" if lag is None else "I", k))
        if lag is not None and k >= lag:
            units.append(task("W", weights))
            weights += 1
    if lag is not None:
        units += [task("W", k) for k in range(weights, total)]
    return units


def _zb_v(rank: int, recipe: Recipe) -> list[Unit]:
    ranks, total = recipe.ranks, recipe.microbatches
    down, up = rank, recipe.stages - 1 - rank
    done: dict[tuple[int, str], int] = {}
    units: list[Unit] = []

    def put(stage: int, kinds: str) -> None:
        for kind in kinds:
            k = done.get((stage, kind), 0)
            if k < total:
                units.append((Task(stage, kind, k),))
                done[stage, kind] = k + 1

    for _ in range(2 * (ranks - rank) - 1):
        put(down, "F")
    for _ in range(rank):
        put(up, "F")
        put(down, "F")
    for _ in range(ranks - rank):
        put(up, "FIW")
    while done.get((up, "F"), 0) < total:
        put(down, "FIW")
        put(up, "FIW")
    for _ in range(rank):
        put(down, "I")
        put(up, "I")
    for _ in range(ranks - rank):
        put(down, "IW")
    for stage in (up, down):
        for _ in range(total):
            put(stage, "IW")
    return units


def _dualpipe_v(rank: int, recipe: Recipe) -> list[Unit]:
    ranks = recipe.ranks
    down, up = rank, recipe.stages - 1 - rank
    behind = ranks - 1 - rank
    done: dict[tuple[int, bool], int] = {}
    waiting: deque[Unit] = deque()
    units: list[Unit] = []

    def put(*parts: tuple[int, str]) -> None:
        unit = []
        for stage, kind in parts:
            k = done.get((stage, kind == "F"), 0)
            done[stage, kind == "F"] = k + 1
            unit.append(Task(stage, kind, k))
            if kind == "I":
                waiting.append((Task(stage, "W", k),))
        units.append(tuple(unit))

    for _ in range(2 * behind):
        put((down, "F"))
    for _ in range(rank + 1):
        put((down, "F"))
        put((up, "F"))
    for _ in range(behind):
        put((up, "I"))
        units.append(waiting.popleft())
        put((up, "F"))
    for k in range(recipe.microbatches - 2 * ranks + rank + 1):
        if k == 0 and not behind:
            # The last rank's first backward task is for a microbatch that has only just turned back.
            put((down, "F"))
            put((up, "B"))
        else:
            put((down, "F"), (up, "B"))
        put((up, "F"), (down, "B"))
    for _ in range(behind):
        put((up, "B"))
        put((up, "F"), (down, "B"))
    for k in range(2 * (rank + 1)):
        put((down if k % 2 else up, "B" if k <= rank else "I"))
    for _ in range(behind):
        units.append(waiting.popleft())
        put((down, "I"))
    return [*units, *waiting]


def _circular(rank: int, recipe: Recipe) -> list[Unit]:
    laps = range(rank, recipe.stages, recipe.ranks)
    forward = [(stage, k) for stage in laps for k in range(recipe.microbatches)]
    return [
        *((Task(stage, "F", k),) for stage, k in forward),
        *((Task(stage, "B", k),) for stage, k in reversed(forward)),
    ]


_RULES: dict[GeneratorName, Callable[[int, Recipe], list[Unit]]] = {
    "gpipe": _gpipe,
    "one_f_one_b": _one_f_one_b,
    "eager_1f1b": _eager,
    "interleaved_1f1b": _interleaved,
    "zb_h1": _zb_h1,
    "zb_v": _zb_v,
    "dualpipe_v": _dualpipe_v,
    "circular": _circular,
}
