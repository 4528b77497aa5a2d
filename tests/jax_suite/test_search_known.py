"""``read.search`` against what is known: the scaling book's splits and LLaMA-3 70B, autoparallel's crossover."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from shardwidget import _jax, cost, read
from shardwidget.document import Candidate
from shardwidget.rates import RATES
from shardwidget.read._search.machine import Machine

pytestmark = pytest.mark.skipif(not _jax.ENTERS_FUNCTIONS, reason="Shardy of JAX 0.9 leaves called functions out")

WIDTH = 8192
W = cost.INTERCONNECTS["TPU v5p"].bandwidth
FLOPS = RATES["TPU v5p"].flops


def layers(tokens: int, hidden: int, *, trained: bool) -> tuple[Any, Any]:
    """Two residual layers of an MLP in bf16, trained or applied, and shapes of their arguments."""

    def apply(params: Any, x: Any) -> Any:
        for w in params:
            x = x + jax.nn.relu(x @ w["up"]) @ w["down"]
        return x

    @functools.partial(jax.jit, donate_argnums=0)
    def step(params: Any, x: Any) -> Any:
        grads = jax.grad(lambda p: jnp.sum(apply(p, x)))(params)
        return jax.tree.map(lambda p, g: p - g, params, grads)

    def of(*shape: int) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(shape, jnp.bfloat16)

    args = [{"up": of(WIDTH, hidden), "down": of(hidden, WIDTH)}] * 2, of(tokens, WIDTH)
    return step if trained else jax.jit(apply), args


@pytest.mark.parametrize("chips", [64, 512])
def test_the_best_split_is_the_books(chips: int) -> None:
    """No split is faster than the best within a factor of 2 of X = √(B/F · Mx/My · N) chips of FSDP (training.md).

    The formula gives FSDP Mx rings of its own and TP My. What a candidate sends is priced so.
    """
    rings = {"fsdp": 2, "tensor": 1}

    def seconds(c: Candidate) -> float:
        sizes = {axis.name: axis.size for axis in c.axes}
        return sum(s.bytes * sizes[a] / (sizes[a] - 1) / (W * rings[a]) for s in c.estimated.sent for a in s.axes)

    for hidden in (16384, 32768):
        for tokens_of_a_chip in (64, 128, 256, 512, 1024):
            tokens = tokens_of_a_chip * chips
            step, args = layers(tokens, hidden, trained=True)
            book = math.sqrt(tokens / hidden * 2 * chips)
            near = [2**k for k in range(1, 10) if book / 5 < 2**k < min(chips, 5 * book)]
            search = read.search(step, *args, mesh=f"v5p:{chips}", compiled=0, whole="data", sizes={"fsdp": near})
            times = {axis.size: seconds(c) for c in search.candidates for axis in c.axes if axis.name == "fsdp"}
            of_the_book = min(time for fsdp, time in times.items() if abs(math.log2(fsdp / book)) <= 1)
            # Two splits can take equally long.
            assert of_the_book == pytest.approx(min(times.values()))


@pytest.mark.parametrize(("tokens", "sends_less"), [(8192, "TP 32"), (16384, ""), (32768, "FSDP 32")])
def test_gathers_of_weights_and_of_activations_cross_at_the_output_features(tokens: int, sends_less: str) -> None:
    """What is moved is equal at as many tokens of a data rank as there are features (autoparallel).

    XLA passes these weights around a ring, which sends two parts of 32 more. Of 64 devices it sums what all gather.
    """
    step, args = layers(tokens, 16384, trained=False)
    search = read.search(step, *args, mesh="v5p:32", compiled=0, whole="data", most_axes=1)
    sent = {c.name: c.estimated.sends() for c in search.candidates}
    if sends_less:
        assert min(sent, key=sent.__getitem__) == sends_less
    else:
        assert sent["TP 32"] * 33 == sent["FSDP 32"] * 31


def test_llama_70b_on_8960_chips_is_bound_by_communication_under_fsdp_alone() -> None:
    """At 468 tokens a chip; with TP 4 on a ring of its own it is not (scaling book, applied-training.md)."""
    v5p, tokens, weights = cost.INTERCONNECTS["TPU v5p"], 468, 3 * WIDTH * 28672
    layout = Machine("v5p:16x20x28").layout((("fsdp", 8960),))
    over_all = layout.spans((("fsdp", 8960),))
    # A layer's forward pass: 2 FLOPs a weight and token, and its weights gathered in bf16.
    compute = 2 * weights * tokens / FLOPS
    gather = cost.estimate("all-gather", over_all, 2 * weights, v5p).seconds
    assert gather / compute == pytest.approx(FLOPS / W / 3 / tokens, rel=0.01)
    assert gather > 1.5 * compute
    # FSDP 2240 × TP 4, on two rings and one.
    split = cost.estimate("all-gather", [40, 56], 2 * weights / 4, v5p).seconds
    moved = cost.estimate("all-reduce", [4], 2 * tokens * 4 * WIDTH, v5p).seconds
    assert split < compute
    assert moved < compute
