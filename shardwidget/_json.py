"""Documents as JSON in files, and from them: ``document.to_json`` and ``shardwidget.load``. Nothing here needs JAX."""

from __future__ import annotations

import json
import re
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from shardwidget import document
from shardwidget._version import __version__
from shardwidget.document import VERSION, Document
from shardwidget.document.serial import from_plain, to_plain

_STATE = re.compile(r'<script type="application/json" data-sw="state">(.*?)</script>', re.DOTALL)

NO_DOCUMENT = (
    "{where} holds no document of shardwidget: {reason}. load reads what document.to_json() and widget.to_html() write."
)
NEWER = (
    "{where} was written by shardwidget {writer}, in version {version} of its format; this is {own}, which reads "
    "version {reads}. Update shardwidget: pip install -U shardwidget"
)
OTHER = (
    "{where} was written by shardwidget {writer}; this is {own}, which cannot read it: {error}. Write it anew, or "
    "read it with that version"
)
NO_TEXT = "{where} holds no document of shardwidget: it is no text"

SEVERAL = "{where} holds {count} documents: {kinds}. Choose one: load({where!r}, number=0)"


def dump(made: Document, path: str | PathLike[str] | None, values: bool) -> str:
    """``Document.to_json``."""
    plain = to_plain(made, values=values)
    head = {"shardwidget": __version__, "kind": plain["kind"], "version": plain["version"]}
    text = json.dumps(head | plain, allow_nan=False, separators=(",", ":"))
    if path is None:
        return text
    Path(path).write_text(text, encoding="utf-8")
    return str(path)


def load(source: str | PathLike[str], *, number: int | None = None) -> Any:
    """Loads a document that was saved as JSON, or the one that a saved page shows.

    ```python
    read.program(step, x).to_json("program.json")
    shardwidget.show(shardwidget.load("program.json"))      # here, or where there is no JAX
    ```

    Args:
        source: the path of a file, or its text: what ``document.to_json()`` or ``widget.to_html()`` wrote, or the page
            of a notebook with such widgets.
        number: which one, where a page has several, from 0.

    Returns:
        A document: ``Placement``, ``Trace``, ``Program``, … It has no values beyond those in the file.

    Raises:
        FileNotFoundError: there is no such file.
        IndexError: the page has no document of that number.
        ValueError: there is no document in it, or several, or one of a newer version, or one that is damaged; the
            message says what is wrong and where.
    """
    text, where = _text(source)
    found = _found(text, where)
    if number is None and len(found) > 1:
        kinds = ", ".join(str(each.get("kind")) for each in found)
        raise ValueError(SEVERAL.format(where=where, count=len(found), kinds=kinds))
    if number is not None and not 0 <= number < len(found):
        raise IndexError(f"{where} has no document {number}: it holds {len(found)}, numbered from 0")
    return _document(found[number or 0], where)


def _text(source: str | PathLike[str]) -> tuple[str, str]:
    """The text, and what to call it in messages."""
    given = fspath(source)
    if isinstance(given, str) and given.lstrip()[:1] in ("{", "<"):
        return given, "the text"
    try:
        return Path(given).read_text(encoding="utf-8"), given
    except UnicodeDecodeError as error:
        raise ValueError(NO_TEXT.format(where=given)) from error


def _found(text: str, where: str) -> list[dict[str, Any]]:
    """The documents in a text, as JSON."""
    if text.lstrip().startswith("{"):
        return [_json(text, where)]
    states = [_json(state, where) for state in _STATE.findall(text)]
    found = [state["_document"] for state in states if isinstance(state.get("_document"), dict)]
    if not found:
        raise ValueError(NO_DOCUMENT.format(where=where, reason="it is neither JSON nor a page with widgets"))
    return found


def _json(text: str, where: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(NO_DOCUMENT.format(where=where, reason=f"it is not JSON ({error})")) from None
    if not isinstance(data, dict):
        raise ValueError(NO_DOCUMENT.format(where=where, reason="its JSON is not an object"))
    return data


def _document(data: dict[str, Any], where: str) -> Document:
    kinds = {cls.kind: cls for cls in map(document.__getattr__, document.__all__) if _is_kind(cls)}
    kind, version = data.get("kind"), data.get("version")
    if not isinstance(kind, str) or kind not in kinds:
        reason = f"its kind is {kind!r}, not one of {', '.join(map(repr, sorted(kinds)))}"
        raise ValueError(NO_DOCUMENT.format(where=where, reason=reason))
    if not isinstance(version, int) or version > VERSION:
        named = {"where": where, "writer": data.get("shardwidget", "of a later date"), "version": version}
        raise ValueError(NEWER.format(**named, own=__version__, reads=VERSION))
    try:
        return from_plain(kinds[kind], data)
    except ValueError as error:
        writer = data.get("shardwidget")
        if writer in (None, __version__):
            raise ValueError(f"{where} is damaged: {error}") from None
        raise ValueError(OTHER.format(where=where, writer=writer, own=__version__, error=error)) from None


def _is_kind(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, Document) and hasattr(cls, "kind")
