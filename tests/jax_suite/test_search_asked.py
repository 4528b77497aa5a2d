"""``read.search``: what it is asked that it cannot do, each in a sentence that says what can be asked; how it ends."""

from __future__ import annotations

import contextlib
import itertools
import signal
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import _jax, _tpu, load, read
from shardwidget._format import byte_count
from shardwidget.document import Search
from shardwidget.read._search import run as running
from tests import searches

pytestmark = pytest.mark.skipif(not _jax.ENTERS_FUNCTIONS, reason="Shardy of JAX 0.9 leaves called functions out")


class TestBadInput:
    @pytest.mark.parametrize(
        ("f", "words"), [(3, "the function itself"), (lambda w, x: w @ x, "is not jitted"), (jax.jit, "is not jitted")]
    )
    def test_no_jitted_function(self, f: Any, words: str) -> None:
        with pytest.raises(TypeError, match=words):
            read.search(f, jnp.ones((8, 8)), jnp.ones((8, 8)), mesh="v5e:4x4")

    def test_arguments_on_several_meshes(self) -> None:
        step, (params, x, y) = searches.mlp()
        one, two = (AbstractMesh(s, ("a", "b"), (AxisType.Auto,) * 2) for s in ((4, 4), (2, 8)))
        with pytest.raises(ValueError, match="put all arguments on one mesh"):
            read.search(step, params, _on(x, one, P("a")), _on(y, two, P("a")), mesh="v5e:4x4")

    def test_arguments_on_another_mesh_than_is_searched_for(self) -> None:
        step, (params, x, y) = searches.mlp()
        mesh = AbstractMesh((4, 2), ("a", "b"), (AxisType.Auto,) * 2)
        search = read.search(step, params, _on(x, mesh, P("a")), y, mesh="v5e:4x4", compiled=0, most_axes=1)
        assert search.now is None
        assert "on 8 devices, and this is a search for 16" in repr(search)

    @pytest.mark.parametrize(
        ("mesh", "words"),
        [
            *((m, "Give a generation and chips along each") for m in ("v9:4x4", "v5e", "v5e:4xx4", "v5e:0x4", "H100")),
            ("64", "'v5e:64' or 'v5p:64'"),
            ("v5e:32x32", "has 1024 chips; the largest slice of TPU v5e has 256"),
            ("v5e:17", "no slice of 17 chips of v5e: 8, 16, 32 are"),
            ("v5e:4x4x4", "along each of its 2 physical axes"),
            ("v5e:3x5", "1 chip, 2 or a multiple of 4"),
            ([], "is empty"),
            (["v5e:4x4", "v5e:17"], "no slice of 17 chips"),
        ],
    )
    def test_a_topology_that_does_not_exist(self, mesh: Any, words: str) -> None:
        step, args = searches.mlp()
        with pytest.raises(ValueError, match=words):
            read.search(step, *args, mesh=mesh)

    @pytest.mark.parametrize("mesh", [64, 3.5, {"a": 1}, AbstractMesh((4,), ("a",), (AxisType.Auto,)), ["v5e:4x4", 64]])
    def test_what_is_no_topology_at_all(self, mesh: Any) -> None:
        step, args = searches.mlp()
        with pytest.raises(TypeError, match=r"'v5e:64' or 'v5p:64'|whose devices are searched for"):
            read.search(step, *args, mesh=mesh)

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"compiled": -1}, "compiled must be a whole number, 0 or more; got -1"),
            ({"compiled": True}, "compiled must be a whole number, 0 or more; got True"),
            ({"compiled": 2.0}, "compiled must be a whole number"),
            ({"most_axes": 0}, "most_axes must be a whole number, 1 or more"),
            ({"objective": "speed"}, "Give 'time', 'memory', 'bytes'"),
            ({"objective": "bytes:model"}, "axes are data, fsdp, expert, seq, tensor"),
            ({"objective": None}, "nothing to order by"),
            ({"whole": ("tensor", "model")}, "whole='model' names no axis of plans: they are data"),
            ({"whole": ""}, "names no axis of plans"),
            ({"sizes": {"model": 2}}, "sizes='model' names no axis of plans"),
            *(({"sizes": {"tensor": n}}, "which sizes an axis may have") for n in (0, True, "4", (), 2.0, None)),
            *(({"batch_sizes": n}, "whole numbers of examples, 1 or more") for n in (64, [0], [True], [32.0], "x")),
            *(({"limit_s": n}, "seconds, 0 or more") for n in (-1, True, "x", float("nan"))),
            ({"batch": "tokens"}, "names no argument of step; its arguments are params, x, y"),
        ],
    )
    def test_an_option_of_no_meaning(self, given: dict[str, Any], words: str) -> None:
        step, args = searches.mlp()
        with pytest.raises(ValueError, match=words):
            read.search(step, *args, **{"mesh": "v5e:4x4", "compiled": 0} | given)

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"whole": 3}, "must be a name or several"),
            ({"batch": ["x", 3]}, "must be a name or several: batch='tokens'"),
            ({"sizes": 4}, "which sizes an axis may have"),
            ({"progress": 3}, "must be a function"),
        ],
    )
    def test_an_option_of_another_type(self, given: dict[str, Any], words: str) -> None:
        step, args = searches.mlp()
        with pytest.raises(TypeError, match=words):
            read.search(step, *args, **{"mesh": "v5e:4x4", "compiled": 0} | given)

    def test_no_candidates(self) -> None:
        step, args = searches.mlp(batch=6)
        with pytest.raises(ValueError, match="the batch has 6 examples") as raised:
            read.search(step, *args, mesh="v5e:4x4", compiled=0, whole="tensor")
        # What it says there would be, there is.
        assert "without whole= and sizes= 3 plans; on 2 chips 2 plans; with a batch that 16" in str(raised.value)
        assert len(read.search(step, *args, mesh="v5e:4x4", compiled=0).candidates) == 3
        assert len(read.search(step, *args, mesh="v5e:2", compiled=0, whole="tensor").candidates) == 2
        step, args = searches.mlp(batch=32)
        assert "DP 16" in {
            c.name for c in read.search(step, *args, mesh="v5e:4x4", compiled=0, whole="tensor").candidates
        }

    def test_nothing_but_what_the_user_has(self) -> None:
        step, (params, x, y) = searches.mlp(batch=12)
        mesh = AbstractMesh((2, 2), ("a", "b"), (AxisType.Auto,) * 2)
        search = read.search(
            step, params, _on(x, mesh, P("a")), _on(y, mesh, P("a")), mesh="v5e:2x2", compiled=0, sizes={"tensor": 3}
        )
        assert search.candidates == (search.now,)
        assert "It is compared with nothing: there is no plan for 4 chips" in repr(search)

    def test_more_to_compile_than_there_is(self) -> None:
        step, args = searches.mlp()
        mesh = Mesh(np.array(jax.devices()[:2]), ("all",))
        search = read.search(step, *args, mesh=mesh, compiled=10**6, most_axes=1, whole=("fsdp", "tensor"))
        assert (len(search.candidates), search.wanted) == (1, 1)

    def test_a_shard_map_is_refused(self) -> None:
        mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,), devices=jax.devices()[:4])

        @jax.jit
        def step(w: Any, x: Any) -> Any:
            y = jax.shard_map(lambda x, w: x @ w, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))(x, w)
            return w - y.sum()

        with pytest.raises(ValueError, match="without it"):
            read.search(step, jnp.ones((8, 8)), jnp.ones((8, 8)), mesh="v5e:4x4")

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (ImportError('compiling for a TPU needs libtpu: pip install "shardwidget[tpu]"'), "shardwidget[tpu]"),
            (ValueError("libtpu refuses the topology 'v5e:4x4': no such hosts"), "libtpu refuses"),
        ],
    )
    def test_what_cannot_be_compiled_is_estimated(self, error: Exception, words: str, monkeypatch: Any) -> None:
        def refuses(*_: Any, **__: Any) -> Any:
            raise error

        monkeypatch.setattr(_tpu, "tpu_mesh", refuses)
        step, args = searches.mlp()
        search = read.search(step, *args, mesh="v5e:4x4", most_axes=1)
        assert {c.basis for c in search.candidates} == {"estimated"}
        assert any(note.startswith("Nothing is compiled: ") and words in note for note in search.notes)


