"""``%load_ext shardwidget``: what arrays display as, the magics, and that unloading leaves no trace."""

import asyncio
import re

import jax
import jax.numpy as jnp
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import _extension
from tests.front_end import Kernel
from tests.models import eight
from tests.namespaces import put


@pytest.fixture
def shell():
    shell = InteractiveShell.instance()
    shell.user_ns |= {"put": put, "jax": jax, "jnp": jnp, "P": P, "NamedSharding": NamedSharding, "mesh": eight()}
    yield shell
    shell.run_line_magic("unload_ext", "shardwidget")
    InteractiveShell.clear_instance()


def displayed(shell, value) -> dict:
    return shell.display_formatter.format(value)[0]


def test_arrays_and_small_trees_display_as_views_and_everything_else_as_before(shell):
    x = put((8, 8), "data")
    before = displayed(shell, x)
    formats = shell.display_formatter
    formatters = (formats.mimebundle_formatter, formats.ipython_display_formatter)
    printers = [dict(formatter.type_printers) for formatter in formatters]
    magics = {kind: set(table) for kind, table in shell.magics_manager.magics.items()}
    shell.run_line_magic("load_ext", "shardwidget")
    assert "f32[8,8]" in displayed(shell, x)["text/html"]
    assert "Ref f32[8,8]" in displayed(shell, jax.new_ref(x))["text/html"]
    assert "2 arrays" in displayed(shell, {"w": x, "b": put((4,))})["text/html"]
    assert "text/html" not in displayed(shell, jnp.float32(3.0))
    assert displayed(shell, {"a": 1}) == {"text/plain": "{'a': 1}"}
    assert "text/html" not in displayed(shell, [x, 1])
    assert "text/html" not in displayed(shell, [x] * (_extension.MOST_LEAVES + 1))
    shell.run_line_magic("unload_ext", "shardwidget")
    assert displayed(shell, x) == before
    assert [formatter.type_printers for formatter in formatters] == printers
    assert {kind: set(table) for kind, table in shell.magics_manager.magics.items()} == magics
    assert not hasattr(shell.magics_manager.user_magics, "sharding")


def test_a_notebook_shows_the_view_alone_with_its_picture_for_later(shell, monkeypatch):
    monkeypatch.setattr(shell, "kernel", Kernel(), raising=False)
    shell.run_line_magic("load_ext", "shardwidget")
    with capture_output() as caught:
        assert displayed(shell, {"w": put((8, 8), "data")}) == {}
        assert displayed(shell, {"a": 1}) == {"text/plain": "{'a': 1}"}
    assert [sorted(output.data)[-1] for output in caught.outputs] == ["text/plain", "text/html"]


def test_a_formatter_that_fails_leaves_what_jax_prints(shell, monkeypatch):
    x = put((8, 8))
    before = displayed(shell, x)
    shell.run_line_magic("load_ext", "shardwidget")

    def fails(*_: object, **__: object):
        raise RuntimeError("broken")

    monkeypatch.setattr(_extension, "show", fails)
    assert displayed(shell, x) == before


def test_a_view_has_the_users_name_for_what_it_shows(shell):
    shell.run_line_magic("load_ext", "shardwidget")
    shell.run_cell("weights = put((8, 8), 'data')")
    weights = shell.user_ns["weights"]
    assert displayed(shell, weights)["text/plain"].startswith("weights: f32[8,8]")
    assert displayed(shell, weights + 0)["text/plain"].startswith("f32[8,8]")


def test_an_error_in_a_cell_of_collectives_is_shown_once_and_ends_the_cell(shell, capsys):
    shell.run_line_magic("load_ext", "shardwidget")
    shell.run_cell("%%collectives\n1 / 0")
    assert capsys.readouterr().out.count("division by zero") == 1
    with pytest.raises(UsageError, match="the cell raised ZeroDivisionError, see above"):
        shell.run_cell_magic("collectives", "", "1 / 0")
    with pytest.raises(UsageError, match="SyntaxError"):
        shell.run_cell_magic("collectives", "", "1 /")


