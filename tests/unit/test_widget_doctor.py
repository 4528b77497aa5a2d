"""``doctor``: what it finds here and in the server, and the advice that follows from it."""

import json
import sys

import anywidget
import jax
import pytest

import shardwidget as sw
from shardwidget import _doctor
from shardwidget.export import bundle


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A notebook server's environment, as `doctor` will find it; call it with the anywidget that is in there."""
    monkeypatch.setattr(_doctor, "_server_prefix", lambda: tmp_path)

    def install(version: str) -> None:
        extension = tmp_path / "share/jupyter/labextensions/anywidget"
        extension.mkdir(parents=True)
        (extension / "package.json").write_text(json.dumps({"version": version}))

    return install


def test_versions_and_bundle():
    found = dict(sw.doctor().facts)
    assert found["jax"] == jax.__version__
    assert found["anywidget"] == anywidget.__version__
    assert found["bundle"].startswith(str(bundle.STATIC / "array.js"))
    assert sys.prefix in found["python"]


def test_it_explains_the_two_messages_that_users_meet():
    text = repr(sw.doctor())
    assert "Failed to load model class 'AnyModel'" in text
    assert "model not found" in text
    assert "mode='html'" in text


def test_a_server_without_anywidget(server, tmp_path):
    report = sw.doctor()
    assert dict(report.facts)["anywidget in the server"] == "not found"
    assert report.advice[0] == f"The notebook server's environment ({tmp_path}) has no anywidget: install it there."


def test_a_server_with_another_anywidget(server):
    server("0.1.7")
    assert sw.doctor().advice[0].startswith("The notebook server has anywidget 0.1.7, this kernel has ")


def test_a_server_with_the_same_anywidget(server):
    server(anywidget.__version__)
    assert "AnyModel" in sw.doctor().advice[0]


def test_a_front_end_that_was_not_built(monkeypatch, tmp_path):
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    report = sw.doctor()
    assert bundle.BUILD in report.advice[0]
    assert dict(report.facts)["bundle"].startswith("missing")


def test_html_is_escaped():
    html = _doctor.Diagnosis((("a", "<b>"),), ("c & d",))._repr_html_()
    assert html == "<table><tr><th>a</th><td>&lt;b&gt;</td></tr></table><p>c &amp; d</p>"
