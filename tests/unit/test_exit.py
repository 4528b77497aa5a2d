"""Python ends without a word while a widget is alive, and while one works on a thread."""

import os
import subprocess
import sys

import pytest

# In builtins, a widget outlives the modules that it would need to let go of what it holds.
ALIVE = """
import builtins
import jax.numpy as jnp, shardwidget as sw
builtins.view = sw.ArrayView(jnp.ones((8, 8)), mode="html")
print("ends")
"""

# What is registered first is called last.
SEARCHES = """
import atexit, threading
import shardwidget as sw
from tests.searches import search
goes = threading.Event()
def candidates():
    while True:
        goes.set()
        yield view.document
atexit.register(lambda: print("searches" if view._thread.is_alive() else "ends"))
view = sw.SearchView(search(), mode="html")
view._coming = candidates()
view.resume()
goes.wait()
"""


@pytest.mark.parametrize("source", [ALIVE, SEARCHES], ids=["a widget", "a search"])
def test_python_ends(source):
    program, env = [sys.executable, "-c", source], os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(program, capture_output=True, text=True, env=env, check=False, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")
