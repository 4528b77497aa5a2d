"""The compiler's assignment of buffers: what its messages say, and what shares memory."""

from shardwidget.read._memory.assignment import Allocation, Assignment, BufferPlace, gaps, parse, place
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
