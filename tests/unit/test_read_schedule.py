"""Readers of schedules: objects that behave like JaxPP's, compiled programs, PyTorch's CSV, Shardy's text, lists."""

import enum
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from shardwidget import pipeline, read
from shardwidget.document import Durations
from tests import schedules


class TaskType(enum.Enum):
    FWD = 1
    BWD = 2
    BWD_I = 3
    BWD_W = 4


LETTERS = {"F": TaskType.FWD, "B": TaskType.BWD, "I": TaskType.BWD_I, "W": TaskType.BWD_W}


@dataclass(frozen=True)
class Task:
    stage_id: int
    mubatch_idx: int
    fwd_or_bwd: TaskType
    latency: int = field(hash=False, compare=False)


class FusedTask(tuple[Task, ...]):
    pass


@dataclass
class Fake:
    """As a schedule of JaxPP: tasks for any number of microbatches, as a grid with None or as a ragged order."""

    order: Any
    idle: int = 0

    def tasks(self, n_mubatches: int) -> list[list[Any]]:
        return [[None] * self.idle + [self._task(text) for text in rank] for rank in self.order(n_mubatches)]

    def _task(self, text: str) -> Any:
        tasks = [
            Task(int(part[0]), int(part[2:]), LETTERS[part[1]], 2 if part[1] == "B" else 1) for part in text.split("+")
        ]
        return tasks[0] if len(tasks) == 1 else FusedTask(tasks)


@pytest.mark.parametrize("idle", [0, 3])
def test_objects_with_tasks(idle):
    fake = Fake(lambda m: pipeline.one_f_one_b(4, m).tasks, idle)
    schedule = read.schedule(fake, microbatches=8)
    assert schedule.tasks == pipeline.one_f_one_b(4, 8).tasks
    assert schedule.name == "Fake"
    assert schedule.durations == Durations()
    assert schedule.simulate().makespan == 33


def test_fused_tasks_and_weight_halves_that_end_them():
    run = read.schedule(Fake(lambda m: schedules.dualpipe_v_of_jaxpp(4, m)), microbatches=8).simulate()
    assert run.idle == (5,) * 4


def test_kimi_k2():
    run = read.schedule(Fake(lambda m: schedules.kimi_k2(8, m, 4)), microbatches=8).simulate()
    assert (run.makespan, run.peak_activations) == (57, (12, 10, 8, 6))


def test_latencies_are_times():
    tasks = [
        [Task(0, 0, TaskType.FWD, 3), Task(0, 0, TaskType.BWD, 8)],
        [Task(1, 0, TaskType.FWD, 5), Task(1, 0, TaskType.BWD, 8)],
    ]
    schedule = read.schedule(tasks)
    assert schedule.durations == Durations((3, 5), (4,), (4,))
    assert schedule.simulate().makespan == 3 + 5 + 8 + 8


def test_a_schedule_that_repeats_a_task_is_refused_by_name():
    # Both ranks continue one stage's counter, so that the second half of the backward pass repeats the name of a task.
    order = [
        ["0F0", "2F0", "0F1", "2F1", "2B0", "2B0", "2B0", "2B0"],
        ["1F0", "3F0", "1F1", "3F1", "3B0", "1B0", "3B1", "1B1"],
    ]
    with pytest.raises(ValueError, match="impossible schedule: 2B0 occurs 4 times on rank 0"):
        read.schedule(Fake(lambda m: order), microbatches=2)


def test_how_many_microbatches_must_be_said():
    with pytest.raises(TypeError, match="give microbatches="):
        read.schedule(Fake(lambda m: []))


def test_what_is_no_task_is_named_by_its_place():
    with pytest.raises(TypeError, match="rank 0, task 1: 7 is not a task"):
        read.schedule([[Task(0, 0, TaskType.FWD, 1), 7]])


class Variable:
    def __init__(self) -> None:
        self.aval = SimpleNamespace(shape=(4, 8), size=32, dtype=np.dtype("float32"))


