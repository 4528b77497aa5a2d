"""What is alive in a scheduled module, from handwritten texts: each rule on its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwidget.read._memory.liveness import walk
from shardwidget.read._memory.results import Times, allocate_results_first, share_results
from shardwidget.read._memory.shapes import arrays_of, element_counts
from shardwidget.read._memory.slots import Slot
from shardwidget.read._program.module import Module


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("f32[8,4]{1,0}", 128),
        ("bf16[8,4]", 64),
        ("pred[3]", 3),
        ("s4[3]", 2),
        ("f8e4m3fn[10]", 10),
        ("c64[2]", 16),
        ("f32[]", 4),
        ("token[]", 0),
        # Tiles are whole: of the last two dimensions, in the order of the layout.
        ("f32[3,100]{1,0:T(8,128)}", 8 * 128 * 4),
        ("f32[100,3]{0,1:T(8,128)}", 8 * 128 * 4),
        ("bf16[20,129]{1,0:T(8,128)(2,1)}", 24 * 256 * 2),
        ("f32[130]{0:T(128)}", 256 * 4),
        # VMEM, and the host's memory.
        ("f32[8,128]{1,0:T(8,128)S(1)}", 0),
        ("f32[8]{0:S(5)}", 0),
    ],
)
def test_bytes_of_a_type(text, size):
    (array,) = arrays_of(text)
    assert array.bytes == size


def test_elements_of_a_tuple():
    text = "(s32[], (f32[8]{0}, bf16[2,2]{1,0}), /*index=2*/f32[4]{0})"
    assert [a.text for a in arrays_of(text)] == ["s32[]", "f32[8]", "bf16[2,2]", "f32[4]"]
    assert element_counts(text) == (1, 2, 1)
    assert element_counts("f32[4]") == (1,)


def alive(text: str, donated: dict[int, int] | None = None) -> list[int]:
    """Bytes at each step, without arguments and outputs."""
    walked = walk(Module.parse("HloModule m, is_scheduled=true\n\n" + text), donated)
    held = [0] * len(walked.steps)
    for slot in walked.slots:
        if _counts(slot):
            for step in range(slot.born, slot.last + 1):
                held[step] += slot.array.bytes
    return held


def _counts(slot: Slot) -> bool:
    return not slot.free and slot.kind in ("temporary", "collective")


def entry(*lines: str) -> str:
    return "ENTRY main {\n" + "".join(f"  {line}\n" for line in ("p = f32[4]{0} parameter(0)", *lines)) + "}\n"


def test_a_result_lives_to_its_last_use():
    text = entry(
        "a = f32[8]{0} broadcast(p)",
        "b = f32[16]{0} broadcast(a)",
        "c = f32[4]{0} slice(b)",
        "ROOT d = f32[2]{0} slice(c)",
    )
    assert alive(text) == [32, 32 + 64, 64 + 16, 16]


def test_what_is_written_over_an_operand_costs_nothing():
    text = entry("a = f32[8]{0} broadcast(p)", "b = f32[8]{0} negate(a)", "ROOT c = f32[4]{0} slice(b)")
    assert alive(text) == [32, 32, 32]
    # The operand is needed again.
    text = entry("a = f32[8]{0} broadcast(p)", "b = f32[8]{0} negate(a)", "ROOT c = f32[16]{0} concatenate(a, b)")
    assert alive(text) == [32, 64, 64]


def test_a_copy_to_another_layout_is_not_in_place():
    text = entry("a = f32[4,2]{0,1} broadcast(p)", "b = f32[4,2]{1,0} copy(a)", "ROOT c = f32[4]{0} slice(b)")
    assert alive(text) == [32, 64, 32]


def test_tuples_bitcasts_and_updates_own_nothing():
    text = entry(
        "a = f32[8]{0} broadcast(p)",
        "t = (f32[8]{0}, f32[4]{0}) tuple(a, p)",
        "g = f32[8]{0} get-tuple-element(t), index=0",
        "v = f32[2,4]{1,0} bitcast(g)",
        "i = s32[] constant(0)",
        "u = f32[2,4]{1,0} dynamic-update-slice(v, p, i)",
        "ROOT c = f32[4]{0} slice(u)",
    )
    assert alive(text) == [32] * 7


LOOP = """body {
  x = (s32[], f32[8]{0}) parameter(0)
  n = s32[] get-tuple-element(x), index=0
  h = f32[8]{0} get-tuple-element(x), index=1
  big = f32[64]{0} broadcast(h)
  out = f32[8]{0} slice(big)
  ROOT r = (s32[], f32[8]{0}) tuple(n, out)
}

