"""The directive that runs an example of a documentation, by docutils itself."""

import io
import re
from typing import Any

import pytest
from docutils.core import publish_parts
from docutils.parsers.rst import directives

from shardwidget.sphinx import Example

SETUP = """
.. shardwidget::
   :hide-code:

   import jax, shardwidget as sw
   mesh = jax.sharding.AbstractMesh((4, 2), ("x", "y"))
   sharding = jax.NamedSharding(mesh, jax.P("x", "y"))
   sw.show(((8, 16), "float32", sharding))

.. shardwidget::

   sw.show(((8, 8), "float32", sharding), name="second")
"""


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    known: Any = directives
    monkeypatch.setitem(known._directives, "shardwidget", Example)


def built(text: str) -> str:
    options = {"report_level": 3, "halt_level": 5, "warning_stream": io.StringIO()}
    parts: Any = publish_parts(text, writer="html5", settings_overrides=options)
    return parts["html_body"]


def test_examples_of_a_document_share_names_and_front_ends():
    page = built(SETUP)
    assert page.count('data-sw="view"') == 2
    keys = re.findall(r'data-sw-source="(\w+)"', page)
    assert len(keys) == len(set(keys)) == 3
    code = re.sub(r"<[^>]+>", "", "".join(re.findall(r"<pre.*?</pre>", page, re.DOTALL)))
    assert code == "sw.show(((8, 8), &quot;float32&quot;, sharding), name=&quot;second&quot;)"
    # Another document begins anew.
    assert re.findall(r'data-sw-source="(\w+)"', built(SETUP)) == keys


def test_an_example_that_raises_says_what():
    assert "the example raised NameError" in built(".. shardwidget::\n\n   nothing\n")
    assert "must end in an expression" in built(".. shardwidget::\n\n   x = 1\n")
