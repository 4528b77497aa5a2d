"""Programs as people write them: published algorithms in ``jax.shard_map`` and in global view.

Each entry gives a function and its arguments. Nothing in them is written for shardwidget. Sizes are small, so that a
test can run all of them on CPU devices.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

PROGRAMS: list["Entry"] = []


@dataclass(frozen=True)
class Entry:
    """A program of the corpus."""

    name: str
    make: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]
    """Gives the function and its arguments."""
    simulated: bool
    """Whether its regions run on the host engine too."""


def mesh_of(**axes: int) -> jax.sharding.Mesh:
    size = math.prod(axes.values())
    devices = np.array(jax.devices()[:size]).reshape(*axes.values())
    return jax.sharding.Mesh(devices, tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def numbers(*shape: int, seed: int = 0, dtype: str = "float32") -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).integers(-4, 5, shape), dtype)


def program(simulated: bool = True):
    """Adds a program to the corpus."""

    def add(make: Callable[[], Any]) -> Callable[[], Any]:
        PROGRAMS.append(Entry(make.__name__, make, simulated))
        return make

    return add


# ── Matrix products ───────────────────────────────────────────────────────────────────────────────────────────────────


@program()
def cannon():
    """Cannon's algorithm: blocks of both operands travel round the rows and columns of a square grid."""
    mesh, n = mesh_of(i=2, j=2), 2

    def skew(block, axis, other):
        def shifted(k):
            return lax.ppermute(block, axis, [(s, (s - k) % n) for s in range(n)])

        return lax.switch(lax.axis_index(other), [functools.partial(shifted, k) for k in range(n)])

    @jax.shard_map(mesh=mesh, in_specs=(P("i", "j"), P("i", "j")), out_specs=P("i", "j"), check_vma=False)
    def multiply(a, b):
        def round(_, state):
            a, b, c = state
            c = c + a @ b
            a = lax.ppermute(a, "j", [(s, (s - 1) % n) for s in range(n)])
            b = lax.ppermute(b, "i", [(s, (s - 1) % n) for s in range(n)])
            return a, b, c

        a = skew(a, "j", "i")
        b = skew(b, "i", "j")
        _, _, c = lax.fori_loop(0, n, round, (a, b, jnp.zeros((a.shape[0], b.shape[1]), a.dtype)))
        return c

    return multiply, (numbers(4, 4), numbers(4, 4, seed=1))


@program()
def summa():
    """SUMMA: every step broadcasts one block column and one block row."""
    mesh = mesh_of(row=2, col=2)

    @jax.shard_map(mesh=mesh, in_specs=(P("row", "col"), P("row", "col")), out_specs=P("row", "col"))
    def multiply(a, b):
        rows = lax.all_gather(a, "col", axis=1, tiled=True)
        columns = lax.all_gather(b, "row", axis=0, tiled=True)
        width = a.shape[1]
        total = jnp.zeros((a.shape[0], b.shape[1]), a.dtype)
        total = lax.pcast(total, ("row", "col"), to="varying")
        for k in range(2):
            panel = lax.dynamic_slice_in_dim(rows, k * width, width, axis=1)
            total = total + panel @ lax.dynamic_slice_in_dim(columns, k * width, width, axis=0)
        return total

    return multiply, (numbers(4, 4), numbers(4, 6, seed=1))


@program()
def collective_matmul_all_gather():
    """All-gather and product overlapped by hand: the scaling book's and Wang et al.'s collective matmul."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("x", None), P(None, "x")), out_specs=P(None, "x"))
    def matmul(lhs, rhs):
        size = lax.axis_size("x")
        index = lax.axis_index("x")
        rows = lhs.shape[0]
        out = lax.pcast(jnp.zeros((rows * size, rhs.shape[1]), lhs.dtype), "x", to="varying")
        for step in range(size):
            update = lhs @ rhs
            out = lax.dynamic_update_slice(out, update, (((index + step) % size) * rows, 0))
            lhs = lax.ppermute(lhs, "x", [(j, (j - 1) % size) for j in range(size)])
        return out

    return matmul, (numbers(8, 4), numbers(4, 8, seed=1))


@program()
def collective_matmul_reduce_scatter():
    """Product and reduce-scatter overlapped: the accumulator travels."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=(P(None, "x"), P("x", None)), out_specs=P("x", None))
    def matmul(lhs, rhs):
        size, index = lax.axis_size("x"), lax.axis_index("x")
        rows = lhs.shape[0] // size

        def part(k):
            return lax.dynamic_slice_in_dim(lhs, ((index + k) % size) * rows, rows) @ rhs

        acc = part(size - 1)
        for k in range(size - 2, -1, -1):
            acc = lax.ppermute(acc, "x", [(j, (j + 1) % size) for j in range(size)])
            acc = acc + part(k)
        return acc

    return matmul, (numbers(8, 8), numbers(8, 2, seed=1))