def compiled(tasks: tuple[tuple[str, ...], ...], *, newer: bool, counter: bool) -> Any:
    """As JaxPP's compiled program: tasks in an order in which they may run, a transfer before each that needs one."""
    names = {"F": "fwd", "B": "bwd", "I": "bwdA", "W": "bwdW"}
    run = pipeline.schedule(tasks).simulate()
    rank_of = {task.stage: task.rank for task in run.tasks}
    made: dict[str, Variable] = {}
    eqns = []
    for task in sorted(run.tasks, key=lambda task: (task.start, task.rank)):
        kind, stage, k = task.kind, task.stage, task.microbatch
        last = stage == max(rank_of)
        needs = f"{stage - 1}F{k}" if kind == "F" and stage else f"{stage + 1}B{k}" if kind == "B" and not last else ""
        invars = []
        if needs and rank_of[int(needs[0])] != task.rank:
            ends = {"src_mpmd_idx": rank_of[int(needs[0])], "tgt_mpmd_idx": task.rank}
            params = {"src_shardings": (), "tgt_shardings": ()} if newer else ends
            moved = Variable()
            eqns.append(equation("transfer", [made[needs]], [moved], params))
            invars = [moved]
        out = made[str(task)] = Variable()
        params = {
            "task_name": f"{names[kind]}_{stage}",
            "mpmd_idx": task.rank,
            "task_info": (stage, None),
            "latency": 1,
        }
        eqns.append(equation("task", invars, [out], {**params, **({"call_counter": k} if counter else {})}))
    return SimpleNamespace(jaxpr=SimpleNamespace(eqns=eqns))


def equation(name: str, invars: list[Variable], outvars: list[Variable], params: dict[str, Any]) -> Any:
    return SimpleNamespace(primitive=SimpleNamespace(name=name), invars=invars, outvars=outvars, params=params)


@pytest.mark.parametrize("newer", [False, True])
@pytest.mark.parametrize("counter", [False, True])
@pytest.mark.parametrize(
    ("tasks", "transfers"),
    [(pipeline.one_f_one_b(2, 4).tasks, 8), (pipeline.interleaved_1f1b(4, 4, 2).tasks, 24)],
    ids=["1F1B", "interleaved"],
)
def test_compiled_programs_with_both_forms_of_transfers(tasks, transfers, newer, counter):
    program = compiled(tasks, newer=newer, counter=counter)
    schedule = read.schedule(program)
    assert schedule.tasks == tasks
    run = schedule.simulate()
    assert run.messages == sum(e.primitive.name == "transfer" for e in program.jaxpr.eqns) == transfers
    assert {link.bytes for link in run.links if link.messages == 4} <= {4 * 128}
    assert schedule.note == ""


def test_a_compiled_program_with_a_fused_task_and_other_transfers():
    x, y, z = Variable(), Variable(), Variable()
    params = {"mpmd_idx": 0, "latency": 1, "task_info": None}
    eqns = [
        equation("task", [], [x], {"task_name": "fwd_0", **params}),
        equation("task", [x], [y], {"task_name": "fwd_0 bwd_0", **params}),
        equation("task", [y], [z], {"task_name": "bwd_0", **params}),
        equation("transfer", [z], [Variable()], {"src_shardings": (), "tgt_shardings": ()}),
    ]
    schedule = read.schedule(SimpleNamespace(eqns=eqns))
    assert schedule.tasks == (("0F0", "0F1+0B0", "0B1"),)
    assert schedule.note == "the program has 1 transfers; the dependencies of tasks explain 0"


def test_a_task_that_names_no_stage():
    eqns = [equation("task", [], [Variable()], {"task_name": "loss", "mpmd_idx": 1})]
    with pytest.raises(ValueError, match="task 'loss' on group 1 names no stage"):
        read.schedule(SimpleNamespace(eqns=eqns))


