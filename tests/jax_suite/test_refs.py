"""A ``jax.Ref`` is read as the array that it holds, and called a ``Ref``."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read
from shardwidget.read._namespace.look import Looks

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def held(*spec: str) -> jax.Array:
    return jax.device_put(np.arange(64, dtype=np.float32).reshape(8, 8), NamedSharding(MESH, P(*spec)))


def step(ref, y):
    ref[...] = ref[...] + y
    return jnp.sum(ref[...] @ y)


def test_it_is_placed_where_its_array_is():
    x = held("x", "y")
    ref = jax.new_ref(x)
    view = sw.show(ref)
    assert isinstance(view, sw.ArrayView)
    expected = read.placement(x)
    assert (view.document.dims, view.document.mesh) == (expected.dims, expected.mesh)
    assert (view.document.name, view.document.type) == ("ref", "Ref f32[8,8]")
    ref[...] = ref[...] + 1
    np.testing.assert_array_equal(read.values(ref)[7], np.asarray(x)[6:, 4:] + 1)


def test_its_bytes_count_in_a_tree():
    tree = {"a": jax.new_ref(held("x")), "b": held("x")}
    model = read.model(tree)
    kinds = [model.types[k] for k in model.leaf_type.array()]
    assert [kind.type for kind in kinds] == ["Ref f32[8@x,8]", "f32[8@x,8]"]
    assert (kinds[0].bits, kinds[0].shape) == (32, (8, 8))
    assert isinstance(sw.show(tree), sw.ModelView)


def test_the_inspector_counts_its_array_once_under_the_name_of_the_ref():
    others = {id(x): x for x in jax.live_arrays()}
    names = {"ref": jax.new_ref(held("x", "y")), "tree": [jax.new_ref(held("x"))]}
    looks = Looks(live=lambda: [x for x in jax.live_arrays() if id(x) not in others])
    for _ in range(2):
        found = {h.name: (h.arrays, h.bytes) for h in looks.look(names).holders}
        assert found == {"ref": (1, 256), "tree": (1, 256)}
        names["ref"][...] = names["ref"][...] + 1


def test_a_tracer_of_one_is_refused_in_words():
    with pytest.raises(TypeError, match=r"tracer of type Ref"):
        jax.jit(read.placement)(jax.new_ref(held()))


@pytest.mark.parametrize("jitted", [False, True])
def test_programs_that_write_into_one_are_read_and_leave_it_as_it_was(jitted):
    ref, y = jax.new_ref(held("x", "y")), held("y", "x")
    f = jax.jit(step) if jitted else step
    text = jax.jit(step).lower(ref, y).compile().as_text() or ""
    program = read.program(f, ref, y)
    assert sum(c.kind == "all-gather" for c in program.collectives) == text.count(" all-gather(")
    assert read.memory(f, ref, y).peak_bytes > 0
    assert read.run(f, ref, y, n=1).operations
    assert read.remedies(f, ref, y).complete
    comparison = read.comparison(f, ref, y)
    assert not comparison.note
    assert comparison.rows
    np.testing.assert_array_equal(ref[...], held())