class TestNothingFits:
    def test_the_smallest_slice_on_which_one_does(self) -> None:
        shapes = {
            "up": jax.ShapeDtypeStruct((2**16, 2**18), jnp.float32),
            "down": jax.ShapeDtypeStruct((2**18, 2**16), jnp.float32),
        }
        step = searches.descent(lambda w, x: jnp.mean((jnp.tanh(x @ w["up"]) @ w["down"]) ** 2))
        args = shapes, jax.ShapeDtypeStruct((256, 2**16), jnp.float32)
        search = read.search(step, *args, mesh="v5e:4", compiled=0)
        assert search.best is None
        least = min(c.bytes_per_device for c in search.candidates)
        assert search.shortfall is not None
        assert search.shortfall.over == least - 2**34
        assert search.fits_on is not None
        assert search.fits_on.chips == 32
        for chips, fits in ((16, False), (32, True)):
            of = read.search(step, *args, mesh=f"v5e:{chips}", compiled=0).candidates
            assert any(c.bytes_per_device <= 2**34 for c in of) is fits
        text = repr(search)
        assert f"{byte_count(search.shortfall.over)} too much" in text.splitlines()[0]
        assert "The smallest slice on which one fits, as estimated: 32 chips" in text
        assert load(search.to_json()) == search

    def test_what_checkpoint_may_do_it_does(self) -> None:
        """Without it nothing fits, and the answer says that it may be enough; with it something fits."""
        found = []
        for remat in (False, True):
            step, args = _deep(remat=remat)
            found.append(read.search(step, *args, mesh="v5e:2x2", compiled=0))
        plain, kept_less = found
        assert plain.best is None
        assert plain.shortfall is not None
        assert plain.shortfall.donation == 0
        assert plain.shortfall.growing is not None
        assert plain.shortfall.growing > plain.shortfall.over
        assert "jax.checkpoint, which keeps less of them, may be enough" in plain.shortfall.words
        assert kept_less.best is not None

    def test_what_donation_would_save_it_saves(self) -> None:
        """Of state that is all memory: not donated nothing fits, donated something does."""

        def step(state: Any, x: Any) -> Any:
            grads = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(state[0])
            moments = [0.9 * m + grads for m in state[1:]]
            return [state[0] - grads, *moments], x.sum()

        state = [jax.ShapeDtypeStruct((2**13, 2**14), jnp.float32) for _ in range(100)]
        args = state, jax.ShapeDtypeStruct((64, 2**13), jnp.float32)
        plain, donated = (
            read.search(f, *args, mesh="v5e:2x2", compiled=0, whole="data")
            for f in (jax.jit(step), jax.jit(step, donate_argnums=0))
        )
        assert plain.best is None
        assert plain.shortfall is not None
        assert plain.shortfall.donation >= plain.shortfall.over
        assert "which is enough: donate_argnums=" in plain.shortfall.words
        assert donated.best is not None
        least = min(plain.candidates, key=lambda c: c.bytes_per_device)
        (same,) = (c for c in donated.candidates if c.title == least.title)
        assert least.bytes_per_device - same.bytes_per_device == plain.shortfall.donation

    def test_a_step_that_allows_no_other_batch(self) -> None:
        def loss(w: Any, x: Any) -> Any:
            return jnp.mean((x.reshape(64, 2**16) @ w) ** 2)

        args = jax.ShapeDtypeStruct((2**16, 2**18), jnp.float32), jax.ShapeDtypeStruct((64, 2**16), jnp.float32)
        search = read.search(searches.descent(loss), *args, mesh="v5e:2", compiled=0)
        assert search.shortfall is not None
        assert search.shortfall.growing is None
        assert "the step allows no other size of the batch" in search.shortfall.words