def csv_of(ranks: Any, *, whole: str = "B", half: str = "B") -> str:
    """As PyTorch writes it: fused tasks as an overlap, an input half as B."""

    def cell(text: str) -> str:
        parts = [p.replace("B", whole).replace("I", half) for p in text.split("+")]
        return f"({';'.join(parts)})OVERLAP_F_B" if len(parts) > 1 else parts[0]

    return "\n".join(",".join(map(cell, rank)) for rank in ranks) + "\n"


def test_pytorchs_csv_of_dualpipe_v(tmp_path):
    made = pipeline.dualpipe_v(8, 10)
    path = tmp_path / "dualpipev.csv"
    path.write_text(csv_of(made.tasks, half="I"))
    schedule = read.schedule(path)
    assert schedule.name == "dualpipev"
    assert read.schedule(str(path)).tasks == schedule.tasks == made.tasks
    run = schedule.simulate()
    assert (run.makespan, run.idle, run.peak_activations) == (66, (6,) * 4, (9,) * 4)


def test_pytorchs_csv_of_the_interleaved_zero_bubble():
    text = csv_of(schedules.zero_bubble_interleaved(4, 8, 2)).replace("2F0,", "2F0,,").replace("1F0", ",1F0")
    schedule = read.schedule(text)
    run = schedule.simulate()
    assert (run.makespan, run.idle) == (49, (1, 1))
    assert {task.kind for task in run.tasks} == set("FIW")


def test_pytorchs_csv_of_whole_backward_tasks_and_moves():
    text = "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0BW0,0REDUCE_GRAD,0RESHARD\n1RECV_F0,1F0,1BW0,1SEND_B0\n"
    assert read.schedule(text).tasks == (("0F0", "0B0"), ("1F0", "1B0"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0F0,0B0\n1F0,1X0\n", "row 2, column 2: '1X0' is not an action"),
        ("0F0,(0F1;x)OVERLAP_F_B\n", "row 1, column 2"),
        ("0F0,0B0\n1F0,\n", "stage 1 never gets microbatch 0 back"),
    ],
)
def test_a_csv_with_a_broken_cell(text, words):
    with pytest.raises(ValueError, match=words):
        read.schedule(text)


SHARDY = """
func.func @main(%arg0: !mesh_1_tensor) attributes {topology = #mpmd.topology<<"mesh1": <["x"=2]>>, <"mesh2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="mesh1", origin=["stage1"]> @p0(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = mpmd.transfer %0 : (!mpmd.mesh_tensor<"mesh1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"mesh2", tensor<4x8xf32>>
  %2 = mpmd.fragment_call<mesh="mesh1", origin=["stage1"]> @p0(%arg0) {call_counter = 1 : ui32} : (tensor<4xf32>) -> tensor<4xf32>
  %3:2 = mpmd.fragment_call<mesh="mesh2", origin=["stage2", "stage2"(1)]> @p1(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = mpmd.transfer %3#0 : (!mpmd.mesh_tensor<"mesh2", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"mesh1", tensor<4x8xf32>>
  %5 = mpmd.transfer %2 : (!mpmd.mesh_tensor<"mesh1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"mesh2", tensor<4x8xf32>>
  %6 = mpmd.fragment_call<mesh="mesh1", origin=["stage1"(1)]> @p2(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = mpmd.fragment_call<mesh="mesh2", origin=["stage2"]> @p3(%5) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = mpmd.fragment_call<mesh="mesh2", origin=["stage2"(1)]> @p4(%7) : (tensor<4xf32>) -> tensor<4xf32>
  %9 = mpmd.fragment_call<mesh="mesh1", origin=["stage1"(1)]> @p2(%8) : (tensor<4xf32>) -> tensor<4xf32>
  %10 = mpmd.fragment_call<mesh="mesh1", origin=[]> @p5(%9) : (tensor<4xf32>) -> tensor<4xf32>
}
"""  # noqa: E501


