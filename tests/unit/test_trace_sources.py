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
    # A value that no line names is called by its expression.
    assert names(trace) == ["p", "q", "r", "q", "s", "inside", "t", "log(q)", "u", "u", "u", "u + 1"]
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


def pieces(trace, largest="expression"):
    """The steps of each expression or statement, by primitive."""
    found = []
    for step in trace.steps:
        if step.begins in (largest, "statement"):
            found.append((step.expression, []))
        found[-1][1].append(step.primitive)
    return found


def test_what_a_library_makes_of_an_expression_belongs_to_it():
    trace = run(
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(a):
    b = jnp.where(a > 1, a % 3, 0) + 1
    return jax.lax.psum(b, 'x') * b
""",
        "<pieces>",
    )
    found = pieces(trace)
    # The pvary that JAX inserts for a value is a step of its own: readers must see it.
    assert [text for text, _ in found[1:-1]] == [
        "a > 1", "a % 3", "where(a > 1, a % 3, 0)", "where(a > 1, a % 3, 0) + 1", "psum(b, 'x')",
        "psum(b, 'x') * b", "psum(b, 'x') * b",
    ]  # fmt: skip
    assert [primitives for _, primitives in found[-3:-1]] == [["pvary"], ["mul"]]
    assert "rem" in found[2][1]
    assert len(found[2][1]) > 3
    assert [text for text, _ in pieces(trace, "statement")][1:-1] == ["a > 1", "psum(b, 'x')"]
    by_name = {v.name for s in trace.steps for v in s.outputs}
    assert {"a > 1", "a % 3", "b", "psum(b, 'x')", "psum(b, 'x') * b"} <= by_name


def test_a_python_loop_comes_back_to_its_expressions():
    trace = run(
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(a):
    for _ in range(2):
        a = jnp.roll(a, 1) - jnp.roll(a, -1)
    return a
""",
        "<rolled>",
    )
    assert [text for text, _ in pieces(trace)][1:-1] == 2 * ["roll(a, 1)", "roll(a, -1)", "roll(a, 1) - roll(a, -1)"]
    assert len(pieces(trace, "statement")) == 4
    assert [v.name for s in trace.steps if s.primitive == "sub" for v in s.outputs] == ["a", "a"]


def test_a_name_stands_on_the_value_that_is_assigned():
    trace = run(
        """
def halo(x):
    first = x[:1]
    return jnp.concatenate([x[-1:], x, first])

@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(a):
    padded = halo(a)
    return padded[2:]
""",
        "<halo>",
    )
    made = {s.primitive: [v.name for v in s.outputs] for s in trace.steps}
    assert made["concatenate"] == ["padded"]
    assert [s.outputs[0].name for s in trace.steps if s.primitive == "slice"] == ["first", "x[-1:]", "padded[2:]"]


def test_what_a_loop_carries_has_the_names_of_its_body():
    trace = run(
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(a):
    def step(carry, _):
        k, (total, _unused) = carry
        k = k * 2
        total = total + k
        return (k, (total, k)), total
    (k, (sums, _)), each = jax.lax.scan(step, (a, (a, a)), None, length=3)
    (left, _), _ = jax.lax.scan(step, (k, (sums, sums)), None, length=2)
    return left + each[0]
""",
        "<carried>",
    )
    starts = [[v.name for v in s.outputs] for s in trace.steps if s.primitive == "scan" and s.begins and s.inputs]
    assert starts[:3] == 3 * [["k", "total", "_unused"]]
    assert starts[3] == ["k", "sums", "_unused", "each"]
    assert starts[-1][0] == "left"


def test_gradients_are_called_so():
    trace = run(
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P())
def loss(w):
    error = jnp.sin(w) - 1
    return jax.lax.psum((error ** 2).sum(), 'x')

f = jax.jit(jax.grad(loss))
""",
        "<gradient>",
    )
    names = [v.name for v in trace.steps[-1].outputs]
    assert [name for name in names if not name.startswith("tmp")] == ["d loss/d w"]
    assert [v.name for s in trace.steps if s.primitive == "sin" for v in s.outputs] == ["sin(w)"]
    # Values of the backward pass do not have the names of the forward pass.
    assert [v.name for s in trace.steps if s.region == 1 for v in s.outputs].count("error") <= 1


def test_a_gradient_in_the_body_is_called_what_it_is_assigned_to():
    trace = run(
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(w):
    g = jax.grad(lambda w: (jnp.sin(w) ** 2).sum())(w)
    return w - g
""",
        "<inner gradient>",
    )
    (last,) = [s for s in trace.steps if s.primitive == "sub"]
    assert [v.name for v in last.inputs] == ["w", "g"]
