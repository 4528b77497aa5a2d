"""What the front end's tests know, in Python's words: ``python -m tests.fixtures`` writes it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import jax
import numpy as np

from shardwidget.collectives import Call, Transfer, call_of, execute, expand, plans
from shardwidget.collectives.compared import compare
from shardwidget.cost import interconnects, networks
from shardwidget.document import Document, Memory, Model, Plan, ReshardPlan, to_wire
from shardwidget.export.state import encode
from tests.comparisons import COMPARISONS
from tests.diffs import DIFFS
from tests.kernels import KERNELS
from tests.links import LINKS
from tests.memories import MEMORIES
from tests.models import MODEL_COMPARISONS, MODELS
from tests.mpmd import MPMD
from tests.namespaces import NAMESPACES
from tests.overlaps import OVERLAPS
from tests.programs import PROGRAMS
from tests.reshards import RESHARDS
from tests.runs import RUNS
from tests.schedules import SCHEDULES, runs
from tests.searches import SEARCHES
from tests.traces import TRACES

FOLDER = Path(__file__).parents[1] / "js" / "tests"
SIZES = range(1, 9)


def plans_text() -> str:
    """Every algorithm of every kind: its plan, the transfers of its rounds, whose parts each rank ends up with.

    What a psum does stands for pmax and pmin: their plans are the same.
    """
    cases = [_case(call, plan) for n in SIZES for call in _calls(n) for plan in plans(call) if plan.rounds]
    return "[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n"


def traces_text() -> str:
    """The traces of ``tests.traces``, by name."""
    return _by_name(TRACES)


def comparisons_text() -> str:
    """The comparisons of ``tests.comparisons``, by name."""
    return _by_name(COMPARISONS)


def programs_text() -> str:
    """The programs of ``tests.programs``, by name."""
    return _by_name(PROGRAMS)


def memories_text() -> str:
    """The memories of ``tests.memories``, by name, and what Python says of each."""

    def case(memory: Memory) -> dict[str, Any]:
        said = {name: getattr(memory, name) for name in ("peak_step", "peak_bytes", "allocated_bytes")}
        alive = [(b.name, b.bytes) for b in memory.alive()]
        return {"wire": to_wire(memory), "said": {**said, "total": memory.over_time.tolist(), "alive": alive}}

    cases = [f"{json.dumps(name)}:{encode(case(make()))}" for name, make in MEMORIES.items()]
    return "{\n" + ",\n".join(cases) + "\n}\n"


def overlaps_text() -> str:
    """The schedules of ``tests.overlaps``, by name."""
    return _by_name(OVERLAPS)


def models_text() -> str:
    """The trees of ``tests.models``, by name, and what Python says of each."""

    def case(model: Model) -> dict[str, Any]:
        leaves = [(x.path, x.name, x.type, x.bytes, x.bytes_per_device, x.copies) for x in model.leaves]
        sums = {name: getattr(model, name) for name in ("arrays", "bytes", "bytes_per_device", "wasted_bytes")}
        devices = list(model.device_bytes.values())
        return {"wire": to_wire(model), "said": {**sums, "devices": devices, "leaves": leaves}}

    cases = [f"{json.dumps(name)}:{encode(case(make()))}" for name, make in MODELS.items()]
    return "{\n" + ",\n".join(cases) + "\n}\n"


def model_comparisons_text() -> str:
    """The comparisons of ``tests.models``, by name."""
    return _by_name(MODEL_COMPARISONS)


def namespaces_text() -> str:
    """The names of ``tests.namespaces``, by name."""
    return _by_name(NAMESPACES)


def schedules_text() -> str:
    """The schedules of ``tests.schedules``, by name."""
    return _by_name(SCHEDULES)


def mpmds_text() -> str:
    """The arrays on groups of ``tests.mpmd``, by name."""
    return _by_name(MPMD)


def reshards_text() -> str:
    """The plans of ``tests.reshards``, by name, and what Python says of each, for its threshold and for others."""
    draw = random.Random(0)

    def case(plan: ReshardPlan) -> dict[str, Any]:
        names = ("weights", "chunks", "chunk_bytes", "held_bytes", "peak_bytes", "freed_bytes", "overweight")
        few = [0.01, 0.3, 1, 4, *(2 ** draw.uniform(-8, 3) for _ in range(8))]
        scales = [] if plan.direction == "device_put" else few if plan.groups < 8 else few[1:2]
        at = [plan.with_threshold(max(1, int(plan.threshold * scale))) for scale in scales] or [plan]
        return {
            "wire": to_wire(plan),
            "said": [{"threshold": p.threshold} | {n: getattr(p, n) for n in names} for p in at],
        }

    cases = [f"{json.dumps(name)}:{encode(case(make()))}" for name, make in RESHARDS.items()]
    return "{\n" + ",\n".join(cases) + "\n}\n"


def searches_text() -> str:
    """The searches of ``tests.searches``, by name."""
    return _by_name(SEARCHES)


def links_text() -> str:
    """Device orders of ``tests.links``, by name."""
    return _by_name(LINKS)


def kernels_text() -> str:
    """The kernels of ``tests.kernels``, by name."""
    return _by_name(KERNELS)


def diffs_text() -> str:
    """The differences of ``tests.diffs``, by name."""
    return _by_name(DIFFS)


def runs_text() -> str:
    """Schedules, the times that they are run with, and what Python's simulator finds."""
    cases = []
    for schedule, times in runs():
        run = schedule.simulate(**times)  # pyright: ignore[reportArgumentType]
        found = {
            "tasks": schedule.tasks,
            "makespan": run.makespan,
            "start": run.start.tolist(),
            "idle": run.idle,
            "wasted": run.wasted,
            "peaks": run.peak_activations,
            "messages": run.messages,
            "critical": run.critical,
        }
        words = json.dumps({"times": times} | found, separators=(",", ":"))
        cases.append(f'{{"document":{encode(to_wire(schedule))},{words[1:]}')
    return "[\n" + ",\n".join(cases) + "\n]\n"


