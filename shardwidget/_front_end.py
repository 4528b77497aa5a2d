"""Which front end shows what this process displays, by what it leaves here, and whether it runs widgets.

Nothing tells a kernel that its front end has no widgets. But a program that runs a notebook from top to bottom
(nbconvert, Quarto, Sphinx, papermill: nbclient in all) cannot be asked for input, and says so with each cell; what a
person sits at can.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class FrontEnd:
    """A place where outputs are shown."""

    name: str
    widgets: bool = True
    """Whether it runs widgets."""
    one_page: bool = True
    """Whether all outputs of a notebook are on one page, where one may use what another brought."""


def front_end() -> FrontEnd:
    """The front end of the cell that runs now."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    kernel = getattr(shell, "kernel", None)
    if "google.colab" in sys.modules:
        return FrontEnd("Colab", one_page=False)
    if "marimo" in sys.modules and sys.modules["marimo"].running_in_notebook():
        return FrontEnd("marimo", one_page=False)
    if kernel is None:
        return FrontEnd("none: in plain Python, repr draws the picture and to_html saves a page", one_page=False)
    if "KAGGLE_KERNEL_RUN_TYPE" in os.environ:
        return FrontEnd("Kaggle", widgets=False, one_page=False)
    if "DATABRICKS_RUNTIME_VERSION" in os.environ:
        return FrontEnd("Databricks", one_page=False)
    if os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
        return FrontEnd("Voila")
    if not _may_ask(kernel) or _of_myst(kernel):
        return FrontEnd("a program that runs the notebook (nbconvert, Quarto, MyST, Sphinx or another)", widgets=False)
    if "VSCODE_PID" in os.environ or "VSCODE_CWD" in os.environ:
        return FrontEnd("VS Code")
    return FrontEnd("a Jupyter front end (JupyterLab, Notebook or another)")


def running_cell() -> tuple[str, str]:
    """The cell that runs now, and the run of it."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    message = _message(getattr(shell, "kernel", None))
    run = str(message.get("header", {}).get("msg_id", ""))
    # Some front ends name no cells. Equal code is then the same cell again, unless a program runs each cell once.
    unnamed = message.get("content", {}).get("code", "") if front_end().widgets else run
    return str(message.get("metadata", {}).get("cellId") or unnamed), run


def _may_ask(kernel: Any) -> bool:
    """Whether the running cell may call ``input``; messages of widgets do not say, and only live ones send them."""
    return bool(_message(kernel).get("content", {}).get("allow_stdin", True))


def _of_myst(kernel: Any) -> bool:
    """Whether MyST runs the notebook: through a server of its own that serves no application, and naming no cells."""
    try:
        server = Path(f"/proc/{int(os.environ.get('JPY_PARENT_PID', ''))}/cmdline").read_bytes()
    except (OSError, ValueError):
        return False
    message = _message(kernel)
    return b"\0-m\0jupyter_server\0" in server and bool(message) and "cellId" not in message.get("metadata", {})


def _message(kernel: Any) -> dict[str, Any]:
    """What the kernel was asked for now; empty in kernels that are not ipykernel."""
    try:
        found = kernel.get_parent("shell")
    except (AttributeError, TypeError, LookupError):
        return {}
    return found if isinstance(found, dict) else {}
