"""Training steps to search for, of few kinds: shapes alone, and with values where they run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp

from shardwidget.document import (
    Candidate,
    Chip,
    Figures,
    MeshAxis,
    Scaled,
    Search,
    SearchLeaf,
    Sent,
    Shortfall,
)
from shardwidget.read._search import said

Step = tuple[Callable[..., Any], tuple[Any, ...]]


def descent(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A step of gradient descent, jitted."""

    @functools.partial(jax.jit, donate_argnums=0)
    def step(w: Any, x: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(w, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, w, grads), value

    return step


def mlp(batch: int = 32, widths: tuple[int, ...] = (16, 64, 32, 8), rate: float = 0.1) -> Step:
    """A multilayer perceptron with plain gradient descent, jitted, and its arguments with values."""
    keys = jax.random.split(jax.random.key(0), len(widths) + 1)
    params = [
        {"w": jax.random.normal(k, (m, n)) / m**0.5, "b": jnp.zeros(n)}
        for k, m, n in zip(keys, widths[:-1], widths[1:], strict=False)
    ]

    def loss(params: Any, x: Any, y: Any) -> Any:
        for layer in params[:-1]:
            x = jnp.tanh(x @ layer["w"] + layer["b"])
        return jnp.mean((x @ params[-1]["w"] + params[-1]["b"] - y) ** 2)

    @functools.partial(jax.jit, donate_argnums=0)
    def step(params: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - rate * g, params, grads), value

    x, y = (jax.random.normal(k, (batch, n)) for k, n in zip(keys[-2:], (widths[0], widths[-1]), strict=True))
    return step, (params, x, y)


def gpt(
    layers: int = 2,
    width: int = 32,
    hidden: int = 64,
    heads: int = 4,
    words: int = 64,
    batch: int = 16,
    length: int = 16,
    *,
    adam: bool = True,
    dtype: Any = jnp.float32,
) -> Step:
    """A transformer whose layers are a scan with ``jax.checkpoint``, with Adam, and shapes of its arguments."""
    import optax

    size = width // heads

    def norm(x: Any, scale: Any) -> Any:
        return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-6) * scale

    def layer(x: Any, w: Any) -> Any:
        w = jax.tree.map(lambda a: a.astype(dtype), w)
        q, k, v = (jnp.einsum("btd,dhk->bthk", norm(x, w["norm"]), w[n]) for n in "qkv")
        scores = jnp.einsum("bthk,bshk->bhts", q, k) / size**0.5
        weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9))
        x = x + jnp.einsum("bhts,bshk,hkd->btd", weights, v, w["o"])
        return x + jax.nn.gelu(x @ w["up"]) @ w["down"], None

    def loss(params: Any, tokens: Any) -> Any:
        x = params["embed"].astype(dtype)[tokens]
        x, _ = jax.lax.scan(jax.checkpoint(layer), x, params["layers"])
        logits = (x @ params["out"].astype(dtype)).astype(jnp.float32)[:, :-1]
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], -1)
        return -jnp.mean(chosen)

    def of(*shape: int) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    qkv = {name: of(layers, width, heads, size) for name in "qkv"}
    mlp = {"o": of(layers, heads, size, width), "up": of(layers, width, hidden), "down": of(layers, hidden, width)}
    params = {
        "embed": of(words, width),
        "out": of(width, words),
        "layers": qkv | mlp | {"norm": of(layers, width)},
    }
    optimizer = optax.adam(1e-3) if adam else optax.sgd(1e-2)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def train_step(params: Any, state: Any, tokens: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, tokens)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    tokens = jax.ShapeDtypeStruct((batch, length), jnp.int32)
    return train_step, (params, jax.eval_shape(optimizer.init, params), tokens)


