"""HTML as a test reads it, and names that would be markup if they were let through."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror='alert(1)'>", "a&amp;b", "</td></table>", "a" * 10_000]


class Parsed(HTMLParser):
    """Elements, attributes and text of a piece of HTML; fails on elements that do not nest."""

    def __init__(self, html: str):
        super().__init__()
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        assert not self._open

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
