"""A module's text: how often everything runs, halves and parts of collectives, lines, and what cannot be read."""

import itertools
import re

import pytest

from shardwidget import cost
from shardwidget.document import Ints, Mesh, MeshAxis, Program
from shardwidget.export.program import nest_text
from shardwidget.read._program.loops import walk
from shardwidget.read._program.module import Module
from shardwidget.read._program.reading import collectives_of
from shardwidget.read._program.trips import trip_count

HEADER = "HloModule jit_f, is_scheduled=true, num_partitions=8\n"
ADD = """
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}
"""
GROUPS = "channel_id=1, replica_groups=[4,2]<=[8], use_global_device_ids=true"
MESH = Mesh((MeshAxis("x", 4, "Auto"), MeshAxis("y", 2, "Auto")), Ints.pack(range(8)), Ints.pack([0] * 8), 0)


def read(text: str):
    return collectives_of(HEADER + ADD + text, MESH, tuple(range(8)), cost.interconnects())


def trail(reading, collective) -> tuple[str, ...]:
    """What a collective is in, in words."""
    program = Program(MESH, reading.collectives, reading.nests)
    return tuple(map(nest_text, program.trail(collective)))


def entry(*lines: str) -> str:
    body = "\n".join(f"  {line}" for line in ("%p = f32[4,8]{1,0} parameter(0)", *lines))
    return f"\nENTRY %main (p: f32[4,8]) -> f32[4,8] {{\n{body}\n}}\n"


def one(*lines: str):
    reading = read(entry(*lines))
    assert reading.unread == ()
    (found,) = reading.collectives
    return found


# ── Kinds and halves ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "kind", "shapes", "sent"),
    [
        (f"ROOT %c = f32[4,8]{{1,0}} all-reduce(%p), {GROUPS}, to_apply=%add", "all-reduce", ["f32[4,8]"], 128),
        (f"ROOT %c = f32[8,8] all-gather(%p), {GROUPS}, dimensions={{0}}", "all-gather", ["f32[4,8]"], 128),
        (f"ROOT %c = f32[2,8] reduce-scatter(%p), {GROUPS}, dimensions={{0}}", "reduce-scatter", ["f32[4,8]"], 64),
        (f"ROOT %c = f32[4,8] all-to-all(%p), {GROUPS}, dimensions={{0}}", "all-to-all", ["f32[4,8]"], 64),
        (f"ROOT %c = (f32[4,8], f32[4,8]) all-reduce(%p, %p), {GROUPS}", "all-reduce", ["f32[4,8]"] * 2, 256),
        # Operands with their types, as older versions write them.
        (f"ROOT %c = f32[4,8]{{1,0:T(8,128)}} all-reduce(f32[4,8]{{1,0:T(8,128)}} %p), {GROUPS}", "all-reduce",
         ["f32[4,8]"], 128),
        ("ROOT %c = f32[4,8] collective-broadcast(%p), channel_id=1, replica_groups={{0,1},{2,3},{4,5},{6,7}}",
         "collective-broadcast", ["f32[4,8]"], 128),
        ("ROOT %c = f32[4,8] collective-permute(%p), channel_id=1, source_target_pairs={{0,1},{2,3}}",
         "collective-permute", ["f32[4,8]"], 128),
    ],
)  # fmt: skip
def test_each_kind(line, kind, shapes, sent):
    found = one(line)
    assert (found.kind, list(found.shapes), found.bytes_per_device) == (kind, shapes, sent)
    assert not found.asynchronous


def test_the_halves_of_an_asynchronous_one_are_one():
    found = one(
        f"%s = (f32[4,8], f32[8,8]) all-gather-start(%p), {GROUPS}, dimensions={{0}}",
        "ROOT %d = f32[8,8] all-gather-done(%s)",
    )
    assert (found.kind, found.asynchronous, found.name) == ("all-gather", True, "s")
    assert found.shapes == ("f32[4,8]",)


def test_a_wrapped_asynchronous_one():
    wrapped = f"""
%wrapped (q: f32[4,8]) -> f32[2,8] {{
  %q = f32[4,8] parameter(0)
  ROOT %rs = f32[2,8] reduce-scatter(%q), {GROUPS}, dimensions={{0}}, to_apply=%add
}}
"""
    reading = read(
        wrapped
        + entry(
            '%s = ((f32[4,8]), f32[2,8], u32[]) async-start(%p), calls=%wrapped, metadata={op_name="jit(f)/mul"}',
            "%u = ((f32[4,8]), f32[2,8], u32[]) async-update(%s)",
            "ROOT %d = f32[2,8] async-done(%u)",
        )
    )
    (found,) = reading.collectives
    assert (found.kind, found.asynchronous, found.op, found.nest) == ("reduce-scatter", True, "jit(f)/mul", -1)


