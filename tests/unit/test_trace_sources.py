"""Lines, names and functions that equations come from."""

import linecache
from typing import Any

import jax
import jax.numpy as jnp
from IPython.core.interactiveshell import InteractiveShell
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read

MESH = jax.make_mesh((2,), ("x",), axis_types=(AxisType.Auto,))
traced: Any = read.trace


def names(trace):
    """The user's names: of values made by equations, in order."""
    typing = {"in_specs", "out_specs", "pvary", "convert_element_type"}
    return [v.name for s in trace.steps if s.primitive not in typing for v in s.outputs]


def run(text, name):
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {"jax": jax, "jnp": jnp, "mesh": MESH, "P": P}
    exec(compile(text, name, "exec"), space)
    return traced(space["f"], jnp.arange(8.0))


def test_names_are_what_lines_assign():
    trace = run(
        """
def helper(z):
    inside = jnp.cos(z)
    return inside.sum()

@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(a):
    p = jnp.sin(a)
    q, r = jnp.tan(p), jnp.exp(p)
    q += r
    if (s := jnp.sqrt(q)) is not None:
        t: jax.Array = helper(
            s)
    u = jnp.log(q) * t
    for _ in range(2):
        u = jnp.tanh(u)
    return u + 1
""",
        "<names>",
    )
    *most, last = names(trace)
    assert most == ["p", "q", "r", "q", "s", "inside", "t", "b", "u", "u", "u"]
    assert last not in most  # A letter, as JAX has it: the line returns the value and names it nothing.
    assert [s.function for s in (step.source for step in trace.steps if step.primitive in ("cos", "sin"))] == [
        "f",
        "helper",
    ]
    assert [(listing.first_line, len(listing.lines)) for listing in trace.listings] == [(6, 12), (2, 3)]


def test_nested_calls_at_one_line_are_scopes_of_their_own():
    trace = run(
        """
def layer(a):
    b = a * 2
    return b + 1

@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(a):
    for _ in range(3):
        with jax.named_scope('block'):
            a = layer(a)
    return layer(layer(a))
""",
        "<scopes>",
    )
    functions = [scope for scope in trace.scopes if scope.kind == "function"]
    assert [scope.name for scope in functions] == ["layer"] * 5


def test_lines_that_cannot_be_read():
    space = {"jax": jax, "mesh": MESH, "P": P}
    exec("f = jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=P('x'), out_specs=P('x'))", space)
    trace = traced(space["f"], jnp.arange(8.0))
    (step,) = (s for s in trace.steps if s.primitive == "mul")
    assert (step.source.file, step.source.text, trace.listings) == ("<string>", "", ())


def test_a_notebook_cell_by_its_number():
    shell = InteractiveShell.instance()
    try:
        shell.user_ns.update(jax=jax, jnp=jnp, mesh=MESH, P=P)
        for cell in ("1 + 1", "def body(a):\n    b = a * 2\n    return b", "3"):
            shell.run_cell(cell, store_history=True)
        f = jax.shard_map(shell.user_ns["body"], mesh=MESH, in_specs=P("x"), out_specs=P("x"))
        trace = traced(f, jnp.arange(8.0))
    finally:
        InteractiveShell.clear_instance()
    (step,) = (s for s in trace.steps if s.primitive == "mul")
    assert (step.source.file, step.source.line, step.source.text) == ("cell 2", 2, "b = a * 2")
    assert [listing.file for listing in trace.listings] == ["cell 2"]
