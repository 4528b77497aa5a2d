"""Training steps to search for, of the kinds that people write, as shapes alone: for tests, and for the bench."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tests import searches
from tests.searches import Step


def of(*shape: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    """An array of a shape, without data."""
    return jax.ShapeDtypeStruct(shape, dtype)


def trained(loss: Callable[..., Any], params: Any, *batch: Any) -> Step:
    """The step of a loss with Adam, and its arguments."""
    import optax

    optimizer = optax.adam(1e-3)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def train_step(params: Any, state: Any, *batch: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, *batch)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return train_step, (params, jax.eval_shape(optimizer.init, params), *batch)


def _norm(x: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-6)


def _attention(x: Any, w: Any, over: Any = None, *, causal: bool = True) -> Any:
    over = x if over is None else over
    q = jnp.einsum("btd,dhk->bthk", _norm(x), w["q"])
    k, v = (jnp.einsum("btd,dhk->bthk", _norm(over), w[n]) for n in "kv")
    scores = jnp.einsum("bthk,bshk->bhts", q, k) / q.shape[-1] ** 0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bhts,bshk,hkd->btd", jax.nn.softmax(scores), v, w["o"])


def _heads(width: int, heads: int) -> dict[str, jax.ShapeDtypeStruct]:
    size = width // heads
    return {n: of(width, heads, size) for n in "qkv"} | {"o": of(heads, size, width)}


def _block(width: int, hidden: int, heads: int) -> dict[str, jax.ShapeDtypeStruct]:
    return _heads(width, heads) | {"up": of(width, hidden), "down": of(hidden, width)}


def _blocks(x: Any, blocks: Any) -> Any:
    for w in blocks:
        x = x + _attention(x, w)
        x = x + jax.nn.gelu(_norm(x) @ w["up"]) @ w["down"]
    return x


def _words_loss(logits: Any, tokens: Any) -> Any:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), tokens[:, 1:, None], -1)
    return -jnp.mean(chosen)


def mlp(scale: int = 1) -> Step:
    """A multilayer perceptron with Adam."""

    def loss(params: Any, x: Any, y: Any) -> Any:
        for w in params[:-1]:
            x = jnp.tanh(x @ w)
        return jnp.mean((x @ params[-1] - y) ** 2)

    widths = (64 * scale, 256 * scale, 256 * scale, 64 * scale)
    params = [of(m, n) for m, n in itertools.pairwise(widths)]
    return trained(loss, params, of(64 * scale, widths[0]), of(64 * scale, widths[-1]))


def gpt_scanned(scale: int = 1) -> Step:
    """A transformer whose layers are a scan, with ``jax.checkpoint``."""
    return searches.gpt(4, 64 * scale, 256 * scale, 16, 512 * scale, 64, 32 * scale, dtype=jnp.bfloat16)


def gpt_unrolled(scale: int = 1) -> Step:
    """A transformer whose layers are a Python loop."""
    width = 64 * scale

    def loss(params: Any, tokens: Any) -> Any:
        x = _blocks(params["embed"][tokens], params["blocks"])
        return _words_loss(x @ params["embed"].T, tokens)

    params = {"embed": of(512 * scale, width), "blocks": [_block(width, 4 * width, 16) for _ in range(3)]}
    return trained(loss, params, of(64, 32 * scale, dtype=jnp.int32))


def nnx(scale: int = 1) -> Step:
    """Blocks of flax nnx, unrolled, with the optimizer of nnx."""
    import optax
    from flax import nnx

    width = 64 * scale

    class Block(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.norm = nnx.LayerNorm(width, rngs=rngs)
            self.attention = nnx.MultiHeadAttention(num_heads=16, in_features=width, decode=False, rngs=rngs)
            self.up, self.down = nnx.Linear(width, 4 * width, rngs=rngs), nnx.Linear(4 * width, width, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            x = x + self.attention(self.norm(x))
            return x + self.down(jax.nn.gelu(self.up(x)))

    class Model(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.embed = nnx.Embed(512 * scale, width, rngs=rngs)
            self.out = nnx.Linear(width, 512 * scale, rngs=rngs)
            self.blocks = nnx.List([Block(rngs) for _ in range(2)])

        def __call__(self, x: Any) -> Any:
            x = self.embed(x)
            for block in self.blocks:
                x = block(x)
            return self.out(x)

    def made() -> Any:
        model = Model(nnx.Rngs(0))
        return model, nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)

    model, optimizer = nnx.eval_shape(made)

    @nnx.jit
    def train_step(model: Any, optimizer: Any, tokens: Any) -> Any:
        def loss(model: Any) -> Any:
            return _words_loss(model(tokens), tokens)

        value, grads = nnx.value_and_grad(loss)(model)
        optimizer.update(model, grads)
        return value

    return train_step, (model, optimizer, of(64, 32 * scale, dtype=jnp.int32))


def linen(scale: int = 1) -> Step:
    """Blocks of flax linen, with logical axes on parameters and activations, and its ``TrainState``."""
    import optax
    from flax import linen as nn
    from flax.training.train_state import TrainState

    width = 64 * scale

    class Model(nn.Module):
        @nn.compact
        def __call__(self, tokens: Any) -> Any:
            def dense(n: int, *names: str) -> Any:
                return nn.Dense(n, kernel_init=nn.with_logical_partitioning(nn.initializers.lecun_normal(), names))

            x = nn.Embed(512 * scale, width)(tokens)
            for _ in range(2):
                x = x + nn.MultiHeadDotProductAttention(num_heads=16)(nn.LayerNorm()(x))
                x = nn.with_logical_constraint(x, ("batch", "length", "embed"))
                h = nn.gelu(dense(4 * width, "embed", "mlp")(x))
                x = x + dense(width, "mlp", "embed")(h)
            return dense(512 * scale, "embed", "vocab")(x)

    model = Model()
    tokens = of(64, 32 * scale, dtype=jnp.int32)

    def made(tokens: Any) -> Any:
        params = nn.unbox(model.init(jax.random.key(0), tokens))["params"]
        return TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))

    @functools.partial(jax.jit, donate_argnums=0)
    def train_step(state: Any, tokens: Any) -> Any:
        def loss(params: Any) -> Any:
            return _words_loss(state.apply_fn({"params": params}, tokens), tokens)

        value, grads = jax.value_and_grad(loss)(state.params)
        return state.apply_gradients(grads=grads), value

    return train_step, (jax.eval_shape(made, tokens), tokens)


def equinox(scale: int = 1) -> Step:
    """An MLP of equinox, whose batch is a ``vmap``, jitted on its arrays."""
    import equinox as eqx
    import optax

    width = 64 * scale
    made = eqx.filter_eval_shape(lambda: eqx.nn.MLP(width, width, 4 * width, 3, key=jax.random.key(0)))
    params, static = eqx.partition(made, lambda x: hasattr(x, "dtype"))
    optimizer = optax.adam(1e-3)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def train_step(params: Any, state: Any, x: Any, y: Any) -> Any:
        def loss(params: Any) -> Any:
            model = eqx.combine(params, static)
            return jnp.mean((jax.vmap(model)(x) - y) ** 2)

        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state)
        return eqx.apply_updates(params, updates), state, value

    batch = of(64 * scale, width)
    return train_step, (params, jax.eval_shape(optimizer.init, params), batch, batch)


def equinox_attention(scale: int = 1) -> Step:
    """Attention of equinox, whose dropout has a number and a boolean that ``filter_jit`` does not trace."""
    import equinox as eqx
    import optax

    width = 64 * scale

    class Model(eqx.Module):
        embed: Any
        attention: Any
        mlp: Any

        def __init__(self, key: Any) -> None:
            self.embed = eqx.nn.Embedding(512 * scale, width, key=key)
            self.attention = eqx.nn.MultiheadAttention(16, width, key=key)
            self.mlp = eqx.nn.MLP(width, width, 4 * width, 1, key=key)

        def __call__(self, tokens: Any) -> Any:
            x = jax.vmap(self.embed)(tokens)
            x = x + self.attention(x, x, x)
            return (x + jax.vmap(self.mlp)(x)) @ self.embed.weight.T

    model = eqx.filter_eval_shape(Model, jax.random.key(0))
    optimizer = optax.adam(1e-3)

    @eqx.filter_jit(donate="all")
    def train_step(model: Any, state: Any, tokens: Any) -> Any:
        def loss(model: Any) -> Any:
            return _words_loss(jax.vmap(model)(tokens), tokens)

        value, grads = eqx.filter_value_and_grad(loss)(model)
        updates, state = optimizer.update(grads, state)
        return eqx.apply_updates(model, updates), state, value

    state = jax.eval_shape(optimizer.init, eqx.filter(model, lambda x: hasattr(x, "dtype")))
    return train_step, (model, state, of(64, 32 * scale, dtype=jnp.int32))


def accumulated(scale: int = 1) -> Step:
    """Gradients of 4 microbatches, which a scan takes one after another, summed."""

    def grads_of(params: Any, x: Any) -> Any:
        return jax.grad(lambda w: jnp.mean((x + jax.nn.gelu(x @ w["up"]) @ w["down"]) ** 2))(params)

    @functools.partial(jax.jit, donate_argnums=0)
    def train_step(params: Any, x: Any) -> Any:
        def one(sums: Any, part: Any) -> Any:
            return jax.tree.map(jnp.add, sums, grads_of(params, part)), jnp.mean(part, -1)

        parts = x.reshape(4, -1, x.shape[-1])
        grads, means = jax.lax.scan(one, jax.tree.map(jnp.zeros_like, params), parts)
        return jax.tree.map(lambda w, g: w - 0.1 * g, params, grads), means.reshape(-1)

    width = 64 * scale
    return train_step, ({"up": of(width, 4 * width), "down": of(4 * width, width)}, of(256 * scale, width))


def moe(scale: int = 1) -> Step:
    """Scanned blocks with 8 experts, the best 2 of each token, dispatched by products."""
    width, experts = 64 * scale, 8

    def layer(x: Any, w: Any) -> Any:
        x = x + _attention(x, w)
        gates = jax.nn.softmax(_norm(x) @ w["router"])
        best, index = jax.lax.top_k(gates, 2)
        chosen = jax.nn.one_hot(index, experts, dtype=x.dtype)
        slots = max(1, x.shape[1] // experts * 2)
        place = jnp.cumsum(chosen.sum(2), 1)[:, :, None] * chosen - 1
        at = jax.nn.one_hot(place.sum(-1).astype(int), slots, dtype=x.dtype)
        dispatch = jnp.einsum("bske,bskc->bsec", chosen, at)
        combine = jnp.einsum("bsk,bske,bskc->bsec", best, chosen, at)
        given = jnp.einsum("bsec,bsd->ebcd", dispatch, x)
        h = jax.nn.gelu(jnp.einsum("ebcd,edf->ebcf", given, w["w1"]))
        return x + jnp.einsum("bsec,ebcd->bsd", combine, jnp.einsum("ebcf,efd->ebcd", h, w["w2"])), None

    def loss(params: Any, tokens: Any) -> Any:
        x, _ = jax.lax.scan(jax.checkpoint(layer), params["embed"][tokens], params["layers"])
        return _words_loss(x @ params["out"], tokens)

    inner = _heads(width, 16) | {
        "router": of(width, experts),
        "w1": of(experts, width, 2 * width),
        "w2": of(experts, 2 * width, width),
    }
    layers = {name: of(2, *a.shape) for name, a in inner.items()}
    params = {"embed": of(512 * scale, width), "out": of(width, 512 * scale), "layers": layers}
    return trained(loss, params, of(64, 32 * scale, dtype=jnp.int32))


def encoder_decoder(scale: int = 1) -> Step:
    """An encoder, and a decoder that attends to it: two sequences of one batch."""
    width = 64 * scale

    def loss(params: Any, source: Any, target: Any) -> Any:
        x = params["embed"][source]
        for w in params["encoder"]:
            x = x + _attention(x, w, causal=False)
            x = x + jax.nn.gelu(_norm(x) @ w["up"]) @ w["down"]
        y = params["embed"][target]
        for w in params["decoder"]:
            y = y + _attention(y, w)
            y = y + _attention(y, w["cross"], x, causal=False)
            y = y + jax.nn.gelu(_norm(y) @ w["up"]) @ w["down"]
        return _words_loss(y @ params["out"], target)

    block = _block(width, 4 * width, 16)
    params = {
        "embed": of(512 * scale, width),
        "out": of(width, 512 * scale),
        "encoder": [block, block],
        "decoder": [block | {"cross": _heads(width, 16)}] * 2,
    }
    return trained(loss, params, of(64, 32 * scale, dtype=jnp.int32), of(64, 16 * scale, dtype=jnp.int32))


def conv(scale: int = 1) -> Step:
    """A small convolutional network over images."""

    def loss(params: Any, images: Any, labels: Any) -> Any:
        x = images
        for w in params["convs"]:
            x = jax.nn.relu(
                jax.lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            )
        logits = x.mean((1, 2)) @ params["out"]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], -1))

    channels = (3, 32 * scale, 64 * scale, 128 * scale)
    params = {
        "convs": [of(3, 3, m, n) for m, n in itertools.pairwise(channels)],
        "out": of(channels[-1], 64 * scale),
    }
    return trained(loss, params, of(64, 32, 32, 3), of(64, dtype=jnp.int32))


def lora(scale: int = 1) -> Step:
    """Frozen weights, and adapters of rank 8, which alone are trained."""
    import optax

    width = 64 * scale
    optimizer = optax.adam(1e-3)

    def loss(adapters: Any, frozen: Any, tokens: Any) -> Any:
        x = frozen["embed"][tokens]
        for w, a in zip(frozen["blocks"], adapters, strict=True):
            x = x + _attention(x, w)
            h = _norm(x)
            x = x + jax.nn.gelu(h @ w["up"] + h @ a["left"] @ a["right"]) @ w["down"]
        return _words_loss(x @ frozen["embed"].T, tokens)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def train_step(adapters: Any, state: Any, frozen: Any, tokens: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(adapters, frozen, tokens)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(adapters, updates), state, value

    frozen = {"embed": of(512 * scale, width), "blocks": [_block(width, 4 * width, 16) for _ in range(2)]}
    adapters = [{"left": of(width, 8), "right": of(8, 4 * width)} for _ in range(2)]
    tokens = of(64, 32 * scale, dtype=jnp.int32)
    return train_step, (adapters, jax.eval_shape(optimizer.init, adapters), frozen, tokens)


def embeddings(scale: int = 1) -> Step:
    """A recommender: nearly all its bytes are a table of embeddings."""

    def loss(params: Any, ids: Any, clicked: Any) -> Any:
        x = params["table"][ids].reshape(ids.shape[0], -1)
        x = jax.nn.relu(x @ params["up"])
        return jnp.mean((x @ params["out"] - clicked) ** 2)

    params = {"table": of(65536 * scale, 32), "up": of(8 * 32, 64 * scale), "out": of(64 * scale, 16)}
    return trained(loss, params, of(256, 8, dtype=jnp.int32), of(256, 16))


def long_context(scale: int = 1) -> Step:
    """Two examples of many tokens: the batch alone cannot be split over all chips."""
    width = 64 * scale

    def loss(params: Any, tokens: Any) -> Any:
        x = _blocks(params["embed"][tokens], params["blocks"])
        return _words_loss(x @ params["out"], tokens)

    params = {
        "embed": of(512 * scale, width),
        "out": of(width, 512 * scale),
        "blocks": [_block(width, 4 * width, 8) for _ in range(2)],
    }
    return trained(loss, params, of(2, 1024 * scale, dtype=jnp.int32))


def tiny(scale: int = 1) -> Step:
    """One product, by hand: nothing to win."""

    @jax.jit
    def step(w: Any, x: Any, y: Any) -> Any:
        value, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
        return w - 0.1 * grad, value

    return step, (of(64, 64), of(64 * scale, 64), of(64 * scale, 64))


MODELS: dict[str, Callable[[int], Step]] = {
    each.__name__: each
    for each in (
        mlp, gpt_scanned, gpt_unrolled, nnx, linen, equinox, equinox_attention, accumulated, moe, encoder_decoder, conv,
        lora, embeddings, long_context, tiny,
    )
}  # fmt: skip
