"""Real browsers and real servers: one of each a session."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

from tests.hosts.jupyter import JupyterServer

# With the GPU process off, software drawing is as fast as it gets; the others keep the browser from the network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

LOCAL = re.compile(r"(data|blob|file|about):|(https?|wss?)://127\.0\.0\.1[:/]")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program = os.environ.get("SHARDWIDGET_CHROMIUM", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a context of its own; fails at the end if a page asked for anything beyond this machine.

    With ``may_ask`` such requests are refused too, but the page (one that is not ours) is allowed to try.
    """
    contexts: list[BrowserContext] = []
    outside: list[str] = []

    def new_page(may_ask: bool = False, **options: Any) -> Page:
        def refuse(route: Route) -> None:
            if not may_ask:
                outside.append(route.request.url)
            route.abort()

        size = options.pop("viewport", {"width": 1100, "height": 900})
        context = chromium.new_context(viewport=size, **options)
        contexts.append(context)
        context.set_default_timeout(30_000)
        context.route(lambda url: not LOCAL.match(url), refuse)
        return context.new_page()

    yield new_page
    for context in contexts:
        context.close()
    assert outside == []


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A Jupyter server that serves JupyterLab at ``/lab`` and Notebook 7 at ``/notebooks``."""
    server = JupyterServer(tmp_path_factory.mktemp("jupyter"))
    yield server
    server.stop()


@pytest.fixture
def mesh() -> jax.sharding.Mesh:
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


@pytest.fixture
def put(mesh: jax.sharding.Mesh) -> Callable[..., jax.Array]:
    """An f32 array that counts up, on the mesh."""

    def put(*spec: Any, shape: tuple[int, ...] = (8, 16)) -> jax.Array:
        count = jnp.arange(float(jnp.prod(jnp.array(shape))), dtype=jnp.float32)
        return jax.device_put(count.reshape(shape), NamedSharding(mesh, PartitionSpec(*spec)))

    return put