@program()
def matmul_25d():
    """A 2.5-dimensional product: copies of both operands on a third axis, each doing part of the contraction."""
    mesh = mesh_of(i=2, j=2, k=2)

    @jax.shard_map(mesh=mesh, in_specs=(P("i", "k"), P("k", "j")), out_specs=P("i", "j"))
    def multiply(a, b):
        partial = a @ b
        return lax.psum(partial, "k")

    return multiply, (numbers(4, 4), numbers(4, 4, seed=1))


# ── Attention ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@program()
def ring_attention():
    """Ring attention with an online softmax (Liu et al., 2023): keys and values travel round the ring."""
    mesh = mesh_of(seq=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("seq"), P("seq"), P("seq")), out_specs=P("seq"), check_vma=False)
    def attend(q, k, v):
        size = lax.axis_size("seq")

        def step(carry, _):
            k, v, top, total, out = carry
            scores = q @ k.T
            new_top = jnp.maximum(top, scores.max(axis=-1))
            correction = jnp.exp(top - new_top)
            weights = jnp.exp(scores - new_top[:, None])
            total = total * correction + weights.sum(axis=-1)
            out = out * correction[:, None] + weights @ v
            perm = [(j, (j + 1) % size) for j in range(size)]
            k = lax.ppermute(k, "seq", perm)
            v = lax.ppermute(v, "seq", perm)
            return (k, v, new_top, total, out), None

        rows = q.shape[0]
        start = (k, v, jnp.full(rows, -jnp.inf), jnp.zeros(rows), jnp.zeros_like(q))
        (_, _, _, total, out), _ = lax.scan(step, start, None, length=size)
        return out / total[:, None]

    return attend, tuple(numbers(8, 4, seed=s) / 4 for s in range(3))


@program()
def ulysses_attention():
    """DeepSpeed-Ulysses: all-to-all turns a split of the sequence into a split of the heads, and back."""
    mesh = mesh_of(sp=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("sp"), P("sp"), P("sp")), out_specs=P("sp"))
    def attend(q, k, v):
        q, k, v = (lax.all_to_all(t, "sp", split_axis=1, concat_axis=0, tiled=True) for t in (q, k, v))
        scores = jnp.einsum("qhd,khd->hqk", q, k)
        weights = jax.nn.softmax(scores, axis=-1)
        out = jnp.einsum("hqk,khd->qhd", weights, v)
        return lax.all_to_all(out, "sp", split_axis=0, concat_axis=1, tiled=True)

    return attend, tuple(numbers(8, 4, 2, seed=s) / 4 for s in range(3))


@program()
def tensor_parallel_attention():
    """Megatron's attention: heads split over the model axis, one psum after the output projection."""
    mesh = mesh_of(data=2, model=2)

    @jax.shard_map(
        mesh=mesh,
        in_specs=(P("data", None, None), P(None, "model", None), P("model", None, None)),
        out_specs=P("data", None, None),
    )
    def attend(x, wqkv, wo):
        qkv = jnp.einsum("bsd,dhf->bshf", x, wqkv)
        q, k, v = jnp.split(qkv, 3, axis=-1)
        scores = jnp.einsum("bqhf,bkhf->bhqk", q, k) / jnp.sqrt(q.shape[-1])
        mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
        scores = jnp.where(mask, scores, -1e9)
        attended = jnp.einsum("bhqk,bkhf->bqhf", jax.nn.softmax(scores), v)
        return lax.psum(jnp.einsum("bqhf,hfd->bqd", attended, wo), "model")

    return attend, (numbers(4, 4, 4) / 4, numbers(4, 2, 6, seed=1) / 4, numbers(2, 2, 4, seed=2) / 4)


# ── Layers, losses, training ──────────────────────────────────────────────────────────────────────────────────────────


@program()
def megatron_mlp():
    """Megatron's MLP: columns, then rows; one all-reduce."""
    mesh = mesh_of(data=2, model=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("data"), P(None, "model"), P("model", None)), out_specs=P("data"))
    def mlp(x, up, down):
        h = jax.nn.gelu(x @ up)
        return lax.psum(h @ down, "model")

    return mlp, (numbers(4, 4) / 4, numbers(4, 8, seed=1) / 4, numbers(8, 4, seed=2) / 4)


@program()
def sequence_parallel_mlp():
    """Korthikanti et al.: all-gather into the tensor-parallel part, reduce-scatter out of it."""
    mesh = mesh_of(tp=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("tp"), P(None, "tp"), P("tp", None)), out_specs=P("tp"))
    def mlp(x, up, down):
        mean = x.mean(-1, keepdims=True)
        x = (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-6)
        whole = lax.all_gather(x, "tp", tiled=True)
        h = jax.nn.relu(whole @ up)
        return lax.psum_scatter(h @ down, "tp", tiled=True)

    return mlp, (numbers(8, 4) / 4, numbers(4, 8, seed=1), numbers(8, 4, seed=2))


