"""``read.model`` against JAX: bytes on devices, leaves of all kinds, what is flagged."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import AxisType, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import to_wire
from shardwidget.export.state import encode
from shardwidget.read._model.flags import flagged
from tests.examples import examples
from tests.models import MESH, eight, held, on_mesh, training_state, transformer, typed

SHAPES = ((), (8,), (16, 8), (8, 16, 4), (3, 8), (0, 8))
DTYPES = ("float32", "bfloat16", "int8", "bool")


MESHES = (((4, 2), ("data", "model")), ((8,), ("x",)), ((2, 2, 2), ("a", "b", "c")))


@functools.lru_cache(maxsize=4096)
def placed(shape: tuple[int, ...], dtype: str, mesh: int, entries: tuple) -> jax.Array:
    sharding = NamedSharding(eight(*MESHES[mesh]), P(*entries)) if mesh < 3 else SingleDeviceSharding(jax.devices()[5])
    return jax.device_put(np.zeros(shape, jnp.dtype(dtype)), sharding)


@st.composite
def arrays(draw: st.DrawFn) -> jax.Array:
    shape, dtype, mesh = draw(st.sampled_from(SHAPES)), draw(st.sampled_from(DTYPES)), draw(st.integers(0, 3))
    entries: list = []
    if mesh < 3:
        sizes = dict(zip(MESHES[mesh][1], MESHES[mesh][0], strict=True))
        free = draw(st.permutations(list(sizes)))
        for size in shape:
            taken: list[str] = []
            while free and draw(st.booleans()) and size % np.prod([sizes[a] for a in [*taken, free[0]]]) == 0:
                taken.append(free.pop(0))
            entries.append(tuple(taken) or None)
    return placed(shape, dtype, mesh, tuple(entries))


TREES = st.recursive(
    arrays() | st.none() | st.just(np.ones(3)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=10,
).filter(lambda tree: any(isinstance(x, jax.Array) for x in jax.tree.leaves(tree)))


@examples(300)
@given(TREES)
def test_bytes_on_every_device_are_those_of_the_shards(tree):
    model = read.model(tree)
    assert {d: n for d, n in model.device_bytes.items() if n} == {d: n for d, n in held(tree).items() if n}
    assert model.bytes_per_device == max(held(tree).values())
    leaves = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda x: x is None)[0]
    assert [leaf.path for leaf in model.leaves] == [jax.tree_util.keystr(path) for path, _ in leaves]
    once = {id(x): k for k, (_, x) in reversed(list(enumerate(leaves))) if x is not None}
    sizes = [x.nbytes if once.get(id(x)) == k else 0 for k, (_, x) in enumerate(leaves)]
    assert [leaf.bytes for leaf in model.leaves] == sizes
    assert model.bytes == sum(sizes)


TIED = {
    "the same array": lambda x: {"embed": x, "head": x},
    "three times": lambda x: {"a": x, "b": [x, x]},
    "a shard after": lambda x: [x, x.addressable_shards[3].data],
    "a shard before": lambda x: [x.addressable_shards[3].data, x],
    "all shards": lambda x: [*(s.data for s in x.addressable_shards), x],
    "another mesh": lambda x: [x, jax.device_put(x, NamedSharding(eight((8,), ("all",)), P("all")))],
    "shards of both": lambda x: [
        jax.device_put(x, NamedSharding(eight((8,), ("all",)), P("all"))),
        x.addressable_data(0),
    ],
    "a key and its bits": lambda x: [key := jax.random.key(0), jax.random.key_data(key)],
    "a Ref twice": lambda x: [jax.new_ref(x)] * 2,
    "NumPy": lambda x: [np.ones(3)] * 2,
}


@pytest.mark.parametrize("made", TIED.values(), ids=TIED)
def test_memory_that_leaves_share_counts_once(made):
    tree = made(on_mesh(jnp.ones((8, 16)), P(("data", "model"), None)))
    model = read.model(tree)
    shared = [leaf for leaf in model.leaves if leaf.kind.state == "shared"]
    whole = [leaf for leaf in model.leaves if leaf.kind.state != "shared"]
    assert len(whole) == 1
    assert shared
    assert {leaf.kind.note for leaf in shared} == {f"It has the memory of {whole[0].path}, where it counts."}
    assert all((leaf.bytes, leaf.bytes_per_device, leaf.copies) == (0, 0, 0) for leaf in shared)
    assert model.bytes == whole[0].bytes > 0


@pytest.mark.parametrize(
    "tree",
    [
        lambda x: [x, x.copy()],
        lambda x: [x, x + 0],
        lambda x: [x.addressable_shards[0].data, x.addressable_shards[1].data],
        lambda x: [jnp.zeros((0, 3)), jnp.zeros((0, 3))],
        lambda x: [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding)] * 2,  # two arrays of one shape
        lambda x: [np.ones(3), np.ones(3)],
        lambda x: [x, jax.device_put(np.ones((1, 16), np.float32), jax.devices()[2])],
    ],
)
def test_memory_of_its_own_counts_for_each(tree):
    model = read.model(tree(on_mesh(jnp.ones((8, 16)), P(("data", "model"), None))))
    assert not any(kind.state == "shared" for kind in model.types)


def test_reading_a_tree_makes_no_arrays():
    """Addresses of shards are read only where another array may have them."""
    tree = {"w": on_mesh(jnp.ones((8, 16)), P("data", "model")), "b": on_mesh(jnp.zeros((8, 16)), P("data", "model"))}
    before = len(jax.live_arrays())
    read.model(tree)
    assert len(jax.live_arrays()) == before


@dataclasses.dataclass
class Plain:
    w: jax.Array
    inner: dict


def test_dataclasses_that_are_no_pytrees():
    tree = {"p": Plain(on_mesh(jnp.ones((8, 8)), P("data", "model")), {"b": on_mesh(jnp.ones(8))})}
    assert [leaf.path for leaf in read.model(tree).leaves] == ["['p'].w", "['p'].inner['b']"]


class Refuses(jax.sharding.Sharding):
    """A sharding of the user's own that raises."""

    @property
    def device_set(self):
        return {jax.devices()[0]}

    def check_compatible_aval(self, aval_shape):
        pass

    def devices_indices_map(self, global_shape):
        raise RuntimeError("no map today")

    @property
    def _device_assignment(self):
        return (jax.devices()[0],)


