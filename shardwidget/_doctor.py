"""``doctor``: why a display may not work, from what is installed where."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass
from html import escape
from importlib import metadata
from pathlib import Path

from shardwidget._format import byte_count
from shardwidget._front_end import front_end
from shardwidget.export import bundle

_PACKAGES = (
    "shardwidget",
    "jax",
    "jaxlib",
    "numpy",
    "anywidget",
    "ipywidgets",
    "jupyterlab_widgets",
    "jupyterlab",
    "notebook",
    "marimo",
)

_ANYMODEL = (
    "\"Failed to load model class 'AnyModel' from module 'anywidget'\" means that the page in the browser has no "
    "anywidget, or one of another minor version than this kernel's. Install the same anywidget (pip install -U "
    "anywidget) in the environment that runs the notebook server, which need not be this kernel's, restart that "
    "server, and reload the page. If you cannot do that, shardwidget.show(x, mode='html') needs nothing in the "
    "server."
)

_NOT_FOUND = (
    '"Error displaying widget: model not found" in a reopened notebook means that its kernel is gone and that no '
    "picture was saved. Run the cell again, or display with mode='html', which stays in the notebook and still plays."
)


@dataclass(frozen=True)
class Diagnosis:
    """What ``doctor`` found: facts, then advice. Shows itself as text and as a table."""

    facts: tuple[tuple[str, str], ...]
    """Pairs of a name and what was found."""
    advice: tuple[str, ...]
    """What to do, the most likely first."""

    def __repr__(self) -> str:
        width = max(len(name) for name, _ in self.facts)
        return "\n".join([*(f"{name:<{width}}  {found}" for name, found in self.facts), "", *self.advice])

    def _repr_html_(self) -> str:
        rows = (f"<tr><th>{escape(name)}</th><td>{escape(found)}</td></tr>" for name, found in self.facts)
        return f"<table>{''.join(rows)}</table>" + "".join(f"<p>{escape(line)}</p>" for line in self.advice)


def doctor() -> Diagnosis:
    """Explains why a display may not work: versions here and in the notebook server, the front end, and what to do.

    Returns:
        An object that prints as text and displays as a table.
    """
    here = _version("anywidget")
    server = _server_prefix()
    in_server = None if server is None else _lab_extension(server)
    facts = [
        ("python", f"{platform.python_version()} in {sys.prefix}"),
        *((package, _version(package)) for package in _PACKAGES),
        ("front end", front_end().name),
        ("notebook server", "not known" if server is None else str(server)),
        ("anywidget in the server", "not known" if server is None else in_server or "not found"),
        ("bundle", _bundle()),
    ]
    advice = [_ANYMODEL, _NOT_FOUND]
    if server is not None and in_server is None:
        advice.insert(0, f"The notebook server's environment ({server}) has no anywidget: install it there.")
    elif in_server is not None and _minor(in_server) != _minor(here):
        advice.insert(0, f"The notebook server has anywidget {in_server}, this kernel has {here}: make them the same.")
    if not (bundle.STATIC / "array.js").exists():
        advice.insert(0, f"The front end is not built: {bundle.BUILD} in the checkout, or reinstall shardwidget.")
    return Diagnosis(tuple(facts), tuple(advice))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed here"


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _server_prefix() -> Path | None:
    """The environment of the Jupyter server that started this kernel, if the system shows it."""
    parent = os.environ.get("JPY_PARENT_PID", "")
    try:
        program = Path(f"/proc/{int(parent)}/cmdline").read_bytes().split(b"\0")[0].decode()
    except (OSError, ValueError):
        return None
    prefix = Path(program).parent.parent
    return prefix if prefix.is_absolute() else None


def _lab_extension(prefix: Path) -> str | None:
    """Version of anywidget that an environment's notebook server gives to the browser."""
    try:
        found = json.loads((prefix / "share/jupyter/labextensions/anywidget/package.json").read_text("utf-8"))
        return str(found["version"])
    except (OSError, ValueError, KeyError):
        return None


def _bundle() -> str:
    path = bundle.STATIC / "array.js"
    return f"{path}, {byte_count(path.stat().st_size)}" if path.exists() else f"missing: {path}"
