"""The compiler's assignment of buffers: what its messages say, and what shares memory."""

import pytest

from shardwidget.document import MemoryTotals
from shardwidget.read._memory.assignment import (
    Allocation,
    Assignment,
    BufferPlace,
    gaps,
    in_executable,
    parse,
    parse_text,
    place,
)
from shardwidget.read._memory.liveness import walk
from shardwidget.read._program.module import Module
from tests.protobuf import message


def test_names_elements_and_flags_are_read():
    instructions = [message((1, b"p"), (35, 7)), message((1, b"pair"), (35, 2**32 + 1))]
    module = message((1, b"m"), (3, message((1, b"main"), *((2, i) for i in instructions))))
    buffers = [
        message((1, 1), (2, 16), (3, message((4, 7)))),
        message((1, 2), (2, 8), (3, message((3, b"\x01"), (4, 2**32 + 1)))),
        message((1, 3), (2, 8), (3, message((4, 99)))),
    ]
    allocations = [
        message((1, 0), (2, 16), (5, 1), (9, message((1, 1), (3, 16)))),
        message((1, 1), (2, 64), (9, message((1, 2), (2, 32), (3, 8)))),
        message((1, 2), (2, 4), (3, 1), (9, message((1, 3), (3, 4)))),
    ]
    found = parse(message(*((1, b) for b in buffers), *((3, a) for a in allocations)), module)
    assert found.allocations == {0: Allocation(16, True, False), 1: Allocation(64, False, False)}
    assert found.places == {("p", ()): BufferPlace(0, 0, 16), ("pair", (1,)): BufferPlace(1, 32, 8)}


TEXT = """HloModule m, is_scheduled=true

ENTRY main {
  p = f32[4]{0} parameter(0)
  a = f32[8]{0} broadcast(p)
  b = f32[8]{0} reverse(a)
  c = f32[8]{0} concatenate(b, p)
  ROOT d = f32[4]{0} slice(c)
}
"""

HEAP, RESULT = Allocation(64, False, False), Allocation(16, False, True)


def placed(places: dict[str, BufferPlace]) -> dict[str, tuple[int, int, str]]:
    """For everything with memory of its own: from which step to which, and as what."""
    walked = walk(Module.parse(TEXT))
    assert place(walked, Assignment({1: HEAP, 2: RESULT}, {(name, ()): at for name, at in places.items()}))
    found = (s for s in walked.slots if s.instruction and not s.free)
    return {s.instruction.name: (s.born, s.last, s.kind) for s in found if s.instruction}


def test_what_lies_apart_lives_as_long_as_it_is_needed():
    apart = {
        "a": BufferPlace(1, 0, 32),
        "b": BufferPlace(1, 32, 32),
        "c": BufferPlace(1, 0, 32),
        "d": BufferPlace(2, 0, 16),
    }
    assert placed(apart) == {
        "a": (0, 1, "temporary"),
        "b": (1, 2, "temporary"),
        "c": (2, 3, "temporary"),
        "d": (0, 3, "output"),
    }


def test_a_later_one_in_the_same_place_ends_the_earlier():
    same = {
        "a": BufferPlace(1, 0, 32),
        "b": BufferPlace(1, 0, 32),
        "c": BufferPlace(1, 32, 32),
        "d": BufferPlace(2, 0, 16),
    }
    assert placed(same)["a"] == (0, 0, "temporary")


def test_what_lies_in_the_memory_of_a_result_costs_nothing_beside_it():
    inside = {
        "a": BufferPlace(2, 0, 16),
        "b": BufferPlace(1, 0, 32),
        "c": BufferPlace(1, 32, 32),
        "d": BufferPlace(2, 0, 16),
    }
    assert set(placed(inside)) == {"b", "c", "d"}


def test_gaps_are_what_no_temporary_covers():
    walked = walk(Module.parse(TEXT))
    spread = {"a": BufferPlace(1, 0, 24), "b": BufferPlace(1, 32, 16), "c": BufferPlace(1, 0, 24)}
    found = Assignment({1: Allocation(48, False, False)}, {(name, ()): at for name, at in spread.items()})
    assert place(walked, found)
    assert [gaps(walked, found, step) for step in range(4)] == [24, 8, 8, 24]


