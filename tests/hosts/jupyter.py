"""A Jupyter server of our own, and notebooks opened in it."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import time
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.hosts.server import HANG, Server, free_port

# What the app says, not what it draws: the indicator shows "idle" before the kernel is connected.
READY = """async () => {
  const app = window.jupyterapp;
  await app.started;
  await app.restored;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (!app.shell.currentWidget?.sessionContext) await frame();
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.sessionContext.session?.kernel?.info;
}"""

ASK = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code });
  let text = "";
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === "stream") text += content.text;
    if (header.msg_type === "error") text += content.ename + ": " + content.evalue;
  };
  await future.done;
  return text.trim();
}"""

SETUP = """
import jax
jax.config.update("jax_num_cpu_devices", 8)
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
import shardwidget as sw
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
x = jax.device_put(jnp.arange(128.0).reshape(8, 16), NamedSharding(mesh, P("x", "y")))
y = jax.device_put(x, NamedSharding(mesh, P(None, "x")))
"""


class JupyterServer:
    """A server in a folder of its own, so that no user's settings are read or written."""

    def __init__(self, home: Path):
        self.root = home / "notebooks"
        self.root.mkdir()
        self.home = home
        settings = {
            "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
            "apputils-extension/themes": {"theme": "JupyterLab Light"},
        }
        for name, values in settings.items():
            self.settings(name, values)
        config = {
            "ServerApp": {
                "ip": "127.0.0.1",
                "port": free_port(),
                "port_retries": 0,
                "open_browser": False,
                "allow_root": True,
                "disable_check_xsrf": True,
                "root_dir": str(self.root),
                "terminals_enabled": False,
            },
            "IdentityProvider": {"token": ""},
            "LabApp": {"expose_app_in_browser": True, "extension_manager": "readonly"},
            "JupyterNotebookApp": {"expose_app_in_browser": True},
        }
        (home / "config").mkdir()
        (home / "config" / "jupyter_server_config.json").write_text(json.dumps(config))
        self.url = f"http://127.0.0.1:{config['ServerApp']['port']}"
        command = [sys.executable, "-m", "jupyter", "lab"]
        self._server = Server(command, self.environment(), b"is running at", config["ServerApp"]["port"])

    def environment(self) -> dict[str, str]:
        """Environment of a Jupyter program that keeps to this server's folder."""
        folders = {
            "HOME": "home",
            "IPYTHONDIR": "ipython",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        }
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        here = {name: str(self.home / folder) for name, folder in folders.items()}
        return os.environ | here | {"JAX_PLATFORMS": "cpu", "JUPYTER_PREFER_ENV_PATH": "1", "PATH": path}

    def settings(self, name: str, values: dict[str, Any], of: str = "@jupyterlab") -> None:
        """Writes settings of a plugin of JupyterLab, ``extension/plugin``, or of another package."""
        path = self.home / "settings" / of / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))

    def write(self, *cells: str, outputs: list[dict[str, Any]] | None = None) -> str:
        """Writes a notebook and returns its name; ``outputs`` are those of its last cell."""
        name = f"{uuid.uuid4().hex}.ipynb"
        code = [
            {
                "cell_type": "code",
                "id": f"cell-{i}",
                "metadata": {},
                "execution_count": None,
                "outputs": (outputs or []) if i == len(cells) - 1 else [],
                "source": textwrap.dedent(cell).strip(),
            }
            for i, cell in enumerate(cells)
        ]
        kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        notebook = {"cells": code, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
        (self.root / name).write_text(json.dumps(notebook))
        return name

    def end_kernels(self) -> None:
        """Ends every kernel; the server waits for each, so all at once."""
        sessions = [f"/api/sessions/{session['id']}" for session in json.loads(self._request("/api/sessions"))]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda session: self._request(session, "DELETE"), sessions))

    def stop(self) -> None:
        """Ends every kernel, then the server."""
        self.end_kernels()
        self._server.stop()

    def _request(self, path: str, method: str = "GET") -> bytes:
        with urllib.request.urlopen(urllib.request.Request(self.url + path, method=method), timeout=HANG) as response:
            return response.read()


class Notebook:
    """A notebook open in JupyterLab (``lab``) or Notebook 7 (``notebook``)."""

    def __init__(self, server: JupyterServer, page: Page, app: str, name: str):
        self.page = page
        address = {"lab": f"/lab/tree/{name}?reset", "notebook": f"/notebooks/{name}"}[app]
        page.goto(server.url + address)
        page.wait_for_function("window.jupyterapp")
        page.evaluate(READY)

    def command(self, name: str, **arguments: Any) -> None:
        """Executes one of the application's commands, to its end."""
        self.page.evaluate("([name, args]) => jupyterapp.commands.execute(name, args)", [name, arguments])

    def run_all(self) -> None:
        """Runs every cell, to the end of the last."""
        self.command("notebook:run-all-cells")

    def run(self, cell: int) -> None:
        """Runs one cell, to its end; negative numbers count from the last."""
        self._choose(cell)
        self.command("notebook:run-cell")

    def begin(self, cell: int) -> None:
        """Begins to run one cell."""
        self._choose(cell)
        self.page.evaluate("() => void jupyterapp.commands.execute('notebook:run-cell')")

    def _choose(self, cell: int) -> None:
        self.page.evaluate(
            "(at) => { const { content } = jupyterapp.shell.currentWidget; "
            "content.activeCellIndex = at < 0 ? content.widgets.length + at : at; }",
            cell,
        )

    def run_last(self) -> None:
        """Runs the last cell again, to its end."""
        self.run(-1)

    def ask(self, code: str) -> str:
        """Runs code in the kernel, beside the notebook's cells, and returns what it printed (or the error)."""
        return self.page.evaluate(ASK, textwrap.dedent(code))

    def ask_until(self, code: str, printed: str) -> None:
        """Asks until the code prints this: a model sends what changes when the kernel has answered what came before."""
        end = time.monotonic() + HANG
        while (found := self.ask(code)) != printed:
            assert time.monotonic() < end, f"{code} prints {found}, not {printed}"