def nnx_gpt() -> Step:
    """Three blocks of flax nnx, unrolled, with Adam, and their arguments with values."""
    import optax
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.norm = nnx.LayerNorm(16, rngs=rngs)
            self.attention = nnx.MultiHeadAttention(num_heads=4, in_features=16, decode=False, rngs=rngs)
            self.up, self.down = nnx.Linear(16, 64, rngs=rngs), nnx.Linear(64, 16, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            x = x + self.attention(self.norm(x))
            return x + self.down(jax.nn.gelu(self.up(x)))

    class Model(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.embed, self.out = nnx.Embed(64, 16, rngs=rngs), nnx.Linear(16, 64, rngs=rngs)
            self.blocks = nnx.List([Block(rngs) for _ in range(3)])

        def __call__(self, x: Any) -> Any:
            x = self.embed(x)
            for block in self.blocks:
                x = block(x)
            return self.out(x)

    model = Model(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)

    @nnx.jit
    def train_step(model: Any, optimizer: Any, tokens: Any) -> Any:
        def loss(model: Any) -> Any:
            logits = model(tokens)[:, :-1]
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

        value, grads = nnx.value_and_grad(loss)(model)
        optimizer.update(model, grads)
        return value

    return train_step, (model, optimizer, jnp.arange(16 * 8).reshape(16, 8) % 64)


def search(chip: int = 16, compiled: int = 3, now: bool = True) -> Search:
    """A search as ``read.search`` returns it, with figures that follow a rule of thumb in place of a program's.

    Args:
        chip: GiB of memory of a chip.
        compiled: how many candidates are compiled.
        now: whether one is the user's own.
    """
    plans = [(d, f, t) for d in (1, 2, 4, 8, 16) for f in (1, 2, 4, 8, 16) for t in (1, 2, 4) if d * f * t == 16]
    made = [_candidate(plan, k < compiled, chip) for k, plan in enumerate(plans)]
    code = {"import jax": 0, "": 1}
    made = [replace(c, lines=(0, 1, code.setdefault(_mesh_line(c), len(code)))) for c in made]
    made.sort(key=lambda c: (c.fits is False, c.compiled is None, c.time_s))
    leaves = (
        SearchLeaf("params['up']", (2048, 8192), "float32", True),
        SearchLeaf("params['norm']", (2048,), "float32", True),
        SearchLeaf("tokens", (64, 1024), "int32", False),
    )
    return Search(
        "train_step",
        "TPU v5e 4×4",
        16,
        tuple(made),
        ("P()", "P('fsdp', 'tensor')", "P(('data', 'fsdp'))"),
        leaves,
        now_index=next(k for k, c in enumerate(made) if c.name == "DP 4 × TP 4") if now else -1,
        chip=Chip("TPU v5e", chip * 2**30, "the maker's page"),
        planned=len(made),
        wanted=compiled,
        correlation=0.9 if compiled > 3 else None,
        notes=("Nothing is donated.",),
        code_lines=tuple(code),
    )


def _mesh_line(c: Candidate) -> str:
    return f"mesh = jax.make_mesh({tuple(a.size for a in c.axes)}, {tuple(a.name for a in c.axes)})"


SHORT = {"data": "DP", "fsdp": "FSDP", "tensor": "TP"}


def _candidate(plan: tuple[int, int, int], is_compiled: bool, chip: int) -> Candidate:
    sizes = [(n, s) for n, s in zip(("data", "fsdp", "tensor"), plan, strict=True) if s > 1]
    data, fsdp, tensor = plan

    def figures(scale: float) -> Figures:
        sent = (
            Sent(("fsdp",), "all-gather", 24, True, 10**8, 0.004 * fsdp * scale, True),
            Sent(("tensor",), "all-reduce", 48, True, 10**8, 0.03 * (tensor - 1) * scale, False),
        )
        held = int((24 / (fsdp * tensor) + 1) * scale * 2**30)
        exposed, hidden = sent[1].seconds, sent[0].seconds
        return Figures(0.08 + 0.001 * data, exposed, hidden, held // 2, held, sent)

    estimated, better = figures(1.0), figures(1.1)
    known = better if is_compiled else estimated
    return Candidate(
        " × ".join(f"{SHORT[n]} {s}" for n, s in sizes),
        "",
        tuple(MeshAxis(n, s, "Auto") for n, s in sizes),
        estimated,
        (1, 0, 2),
        (),
        compiled=better if is_compiled else None,
        fits=known.bytes_per_device <= chip * 2**30,
    )


def many(count: int = 1226) -> Search:
    """A search of so many candidates, none of them compiled."""
    found = search(compiled=0)
    of = [found.candidates[k % len(found.candidates)] for k in range(count)]
    made = []
    for k, c in enumerate(of):
        scale = 1 + k / count
        figures = replace(
            c.estimated,
            compute_s=c.estimated.compute_s * scale**3,
            bytes_per_device=int(c.estimated.bytes_per_device * scale),
        )
        made.append(replace(c, rule=f"rule {k}", estimated=figures, fits=figures.bytes_per_device <= 16 * 2**30))
    made.sort(key=lambda c: (c.fits is False, c.time_s))
    return replace(found, candidates=tuple(made), now_index=count // 3, planned=count)


def running() -> Search:
    """A search that is on its way."""
    found = search(compiled=0)
    at = next(k for k, c in enumerate(found.candidates) if c is found.now)
    return replace(found, candidates=found.candidates[: at + 1], planned=180, estimating_s=2.1)


def compiling() -> Search:
    """A search that has compiled 4 of 6, of which one failed, and compiles the next."""
    found = replace(stopped(), ended="", estimating_s=6.0)
    at = next(k for k, c in enumerate(found.candidates) if c.compiled is None and not c.failure)
    return replace(found, compiling=at)


def without_library() -> Search:
    """A search that would compile, but libtpu is not there."""
    note = 'Nothing is compiled: compiling for a TPU needs libtpu: pip install "shardwidget[tpu]".'
    return replace(search(compiled=0), notes=(note,), offers=(said.INSTALL,))


def one() -> Search:
    """A search that has only what the user has now."""
    found = search(compiled=0)
    assert found.now is not None
    return replace(found, candidates=(found.now,), now_index=0, planned=1, offers=(said.other_meshes(16),))


def stopped() -> Search:
    """A search that was stopped after 4 of 6 were compiled, one of which did not."""
    found = search(compiled=4)
    failed = replace(
        found.candidates[1], compiled=None, failure="RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm."
    )
    others = [c for k, c in enumerate(found.candidates) if k != 1]
    made = tuple(sorted([*others, failed], key=lambda c: (c.fits is False, c.compiled is None, c.time_s)))
    now = next(k for k, c in enumerate(made) if c.name == "DP 4 × TP 4")
    return replace(found, candidates=made, now_index=now, ended="interrupted", wanted=6)


def nothing_fits() -> Search:
    """A search on chips of too little memory: what is missing, what may do, and the slice on which one fits."""
    found = search(chip=1)
    words = (
        "Donating the state saves 512 MiB as estimated. 1.37 GiB beside the arguments grow with the batch: "
        "jax.checkpoint, which keeps less of them, may be enough together with that."
    )
    least = min(c.bytes_per_device for c in found.candidates)
    short = Shortfall(least - 2**30, 2**29, 1407 * 2**20, words)
    fits_on = Scaled(64, "TPU v5e 8×8", 256, "FSDP 64", 0.024, 900 * 2**20)
    return replace(found, shortfall=short, fits_on=fits_on, offers=said.offers(short, fits_on))


SEARCHES: dict[str, Callable[[], Search]] = {
    "compiled": functools.partial(search, compiled=6),
    "paper": functools.partial(search, compiled=0, now=False),
    "nothing fits": nothing_fits,
    "many": functools.partial(many, 500),
    "running": running,
    "one": one,
    "stopped": stopped,
    "compiling": compiling,
    "without library": without_library,
}
"""Searches to be drawn."""
