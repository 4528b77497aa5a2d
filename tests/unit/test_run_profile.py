"""Profiles of CPU, TPU and GPU in the form that they have there, with known times, joined with a module."""

import os
from collections.abc import Mapping, Sequence

import pytest
from jax.profiler import ProfileData

from shardwidget import cost, read
from shardwidget.document import Ints, Mesh, MeshAxis, Program
from shardwidget.read._program.module import Module
from shardwidget.read._program.reading import collectives_of
from shardwidget.read._run.run import of_profile

HLO = """HloModule jit_f, is_scheduled=true, num_partitions=4

FileNames
1 "/home/me/model.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=8 end_line=8 column=4 end_column=9}
2 {file_name_id=1 function_name_id=1 line=9 end_line=9 column=4 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

%fused (q: f32[4]) -> f32[4] {
  %q = f32[4] parameter(0)
  ROOT %sine = f32[4] sine(%q), metadata={op_name="jit(f)/sin" stack_frame_id=1}
}

%body (s: (s32[], f32[4])) -> (s32[], f32[4]) {
  %s = (s32[], f32[4]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %v = f32[4] get-tuple-element(%s), index=1
  %loop_fusion = f32[4] fusion(%v), kind=kLoop, calls=%fused
  %all-reduce.1 = f32[4] all-reduce(%loop_fusion), channel_id=1, replica_groups=[2,2]<=[4], use_global_device_ids=true, to_apply=%add, metadata={op_name="jit(f)/psum" stack_frame_id=2}
  ROOT %t = (s32[], f32[4]) tuple(%next, %all-reduce.1)
}

%condition (s: (s32[], f32[4])) -> pred[] {
  %s = (s32[], f32[4]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %two = s32[] constant(2)
  ROOT %less = pred[] compare(%i, %two), direction=LT
}

ENTRY %main (p: f32[4]) -> f32[4] {
  %p = f32[4] parameter(0)
  %zero = s32[] constant(0)
  %start = (s32[], f32[4]) tuple(%zero, %p)
  %while.1 = (s32[], f32[4]) while(%start), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"2"}}, metadata={op_name="jit(f)/while" stack_frame_id=1}
  %out = f32[4] get-tuple-element(%while.1), index=1
  %all-gather-start.1 = (f32[4], f32[8]) all-gather-start(%out), channel_id=2, replica_groups=[2,2]<=[4], dimensions={0}, use_global_device_ids=true, metadata={op_name="jit(f)/all_gather" stack_frame_id=2}
  %copy.1 = f32[4] copy(%p)
  %all-gather-done.1 = f32[8] all-gather-done(%all-gather-start.1), metadata={op_name="jit(f)/all_gather" stack_frame_id=2}
  ROOT %last = f32[4] slice(%all-gather-done.1), slice={[0:4]}
}
"""  # noqa: E501

MODULE = Module.parse(HLO)


def program(platform: str, kind: str) -> Program:
    axes = (MeshAxis("x", 2, "Auto"), MeshAxis("y", 2, "Auto"))
    mesh = Mesh(axes, Ints.pack(range(4)), Ints.pack([0] * 4), 0, kind=kind, platform=platform)
    interconnects = cost.interconnects()
    names = tuple(i.name for i in interconnects)
    reading = collectives_of(HLO, mesh, tuple(range(4)), interconnects)
    at = names.index("H100") if platform == "gpu" else names.index("TPU v5e")
    return Program(mesh, reading.collectives, interconnects=names, interconnect=at, name="f", target=f"4 × {kind}")


ON_CPU, ON_TPU, ON_GPU = program("cpu", "cpu"), program("tpu", "TPU v5 lite"), program("gpu", "NVIDIA H100 80GB HBM3")


