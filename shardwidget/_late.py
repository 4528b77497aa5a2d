"""Names that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(names: Mapping[str, str], package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names are imported when they are first used.

    Args:
        names: the module of each name; the name itself may be a module.
        package: its name, for messages.
    """

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(names[name])
        return module if names[name] == f"{package}.{name}" else getattr(module, name)

    return getattribute, lambda: sorted(names)