def test_shardys_text():
    schedule = read.schedule(SHARDY)
    assert schedule.tasks == (("0F0", "0F1", "0B0", "0B1"), ("1F0+1B0", "1F1", "1B1"))
    assert schedule.send_bytes == (128, 0)
    assert schedule.note == "1 calls name no origin and are left out"
    assert schedule.simulate().messages == 4


def test_text_of_shardy_that_tells_no_stages():
    with pytest.raises(ValueError, match="names its origin"):
        read.schedule('%0 = mpmd.fragment_call<mesh="m1", origin=[]> @f(%arg0)')


def test_lists():
    assert read.schedule([["0F0", None, "0B0"], ["1F0", "1B0"]], name="mine").name == "mine"
    with pytest.raises(ValueError, match="there are no tasks"):
        read.schedule([])


def test_a_schedule_is_one_already():
    made = pipeline.zb_v(8, 8)
    assert read.schedule(made) is made


@pytest.mark.parametrize("x", [7, None, {"a": 1}, b"0F0", [1, 2]])
def test_anything_else_is_told_every_form(x):
    with pytest.raises(TypeError, match=r"(?s)is not a schedule that can be read.*lists of tasks.*PyTorch's CSV"):
        read.schedule(x)


def test_arguments_belong_to_a_function():
    with pytest.raises(TypeError, match="arguments belong to a function"):
        read.schedule([["0F0"]], np.ones(3))


def test_schedules_of_jaxpp():
    jaxpp = pytest.importorskip("jaxpp.schedules", reason="JaxPP is on no package index")
    assert read.schedule(jaxpp.Std1F1B(4), microbatches=8).simulate().makespan == 33


FAR = "9" * 30


@pytest.mark.parametrize(
    ("task", "error", "words"),
    [
        (Task(float("inf"), 0, TaskType.FWD, 1), TypeError, "is not a task; one has whole numbers"),  # pyright: ignore
        (Task(0, 0.5, TaskType.FWD, 1), TypeError, "is not a task; one has whole numbers"),  # pyright: ignore
        (Task(0, 0, TaskType.FWD, 10**400), TypeError, "a number latency or none"),
        (Task(0, 0, TaskType.FWD, float("inf")), ValueError, "must be a time"),  # pyright: ignore
        (Task(-1, 0, TaskType.FWD, 1), ValueError, "numbered from 0"),
        (Task(0, -1, TaskType.FWD, 1), ValueError, "numbered from 0"),
    ],
)
def test_a_task_with_no_such_numbers_is_refused(task, error, words):
    with pytest.raises(error, match=words):
        read.schedule([[task]])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (f"0F{FAR}", "is not a task: stages and microbatches are numbered from 0 to below 2147483648"),
        ([[f"0F{FAR}"]], "is not a task"),
        ([[f"{FAR}F0", "0B0"]], "is not a task"),
        ([[f"0F{2**31}"]], "is not a task"),
        (f"0F{FAR},0B{FAR}\n", "is not a task"),
        ([["F" + "9" * 5000]], "is not a task"),
        ("0F " * 10**5, "no CSV of a pipeline schedule"),
        ("0F" + "9" * 5000, "integer string conversion"),
        ("x" * 5000 + ".csv", "neither a schedule nor the path of a file"),
        ("a\0b.csv", r"'a\\\\x00b.csv' is neither a schedule nor"),
        (".", "is not an action"),
        ("x" * 5000, "is not an action"),
    ],
)
def test_text_without_bounds_is_refused_in_a_line(given, words):
    with pytest.raises(ValueError, match=words) as stop:
        read.schedule(given)
    assert len(str(stop.value)) < 500


def test_a_folder_is_no_schedule(tmp_path):
    with pytest.raises(ValueError, match="neither a schedule nor the path of a file with one"):
        read.schedule(tmp_path)
    with pytest.raises(FileNotFoundError):
        read.schedule(tmp_path / "none.csv")