def test_a_send_that_names_its_pairs():
    found = one(
        "%t = token[] after-all()",
        "%s = (f32[4,8], u32[], token[]) send(%p, %t), channel_id=2, "
        'frontend_attributes={_xla_send_recv_source_target_pairs="{{0,2},{2,4}}"}',
        "ROOT %d = token[] send-done(%s), channel_id=2",
    )
    assert (found.kind, found.pairs, found.shapes) == ("send", ((0, 2), (2, 4)), ("f32[4,8]",))


def test_a_send_to_the_host_is_no_collective():
    """``jax.debug.print`` and ``io_callback`` on a TPU."""
    reading = read(
        entry(
            "%t = token[] after-all()",
            "%s = (f32[4,8], u32[], token[]) send(%p, %t), channel_id=2, is_host_transfer=true, "
            'frontend_attributes={_xla_host_transfer_handler_name="tf_rendezvous"}',
            "ROOT %d = token[] send-done(%s), channel_id=2, is_host_transfer=true",
        )
    )
    assert (reading.collectives, reading.unread) == ((), ())


SLICED = Mesh(
    (MeshAxis("slice", 2, "Auto"), MeshAxis("data", 4, "Auto")),
    Ints.pack([s * 100_000 + k for s in (1, 2) for k in range(4)]),
    Ints.pack([0] * 8),
    0,
    slices=Ints.pack([0] * 4 + [1] * 4),
)


def between(kind: str, target: str, more: str = "") -> str:
    """A module for one slice of two that sends to the other."""
    return (
        "HloModule jit_f, is_scheduled=true, num_partitions=4\n"
        + ADD
        + entry(
            "%t = token[] after-all()",
            f"%s = (f32[4,8], u32[], token[]) send(%p, %t), channel_id=2, is_host_transfer=true, frontend_attributes={{"
            f'_xla_host_transfer_rendezvous="psum.7_0",{more}_xla_megascale_target={target},'
            f'_xla_megascale_transfer_type="{kind}"}}, backend_config={{}}',
            "%r = (f32[4,8], u32[], token[]) recv(%t), channel_id=1, is_host_transfer=true",
            "ROOT %c = f32[4,8] all-reduce(%p), channel_id=3, replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
            "to_apply=%add",
        )
    )


@pytest.mark.parametrize(
    ("kind", "target", "opcode", "sent"),
    [
        ("ALL_REDUCE", '"{1,2}x{0:3}"', "all-reduce", 128),
        ("ALL_GATHER", '"{1,2}x{0:3}"', "all-gather", 128),
        ("REDUCE_SCATTER", "{{100000,200000},{100001,200001},{100002,200002},{100003,200003}}", "reduce-scatter", 64),
        ("ALL_TO_ALL", "{{100000,200000},{100001,200001},{100002,200002},{100003,200003}}", "all-to-all", 64),
        (
            "ONE_TO_ONE",
            "{{100000->200000},{100001->200001},{100002->200002},{100003->200003}}",
            "collective-permute",
            128,
        ),
    ],
)
def test_transfers_between_tpu_slices(kind, target, opcode, sent):
    """As libtpu writes them for ``num_slices=2``: a module for one slice, whose host sends to the other's."""
    v5e = cost.INTERCONNECTS["TPU v5e"]
    reading = collectives_of(between(kind, target), SLICED, tuple(range(8)), (v5e,), v5e)
    assert reading.unread == ()
    across, inside = reading.collectives
    assert (across.kind, across.axes, across.bytes_per_device) == (opcode, ("slice",), sent)
    assert across.groups == tuple((100_000 + k, 200_000 + k) for k in range(4))
    assert across.by_user == (opcode in ("all-reduce", "reduce-scatter"))
    assert across.bandwidth[0] == pytest.approx(sent / 3.125e9, rel=0.01)
    # What stays in a slice is once in the module and runs in both.
    assert (inside.axes, inside.groups) == (
        ("data",),
        tuple(tuple(s + k for k in range(4)) for s in (10**5, 2 * 10**5)),
    )


@pytest.mark.parametrize(
    ("kind", "target", "reason"),
    [
        ("ALL_REDUCE", "everybody", "in an unknown notation: _xla_megascale_target=everybody"),
        ("ALL_REDUCE", "{{100000,300000}}", "it names the device 300000, which the mesh does not have"),
        ("BROADCAST", '"{1,2}x{0:3}"', "it is a transfer between slices of the unknown type BROADCAST"),
    ],
)
def test_a_transfer_between_slices_that_cannot_be_read_is_named(kind, target, reason):
    reading = collectives_of(between(kind, target), SLICED, tuple(range(8)), cost.interconnects())
    assert len(reading.collectives) == 1
    assert reading.unread[0].endswith(reason)


