"""The output that stands in for a widget whose kernel is gone."""

import re

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.export.reopened import reopened
from tests.front_end import Kernel
from tests.models import eight

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def view():
    sharding = NamedSharding(eight(), P("data", "model"))
    return sw.ArrayView(jax.ShapeDtypeStruct((8, 16), "float32", sharding=sharding))


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def displayed(shell, view):
    """The data of the outputs that displaying a view makes by itself, and what it leaves to IPython."""
    with capture_output() as caught:
        published, _ = shell.display_formatter.format(view)
    return [output.data for output in caught.outputs], published


def test_a_widget_in_a_notebook_is_followed_by_its_picture(shell, view, monkeypatch):
    monkeypatch.setattr(shell, "kernel", Kernel(), raising=False)
    (first, second), published = displayed(shell, view)
    assert published == {}
    assert first[WIDGET]["model_id"] == view.model_id
    assert set(second) == {"text/html"}
    assert "data:image/svg+xml;base64," in second["text/html"]
    # Without the style sheet there is nothing to see.
    assert re.sub("<style>.*</style>|<[^>]*>", "", second["text/html"], flags=re.DOTALL) == ""


def test_elsewhere_there_is_one_output(shell, view, monkeypatch):
    outputs, published = displayed(shell, view)
    assert outputs == []
    assert WIDGET in published
    monkeypatch.setattr(shell, "kernel", Kernel(), raising=False)
    outputs, published = displayed(shell, sw.ArrayView(view.array, mode="html"))
    assert outputs == []
    assert set(published) == {"text/plain", "text/html"}


def test_where_nothing_can_be_drawn_the_text_is_shown_and_nothing_of_it_is_markup():
    html = reopened(None, 'a\n"b" \\ </style><script>', '<b title="x">')
    style, rest = html.split("</style>")
    assert "<" not in style.removeprefix("<style>")
    (content,) = re.findall(r'content: "(.*?)"; white-space', style)
    assert re.sub(r"\\([0-9a-f]+) ", lambda c: chr(int(c[1], 16)), content) == 'a\n"b" \\ </style><script>'
    assert 'aria-label="&lt;b title=&quot;x&quot;&gt;"' in rest


@pytest.mark.parametrize("ends", ['"', "\\", "\n", "\r", "\f", "</style>", "}", "*/", "\u2028", '\\"', "é"])
def test_no_text_ends_its_string_or_the_style_sheet(ends):
    (style,) = re.findall("<style>(.*)</style>", reopened(None, f"a{ends}b", "title"), flags=re.DOTALL)
    (content,) = re.findall(r'content: "([^"]*)"; white-space: pre', style)
    assert re.fullmatch(r"(?:[\w .,:;=()\[\]-]|\\[0-9a-f]+ )*", content)
    assert re.sub(r"\\([0-9a-f]+) ", lambda c: chr(int(c[1], 16)), content) == f"a{ends}b"
    assert style.count('"') == 4
