"""``read.search``: what it finds on small steps, that its code runs, and what it says of bad input."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import _jax, load, read, tpu_mesh
from shardwidget.document import Candidate, Figures, Search
from shardwidget.read._search import compiling
from shardwidget.read._search.code import MOST_LINES, code_of, constraints_of
from shardwidget.read._search.gathers import NEAR
from shardwidget.read._search.machine import Machine
from shardwidget.read._search.plans import candidates, leaf_specs, spec_of
from shardwidget.read._search.roles import roles_of
from shardwidget.read._search.step import Step
from tests import searches
from tests.examples import examples
from tests.search_models import MODELS, trained

pytestmark = pytest.mark.skipif(not _jax.ENTERS_FUNCTIONS, reason="Shardy of JAX 0.9 leaves called functions out")


@functools.cache
def found(kind: str) -> Search:
    """A search on paper, once for all tests."""
    step, args = {"gpt": searches.gpt, "mlp": searches.mlp, "nnx": searches.nnx_gpt}[kind]()
    return read.search(step, *args, mesh="v5e:4x4", compiled=0, whole=() if kind == "mlp" else ("data", "seq"))


def named(search: Search, title: str) -> Candidate:
    return next(c for c in search.candidates if c.title == title)


def specs(search: Search, title: str) -> dict[str, str]:
    chosen = named(search, title).specs
    return {leaf.path: search.specs[k] for leaf, k in zip(search.leaves, chosen, strict=True)}


class TestNames:
    def test_of_a_scanned_gpt(self) -> None:
        groups = {(g.role, g.size) for g in found("gpt").groups}
        assert groups == {("batch", 16), ("sequence", 16), ("width", 32), ("tensor", 4), ("tensor", 64)}

    def test_optimizer_state_is_split_as_its_parameters(self) -> None:
        of = specs(found("gpt"), "FSDP 4 × TP 4")
        assert of["params['layers']['q']"] == of["state[0].mu['layers']['q']"] == "P(None, 'fsdp', 'tensor')"
        assert of["params['layers']['down']"] == of["state[0].nu['layers']['down']"] == "P(None, 'tensor', 'fsdp')"
        assert of["params['layers']['norm']"] == "P()"
        assert of["tokens"] == "P('fsdp')"

    def test_of_flax_with_adam(self) -> None:
        of = specs(found("nnx"), "FSDP 4 × TP 4")
        (up,) = {spec for path, spec in of.items() if "up" in path and "kernel" in path}
        assert up == "P('fsdp', 'tensor')"
        assert {leaf.path for leaf in found("nnx").leaves if not leaf.weight} == {"tokens"}

    def test_the_rank_of_adapters_stays_whole(self) -> None:
        """XLA would gather the gradient of d_ff for the rank that is split."""
        step, args = MODELS["lora"](1)
        of = specs(read.search(step, *args, mesh="v5e:4x4", compiled=0, sizes={"tensor": 8}), "DP 2 × TP 8")
        assert of["adapters[0]['left']"] == "P()"
        assert of["adapters[0]['right']"] == of["frozen['blocks'][0]['up']"] == "P(None, 'tensor')"

    def test_tensor_parallelism_stops_at_the_heads(self) -> None:
        sizes = [axis.size for c in found("gpt").candidates for axis in c.axes if axis.name == "tensor"]
        assert max(sizes) == 4

    def test_a_token_more_than_the_model_reads_leaves_its_sequence(self) -> None:
        """Of tokens, all but the last are read, and all but the first are what follows."""

        def loss(w: Any, tokens: Any) -> Any:
            logits = jnp.tanh(w["embed"][tokens[:, :-1]]) @ w["out"]
            return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], -1))

        w = {"embed": jax.ShapeDtypeStruct((64, 32), jnp.float32), "out": jax.ShapeDtypeStruct((32, 64), jnp.float32)}
        step = Step(searches.descent(loss), (w, jax.ShapeDtypeStruct((16, 9), jnp.int32)), None)
        roles = roles_of(step, ())
        plans = {plan.name: plan for plan in candidates(step, roles, 16, 2, {}).plans}
        split = spec_of(plans["DP 2 × SP 8"].entries(step.dims.of(step.pins[0][0]), (16, 8, 32), roles))
        assert (roles.examples, split) == (16, P("data", "seq"))
        assert leaf_specs(plans["DP 2 × SP 8"], step, roles)[-1] == P("data")

    def test_steps_of_a_loop_are_not_the_batch(self) -> None:
        """Of values by time, then by example, of which all but the last are read."""

        def loss(w: Any, xs: Any) -> Any:
            def cell(h: Any, x: Any) -> tuple[Any, Any]:
                h = jnp.tanh(x @ w["in"] + h @ w["again"])
                return h, h

            _, hs = jax.lax.scan(cell, jnp.zeros((32, 64)), xs[:-1])
            return jnp.mean((hs @ w["out"] - xs[1:]) ** 2)

        w = {name: jax.ShapeDtypeStruct(n, jnp.float32) for name, n in (("in", (16, 64)), ("again", (64, 64)))}
        w["out"] = jax.ShapeDtypeStruct((64, 16), jnp.float32)
        step = Step(searches.descent(loss), (w, jax.ShapeDtypeStruct((9, 32, 16), jnp.float32)), None)
        roles = roles_of(step, ())
        (plan,) = candidates(step, roles, 16, 1, {"data": (16,)}).plans[:1]
        assert (roles.examples, leaf_specs(plan, step, roles)[-1]) == (32, P(None, "data"))


class TestFigures:
    def test_the_same_search_gives_the_same(self) -> None:
        step, args = searches.mlp()
        assert read.search(step, *args, mesh="v5e:4x4", compiled=0) == found("mlp")

    def test_data_parallelism_reduces_each_gradient_once(self) -> None:
        dp = named(found("mlp"), "DP 16")
        weights = sum(4 * math.prod(leaf.shape) for leaf in found("mlp").leaves if leaf.weight)
        reduced = sum(s.bytes for s in dp.estimated.sent)
        assert {s.kind for s in dp.estimated.sent} == {"all-reduce"}
        # Gradients, and the loss: 2·V·(N−1)/N each.
        assert reduced == pytest.approx(2 * (weights + 4) * 15 / 16, abs=len(dp.estimated.sent))

    def test_fsdp_gathers_inside_the_loop(self) -> None:
        sent = named(found("gpt"), "FSDP 16").estimated.sent
        assert any(s.in_loop and s.times == 2 and s.kind == "all-gather" for s in sent)
        assert all(s.axes == ("fsdp",) and s.hidden for s in sent)

    def test_fsdp_gathers_weights_however_few_the_examples(self) -> None:
        """Shardy alone would move activations, which are smaller here; XLA gathers weights."""
        fsdp = named(found("mlp"), "FSDP 16")
        whole = sum(4 * math.prod(leaf.shape) for leaf in found("mlp").leaves if leaf.weight and len(leaf.shape) == 2)
        sent = _sent(fsdp.estimated)
        assert sent["all-gather", ("fsdp",)] == whole * 15 // 16
        # What all devices have a part of is summed whole.
        rest = (
            sum(4 * math.prod(leaf.shape) for leaf in found("mlp").leaves if leaf.weight and len(leaf.shape) == 1) + 4
        )
        assert sent["all-reduce", ("fsdp",)] == pytest.approx(2 * (whole + rest) * 15 / 16, abs=8)
        assert {kind for kind, _ in sent} == {"all-gather", "all-reduce"}

    def test_of_data_and_fsdp_gradients_are_scattered_and_a_part_is_summed(self) -> None:
        both = named(found("mlp"), "DP 4 × FSDP 4")
        whole = sum(4 * math.prod(leaf.shape) for leaf in found("mlp").leaves if leaf.weight and len(leaf.shape) == 2)
        sent = _sent(both.estimated)
        # Parts of the last, of 8 × 8, are one tile.
        assert sent["reduce-scatter", ("fsdp",)] == (whole - 4 * 32 * 8) * 3 // 4
        assert sent["all-reduce", ("data",)] == 2 * (whole // 4) * 3 // 4

    @pytest.mark.libtpu
    @pytest.mark.parametrize(
        "sizes",
        [{"data": 2, "fsdp": 8}, {"fsdp": 8, "tensor": 2}, {"data": 4, "tensor": 4}],
    )
    def test_a_step_with_few_examples_sends_what_was_estimated(self, sizes: dict[str, int]) -> None:
        step, args = MODELS["mlp"](8)
        (c,) = read.search(step, *args, mesh="v5e:4x4", compiled=1, sizes=sizes).candidates
        assert c.compiled is not None
        assert _sent(c.estimated) == pytest.approx(_sent(c.compiled), rel=0.01, abs=64)
        moved = [f.exposed_s + f.hidden_s for f in (c.estimated, c.compiled)]
        assert moved[0] == pytest.approx(moved[1], rel=0.01)

    @pytest.mark.libtpu
    def test_a_step_of_all_devices_sums_gradients_whole(self) -> None:
        step, args = MODELS["mlp"](8)
        (c,) = read.search(step, *args, mesh="v5e:4x4", compiled=1, sizes={"fsdp": 16}).candidates
        assert c.compiled is not None
        assert _sent(c.estimated) == pytest.approx(_sent(c.compiled), rel=0.01, abs=64)

    @pytest.mark.libtpu
    @pytest.mark.parametrize("mesh", ["v5e:8x8", "v5p:4x4x4"])
    def test_what_all_of_64_devices_gather_is_summed(self, mesh: str) -> None:
        step, args = MODELS["mlp"](8)
        (c,) = read.search(step, *args, mesh=mesh, compiled=1, sizes={"fsdp": 64}).candidates
        assert c.compiled is not None
        assert _sent(c.estimated) == pytest.approx(_sent(c.compiled), rel=0.01, abs=64)
        assert {kind for kind, _ in _sent(c.estimated)} == {"all-reduce"}

    @pytest.mark.libtpu
    def test_gradients_of_all_weights_go_both_ways_around_a_ring(self) -> None:
        """Also where the product is a small part of what is moved, and where several read the sum."""
        step, args = MODELS["equinox_attention"](8)
        sizes = {"fsdp": 32, "tensor": 2}
        c, *_ = read.search(step, *args, mesh="v5p:4x4x4", compiled=1, sizes=sizes).candidates
        assert c.compiled is not None
        sent = [
            [s for s in f.sent if s.kind == "collective-permute" and s.axes == ("fsdp",)]
            for f in (c.estimated, c.compiled)
        ]
        estimated, compiled_ = ((sum(s.bytes for s in of), sum(s.seconds for s in of)) for of in sent)
        assert estimated[0] == pytest.approx(compiled_[0], rel=0.1)
        assert estimated[1] == pytest.approx(compiled_[1], rel=0.1)

    @pytest.mark.libtpu
    def test_weights_of_the_first_layers_are_gathered_again_for_the_backward_pass(self) -> None:
        step, args = MODELS["lora"](8)
        (c,) = read.search(step, *args, mesh="v5e:4x4", compiled=1, sizes={"data": 2, "fsdp": 8}).candidates
        assert c.compiled is not None
        key = "all-gather", ("fsdp",)
        held = sum(4 * math.prod(x.shape) for x in jax.tree.leaves(args[2]))
        assert (_sent(c.compiled)[key] > 1.1 * held * 7 / 8) == (math.inf > NEAR)
        assert _sent(c.estimated)[key] == pytest.approx(_sent(c.compiled)[key], rel=0.25)

    @pytest.mark.libtpu
    def test_long_parts_of_a_sum_are_cut_from_it_as_it_is_scattered(self) -> None:
        """Gradients of keys and values, split by the sequence."""
        step, args = MODELS["long_context"](8)
        (c,) = read.search(step, *args, mesh="v5e:4x4", compiled=1, sizes={"data": 2, "seq": 8}).candidates
        assert c.compiled is not None
        key = "reduce-scatter", ("seq",)
        assert _sent(c.estimated)[key] == pytest.approx(_sent(c.compiled)[key], rel=0.01)

    @pytest.mark.libtpu
    def test_a_transformer_gathers_equal_inputs_once_and_sums_what_is_turned_whole(self) -> None:
        step, args = MODELS["gpt_scanned"](4)
        for sizes in ({"data": 4, "seq": 4}, {"data": 8, "tensor": 2}):
            for c in read.search(step, *args, mesh="v5e:4x4", compiled=2, sizes=sizes).candidates:
                assert c.compiled is not None
                moved = [f.exposed_s + f.hidden_s for f in (c.estimated, c.compiled)]
                assert moved[0] == pytest.approx(moved[1], rel=0.06)

    @pytest.mark.libtpu
    @pytest.mark.parametrize(("mesh", "sizes"), [("v5e:4x4", {"fsdp": 4}), ("v5p:2x2x4", {"data": 2})])
    def test_a_sum_of_one_example_is_not_scattered_before_jax_0_12(self, mesh: str, sizes: dict[str, int]) -> None:
        def loss(params: Any, x: Any) -> Any:
            for w in params:
                x = x + jax.nn.gelu(x @ w["up"]) @ w["down"]
            return jnp.mean(x**2)

        params = [{"up": jax.ShapeDtypeStruct((256, 1024), jnp.float32)} for _ in range(2)]
        params = [{**w, "down": jax.ShapeDtypeStruct((1024, 256), jnp.float32)} for w in params]
        (groups,) = sizes.values()
        of_one = "all-reduce" if jax.__version_info__ < (0, 12) else "reduce-scatter"
        for count, kind in ((groups, of_one), (2 * groups, "reduce-scatter")):
            step, args = trained(loss, params, jax.ShapeDtypeStruct((count, 512, 256), jnp.float32))
            search = read.search(step, *args, mesh=mesh, compiled=2, sizes={**sizes, "tensor": 16 // groups})
            (c,) = (c for c in search.candidates if c.rule)
            assert c.compiled is not None
            estimated, compiled_ = ({k: n for k, n in _sent(f).items() if n > 64} for f in (c.estimated, c.compiled))
            assert (kind, ("tensor",)) in estimated
            of = {kind: n for (kind, axes), n in compiled_.items() if axes == ("tensor",)}
            assert of == pytest.approx({kind: n for (kind, axes), n in estimated.items() if axes == ("tensor",)})

    @pytest.mark.libtpu
    @pytest.mark.parametrize(
        ("shape", "kind"),
        [
            ((64, 128), "all-reduce"),
            ((64, 256), "reduce-scatter"),
            ((80, 1024), "all-reduce"),
            ((96, 1024), "reduce-scatter"),
        ],
    )
    def test_a_matrix_is_scattered_in_parts_of_whole_tiles(self, shape: tuple[int, int], kind: str) -> None:
        """Of several tiles of 8 rows, or of nearly as many rows: of 12 rows, not of 10."""
        loss = lambda w, x: jnp.mean((x @ w) ** 2)  # noqa: E731
        args = (jax.ShapeDtypeStruct(n, jnp.float32) for n in (shape, (1024, shape[0])))
        sizes = {"data": 2, "fsdp": 8}
        (c,) = read.search(searches.descent(loss), *args, mesh="v5e:4x4", compiled=1, sizes=sizes).candidates
        assert c.compiled is not None
        for figures in (c.estimated, c.compiled):
            summed = {k for k, axes in _sent(figures) if axes == ("fsdp",)} & {"all-reduce", "reduce-scatter"}
            assert summed == {kind}

    @pytest.mark.libtpu
    @pytest.mark.parametrize(
        ("loss", "length", "moves"),
        [
            (lambda w, t: jnp.mean((w["table"][t] @ w["out"]) ** 2), 32, True),
            (lambda w, t: jnp.mean((w["table"][t] @ w["out"]) ** 2), 128, False),
            (lambda w, t: jnp.mean((w["table"][t] * w["table"][t + 1] @ w["out"]) ** 2), 128, False),
            (lambda w, t: jnp.mean(jax.nn.logsumexp(w["table"][t] @ w["table"].T, -1)), 32, True),
            (lambda w, t: jnp.mean(jax.nn.logsumexp(w["table"][t] @ w["table"].T, -1)), 128, False),
        ],
        ids=["few", "many", "two of many", "few, of the last layer", "many, of the last layer"],
    )
    def test_rows_of_a_table_move_where_they_are_less(
        self, loss: Callable[..., jax.Array], length: int, moves: bool
    ) -> None:
        """Else the table is gathered once, the zeros that its gradient is added to are not, and the sum is whole.

        Where the gradient is added to a product's, that is gathered; those of two lookups have one sum.
        """
        w = {name: jax.ShapeDtypeStruct(n, jnp.float32) for name, n in (("table", (512, 256)), ("out", (256, 256)))}
        args = w, jax.ShapeDtypeStruct((64, length), jnp.int32)
        (c,) = read.search(
            searches.descent(loss), *args, mesh="v5e:4x4", compiled=1, sizes={"data": 2, "fsdp": 8}
        ).candidates
        assert c.compiled is not None
        assert _sent(c.estimated) == pytest.approx(_sent(c.compiled), rel=0.05)
        assert (("all-to-all", ("fsdp",)) in _sent(c.estimated)) == moves

    @pytest.mark.parametrize(
        ("mesh", "sizes", "rows", "dtype", "rings"),
        [
            ("v5e:4x4", {"fsdp": 16}, 8192, jnp.float32, False),
            ("v5e:4x4", {"fsdp": 16}, 8448, jnp.float32, True),
            ("v5e:4x4", {"fsdp": 16}, 6144, jnp.bfloat16, True),
            ("v5p:2x2x4", {"fsdp": 16}, 8192, jnp.float32, False),
            ("v5p:2x2x4", {"fsdp": 16}, 10240, jnp.float32, True),
            ("v5p:4x4x4", {"fsdp": 32, "tensor": 2}, 16384, jnp.float32, True),
            ("v5p:4x4x8", {"fsdp": 64, "tensor": 2}, 131072, jnp.float32, False),
            ("v5e:4x4", {"fsdp": 2, "tensor": 8}, 32768, jnp.float32, False),
            ("v5e:4x4", {"data": 2, "fsdp": 8}, 65536, jnp.float32, False),
        ],
    )
    def test_weights_go_around_a_ring_where_their_product_takes_long(
        self, mesh: str, sizes: dict[str, int], rows: int, dtype: Any, rings: bool
    ) -> None:
        """As compiled with libtpu 0.0.42: both the weights and their gradient do, or neither."""
        w, x = {"w": jax.ShapeDtypeStruct((512, 512), dtype)}, jax.ShapeDtypeStruct((rows, 512), dtype)
        step = searches.descent(lambda w, x: jnp.mean((x @ w["w"]) ** 2))
        (c,) = read.search(step, w, x, mesh=mesh, compiled=0, sizes=sizes).candidates
        kinds = {s.kind for s in c.estimated.sent if s.axes == ("fsdp",) and s.bytes > 2**15}
        assert (kinds == {"collective-permute"}) == rings
        assert ("collective-permute" in kinds) == rings

    def test_only_gathers_and_sums_go_around_a_ring(self) -> None:
        """Shardy exchanges what a product gave where it is added to a table in bfloat16."""
        loss = lambda w, t: jnp.mean((w["table"].astype(jnp.bfloat16)[t] @ w["out"].astype(jnp.bfloat16)) ** 2)  # noqa: E731
        w = {name: jax.ShapeDtypeStruct(n, jnp.float32) for name, n in (("table", (8192, 512)), ("out", (512, 512)))}
        args = w, jax.ShapeDtypeStruct((64, 128), jnp.int32)
        (c,) = read.search(searches.descent(loss), *args, mesh="v5e:4x4", compiled=0, sizes={"fsdp": 16}).candidates
        assert _sent(c.estimated)["all-to-all", ("fsdp",)] == 2 * 512 * 1024 * 15 // 16

    @pytest.mark.libtpu
    @pytest.mark.parametrize(
        ("kind", "sizes"),
        [
            ("embeddings", {"fsdp": 4, "tensor": 4}),
            ("mlp", {"data": 8, "tensor": 2}),
            ("gpt_unrolled", {"fsdp": 4, "seq": 4}),
            ("accumulated", {"data": 8, "tensor": 2}),
        ],
    )
    def test_memory_is_that_of_the_compiler(self, kind: str, sizes: dict[str, int]) -> None:
        """Rows of a table that tensor parallelism splits are padded, and keys and values that are gathered.

        Gradients are summed where they are.
        """
        step, args = MODELS[kind](8)
        (c,) = read.search(step, *args, mesh="v5e:4x4", compiled=1, sizes=sizes).candidates
        assert c.compiled is not None
        # The libtpu of JAX 0.12 gathers activations of layers that are written out again in more places.
        rel = 0.25 if kind == "gpt_unrolled" and jax.__version_info__ >= (0, 12) else 0.15
        assert c.estimated.bytes_per_device == pytest.approx(c.compiled.bytes_per_device, rel=rel)
        # Heads of 32 and parts of d_model are filled up to 128, unless another dimension lies last.
        assert c.estimated.arguments == pytest.approx(c.compiled.arguments, rel=0.03)

    def test_what_a_norm_gives_is_not_kept_for_each_of_its_uses(self) -> None:
        def loss(w: Any, x: Any) -> Any:
            x = jnp.tanh(x @ w["in"])
            h = x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-6)
            return jnp.mean((h @ w["a"]) * (h @ w["b"]) * (h @ w["c"]))

        of = functools.partial(jax.ShapeDtypeStruct, dtype=jnp.float32)
        args = {name: of((1024, 16)) for name in "abc"} | {"in": of((1024, 1024))}, of((2**14, 1024))
        search = read.search(jax.jit(loss), *args, mesh="v5e:4", compiled=0, batch="x", sizes={"data": 4})
        (c,) = search.candidates
        # Beside the arguments: x, and a little.
        assert c.bytes_per_device - c.estimated.arguments < 1.3 * 2**14 * 1024

    def test_a_ring_around_a_product_takes_longer_than_its_gather(self) -> None:
        """Where all devices split the weights, and each product has work for it; not on 64 chips."""
        step, args = MODELS["gpt_scanned"](8)
        for chips, rings in ((16, True), (64, False)):
            (c,) = read.search(step, *args, mesh=f"v5e:{chips}", compiled=0, sizes={"fsdp": chips}).candidates
            assert (("collective-permute", ("fsdp",)) in _sent(c.estimated)) is rings

    @pytest.mark.parametrize(
        "known",
        [
            {"exec_time_optimization_effort", "memory_fitting_effort"},
            {"optimization_level", "memory_fitting_level"},
            set(),
        ],
    )
    def test_of_options_those_that_the_compiler_has(self, known: set[str]) -> None:
        tried = []

        class Lowered:
            def compile(self, compiler_options: dict[str, Any] | None = None) -> str:
                tried.append(set(compiler_options or ()))
                if unknown := sorted(set(compiler_options or ()) - known):
                    raise jax.errors.JaxRuntimeError(f"INVALID_ARGUMENT: No such compile option: '{unknown[0]}'")
                return "compiled"

        assert compiling._at_low_effort(Lowered()) == "compiled"  # pyright: ignore[reportArgumentType]
        assert tried[-1] == known

    def test_arguments_of_fsdp_are_a_part(self) -> None:
        step, args = MODELS["mlp"](32)
        (c,) = read.search(step, *args, mesh="v5e:4x4", compiled=0, sizes={"fsdp": 16}).candidates
        whole = sum(math.prod(x.shape) * x.dtype.itemsize for x in jax.tree.leaves(args))
        assert c.estimated.arguments == pytest.approx(whole / 16, rel=0.01)

    def test_bounds_hold_the_rule(self) -> None:
        for c in found("gpt").candidates:
            assert c.estimated.least_s <= c.time_s <= c.estimated.most_s

    def test_estimated_bytes_are_those_of_the_compiler_where_it_rewrites_nothing(self) -> None:
        step, args = searches.mlp()
        mesh = Mesh(np.array(jax.devices()[:8]).reshape(8), ("data",))
        search = read.search(step, *args, mesh=mesh, compiled=1, whole=("fsdp", "tensor"))
        (dp,) = search.candidates
        assert dp.basis == "compiled"
        assert dp.compiled is not None
        assert sum(s.bytes for s in dp.compiled.sent) == pytest.approx(sum(s.bytes for s in dp.estimated.sent), abs=16)
        assert dp.compiled.arguments == dp.estimated.arguments

    def test_llama_70b_on_8192_chips(self) -> None:
        """512 tokens a chip: gathers of FSDP alone take longer than compute, with TP 4 they do not (scaling book).

        The book takes TP's axis as a ring of its own; on 16×16×32 it is a part of one, a line, at half the speed.
        """
        step, args = searches.gpt(80, 8192, 43008, 64, 128256, 8192, 512, adam=False, dtype=jnp.bfloat16)
        search = read.search(step, *args, mesh="v5p:16x16x32", compiled=0, whole=("data", "seq"))
        alone, with_tensor = (named(search, name).estimated for name in ("FSDP 8192", "FSDP 2048 × TP 4"))
        assert alone.hidden_s > 1.2 * alone.compute_s
        assert with_tensor.hidden_s < 0.6 * with_tensor.compute_s
        assert with_tensor.least_s < alone.least_s


class TestNow:
    def test_the_users_sharding_is_among_them(self) -> None:
        step, (params, *rest) = searches.mlp()
        mesh = jax.make_mesh((4, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
        of = [P(None, "y"), P("y"), P(None, "y")]
        structs = [
            {k: _on(v, mesh, spec if k == "w" else P()) for k, v in layer.items()}
            for layer, spec in zip(params, of, strict=True)
        ]
        search = read.search(step, structs, *(_on(x, mesh, P("x")) for x in rest), mesh="v5e:4x4", compiled=0)
        assert search.now is not None
        assert search.now.name == "DP 4 × TP 4"
        assert search.best is not None
        assert "faster than now" in repr(search).splitlines()[0]
        assert load(search.to_json()) == search

    def test_constraints_of_the_users_are_part_of_now_alone(self) -> None:
        mesh = AbstractMesh((4, 4), ("x", "y"), (AxisType.Auto,) * 2)

        @jax.jit
        def step(w: Any, x: Any) -> Any:
            h = jax.lax.with_sharding_constraint(x @ w, NamedSharding(mesh, P("x", "y")))
            return w - jnp.sum(h), jnp.sum(h)

        args = (_on(jnp.ones((32, 32)), mesh, P()), _on(jnp.ones((64, 32)), mesh, P("x")))
        search = read.search(step, *args, mesh="v5e:4x4", compiled=0)
        assert any('part of "now" alone' in note for note in search.notes)
        assert search.now is not None

    def test_types_on_explicit_axes_are_part_of_now(self) -> None:
        mesh = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)

        def loss(w: Any, x: Any) -> Any:
            h = jnp.tanh(jnp.einsum("bd,df->bf", x, w["up"], out_sharding=P("x", "y")))
            return jnp.mean((jax.reshard(h, P("x", None)) @ jax.reshard(w["down"], P())) ** 2)

        weights = {"up": _on(jnp.ones((64, 256)), mesh, P(None, "y")), "down": _on(jnp.ones((256, 64)), mesh, P("y"))}
        args = weights, _on(jnp.ones((32, 64)), mesh, P("x"))
        search = read.search(searches.descent(loss), *args, mesh="v5e:2x4", compiled=0)
        assert search.now is not None
        assert search.now.name == "DP 4 × TP 2"
        # The user's reshard of h and of the weight is there.
        assert {(s.kind, s.axes) for s in search.now.estimated.sent} >= {("all-gather", ("y",))}
        assert len(search.candidates) > 5
        # Without shardings, the mesh that is set says what the names are.
        plain = jax.tree.map(lambda s: jax.ShapeDtypeStruct(s.shape, s.dtype), args)
        with jax.sharding.use_abstract_mesh(mesh):
            alone = read.search(searches.descent(loss), *plain, mesh="v5e:16", compiled=0, most_axes=1)
        assert alone.now is None
        with pytest.raises(ValueError, match="mesh context") as raised:
            read.search(searches.descent(loss), *plain, mesh="v5e:16", compiled=0)
        assert "jax.set_mesh(mesh)" in "".join(raised.value.__notes__)

    def test_what_is_closed_over_is_on_every_device(self) -> None:
        held = np.ones((64, 64), np.float32)
        step = searches.descent(lambda w, x: jnp.mean((x @ held @ w) ** 2))
        args = jax.ShapeDtypeStruct((64, 64), jnp.float32), jax.ShapeDtypeStruct((32, 64), jnp.float32)
        search = read.search(step, *args, mesh="v5e:2x4", compiled=0)
        assert any("closes over (16 KiB)" in note for note in search.notes)
        assert all(c.estimated.arguments > held.nbytes for c in search.candidates)
        # The features that the first product sums away are no sequence.
        assert {g.role for g in search.groups} <= {"batch", "width", "tensor"}

    def test_new_state_needs_memory_beside_the_old_unless_it_is_donated(self) -> None:
        step, args = MODELS["mlp"](1)
        plain: Any = step
        held = [
            read.search(f, *args, mesh="v5e:2x2", compiled=0, sizes={"data": 4}).candidates[0].bytes_per_device
            for f in (step, jax.jit(plain.__wrapped__))
        ]
        weights = sum(4 * math.prod(w.shape) for w in args[0])
        # New weights take the place of gradients; both of Adam's moments are there twice.
        assert held[1] - held[0] == pytest.approx(2 * weights, rel=0.3)


class TestRoles:
    """Steps of many kinds: each has the groups that its author means."""

    @pytest.mark.parametrize("kind", MODELS)
    def test_of_steps_that_people_write(self, kind: str) -> None:
        step = Step(*MODELS[kind](2), None)
        roles = roles_of(step, ())
        batches = {"tiny": 128, "mlp": 128, "equinox": 128, "long_context": 2, "embeddings": 256, "accumulated": 512}
        of_batch = [v.aval.shape[0] for v, is_weight in zip(step.inputs, roles.weights, strict=True) if not is_weight]
        assert set(of_batch) == {batches.get(kind, 64)}
        assert bool(roles.sequence) == (kind not in {"mlp", "equinox", "conv", "embeddings", "tiny", "accumulated"})
        assert bool(roles.experts) == (kind == "moe")
        of = candidates(step, roles, 16, 2, {})
        most = max((size for plan in of.plans for axis, size in plan.sizes if axis == "tensor"), default=1)
        assert most == {"tiny": 1, "long_context": 8}.get(kind, 16)


class TestAsked:
    def test_several_chips_and_batches_are_a_table(self) -> None:
        step, args = searches.mlp()
        search = read.search(step, *args, mesh=["v5e:4", "v5e:16"], batch_sizes=[32, 64], compiled=0, most_axes=1)
        assert [(row.chips, row.batch) for row in search.scaling] == [(4, 32), (4, 64), (16, 32), (16, 64)]
        assert search.chips == 4
        assert search.scaling[0].time_s == min(c.time_s for c in search.candidates)
        assert "Best estimates" in repr(search)
        assert load(search.to_json()) == search

    def test_order_and_sizes(self) -> None:
        step, args = searches.mlp()
        by_memory = read.search(step, *args, mesh="v5e:16", compiled=0, objective="memory")
        held = [c.bytes_per_device for c in by_memory.candidates]
        assert held == sorted(held)
        by_bytes = read.search(
            step, *args, mesh="v5e:16", compiled=0, objective="bytes:tensor", sizes={"tensor": (4, 8)}
        )
        assert {a.size for c in by_bytes.candidates for a in c.axes if a.name == "tensor"} == {4, 8}
        sent = [c.figures.sends("tensor") for c in by_bytes.candidates]
        assert sent == sorted(sent)

    def test_any_candidate_is_compiled(self) -> None:
        step, args = searches.mlp()
        mesh = Mesh(np.array(jax.devices()[:4]), ("all",))
        search = read.search(step, *args, mesh=mesh, compiled=0, most_axes=1)
        program = search.program(named(search, "DP 4"))
        assert {c.axes for c in program.collectives} == {("data",)}
        with pytest.raises(ValueError, match="was loaded"):
            load(search.to_json()).program()


class TestCode:
    @examples(4)
    @given(
        st.sampled_from((8, 16)),
        st.lists(st.sampled_from((8, 16, 24)), min_size=2, max_size=4).map(tuple),
        st.randoms(use_true_random=False),
    )
    def test_runs_and_gives_the_values_of_unsharded(self, batch: int, widths: tuple[int, ...], random: Any) -> None:
        step, (params, x, y) = searches.mlp(batch, widths)
        mesh = Mesh(np.array(jax.devices()[:8]), ("all",))
        search = read.search(step, params, x, y, mesh=mesh, compiled=0)
        expected = step(jax.tree.map(jnp.copy, params), x, y)
        # Each is compiled: of many, some.
        for c in random.sample(search.candidates, min(2, len(search.candidates))):
            names = {"params": jax.tree.map(jnp.copy, params), "x": x, "y": y}
            exec(c.code, names)
            assert dict(names["mesh"].shape) == {axis.name: axis.size for axis in c.axes}
            got = step(names["params"], names["x"], names["y"])
            jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5), got, expected)

    @pytest.mark.parametrize("kind", ["nnx", "linen", "equinox_attention", "accumulated"])
    def test_runs_with_modules_of_libraries(self, kind: str) -> None:
        step, shapes = MODELS[kind](1)
        random = np.random.default_rng(0)

        def value(s: Any) -> Any:
            if not isinstance(s, jax.ShapeDtypeStruct):
                return s
            if jnp.issubdtype(s.dtype, jnp.integer):
                return jnp.asarray(random.integers(0, 8, s.shape), s.dtype)
            return jnp.asarray(0.1 * random.normal(size=s.shape), s.dtype)

        def args() -> Any:
            return jax.tree.map(lambda x: jnp.copy(x) if isinstance(x, jax.Array) else x, given)

        given = jax.tree.map(value, shapes)
        mesh = Mesh(np.array(jax.devices()[:8]), ("all",))
        search = read.search(step, *shapes, mesh=mesh, compiled=0, sizes={"fsdp": 4, "tensor": 2})
        if kind == "nnx":
            assert any("nnx.jit(f, donate_argnums=...)" in note for note in search.notes)
        (c,) = (c for c in search.candidates if not c.rule)
        names = list(dict.fromkeys(leaf.path.partition("[")[0].partition(".")[0] for leaf in search.leaves))
        held = dict(zip(names, args(), strict=True))
        exec(c.code, held)
        placed = [held[name] for name in names]
        split = [x for x in jax.tree.leaves(placed) if isinstance(x, jax.Array) and not x.sharding.is_fully_replicated]
        assert len(split) >= 3
        expected, got = jax.tree.leaves(step(*args())), jax.tree.leaves(step(*placed))
        for a, b in zip(expected, got, strict=True):
            if isinstance(a, jax.Array):
                np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4)

    def test_names_the_lines_to_constrain(self) -> None:
        code = named(found("gpt"), "FSDP 4 × TP 4").code
        assert "searches.py:" in code
        assert "P('fsdp', None, 'tensor')" in code
        # A gradient is constrained as its value is.
        assert len(re.findall(r"f32\[16,16,64\]: P\('fsdp', None, 'tensor'\)", code)) == 2
        assert "f32[16,4,16,8]" not in code

    def test_lines_that_are_cut_or_left_out_say_so(self) -> None:
        step = Step(
            jax.jit(lambda x: jnp.tanh(jnp.tanh(jnp.tanh(x @ x))) + jnp.tanh(x @ x)), (jnp.zeros((8, 8)),), None
        )
        lines = [f"line {k}" for k in range(MOST_LINES + 1)]
        assert "#   and 1 more line\n" in code_of((("data", 8),), [P()], step, lines)
        (plan, *_) = candidates(step, roles := roles_of(step, ("x",)), 8, 1, {}).plans
        (line, *_), _ = constraints_of(plan, step, roles)
        assert re.search(r"\S…  # f32\[8,8\]: P", line)

    def test_numbers_that_tell_specs_apart_stay_in_their_names(self) -> None:
        def loss(w: Any, x: Any) -> Any:
            for layer in w["layers"]:
                x = x + jnp.tanh(x @ layer["w1"]) @ layer["w2"]
            return jnp.mean((x + w["max"]) ** 2)

        step = searches.descent(loss)
        layer = {"w1": jnp.ones((16, 64)) / 8, "w2": jnp.ones((64, 16)) / 8}
        given = {"layers": [layer, layer], "max": jnp.ones(16)}
        x = jnp.ones((16, 16))
        mesh = Mesh(np.array(jax.devices()[:8]), ("all",))
        search = read.search(step, given, x, mesh=mesh, compiled=0, sizes={"fsdp": 2, "tensor": 4})
        names = {"w": jax.tree.map(jnp.copy, given), "x": x}
        exec(named(search, "FSDP 2 × TP 4").code, names)
        for one in names["w"]["layers"]:
            assert (one["w1"].sharding.spec, one["w2"].sharding.spec) == (P("fsdp", "tensor"), P("tensor", "fsdp"))
        assert names["x"].sharding.spec == P("fsdp")
        assert names["w"]["max"].sharding.spec == P()  # Not as x, with which its name ends.

    def test_says_to_leave_out_what_fixes_another_mesh(self) -> None:
        mesh = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])

        def loss(w: Any, x: Any) -> Any:
            h = jax.lax.with_sharding_constraint(x @ w["up"], NamedSharding(mesh, P("a", "b")))
            return jnp.mean((h @ w["down"]) ** 2)

        w = {"up": jnp.ones((16, 64)), "down": jnp.ones((64, 16))}
        on = NamedSharding(mesh, P()), NamedSharding(mesh, P("a"))
        plain = searches.descent(loss)
        step = jax.jit(lambda w, x: plain(w, x), in_shardings=on, out_shardings=on[0])
        search = read.search(step, w, jnp.ones((16, 16)), compiled=0)
        other = next(c for c in search.candidates if c is not search.now)
        assert "Leave its in_shardings= and out_shardings= out" in other.code
        assert len(re.findall(r"which are on another mesh: test_search.py:\d+$", other.code, re.MULTILINE)) == 1
        assert search.now is not None
        assert "#" not in search.now.code.partition("for e, s")[2].replace("# a number", "")

    def test_constraints_within_vmap(self) -> None:
        step = searches.descent(lambda w, x: jnp.mean(jax.vmap(lambda x: jnp.tanh(w["up"] @ x) @ w["down"])(x) ** 2))
        w = {"up": jnp.ones((64, 16)), "down": jnp.ones((64, 16))}
        search = read.search(step, w, jnp.ones((16, 16)), mesh="v5e:2x2", compiled=0)
        code = named(search, "DP 4").code
        assert re.search(r"f32\[\d+,\d+\] in vmap: P\(", code)
        assert "spmd_axis_name" in code
        assert "spmd_axis_name" not in named(found("mlp"), "DP 16").code

    def test_a_gradient_on_a_mesh_is_no_constraint_of_the_users(self) -> None:
        step, (params, x, y) = searches.mlp()
        mesh = AbstractMesh((4, 4), ("a", "b"), (AxisType.Auto,) * 2)
        on = [jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=NamedSharding(mesh, P("a"))) for v in (x, y)]
        search = read.search(step, params, *on, mesh="v5e:4x4", compiled=0)
        assert not any("constraints of its own" in note for note in search.notes)

    def test_a_reshard_on_auto_axes_asks_for_nothing(self) -> None:
        mesh = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])

        def now(reshard: Callable[[Any], Any]) -> Figures | None:
            step = searches.descent(lambda w, x: jnp.mean((reshard(jnp.tanh(x @ w["up"])) @ w["down"]) ** 2))
            w = {"up": _on(jnp.ones((16, 64)), mesh, P(None, "b")), "down": _on(jnp.ones((64, 16)), mesh, P("b"))}
            search = read.search(step, w, _on(jnp.ones((16, 16)), mesh, P("a")), compiled=1)
            assert not any("constraints of its own" in note for note in search.notes)
            return search.now and search.now.compiled

        assert now(lambda h: jax.reshard(h, NamedSharding(mesh.abstract_mesh, P()))) == now(lambda h: h) is not None


class TestMachine:
    @pytest.mark.libtpu
    @pytest.mark.parametrize(("topology", "shape"), [("v5e:4x4", (8, 2)), ("v5p:2x2x4", (4, 4)), ("v5e:4x4", (16,))])
    def test_paper_lays_axes_out_as_libtpu_does(self, topology: str, shape: tuple[int, ...]) -> None:
        names = ("data", "tensor")[: len(shape)]
        sizes = tuple(zip(names, shape, strict=True))
        paper, real = Machine(topology), Machine(tpu_mesh(topology, names, shape=shape))
        for axis in sizes:
            assert paper.layout(sizes).spans((axis,)) == real.layout(sizes).spans((axis,))
        assert (paper.target, paper.chip, paper.interconnect) == (real.target, real.chip, real.interconnect)


def _sent(figures: Figures) -> dict[tuple[str, tuple[str, ...]], int]:
    """Bytes that a device sends, by kind and axes."""
    sums: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for s in figures.sent:
        sums[s.kind, s.axes] += s.bytes
    return dict(sums)


def _on(x: Any, mesh: Any, spec: P) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, spec))
