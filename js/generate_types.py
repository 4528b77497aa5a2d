"""Writes what TypeScript takes from Python.

``js/src/core/document.gen.ts`` has an interface for each dataclass of ``shardwidget.document``, ``columns.gen.ts`` the
columns of its tables, ``ranges.gen.ts`` what its numbers may be. What a field means is said once, where Python declares
it. ``python js/generate_types.py`` writes all; with ``--check`` it writes nothing and exits 1 if one is stale.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import json
import re
import sys
import types
import typing
from pathlib import Path
from typing import Any, Literal

import shardwidget.document
from shardwidget.document import columns, wire
from shardwidget.document.schema import attribute_docs, field_docs

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "js" / "src" / "core"

SCALARS = {bool: "boolean", int: "number", float: "number", str: "string", bytes: "DataView", type(None): "null"}


def typescript(module: types.ModuleType) -> str:
    """The TypeScript source for the dataclasses of a module."""
    classes = _classes(module)
    constants = attribute_docs(ast.parse(inspect.getsource(wire)).body)
    parts = [
        "// Generated from shardwidget/document/ by js/generate_types.py. Do not edit: fields are described there.\n",
        f"/** {constants['VERSION']} */\nexport const VERSION = {module.VERSION};\n",
        *map(interface, classes),
        f"export type Document = {' | '.join(c.__name__ for c in classes if issubclass(c, module.Document))};\n",
    ]
    return "\n".join(parts)


def _classes(module: types.ModuleType) -> list[type]:
    values = [getattr(module, name) for name in module.__all__]
    return [v for v in values if isinstance(v, type) and dataclasses.is_dataclass(v)]


def tables() -> str:
    """The TypeScript source for the columns of tables."""
    docs = attribute_docs(ast.parse(inspect.getsource(columns)).body)
    parts = ["// Generated from shardwidget/document/columns.py by js/generate_types.py. Do not edit.\n"]
    parts.append(interface(columns.Column, optional=True))
    for name, doc in docs.items():
        body = "".join(f"  {{ {_literal(column)} }},\n" for column in getattr(columns, name))
        parts.append(f"/** {_line(doc)} */\nexport const {name} = [\n{body}] as const satisfies Column[];\n")
    return "\n".join(parts)


def ranges() -> str:
    """The TypeScript source for what the numbers in documents may be, by the name of the field."""
    forms: dict[str, set[str]] = {}
    for cls in _classes(shardwidget.document):
        hints, docs = typing.get_type_hints(cls), field_docs(cls)
        for field in dataclasses.fields(cls):
            if form := field.metadata.get("wire", True):
                negative = field.default == -1 or re.search("-1|negative", docs.get(field.name, "")) is not None
                leaves = {int} if form == "id" else _leaves(hints[field.name])
                forms.setdefault(field.name, set()).update(_form(leaf, negative) for leaf in leaves)
    by_form: dict[str, list[str]] = {}
    for name in sorted(forms):
        if forms[name] & {"count", "integer", "number"}:
            by_form.setdefault(" ".join(sorted(forms[name] - {""})), []).append(name)
    parts = [
        "// Generated from shardwidget/document/ by js/generate_types.py. Do not edit.\n",
        "/**\n * Names of fields that are numbers, or lists of them, by what a value may be; a `count` is not below",
        " * 0. Fields of the same name in several documents may be what any of them may be.\n */",
        "export const RANGES = {",
        *(f"  {json.dumps(form)}: {json.dumps(' '.join(names))}," for form, names in sorted(by_form.items())),
        "} as const;\n",
    ]
    return "\n".join(parts)


def _form(leaf: Any, negative: bool) -> str:
    if leaf is int:
        return "integer" if negative else "count"
    return {float: "number", str: "string", bool: "boolean", type(None): "null"}.get(leaf, "")


def _leaves(hint: Any) -> set[Any]:
    """The scalar types that a value of a type may contain, dataclasses aside."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return set(map(type, arguments))
    return set().union(*map(_leaves, arguments)) if arguments else {hint}


def _literal(column: columns.Column) -> str:
    """The fields that are not the default, as TypeScript writes them."""
    given = [(f.name, getattr(column, f.name)) for f in dataclasses.fields(column)]
    other = [(f.name, f.default) for f in dataclasses.fields(column)]
    said = [(name, value) for name, value in given if (name, value) not in other]
    return ", ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in said)


def interface(cls: type, optional: bool = False) -> str:
    """One dataclass as a TypeScript interface; ``optional``: fields that have a default may be absent."""
    hints = typing.get_type_hints(cls)
    lines = [f"/** {_line(cls.__doc__ or '')} */", f"export interface {cls.__name__} {{"]
    for field in dataclasses.fields(cls):
        form = field.metadata.get("wire", True)
        if not form:
            continue
        mark = "?" if optional and field.default is not dataclasses.MISSING else ""
        form = "readonly number[]" if form == "id" else type_name(hints[field.name])
        lines.append(f"  readonly {field.name}{mark}: {form};")
    return "\n".join([*lines, "}\n"])


def type_name(hint: Any) -> str:
    """The TypeScript type of what ``to_wire`` makes of a Python type, as the front end receives it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in SCALARS:
        return SCALARS[hint]
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return hint.__name__
    if origin is Literal:
        return " | ".join(f'"{a}"' if isinstance(a, str) else str(a) for a in arguments)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(map(type_name, arguments))
    if origin is tuple and arguments and Ellipsis not in arguments:
        return f"readonly [{', '.join(map(type_name, arguments))}]"
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        item = type_name(arguments[0])
        return f"readonly ({item})[]" if "|" in item or " " in item else f"readonly {item}[]"
    raise TypeError(
        f"no TypeScript for {hint!r}; a document field may be bool, int, float, str, bytes, None, a dataclass, "
        "a Literal, a union, or tuple[T, ...] of these"
    )


def _line(doc: str) -> str:
    """The first line of a docstring, for a comment."""
    return inspect.cleandoc(doc).split("\n")[0].replace("``", "`").replace("*/", "* /")


def main(argv: list[str] | None = None) -> int:
    """Writes or checks the files; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file is stale")
    parser.add_argument("--target", type=Path, default=TARGET, help="the folder of the files")
    options = parser.parse_args(argv)
    made = {"document.gen.ts": typescript(shardwidget.document), "columns.gen.ts": tables(), "ranges.gen.ts": ranges()}
    for name, text in made.items():
        file = options.target / name
        if not options.check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{file} is stale: run `python js/generate_types.py`", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