@pytest.mark.parametrize(
    ("operation", "meaning"), [("add", "sum"), ("maximum", "max"), ("minimum", "min"), ("multiply", "sum")]
)
def test_what_an_all_reduce_combines_by(operation, meaning):
    text = ADD.replace("add(%a", f"{operation}(%a").replace("%add", "%combine")
    reading = read(text + entry(f"ROOT %c = f32[4,8] all-reduce(%p), {GROUPS}, to_apply=%combine"))
    (collective,) = reading.collectives
    assert collective.semantics.combines == meaning
    assert reading.plans[collective.plans[0]].semantics == collective.semantics


def test_the_tpu_compilers_reduce_scatter():
    fused = f"""
%all-reduce-scatter.3 (q: f32[4,8]) -> f32[2,8] {{
  %q = f32[4,8] parameter(0)
  %ar = f32[4,8] all-reduce(%q), {GROUPS}, to_apply=%add
  ROOT %ds = f32[2,8] dynamic-slice(%ar), dynamic_slice_sizes={{2,8}}
}}
"""
    reading = read(
        fused + entry('ROOT %f = f32[2,8] fusion(%p), calls=%all-reduce-scatter.3, metadata={op_name="jit(f)/dot"}')
    )
    (found,) = reading.collectives
    assert (found.kind, found.bytes_per_device, found.op) == ("reduce-scatter", 64, "jit(f)/dot")


def test_parts_of_one_collective_in_several_tpu_fusions():
    config = 'backend_config={"async_collective_fusion_config":{"flag_start":"2"}}'

    def part(name: str, last: str) -> str:
        return f"""
%{name} (q: f32[4,8]) -> f32[8,8] {{
  %q = f32[4,8] parameter(0)
  %ag.{name} = f32[8,8] all-gather(%q), {GROUPS}, dimensions={{0}}, {config}
  ROOT %r.{name} = f32[8,8] {last}(%ag.{name})
}}
"""

    target = 'custom_call_target="AsyncCollective{}"'.format
    start = part("begin", "custom-call").replace("(%ag.begin)", f"(%ag.begin), {target('Start')}")
    done = part("end", "custom-call").replace("(%ag.end)", f"(%ag.end), {target('Done')}")
    reading = read(
        start
        + part("between", "negate")
        + done
        + entry(
            "%f1 = f32[8,8] fusion(%p), kind=kCustom, calls=%begin",
            "%f2 = f32[8,8] fusion(%p), kind=kOutput, calls=%between",
            "ROOT %f3 = f32[8,8] fusion(%p), kind=kCustom, calls=%end",
        )
    )
    assert [(c.name, c.asynchronous, c.times) for c in reading.collectives] == [("ag.begin", True, 1)]


@pytest.mark.parametrize(
    ("xla", "jax", "sent"),
    [
        ("pred[8]", "bool[8]", 8),
        ("s32[2]", "i32[2]", 8),
        ("bf16[3,2]", "bf16[3,2]", 12),
        ("c64[2]", "c64[2]", 16),
        ("s4[8]", "i4[8]", 4),
        ("u8[5]", "u8[5]", 5),
        ("f8e4m3fn[16]", "f8_e4m3fn[16]", 16),
        ("f32[]", "f32[]", 4),
    ],
)
def test_types_and_their_bytes(xla, jax, sent):
    found = one(f"%q = {xla}{{0}} iota(), iota_dimension=0", f"ROOT %c = {xla} all-reduce(%q), {GROUPS}")
    assert (found.shapes, found.bytes_per_device) == ((jax,), sent)


# ── Where and how often ───────────────────────────────────────────────────────────────────────────────────────────────


def loop(condition: str, body: str, start: str, more: str = "") -> str:
    """A ``while`` over (counter, array) or (counter, array, bound)."""
    kind = "(s32[], f32[4,8])" if not more else "(s32[], f32[4,8], s32[])"
    extra = ", %bound" if more else ""
    return f"""
%body (t: {kind}) -> {kind} {{
  %t = {kind} parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %v = f32[4,8] get-tuple-element(%t), index=1
  {"%bound = s32[] get-tuple-element(%t), index=2" if more else ""}
  %c = f32[4,8] all-reduce(%v), {GROUPS}, to_apply=%add
{body}
  ROOT %r = {kind} tuple(%next, %c{extra})
}}

%condition (t: {kind}) -> pred[] {{
  %t = {kind} parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
{condition}
}}
""" + entry(
        f"%start = s32[] constant({start})",
        "%copied = s32[] copy(%start)",
        f"%bound = s32[] constant({more or 0})",
        f"%init = {kind} tuple(%copied, %p{extra})",
        f"%w = {kind} while(%init), condition=%condition, body=%body",
        "ROOT %out = f32[4,8] get-tuple-element(%w), index=1",
    )


ONE = "  %one = s32[] constant(1)\n"
UP = ONE + "  %next = s32[] add(%i, %one)"


