"""Which front ends get widgets by themselves, and that the outputs of one page share the front end."""

import json
import re
import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import pytest
from IPython.core.interactiveshell import InteractiveShell
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.export import bundle, images

MESH = jax.sharding.AbstractMesh((4, 2), ("x", "y"))
X = jax.ShapeDtypeStruct((8, 16), "float32", sharding=jax.sharding.NamedSharding(MESH, P("x", "y")))


class Kernel:
    """A kernel as ipykernel's: it knows what it was asked for."""

    def __init__(self):
        self.runs = 0
        self.asked = {}

    def run(self, code: str, cell: str | None = None, *, allow_stdin: bool = True) -> None:
        self.runs += 1
        self.asked = {
            "header": {"msg_id": str(self.runs)},
            "metadata": {} if cell is None else {"cellId": cell},
            "content": {"code": code, "allow_stdin": allow_stdin},
        }

    def get_parent(self, channel: str) -> dict:
        assert channel == "shell"
        return self.asked


@pytest.fixture
def kernel(monkeypatch):
    """A Jupyter kernel to run in."""
    monkeypatch.delenv("SHARDWIDGET_MODE", raising=False)
    made = Kernel()
    monkeypatch.setattr(InteractiveShell.instance(), "kernel", made, raising=False)
    yield made
    InteractiveShell.clear_instance()


def displayed(**options) -> dict:
    return sw.ArrayView(X, **options)._repr_mimebundle_()[0]


def plays(output: dict) -> bool:
    assert "data-shardwidget" in output["text/html"] or "application/vnd.jupyter.widget-view+json" in output
    return "data-shardwidget" in output["text/html"]


def brings(output: dict) -> dict[str, str]:
    """The texts of the front end that an output holds, by their keys."""
    found = re.findall(r'data-sw-source="(\w+)">(.*?)</script>', output["text/html"], re.DOTALL)
    return {key: json.loads(text) for key, text in found}


PLACES = {
    "JupyterLab": ({}, {"cell": "a"}, False),
    "a front end that names no cells": ({}, {}, False),
    "VS Code": ({"VSCODE_PID": "1"}, {"cell": "a"}, False),
    "a program": ({}, {"allow_stdin": False}, True),
    "Voila": ({"SERVER_SOFTWARE": "voila/0.5.13"}, {"allow_stdin": False}, False),
    "Kaggle": ({"KAGGLE_KERNEL_RUN_TYPE": "Interactive"}, {"cell": "a"}, True),
    "Databricks": ({"DATABRICKS_RUNTIME_VERSION": "17.3"}, {"allow_stdin": False}, False),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_front_end_without_widgets_gets_a_page(name, kernel, monkeypatch):
    environment, how, page = PLACES[name]
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    kernel.run("view", **how)
    assert plays(displayed()) is page
    # What is asked for is what there is.
    assert plays(displayed(mode="html"))
    assert not plays(displayed(mode="widget"))


def test_colab_gets_widgets(kernel, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    kernel.run("view", allow_stdin=False)
    assert "shardwidget" in sw.doctor().__repr__()
    assert sw.ArrayView(X)._mode == "widget"


def test_a_kernel_that_is_not_ipykernel_gets_widgets(kernel, monkeypatch):
    monkeypatch.setattr(InteractiveShell.instance(), "kernel", type("Other", (), {})())
    assert not plays(displayed())
    assert brings(displayed(mode="html"))


def test_twenty_views_of_a_notebook_hold_each_bundle_once_in_every_mode(kernel):
    f = jax.shard_map(lambda b: jax.lax.psum(b, "x"), mesh=X.sharding.mesh, in_specs=P("x"), out_specs=P())
    kinds = [
        lambda **options: sw.ArrayView(X, **options),
        lambda **options: sw.ShardMapStepper(f, X, **options),
        lambda **options: sw.CompiledProgram(jnp.sin, jnp.ones(8), **options),
        lambda **options: sw.ModelView({"x": X}, **options),
        lambda **options: sw.PipelineView(sw.pipeline.gpipe(2, 4), **options),
    ]
    views = [make() for _ in range(4) for make in kinds]
    live = [source for view in views for source in view._sources.values()]
    texts = {source.model_id: source.text for source in live}
    assert len(texts) == len(set(texts.values())) < len(live)
    assert all(view._esm == bundle.read("loader.js") for view in views)
    # What a notebook holds of the widgets that it shows again without a kernel: each model's state, once.
    saved = json.dumps([view.get_state() for view in views] + list(texts.values()), default=str)
    assert [saved.count(json.dumps(text)[1:-1]) for text in texts.values()] == [1] * len(texts)
    played = []
    for number in range(4):
        for at, make in enumerate(kinds):
            kernel.run(f"{number} {at}", f"{number} {at}")
            played.append(brings(make(mode="html")._repr_mimebundle_()[0]))
    brought = [key for output in played for key in output]
    assert len(brought) == len(set(brought)) > len(kinds)
    assert played[len(kinds) :] == [{}] * (3 * len(kinds))


def test_outputs_of_a_page_hold_each_text_once(kernel):
    kernel.run("a", "1")
    first, second = displayed(mode="html"), displayed(mode="html")
    assert set(brings(first).values()) == {bundle.read(n) for n in ("array.js", "page.js", "array-parts.js")}
    assert brings(second) == {}
    kernel.run("b", "2")
    assert brings(displayed(mode="html")) == {}
    # The output that brought them is replaced when its cell runs again.
    kernel.run("a, changed", "1")
    assert brings(displayed(mode="html")) == brings(first)
    assert brings(displayed(mode="html")) == {}
    # Another bundle is brought when it is first needed.
    kernel.run("c", "3")
    pipeline = sw.PipelineView(sw.pipeline.gpipe(2, 2), mode="html")._repr_mimebundle_()[0]
    assert list(brings(pipeline).values()) == [bundle.read("pipeline.js")]


def test_equal_cells_of_a_program_are_no_second_run(kernel):
    kernel.run("view", allow_stdin=False)
    assert brings(displayed())
    kernel.run("view", allow_stdin=False)
    assert brings(displayed()) == {}
    # A person who runs equal code again has most likely run the cell again.
    kernel.run("other")
    assert brings(displayed(mode="html")) == {}


def test_where_each_output_is_a_page_it_is_complete(kernel, monkeypatch):
    monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Batch")
    kernel.run("a", "1")
    for output in (displayed(), displayed()):
        assert bundle.read("array.js").split("\n")[1][:40] in output["text/html"]
        assert brings(output) == {}


def test_documents_without_html_get_the_picture(kernel, monkeypatch):
    # Pixels need fonts, which not every machine has.
    monkeypatch.setattr(images, "png", lambda svg, scale: b"\x89PNG\r\n")
    kernel.run("view", allow_stdin=False)
    assert displayed()["image/png"].startswith("iVBOR")
    kernel.run("view", "1")
    assert "image/png" not in displayed(mode="html")
