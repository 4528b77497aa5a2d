"""A directive for Sphinx, in reStructuredText and in MyST: an example, run while the documentation is built.

``extensions = ["shardwidget.sphinx"]`` in ``conf.py``, then::

    .. shardwidget::

        x = jax.device_put(jnp.zeros((8, 16)), jax.NamedSharding(mesh, P("x", "y")))
        sw.show(x)

shows the code and, below it, what its last expression displays, which plays without a kernel. Examples of a document
share their names, as cells of a notebook do. ``shardwidget_setup`` in ``conf.py`` is code that runs before the first of
each document. ``:hide-code:`` leaves the code out.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives

from shardwidget._config import config
from shardwidget._example import last_value
from shardwidget._version import __version__
from shardwidget.export.html import Page

_STATE = "shardwidget"
"""Where a document that is read keeps its names and the front ends that it has: an attribute of its settings."""


class Example(Directive):
    """Runs its content; shows it, and what its last expression displays."""

    has_content = True
    option_spec = {"hide-code": directives.flag}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """The code, and HTML; the picture as text for builders of anything else."""
        code = "\n".join(self.content)
        names, brought = self._document()
        try:
            with config(mode="html"):
                view = last_value(code, f"{self.state.document['source']}:{self.content_offset + 1}", names)
                page = view._page_within(brought)  # noqa: SLF001
        except Exception as error:
            raise self.error(f"the example raised {type(error).__name__}: {error}") from error
        shown: list[nodes.Node] = [nodes.raw("", page, format="html"), *_only_elsewhere(repr(view))]
        return shown if "hide-code" in self.options else [nodes.literal_block(code, code, language="python"), *shown]

    def _document(self) -> tuple[dict[str, Any], Page]:
        settings = self.state.document.settings
        if not hasattr(settings, _STATE):
            names: dict[str, Any] = {"__name__": "example"}
            env = getattr(settings, "env", None)
            exec(env.config.shardwidget_setup if env else "", names)
            setattr(settings, _STATE, (self.state.document, names, Page()))
        document, names, brought = getattr(settings, _STATE)
        if document is not self.state.document:
            delattr(settings, _STATE)
            return self._document()
        return names, brought


def _only_elsewhere(text: str) -> list[nodes.Node]:
    """Text for builders that take no HTML; plain docutils has no such node."""
    try:
        from sphinx.addnodes import only  # pyright: ignore[reportMissingImports]
    except ImportError:
        return []
    return [only("", nodes.literal_block(text, text, language="none"), expr="not html")]


def setup(app: Any) -> dict[str, Any]:
    """What Sphinx calls for an extension."""
    app.add_config_value("shardwidget_setup", "", "env")
    app.add_directive("shardwidget", Example)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
