"""Messages about mistakes that everybody makes once: which argument, what is legal, what to do."""

import re
from types import SimpleNamespace
from typing import Any

import jax
import jax.export
import numpy as np
import pytest
from flax import nnx
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read

READ: Any = SimpleNamespace(
    **{name: getattr(read, name) for name in ("comparison", "namespace", "placement", "program", "trace", "values")}
)
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
TWO = jax.make_mesh((2,), ("p",), axis_types=(AxisType.Auto,), devices=jax.devices()[:2])
X = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(MESH, P("x", "y")))
Y = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(TWO, P("p")))
DELETED = jax.device_put(X, NamedSharding(MESH, P()))
DELETED.delete()
TURNED = jax.device_put(X, NamedSharding(Mesh(MESH.devices.reshape(2, 4), ("x", "y")), P("x")))
BACKWARDS = jax.device_put(X, NamedSharding(Mesh(MESH.devices[::-1, ::-1], ("x", "y")), P("x")))


def product(a, b):
    return a @ b


def scaled(params, x):
    return x * params["scale"] + params["w"]


def masked(x, causal):
    return x * 2 if causal else x


mapped = jax.shard_map(lambda p: p["w"] * 2, mesh=MESH, in_specs=P("x"), out_specs=P("x"))
CALLED = r"{}\(.*\) was not given these arguments\. Give the function and then its arguments"
MISTAKES = {
    "two meshes, compiled": (
        lambda: READ.program(product, X, Y),
        r"a is on the mesh x=4, y=2 \(devices 0–7\); b is on the mesh p=2 \(devices 0, 1\)\. A program runs on one",
    ),
    "two meshes, compared": (
        lambda: READ.comparison(product, X, Y),
        r"b is on .*p=2 .*\. A comparison is on one mesh",
    ),
    "the same mesh in another order, compared": (
        lambda: READ.comparison(lambda t: t["a"] @ t["b"][0], {"a": X, "b": [BACKWARDS]}),
        r"t\['b'\]\[0\] is on the mesh x=4, y=2 \(devices 7, 6, 5, 4, 3, 2, 1, 0\)\. A comparison is on one mesh",
    ),
    "a mesh of other axes, compared": (
        lambda: READ.comparison(product, X, TURNED),
        r"b is on the mesh x=2, y=4 \(devices 0–7\)\. A comparison is on one mesh",
    ),
    "one device beside a mesh, compared": (
        lambda: READ.comparison(product, X, jax.device_put(np.ones((8, 8)), jax.devices()[3])),
        r"b is on device 3\. A comparison",
    ),
    "another mesh than the shard_map's, traced": (
        lambda: READ.trace(mapped, {"w": Y}),
        r"p\['w'\] is on the mesh p=2 \(devices 0, 1\), and <lambda> runs a shard_map on the mesh x=4, y=2 "
        r"\(devices 0–7\)\. jit takes arguments that are on .* or simulate the devices, engine='host'",
    ),
    "another mesh than the shard_map's, compared": (
        lambda: READ.comparison(mapped, {"w": Y}),
        r"p\['w'\] is on the mesh p=2 .* runs a shard_map on the mesh x=4, y=2 .*put all of them on one mesh",
    ),
    "another order than the shard_map's, compared": (
        lambda: READ.comparison(mapped, {"w": BACKWARDS}),
        r"p\['w'\] is on .*, 0\), and <lambda> runs a shard_map on the mesh x=4, y=2 \(devices 0–7\)\. jit takes",
    ),
    "no function, traced": (lambda: READ.trace(DELETED), r"no function to trace: got a jax\.Array\. Give a function"),
    "no function but a mesh, compared": (lambda: READ.comparison(MESH, X), "no function to trace: got a Mesh"),
    "no function but a mesh, compiled": (lambda: READ.program(MESH, X), "no function to trace: got a Mesh"),
    "what is compiled, compared": (lambda: READ.comparison(jax.jit(product).lower(X, X).compile(), X), "a Compiled"),
    "no names": (lambda: READ.namespace(DELETED), r"such as globals\(\); got a jax.Array"),
    "a list of keywords, compiled": (
        lambda: READ.program(product, X, X, kwargs=["b"]),
        r"kwargs must be a dict .*; got a list",
    ),
    "keywords that are no names, traced": (lambda: READ.trace(mapped, {"w": X}, kwargs={1: 2}), "got the name 1"),
    "a mesh by name, compared": (lambda: READ.comparison(product, X, X, mesh="data"), r"mesh= must be .*; got a str"),
    "bytes to keep": (lambda: READ.trace(mapped, {"w": X}, keep="all"), "keep must be a number of bytes"),
    "one device, not in a list": (lambda: READ.values(X, 3), r"values\(x, \[3\]\); got 3"),
    "a spec in place of a sharding": (lambda: sw.show(((8, 8), "float32", P("x"))), "names no devices; bind it"),
    "no exercise": (lambda: sw.Exercise(X), r"Exercise\.read_placement\(x\), .*; got a jax.Array"),
    "a flag that decides in Python, compiled": (
        lambda: READ.program(masked, X, kwargs={"causal": True}),
        r"causal is a bool\. To use such a value in Python, make it static, jax\.jit\(masked, static_argnames='causal'",
    ),
    "no arguments, compiled": (lambda: READ.program(product), CALLED.format("product")),
    "no arguments, compared": (lambda: READ.comparison(product, mesh=MESH), CALLED.format("product")),
    "an argument too few": (lambda: READ.comparison(product, X), CALLED.format("product")),
    "an argument too many, nnx": (lambda: READ.program(nnx.jit(product), X, X, X), CALLED.format("product")),
    "text, compiled": (lambda: READ.program(product, X, "text"), "as they are: b is a str|not a valid JAX type"),
    "text, compared": (lambda: READ.comparison(product, X, "text"), "passed to the function as they are: b is a str"),
    "text in a dict": (
        lambda: READ.comparison(scaled, {"w": X, "scale": "2"}, X),
        r"as they are: params\['scale'\] is a str",
    ),
    "text in a dict, traced": (lambda: READ.trace(mapped, {"w": X, "name": "gpt"}), r"p\['name'\] is a str"),
    "text in a tree of arrays": (
        lambda: READ.comparison({"w": X, "config": {"name": "gpt"}}),
        r"\['config'\]\['name'\] is a str",
    ),
    "a number in a tree of arrays": (lambda: READ.comparison({"w": X, "n": 3}), r"\['n'\] is a int"),
    "numpy in a tree of arrays": (lambda: READ.comparison({"w": X, "n": np.ones(3)}), r"\['n'\] is a ndarray"),
    "an exported program": (
        lambda: sw.show(jax.export.export(jax.jit(product))(X, X)),
        r"Show what it computes: show\(exported\.call, \*args\)",
    ),
    "a dict as an array": (lambda: READ.placement({"w": X}), "ModelView and read.model take pytrees of arrays"),
    "a list as an array": (lambda: READ.placement([X, X]), "ModelView and read.model take pytrees of arrays"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_and_the_way_out_said(name):
    call, words = MISTAKES[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert re.search(words, said), said


@pytest.mark.parametrize("read_it", [READ.comparison, sw.SpecPlayground, sw.show])
def test_a_tracer_is_refused_in_words(read_it):
    with pytest.raises(TypeError, match="got a tracer of type float32"):
        jax.jit(lambda x: read_it(x) and x)(X)


def test_what_is_whole_lies_alike_on_any_mesh_of_the_same_devices():
    line = Mesh(MESH.devices.reshape(8), ("d",))
    count = jax.device_put(np.float32(3), NamedSharding(line, P()))
    assert READ.comparison(lambda a, n: a * n, X, count).program
    assert READ.trace(mapped, {"w": Y}, engine="host").error is None
    given = READ.comparison(product, X, TURNED, mesh=MESH)
    assert [v.explicit.text for v in given.rows[0].values] == ["f32[8@x,8@y]", "f32[8@x,8]"]


def test_a_mesh_of_other_axes_than_the_shard_maps_is_simulated_where_it_cannot_run():
    trace = READ.trace(mapped, {"w": TURNED})
    np.testing.assert_array_equal(trace.outputs, 2 * np.asarray(TURNED))
    if trace.engine == "host":  # From JAX 0.10 on.
        assert "p['w'] is on the mesh x=2, y=4 (devices 0–7), and <lambda> runs a shard_map on the mesh" in trace.note
    else:
        assert not trace.note


def test_a_jitted_function_of_flax_is_read():
    model = nnx.Linear(8, 8, rngs=nnx.Rngs(0))
    assert READ.program(nnx.jit(lambda m, x: m(x)), model, X).name


def test_exceptions_of_the_function_itself_get_no_note():
    def wrong(a):
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine") as caught:
        READ.comparison(wrong, X)
    assert not getattr(caught.value, "__notes__", ())