def test_each_leaf_is_caught_on_its_own():
    deleted = jnp.ones((8, 8))
    deleted.delete()
    tree = {
        "array": on_mesh(jnp.ones((8, 8)), P("data", None)),
        "deleted": deleted,
        "host": np.ones((4, 4), np.float64),
        "none": None,
        "one": jax.device_put(jnp.ones(8), jax.devices()[3]),
        "refuses": jax.ShapeDtypeStruct((8,), "float32", sharding=Refuses()),
        "shape": jax.ShapeDtypeStruct((8,), "float32"),
        "text": "x",
    }
    leaves = {leaf.name: leaf for leaf in read.model(tree).leaves}
    states = {name: leaf.kind.state for name, leaf in leaves.items()}
    assert states == {
        "array": "live",
        "deleted": "deleted",
        "host": "host",
        "none": "none",
        "one": "live",
        "refuses": "unreadable",
        "shape": "abstract",
        "text": "other",
    }
    assert "no map today" in leaves["refuses"].kind.note
    assert [flag.kind for flag in leaves["refuses"].flags] == ["unreadable"]
    assert (leaves["host"].bytes, leaves["host"].bytes_per_device, leaves["host"].type) == (128, 0, "f64[4,4]")
    assert (leaves["deleted"].bytes, leaves["deleted"].type) == (0, "f32[8,8]")
    assert (leaves["array"].bytes_per_device, leaves["array"].copies) == (64, 2)
    assert (leaves["one"].bytes_per_device, leaves["one"].copies) == (32, 1)