class Plane:
    """A plane of a profile, as it is written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.names: dict[str, int] = {}
        self.stats: dict[str, int] = {}

    def line(self, name: str, events: Sequence[tuple[str, int, int, Mapping[str, int | str]]]) -> None:
        """Adds a line of events: name, start and end in microseconds, stats."""
        written = "".join(self._event(*event) for event in events)
        self.lines.append(f'lines {{ name: "{name}" {written} }}')

    def _event(self, name: str, start: int, end: int, stats: Mapping[str, int | str]) -> str:
        number = self.names.setdefault(name, len(self.names) + 1)
        given = ""
        for key, value in stats.items():
            at = self.stats.setdefault(key, len(self.stats) + 1)
            written = f'str_value: "{value}"' if isinstance(value, str) else f"int64_value: {value}"
            given += f"stats {{ metadata_id: {at} {written} }} "
        times = f"offset_ps: {start * 10**6} duration_ps: {(end - start) * 10**6}"
        return f"events {{ metadata_id: {number} {times} {given} }}\n"

    def __str__(self) -> str:
        names = "".join(f'event_metadata {{ key: {k} value {{ id: {k} name: "{n}" }} }}' for n, k in self.names.items())
        stats = "".join(f'stat_metadata {{ key: {k} value {{ id: {k} name: "{n}" }} }}' for n, k in self.stats.items())
        return f'planes {{ name: "{self.name}" {" ".join(self.lines)} {names} {stats} }}'


def profile(*planes: Plane) -> bytes:
    return ProfileData.text_proto_to_serialized_xspace("\n".join(map(str, planes)))


def microseconds(seconds: float) -> float:
    return round(seconds * 1e6, 3)


def seen(run, device: int, call: int = 0) -> list[tuple]:
    """Name, start, end, waiting and iteration of a device's events, in microseconds."""
    return [
        (e.name, microseconds(e.start_s), microseconds(e.end_s), microseconds(e.waited_s), e.iteration)
        for e in run.events(device)
        if e.call == call
    ]


def cpu() -> Plane:
    """Two calls on four devices; device 1 computes longer than device 0."""
    plane = Plane("/host:CPU")
    for device in range(4):
        late, events = 10 * (device % 2), []
        for call in range(2):
            begin = 1000 * call
            at = {"device_ordinal": device, "run_id": 70 + call, "hlo_module": "jit_f", "program_id": 5}

            def ran(name, start, end, begin=begin, at=at, events=events):
                number = 1000 * at["device_ordinal"] + len(events)
                events.append((name, begin + start, begin + end, {**at, "hlo_op": name, "_p": number}))
                return number

            ran("while.1", 0, 100)
            for k in range(2):
                number = ran("loop_fusion", 50 * k, 50 * k + 1)
                # It continues in other threads.
                end = begin + 50 * k + 20 + late
                events.append(("end: loop_fusion", end, end, {"_c": number}))
                ran("all-reduce.1", 50 * k + 20 + late, 50 * k + 50)
            ran("copy.1", 100, 105)
            events.append(("Wait: pending_threads=1/2", begin, begin + 3, {}))
            events.append(("copy.1", begin, begin + 3, {**at, "hlo_op": "copy.1", "hlo_module": "jit_other"}))
        plane.line(f"tf_XLAEigen/{device}", events)
    return plane


def test_cpu_events_are_lanes_of_devices():
    run = of_profile(profile(cpu()), MODULE, ON_CPU)
    assert len(run.seconds) == 2
    assert [microseconds(s) for s in run.seconds] == [105, 105]
    for call in range(2):
        assert seen(run, 0, call) == [
            ("loop_fusion", 0, 20, 0, (0,)),
            ("all-reduce.1", 20, 50, 10, (0,)),
            ("loop_fusion", 50, 70, 0, (1,)),
            ("all-reduce.1", 70, 100, 10, (1,)),
            ("copy.1", 100, 105, 0, ()),
        ]
        assert [e[3] for e in seen(run, 1, call) if e[0] == "all-reduce.1"] == [0, 0]
    lines = {o.name: o.source and o.source.line for o in run.operations}
    assert lines == {"loop_fusion": 8, "all-reduce.1": 9, "copy.1": None}
    reduce = run.collectives[0]
    assert reduce.axes == ("y",)
    assert microseconds(reduce.median_s) == 20
    assert reduce.times == 16
    assert microseconds(run.collectives[0].call_wait_s) == 10
    assert [(u.name, u.times) for u in run.unjoined] == [("copy.1", 8)]
    assert run.joined == pytest.approx(1 - 5 / 105)


