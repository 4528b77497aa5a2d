"""Schedules that only the tests need, as others make them, and schedule documents that the front end's tests know."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

from shardwidget import pipeline
from shardwidget.document import Ints, Mesh, MeshAxis, Recipe, Schedule, Schedules
from shardwidget.pipeline.generators import NAMES
from shardwidget.pipeline.lists import compared
from shardwidget.pipeline.tasks import pack, parse


def zero_bubble_interleaved(stages: int, microbatches: int, ranks: int) -> list[list[str]]:
    """PyTorch's interleaved zero bubble: rank r lags r weight halves behind."""
    out = []
    for rank in range(ranks):
        forward, inputs, weights = (_in_rounds(kind, rank, stages, microbatches, ranks) for kind in "FIW")
        warm_up = stages - ranks + ranks - 1 - rank
        tasks = forward[:warm_up]
        for k, task in enumerate(inputs):
            tasks += [*forward[warm_up + k : warm_up + k + 1], task, *weights[max(k - rank, 0) : k - rank + 1]]
        out.append(tasks + weights[len(weights) - rank :])
    return out


def kimi_k2(stages: int, microbatches: int, ranks: int) -> list[list[str]]:
    """Interleaved 1F1B with one more forward task in the warm-up."""
    out = []
    for rank in range(ranks):
        forward, backward = (_in_rounds(kind, rank, stages, microbatches, ranks) for kind in "FB")
        warm_up = stages - ranks + 2 * (ranks - 1 - rank) + 1
        tasks = forward[:warm_up]
        for k, task in enumerate(backward):
            tasks += [*forward[warm_up + k : warm_up + k + 1], task]
        out.append(tasks)
    return out


def _in_rounds(kind: str, rank: int, stages: int, microbatches: int, ranks: int) -> list[str]:
    """A rank's tasks of a kind: rounds of as many microbatches as ranks, through its stages forward or back."""
    mine = range(rank, stages, ranks)
    return [
        f"{stage}{kind}{first + k}"
        for first in range(0, microbatches, ranks)
        for stage in (mine if kind == "F" else reversed(mine))
        for k in range(ranks)
    ]


def from_offsets(ranks: int, microbatches: int, steps: tuple[int, ...]) -> list[list[str]]:
    """A V of two stages per rank, from the offsets of one microbatch, repeated every six slots (arXiv 2405.15362).

    Args:
        ranks: number of ranks.
        microbatches: number of microbatches.
        steps: slots from rank to rank on the way down, up, and both ways back; then from each way to the next.
    """
    down, up, back, home, turn, loss, last = steps
    out: list[list[str]] = []
    for rank in range(ranks):
        far = ranks - 1
        at = {
            (rank, "F"): down * rank,
            (2 * ranks - 1 - rank, "F"): down * far + turn + up * (far - rank),
        }
        behind = down * far + turn + up * far + loss
        at[2 * ranks - 1 - rank, "I"] = behind + back * rank
        at[rank, "I"] = behind + back * far + last + home * (far - rank)
        # Weight halves take the two slots of six that are left, as soon as they can.
        taken = {slot % 6 for slot in at.values()}
        free = [slot for slot in range(6) if slot not in taken]
        first, second = at[2 * ranks - 1 - rank, "I"], at[rank, "I"]
        pairs = [
            (first + 1 + (a - first - 1) % 6, second + 1 + (b - second - 1) % 6) for a, b in (free, reversed(free))
        ]
        at[2 * ranks - 1 - rank, "W"], at[rank, "W"] = min(pairs, key=sum)
        slots = [(slot + 6 * m, f"{stage}{kind}{m}") for (stage, kind), slot in at.items() for m in range(microbatches)]
        out.append([task for _, task in sorted(slots)])
    return out


def dualpipe_v_of_jaxpp(ranks: int, microbatches: int) -> list[list[str]]:
    """DualPipeV as in JaxPP: backward tasks are input and weight halves fused, and weight halves come last."""
    out = []
    for rank in range(ranks):
        down, up, behind = rank, 2 * ranks - 1 - rank, ranks - 1 - rank
        count: dict[tuple[int, str], int] = defaultdict(int)

        def task(stage: int, kinds: str, count: dict[tuple[int, str], int] = count) -> str:
            parts = []
            for kind in kinds:
                parts.append(f"{stage}{kind}{count[stage, kind]}")
                count[stage, kind] += 1
            return "+".join(parts)

        tasks = [task(down, "F") for _ in range(2 * behind)]
        for _ in range(rank + 1):
            tasks += [task(down, "F"), task(up, "F")]
        for _ in range(behind):
            tasks += [task(up, "I"), task(up, "W"), task(up, "F")]
        for k in range(microbatches - 2 * ranks + rank + 1):
            pair = [task(down, "F"), task(up, "IW")]
            tasks += pair if k == 0 and not behind else ["+".join(pair)]
            tasks.append(f"{task(up, 'F')}+{task(down, 'IW')}")
        for _ in range(behind):
            tasks += [task(up, "IW"), f"{task(up, 'F')}+{task(down, 'IW')}"]
        for k in range(rank + 1):
            late = k >= (rank + 1) // 2
            tasks.append(task(up, "I" if late and rank % 2 else "IW"))
            tasks.append(task(down, "I" if late and rank and not rank % 2 else "IW"))
        tasks += [task(down, "I" if rank else "IW") for _ in range(behind)]
        left = [(k, stage) for stage in (down, up) for k in range(count[stage, "W"], microbatches)]
        out.append(tasks + [f"{stage}W{k}" for k, stage in sorted(left)])
    return out


