"""Profiles and modules recorded on an H200 with JAX 0.11.2, whose kernels XLA launches in CUDA graphs.

Five functions, each called three times. ``mlp`` and ``attention`` are one graph each, ``scanned`` has a graph for the
body of each of two loops, ``while_loop`` has none; the profile of ``alone`` has its module in it.
"""

import gzip
from collections import Counter
from pathlib import Path

import jax
import pytest

from shardwidget import cost, read
from shardwidget.document import Ints, Mesh, MeshAxis, Program, Run
from shardwidget.read._program.module import Module
from shardwidget.read._run.embedded import program_in
from shardwidget.read._run.graphs import Graphs
from shardwidget.read._run.run import of_profile

RECORDED = Path(__file__).parent / "h200"


def recorded(name: str) -> tuple[Module, Run]:
    text, data = (gzip.decompress((RECORDED / f"{name}.{kind}.gz").read_bytes()) for kind in ("hlo", "xplane.pb"))
    module = Module.parse(text.decode())
    mesh = Mesh((MeshAxis("x", 1, "Auto"),), Ints.pack([0]), Ints.pack([0]), 0, kind="NVIDIA H200", platform="gpu")
    names = tuple(i.name for i in cost.interconnects())
    program = Program(mesh, (), interconnects=names, interconnect=names.index("H200"), name=name, target="1 × H200")
    return module, of_profile(data, module, program)


def times_run(run: Run) -> Counter[str]:
    return Counter(e.name for call in range(len(run.seconds)) for e in run.events(0) if e.call == call)


@pytest.mark.parametrize("name", ["mlp", "attention", "scanned", "while_loop"])
def test_every_kernel_of_a_gpu_is_named(name: str) -> None:
    module, run = recorded(name)
    known = {i.name for c in module.computations.values() for i in c.instructions}
    assert len(run.seconds) == 3
    assert set(times_run(run)) <= known
    assert {each.why for each in run.unjoined} <= {"no source line"}


def test_kernels_of_a_graph_by_instruction() -> None:
    _, run = recorded("mlp")
    products = ["gemm_fusion_dot_general.5", "custom-call.1", "custom-call.0", "gemm_fusion_dot.1", "gemm_fusion_dot"]
    ran = times_run(run)
    assert [ran[name] for name in products] == [3, 3, 6, 3, 3]  # One of them fills its workspace first.
    lines = {o.name: o.source and o.source.line for o in run.operations}
    assert lines["custom-call.1"] == lines["gemm_fusion_dot_general.5"]


def test_equal_fusions_share_a_kernel() -> None:
    """The kernel of ``wrapped_transpose.2`` also runs ``wrapped_transpose``: its second run is that."""
    _, run = recorded("attention")
    ran = times_run(run)
    assert (ran["wrapped_transpose.2"], ran["wrapped_transpose"]) == (3, 3)
    assert (ran["loop_transpose_fusion"], ran["loop_transpose_fusion.1"]) == (3, 3)


def test_a_graph_that_is_a_loop_s_body() -> None:
    """Both bodies have the kernel ``gemm_fusion_dot_general_2``, which has the name of the first one's fusion."""
    _, run = recorded("scanned")
    ran = times_run(run)
    assert (ran["gemm_fusion_dot_general.2"], ran["gemm_fusion_dot_general.9"]) == (18, 18)
    assert (ran["loop_add_fusion"], ran["loop_add_fusion.1"]) == (18, 18)
    assert {o.name: o.trips for o in run.operations}["gemm_fusion_dot_general.9"] == (6,)


def test_a_program_that_is_one_call_of_a_library_of_several_kernels() -> None:
    """Three fills of a workspace and a product: the calls are those in which the host launched them."""
    _, run = recorded("cudnn")
    assert len(run.seconds) == 3
    assert times_run(run) == {"dot_product_attention_fwd.4": 12}


def test_a_sort_has_the_kernel_of_what_is_fused_and_copies_first() -> None:
    _, run = recorded("sorted")
    assert times_run(run) == {
        "input_multiply_reduce_fusion": 3, "input_reduce_fusion": 3, "fusion": 6, "loop_add_fusion": 3,
    }  # fmt: skip


def test_a_sort_of_several_kernels_after_a_library_s_top_k() -> None:
    """The kernel of ``custom-call.1`` has a C++ name; ``fusion`` copies, then runs three kernels of its own."""
    _, run = recorded("route")
    assert times_run(run) == {"custom-call.1": 3, "fusion": 12, "wrapped_slice": 3}


def test_several_graphs_of_one_schedule_with_equal_fusions() -> None:
    """Three graphs and copies to the host and back: every instruction that launches a kernel runs once in a call."""
    module, run = recorded("remat")
    opcodes = {i.name: i.opcode for i in module.entry.instructions} if module.entry else {}
    launched = {name for name, opcode in opcodes.items() if opcode in ("fusion", "custom-call", "copy-start")}
    assert times_run(run) == dict.fromkeys(launched, 3)