@pytest.mark.parametrize("enabled", [False, True])
def test_bits_on_devices_are_those_of_device_put(enabled):
    dtypes = ["float64", "int64", "uint64", "complex128", "float32", "bfloat16", "bool"]
    arrays = {name: np.ones(4, jnp.dtype(name)) for name in dtypes}
    with jax.enable_x64(enabled):
        kinds = {leaf.name: leaf.kind for leaf in read.model(arrays | {"words": np.array(["a"])}).leaves}
        placed = {name: 8 * jax.device_put(x).dtype.itemsize for name, x in arrays.items()}
    assert {name: kind.device_bits for name, kind in kinds.items()} == placed | {"words": 0}
    assert {name: kinds[name].bits for name in dtypes} == {name: 8 * x.dtype.itemsize for name, x in arrays.items()}


def test_a_tracer_is_named_where_it_is():
    @jax.jit
    def f(x):
        (bad, good) = read.model([x, np.ones(2)]).leaves
        assert (bad.kind.state, good.kind.state) == ("unreadable", "host")
        assert "inside jit" in bad.kind.note
        return x

    f(jnp.ones(2))


def test_memory_of_the_host_is_not_of_the_device():
    sharding = NamedSharding(eight(), P("data"), memory_kind="pinned_host")
    model = read.model({"kv": jax.device_put(jnp.ones(8), sharding), "x": on_mesh(jnp.ones(8))})
    assert model.bytes_per_device == 32
    assert model.leaves[0].kind.offloaded


def test_trees_that_are_refused():
    with pytest.raises(TypeError, match="no array in this list"):
        read.model(["x", None])
    tree: dict = {}
    tree["self"] = tree
    with pytest.raises(ValueError, match="contains itself"):
        read.model(tree)


def test_one_array_is_a_tree():
    (leaf,) = read.model(typed((8, 8), "data")).leaves
    assert (leaf.path, leaf.name, leaf.type) == ("", "", "bf16[8@data,8]")


def test_faults_of_a_training_state_are_flagged_with_what_they_cost():
    model = read.model(training_state())
    assert (model.arrays, model.bytes_per_device) == (223, 333_703_172)
    first, second, *_ = model.flags
    (embed,) = first.leaves.array().tolist()
    assert (model.leaves[embed].path, first.kind, first.cost) == ("['params']['embed']", "unlike", 56 * 2**20)
    assert first.spec == "P('model', 'data')"
    assert first.reason == "Copied on all 8 devices, and opt/mu/embed is split over model, data."
    assert second.reason == "Unlike the other 11, which are split over model, data: copied on all 8 devices."
    assert {model.leaves[i].name for f in model.flags[1:] for i in f.leaves.array().tolist()} == {
        f"opt/mu/layers/7/{w}" for w in ("qkv", "o", "up", "down")
    }
    assert read.model(transformer()).flags == ()


def test_saved_bytes_are_what_the_spec_of_a_flag_saves():
    state = training_state()
    for flag in read.model(state).flags:
        (leaf,) = flag.leaves.array().tolist()
        path, old = jax.tree_util.tree_flatten_with_path(state)[0][leaf]
        spec = eval(flag.spec, {"P": P})
        new = old.update(sharding=NamedSharding(MESH, spec))
        after = jax.tree.map_with_path(lambda p, x, path=path, new=new: new if p == path else x, state)
        assert read.model(state).bytes_per_device - read.model(after).bytes_per_device == flag.cost


def test_copies_over_an_axis_that_divides():
    (flag,) = read.model({"w": typed((64, 32), "data"), "v": typed((7, 3))}).flags
    assert (flag.kind, flag.spec, flag.cost) == ("copied", "P('data', 'model')", 512)
    assert flag.reason == "Copied 2 times over model; it could be split over model."