cond {
  y = (s32[], f32[8]{0}) parameter(0)
  m = s32[] get-tuple-element(y), index=0
  ROOT less = pred[] compare(m, m), direction=LT
}

"""


def test_a_pass_of_a_loop_stands_in_its_place():
    text = LOOP + entry(
        "z = s32[] constant(0)",
        "a = f32[8]{0} broadcast(p)",
        "t = (s32[], f32[8]{0}) tuple(z, a)",
        'w = (s32[], f32[8]{0}) while(t), condition=cond, body=body, backend_config={"known_trip_count":{"n":"5"}}',
        "g = f32[8]{0} get-tuple-element(w), index=1",
        "ROOT c = f32[4]{0} slice(g)",
    )
    walked = walk(Module.parse("HloModule m\n\n" + text))
    names = [i.name for i in walked.steps]
    held = dict(zip(names, alive(text), strict=True))
    # A carry is alive throughout, and what the pass makes is written over it.
    assert (held["a"], held["less"], held["big"], held["out"], held["g"]) == (32, 33, 32 + 256, 32 + 256, 32)
    (loop,) = walked.loops
    assert (loop.times, names[loop.first], names[loop.last]) == (5, "m", "r")


def test_a_result_counted_from_the_start_has_room_for_what_was_there_before():
    text = LOOP.replace("f32[4]", "f32[8]") + entry(
        "z = s32[] constant(0)",
        "a = f32[8]{0} broadcast(p)",
        "t = (s32[], f32[8]{0}) tuple(z, a)",
        "w = (s32[], f32[8]{0}) while(t), condition=cond, body=body",
        "ROOT g = f32[8]{0} get-tuple-element(w), index=1",
    )
    walked = walk(Module.parse("HloModule m\n\n" + text))
    allocate_results_first(walked)
    (output,) = [s for s in walked.slots if s.kind == "output"]
    assert (output.born, output.array.bytes) == (0, 32)
    assert [s.free for s in walked.slots if s.instruction and s.instruction.name == "a"] == [True]


def test_an_asynchronous_start_takes_its_operand_along():
    text = entry(
        "a = f32[8]{0} broadcast(p)",
        "s = (f32[8]{0}, f32[32]{0}) all-gather-start(a), replica_groups={{0,1,2,3}}, dimensions={0}",
        "d = f32[32]{0} all-gather-done(s)",
        "ROOT c = f32[4]{0} slice(d)",
    )
    assert alive(text) == [32, 32 + 128, 32 + 128, 128]


def test_of_branches_one_runs():
    branches = "".join(
        f"b{n} {{\n  q{n} = f32[4]{{0}} parameter(0)\n  big{n} = f32[{size}]{{0}} broadcast(q{n})\n"
        f"  ROOT r{n} = f32[4]{{0}} slice(big{n})\n}}\n\n"
        for n, size in ((0, 64), (1, 16))
    )
    text = branches + entry(
        "k = s32[] constant(1)",
        "w = f32[4]{0} conditional(k, p, p), branch_computations={b0, b1}",
        "ROOT c = f32[4]{0} negate(w)",
    )
    assert max(alive(text)) == 256 + 16


def test_the_result_of_a_conditional_is_made_in_its_branches():
    branches = "".join(
        f"b{n} {{\n  q{n} = f32[64]{{0}} parameter(0)\n  x{n} = f32[64]{{0}} reverse(q{n})\n"
        f"  ROOT r{n} = f32[64]{{0}} negate(x{n})\n}}\n\n"
        for n in (0, 1)
    )
    text = branches + entry(
        "a = f32[64]{0} broadcast(p)",
        "k = s32[] constant(1)",
        "w = f32[64]{0} conditional(k, a, a), branch_computations={b0, b1}",
        "ROOT c = f32[4]{0} slice(w)",
    )
    # Beside the operand, one array at a time: each branch's last operation is in place.
    assert max(alive(text)) == 256 + 256


def test_the_tpu_compiler_says_what_shares_memory():
    def both(lists: str) -> int:
        shared = f'backend_config={{"flags":[],"aliasing_operands":{{"lists":[{lists}]}}}}'
        return max(
            alive(
                entry(
                    "a = f32[8]{0} broadcast(p)", f"b = f32[8]{{0}} add(a, a), {shared}", "ROOT c = f32[4]{0} slice(b)"
                )
            )
        )

    assert both('{"indices":["0","2"]}') == 32
    assert both("") == 64


def test_outputs_stand_to_the_end_and_donated_ones_in_their_argument():
    text = entry("a = f32[8]{0} broadcast(p)", "ROOT b = f32[4]{0} slice(a)")
    (output,) = [s for s in walk(Module.parse("HloModule m\n\n" + text)).slots if s.kind == "output"]
    assert output.array.bytes == 16
    assert not [s for s in walk(Module.parse("HloModule m\n\n" + text), {0: 0}).slots if s.kind == "output"]


def test_what_a_loop_makes_of_a_donated_argument_is_in_its_memory():
    text = LOOP + entry(
        "z = s32[] constant(0)",
        "q = f32[8]{0} parameter(1)",
        "t = (s32[], f32[8]{0}) tuple(z, q)",
        "w = (s32[], f32[8]{0}) while(t), condition=cond, body=body",
        "g = f32[8]{0} get-tuple-element(w), index=1",
        "ROOT c = f32[2]{0} slice(g)",
    )
    names = [i.name for i in walk(Module.parse("HloModule m\n\n" + text)).steps]
    # The comparison's result, and what a pass makes; its own result costs nothing.
    assert alive(text)[names.index("big")] == 256
    assert alive(text)[names.index("g")] == 0


def test_a_temporary_is_in_the_memory_of_a_result_that_is_not_made_yet():
    text = entry(
        "a = f32[8]{0} broadcast(p)",
        "b = f32[4]{0} slice(a)",
        "c = f32[16]{0} broadcast(b)",
        "d = f32[2]{0} slice(c)",
        "ROOT e = f32[8]{0} broadcast(d)",
    )
    walked = walk(Module.parse("HloModule m\n\n" + text))
    share_results(walked)
    place = {s.instruction.name: "result" if s.free else "own" for s in walked.slots if s.instruction}
    # ``b`` is needed while ``a`` is; ``c`` does not fit; ``d`` is needed while the result is made.
    assert place == {"a": "result", "b": "own", "c": "own", "d": "own", "e": "own"}
    assert [(s.born, s.last) for s in walked.slots if s.kind == "output"] == [(0, 4)]


def test_what_a_loop_carries_is_not_put_into_another_operand():
    text = """body {
  x = (s32[], f32[8]{0}) parameter(0)
  n = s32[] get-tuple-element(x), index=0
  h = f32[8]{0} get-tuple-element(x), index=1
  r = f32[8]{0} reverse(h)
  out = f32[8]{0} add(r, h)
  ROOT t = (s32[], f32[8]{0}) tuple(n, out)
}

