"""Real browsers and real servers: one of each per session."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests.hosts.browser import Chromium
from tests.hosts.jupyter import JupyterServer
from tests.hosts.page import views
from tests.hosts.server import HANG, LONGEST, Server, free_port

# Limits end what hangs, and nothing else: on a busy machine everything takes its time.
expect.set_options(timeout=1000 * HANG)

SIZE: ViewportSize = {"width": 1100, "height": 900}

LOCAL = re.compile(r"(data|blob|file|about):|(https?|wss?)://127\.0\.0\.1[:/]")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    with sync_playwright() as playwright:
        made = Chromium(playwright)
        yield made
        made.close()


@pytest.fixture
def new_page(chromium: Chromium) -> Iterator[Callable[..., Page]]:
    """Opens a page, with options or as a second one in a context of its own; fails if it asks beyond this machine.

    With ``may_ask`` the page (one that is not ours) is allowed to try.
    """
    opened: list[BrowserContext | Page] = []
    asked: list[str] = []

    def new_page(may_ask: bool = False, viewport: ViewportSize = SIZE, **options: Any) -> Page:
        # A second JupyterLab in a context would move to a workspace of its own while its page is loaded.
        if options or opened:
            opened.append(context := chromium.running().new_context(**options))
        else:
            context = chromium.common()
        opened.append(page := context.new_page())
        page.set_viewport_size(viewport)
        page.set_default_timeout(1000 * HANG)
        if not may_ask:
            page.on("request", lambda request: asked.append(request.url))
        return page

    with chromium.watched(LONGEST) as ended:
        yield new_page
        for one in reversed(opened):
            one.close()
    assert not ended.is_set(), f"this did not end in {LONGEST} s, so its browser was ended"
    assert [address for address in asked if not LOCAL.match(address)] == []


@pytest.fixture
def open_saved(new_page: Callable[..., Page], tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a widget's saved page from disk, offline; fails at the end if it asked for more than itself."""
    asked: list[str] = []

    def open_saved(widget: Any, **options: Any) -> Page:
        path = tmp_path / "saved.html"
        widget.to_html(path)
        page = new_page(offline=True, **options)
        page.on("request", lambda request: asked.append(request.url.split(":")[0]))
        page.goto(path.as_uri())
        expect(views(page)).to_be_visible()
        expect(page.locator("[data-sw=fallback]")).to_be_hidden()
        return page

    yield open_saved
    assert set(asked) <= {"file", "blob", "data"}


@pytest.fixture
def marimo(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Serves a marimo app, with settings in TOML, and returns its address."""
    servers: list[Server] = []

    def marimo(app: str, settings: str = "") -> str:
        (tmp_path / "marimo").mkdir()
        (tmp_path / "marimo" / "marimo.toml").write_text(settings)
        notebook = tmp_path / "app.py"
        notebook.write_text(app)
        port = free_port()
        command = [sys.executable, "-m", "marimo", "run", str(notebook), "--headless", "--no-token"]
        here = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "MARIMO_SKIP_UPDATE_CHECK": "1"}
        servers.append(Server([*command, "--host", "127.0.0.1", "--port", str(port)], os.environ | here, b"URL:", port))
        return f"http://127.0.0.1:{port}"

    yield marimo
    for server in servers:
        server.stop()


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