@pytest.mark.parametrize(
    ("start", "step", "direction", "bound", "times"),
    [
        (0, 1, "LT", 12, 12),
        (3, 1, "LT", 12, 9),
        (0, 5, "LT", 12, 3),
        (0, 1, "LE", 12, 13),
        (0, 1, "NE", 12, 12),
        (12, -1, "GT", 0, 12),
        (12, -5, "GE", 0, 3),
        (12, -4, "NE", 0, 3),
        (12, 1, "LT", 12, 0),
        (-3, 1, "LT", 0, 3),
        # Those that never end, or end by overflow, have no number.
        (0, -1, "LT", 12, None),
        (0, 5, "NE", 12, None),
        (0, 0, "LT", 12, None),
    ],
)
def test_trip_counts_agree_with_running_the_loop(start, step, direction, bound, times):
    if times is not None:
        compare = {"LT": int.__lt__, "LE": int.__le__, "GT": int.__gt__, "GE": int.__ge__, "NE": int.__ne__}[direction]
        runs, i = 0, start
        while compare(i, bound):
            runs, i = runs + 1, i + step
        assert runs == times
    body = f"  %step = s32[] constant({step})\n  %next = s32[] add(%i, %step)"
    condition = f"  %n = s32[] constant({bound})\n  ROOT %lt = pred[] compare(%i, %n), direction={direction}"
    reading = read(loop(condition, body, str(start)))
    (found,) = reading.collectives
    assert found.times == times
    assert trail(reading, found) == ("while" if times is None else f"while ×{times}",)


def test_a_bound_that_travels_with_the_loop():
    condition = (
        "  %n = s32[] get-tuple-element(%t), index=2\n  ROOT %lt = pred[] compare(%n, %i), direction=GT, "
        'metadata={op_name="lt"}'
    )
    (found,) = read(loop(condition, UP, "2", more="9")).collectives
    assert found.times == 7


def test_a_counter_in_fusions():
    fused = """
%fused_add (j: s32[]) -> s32[] {
  %j = s32[] parameter(0)
  %two = s32[] constant(2)
  ROOT %plus = s32[] add(%j, %two)
}

%fused_compare (j: s32[], n: s32[]) -> pred[] {
  %j = s32[] parameter(0)
  %n = s32[] parameter(1)
  ROOT %lt = pred[] compare(%j, %n), direction=LT
}
"""
    condition = (
        "  %n = s32[] constant(10)\n"
        "  ROOT %f = pred[] fusion(%i, %n), kind=kLoop, calls=%fused_compare"
    )  # fmt: skip
    body = "  %next = s32[] fusion(%i), kind=kLoop, calls=%fused_add"
    (found,) = read(fused + loop(condition, body, "0")).collectives
    assert found.times == 5


def test_a_counter_that_goes_down():
    condition = "  %n = s32[] constant(3)\n  ROOT %gt = pred[] compare(%i, %n), direction=GT"
    (found,) = read(loop(condition, ONE + "  %next = s32[] subtract(%i, %one)", "12")).collectives
    assert found.times == 9


@pytest.mark.parametrize(
    ("condition", "body"),
    [
        # The counter is doubled, or the bound is computed.
        ("  %n = s32[] constant(10)\n  ROOT %lt = pred[] compare(%i, %n), direction=LT", "  %next = s32[] add(%i, %i)"),
        ("  %n = s32[] multiply(%i, %i)\n  ROOT %lt = pred[] compare(%i, %n), direction=LT", UP),
        ("  %n = s32[] constant(10)\n  %l = pred[] compare(%i, %n), direction=LT\n  ROOT %a = pred[] and(%l, %l)", UP),
    ],
)
def test_a_loop_that_cannot_be_counted(condition, body):
    reading = read(loop(condition, body, "0"))
    (found,) = reading.collectives
    assert (found.times, trail(reading, found)) == (None, ("while",))


def test_what_the_compiler_wrote_down_comes_first():
    text = loop("  ROOT %b = pred[] custom-call(%i)", UP, "0").replace(
        "body=%body", 'body=%body, backend_config={"known_trip_count":{"n":"4"},"dynamic_variables":[]}'
    )
    module = Module.parse(HEADER + ADD + text)
    assert module.entry is not None
    assert trip_count(module.entry.by_name["w"], module.entry, module) == 4


def test_a_condition_runs_once_more():
    condition = (
        f"  %s = f32[4,8] get-tuple-element(%t), index=1\n  %cc = f32[4,8] all-reduce(%s), {GROUPS}, to_apply=%add\n"
        "  %n = s32[] constant(3)\n  ROOT %lt = pred[] compare(%i, %n), direction=LT"
    )
    reading = read(loop(condition, UP, "0"))
    assert [(c.name, c.times, trail(reading, c)) for c in reading.collectives] == [
        ("cc", 4, ("while condition ×4",)),
        ("c", 3, ("while ×3",)),
    ]


