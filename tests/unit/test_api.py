"""The public API, name by name with its signature: a change to it shows up in review.

``python -m tests.unit.test_api`` writes the file anew.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

import shardwidget as sw
from shardwidget import document

SNAPSHOT = Path(__file__).with_name("api.txt")
API = Path(sw.__file__).parent.parent / "docs" / "api.md"


def public() -> str:
    lines = []
    for name in dir(sw):
        value = getattr(sw, name)
        if inspect.ismodule(value):
            for inner in sorted(value.__all__):
                lines += _described(f"{name}.{inner}", getattr(value, inner))
        else:
            lines += _described(name, value)
    return "\n".join(lines) + "\n"


def _described(name: str, value: object) -> list[str]:
    if isinstance(value, dict):
        return [name]
    if inspect.isfunction(value):
        return [f"{name}{_signature(value)}"]
    cls = value if isinstance(value, type) else type(value)
    lines = [f"{name}{_signature(value)}"]
    ours = [c for c in cls.__mro__ if c.__module__.startswith("shardwidget")]
    members = sorted({m for c in ours for m in vars(c) if not m.startswith("_")})
    for member in members:
        found = inspect.getattr_static(cls, member)
        found = found.__func__ if isinstance(found, classmethod | staticmethod) else found
        lines.append(f"  .{member}{_signature(found) if inspect.isfunction(found) else ''}")
    return lines


def _signature(value: object) -> str:
    parameters = []
    assert callable(value)
    for p in inspect.signature(value).parameters.values():
        default = "" if p.default is p.empty else f"={p.default!r}"
        # What Python and the dataclasses of a version print differs; that there is a default does not.
        default = default if len(default) < 40 and "0x" not in default and "<" not in default else "=…"
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind is p.KEYWORD_ONLY and not any(q.startswith("*") for q in parameters):
            parameters.append("*")
        parameters.append(f"{star}{p.name}{default}")
    return f"({', '.join(parameters)})"


def test_the_public_api_is_the_recorded_one():
    assert public() == SNAPSHOT.read_text(encoding="utf-8")


def test_the_guide_lists_the_public_names_and_readers_and_nothing_else():
    listed = set(re.findall(r"^::: (\S+)", API.read_text(encoding="utf-8"), re.MULTILINE))
    names = {f"shardwidget.{name}" for name in dir(sw)} - {"shardwidget.read"}
    readers = {f"shardwidget.read.{name}" for name in dir(sw.read)}
    assert names | readers <= listed
    rest = [name.rpartition(".") for name in listed - names - readers]
    assert {(module, name) for module, _, name in rest if not hasattr(import_module(module), name)} == set()
    modules = {
        "shardwidget.cost", "shardwidget._config", "shardwidget.teach.grading", "shardwidget.testing",
        *_document_modules(),
    }  # fmt: skip
    assert {module for module, _, _ in rest} <= modules


def _document_modules() -> set[str]:
    return {
        getattr(document, name).__module__ for name in document.__all__ if isinstance(getattr(document, name), type)
    }


if __name__ == "__main__":
    SNAPSHOT.write_text(public(), encoding="utf-8")
