"""The front end as built: text of files that the wheel carries."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"

BUILD = "run `npm --prefix js run build` (or `make build`)"
"""How to build it in a checkout."""


def read(name: str) -> str:
    """Text of a built front-end file.

    Raises:
        FileNotFoundError: the front end has not been built, or is missing from the installation.
    """
    path = STATIC / name
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"shardwidget's front end is missing: there is no {path}. In a checkout, {BUILD}; in "
            "an installed package, reinstall shardwidget: its wheel carries this file."
        ) from None