def v_half(ranks: int, microbatches: int) -> list[list[str]]:
    """V-Half (arXiv 2405.15362): half the activations of 1F1B; weight halves wait until there is nothing else to do."""
    limit, stages = (3 * ranks) // 2, 2 * ranks
    order = from_offsets(ranks, microbatches, (1, 3, 1, 2, 3, 1, 4))
    ahead = [[task for task in tasks if "W" not in task][::-1] for tasks in order]
    waiting: list[list[str]] = [[] for _ in range(ranks)]
    kept = [0] * ranks
    done: set[str] = set()
    out: list[list[str]] = [[] for _ in range(ranks)]
    while any(ahead) or any(waiting):
        ran = []
        for rank in range(ranks):
            if (
                ahead[rank]
                and _able(ahead[rank][-1], done, stages)
                and (kept[rank] < limit or "F" not in ahead[rank][-1])
            ):
                ran.append((rank, ahead[rank].pop()))
            elif waiting[rank]:
                ran.append((rank, waiting[rank].pop(0)))
        for rank, task in ran:
            out[rank].append(task)
            done.add(task)
            kept[rank] += ("F" in task) - ("W" in task)
            if "I" in task:
                waiting[rank].append(task.replace("I", "W"))
    return out


def _able(task: str, done: set[str], stages: int) -> bool:
    stage, k = int(task[0]), task[2:]
    if "F" in task:
        return stage == 0 or f"{stage - 1}F{k}" in done
    return f"{stage}F{k}" in done and (stage == stages - 1 or f"{stage + 1}I{k}" in done)


def random_order(rng: random.Random) -> list[list[str]]:
    """Tasks of a random pipeline, each rank's in an order in which all of them can run."""
    ranks, chunks, microbatches = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 5)
    stages, split = ranks * chunks, rng.random() < 0.5
    rank_of = [rng.randrange(ranks) if stage >= ranks else stage for stage in range(stages)]
    left = [(s, kind, k) for s in range(stages) for kind in ("FIW" if split else "FB") for k in range(microbatches)]
    done: set[tuple[int, str, int]] = set()
    back = "I" if split else "B"
    out: list[list[str]] = [[] for _ in range(ranks)]
    while left:
        s, kind, k = task = rng.choice(left)
        needs = {
            "F": [(s - 1, "F", k)] if s else [],
            back: [(s, "F", k), *([(s + 1, back, k)] if s < stages - 1 else [])],
            "W": [(s, "I", k)],
        }[kind]
        if done.issuperset(needs):
            left.remove(task)
            done.add(task)
            out[rank_of[s]].append(f"{s}{kind}{k}")
    return out


def runs() -> Iterator[tuple[Schedule, dict[str, object]]]:
    """Schedules and times, for the front end's simulator to be compared on."""
    rng = random.Random(7)
    for generator in NAMES:
        for ranks in (1, 2, 3, 4):
            chunks = {"interleaved_1f1b": rng.randint(1, 3), "circular": rng.randint(1, 3)}.get(generator, 1)
            chunks = 2 if generator in ("zb_v", "dualpipe_v") else chunks
            most = {"dualpipe_v": 2 * ranks, "circular": ranks}.get(generator, 1)
            microbatches = ranks * rng.randint(1, 3) if generator == "interleaved_1f1b" else rng.randint(most, most + 7)
            yield Schedule(Recipe(generator, ranks * chunks, microbatches, ranks), NAMES[generator]), _times(rng, 1)
    for _ in range(40):
        made = pipeline.schedule(random_order(rng))
        yield made, _times(rng, rng.choice([1, made.stages]))
    yield pipeline.schedule(dualpipe_v_of_jaxpp(4, 8)), _times(rng, 1)
    yield in_ticks(), {"forward": [2.0, 1.5], "communication": 0.25}


def in_ticks() -> Schedule:
    """Two stages around a ring, as a loop around ``ppermute`` runs them, with two wasted tasks."""
    texts = [["0F0", "0F1", "0F0"], ["1F0", "1F0", "1F1"]]
    ranks = [[parse(text) for text in rank] for rank in texts]
    return Schedule(pack(ranks, ticks=[0, 1, 2] * 2, wasted=[False, False, True, True, False, False]), "ring")


def _times(rng: random.Random, entries: int) -> dict[str, object]:
    def some() -> list[float]:
        return [round(rng.uniform(0.5, 3), 3) for _ in range(entries)]

    return {
        "forward": some(), "backward_input": some(), "backward_weight": some(),
        "communication": rng.choice([0.0, round(rng.uniform(0, 2), 3)]),
    }  # fmt: skip


SCHEDULES: dict[str, Callable[[], Schedule | Schedules]] = {
    "one_f_one_b": lambda: replace(pipeline.one_f_one_b(4, 8), mesh=MESH),
    "zb_v": lambda: pipeline.zb_v(8, 8),
    "dualpipe_v": lambda: pipeline.dualpipe_v(8, 10),
    "large": lambda: pipeline.one_f_one_b(64, 256),
    "ring": in_ticks,
    "written": lambda: pipeline.schedule([["0F0", "0F1", "0B0", "0B1"], ["1F0", "1B0", "1F1", "1B1"]], name="mine"),
    "compared": lambda: compared(
        {
            "1F1B": pipeline.one_f_one_b(4, 8),
            "GPipe": pipeline.gpipe(4, 8),
            "Interleaved": pipeline.interleaved_1f1b(8, 8, 4),
            "ZB-H1": pipeline.zb_h1(4, 8),
        }
    ),
}
"""Documents of the front end's tests, by name."""

MESH = Mesh(
    tuple(MeshAxis(name, size, "Auto") for name, size in (("stage", 4), ("data", 2), ("model", 2))),
    Ints.pack(range(16)), Ints.pack([0] * 16), 0,
)  # fmt: skip