@program()
def fsdp_gradient():
    """Fully sharded data parallel by hand: weights are gathered to be used; their gradients are scattered."""
    mesh = mesh_of(fsdp=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("fsdp"), P("fsdp"), P("fsdp")), out_specs=P())
    def loss(w, x, y):
        whole = lax.all_gather(w, "fsdp", tiled=True)
        error = x @ whole - y
        return lax.pmean(jnp.mean(error**2), "fsdp")

    return jax.grad(loss), (numbers(4, 2) / 4, numbers(8, 4, seed=1), numbers(8, 2, seed=2))


@program()
def data_parallel_sgd():
    """Three steps of SGD in a scan; the gradient is averaged over the data axis."""
    mesh = mesh_of(batch=4)

    @jax.shard_map(mesh=mesh, in_specs=(P(), P("batch"), P("batch")), out_specs=(P(), P()))
    def train(w, x, y):
        def step(w, _):
            def loss(w):
                return lax.pmean(jnp.mean((x @ w - y) ** 2), "batch")

            value, gradient = jax.value_and_grad(loss)(w)
            return w - 0.01 * gradient, value

        return lax.scan(step, w, None, length=3)

    return train, (numbers(4) / 4, numbers(8, 4, seed=1), numbers(8, seed=2))


@program()
def adam_with_clipping():
    """Adam with the gradient clipped by its global norm, states sharded as the parameters (ZeRO)."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("x"), P("x"), P("x"), P("x")), out_specs=(P("x"), P("x"), P("x"), P()))
    def update(params, grads, mu, nu):
        norm = jnp.sqrt(lax.psum(jnp.sum(grads**2), "x"))
        grads = grads * jnp.minimum(1.0, 1.0 / norm)
        mu = 0.9 * mu + 0.1 * grads
        nu = 0.99 * nu + 0.01 * grads**2
        params = params - 1e-3 * mu / (jnp.sqrt(nu) + 1e-8)
        return params, mu, nu, norm

    return update, (numbers(8), numbers(8, seed=1), jnp.zeros(8), jnp.ones(8))


@program()
def vocabulary_parallel_cross_entropy():
    """Megatron's loss: logits split over the vocabulary, max and sum reduced, the target's logit found where it is."""
    mesh = mesh_of(model=4)

    @jax.shard_map(mesh=mesh, in_specs=(P(None, "model"), P()), out_specs=P())
    def loss(logits, labels):
        width = logits.shape[1]
        top = lax.pmax(lax.stop_gradient(logits.max(-1)), "model")
        shifted = logits - top[:, None]
        total = lax.psum(jnp.exp(shifted).sum(-1), "model")
        local = labels - lax.axis_index("model") * width
        mine = (local >= 0) & (local < width)
        picked = jnp.take_along_axis(shifted, jnp.clip(local, 0, width - 1)[:, None], axis=1)[:, 0]
        target = lax.psum(jnp.where(mine, picked, 0.0), "model")
        return jnp.mean(jnp.log(total) - target)

    return loss, (numbers(4, 8), jnp.array([0, 3, 5, 7]))


@program()
def embedding_split_by_vocabulary():
    """A lookup in a table of which every device holds some rows."""
    mesh = mesh_of(model=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("model"), P()), out_specs=P())
    def embed(table, tokens):
        rows = table.shape[0]
        local = tokens - lax.axis_index("model") * rows
        found = jnp.take(table, local % rows, axis=0)
        inside = (local >= 0) & (local < rows)
        return lax.psum(jnp.where(inside[..., None], found, 0), "model")

    return embed, (numbers(8, 4), jnp.array([[1, 5], [7, 0]]))


@program()
def batch_norm_statistics():
    mesh = mesh_of(batch=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("batch"), P(), P()), out_specs=P("batch"))
    def batch_norm(x, scale, bias):
        mean = lax.pmean(x.mean(0), "batch")
        var = lax.pmean(((x - mean) ** 2).mean(0), "batch")
        return (x - mean) / jnp.sqrt(var + 1e-5) * scale + bias

    return batch_norm, (numbers(8, 4), jnp.ones(4), jnp.zeros(4))


@program()
def mixture_of_experts():
    """Top-1 routing with a fixed capacity: all-to-all to the experts and back (Switch Transformer)."""
    mesh = mesh_of(expert=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("expert"), P(), P("expert")), out_specs=P("expert"))
    def moe(tokens, router, weights):
        experts, capacity = lax.axis_size("expert"), 2
        gates = jax.nn.softmax(tokens @ router)
        choice = gates.argmax(-1)
        one_hot = jax.nn.one_hot(choice, experts)
        position = (jnp.cumsum(one_hot, axis=0) * one_hot).sum(-1).astype(jnp.int32) - 1
        kept = position < capacity
        slots = jax.nn.one_hot(jnp.where(kept, position, capacity), capacity)
        dispatch = one_hot[:, :, None] * slots[:, None, :]
        sent = jnp.einsum("tec,td->ecd", dispatch, tokens)
        received = lax.all_to_all(sent, "expert", split_axis=0, concat_axis=0)
        out = jax.nn.relu(received @ weights[0])
        back = lax.all_to_all(out, "expert", split_axis=0, concat_axis=0)
        combine = dispatch * jnp.take_along_axis(gates, choice[:, None], axis=1)[:, :, None]
        return jnp.einsum("tec,ecd->td", combine, back)

    return moe, (numbers(8, 4) / 4, numbers(4, 4, seed=1), numbers(4, 4, 4, seed=2) / 4)


@program()
def dropout_by_device():
    """Each device folds its index into the key."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=(P(), P("x")), out_specs=P("x"))
    def dropout(key, x):
        key = jax.random.fold_in(key, lax.axis_index("x"))
        keep = jax.random.bernoulli(key, 0.5, x.shape)
        return jnp.where(keep, x / 0.5, 0)

    return dropout, (jax.random.key(0), numbers(8, 4))