def test_sharding_prints_where_arrays_live(shell, capsys):
    shell.run_line_magic("load_ext", "shardwidget")
    shell.run_cell("x = put((8, 8), 'data'); params = {'w': put((4, 4))}")
    shell.run_line_magic("sharding", "x params['w'] nothing")
    out = capsys.readouterr().out
    assert "f32[8,8]" in out
    assert "f32[4,4]" in out
    assert "%sharding nothing: NameError: name 'nothing' is not defined; give names or expressions" in out
    shell.run_line_magic("sharding", "")
    assert "params" in capsys.readouterr().out


def test_collectives_lists_those_of_every_function_compiled_in_the_cell(shell, capsys):
    shell.run_line_magic("load_ext", "shardwidget")
    shell.run_cell("x = put((8, 16), None, 'model'); w = put((16, 4), 'model')")
    code = "@jax.jit\ndef layer(x, w):\n    return x @ w\ny = layer(x, w)"
    shell.run_cell_magic("collectives", "", code)
    out = capsys.readouterr().out
    assert "layer" in out
    assert "all-reduce" in out
    assert "model" in out
    assert "compiled in this cell" in out
    assert shell.user_ns["y"].shape == (8, 4)
    shell.run_cell_magic("collectives", "", "y = layer(x, w)")
    assert "Nothing was compiled in this cell" in capsys.readouterr().out
    shell.run_cell_magic("collectives", "", "y = layer(put((8, 16), None), w)")
    out = capsys.readouterr().out
    assert "compiled again: layer 1 time. x: P(None, 'model') before, P(None) now" in out
    shell.run_cell_magic("collectives", "", code)
    assert "compiled again" not in capsys.readouterr().out


SEVERAL = """
@jax.jit
def layer(x, w):
    return jax.nn.relu(x @ w)

@jax.jit
def loss(w, x):
    return jnp.mean(layer(x, w))

y = layer(put((8, 16), None, "model"), w)
for n in (8, 16, 16):
    g = loss(w, put((n, 16), None, "model"))
doubled = jax.jit(lambda x: x * 2)(w)
"""


def test_collectives_of_several_functions_in_one_cell(shell, capsys):
    shell.run_line_magic("load_ext", "shardwidget")
    shell.run_cell("w = put((16, 4), 'model')")
    shell.run_cell("%%collectives" + SEVERAL, store_history=True)
    out = capsys.readouterr().out
    named = re.findall(r"^(\w+): 1 all-reduce over model in line (\d+) ", out, re.MULTILINE)
    assert named == [("layer", "4"), ("loss", "4"), ("loss", "4")]
    assert "functions were compiled in this cell" in out
    assert "this cell: compiled again: loss 1 time. x: (8, 16) before, (16, 16) now" in out
    assert [line.split()[:5] for line in re.findall(r"^loss +cell.*", out, re.MULTILINE)] == [
        ["loss", "cell", "1,", "line", "12"],
        ["loss", "cell", "1,", "line", "12"],
    ]


AWAITS = """
import asyncio
await asyncio.sleep(0)
@jax.jit
def awaited(x, w):
    return x @ w
z = awaited(x, w)
"""


@pytest.mark.parametrize("running", [True, False], ids=["in a notebook", "in a terminal"])
@pytest.mark.parametrize(
    ("cell", "says"),
    [
        (AWAITS, ("awaited", "all-reduce", "compiled in this cell")),
        ("async def one():\n    return x.sum()\nv = (await one()) + 1", ("compiled in this cell",)),
        ("v = 3", ("Nothing was compiled",)),
    ],
)
def test_collectives_of_a_cell_that_awaits(shell, capsys, running, cell, says):
    shell.run_line_magic("load_ext", "shardwidget")
    shell.run_cell("x = put((8, 16), None, 'model'); w = put((16, 4), 'model')")

    async def kernel():
        shell.run_cell_magic("collectives", "", cell)

    if running:
        asyncio.run(kernel())
    else:
        shell.run_cell_magic("collectives", "", cell)
    out = capsys.readouterr().out
    assert all(word in out for word in says)


def test_a_cell_that_awaits_and_raises_ends_in_one_line(shell):
    shell.run_line_magic("load_ext", "shardwidget")

    async def kernel():
        shell.run_cell_magic("collectives", "", "import asyncio\nawait asyncio.sleep(0)\n1 / 0")

    with pytest.raises(UsageError, match="the cell raised ZeroDivisionError"):
        asyncio.run(kernel())