BRANCH = """
%b{k} (q: f32[4,8]) -> f32[4,8] {{
  %q = f32[4,8] parameter(0)
  ROOT %c{k} = f32[4,8] all-reduce(%q), {groups}, to_apply=%add
}}
"""


@pytest.mark.parametrize(
    ("attributes", "where"),
    [
        ("branch_computations={%b0, %b1}", ["branch 0", "branch 1"]),
        ("true_computation=%b0, false_computation=%b1", ["branch 1", "branch 0"]),
    ],
)
def test_branches(attributes, where):
    branches = "".join(BRANCH.format(k=k, groups=GROUPS) for k in range(2))
    reading = read(
        branches
        + entry("%k = s32[] constant(0)", f"ROOT %r = f32[4,8] conditional(%k, %p, %p), {attributes}")
    )  # fmt: skip
    assert [(c.times, trail(reading, c)) for c in reading.collectives] == [(1, (w,)) for w in where]


def test_a_function_that_is_called_twice():
    reading = read(
        BRANCH.format(k="lock.7", groups=GROUPS)
        + entry("%one = f32[4,8] call(%p), to_apply=%block.7", "ROOT %two = f32[4,8] call(%one), to_apply=%block.7")
    )
    (found,) = reading.collectives
    assert (found.times, found.nest, found.calls, reading.nests) == (2, -1, 2, ())
    reading = read(BRANCH.format(k="lock.7", groups=GROUPS) + entry("ROOT %one = f32[4,8] call(%p), to_apply=%block.7"))
    assert trail(reading, reading.collectives[0]) == ("call block",)


def test_what_is_never_run_is_not_found():
    assert read(BRANCH.format(k=0, groups=GROUPS) + entry("ROOT %n = f32[4,8] negate(%p)")).collectives == ()


# ── Lines ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

TABLES = """
FileNames
1 "/home/me/train \\"one\\".py"
2 "/usr/lib/python3/jax/_src/core.py"

FunctionNames
1 "Net.__call__"
2 "main"

FileLocations
1 {file_name_id=1 function_name_id=2 line=9 end_line=9 column=0 end_column=7}
2 {file_name_id=1 function_name_id=1 line=21 end_line=21 column=4 end_column=30}

StackFrames
1 {file_location_id=1 parent_frame_id=PARENT0}
2 {file_location_id=2 parent_frame_id=PARENT1}
"""


@pytest.mark.parametrize("none", [0, 1])
def test_frames_from_the_tables(none):
    # XLA prints parents counted from 0 (none) or from 1.
    tables = TABLES.replace("PARENT0", str(none)).replace("PARENT1", str(1 + none))
    metadata = 'metadata={op_name="a" stack_frame_id=2}'
    text = tables + ADD + entry(f"ROOT %c = f32[4,8] all-reduce(%p), {GROUPS}, {metadata}")
    reading = collectives_of(HEADER + text, MESH, tuple(range(8)), cost.interconnects())
    source, (inner, outer) = reading.collectives[0].source, reading.origins[0][0].frames
    assert source is not None
    assert (source.file, source.line, source.function) == ('train "one".py', 21, "__call__")
    assert (inner.line, inner.column, inner.end_column) == (21, 4, 30)
    assert (outer.line, outer.function) == (9, "main")


def test_lines_as_older_versions_write_them():
    found = one(
        f"ROOT %c = f32[4,8] all-reduce(%p), {GROUPS}, "
        'metadata={op_type="dot" op_name="jit(f)/transpose(jvp(dot))" source_file="/home/me/a.py" source_line=3}'
    )
    assert found.source is not None
    assert (found.source.file, found.source.line, found.backward) == ("a.py", 3, True)


def test_what_lost_its_metadata_gets_that_of_what_it_leads_to():
    found = one(
        f"%c = f32[4,8] all-reduce(%p), {GROUPS}, to_apply=%add",
        "%d = f32[4,8] copy(%c)",
        'ROOT %s = f32[2,8] slice(%d), slice={[0:2], [0:8]}, metadata={op_name="jit(f)/shard_map/reduce_scatter"}',
    )
    assert (found.op, found.by_user) == ("jit(f)/shard_map/reduce_scatter", True)


@pytest.mark.parametrize("halves", [False, True])
def test_a_combined_one_has_the_line_of_most_bytes_and_the_others_beside(halves):
    metadata = 'metadata={{op_name="jit(f)/{0}" source_file="/home/me/a.py" source_line={1}}}'
    parts = "(f32[], f32[4,8])"
    both = [
        f"%c = ({parts}, {parts}) all-reduce-start(%small, %p), {GROUPS}, to_apply=%add",
        f"%d = {parts} all-reduce-done(%c)",
    ]
    found = one(
        "%small = f32[] constant(0)",
        *(both if halves else [f"%d = {parts} all-reduce(%small, %p), {GROUPS}, to_apply=%add"]),
        f"%first = f32[] get-tuple-element(%d), index=0, {metadata.format('reduce_sum', 7)}",
        f"ROOT %second = f32[4,8] get-tuple-element(%d), index=1, {metadata.format('dot_general', 3)}",
    )
    assert (found.op, found.source and found.source.line, [s.line for s in found.also]) == (
        "jit(f)/dot_general",
        3,
        [7],
    )
    assert found.shapes == ("f32[]", "f32[4,8]")


