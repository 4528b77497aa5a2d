"""``read.namespace`` and ``Inspector``: what names hold, what changed, and that nothing is kept alive by looking."""

import dataclasses
import gc
import weakref
from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.read._namespace.look import MOST, Looks
from shardwidget.read._namespace.records import LEAST_KNOWN, Record
from shardwidget.read._namespace.walk import LONG, Walker
from tests.front_end import FakeComm
from tests.namespaces import cell, put, session

pytestmark = pytest.mark.usefixtures("only_new_garbage")


@pytest.fixture(autouse=True)
def _no_arrays_of_others(monkeypatch):
    """Live arrays are only those of the test."""
    gc.collect()
    live = jax.live_arrays
    others = {id(x): x for x in live()}
    monkeypatch.setattr(jax, "live_arrays", lambda: [x for x in live() if id(x) not in others])


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def held(*trees) -> Counter:
    """Bytes on each device, as the arrays' own shards say, each array counted once."""
    out = Counter()
    for x in {id(x): x for x in jax.tree.leaves(trees) if isinstance(x, jax.Array)}.values():
        if not x.is_deleted():
            for device in x.devices():
                out[device.id] += jax.random.key_data(x).nbytes if x.dtype == jax.random.key(0).dtype else 0
            for shard in () if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x.addressable_shards:
                out[shard.device.id] += shard.data.nbytes
    return out


def on_devices(document: sw.Namespace) -> Counter:
    ids = list(dict.fromkeys(i for mesh in document.meshes for i in mesh.device_ids.array().tolist()))
    return Counter({ids[at]: g.held for g in document.groups for at in g.devices.array().tolist()})


def test_bytes_on_devices_are_those_of_the_shards_and_aliases_count_once():
    names = session()
    document = Looks().look(names)
    named = [h for h in document.holders if h.name]
    assert {h.name for h in named} == {"params", "x", "h", "table", "same", "key"}
    same = document.holder("same")
    assert (same.bytes, same.shared, same.shared_with) == (0, 1, "x")
    loose = sum(h.bytes for h in document.holders if not h.name)
    assert loose == 0
    assert on_devices(document) == held(names)
    assert document.bytes_per_device == max(held(names).values())


MESH = jax.make_mesh((8,), ("x",), devices=jax.devices()[:8])


@pytest.mark.parametrize(
    "made",
    [
        lambda x: {"x": x, "s": x.addressable_shards[3].data},
        lambda x: {"s": x.addressable_shards[3].data, "x": x},
        lambda x: {
            "x": x,
            "w": jax.device_put(x, jax.NamedSharding(jax.make_mesh((2, 4), ("a", "b")), jax.P(("a", "b")))),
        },
        lambda x: {"shards": [s.data for s in x.addressable_shards], "x": x},
        lambda x: {"x": x, "tree": {"a": x, "b": x.addressable_data(0)}},
        lambda x: {"s": x.addressable_data(0), "again": x.addressable_data(0)},
    ],
)
def test_memory_that_names_share_counts_once(made):
    x = jax.device_put(np.ones((8, 4), np.float32), jax.NamedSharding(MESH, jax.P("x")))
    names = made(x)
    document = Looks(list).look(names)
    biggest = max(document.holders, key=lambda h: h.bytes)
    assert [h.name for h in document.holders if h.bytes] == [biggest.name]
    assert document.bytes_per_device == 16
    for holder in document.holders:
        if holder is not biggest:
            assert (holder.bytes, holder.shared_with) == (0, biggest.name)
            assert f"in {biggest.name}" in str(document)


def test_a_shard_counts_again_once_its_array_is_gone():
    x = jax.device_put(np.ones((8, 4), np.float32), jax.NamedSharding(MESH, jax.P("x")))
    looks, shard = Looks(list), x.addressable_shards[3].data
    sizes = []
    for names in ({"x": x}, {"x": x, "s": shard}, {"s": shard}, {"s": shard, "x": x}, {"x": x}):
        holders = [h for h in looks.look(names).holders if h.change != "gone"]
        sizes.append({h.name: h.bytes for h in holders})
    assert sizes == [{"x": 128}, {"x": 128, "s": 0}, {"s": 16}, {"x": 128, "s": 0}, {"x": 128}]