def tpu(device: int, late: int, runs: bool = True) -> Plane:
    plane = Plane(f"/device:TPU:{device}")
    plane.line(
        "XLA Modules", [("jit_f(77)", 1000 * c, 1000 * c + 200, {"run_id": 5 + c} if runs else {}) for c in range(2)]
    )
    own, beside = [], []
    for begin in (0, 1000):
        own += [
            ("%while.1 = (s32[], f32[4]) while(%start), body=%body", begin, begin + 100, {}),
            ("%loop_fusion = f32[4] fusion(%v)", begin, begin + 20 + late, {}),
            ("%all-reduce.1 = f32[4] all-reduce(%loop_fusion)", begin + 20 + late, begin + 50, {}),
            ("%loop_fusion = f32[4] fusion(%v)", begin + 50, begin + 70 + late, {}),
            ("%all-reduce.1 = f32[4] all-reduce(%loop_fusion)", begin + 70 + late, begin + 100, {}),
            ("%all-gather-start.1 = (f32[4]) all-gather-start(%out)", begin + 100 + late, begin + 111, {}),
            ("%copy.1 = f32[4] copy(%p)", begin + 111, begin + 130, {}),
            ("%all-gather-done.1 = f32[8] all-gather-done()", begin + 130, begin + 150, {}),
        ]
        beside.append(("%all-gather-start.1 = (f32[4]) all-gather-start(%out)", begin + 101 + late, begin + 150, {}))
    plane.line("XLA Ops", own)
    plane.line("Async XLA Ops", beside)
    plane.line("Steps", [("1", 0, 2000, {})])
    return plane


@pytest.mark.parametrize("runs", [True, False])
def test_tpu_planes_are_devices_and_halves_are_one(runs):
    run = of_profile(profile(*(tpu(d, 10 * (d % 2), runs) for d in range(4))), MODULE, ON_TPU)
    assert len(run.seconds) == 2
    for call in range(2):
        assert seen(run, 0, call)[2:] == [
            ("loop_fusion", 50, 70, 0, (1,)),
            ("all-reduce.1", 70, 100, 10, (1,)),
            ("all-gather-start.1", 100, 150, 10, ()),
            ("copy.1", 111, 130, 0, ()),
        ]
    gather = next(c for c in run.collectives if c.kind == "all-gather")
    assert microseconds(gather.median_s) == 40
    # The copy runs for 19 of the 40 µs after the last arrival.
    assert gather.hidden == pytest.approx(19 / 40)
    assert run.interconnect == "TPU v5e"
    assert gather.estimate_s > 0


def gpu(device: int, late: int, derived: bool) -> Plane:
    plane = Plane(f"/device:GPU:{device}")
    compute, network = [], []
    for begin in (0, 1000):
        for k in (0, 50):
            compute.append(("loop_fusion_kernel", begin + k, begin + k + 20 + late, {"hlo_op": "loop_fusion"}))
            network.append(
                ("ncclDevKernel_AllReduce", begin + k + 20 + late, begin + k + 50, {"hlo_op": "all-reduce.1"})
            )
        compute.append(("MemcpyD2D", begin + 100, begin + 105, {"hlo_op": "copy.1"}))
    if derived:
        named = [(stats["hlo_op"], a, b, {"hlo_module": "jit_f"}) for _, a, b, stats in compute + network]
        plane.line("XLA Ops", named)
    for name, events in (("Stream #13(Compute)", compute), ("Stream #14(Collective)", network)):
        plane.line(name, [(n, a, b, {**stats, "hlo_module": "jit_f", "program_id": 3}) for n, a, b, stats in events])
    plane.line("Stream #15(MemcpyH2D)", [("MemcpyH2D", 0, 5, {})])
    return plane