@program()
def remat_and_scan_over_layers():
    """Layers in a scan with ``jax.checkpoint``, under ``jax.grad``."""
    mesh = mesh_of(data=2, model=2)

    @jax.shard_map(mesh=mesh, in_specs=(P(None, None, "model"), P("data")), out_specs=P())
    def loss(weights, x):
        @jax.checkpoint
        def layer(h, w):
            part = h @ w
            return jnp.tanh(lax.all_gather(part, "model", axis=1, tiled=True)), None

        h, _ = lax.scan(layer, lax.pcast(x, "model", to="varying"), weights)
        return lax.pmean(lax.pmean(jnp.mean(h**2), "model"), "data")

    return jax.grad(loss), (numbers(3, 4, 4) / 4, numbers(4, 4, seed=1) / 4)


# ── Pipelines ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@program()
def pipeline_gpipe():
    """JAX's documented pipeline in short: microbatches enter at stage 0, activations move one stage per tick."""
    mesh = mesh_of(stages=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("stages"), P()), out_specs=P("stages"), check_vma=False)
    def pipeline(w, inputs):
        stage, stages = lax.axis_index("stages"), lax.axis_size("stages")
        microbatches = inputs.shape[0]
        state = jnp.zeros_like(inputs[0])
        outputs = jnp.zeros_like(inputs)
        for tick in range(microbatches + stages - 1):
            state = jnp.where(stage == 0, inputs[tick % microbatches], state)
            state = jnp.tanh(state @ w[0])
            done = tick - (stages - 1)
            written = outputs.at[done % microbatches].set(state)
            outputs = jnp.where((stage == stages - 1) & (done >= 0), written, outputs)
            state = lax.ppermute(state, "stages", [(i, (i + 1) % stages) for i in range(stages)])
        return outputs

    return pipeline, (numbers(4, 3, 3) / 4, numbers(3, 2, 3, seed=1) / 4)


@program()
def pipeline_with_roll():
    """A pipeline whose buffers are rolled with ``jnp.roll`` inside the region."""
    mesh = mesh_of(stages=2)

    @jax.shard_map(mesh=mesh, in_specs=(P("stages"), P("stages")), out_specs=P("stages"))
    def pipeline(w, x):
        state = jnp.roll(x, 1, axis=0)
        for _ in range(3):
            state = jnp.tanh(state @ w[0])
            last = lax.ppermute(state[-1], "stages", [(0, 1), (1, 0)])
            state = jnp.roll(state, 1, axis=0).at[0].set(last)
        return state

    return pipeline, (numbers(2, 3, 3) / 4, numbers(4, 3, seed=1) / 4)


# ── Stencils and linear algebra ───────────────────────────────────────────────────────────────────────────────────────


def _halo(x, name):
    size = lax.axis_size(name)
    left = lax.ppermute(x[-1:], name, [(i, (i + 1) % size) for i in range(size)])
    right = lax.ppermute(x[:1], name, [(i, (i - 1) % size) for i in range(size)])
    return jnp.concatenate([left, x, right])