class TestEnds:
    """A search that is ended has what it knew."""

    def test_out_of_time_says_what_is_known(self) -> None:
        step, args = searches.mlp()
        search = read.search(step, *args, mesh="v5e:4x4", limit_s=0)
        assert len(search.candidates) == 1
        assert search.ended == "time"
        assert "out of time" in repr(search)
        assert any("before anything was compiled" in note for note in search.notes)

    @pytest.mark.parametrize("after", [1, 2, 5, 11, 12])
    def test_interrupted_between_two_candidates(self, after: int) -> None:
        step, args = searches.mlp()
        seen: list[Search] = []

        def stop(search: Search) -> None:
            seen.append(search)
            if len(seen) == after:
                raise KeyboardInterrupt

        search = read.search(step, *args, mesh="v5e:4x4", compiled=0, progress=stop)
        assert search.candidates == seen[-1].candidates
        assert len(search.candidates) == after
        assert (search.planned, search.ended) == (12, "interrupted")
        assert "then stopped" in repr(search)
        assert load(search.to_json()) == search

    def test_an_interrupt_that_is_lost_in_a_callback_ends_it(self) -> None:
        step, args = searches.mlp()
        # Where a shell runs the tests in the background, it has interrupts ignored.
        before = signal.default_int_handler
        outside = signal.signal(signal.SIGINT, before)

        def loses(search: Search) -> None:
            if len(search.candidates) == 3:
                with contextlib.suppress(KeyboardInterrupt):
                    signal.raise_signal(signal.SIGINT)

        try:
            search = read.search(step, *args, mesh="v5e:4x4", compiled=0, progress=loses)
            assert signal.getsignal(signal.SIGINT) is before
        finally:
            signal.signal(signal.SIGINT, outside)
        assert (len(search.candidates), search.ended) == (3, "interrupted")

    @pytest.mark.parametrize("at", [2, 7, 12])
    def test_interrupted_while_it_estimates(self, at: int, monkeypatch: Any) -> None:
        step, args = searches.mlp()
        _interrupted_at(at, "figures_of", monkeypatch)
        search = read.search(step, *args, mesh="v5e:4x4")
        assert len(search.candidates) == at - 1
        assert search.ended == "interrupted"
        assert any("stopped before anything was compiled" in note for note in search.notes)
        exec(search.candidates[0].code.partition("\n\n")[0])

    def test_interrupted_before_anything_is_known(self, monkeypatch: Any) -> None:
        step, args = searches.mlp()
        _interrupted_at(1, "figures_of", monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            read.search(step, *args, mesh="v5e:4x4", compiled=0)

    @pytest.mark.parametrize("at", [1, 2])
    def test_interrupted_while_it_compiles(self, at: int, monkeypatch: Any) -> None:
        step, args = searches.mlp()
        _interrupted_at(at, "compiled_figures", monkeypatch)
        mesh = Mesh(np.array(jax.devices()[:2]), ("all",))
        search = read.search(step, *args, mesh=mesh, compiled=2)
        known = [c.basis for c in search.candidates]
        assert (known.count("compiled"), search.wanted) == (at - 1, 2)
        assert len(known) == search.planned
        assert search.ended == "interrupted"

    def test_interrupted_in_the_table_of_scaling(self, monkeypatch: Any) -> None:
        step, args = searches.mlp()
        first = len(read.search(step, *args, mesh="v5e:4", compiled=0, most_axes=1).candidates)
        _interrupted_at(first + 2, "figures_of", monkeypatch)
        search = read.search(step, *args, mesh=["v5e:4", "v5e:16"], compiled=0, most_axes=1)
        assert [row.chips for row in search.scaling] == [4]
        assert search.ended == "interrupted"

    def test_interrupted_while_it_looks_for_a_slice(self, monkeypatch: Any) -> None:
        args = jax.ShapeDtypeStruct((2**16, 2**18), jnp.float32), jax.ShapeDtypeStruct((64, 2**16), jnp.float32)
        step = searches.descent(lambda w, x: jnp.mean((x @ w) ** 2))
        monkeypatch.setattr(running.short, "fits_on", _interrupts)
        search = read.search(step, *args, mesh="v5e:2", compiled=0)
        assert search.ended == "interrupted"
        assert search.shortfall is not None
        assert search.fits_on is None


def _interrupts(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def _interrupted_at(call: int, name: str, monkeypatch: Any) -> None:
    """The user interrupts in a call of a function of the search."""
    whole, calls = getattr(running, name), itertools.count(1)

    def counted(*args: Any, **kwargs: Any) -> Any:
        return _interrupts() if next(calls) == call else whole(*args, **kwargs)

    monkeypatch.setattr(running, name, counted)


def _deep(*, remat: bool, layers: int = 12) -> searches.Step:
    """Residual layers whose activations are nearly all memory."""

    def layer(x: Any, w: Any) -> Any:
        return jnp.tanh(x @ w["a"]) @ w["b"]

    used = jax.checkpoint(layer) if remat else layer

    def loss(ws: Any, x: Any) -> Any:
        for w in ws:
            x = x + used(x, w)
        return jnp.mean(x**2)

    def of(*shape: int) -> Any:
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    return searches.descent(loss), ([{"a": of(1024, 8192), "b": of(8192, 1024)}] * layers, of(2**18, 1024))


def _on(x: Any, mesh: Any, spec: P) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, spec))
