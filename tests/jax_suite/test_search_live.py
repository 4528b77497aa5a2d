"""A search that goes on while its view is shown: it grows, stops at any moment with what is known, and goes on."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import _jax, _tpu, read
from shardwidget.read._search import run as running
from shardwidget.widgets import search as module
from tests import searches

pytestmark = pytest.mark.skipif(not _jax.ENTERS_FUNCTIONS, reason="Shardy of JAX 0.9 leaves called functions out")

ALL = 12
"""Candidates of the step for 16 chips."""


@pytest.fixture(autouse=True)
def in_notebook(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "in_notebook", lambda: True)
    monkeypatch.setattr(module, "PAUSE", 0)


def _in_call(number: int, name: str, do: Callable[[], Any], monkeypatch: Any) -> None:
    """Does something in a call of a function of the search."""
    whole, calls = getattr(running, name), itertools.count(1)

    def counted(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == number:
            do()
        return whole(*args, **kwargs)

    monkeypatch.setattr(running, name, counted)


def _stopped_in(number: int, name: str, monkeypatch: Any, **options: Any) -> sw.SearchView:
    """A view whose search is stopped by the reader in a call of a function of it."""
    step, args = searches.mlp()
    views: list[sw.SearchView] = []
    started = module.threading.Event()

    def stop() -> None:
        assert started.wait(60)
        views[0]._asked = {"n": 1, "do": "stop"}

    _in_call(number, name, stop, monkeypatch)
    views.append(sw.SearchView(step, *args, **{"mesh": "v5e:4x4", "compiled": 0} | options))
    started.set()
    return views[0]


def test_it_grows_and_ends() -> None:
    step, args = searches.mlp()
    view = sw.SearchView(step, *args, mesh="v5e:4x4", compiled=0)
    assert len(view.document.candidates) >= 1
    found = view.wait()
    assert found == read.search(step, *args, mesh="v5e:4x4", compiled=0)
    assert view.running == ""
    assert view.chosen is found.best


@pytest.mark.parametrize("at", [2, 5, ALL])
def test_stopped_while_it_estimates_it_goes_on_from_there(at: int, monkeypatch: Any) -> None:
    view = _stopped_in(at, "figures_of", monkeypatch)
    found = view.wait()
    # The candidate that it is at is finished.
    assert len(found.candidates) == at
    assert (view.running, found.ended) == ("stopped", "interrupted")
    assert "then stopped" in repr(found)
    assert view.to_svg().startswith("<svg")
    assert set(view.selection) == {leaf.path for leaf in found.leaves}
    view._asked = {"n": 2, "do": "go on"}
    step, args = searches.mlp()
    assert view.wait() == read.search(step, *args, mesh="v5e:4x4", compiled=0)
    assert view.running == ""


def test_stopped_while_it_compiles(monkeypatch: Any) -> None:
    mesh = Mesh(np.array(jax.devices()[:2]), ("all",))
    view = _stopped_in(1, "compiled_figures", monkeypatch, mesh=mesh, compiled=2)
    found = view.wait()
    assert [c.basis for c in found.candidates].count("compiled") == 1
    assert (found.wanted, found.ended) == (2, "interrupted")
    view.resume()
    found = view.wait()
    assert [c.basis for c in found.candidates].count("compiled") == 2
    assert found.ended == ""


def test_an_interrupt_of_the_cell_that_waits_stops_it(monkeypatch: Any) -> None:
    """As the interrupt of a notebook: the main thread gets it while another searches."""
    there, told = module.threading.Event(), module.threading.Event()
    _in_call(3, "figures_of", lambda: (there.set(), told.wait(60)), monkeypatch)
    step, args = searches.mlp()
    view = sw.SearchView(step, *args, mesh="v5e:4x4", compiled=0)
    thread, stop = view._thread, view.stop
    assert thread is not None
    join = thread.join

    def interrupted(timeout: float | None = None) -> None:
        if not told.is_set():
            raise KeyboardInterrupt
        join(timeout)

    monkeypatch.setattr(thread, "join", interrupted)
    monkeypatch.setattr(view, "stop", lambda: (stop(), told.set()))
    assert there.wait(60)
    found = view.wait()
    assert (len(found.candidates), found.ended, view.running) == (3, "interrupted", "stopped")


def test_the_selection_stays_with_its_candidate_while_others_come(monkeypatch: Any) -> None:
    view = _stopped_in(4, "figures_of", monkeypatch)
    found = view.wait()
    view.candidate = len(found.candidates) - 1
    title = found.candidates[-1].title
    view.resume()
    found = view.wait()
    assert view.chosen is not None
    assert view.chosen.title == title
    assert found.candidates[view.candidate].title == title


def test_what_goes_wrong_is_told_to_who_waits(monkeypatch: Any) -> None:
    def fails() -> None:
        raise MemoryError("no memory")

    step, args = searches.mlp()
    monkeypatch.setattr(running.Run, "_shortlist", lambda self: fails())
    view = sw.SearchView(step, *args, mesh="v5e:4x4", compiled=1)
    with pytest.raises(MemoryError, match="no memory"):
        view.wait()
    assert view.running == "failed"
    assert len(view.document.candidates) == ALL


def test_closing_stops_it(monkeypatch: Any) -> None:
    view = _stopped_in(3, "figures_of", monkeypatch)
    view.wait()
    view.resume()
    view.close()
    assert view.wait().ended in ("", "interrupted")


def test_a_candidate_is_compiled_when_it_is_asked_for() -> None:
    step, args = searches.mlp()
    mesh = Mesh(np.array(jax.devices()[:2]), ("all",))
    view = sw.SearchView(step, *args, mesh=mesh, compiled=0)
    found = view.wait()
    assert {c.basis for c in found.candidates} == {"estimated"}
    view.candidate = len(found.candidates) - 1
    title = found.candidates[-1].title
    view._asked = {"n": 1, "do": "compile"}
    found = view.wait()
    assert [c.title for c in found.candidates if c.compiled] == [title]
    assert view.chosen is not None
    assert view.chosen.title == title
    assert (view.running, found.compiling, found.wanted) == ("", -1, 1)
    with pytest.raises(ValueError, match="was loaded"):
        sw.SearchView(sw.load(found.to_json())).compile()


def test_it_is_compiled_next_while_the_search_goes_on(monkeypatch: Any) -> None:
    step, args = searches.mlp()
    views: list[sw.SearchView] = []
    started = module.threading.Event()
    first: list[Any] = []
    whole = running.compiled_figures

    def seen(*args: Any, **kwargs: Any) -> Any:
        first.append(len(views[0].document.candidates) if views else 0)
        return whole(*args, **kwargs)

    monkeypatch.setattr(running, "compiled_figures", seen)
    _in_call(2, "figures_of", lambda: (started.wait(60), views[0].compile()), monkeypatch)
    mesh = Mesh(np.array(jax.devices()[:2]), ("all",))
    views.append(sw.SearchView(step, *args, mesh=mesh, compiled=0))
    started.set()
    found = views[0].wait()
    # Before the others were estimated.
    assert first
    assert first[0] < found.planned
    assert sum(c.compiled is not None for c in found.candidates) == 1
    assert len(found.candidates) == found.planned


def test_what_cannot_be_compiled_is_said_on_the_page_and_to_who_waits(monkeypatch: Any) -> None:
    def refuses(*_: Any, **__: Any) -> Any:
        raise ImportError("compiling for a TPU needs libtpu")

    monkeypatch.setattr(_tpu, "tpu_mesh", refuses)
    step, args = searches.mlp()
    view = sw.SearchView(step, *args, mesh="v5e:4x4", compiled=0)
    view.wait()
    view._asked = {"n": 7, "do": "compile"}
    with pytest.raises(ImportError, match="needs libtpu"):
        view.wait()
    assert view._opened == {"n": 7, "error": "ImportError: compiling for a TPU needs libtpu"}
    assert (view.running, view.document.compiling) == ("", -1)


def test_what_is_compiled_is_said_before_it_is() -> None:
    step, args = searches.mlp()
    mesh = Mesh(np.array(jax.devices()[:2]), ("all",))
    seen: list[Any] = []
    found = read.search(step, *args, mesh=mesh, compiled=2, progress=seen.append)
    begun = [k for k, each in enumerate(seen) if each.compiling >= 0]
    assert len(begun) == 2
    for k in begun:
        title = seen[k].candidates[seen[k].compiling].title
        before, after = (next(c for c in each.candidates if c.title == title) for each in seen[k : k + 2])
        assert (before.basis, after.basis, seen[k + 1].compiling) == ("estimated", "compiled", -1)
    assert found.compiling == -1
    assert found.estimating_s > 0


def test_where_nothing_fits_more_chips_are_searched_in_its_place() -> None:
    shapes = {
        "up": jax.ShapeDtypeStruct((2**16, 2**18), jnp.float32),
        "down": jax.ShapeDtypeStruct((2**18, 2**16), jnp.float32),
    }
    step = searches.descent(lambda w, x: jnp.mean((jnp.tanh(x @ w["up"]) @ w["down"]) ** 2))
    args = shapes, jax.ShapeDtypeStruct((256, 2**16), jnp.float32)
    view = sw.SearchView(step, *args, mesh="v5e:4", compiled=0)
    short = view.wait()
    assert [offer.label for offer in short.offers] == ["@jax.checkpoint", "search 32 chips"]
    view._asked = {"n": 1, "do": "search", "what": 1}
    found = view.wait()
    assert found == read.search(step, *args, mesh="v5e:32", compiled=0)
    assert view.running == ""


def test_where_nothing_is_compared_other_meshes_are_searched_in_its_place() -> None:
    step, (params, x, y) = searches.mlp()
    mesh = AbstractMesh((2, 2), ("a", "b"), (AxisType.Auto,) * 2)
    x, y = (jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=NamedSharding(mesh, P("a"))) for v in (x, y))
    options = {"mesh": "v5e:2x2", "compiled": 0}
    view = sw.SearchView(step, params, x, y, **options, options={"sizes": {"tensor": 3}})
    assert [offer.label for offer in view.wait().offers] == ["search other meshes of 4 chips"]
    view._asked = {"n": 1, "do": "search", "what": 0}
    assert view.wait() == read.search(step, params, x, y, **options)


def test_without_libtpu_the_command_that_installs_it_is_there_to_copy(monkeypatch: Any) -> None:
    def refuses(*_: Any, **__: Any) -> Any:
        raise ImportError("compiling for a TPU needs libtpu")

    monkeypatch.setattr(_tpu, "tpu_mesh", refuses)
    step, args = searches.mlp()
    (offer,) = read.search(step, *args, mesh="v5e:4x4", compiled=1, most_axes=1).offers
    assert (offer.do, offer.text) == ("copy", 'pip install "shardwidget[tpu]"')