@program()
def heat_equation():
    """Jacobi steps of the heat equation with a halo exchange."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def heat(u):
        def step(_, u):
            padded = _halo(u, "x")
            return u + 0.25 * (padded[:-2] - 2 * u + padded[2:])

        return lax.fori_loop(0, 3, step, u)

    return heat, (numbers(8, 2),)


@program()
def game_of_life():
    """A halo exchange over both axes of a torus."""
    mesh = mesh_of(x=2, y=2)

    @jax.shard_map(mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))
    def life(board):
        padded = _halo(board, "x")
        padded = _halo(padded.T, "y").T
        around = sum(
            padded[1 + i : 1 + i + board.shape[0], 1 + j : 1 + j + board.shape[1]]
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if (i, j) != (0, 0)
        )
        return ((around == 3) | ((board == 1) & (around == 2))).astype(board.dtype)

    return life, ((numbers(8, 8, dtype="int32") > 1).astype("int32"),)


@program()
def convolution_split_in_space():
    mesh = mesh_of(height=4)

    @jax.shard_map(mesh=mesh, in_specs=(P(None, None, "height", None), P()), out_specs=P(None, None, "height", None))
    def conv(image, kernel):
        rows = jnp.moveaxis(image, 2, 0)
        padded = jnp.moveaxis(_halo(rows, "height"), 0, 2)
        return lax.conv_general_dilated(padded, kernel, (1, 1), [(0, 0), (1, 1)])

    return conv, (numbers(1, 2, 8, 4), numbers(2, 2, 3, 3, seed=1))


@program()
def conjugate_gradient():
    """Conjugate gradient in a while loop: the residual decides when to stop."""
    mesh = mesh_of(rows=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("rows"), P("rows")), out_specs=(P("rows"), P()))
    def solve(a, b):
        def dot(u, v):
            return lax.psum(u @ v, "rows")

        def going(state):
            _, _, _, rr, k = state
            return (rr > 1e-6) & (k < 8)

        def step(state):
            x, r, p, rr, k = state
            ap = a @ lax.all_gather(p, "rows", tiled=True)
            alpha = rr / dot(p, ap)
            x = x + alpha * p
            r = r - alpha * ap
            new = dot(r, r)
            return x, r, r + (new / rr) * p, new, k + 1

        x = jnp.zeros_like(b)
        x, _, _, rr, _ = lax.while_loop(going, step, (x, b, b, dot(b, b), 0))
        return x, rr

    m = numbers(8, 8) / 8
    return solve, (m @ m.T + 4 * jnp.eye(8), numbers(8, seed=1))


@program()
def power_iteration():
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("x"), P("x")), out_specs=(P("x"), P()))
    def power(a, v):
        def step(v, _):
            w = a @ lax.all_gather(v, "x", tiled=True)
            norm = jnp.sqrt(lax.psum((w**2).sum(), "x"))
            return w / norm, norm

        v, norms = lax.scan(step, v, None, length=4)
        return v, norms[-1]

    m = numbers(8, 8)
    return power, (m + m.T, jnp.ones(8))


@program()
def tall_skinny_qr():
    """TSQR: a QR of each block, then one of the stacked R."""
    mesh = mesh_of(rows=4)

    @jax.shard_map(mesh=mesh, in_specs=P("rows"), out_specs=(P("rows"), P()), check_vma=False)
    def tsqr(a):
        q, r = jnp.linalg.qr(a)
        stacked = lax.all_gather(r, "rows", tiled=True)
        q2, r = jnp.linalg.qr(stacked)
        mine = lax.dynamic_slice_in_dim(q2, lax.axis_index("rows") * a.shape[1], a.shape[1])
        return q @ mine, r

    return tsqr, (numbers(16, 2),)


@program()
def transpose_by_all_to_all():
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x", None), out_specs=P("x", None))
    def transpose(a):
        return lax.all_to_all(a, "x", split_axis=1, concat_axis=0, tiled=True).T

    return transpose, (numbers(8, 8),)


@program()
def fft_by_transposition():
    """The six-step FFT's core: local transforms, a transposition, local transforms."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x", None), out_specs=P(None, "x"))
    def fft2(a):
        rows = jnp.fft.fft(a, axis=1)
        columns = lax.all_to_all(rows, "x", split_axis=1, concat_axis=0, tiled=True)
        return jnp.fft.fft(columns, axis=0)

    return fft2, (numbers(8, 8).astype("complex64"),)


# ── Scans, sorts, searches ────────────────────────────────────────────────────────────────────────────────────────────


@program()
def prefix_sum():
    """Hillis and Steele's scan over devices: log N permutations."""
    mesh = mesh_of(x=8)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def cumulative(x):
        size, index = lax.axis_size("x"), lax.axis_index("x")
        local = jnp.cumsum(x)
        total = local[-1]
        before = jnp.zeros_like(total)
        shift = 1
        running = total
        while shift < size:
            arrived = lax.ppermute(running, "x", [(i, i + shift) for i in range(size - shift)])
            running = running + arrived
            before = jnp.where(index >= shift, before + arrived, before)
            shift *= 2
        return local + running - total

    return cumulative, (numbers(16),)


