"""The programs of the shard_map tutorial, of the shardings course and of JAX's shard_map notebook, in today's JAX.

Each is a function of a way to make meshes, and gives a function and its arguments; so it runs on devices and without.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

PROGRAMS = {}


def concrete(sizes, names):
    return jax.make_mesh(sizes, names, axis_types=(AxisType.Auto,) * len(sizes))


def abstract(sizes, names):
    return jax.sharding.AbstractMesh(sizes, names, axis_types=(AxisType.Auto,) * len(sizes))


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def counted(*shape, dtype="float32"):
    return jnp.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


@program
def matmul_basic(mesh):
    @jax.shard_map(mesh=mesh((4, 2), ("row", "col")), in_specs=(P("row", "col"), P("col", None)), out_specs=P("row"))
    def f(a, b):
        partial_sum = jnp.dot(a, b)
        return lax.psum(partial_sum, "col")

    return f, (counted(8, 16), counted(16, 4))


@program
def rows_summed(mesh):
    @jax.shard_map(mesh=mesh((4,), ("data",)), in_specs=P("data", None), out_specs=P("data"))
    def f(block):
        return jnp.sum(block, axis=1)

    return f, (counted(8, 5),)


@program
def copied_along_an_axis(mesh):
    @jax.shard_map(mesh=mesh((4, 2), ("row", "col")), in_specs=P("row", None), out_specs=P("row", "col"))
    def f(block):
        return block

    return f, (counted(12, 10),)


def constant(name, spec):
    def make(mesh):
        @jax.shard_map(mesh=mesh((4, 2), ("row", "col")), in_specs=(), out_specs=spec)
        def f():
            return jnp.array([[2.0]])

        return f, ()

    make.__name__ = name
    return program(make)


constant("constant_tiled", P("row", "col"))
constant("constant_untiled_along_col", P("row", None))
constant("constant_untiled", P(None, None))


@program
def vma_leaves_by_psum(mesh):
    @jax.shard_map(mesh=mesh((2,), ("batch",)), in_specs=P("batch"), out_specs=P())
    def f(x):
        return lax.psum(x, "batch")

    return f, (counted(6),)


@program
def explicit_pvary(mesh):
    @jax.shard_map(mesh=mesh((2,), ("batch",)), in_specs=P(), out_specs=P("batch"))
    def f(x):
        return lax.pcast(x, "batch", to="varying")

    return f, (counted(3),)


@program
def scan_of_a_swap(mesh):
    @jax.shard_map(mesh=mesh((2,), ("batch",)), in_specs=(P("batch"), P()), out_specs=P("batch"))
    def f(x, y):
        y = lax.pcast(y, "batch", to="varying")

        def body(carry, _):
            c1, c2 = carry
            return (c2, c1), ()

        (x, y), _ = lax.scan(body, (x, y), (), length=3)
        return x, y

    return f, (counted(6), counted(3) + 10)


@program
def psum_in_one_dimension(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P(None))
    def f(x):
        return lax.psum(x, "d")

    return f, (counted(4, 2),)


@program
def psum_over_two_axes(mesh):
    @jax.shard_map(mesh=mesh((2, 2), ("i", "j")), in_specs=P("i", "j"), out_specs=P(None, None))
    def f(x):
        return lax.psum(x, ("i", "j"))

    return f, (counted(4, 4),)


@program
def all_gather_tiled(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P("d"))
    def f(x):
        return lax.all_gather(x, "d", tiled=True)

    return f, (counted(4),)


@program
def all_gather_unchecked(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P(), check_vma=False)
    def f(x):
        return lax.all_gather(x, "d", tiled=True)

    return f, (counted(4),)


@program
def all_gather_stacked(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P(), check_vma=False)
    def f(x):
        return lax.all_gather(x, "d", tiled=False)

    return f, (counted(4),)


@program
def psum_scatter_tiled(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P("d"))
    def f(x):
        return lax.psum_scatter(x, "d", scatter_dimension=1, tiled=True)

    return f, (counted(4, 4),)


@program
def psum_as_scatter_and_gather(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P(), check_vma=False)
    def f(x):
        piece = lax.psum_scatter(x, "d", scatter_dimension=1, tiled=False)
        return lax.all_gather(piece, "d", tiled=True)

    return f, (counted(4, 4),)


@program
def ppermute_cyclic(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P("d"))
    def f(x):
        return lax.ppermute(x, "d", perm=[(i, (i + 1) % 4) for i in range(4)])

    return f, (counted(4),)


@program
def ppermute_without_a_source(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P("d"))
    def f(x):
        return lax.ppermute(x, "d", perm=[(0, 1), (1, 2)])

    return f, (counted(4) + 1,)


@program
def psum_scatter_as_a_ring(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P("d"))
    def f(x):
        blocks = x.reshape(4, -1)
        me = lax.axis_index("d")
        down = functools.partial(lax.ppermute, axis_name="d", perm=[(i, (i - 1) % 4) for i in range(4)])
        held = blocks[(me + 1) % 4]
        for k in range(1, 4):
            held = down(held) + blocks[(me + 1 + k) % 4]
        return held

    return f, (counted(16),)


@program
def all_to_all_tiled(mesh):
    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=P("d"), out_specs=P("d"))
    def f(x):
        return lax.all_to_all(x, "d", split_axis=0, concat_axis=0, tiled=True)

    return f, (counted(16),)


@program
def course_addition(mesh):
    @jax.shard_map(mesh=mesh((4, 2), ("dp", "mp")), in_specs=(P("dp", "mp"), P("dp", "mp")), out_specs=P("dp", "mp"))
    def f(x, y):
        return x + y

    return f, (counted(8, 6), jnp.full((8, 6), 2.0))


@program
def course_psum(mesh):
    @jax.shard_map(mesh=mesh((4, 2), ("dp", "mp")), in_specs=P("dp", None), out_specs=P(None, None))
    def f(local):
        return lax.psum(local, axis_name="dp")

    return f, (counted(8, 4),)


# ── JAX's notebook ────────────────────────────────────────────────────────────────────────────────────────────────────


@program
def matmul_of_gathered_blocks(mesh):
    @jax.shard_map(mesh=mesh((4,), ("i",)), in_specs=(P("i", None), P("i", None)), out_specs=P("i", None))
    def f(lhs, rhs):
        rhs = lax.all_gather(rhs, "i", tiled=True)
        return lhs @ rhs

    return f, (counted(8, 8), counted(8, 4) % 5)


@program
def matmul_overlapped_with_a_ring(mesh):
    @jax.shard_map(mesh=mesh((4,), ("i",)), in_specs=(P("i", None), P("i", None)), out_specs=P("i", None))
    def f(lhs, rhs):
        me = lax.axis_index("i")
        ring = [(k, (k - 1) % 4) for k in range(4)]
        step = rhs.shape[0]

        def part(i):
            return lax.dynamic_slice_in_dim(lhs, ((me + i) % 4) * step, step, axis=1)

        def body(i, state):
            out, rhs = state
            rhs = lax.ppermute(rhs, "i", ring)
            return out + part(i) @ rhs, rhs

        out, _ = lax.fori_loop(1, 4, body, (part(0) @ rhs, rhs))
        return out

    return f, (counted(8, 8), counted(8, 4) % 5)


@program
def matmul_scattered(mesh):
    @jax.shard_map(mesh=mesh((4,), ("i",)), in_specs=(P(None, "i"), P("i", None)), out_specs=P("i", None))
    def f(lhs, rhs):
        out = lhs @ rhs
        return lax.psum_scatter(out, "i", tiled=True)

    return f, (counted(8, 8), counted(8, 4) % 5)


def layers(count=2, width=8):
    rng = np.random.default_rng(0)
    return [(jnp.asarray(rng.normal(size=(width, width)), "float32"), jnp.zeros(width)) for _ in range(count)]


@program
def loss_with_gathered_weights(mesh):
    """Fully sharded data parallelism: weights are gathered where they are used, and again in the backward pass."""
    batch = P("d")

    @functools.partial(jax.remat, policy=lambda op, *_, **__: str(op) != "all_gather")
    def layer(weights, x):
        w, b = jax.tree.map(lambda p: lax.all_gather(p, "d", tiled=True), weights)
        return jax.nn.relu(x @ w + b)

    @jax.shard_map(mesh=mesh((4,), ("d",)), in_specs=(batch, batch, batch), out_specs=P())
    def loss(params, x, y):
        for weights in params:
            x = layer(weights, x)
        return lax.pmean(jnp.mean((x - y) ** 2), "d")

    rng = np.random.default_rng(1)
    x, y = (jnp.asarray(rng.normal(size=(8, 8)), "float32") for _ in range(2))
    return jax.grad(loss), (layers(), x, y)


@program
def tensor_parallel_loss(mesh):
    @jax.shard_map(mesh=mesh((4,), ("f",)), in_specs=(P("f"), P(None, "f")), out_specs=P(None, "f"))
    def predict(params, x):
        for w, b in params:
            x = lax.psum_scatter(x @ w, "f", scatter_dimension=1, tiled=True) + b
            x = jax.nn.relu(x)
        return x

    def loss(params, x, y):
        return jnp.mean(jnp.sum((predict(params, x) - y) ** 2, axis=-1))

    rng = np.random.default_rng(1)
    x, y = (jnp.asarray(rng.normal(size=(4, 8)), "float32") for _ in range(2))
    return jax.jit(jax.value_and_grad(loss)), (layers(), x, y)


@program
def pipeline_of_stages(mesh):
    stages, width = 4, 3

    @jax.shard_map(mesh=mesh((stages,), ("stage",)), in_specs=(P("stage"), P("stage")), out_specs=P("stage"))
    def f(weights, inputs):
        stage = lax.axis_index("stage")
        state = jnp.zeros((2, width)) + inputs[0] * 0
        outputs = inputs * 0

        def body(carry, i):
            inputs, state, outputs = carry
            state = jnp.where(stage == 0, inputs[i % inputs.shape[0]], state)
            state = jnp.tanh(state @ weights[0])
            outputs = jnp.where(stage == stages - 1, outputs.at[i % outputs.shape[0]].set(state), outputs)
            state = lax.ppermute(state, "stage", [(k, (k + 1) % stages) for k in range(stages)])
            inputs = lax.ppermute(inputs, "stage", [(k, (k - 1) % stages) for k in range(stages)])
            return (inputs, state, outputs), None

        (_, _, outputs), _ = lax.scan(body, (inputs, state, outputs), jnp.arange(6))
        return outputs

    rng = np.random.default_rng(2)
    return f, (
        jnp.asarray(rng.normal(size=(stages, width, width)), "float32"),
        jnp.asarray(rng.normal(size=(stages, 2, width)), "float32"),
    )