@pytest.mark.parametrize(
    ("op", "opcode", "by_user"),
    [
        ("jit(f)/shard_map/psum", "all-reduce", True),
        ("jit(f)/shard_map/psum_invariant", "all-reduce", True),
        ("jit(f)/transpose(jvp(shard_map))/reduce_scatter[axis=0]", "reduce-scatter", True),
        ("jit(f)/transpose(jvp(all_gather))", "all-gather", True),
        ("jit(f)/shard_map/pmax", "all-reduce", True),
        ("jit(f)/dot_general", "all-reduce", False),
        ("jit(f)/reshard", "all-gather", False),
        # An operand of the user's psum, which the compiler gathered first.
        ("jit(f)/shard_map/psum", "all-gather", False),
        ("jit(f)/shard_map/axis_index", "all-reduce", False),
        ("", "all-reduce", False),
    ],
)
def test_whose_collective_it_is(op, opcode, by_user):
    metadata = f', metadata={{op_name="{op}"}}' if op else ""
    found = one(f"ROOT %c = f32[4,8] {opcode}(%p), {GROUPS}, dimensions={{0}}{metadata}")
    assert found.by_user is by_user


MARKED = f'{GROUPS}, dimensions={{0}}, frontend_attributes={{is_spmd_generated="true"}}'


def test_from_jax_0_11_on_what_the_compiler_moves_gets_the_line_that_needs_it():
    # There its metadata are those of the value that is moved, and it is marked as the compiler's.
    at = 'metadata={{op_name="jit(f)/{}" source_file="/home/me/a.py" source_line={}}}'.format
    fused = f"""
%fused (q: f32[8,8], r: f32[8,8]) -> f32[8,8] {{
  %q = f32[8,8] parameter(0)
  %r = f32[8,8] parameter(1)
  %other = f32[8,8] negate(%q), {at("neg", 1)}
  %turned = f32[8,8] transpose(%r), dimensions={{1,0}}
  ROOT %product = f32[8,8] dot(%other, %turned), {at("dot_general", 2)}
}}
"""
    reading = read(
        fused
        + entry(
            f'%c = f32[8,8] all-gather(%p), {MARKED}, metadata={{op_name="w"}}',
            '%same = f32[8,8] copy(%c), metadata={op_name="w"}',
            "ROOT %f = f32[8,8] fusion(%p, %same), kind=kOutput, calls=%fused",
        )
    )
    (found,) = reading.collectives
    assert (found.op, found.source and found.source.line, found.by_user) == ("jit(f)/dot_general", 2, False)


def test_what_the_compiler_marks_as_its_own_is_not_the_users():
    line = f'ROOT %c = f32[8,8] all-gather(%p), {MARKED}, metadata={{op_name="jit(f)/shard_map/all_gather"}}'
    assert not one(line).by_user
    assert one(line.replace("is_spmd_generated", "something_else")).by_user


# ── Remarks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("op", "remark"),
    [
        ("jit(f)/gather", "undoes the split of params['w'] over y, for gather"),
        ("jit(f)/dot_general", ""),
        ("jit(f)/reshard", ""),
        ("jit(f)/shard_map/all_gather", ""),
    ],
)
def test_remarks(op, remark):
    text = entry(
        "%q = f32[4,8] copy(%p)",
        f'%c = f32[8,8] all-gather(%q), {GROUPS}, dimensions={{0}}, metadata={{op_name="{op}"}}',
        "ROOT %n = f32[8,8] negate(%c)",
    ).replace("parameter(0)", r"""parameter(0), metadata={op_name="params[\'w\']"}""")
    assert read(text).collectives[0].remark == remark


def test_a_remark_on_something_computed_names_the_operation():
    found = one(
        "%q = f32[4,8] negate(%p)",
        f'ROOT %c = f32[8,8] all-gather(%q), {GROUPS}, dimensions={{0}}, metadata={{op_name="jit(f)/sort"}}',
    )
    assert found.remark == "undoes the split over y, for sort"


def test_no_remark_on_irregular_groups():
    groups = "channel_id=1, replica_groups={{0,3},{1,2},{4,7},{5,6}}, use_global_device_ids=true, dimensions={0}"
    assert one(f'ROOT %c = f32[8,8] all-gather(%p), {groups}, metadata={{op_name="jit(f)/sort"}}').remark == ""


