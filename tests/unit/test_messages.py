"""What is said to a mistake that everybody makes once: which argument, what is legal, what to do."""

import re
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from flax import nnx
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read

READ: Any = SimpleNamespace(**{name: getattr(read, name) for name in ("comparison", "placement", "program", "trace")})
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
TWO = jax.make_mesh((2,), ("p",), axis_types=(AxisType.Auto,), devices=jax.devices()[:2])
X = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(MESH, P("x", "y")))
Y = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(TWO, P("p")))


def product(a, b):
    return a @ b


def scaled(params, x):
    return x * params["scale"] + params["w"]


mapped = jax.shard_map(lambda p: p["w"] * 2, mesh=MESH, in_specs=P("x"), out_specs=P("x"))
CALLED = r"{}\(.*\) was not given these arguments\. Give the function and then its arguments"
MISTAKES = {
    "two meshes, compiled": (
        lambda: READ.program(product, X, Y),
        "a lies on the mesh x=4, y=2; b lies on the mesh p=2",
    ),
    "two meshes, compared": (lambda: READ.comparison(product, X, Y), "b lies as .*All arguments must lie on one mesh"),
    "no arguments, compiled": (lambda: READ.program(product), CALLED.format("product")),
    "no arguments, compared": (lambda: READ.comparison(product, mesh=MESH), CALLED.format("product")),
    "an argument too few": (lambda: READ.comparison(product, X), CALLED.format("product")),
    "an argument too many, nnx": (lambda: READ.program(nnx.jit(product), X, X, X), CALLED.format("product")),
    "text, compiled": (lambda: READ.program(product, X, "text"), "as it is: b is a str|not a valid JAX type"),
    "text, compared": (lambda: READ.comparison(product, X, "text"), "passed on to the function as it is: b is a str"),
    "text in a dict": (
        lambda: READ.comparison(scaled, {"w": X, "scale": "2"}, X),
        r"as it is: params\['scale'\] is a str",
    ),
    "text in a dict, traced": (lambda: READ.trace(mapped, {"w": X, "name": "gpt"}), r"p\['name'\] is a str"),
    "text in a tree of arrays": (
        lambda: READ.comparison({"w": X, "config": {"name": "gpt"}}),
        r"\['config'\]\['name'\] is a str",
    ),
    "a number in a tree of arrays": (lambda: READ.comparison({"w": X, "n": 3}), r"\['n'\] is a int"),
    "numpy in a tree of arrays": (lambda: READ.comparison({"w": X, "n": np.ones(3)}), r"\['n'\] is a ndarray"),
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


def test_a_jitted_function_of_flax_is_read():
    model = nnx.Linear(8, 8, rngs=nnx.Rngs(0))
    assert READ.program(nnx.jit(lambda m, x: m(x)), model, X).name


def test_exceptions_of_the_function_itself_get_no_note():
    def wrong(a):
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine") as caught:
        READ.comparison(wrong, X)
    assert not getattr(caught.value, "__notes__", ())