cond {
  y = (s32[], f32[8]{0}) parameter(0)
  m = s32[] get-tuple-element(y), index=0
  ROOT less = pred[] compare(m, m), direction=LT
}

""" + entry(
        "z = s32[] constant(0)",
        "a = f32[8]{0} broadcast(p)",
        "t0 = (s32[], f32[8]{0}) tuple(z, a)",
        "w = (s32[], f32[8]{0}) while(t0), condition=cond, body=body",
        "g = f32[8]{0} get-tuple-element(w), index=1",
        "ROOT c = f32[2]{0} slice(g)",
    )
    walked = walk(Module.parse("HloModule m\n\n" + text))
    (out,) = [s for s in walked.slots if s.instruction and s.instruction.name == "out"]
    assert out.over
    assert out.over.instruction
    assert out.over.instruction.name == "a"


def test_a_loop_without_a_recorded_count_is_counted():
    body, condition = "n = s32[] get-tuple-element(x), index=0", "direction=LT"
    text = LOOP.replace(body, f"{body}\n  one = s32[] constant(1)\n  next = s32[] add(n, one)")
    text = text.replace("tuple(n, out)", "tuple(next, out)")
    text = text.replace(f"compare(m, m), {condition}", f"compare(m, most), {condition}")
    text = text.replace("  ROOT less", "  most = s32[] constant(12)\n  ROOT less")
    text += entry(
        "z = s32[] constant(0)",
        "a = f32[8]{0} broadcast(p)",
        "t = (s32[], f32[8]{0}) tuple(z, a)",
        "w = (s32[], f32[8]{0}) while(t), condition=cond, body=body",
        "g = f32[8]{0} get-tuple-element(w), index=1",
        "ROOT c = f32[4]{0} slice(g)",
    )
    (loop,) = walk(Module.parse("HloModule m\n\n" + text)).loops
    assert loop.times == 12


STEPS = st.tuples(st.integers(0, 40), st.integers(0, 6)).map(lambda at: (at[0], at[0] + at[1]))


@given(st.lists(STEPS, max_size=4), st.lists(STEPS, max_size=20))
def test_memory_is_taken_where_nothing_else_needs_it(needed, asked):
    times, taken = Times(needed), list(needed)
    for first, last in asked:
        free = all(b < first or last < a for a, b in taken)
        assert times.take(first, last) == free
        if free:
            taken.append((first, last))
