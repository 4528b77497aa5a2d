"""A document as HTML that needs no kernel, no network and no other file.

``page`` is a whole file. ``fragment`` is a piece of one; ``shared`` is a piece for the output of a notebook cell, which
may have its front end from another output. All hold, in one root element: what a reader without scripts sees, a table
or a picture; the state; the front end; and a small script that starts the front end and hides the table when it is up.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable, Iterable
from typing import Any

from shardwidget.export import bundle
from shardwidget.export.state import encode

# The page may run its own scripts and show its own pictures; nothing may come from, or go to, anywhere.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ margin: 16px; background: #fff; color: #1b1f24; font-family: system-ui, sans-serif }}
h1 {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }}
@media (prefers-color-scheme: dark) {{ body {{ background: #16191d; color: #e8ecf1 }} }}
@media print {{ body {{ margin: 0; background: #fff; color: #1b1f24 }} @page {{ margin: 12mm }} }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{fragment}
</main>
</body>
</html>
"""

_FRAGMENT = """<div data-shardwidget="{key}">
<!-- shardwidget, Apache-2.0. Contains Preact, Copyright (c) 2015-present Jason Miller, MIT License:
https://opensource.org/license/mit -->
<div data-sw="fallback">{fallback}</div>
<div data-sw="view"></div>
{brought}<script type="application/json" data-sw="state">{state}</script>
<script type="application/json" data-sw="front-end">{front_end}</script>
<script>{start}</script>
</div>"""

_SOURCE = '<script type="application/json" data-sw-source="{key}">{text}</script>\n'

# The key is that of the content, so one notebook run twice is the same file twice. Equal outputs on a page share it:
# each run of the script takes the roots that are not started yet. A notebook may run the script on a detached copy
# or more than once, and may put its outputs on the page in any order.
_START = """(() => {
  // A browser keeps every module that it has loaded, and what that holds: each front end is loaded once per page.
  const loaded = (window[Symbol.for("shardwidget front ends")] ??= new Map());
  const texts = (window[Symbol.for("shardwidget texts")] ??= new Map());
  const load = (source) => {
    if (!loaded.has(source)) {
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      loaded.set(source, import(address).finally(() => URL.revokeObjectURL(address)));
    }
    return loaded.get(source);
  };
  const brought = (key) => {
    const place = document.querySelector('[data-sw-source="' + key + '"]');
    try {
      if (place && !texts.has(key)) texts.set(key, JSON.parse(place.textContent));
    } catch {} // The rest of it is still to come.
    return texts.get(key);
  };
  const text = (part, wait) => {
    const key = part?.$source;
    if (key === undefined) return part;
    return brought(key) ?? new Promise((done) => {
      const look = () => brought(key) && (done(brought(key)), watch.disconnect());
      const watch = new MutationObserver(look);
      watch.observe(document, { childList: true, subtree: true });
      setTimeout(wait, 3000);
    });
  };
  for (const root of document.querySelectorAll('[data-shardwidget="%s"]:not([data-started])')) {
    root.dataset.started = "";
    const part = (name) => root.querySelector('[data-sw="' + name + '"]');
    const wait = () => {
      if (!part("view").dataset.ready) part("view").textContent = "Run the cell again to play this: the output that "
        + "brought its front end is not on this page.";
    };
    const start = async () => {
      const sources = await Promise.all(JSON.parse(part("front-end").textContent).map((source) => text(source, wait)));
      const state = JSON.parse(part("state").textContent);
      for (const name in state) state[name] = await text(state[name], wait);
      const [widget, page] = await Promise.all(sources.map(load));
      part("view").textContent = "";
      await page.mount(part("view"), state, widget.default.render);
      part("fallback").hidden = part("view").dataset.ready === "true";
    };
    start().catch((error) => {
      part("view").textContent = "shardwidget cannot draw this saved picture: the file is damaged, or this viewer "
        + "does not let it run. " + error;
      part("view").dataset.ready = "error";
    });
  }
})();"""


class Page:
    """A page that is written from its beginning to its end, and the texts of the front end that it has."""

    def __init__(self) -> None:
        self._keys: set[str] = set()

    def missing(self, keys: Iterable[str]) -> set[str]:
        """Those whose texts it has not; from now on it has them."""
        found = set(keys) - self._keys
        self._keys |= found
        return found


def fragment(state: dict[str, Any], fallback: str, front_end: str) -> str:
    """HTML of one picture, to be placed in a page with others.

    Args:
        state: the widget's traits by name; ``bytes`` are allowed anywhere in it.
        fallback: HTML that is shown where scripts do not run.
        front_end: the widget's bundle, a file of ``shardwidget/static``.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    return _fragment(state, fallback, [bundle.read(front_end), bundle.read("page.js")])


def shared(
    state: dict[str, Any],
    fallback: str,
    front_end: str,
    later: Iterable[str],
    missing: Callable[[Iterable[str]], set[str]],
) -> str:
    """HTML of one output of a notebook, whose outputs are on one page and hold each text of the front end once.

    Args:
        state: the widget's traits by name; ``bytes`` are allowed anywhere in it.
        fallback: HTML that is shown where scripts do not run, and where the output with the front end is gone.
        front_end: the widget's bundle, a file of ``shardwidget/static``.
        later: the traits that are texts of the front end too.
        missing: those of some keys whose texts this output must bring.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    texts = {_key(text): text for text in (bundle.read(front_end), bundle.read("page.js"))}
    front_ends = [{"$source": key} for key in texts]
    texts |= {_key(state[name]): state[name] for name in later}
    state = state | {name: {"$source": _key(state[name])} for name in later}
    brought = missing(texts)
    sources = (_SOURCE.format(key=key, text=encode(text)) for key, text in texts.items() if key in brought)
    return _fragment(state, fallback, front_ends, "".join(sources))


def _fragment(state: dict[str, Any], fallback: str, front_end: list[Any], brought: str = "") -> str:
    saved, sources = encode(state), encode(front_end)
    key = _key(f"{saved}{sources}{fallback}")
    parts = {"fallback": fallback, "state": saved, "front_end": sources, "start": _START % key, "brought": brought}
    return _FRAGMENT.format(key=key, **parts)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def page(title: str, *fragments: str) -> str:
    """A whole HTML file, which opens from disk and makes no request.

    Args:
        title: plain text for the window and for screen readers.
        *fragments: its pictures, from top to bottom: what ``fragment`` returns.
    """
    return _PAGE.format(policy=html.escape(_POLICY), title=html.escape(title), fragment="\n".join(fragments))