def test_an_array_of_the_memory_of_one_without_a_name_says_so():
    x = jax.device_put(np.ones((8, 4), np.float32), jax.NamedSharding(MESH, jax.P("x")))
    assert "in an array without a name" in str(Looks(lambda: [x]).look({"s": x.addressable_data(0)}))


def test_arrays_that_no_name_holds_are_counted_and_views_of_shards_are_not():
    names = {"x": put((256, 64), "data")}
    kept = [put((32, 32)), put((32, 32))]
    np.asarray(names["x"])
    # JAX 0.12 leaves no arrays of single shards behind.
    assert len(jax.live_arrays()) > 3 if jax.__version_info__ < (0, 12) else len(jax.live_arrays()) == 3
    document = Looks().look(names)
    (loose,) = [h for h in document.holders if not h.name]
    assert (loose.arrays, loose.bytes) == (2, sum(x.nbytes for x in kept))
    assert [(p.type, p.count) for p in loose.parts] == [("f32[32,32]", 2)]


def test_what_a_cell_did_is_said_by_name():
    looks, names = Looks(), session()
    first = looks.look(names)
    assert first.changed == ()
    cell(names)
    document = looks.look(names, 6)
    changes = {h.name: h.change for h in document.changed if h.name}
    assert changes == {"params": "resharded", "h": "deleted", "out": "new", "table": "gone"}
    params = document.holder("params")
    assert (params.path, params.was, params.moved) == ("['up']", "f32[64,128@model]", 1)
    assert params.delta == 64 * 128 // 8 * 4 - 64 * 128 // 2 * 4
    assert document.holder("h").delta == -256 * 128 * 4 // 8
    new, gone = put((256, 64), "data").addressable_shards[0].data.nbytes, 256 * 128 * 4 // 8
    (on_seven,) = {(g.added, g.freed) for g in document.groups if g.devices.size == 7}
    assert on_seven == (new + 64 * 128 * 4 // 8, gone + 64 * 128 * 4 // 2)
    assert (document.cell, looks.look(names, 7).changed) == (7 - 1, ())


def test_a_step_of_training_updates_and_a_longer_tree_changed():
    looks = Looks()
    names = {"params": {"a": put((8, 8)), "b": put((8, 8))}, "x": put((8, 8), "data")}
    looks.look(names)
    names["params"] = jax.tree.map(lambda x: x + 1, names["params"])
    names["x"] = put((16, 8), "data")
    document = looks.look(names)
    assert [(h.name, h.change, h.moved) for h in document.changed] == [("params", "updated", 2), ("x", "changed", 1)]
    names["params"]["c"] = put((8, 8))
    assert [(h.name, h.change, h.path) for h in looks.look(names).changed] == [("params", "changed", "['c']")]


def test_flags_are_those_of_a_tree_and_of_what_is_on_one_device():
    document = Looks().look(session())
    flagged = {h.name: h for h in document.flagged}
    assert flagged["params"].flagged == "['embed']"
    assert flagged["params"].reason == sw.read.model(session()["params"]).flags[0].reason
    assert "Only on device 0, while other arrays are on 8 devices." in flagged["table"].reason
    assert flagged["table"].spec.startswith("P(")


def test_a_tree_on_one_device_is_flagged_as_a_whole():
    state = {"count": jnp.zeros(()), "mu": jnp.ones((64, 64))}
    (flagged,) = Looks().look({"x": put((64, 64), "data"), "state": state}).flagged[:1]
    assert (flagged.name, flagged.flagged) == ("state", "")
    assert flagged.reason == "All of its arrays are on device 0, while other arrays are on 8 devices."


def test_looking_keeps_no_array_alive():
    looks, names = Looks(), {"x": put((64, 64), "data"), "tree": {"a": put((8, 8))}}
    document = looks.look(names)
    gone = [weakref.ref(names["x"]), weakref.ref(names["tree"]["a"])]
    names.clear()
    gc.collect()
    assert [r() for r in gone] == [None, None]
    assert {h.change for h in looks.look(names).holders} == {"gone"}
    assert document.holder("x").bytes == 64 * 64 * 4


def test_what_is_gone_is_forgotten():
    def records() -> int:
        gc.collect()
        return sum(type(x) is Record for x in gc.get_objects())

    before = records()
    looks, kept = Looks(live=list), put((8, 8))
    for _ in range(3):
        looks.look({"x": kept, "tree": [np.zeros(1), *(jnp.zeros(()) + k for k in range(LEAST_KNOWN))]})
    looks.look({"x": kept})
    assert records() - before < 2 * LEAST_KNOWN


def test_an_array_in_the_place_of_another_is_another():
    # The new array may get the id of the one that is gone.
    looks, names = Looks(), {"x": put((8, 8), "data")}
    looks.look(names)
    for k in range(20):
        del names["x"]
        names["x"] = put((16 + k, 8)) if k % 2 else put((8, 8), "data")
        document = looks.look(names)
        assert document.holder("x").bytes == names["x"].nbytes
        assert document.changed[0].change in ("changed", "updated")


def test_a_look_after_others_says_of_the_names_what_a_first_look_says():
    names, looks = session(), Looks()
    looks.look(names)
    changes = (
        {"new": put((16, 8), "data")},  # behind all others: their lines are as they were
        {"x": names["params"]},  # in front of others, which it now shares arrays with
        {"alone": jax.device_put(np.zeros((64, 64), np.float32), jax.devices()[3])},
        {"large": put((512, 256))},  # what the others cost is little beside it
        {"x": names["x"]},  # as it was at first
        {"key": jax.random.split(jax.random.key(1), 3)},
    )
    for change in changes:
        names.update(change)
        looks.look(names)
        again, first = looks.look(names), Looks().look(names)
        assert again.types == first.types
        assert {h for h in again.holders if h.name} == {h for h in first.holders if h.name}


@pytest.mark.parametrize("seed", range(4))
def test_looks_at_a_session_that_changes_at_random_say_what_a_first_look_says(seed):
    random, looks = np.random.default_rng(seed), Looks()
    names: dict = {f"w{k}": put((8, 8), *("data",)[: k % 2]) for k in range(6)}
    names["tree"] = {"a": names["w0"], "b": [put((8, 8))]}
    looks.look(names)
    for _ in range(40):
        name, other = map(str, random.choice(list(names), 2))
        match random.integers(7):
            case 0:
                names[name] = names[other]  # in its place, or shared from now on
            case 1:
                names[f"w{random.integers(9)}"] = put((8, int(random.choice([8, 16]))))
            case 2:
                names[name] = names.pop(name)  # the last of all names
            case 3 if len(names) > 3:
                del names[name]
            case 4:
                names["tree"] = {"a": names[name], "b": [names[other], names[name]]}
            case 5 if isinstance(names.get("tree"), dict):
                names["tree"]["a"] = put((8, 8), "data") if name == "tree" else names[name]  # no name is rebound
            case 6 if isinstance(names[name], jax.Array):
                names[name].delete()
        looks.look(names)
        again, first = looks.look(names), Looks().look(names)
        assert {h for h in again.holders if h.name} == {h for h in first.holders if h.name}
        assert on_devices(again) == on_devices(first) == held(names)


def test_donated_and_deleted_arrays_are_no_error():
    looks, x = Looks(), put((64, 64), "data")
    names = {"x": x, "tree": {"a": put((8, 8)), "b": put((8, 8))}}
    looks.look(names)
    names["y"] = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    names["tree"]["a"].delete()
    document = looks.look(names)
    assert document.holder("x").change == "deleted"
    assert document.types[document.holder("x").type].state == "deleted"
    assert (document.holder("tree").change, document.holder("tree").deleted) == ("deleted", 1)


class Broken:
    """A node whose flattening raises."""


def _raises(_: Broken):
    raise ValueError("this node cannot be flattened")


jax.tree_util.register_pytree_node(Broken, _raises, lambda *_: Broken())


@dataclasses.dataclass
class Plain:
    """Not a pytree, but its fields are read."""

    w: jax.Array


def test_containers_of_any_kind_are_looked_through_once():
    x = put((8, 8))
    loop: list = [x]
    loop.append(loop)
    arrays = Walker().arrays
    assert arrays(loop) == [x]
    assert arrays(Broken()) == []
    assert arrays(Plain(x)) == [x]
    assert arrays({"a": (x, [x, None])}) == [x, x]
    assert arrays([1.0] * (LONG + 1)) == []
    assert Looks().look({"loop": loop, "broken": Broken()}).holder("loop").arrays == 1


def test_many_names_are_cut_and_those_that_changed_come_first():
    looks, names = Looks(), {f"w{k}": put((8, 8)) for k in range(MOST + 20)}
    looks.look(names)
    names["small"] = put(())
    document = looks.look(names)
    assert len(document.holders) == MOST
    assert document.holder("small").change == "new"
    assert document.names == MOST + 21
    assert document.left_out == 21 * 8 * 8 * 4


def test_the_document_prints_and_has_no_arrays_where_there_are_none():
    assert "Arrays: none" in repr(Looks().look({"a": 1}))
    looks, names = Looks(), session()
    looks.look(names)
    cell(names)
    text = repr(looks.look(names, 6))
    assert "params" in text
    assert "resharded ['up'] from f32[64,128@model]" in text


def test_without_ipython_the_message_says_what_to_do():
    with pytest.raises(RuntimeError, match=r"read.namespace\(globals\(\)\)"):
        sw.read.namespace()
    with pytest.raises(RuntimeError, match=r"Inspector\(globals\(\)\)"):
        sw.Inspector()
    with pytest.raises(TypeError, match="a mapping"):
        sw.read.namespace(3)  # pyright: ignore[reportArgumentType]
    names = {"x": put((8, 8))}
    view = sw.Inspector(names)
    assert not view.following
    names["y"] = put((8, 8))
    view.refresh()
    assert view.document.holder("y").change == "new"


def test_it_follows_the_cells_until_it_is_closed(shell):
    shell.user_ns["put"] = put
    view = sw.Inspector()
    assert view.following
    shell.run_cell("x = put((8, 8), 'data')", store_history=True)
    assert (view.document.holder("x").change, view.document.cell) == ("new", 1)
    shell.run_cell("x.delete(); 1 / 0", store_history=True)
    assert (view.document.holder("x").change, view.document.cell) == ("deleted", 2)
    shell.run_cell("put((4, 4))", store_history=True)
    assert view.document.holder("Out[3]").arrays == 1
    callbacks = shell.events.callbacks["post_run_cell"]
    newer = sw.Inspector()
    assert (view.following, newer.following) == (False, True)
    newer.close()
    assert not [c for c in callbacks if isinstance(getattr(c, "__self__", None), sw.Inspector)]
    shell.run_cell("y = put((8, 8))", store_history=True)
    with pytest.raises(KeyError, match="'y' holds no arrays"):
        newer.document.holder("y")


def test_the_browser_opens_what_fits_and_hears_why_not():
    names = {"x": put((8, 8), "data"), "params": {"w": put((8, 8))}}
    view = sw.Inspector(names)
    assert isinstance(view.comm, FakeComm)
    view.comm.from_browser(_asked={"n": 1, "do": "open", "name": "x"})
    assert view._opened["state"]["_document"]["kind"] == "placement"
    view.comm.from_browser(_asked={"n": 2, "do": "open", "name": "params"})
    assert view._opened["state"]["_document"] == to_wire(sw.read.model(names["params"], name="params"))
    del names["x"]
    view.comm.from_browser(_asked={"n": 3, "do": "open", "name": "x"})
    assert "x no longer exists" in view._opened["error"]
    view.comm.from_browser(_asked={"n": 4, "do": "look", "name": ""})
    assert view.document.holder("x").change == "gone"
    with pytest.raises(TraitError, match="a name that holds arrays"):
        view.selection = "nothing"


def test_a_copy_that_needs_no_kernel_and_a_picture(tmp_path):
    view = sw.Inspector(session(), mode="html")
    page = view._repr_mimebundle_()[0]["text/html"]
    assert "params" in page
    assert view.to_svg(width=480).startswith("<svg")
    assert sw.Inspector({}).to_svg().startswith("<svg")


def test_names_that_are_no_texts_are_written_out():
    x = put((8,), "data")
    names: Any = {1: x, ("a", 2): x}
    assert [h.name for h in sw.read.namespace(names).holders] == ["1", "('a', 2)"]


def test_shards_of_random_keys_are_counted_with_the_keys():
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), put((8,), "data").sharding)
    bits = jax.random.key_data(jax.random.split(jax.random.key(1)))
    looks = Looks()
    assert [(h.name, h.arrays) for h in looks.look({"keys": keys}).holders] == [("keys", 1), ("", 1)]
    touched = keys.addressable_shards
    # The bits, which no name holds, could be those of a shard by their shape; they still count.
    assert [(h.name, h.arrays) for h in looks.look({"keys": keys}).holders] == [("keys", 1), ("", 1)]
    assert len(touched) == 8
    assert bits.shape == (2, 2)
