"""Which mesh axes divide a temporary: by the name of its operation, and only where no other axes fit."""

import pytest

from shardwidget._jax import Split
from shardwidget.read._memory.liveness import walk
from shardwidget.read._memory.splits import Splits
from shardwidget.read._program.module import Module

TEXT = """HloModule m, is_scheduled=true

fused {
  q = f32[2,8]{1,0} parameter(0)
  s = f32[2,8]{1,0} sine(q), metadata={op_name="jit(f)/sin"}
  u = f32[2,8]{1,0} cosine(q), metadata={op_name="jit(f)/cos"}
  c = f32[8,2]{1,0} transpose(u), dimensions={1,0}
  ROOT t = (f32[2,8]{1,0}, f32[8,2]{1,0}) tuple(s, c)
}

ENTRY main {
  p = f32[2,8]{1,0} parameter(0)
  a = f32[2,8]{1,0} negate(p), metadata={op_name="jit(f)/neg"}
  b = f32[16]{0} reverse(a), metadata={op_name="jit(f)/neg"}
  g = f32[8,8]{1,0} all-gather(a), dimensions={0}, metadata={op_name="jit(f)/dot"}
  o = f32[2,8]{1,0} reverse(a), metadata={op_name="jit(f)/other"}
  two = (f32[2,8]{1,0}, f32[8,2]{1,0}) fusion(a), kind=kLoop, calls=fused, metadata={op_name="jit(f)/cos"}
  ROOT r = f32[] reduce(a, b, g, o, two)
}
"""


def axes(sizes: dict[str, int], by_operation: dict[str, set[Split]]) -> dict[str, tuple[str, ...] | None]:
    """Of each temporary."""
    module = Module.parse(TEXT)
    splits = Splits(module, {f"jit(f)/{name}": frozenset(found) for name, found in by_operation.items()}, sizes)
    slots = [slot for slot in walk(module).slots if slot.kind in ("temporary", "collective")]
    return {
        slot.instruction.name + "".join(map(str, slot.index)): splits.axes(slot) for slot in slots if slot.instruction
    }


def test_the_shape_on_a_device_must_be_that_of_the_operation():
    found = axes({"x": 4, "y": 2}, {"neg": {Split((8, 8), (2, 8), ("x",))}, "other": {Split((8, 8), (4, 8), ("y",))}})
    # The compiler may join dimensions: ``b`` is flat.
    assert (found["a"], found["b"], found["o"]) == (("x",), ("x",), None)


def test_operations_of_one_name_must_agree():
    found = axes({"x": 4, "y": 2}, {"neg": {Split((8, 8), (2, 8), ("x",)), Split((2, 8), (2, 8), ())}})
    assert found["a"] is None
    assert axes({"x": 4, "y": 2}, {"neg": {Split((2, 8), (2, 8), ())}})["a"] == ()


@pytest.mark.parametrize(("sizes", "known"), [({"x": 4, "y": 4}, None), ({"x": 2, "y": 2}, ("x", "y"))])
def test_no_other_axes_may_give_the_same_shape(sizes, known):
    assert axes(sizes, {"neg": {Split((8, 8), (2, 8), ("x",))}})["a"] == known


def test_a_fusion_is_known_by_what_computes_its_results():
    found = axes({"x": 4}, {"sin": {Split((8, 8), (2, 8), ("x",))}, "cos": {Split((8, 8), (2, 8), ("x",))}})
    assert (found["two0"], found["two1"]) == (("x",), ("x",))


def test_what_a_collective_moves_is_not_divided_like_the_operation_that_needs_it():
    assert axes({"x": 4}, {"dot": {Split((8, 8), (8, 8), ())}})["g"] is None
