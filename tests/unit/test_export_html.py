"""The saved page as text; `tests/hosts` opens it in browsers."""

import base64
import json
import re
import sys

import pytest

from shardwidget.export import bundle, html, svg
from shardwidget.export.state import encode

HOSTILE = "</script><script>alert(1)</script><!-- <script> ]]> \u2028 \" ' & {x} %s"


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match
    return match[1]


def script(page: str, part: str) -> str:
    return found(rf'<script type="application/json" data-sw="{part}">(.*?)</script>', page)


def test_state_has_bytes_as_base64():
    text = encode({"a": {"b": [b"\x00\xff", memoryview(b"hi")]}, "n": 1.5})
    assert json.loads(text) == {
        "a": {"b": [{"$bytes": base64.b64encode(b"\x00\xff").decode()}, {"$bytes": "aGk="}]},
        "n": 1.5,
    }


def test_no_string_in_a_state_can_end_its_script():
    text = encode({HOSTILE: HOSTILE})
    assert "<" not in text
    assert json.loads(text) == {HOSTILE: HOSTILE}


@pytest.mark.parametrize(("value", "error"), [(object(), TypeError), (float("nan"), ValueError), ({1, 2}, TypeError)])
def test_a_state_that_is_no_json_is_refused(value, error):
    with pytest.raises(error):
        encode({"a": value})


def test_a_page_carries_state_front_end_and_fallback():
    page = html.page("x", html.fragment({"_document": {"name": HOSTILE}}, "<table></table>", "array.js"))
    assert json.loads(script(page, "state")) == {"_document": {"name": HOSTILE}}
    assert json.loads(script(page, "front-end")) == [bundle.read("array.js"), bundle.read("page.js")]
    assert '<div data-sw="fallback"><table></table></div>' in page


def test_a_title_is_text():
    page = html.page(HOSTILE, html.fragment({}, "", "array.js"))
    head = page.partition("</head>")[0]
    assert "<script>" not in head
    assert "<title>&lt;/script&gt;" in head


def test_a_page_may_load_nothing():
    page = html.page("x", html.fragment({}, "", "array.js"))
    policy = found(r'Content-Security-Policy" content="([^"]*)"', page).replace("&#x27;", "'")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert {source for value in rules.values() for source in value.split()} <= {
        "'none'",
        "'unsafe-inline'",
        "blob:",
        "data:",
    }
    assert not re.search(r'(src|href)\s*=\s*["\']?(https?:)?//', page)


def test_equal_content_has_the_same_key_and_other_content_another():
    keys = [found('data-shardwidget="([^"]+)"', html.fragment(state, "", "array.js")) for state in ({}, {}, {"a": 1})]
    assert keys[0] == keys[1] != keys[2]


def test_a_front_end_that_was_not_built(monkeypatch, tmp_path):
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    with pytest.raises(FileNotFoundError, match="npm --prefix js run build"):
        html.page("x", html.fragment({}, "", "array.js"))


def test_svg_without_the_extra_says_what_to_install(monkeypatch):
    svg.engine.cache_clear()
    monkeypatch.setitem(sys.modules, "py_mini_racer", None)
    assert not svg.available()
    with pytest.raises(ImportError, match=r'pip install "shardwidget\[svg\]".*to_html'):
        svg.picture({})


@pytest.mark.parametrize(
    ("options", "message"), [({"width": 10}, "200 to 10000.*got 10"), ({"theme": "blue"}, "'blue'")]
)
def test_svg_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        svg.picture({}, **options)


def test_a_page_names_the_licence_of_what_it_contains():
    page = html.fragment({"_document": {}}, "<table></table>", "array.js")
    assert "Contains Preact, Copyright (c) 2015-present Jason Miller, MIT License" in page
