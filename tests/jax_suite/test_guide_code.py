"""The code of the guide runs, with the names that its reader would have."""

import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.export import images
from tests.kernels import two_slots

DOCS = Path(__file__).parents[2] / "docs"
ELSEWHERE = {
    "images": "tests/pictures",
    "processes": "test_two_processes.py",
    "hosts": "tests/hosts",
    "pytest": "tests/unit/test_baseline.py",
    "tpus": "tests/unit/test_overlap.py, tests/jax_suite/test_search.py",
    "why": "tests/unit/test_why.py",
    "remedies": "tests/jax_suite/test_remedies_communication.py",
    "links": "tests/unit/test_links.py",
}
"""What is tested there: it needs an extra, other processes or a host."""
NEEDS = {
    "%": "hosts",
    "google.colab": "hosts",
    "display(": "hosts",
    "jax.config": "hosts",
    "jax.distributed": "processes",
    "engines[": "processes",
    "view.fetch()": "processes",
    "merged": "processes",
    "to_gif": "images",
    "to_webm": "images",
    "jaxpp.": "hosts",
    "grades": "hosts",
    'lab["block"]': "hosts",
    "block, ...": "hosts",
    "sharding_baseline": "pytest",
    "read.overlap(": "tpus",
    "read.search(": "tpus",
    "comparison.why(": "why",
    'lowers="communication"': "remedies",
    "LinksView(": "links",
}


def blocks() -> list[Any]:
    found = []
    for page in sorted(DOCS.rglob("*.md")):
        for k, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)):
            if not any(words in code for words in NEEDS):
                found.append(pytest.param(page.stem, code, id=f"{page.stem}-{k}"))
    return found


MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def put(shape: tuple[int, ...], *spec: str | None, mesh: jax.sharding.Mesh = MESH) -> jax.Array:
    return jax.device_put(jnp.arange(float(np.prod(shape))).reshape(shape) / 64, NamedSharding(mesh, P(*spec)))


def multiply(a, b):
    def local(a, b):
        partial = a @ b
        return jax.lax.psum(partial, "y")

    return jax.shard_map(local, mesh=MESH, in_specs=(P("x", "y"), P("y")), out_specs=P("x"))(a, b)


def attend(k):
    def local(k):
        pairs = [(i, (i + 1) % 4) for i in range(4)]
        gathered = jax.lax.all_gather(jax.lax.psum(k, "y"), "x", tiled=True)
        return jax.lax.fori_loop(0, 4, lambda _, k: jax.lax.ppermute(k, "x", pairs), k), gathered

    return jax.shard_map(local, mesh=MESH, in_specs=P("x", "y"), out_specs=(P("x", "y"), P("x")), check_vma=False)(k)


def repeated(x, w=None, *, scale=1.0):
    for _ in range(3):
        x = jnp.tanh(x @ (x.T if w is None else w)) @ x
    return x * scale


def descend(params, batch):
    gradient = jax.grad(lambda params: jnp.mean((batch @ params["w"]) ** 2))(params)
    return jax.tree.map(lambda p, g: p - g, params, gradient)


def layer(x, w1, w2, scale):
    y = jax.nn.relu(x @ w1) @ w2 * scale
    return y - y.mean(0)


def names(page: str) -> dict[str, Any]:
    """What a page takes for granted."""
    x, w, square = put((8, 16), "x", "y"), put((16, 8), "y"), put((8, 8), "x", "y")
    params = {"w": put((16, 8), None, "y")}
    common = {"sw": sw, "jax": jax, "jnp": jnp, "P": P, "mesh": MESH, "x": x, "step": descend, "params": params}
    model_axes = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    wide = put((8, 8), "data", "model", mesh=model_axes)
    own = {
        "algorithms": {"f": attend, "x": square},
        "array-view": {"y": put((8, 16), "y")},
        "comparison": {
            "layer": layer,
            "x": put((16, 8), "x"),
            "w1": put((8, 16), None, "y"),
            "w2": put((16, 4), "y"),
            "scale": put((4,), "y"),
        },
        "compiled": {
            "f": repeated,
            "g": repeated,
            "x": wide,
            "args": (wide,),
            "x1": wide,
            "w1": wide,
            "x2": wide,
            "w2": wide,
        },
        "differences": {
            "CompiledProgram": sw.CompiledProgram,
            "read": sw.read,
            "show": sw.show,
            "train_step": descend,
            "new_step": jax.checkpoint(descend),
            "state": params,
            "batch": x,
            "f": lambda x, w: x @ w,
            "w": w,
            "w_split": put((16, 8), None, "y"),
            "new_params": {"w": put((16, 8), "x", "y")},
            "mine": attend,
            "reference": attend,
            "u": square,
        },
        "kernel": {"gather": two_slots()[0]},
        "model": {"before": params, "after": params, "state": params, "grads": params},
        "reshard": {"sharding": NamedSharding(MESH, P("y", "x"))},
        "run": {"batch": x, "faster_step": descend},
        "stepper": {"matmul": multiply, "reference": multiply, "a": x, "b": w},
    }
    if page == "stepper":
        common["trace"] = sw.read.trace(attend, square)
    if page == "reshard":
        groups = jax.make_mesh((4, 2), ("stage", "model"), axis_types=(AxisType.Auto,) * 2)
        arrays, targets = [put((8, 8), "stage", mesh=groups)] * 2, [({0}, P("model")), ({1}, P())]
        common["plan"] = sw.read.reshard_plan(arrays, targets, groups, "stage", threshold=128)
    return common | own.get(page, {})


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(("page", "code"), blocks())
def test_it_runs(page, code, tmp_path, monkeypatch, shell):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(images, "png", lambda picture, scale: b"")  # It needs a font: tests/pictures.
    shell.user_ns["params"] = put((8, 8))
    if "xplane.pb" in code:
        with jax.profiler.trace(str(tmp_path)):
            jax.block_until_ready(jax.jit(descend)(names(page)["params"], names(page)["batch"]))
        next(tmp_path.rglob("*.xplane.pb")).rename("host.xplane.pb")
    exec(compile(code, f"{page}.md", "exec"), names(page))
