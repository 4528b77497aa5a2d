"""What JupyterLab holds of widgets that were shown and cleared."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import views

# Five kinds of widgets, made from documents: a cell that shows thirty takes no time for reading.
MAKERS = f"""
{SETUP}
x = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, P("x", None)))
f = jax.shard_map(lambda b: jax.lax.psum(b, "x"), mesh=mesh, in_specs=P("x"), out_specs=P())
documents = [sw.read.placement(x), sw.read.trace(f, x), sw.read.comparison(jnp.sin, x), sw.read.program(jnp.sin, x)]
makers = [lambda d=d: sw.show(d) for d in documents] + [lambda: sw.SpecPlayground((8, 16), mesh)]
"""

WIDGETS = 30
SHOW = f"from IPython.display import display\nfor k in range({WIDGETS}):\n    display(makers[k % 5]())"


def write(server: JupyterServer) -> str:
    """Writes a notebook whose last cell shows thirty widgets, and lets JupyterLab draw all outputs of a cell."""
    server.settings("notebook-extension/tracker", {"maxNumberOutputs": 3 * WIDGETS})
    return server.write(MAKERS, SHOW)


def held(notebook: Notebook, times: int) -> list[float]:
    """MiB of the page's heap after the last cell ran and its output was cleared, for each time."""
    page = notebook.page
    session = page.context.new_cdp_session(page)
    notebook.run(0)
    sizes = []
    for _ in range(times):
        notebook.run_last()
        expect(views(page)).to_have_count(WIDGETS)
        notebook.command("notebook:clear-all-cell-outputs")
        expect(views(page)).to_have_count(0)
        session.send("HeapProfiler.collectGarbage")
        sizes.append(session.send("Runtime.getHeapUsage")["usedSize"] / 2**20)
    session.detach()
    return sizes