def test_a_parameter_of_a_called_function_is_no_argument_of_the_user():
    called = f"""
%called (q: f32[4,8]) -> f32[8,8] {{
  %q = f32[4,8] parameter(0), metadata={{op_name="inner"}}
  ROOT %c = f32[8,8] all-gather(%q), {GROUPS}, dimensions={{0}}, metadata={{op_name="jit(f)/sort"}}
}}
"""
    (found,) = read(called + entry("ROOT %r = f32[8,8] call(%p), to_apply=%called")).collectives
    assert found.remark == "undoes the split over y, for sort"


RESLICED = """
%slicing (a: f32[8,8], b: u32[]) -> f32[8,4] {
  %a = f32[8,8] parameter(0)
  %b = u32[] parameter(1)
  %zero = s32[] constant(0)
  %table = s32[2] constant({0, 4})
  %place = s32[1] dynamic-slice(%table, %b), dynamic_slice_sizes={1}
  %start = s32[] bitcast(%place)
  ROOT %part = f32[8,4] dynamic-slice(%a, %zero, %start), dynamic_slice_sizes={8,4}
}
"""
GATHER = f"%c = f32[8,8] all-gather(%p), {GROUPS}, dimensions={{0}}"


@pytest.mark.parametrize(
    ("after", "flagged"),
    [
        (("%id = u32[] partition-id()", "ROOT %r = f32[8,4] fusion(%c, %id), kind=kLoop, calls=%slicing"), True),
        (
            (
                "%id = u32[] partition-id()",
                "%b = f32[8,8] bitcast(%c)",
                "ROOT %r = f32[8,4] fusion(%b, %id), calls=%slicing",
            ),
            True,
        ),
        # The same place on every device; another use; the whole is a result.
        (("%id = u32[] constant(1)", "ROOT %r = f32[8,4] fusion(%c, %id), kind=kLoop, calls=%slicing"), False),
        (
            (
                "%id = u32[] partition-id()",
                "%s = f32[8,4] fusion(%c, %id), calls=%slicing",
                "ROOT %r = f32[8,8] dot(%c, %s)",
            ),
            False,
        ),
        (("ROOT %r = f32[8,8] bitcast(%c)",), False),
    ],
)
def test_what_is_gathered_whole_and_sliced_again_is_flagged(after, flagged):
    (found,) = read(RESLICED + entry(GATHER, *after)).collectives
    assert found.remark.startswith("full rematerialization") == flagged


# ── What cannot be read ───────────────────────────────────────────────────────────────────────────────────────────────


def test_what_can_be_read_is_read_and_the_rest_is_named():
    reading = read(
        entry(
            f"%good = f32[4,8] all-reduce(%p), {GROUPS}",
            "%strange = f32[4,8] all-reduce(%p), channel_id=1, replica_groups=V3<8>, use_global_device_ids=true",
            f"%lost = f32[4,8] all-reduce(%elsewhere), {GROUPS}",
            "%nobody = f32[4,8] all-gather(%p), dimensions={0}",
            "%far = f32[4,8] all-reduce(%p), channel_id=1, replica_groups={{0,99}}, use_global_device_ids=true",
            "what? all-gather of something",
            "ROOT %last = f32[4,8] negate(%p)",
        )
    )
    assert [c.name for c in reading.collectives] == ["good"]
    reasons = {re.match(r"%?(\w+)", text)[1]: text.rpartition(": ")[2] for text in reading.unread}  # pyright: ignore[reportOptionalSubscript]
    assert reasons == {
        "what": "what? all-gather of something",
        "strange": "V3<8>",
        "lost": "the type of its operand elsewhere is not in the text",
        "nobody": "it names no groups",
        "far": "it names the device 99 of 8",
    }


@pytest.mark.parametrize("text", ["", "nonsense", "HloModule", "{", "}\n}\n", "\x00\n %c = all-reduce(", "1 2\n3"])
def test_no_text_raises(text):
    reading = collectives_of(text, MESH, tuple(range(8)), cost.interconnects())
    assert reading.collectives == ()
    assert len(reading.unread) == ("all-reduce" in text)


def test_a_module_cut_off_in_the_middle():
    text = HEADER + ADD + entry(f"%c = f32[4,8] all-reduce(%p), {GROUPS}", f"%d = f32[4,8] all-reduce(%c), {GROUPS}")
    whole = collectives_of(text, MESH, tuple(range(8)), cost.interconnects())
    assert len(whole.collectives) == 2
    for end in range(0, len(text), 7):
        part = collectives_of(text[:end], MESH, tuple(range(8)), cost.interconnects())
        assert set(part.collectives) <= set(whole.collectives)


def test_a_program_for_another_number_of_devices_is_named():
    text = HEADER.replace("=8", "=4") + ADD + entry(f"ROOT %c = f32[4,8] all-reduce(%p), {GROUPS}")
    reading = collectives_of(text, MESH, tuple(range(8)), cost.interconnects())
    assert reading.collectives == ()
    assert "it is for 1 × 4 devices, and the mesh has 8" in reading.unread[0]