@program()
def butterfly_all_reduce():
    """Recursive doubling written out."""
    mesh = mesh_of(x=8)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def reduce(x):
        size = lax.axis_size("x")
        distance = 1
        while distance < size:
            x = x + lax.ppermute(x, "x", [(i, i ^ distance) for i in range(size)])
            distance *= 2
        return x

    return reduce, (numbers(8, 2),)


@program()
def ring_all_reduce():
    """The ring all-reduce of the shard_map tutorial: reduce-scatter, then all-gather, of ppermute alone."""
    mesh = mesh_of(i=4)

    @jax.shard_map(mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    def all_reduce(block):
        size, index = lax.axis_size("i"), lax.axis_index("i")
        perm = [(j, (j + 1) % size) for j in range(size)]
        chunks = block.reshape(size, -1)

        def at(k):
            return lax.dynamic_index_in_dim(chunks, (index + k) % size, keepdims=False)

        acc = at(-1)
        for k in range(2, size + 1):
            acc = lax.ppermute(acc, "i", perm) + at(-k)
        out = jnp.zeros_like(chunks)
        for k in range(size):
            out = lax.dynamic_update_index_in_dim(out, acc, (index - k) % size, 0)
            acc = lax.ppermute(acc, "i", perm)
        return out.reshape(block.shape)

    return all_reduce, (numbers(32),)


@program()
def odd_even_sort():
    """Odd-even transposition sort of sorted blocks."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def sort(block):
        size, index = lax.axis_size("x"), lax.axis_index("x")
        block = jnp.sort(block)
        for phase in range(size):
            pairs = [(i, i + 1) for i in range(phase % 2, size - 1, 2)]
            both = [*pairs, *((b, a) for a, b in pairs)]
            other = lax.ppermute(block, "x", both)
            merged = jnp.sort(jnp.concatenate([block, other]))
            low = (index % 2) == (phase % 2)
            paired = jnp.isin(index, jnp.array([i for pair in pairs for i in pair] or [-1]))
            half = jnp.where(low, merged[: block.size], merged[block.size :])
            block = jnp.where(paired, half, block)
        return block

    return sort, (numbers(16),)


@program()
def sample_sort_splitters():
    """The first half of a sample sort: splitters from samples, buckets by search."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def buckets(block):
        samples = lax.all_gather(jnp.sort(block)[::2], "x", tiled=True)
        splitters = jnp.sort(samples)[2::2][:3]
        where = jnp.searchsorted(splitters, block)
        return jnp.bincount(where, length=4) + jnp.digitize(block, splitters).sum()

    return buckets, (numbers(16),)


@program()
def global_top_k():
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=(P(), P()), check_vma=False)
    def top(scores):
        values, places = lax.top_k(scores, 2)
        places = places + lax.axis_index("x") * scores.size
        values = lax.all_gather(values, "x", tiled=True)
        places = lax.all_gather(places, "x", tiled=True)
        best, order = lax.top_k(values, 3)
        return best, places[order]

    return top, (jnp.asarray(np.random.default_rng(0).permutation(16), "float32"),)


@program()
def global_argmax():
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=(P(), P()))
    def argmax(x):
        place = jnp.argmax(x)
        value = x[place]
        best = lax.pmax(value, "x")
        mine = place + lax.axis_index("x") * x.size
        return best, lax.pmin(jnp.where(value == best, mine, 10**6), "x")

    return argmax, (numbers(16),)


@program()
def histogram():
    mesh = mesh_of(x=2, y=2)

    @jax.shard_map(mesh=mesh, in_specs=P(("x", "y")), out_specs=P())
    def count(x):
        return lax.psum(jnp.zeros(9, jnp.int32).at[x + 4].add(1), ("x", "y"))

    return count, (numbers(16, dtype="int32"),)


# ── Learning and simulation ───────────────────────────────────────────────────────────────────────────────────────────


@program()
def k_means():
    mesh = mesh_of(points=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("points"), P()), out_specs=P())
    def fit(points, centres):
        def step(centres, _):
            distances = ((points[:, None] - centres[None]) ** 2).sum(-1)
            nearest = jax.nn.one_hot(distances.argmin(-1), centres.shape[0])
            sums = lax.psum(nearest.T @ points, "points")
            counts = lax.psum(nearest.sum(0), "points")
            return jnp.where(counts[:, None] > 0, sums / jnp.maximum(counts[:, None], 1), centres), None

        return lax.scan(step, centres, None, length=2)[0]

    return fit, (numbers(8, 2), numbers(3, 2, seed=1))


