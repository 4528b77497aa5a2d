"""A document as HTML that needs no kernel, no network and no other file.

``page`` is a whole file. ``fragment`` is a piece of one, for the output of a notebook cell. Both hold, in one root
element: a plain table, which is all that a reader without scripts sees; the state; the front end; and a small script
that starts the front end and hides the table when it is up.
"""

from __future__ import annotations

import hashlib
import html
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
<script type="application/json" data-sw="state">{state}</script>
<script type="application/json" data-sw="front-end">{front_end}</script>
<script>{start}</script>
</div>"""

# The key is that of the content, so one notebook run twice is the same file twice. Equal outputs on a page share it:
# each run of the script takes the roots that are not started yet. A notebook may run the script on a detached copy
# or more than once.
_START = """(() => {
  // A browser keeps every module that it has loaded, and what that holds: each front end is loaded once per page.
  const loaded = (window[Symbol.for("shardwidget front ends")] ??= new Map());
  const load = (source) => {
    if (!loaded.has(source)) {
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      loaded.set(source, import(address).finally(() => URL.revokeObjectURL(address)));
    }
    return loaded.get(source);
  };
  for (const root of document.querySelectorAll('[data-shardwidget="%s"]:not([data-started])')) {
    root.dataset.started = "";
    const part = (name) => root.querySelector('[data-sw="' + name + '"]');
    const start = async () => {
      const [widget, page] = await Promise.all(JSON.parse(part("front-end").textContent).map(load));
      await page.mount(part("view"), JSON.parse(part("state").textContent), widget.default.render);
      part("fallback").hidden = part("view").dataset.ready === "true";
    };
    start().catch((error) => {
      part("view").textContent = "shardwidget cannot draw this saved picture: the file is damaged, or this viewer "
        + "does not let it run. " + error;
      part("view").dataset.ready = "error";
    });
  }
})();"""


def fragment(state: dict[str, Any], fallback: str, front_end: str) -> str:
    """HTML of one picture, to be placed in a page with others.

    Args:
        state: the widget's traits by name; ``bytes`` are allowed anywhere in it.
        fallback: HTML that is shown where scripts do not run.
        front_end: the widget's bundle, a file of ``shardwidget/static``.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    saved, sources = encode(state), encode([bundle.read(front_end), bundle.read("page.js")])
    key = hashlib.sha256(f"{saved}{sources}{fallback}".encode()).hexdigest()[:16]
    parts = {"fallback": fallback, "state": saved, "front_end": sources, "start": _START % key}
    return _FRAGMENT.format(key=key, **parts)


def page(state: dict[str, Any], fallback: str, title: str, front_end: str) -> str:
    """A whole HTML file, which opens from disk and makes no request.

    Args:
        state: the widget's traits by name; ``bytes`` are allowed anywhere in it.
        fallback: HTML that is shown where scripts do not run.
        title: plain text for the window and for screen readers.
        front_end: the widget's bundle, a file of ``shardwidget/static``.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    return _PAGE.format(
        policy=html.escape(_POLICY), title=html.escape(title), fragment=fragment(state, fallback, front_end)
    )