@pytest.mark.parametrize("derived", [True, False])
def test_gpu_streams_of_a_device_are_one_lane(derived):
    run = of_profile(profile(*(gpu(d, 10 * (d % 2), derived) for d in range(4))), MODULE, ON_GPU)
    assert len(run.seconds) == 2
    assert seen(run, 2, 1) == [
        ("loop_fusion", 0, 20, 0, (0,)),
        ("all-reduce.1", 20, 50, 10, (0,)),
        ("loop_fusion", 50, 70, 0, (1,)),
        ("all-reduce.1", 70, 100, 10, (1,)),
        ("copy.1", 100, 105, 0, ()),
    ]
    assert run.interconnect == "H100"
    assert run.peak == 4.5e11


def test_instructions_that_the_program_does_not_have_are_named():
    plane = cpu()
    at = {"device_ordinal": 0, "run_id": 70, "hlo_module": "jit_f", "program_id": 5}
    plane.line("tf_XLAEigen/9", [("mystery.1", 110, 115, {**at, "hlo_op": "mystery.1"})])
    run = of_profile(profile(plane), MODULE, ON_CPU)
    assert ("mystery.1", "not in the program") in [(u.name, u.why) for u in run.unjoined]


def test_what_the_compiler_makes_for_a_line_is_of_that_line():
    text = HLO.replace(
        "  %copy.1 = f32[4] copy(%p)", '  %copy.1 = f32[4] copy(%p), metadata={op_name="broadcast.18"}'
    ).replace(
        "slice(%all-gather-done.1), slice={[0:4]}",
        'add(%copy.1, %copy.1), metadata={op_name="jit(f)/add" stack_frame_id=2}',
    )
    run = of_profile(profile(cpu()), Module.parse(text), ON_CPU)
    assert {o.name: o.source and o.source.line for o in run.operations}["copy.1"] == 9
    assert run.joined == 1


def test_a_call_that_some_devices_do_not_have_is_left_out():
    planes = [tpu(0, 0), tpu(1, 0)]
    half = Plane("/device:TPU:2")
    half.line("XLA Modules", [("jit_f(77)", 1000, 1200, {"run_id": 6})])
    half.line("XLA Ops", [("%copy.1 = f32[4] copy(%p)", 1100, 1110, {})])
    run = of_profile(profile(*planes, half), MODULE, ON_TPU)
    assert len(run.seconds) == 1
    assert seen(run, 2) == [("copy.1", 100, 110, 0, ())]


def test_the_profile_of_another_host():
    run_on = [tpu(d, 0) for d in range(5)]
    with pytest.raises(ValueError, match=r"device 4 of its host, and the program runs on 4 devices of process 0"):
        of_profile(profile(*run_on), MODULE, ON_TPU)


@pytest.mark.parametrize("planes", [(cpu(),), (tpu(0, 0), tpu(1, 5)), (gpu(0, 0, derived=True),)])
def test_a_profile_that_does_not_hold_its_program_says_which(planes, tmp_path):
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(profile(*planes))
    with pytest.raises(ValueError, match="the profile does not hold jit_f, the program that ran longest: give"):
        read.run(path)


def test_a_folder_stands_for_the_last_profile_in_it(tmp_path):
    with pytest.raises(ValueError, match=r"there is no \.xplane\.pb file in it"):
        read.run(tmp_path)
    for k, (folder, planes) in enumerate((("first", cpu()), ("second", tpu(0, 0)))):
        path = tmp_path / "plugins" / "profile" / folder / "host.xplane.pb"
        path.parent.mkdir(parents=True)
        path.write_bytes(profile(planes))
        os.utime(path, (k, k))
        with pytest.raises(ValueError, match="the profile does not hold jit_f, the program that ran longest: give"):
            read.run(tmp_path)
    other = tmp_path / "plugins" / "profile" / "second" / "other.xplane.pb"
    other.write_bytes(profile(tpu(0, 0)))
    os.utime(other, (2, 2))
    with pytest.raises(ValueError, match=r"profiles of several hosts\. Give the file of one: .*host.xplane.pb, "):
        read.run(tmp_path)