@program()
def page_rank():
    mesh = mesh_of(nodes=4)

    @jax.shard_map(mesh=mesh, in_specs=P(None, "nodes"), out_specs=P("nodes"))
    def rank(links):
        size = links.shape[0]
        out_degree = jnp.maximum(links.sum(0), 1)
        r = jnp.full(links.shape[1], 1 / size)
        r = lax.pcast(r, "nodes", to="varying")
        for _ in range(3):
            r = 0.15 / size + 0.85 * lax.psum_scatter(links @ (r / out_degree), "nodes", tiled=True)
        return r

    return rank, ((numbers(8, 8) > 1).astype("float32"),)


@program()
def n_body_ring():
    """Forces between all pairs; the bodies travel round a ring."""
    mesh = mesh_of(ring=4)

    @jax.shard_map(mesh=mesh, in_specs=(P("ring"), P("ring")), out_specs=P("ring"))
    def forces(position, mass):
        size = lax.axis_size("ring")
        perm = [(i, (i + 1) % size) for i in range(size)]

        def step(_, state):
            other, weight, force = state
            delta = other[None] - position[:, None]
            distance = (delta**2).sum(-1) + 1e-2
            force = force + (weight[None, :, None] * delta / distance[..., None] ** 1.5).sum(1)
            return lax.ppermute(other, "ring", perm), lax.ppermute(weight, "ring", perm), force

        return lax.fori_loop(0, size, step, (position, mass, jnp.zeros_like(position)))[2]

    return forces, (numbers(8, 2) / 4, jnp.ones(8))


@program()
def monte_carlo_pi():
    mesh = mesh_of(x=2, y=2)

    @jax.shard_map(mesh=mesh, in_specs=P(("x", "y")), out_specs=P())
    def estimate(keys):
        points = jax.random.uniform(keys[0], (16, 2))
        inside = jnp.sum((points**2).sum(-1) < 1.0)
        return 4 * lax.psum(inside, ("x", "y")) / 64

    return estimate, (jax.random.split(jax.random.key(1), 4),)


@program()
def gossip_averaging():
    """Decentralised SGD's mixing step: each device averages with its neighbours on a ring."""
    mesh = mesh_of(node=8)

    @jax.shard_map(mesh=mesh, in_specs=P("node"), out_specs=P("node"))
    def mix(x):
        n = lax.axis_size("node")

        def once(x, _):
            left = lax.ppermute(x, "node", [(i, (i + 1) % n) for i in range(n)])
            right = lax.ppermute(x, "node", [(i, (i - 1) % n) for i in range(n)])
            return (left + x + right) / 3, None

        return lax.scan(once, x, None, length=2)[0]

    return mix, (numbers(8, 2),)


@program()
def evolution_strategy():
    mesh = mesh_of(pop=4)

    @jax.shard_map(mesh=mesh, in_specs=(P(), P("pop")), out_specs=P())
    def ask_tell(theta, noise):
        fitness = -jnp.sum((theta + noise) ** 2, axis=-1)
        everyone = lax.all_gather(fitness, "pop", tiled=True)
        rank = (fitness - everyone.mean()) / (everyone.std() + 1e-8)
        gradient = lax.pmean((rank[:, None] * noise).mean(0), "pop")
        return theta + 0.1 * gradient

    return ask_tell, (jnp.ones(3), numbers(8, 3, seed=1) / 4)


@program()
def lstm_split_by_hidden_units():
    mesh = mesh_of(model=2)

    @jax.shard_map(mesh=mesh, in_specs=(P(), P(None, "model"), P(None, "model")), out_specs=P(None, "model"))
    def lstm(xs, wx, wh):
        def cell(carry, x):
            h, c = carry
            whole = lax.all_gather(h, "model", tiled=True)
            gates = x @ wx + whole @ wh
            i, f, o, g = jnp.split(gates, 4)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = lax.pcast(jnp.zeros(2), "model", to="varying")
        return lax.scan(cell, (zeros, zeros), xs)[1]

    return lstm, (numbers(3, 4) / 4, numbers(4, 16, seed=1) / 4, numbers(4, 16, seed=2) / 4)


@program()
def early_exit_by_branch():
    """A branch on the device's index: only some devices do the work."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def work(x):
        first = lax.axis_index("x") == 0
        y = lax.cond(first, lambda v: v * 2, lambda v: v - 1, x)
        return y + lax.psum(y, "x")

    return work, (numbers(8),)


@program()
def vmapped_region():
    """A region under ``jax.vmap``: a batch of independent problems."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P())
    def norm(v):
        return jnp.sqrt(lax.psum((v * v).sum(), "x"))

    return jax.vmap(norm), (numbers(3, 8),)