def measured_text() -> str:
    """The measured runs of ``tests.runs``, by name."""
    return _by_name(RUNS)


def algorithms_text() -> str:
    """Algorithms of collectives, with the times that Python estimates for some sizes."""
    cases = []
    for collective, n in (("psum", 8), ("all_gather", 16), ("psum_scatter", 6), ("all_to_all", 8), ("pbroadcast", 4)):
        document = compare(collective, n, 2**20, networks(interconnects()), 1e-6)
        pairs = list(combinations(range(len(document.algorithms)), 2))
        found = {
            "seconds": [
                [[document.seconds(k, on, size) for size in (1, 2**12, 2**30)] for on in range(len(document.networks))]
                for k in range(len(document.algorithms))
            ],
            "equal": [[document.equal(a, b, on) for a, b in pairs] for on in range(len(document.networks))],
        }
        words = json.dumps(found, separators=(",", ":"))
        cases.append(f'"{collective}":{{"document":{encode(to_wire(document))},{words[1:]}')
    return "{\n" + ",\n".join(cases) + "\n}\n"


FILES = {
    "algorithms/algorithms.json": algorithms_text,
    "stepper/plans.json": plans_text,
    "stepper/traces.json": traces_text,
    "comparison/comparisons.json": comparisons_text,
    "program/programs.json": programs_text,
    "run/runs.json": measured_text,
    "program/memory/memories.json": memories_text,
    "program/overlap/overlaps.json": overlaps_text,
    "tree/models.json": models_text,
    "tree/comparisons.json": model_comparisons_text,
    "inspector/namespaces.json": namespaces_text,
    "pipeline/schedules.json": schedules_text,
    "pipeline/runs.json": runs_text,
    "mpmd/mpmds.json": mpmds_text,
    "reshard/reshards.json": reshards_text,
    "search/searches.json": searches_text,
    "diff/diffs.json": diffs_text,
    "links/links.json": links_text,
    "kernel/kernels.json": kernels_text,
}


def _by_name(documents: Mapping[str, Callable[[], Document]]) -> str:
    wires = [f"{json.dumps(name)}:{encode(to_wire(make()))}" for name, make in documents.items()]
    return "{\n" + ",\n".join(wires) + "\n}\n"


def _calls(n: int) -> list[Call]:
    def over(primitive: str, **params: Any) -> Call:
        call = call_of(primitive, {"axis_name": "x", **params}, ["x"], [n])
        assert call
        return call

    ring = [(i, (i + 1) % n) for i in range(n)]
    return [
        over("psum"),
        over("all_gather", all_gather_dimension=0, tiled=True),
        over("reduce_scatter", scatter_dimension=0, tiled=True),
        over("all_to_all", split_axis=0, concat_axis=0),
        over("ppermute", perm=ring),
        over("ppermute", perm=ring[: n // 2]),
        over("pbroadcast", source=n // 2),
    ]


def _case(call: Call, plan: Plan) -> dict[str, Any]:
    rounds = [" ".join(map(_word, expand(plan, number))) for number in range(len(plan.rounds))]
    return {"kind": call.kind, "plan": to_wire(plan), "rounds": rounds, "held": _held(call, plan)}


def _word(t: Transfer) -> str:
    """``0>1:2+``: chunk 2 goes from rank 0 to rank 1 and is added; ``/3``: it started on rank 3."""
    return (
        f"{t.source}>{t.destination}:{t.chunk}{'+' if t.op == 'add' else ''}{f'/{t.origin}' if t.origin >= 0 else ''}"
    )


def _held(call: Call, plan: Plan) -> list[list[list[int]]]:
    """By rank and chunk, the ranks whose parts it holds in the end: ``execute`` on blocks that say whose they are."""
    n = call.n
    whole = call.statement.semantics.cuts in ("sent", "both")
    own = [np.full(n if whole else 1, 1 << r) for r in range(n)]
    made = execute(plan, call, np.stack(own))
    return [[[r for r in range(n) if int(value) >> r & 1] for value in row] for row in made]


if __name__ == "__main__":
    # As many devices as the tests have.
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 16)
    for name, text in FILES.items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(text(), encoding="utf-8")
