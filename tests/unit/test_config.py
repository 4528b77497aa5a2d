"""``shardwidget.config``: what is in force where, what it refuses, and that widgets and saved pages follow it."""

import asyncio
import re
import threading

import jax
import numpy as np
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget._config import Config

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
X = jax.device_put(np.arange(64.0, dtype="float32").reshape(8, 8), NamedSharding(MESH, P("x", "y")))


@pytest.fixture
def config(monkeypatch) -> Config:
    """A fresh one in place of the session's."""
    fresh = Config()
    for module in ("widgets._base", "read._subject", "read._trace.trace"):
        monkeypatch.setattr(f"shardwidget.{module}.config", fresh)
    return fresh


def test_assignments_last_and_blocks_end(config):
    config.theme = "dark"
    with config(theme="light", mode="html"):
        assert (config.theme, config.mode) == ("light", "html")
        config.theme = "auto"
        assert config.theme == "auto"
        with config(keep=5):
            assert (config.theme, config.keep) == ("auto", 5)
    assert (config.theme, config.mode, config.keep) == ("dark", "auto", 2**24)


def test_a_block_ends_when_it_raises(config):
    with pytest.raises(ZeroDivisionError), config(mode="html"):
        _ = 1 / 0
    assert config.mode == "auto"


def test_a_block_is_of_one_thread_and_one_task_alone(config):
    seen = []
    with config(mode="html"):
        thread = threading.Thread(target=lambda: seen.append(config.mode))
        thread.start()
        thread.join()

    async def task(mode, entered, leave):
        with config(mode=mode):
            entered.set()
            await leave.wait()
            return config.mode

    async def both():
        events = [asyncio.Event() for _ in range(2)]
        return await asyncio.gather(task("html", *events), task("widget", *reversed(events)))

    assert seen == ["auto"]
    assert asyncio.run(both()) == ["html", "widget"]


def test_environment_variables_are_defaults(config, monkeypatch):
    monkeypatch.setenv("SHARDWIDGET_THEME", "dark")
    monkeypatch.setenv("SHARDWIDGET_KEEP", "1024")
    assert (config.theme, config.keep) == ("dark", 1024)
    config.theme = "light"
    assert config.theme == "light"
    monkeypatch.setenv("SHARDWIDGET_PALETTE", "rainbow")
    words = "palette must be 'standard' or 'colorblind'; got 'rainbow' in the environment variable SHARDWIDGET_PALETTE"
    with pytest.raises(ValueError, match=re.escape(words)):
        _ = config.palette


@pytest.mark.parametrize(
    ("name", "value"), [("mode", "svg"), ("theme", 1), ("values", -1), ("keep", 2.5), ("keep", "")]
)
def test_values_that_are_not_legal(config, name, value):
    before = getattr(config, name)
    with pytest.raises(ValueError, match=rf"{name} must be .*; got {re.escape(repr(value))}"):
        setattr(config, name, value)
    with pytest.raises(ValueError, match=rf"{name} must be"):
        config(**{name: value})
    assert getattr(config, name) == before


def test_names_that_are_not_there(config):
    with pytest.raises(AttributeError, match=r"config has no option 'them'\. Did you mean 'theme'\?"):
        config.them = "dark"
    with pytest.raises(TypeError, match=r"config has no option 'palete'\. Did you mean 'palette'\?"):
        config(palete="colorblind")
    assert dir(config) == sorted(["mode", "theme", "palette", "values", "keep", "arrival"])
    assert repr(config).startswith("config(mode='auto', theme='auto'")


def test_widgets_follow_it_and_keep_what_they_were_made_with(config):
    with config(mode="html", theme="dark", palette="colorblind"):
        view = sw.ArrayView(X)
    assert view._look == {"theme": "dark", "palette": "colorblind"}
    assert "text/html" in view._repr_mimebundle_()[0]
    assert "application/vnd.jupyter.widget-view+json" not in view._repr_mimebundle_()[0]
    assert '"palette": "colorblind"' in view.to_html() or '"palette":"colorblind"' in view.to_html()
    assert sw.ArrayView(X, mode="widget")._look == {"theme": "auto", "palette": "standard"}


def test_pictures_follow_it(config):
    with config(theme="dark"):
        dark = sw.ArrayView(X)
    with config(palette="colorblind"):
        safe = sw.ArrayView(X)
    plain = sw.ArrayView(X)
    assert dark.to_svg() == plain.to_svg(theme="dark") != plain.to_svg() == dark.to_svg(theme="light")
    assert safe.to_svg() != plain.to_svg()


def test_bytes_that_a_view_reads(config):
    view = sw.ArrayView(X)
    assert len(view._fetch(list(range(8))).blocks) == 8
    config.values = 8
    assert "at most 8 bytes are read at a time" in view._fetch(list(range(8))).note


def test_bytes_that_a_trace_keeps(config):
    f = jax.shard_map(lambda a: jax.lax.psum(a, "x"), mesh=MESH, in_specs=P("x", "y"), out_specs=P(None, "y"))
    large = jax.numpy.ones((128, 32))  # Blocks larger than the corner that is always there.
    with config(keep=64):
        assert "allows 64 bytes" in sw.read.trace(f, large).note
    assert "allows" not in sw.read.trace(f, large).note