@pytest.mark.parametrize(
    ("name", "allocated"),
    [("remat", 25_165_824 + 16_777_216 + 104_862_768), ("offload", 33_554_944)],
)
def test_what_is_alive_on_a_gpu(name: str, allocated: int) -> None:
    """As much as XLA allocates on the device for arguments, results and temporaries; nothing of the host's memory."""
    text = gzip.decompress((RECORDED / f"{name}.hlo.gz").read_bytes()).decode()
    memory = read.memory(text, mesh=jax.make_mesh((1,), ("x",), devices=jax.devices()[:1]))
    assert memory.peak_bytes == pytest.approx(allocated, rel=0.03)


TWICE = """HloModule jit_f, is_scheduled=true

%fused (q: f32[4]) -> f32[4] {
  %q = f32[4] parameter(0)
  ROOT %sine = f32[4] sine(%q)
}

ENTRY %main (p: f32[4]) -> f32[4] {
  %p = f32[4] parameter(0)
  %first = f32[4] custom-call(%p), custom_call_target="a"
  %sin.1 = f32[4] fusion(%first), kind=kLoop, calls=%fused
  %second = f32[4] custom-call(%sin.1), custom_call_target="b"
  %third = f32[4] custom-call(%second), custom_call_target="c"
  %sin.2 = f32[4] fusion(%third), kind=kLoop, calls=%fused
  ROOT %fourth = f32[4] custom-call(%sin.2), custom_call_target="d"
}
"""


@pytest.mark.parametrize(
    ("kernels", "instructions"),
    [
        (["sin_1", "nvjet", "nvjet", "sin_2"], ["sin.1", "second", "third", "sin.2"]),
        (["sin_1", "nvjet", "splitk", "reduce", "sin_2"], ["sin.1", "", "", "", "sin.2"]),  # One of two took two.
        (["nvjet", "sin_1", "nvjet"], ["first", "sin.1", "second"]),
        (["nvjet", "splitk", "sin_1"], ["", "", "sin.1"]),
        (["sin_2", "Memset 0", "nvjet"], ["sin.2", "fourth", "fourth"]),
        (["nvjet", "nvjet"], ["", ""]),  # No name says where in the program it is.
        ([], []),
    ],
)
def test_what_is_not_certain_is_not_named(kernels: list[str], instructions: list[str]) -> None:
    assert Graphs(Module.parse(TWICE)).instructions(kernels) == instructions


def compiled_for_8(name: str) -> str:
    return gzip.decompress((RECORDED / f"{name}_on_8.hlo.gz").read_bytes()).decode()


def test_collectives_of_a_module_for_eight_gpus() -> None:
    """Compiled ahead of time for eight H200, a mesh of data=2 and model=4, with NCCL's collectives."""
    mesh = jax.make_mesh((2, 4), ("data", "model"), devices=jax.devices()[:8])
    program = read.program(compiled_for_8("scan"), mesh=mesh, interconnect="H200")
    found = Counter((c.kind, c.axes, c.times) for c in program.collectives)
    assert found == {
        ("all-reduce", ("model",), 12): 1,
        ("all-gather", ("model",), 12): 1,
        ("all-reduce", ("data",), 12): 1,
        ("all-gather", ("data",), 12): 2,
        ("all-reduce", ("data",), 1): 1,
    }
    overlap = read.overlap(compiled_for_8("scan"), mesh=mesh, chip="H200", interconnect="H200")
    # Twelve layers, forward and the two products of the backward pass, on an eighth of the devices each.
    assert overlap.flops == pytest.approx(12 * 3 * 2 * 2048 * 1024 * 1024 / 8, rel=1e-3)
    halves = Counter((t.kind, t.asynchronous) for t in overlap.transfers)
    assert halves == {
        ("all-reduce", True): 1,
        ("all-gather", True): 1,
        ("all-reduce", False): 2,
        ("all-gather", False): 2,
    }


def test_memory_that_a_library_computes_in_is_a_workspace() -> None:
    text = gzip.decompress((RECORDED / "mlp.hlo.gz").read_bytes()).decode()
    memory = read.memory(text, mesh=jax.make_mesh((1,), ("data",), devices=jax.devices()[:1]))
    workspaces = [(b.type, b.source and b.source.line) for b in memory.buffers if b.name == "workspace"]
    assert workspaces == [("s8[33554432]", 9)] * 2


def test_a_profile_holds_its_program(tmp_path: Path) -> None:
    """Two functions ran, and ``step`` longest."""
    module, given = recorded("alone")
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(gzip.decompress((RECORDED / "alone.xplane.pb.gz").read_bytes()))
    alone = read.run(path)
    held = Module.parse(program_in(path.read_bytes()).text)
    names = [[i.name for c in of.computations.values() for i in c.instructions] for of in (held, module)]
    assert sorted(names[0]) == sorted(names[1])
    assert (alone.seconds, alone.joined, alone.target) == (given.seconds, given.joined, "1 × gpu")
    assert [o.source for o in alone.operations] == [o.source for o in given.operations]
