"""The JSON Schema of what documents write, made from their dataclasses."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import types
import typing
from typing import Any, Literal

from shardwidget import document
from shardwidget.document.wire import VERSION, Ints

__all__: list[str] = []

_SCALARS = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {"type": "null"},
    bytes: {
        "type": "object",
        "properties": {"$bytes": {"type": "string", "contentEncoding": "base64"}},
        "required": ["$bytes"],
    },
}
_INTS = {
    "description": "Integers; where they are many and follow a pattern, the pattern: see Ints.",
    "anyOf": [{"type": "array", "items": {"type": "integer"}}, {"$ref": "#/$defs/Ints"}],
}


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what ``document.to_json()`` writes and ``shardwidget.load`` reads.

    ```python
    jsonschema.validate(json.loads(read.program(step, x).to_json()), shardwidget.json_schema())
    ```
    """
    values = (getattr(document, name) for name in document.__all__)
    classes = [v for v in values if isinstance(v, type) and dataclasses.is_dataclass(v)]
    kinds = [c.__name__ for c in classes if issubclass(c, document.Document)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A document of shardwidget",
        "type": "object",
        "properties": {
            "shardwidget": {"description": "The version of shardwidget that wrote it.", "type": "string"},
            "version": {"const": VERSION},
        },
        "required": ["shardwidget", "kind", "version"],
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": {c.__name__: _object_schema(c) for c in classes},
    }


def _object_schema(cls: type) -> dict[str, Any]:
    hints, docs = typing.get_type_hints(cls), field_docs(cls)
    fields = [f for f in dataclasses.fields(cls) if f.compare and (cls is not Ints or not f.name.startswith("raw"))]
    properties = {
        f.name: ({"description": docs[f.name].replace("\n", " ")} if f.name in docs else {})
        | ({"type": "array", "items": {"type": "integer"}} if _by_id(f) else _value_schema(hints[f.name]))
        for f in fields
    }
    words = inspect.cleandoc(cls.__doc__ or "").replace("\n", " ")
    return {"description": words, "type": "object", "properties": properties, "required": [f.name for f in fields]}


def _by_id(field: dataclasses.Field[Any]) -> bool:
    return field.metadata.get("wire") == "id"


def _value_schema(hint: Any) -> dict[str, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if hint is Ints:
        return _INTS
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_value_schema(a) for a in arguments]}
    if origin is tuple and Ellipsis in arguments:
        return {"type": "array", "items": _value_schema(arguments[0])}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_value_schema(a) for a in arguments], "items": False}
    return {"$ref": f"#/$defs/{hint.__name__}"}


def field_docs(cls: type) -> dict[str, str]:
    """The docstrings of a dataclass's fields, by name."""
    (definition,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(definition, ast.ClassDef)
    return attribute_docs(definition.body)


def attribute_docs(body: list[ast.stmt]) -> dict[str, str]:
    """Docstrings that stand behind annotated fields and constants, by name."""
    docs = {}
    for statement, after in itertools.pairwise(body):
        match statement, after:
            case (
                ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)]),
                ast.Expr(ast.Constant(str(text))),
            ):
                docs[name] = inspect.cleandoc(text)
    return docs
