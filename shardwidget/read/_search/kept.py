"""What the compiler for TPUs said, kept on disk: under its own version, JAX's and ours."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
from pathlib import Path

import jax

from shardwidget._version import __version__


def kept(*key: object) -> Path | None:
    """Where it is kept; None where the compiler is not installed."""
    try:
        compiler = importlib.metadata.version("libtpu")
    except importlib.metadata.PackageNotFoundError:
        return None
    name = hashlib.sha256(repr((*key, compiler, jax.__version__, __version__)).encode()).hexdigest()
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "shardwidget", "search", f"{name}.json")


def keep(file: Path | None, text: str) -> None:
    """Keeps it."""
    if file is None:
        return
    with contextlib.suppress(OSError):  # A home that cannot be written is no reason to fail.
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(text, encoding="utf-8")
        part.replace(file)