def test_an_assignment_of_another_program_is_not_used():
    walked = walk(Module.parse(TEXT))
    assert not place(walked, Assignment({1: HEAP}, {("other", ()): BufferPlace(1, 0, 8)}))


DUMPED = """BufferAssignment:
allocation 0: size 512, thread-local:
 value: <34 add.1 @0> (size=512,offset=0): f32[]{:T(128)}
allocation 1: size 8192, maybe-live-out:
 value: <93 fusion @0> (size=8192,offset=0): f32[32,64]{1,0:T(8,128)}
allocation 2: size 4096, parameter 0, shape |f32[16,64]| at ShapeIndex {}:
 value: <73 param @0> (size=4096,offset=0): f32[16,64]{1,0:T(8,128)}
allocation 3: size 4096, parameter 1, shape |f32[16,64]| at ShapeIndex {}, maybe-live-out:
 value: <74 param.1 @0> (size=4096,offset=0): f32[16,64]{1,0:T(8,128)}
allocation 4: size 512, constant:
 value: <75 constant.19 @0> (size=512,offset=0): s32[8]{0:T(128)}
allocation 5: size 1024, color 1, preallocated-temp:
 value: <76 copy @1> (size=512,offset=0): f32[8]{0:T(128)S(1)}
allocation 6: size 16384, preallocated-temp:
 value: <81 sort.14{} @0> (size=512,offset=8192): (f32[32,64]{1,0:T(8,128)}, s32[32,64]{1,0:T(8,128)})
 value: <82 sort.14{1} @0> (size=8192,offset=4096): s32[32,64]{1,0:T(8,128)}

Total bytes used: 33280
"""


def test_an_assignment_that_xla_dumps_is_read():
    found = parse_text(DUMPED)
    assert found.allocations == {
        1: Allocation(8192, False, True),
        2: Allocation(4096, True, False),
        3: Allocation(4096, True, True),
        6: Allocation(16384, False, False),
    }
    assert found.places["fusion", ()] == BufferPlace(1, 0, 8192)
    assert found.places["sort.14", (1,)] == BufferPlace(6, 4096, 8192)
    assert not {"add.1", "constant.19", "copy"} & {name for name, _ in found.places}
    assert found.totals() == MemoryTotals(8192, 12288, 16384, 4096, 0)


def test_memory_on_the_chip_is_not_counted():
    module = message((1, b"m"), (3, message((1, b"main"), (2, message((1, b"a"), (35, 1))))))
    buffer = message((1, 1), (2, 8), (3, message((4, 1))))
    on_chip = message((1, 0), (2, 64), (8, 1), (9, message((1, 1), (3, 8))))
    assert parse(message((1, buffer), (3, on_chip)), module).allocations == {}


def length(size: int) -> bytes:
    return bytes([size & 127 | 128, size >> 7])


MODULE = message((1, b"m"), (3, message((1, b"main"))))
ASSIGNED = message((1, message((1, 1), (2, 8))), (3, message((1, 0), (2, 8))))
HEAD = message((2, 1), (3, b"pjrt_ifrt"))


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([HEAD, message((1, 5), (6, message((1, MODULE), (3, ASSIGNED))))], (ASSIGNED, MODULE)),
        ([message((6, message((1, MODULE), (3, ASSIGNED))))], (ASSIGNED, MODULE)),
        ([HEAD, b"\xff\xff", message((6, message((1, MODULE), (3, ASSIGNED))))], (ASSIGNED, MODULE)),
        ([HEAD, message((6, message((1, MODULE))))], None),
        ([HEAD], None),
        ([], None),
    ],
    ids=["after a head", "alone", "after what is no message", "without an assignment", "only a head", "empty"],
)
def test_the_assignment_in_an_executable_for_tpus_is_found(messages, found):
    assert in_executable(b"".join(length(len(m)) + m for m in messages)) == found


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_an_executable_that_is_cut_short_has_none(cut):
    whole = message((6, message((1, MODULE), (3, ASSIGNED))))
    assert in_executable((length(len(whole)) + whole)[:-cut]) is None