@program()
def region_in_a_jitted_model():
    """A jitted function that calls a region between global operations."""
    mesh = mesh_of(data=2, model=2)

    @jax.shard_map(mesh=mesh, in_specs=(P("data", "model"), P("model", None)), out_specs=P("data", None))
    def linear(x, w):
        return lax.psum(x @ w, "model")

    @jax.jit
    def model(x, w1, w2):
        h = jax.nn.relu(linear(x, w1))
        h = h / jnp.linalg.norm(h, axis=-1, keepdims=True).clip(1e-3)
        return linear(h, w2).sum(-1)

    return model, (numbers(4, 4), numbers(4, 4, seed=1), numbers(4, 2, seed=2))


@program()
def hierarchical_all_reduce():
    """Reduce-scatter within a host, all-reduce between hosts, all-gather within a host."""
    mesh = mesh_of(host=2, chip=4)

    @jax.shard_map(mesh=mesh, in_specs=P(("host", "chip")), out_specs=P(("host", "chip")), check_vma=False)
    def reduce(x):
        part = lax.psum_scatter(x, "chip", tiled=True)
        part = lax.psum(part, "host")
        return lax.all_gather(part, "chip", tiled=True)

    return reduce, (numbers(32),)


@program()
def quantised_all_reduce():
    """Gradients exchanged in eight bits with one scale."""
    mesh = mesh_of(x=4)

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def reduce(g):
        scale = lax.pmax(jnp.abs(g).max(), "x") / 127
        small = jnp.round(g / scale).astype(jnp.int8)
        return lax.psum(small.astype(jnp.int32), "x") * scale

    return reduce, (numbers(8, 4),)


# ── Global view ───────────────────────────────────────────────────────────────────────────────────────────────────────


GLOBAL: list[Entry] = []


def global_view(make: Callable[[], Any]) -> Callable[[], Any]:
    """Adds a program without a region to the corpus."""
    GLOBAL.append(Entry(make.__name__, make, False))
    return make


def put(mesh: jax.sharding.Mesh, x: Any, *spec: Any) -> jax.Array:
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


@global_view
def matmul_inner_sharded():
    mesh = mesh_of(x=2, y=2)
    return lambda a, b: a @ b, (put(mesh, numbers(4, 8), "x", "y"), put(mesh, numbers(8, 4), "y", None))


@global_view
def roll():
    mesh = mesh_of(x=4)
    return lambda x: x - jnp.roll(x, 1, 0), (put(mesh, numbers(8, 2), "x"),)


@global_view
def laplacian_in_a_loop():
    mesh = mesh_of(x=4)

    def smooth(u):
        def step(_, u):
            around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
            return u + 0.1 * (around - 4 * u)

        return lax.fori_loop(0, 5, step, u)

    return smooth, (put(mesh, numbers(8, 8), "x", None),)


@global_view
def constrained_to_uneven_rows():
    """JAX issue 26946: 17 rows over eight devices come back replicated."""
    mesh = mesh_of(data=8)
    rows = NamedSharding(mesh, P("data", None))

    @jax.jit
    def f(x):
        y = x * 2
        return lax.with_sharding_constraint(y, rows)

    return f, (put(mesh, numbers(17, 4)),)


@global_view
def softmax_split_over_classes():
    mesh = mesh_of(x=4)
    return lambda x: jax.nn.softmax(x), (put(mesh, numbers(4, 8), None, "x"),)


@global_view
def outputs_that_jit_places():
    mesh = mesh_of(x=2, y=2)
    f = jax.jit(lambda a: (a + 1, a.sum(0)), out_shardings=(NamedSharding(mesh, P("y", "x")), NamedSharding(mesh, P())))
    return f, (put(mesh, numbers(4, 4), "x", "y"),)


@global_view
def two_layer_network_gradient():
    mesh = mesh_of(data=2, model=2)

    def loss(params, x):
        h = jax.nn.relu(x @ params["up"])
        return jnp.mean((h @ params["down"]) ** 2)

    params = {"up": put(mesh, numbers(4, 8), None, "model"), "down": put(mesh, numbers(8, 4), "model", None)}
    return jax.grad(loss), (params, put(mesh, numbers(4, 4), "data", None))


@global_view
def gather_of_rows():
    mesh = mesh_of(x=4)
    return lambda table, i: table[i], (put(mesh, numbers(8, 2), "x"), jnp.array([1, 6, 3]))


@global_view
def cumulative_sum():
    mesh = mesh_of(x=4)
    return lambda x: jnp.cumsum(x, 0), (put(mesh, numbers(8, 2), "x"),)


@global_view
def scatter_add():
    mesh = mesh_of(x=4)
    return lambda x, i: x.at[i].add(1.0), (put(mesh, numbers(8, 2), "x"), jnp.array([1, 6]))