def test_every_collective_is_found_once():
    text = HEADER + ADD + entry(*(f"%c{k} = f32[4,8] all-reduce(%p), {GROUPS}" for k in range(100)))
    assert [f.instruction.name for f in walk(Module.parse(text)).found] == [f"c{k}" for k in range(100)]


# ── Call graphs ───────────────────────────────────────────────────────────────────────────────────────────────────────


def calls(levels: int, times: int) -> str:
    """Computations, each of which calls the previous one so many times in a row."""
    leaf = (
        f"\n%f0 (p: f32[8]) -> f32[8] {{\n  %p = f32[8] parameter(0)\n  ROOT %r = f32[8] all-reduce(%p), {GROUPS}\n}}\n"
    )
    parts = [leaf]
    for k in range(1, levels):
        names = ["p", *[f"c{j}" for j in range(times)]]
        lines = [f"  %{b} = f32[8] call(%{a}), to_apply=%f{k - 1}" for a, b in itertools.pairwise(names)]
        lines[-1] = lines[-1].replace("  %", "  ROOT %")
        parts.append(f"\n%f{k} (p: f32[8]) -> f32[8] {{\n  %p = f32[8] parameter(0)\n" + "\n".join(lines) + "\n}\n")
    return "".join(parts) + entry(f"ROOT %x = f32[8] call(%p), to_apply=%f{levels - 1}")


@pytest.mark.parametrize(
    ("levels", "times", "runs"),
    [(1, 1, 1), (3, 2, 4), (12, 2, 2**11), (20, 2, 2**19), (40, 2, 2**39), (30, 3, 3**29), (900, 1, 1), (90, 2, None)],
)
def test_computations_that_call_one_another_are_counted_without_walking_every_way(levels, times, runs):
    """Of 40 that each call the previous one twice there are a trillion ways; too many to be a number are not known."""
    (found,) = read(calls(levels, times)).collectives
    assert found.times == runs
    assert found.calls == (runs or 2**53)


def test_a_loop_around_many_calls_multiplies_them():
    text = calls(30, 2).partition("\nENTRY")[0]
    loop = """
%condition (c: (s32[], f32[8])) -> pred[] {
  %c = (s32[], f32[8]) parameter(0)
  ROOT %t = pred[] constant(true)
}

%body (b: (s32[], f32[8])) -> (s32[], f32[8]) {
  %b = (s32[], f32[8]) parameter(0)
  %i = s32[] get-tuple-element(%b), index=0
  %v = f32[8] get-tuple-element(%b), index=1
  %w = f32[8] call(%v), to_apply=%f29
  ROOT %t = (s32[], f32[8]) tuple(%i, %w)
}
"""
    five = 'backend_config={"known_trip_count":{"n":"5"}}'
    many = f"%w = (s32[], f32[8]) while(%q), condition=%condition, body=%body, {five}"
    (found,) = read(text + loop + entry("%q = (s32[], f32[8]) tuple(%p, %p)", many)).collectives
    assert found.times == 5 * 2**29


def test_a_counter_that_is_doubled_again_and_again_is_read_once():
    doubled = "\n".join(f"  %a{k + 1} = s32[] add(%a{k}, %a{k})" for k in range(60))
    text = f"""
%condition (c: (s32[])) -> pred[] {{
  %c = (s32[]) parameter(0)
  %i = s32[] get-tuple-element(%c), index=0
  %n = s32[] constant(8)
  ROOT %t = pred[] compare(%i, %n), direction=LT
}}

%body (b: (s32[])) -> (s32[]) {{
  %b = (s32[]) parameter(0)
  %a0 = s32[] constant(0)
{doubled}
  %i = s32[] get-tuple-element(%b), index=0
  %one = s32[] constant(1)
  %j = s32[] add(%i, %one)
  %k = s32[] add(%j, %a60)
  ROOT %t = (s32[]) tuple(%k)
}}

ENTRY %main (p: s32[]) -> (s32[]) {{
  %p = s32[] constant(0)
  %s = (s32[]) tuple(%p)
  ROOT %w = (s32[]) while(%s), condition=%condition, body=%body
}}
"""
    module = Module.parse(HEADER + text)
    assert module.entry is not None
    assert trip_count(module.entry.instructions[-1], module.entry, module) == 8


@pytest.mark.parametrize("form", ["collective-permute(%p)", "collective-permute-start(%p)"])
def test_a_permutation_without_pairs_sends_nothing(form):
    found = one(f"ROOT %c = f32[4,8] {form}, channel_id=1, source_target_pairs={{}}")
    assert (found.bytes_per_device, found.pairs, found.group_size) == (0, (), 1)
    assert set(found.bandwidth) == {0}
