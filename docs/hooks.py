"""Runs the examples of the guide while it is built.

A line ``[[name]]`` in a page stands for ``docs/examples/name.py``: its code, and below it what its last expression
displays in a notebook, in the form that needs no kernel. All examples start from ``docs/examples/setup.py``.
"""

from __future__ import annotations

import ast
import functools
import os
import re
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent / "examples"
MARK = re.compile(r"^\[\[(\w+)\]\]$", re.MULTILINE)
PLACE = '<div class="example" data-example="{}"></div>'


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Puts the code of an example where its name stands, and a place for what it displays."""
    return MARK.sub(lambda found: f"```python\n{_code(found[1])}\n```\n\n{PLACE.format(found[1])}\n", markdown)


def on_post_page(output: str, **_: Any) -> str:
    """Fills the places: last of all, so that the search index and the table of contents do not see the bundles."""
    return re.sub(PLACE.format(r"(\w+)"), lambda found: f'<div class="example">{_display(found[1])}</div>', output)


def _code(name: str) -> str:
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").strip()


def _display(name: str) -> str:
    """What the last expression of an example displays, as HTML."""
    if name == "setup":
        _setup()
        return ""
    path = EXAMPLES / f"{name}.py"
    *before, last = ast.parse(_code(name)).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"{path} must end in an expression, which is what the page displays")
    namespace = dict(_setup())
    # Under the file's own name, so that widgets show its lines.
    exec(compile(ast.Module(before, []), path, "exec"), namespace)
    shown = eval(compile(ast.Expression(last.value), path, "eval"), namespace)
    return shown._repr_mimebundle_()[0]["text/html"]


@functools.cache
def _setup() -> dict[str, Any]:
    os.environ["SHARDWIDGET_MODE"] = "html"
    namespace: dict[str, Any] = {"__name__": "setup"}
    exec(compile(_code("setup"), EXAMPLES / "setup.py", "exec"), namespace)
    return namespace
