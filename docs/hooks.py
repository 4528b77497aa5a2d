"""Runs the examples of the guide while it is built.

A line ``[[name]]`` in a page stands for ``docs/examples/name.py``: its code, and below it what its last expression
displays in a notebook, in the form that needs no kernel (``[[name only]]``: that alone); on one page, each front end is
there once. All examples start from ``docs/examples/setup.py``. A page of the gallery shows a picture of its example
until the example is up; the list of the gallery shows all pictures; ``[[support]]`` is a table of what the continuous
integration runs.
"""

from __future__ import annotations

import functools
import re
import sys
import tomllib
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from shardwidget._example import last_value
from shardwidget.export.html import Page

DOCS = Path(__file__).parent
EXAMPLES = DOCS / "examples"
PICTURE = 920  # CSS pixels, the width of an example beside its code on a screen of 1366.
MARK = re.compile(r"^\[\[(\w+)( only)?\]\]$", re.MULTILINE)
PLACE = '<div class="example" data-example="{}"></div>'
FRONT_ENDS = {"jupyterlab": "JupyterLab", "notebook": "Notebook", "marimo": "marimo", "nbconvert": "nbconvert"}
PROGRAM = re.compile(r'<li><a href="(\w+)\.html">(.*?)</a></li>')


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Puts the code of an example where its name stands, and a place for what it displays."""
    return MARK.sub(lambda found: _support() if found[1] == "support" else _example(found[1], not found[2]), markdown)


def on_post_page(output: str, page: Any, config: Any, **_: Any) -> str:
    """Fills the places: last of all, so that the search index and the table of contents do not see the bundles."""
    on_page = Page()
    folder = Path(config["site_dir"], "programs") if page.file.src_uri.startswith("programs/") else None
    if page.file.src_uri == "programs/index.md":
        return PROGRAM.sub(lambda found: _card(found[1], found[2], folder), output)
    return re.sub(
        PLACE.format(r"(\w+)"),
        lambda found: f'<div class="example">{_display(found[1], on_page, folder)}</div>',
        output,
    )


def _example(name: str, code: bool) -> str:
    return (f"```python\n{_code(name)}\n```\n\n" if code else "") + f"{PLACE.format(name)}\n"


def _support() -> str:
    """What the jobs of the continuous integration run, as a table."""
    jobs = yaml.safe_load((DOCS.parent / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    matrix = jobs["python"]["strategy"]["matrix"]
    runs = [{"os": o, "jax": j, "python": p} for o in matrix["os"] for j in matrix["jax"] for p in matrix["python"]]
    runs += matrix["include"]
    extra = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    named = {name: least for name, least in (wanted.split(">=") for wanted in extra["hosts"]) if name in FRONT_ENDS}
    shown = ", ".join(f"{FRONT_ENDS[name]} {least}" for name, least in named.items())
    head = ["| Python | JAX | system |", "|---|---|---|"]
    rows = [f"| {run['python']} | {run['jax']} | {run['os'].partition('-')[0]} |" for run in runs]
    made = f"JAX {metadata.version('jax')} on Python {sys.version_info.major}.{sys.version_info.minor}"
    newest = f"*newest* is the newest JAX that runs on that Python: the pictures of this guide were made with {made}."
    return "\n".join([*head, *rows, "", newest, "", f"Front ends, in Chromium, from these versions on: {shown}."])


def _code(name: str) -> str:
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").strip()


def _display(name: str, on_page: Page, pictures: Path | None) -> str:
    """What the last expression of an example displays, as HTML: until that is up, its picture, if there is a folder."""
    if name == "setup":
        return ""
    view = _view(name)
    if pictures is None:
        return view._page_within(on_page)  # noqa: SLF001
    table = f"<details><summary>as a table</summary>{view._table()}</details>"  # noqa: SLF001
    return view._page_within(on_page, _pictures(name, pictures, view._title()) + table)  # noqa: SLF001


def _card(page: str, title: str, folder: Path) -> str:
    """A link to a program of the gallery, with its picture."""
    ((example, _),) = MARK.findall((DOCS / "programs" / f"{page}.md").read_text(encoding="utf-8"))
    return f'<li><a href="{page}.html">{_pictures(example, folder, "")}<span>{title}</span></a></li>'


def _pictures(name: str, folder: Path, alt: str) -> str:
    """Images of what an example displays, for both themes of the guide."""
    return "".join(
        f'<img src="{file}#only-{theme}" alt="{escape(alt)}" loading="lazy">'
        for theme, file in _drawn(name, folder).items()
    )


@functools.cache
def _drawn(name: str, folder: Path) -> dict[str, str]:
    """Writes an example's pictures beside the page; their file names by theme."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {theme: f"{name}.{theme}.svg" for theme in ("light", "dark")}
    for theme, file in files.items():
        _view(name).to_svg(folder / file, width=PICTURE, theme=theme)
    return files


@functools.cache
def _view(name: str) -> Any:
    """The widget of an example, which is run once, under the file's own name, so that widgets show its lines."""
    return last_value(_code(name), str(EXAMPLES / f"{name}.py"), dict(_setup()))


@functools.cache
def _setup() -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "setup"}
    exec(compile(_code("setup"), EXAMPLES / "setup.py", "exec"), namespace)
    return namespace