def test_one_device_among_many():
    tree = {
        "w": on_mesh(jnp.ones((64, 64)), P("data", "model")),
        "table": jax.device_put(jnp.ones((64, 64)), jax.devices()[1]),
    }
    (flag,) = read.model(tree).flags
    assert (flag.kind, flag.cost) == ("one device", 64 * 64 * 4 * 7 // 8)
    assert flag.reason.startswith("Only on device 1")


class ByHand(jax.sharding.Sharding):
    """Ten rows on four devices: 4, 4 and twice the same 2."""

    @property
    def device_set(self):
        return set(jax.devices()[:4])

    @property
    def memory_kind(self):
        return None

    def devices_indices_map(self, global_shape):
        return {jax.devices()[k]: np.s_[a:b, :] for k, (a, b) in enumerate([(0, 4), (4, 8), (8, 10), (8, 10)])}

    def check_compatible_aval(self, aval_shape):
        pass


def test_shards_of_different_sizes():
    (flag,) = read.model({"w": jax.ShapeDtypeStruct((10, 64), "float32", sharding=ByHand())}).flags
    assert (flag.kind, flag.cost) == ("uneven", (4 - 3) * 64 * 4)
    assert flag.reason.startswith("Its shards differ in size")


@pytest.mark.parametrize(("platform", "kinds"), [("tpu", ["tiny"]), ("gpu", [])])
def test_shards_smaller_than_what_a_tpu_gives_each(platform, kinds):
    model = read.model({"w": typed((64, 32), "data", "model"), "big": typed((4096, 512), "data", "model")})
    elsewhere = dataclasses.replace(model, mesh=dataclasses.replace(model.mesh, platform=platform))
    # Compared with the whole tree, one such leaf is too small to be flagged.
    assert flagged(elsewhere).flags == ()
    alone = dataclasses.replace(read.model({"w": typed((64, 32), "data", "model")}), mesh=elsewhere.mesh)
    found = flagged(alone).flags
    assert [flag.kind for flag in found] == kinds
    assert [flag.cost for flag in found] == [4096 - 512] * len(kinds)


def test_equal_layers_are_folded():
    model = read.model(training_state())
    folded = [[model.keys[model.node_key.array()[n]].name for n in fold.array()] for fold in model.folds]
    every, without = [str(n) for n in range(12)], [str(n) for n in range(12) if n != 7]
    assert sorted(folded, key=len) == [without, every, every]
    names = [f"h{n}" for n in range(3)]
    (fold,) = read.model({name: {"w": typed((8,))} for name in names}).folds
    assert fold.size == 3
    assert read.model({"w1": typed((8,)), "w2": typed((8,))}).folds == ()


def test_a_pods_model_is_small():
    big = jax.sharding.AbstractMesh((64, 64), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

    def layer(n: int) -> dict:
        weights = {f"w{i}": typed((4096, 64 * (n % 37 + i + 1)), "data", "model", mesh=big) for i in range(8)}
        return weights | {"scale": typed((4096,), mesh=big), "bias": typed((4096,), mesh=big)}

    model = read.model({"layers": [layer(n) for n in range(1000)]})
    assert (model.arrays, model.mesh.size) == (10_000, 4096)
    assert len(encode(to_wire(model))) < 400_000


def test_flags_that_are_too_small_to_list_are_mentioned():
    """Beside 1 GiB on each device, 4 MiB of copies are below 1 %."""
    mesh = jax.sharding.AbstractMesh((4, 2), ("data", "model"))

    def shape(rows, *spec):
        return jax.ShapeDtypeStruct((rows, 1024), "float32", sharding=NamedSharding(mesh, P(*spec)))

    tree = {"big": shape(2**21, ("data", "model")), "copied": shape(1024), "also": shape(512), "tiny": shape(1)}
    model = read.model(tree)
    assert model.flags == ()
    assert model.small_flags == 3
    assert model.small_cost == 7 * (2**22 + 2**21 + 2**12) // 8
    assert "3 smaller flags, each under 1 % of the fullest device: 5.25 MiB on each device in all" in str(model)
    assert "smaller flag" not in str(read.model({"big": tree["big"], "tiny": tree["tiny"]}))
