"""Records: what a student did with a set of exercises, as JSON, in a file beside the notebook or in a cell.

A record names its set, the version of that set and its student, and is restored only for these.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

FORMAT = "shardwidget exercises"
VERSION = 1

MOST = 10**6
"""The most attempts or hints of a record."""

_ENTRY = {
    "name": str,
    "identity": str,
    "attempts": int,
    "hints": int,
    "passed": bool,
    "answer": dict,
    "passed_by": dict,
}


class RecordError(ValueError):
    """A record that is damaged, or of another set, another version of it, or another student."""


def text_of(record: dict[str, Any]) -> str:
    """A record as JSON, one line per exercise."""
    head = {k: v for k, v in record.items() if k != "exercises"}
    lines = ",\n".join("  " + json.dumps(e, ensure_ascii=False) for e in record["exercises"])
    start = json.dumps(head, ensure_ascii=False)[:-1]
    return f'{start}, "exercises": [\n{lines}\n]}}\n'


def parse(text: str, where: str) -> dict[str, Any]:
    """A record from its text.

    Raises:
        RecordError: the text is not a record.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError(f"{where} holds no record: it is not JSON, or was cut short") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise RecordError(f"{where} holds no record of shardwidget exercises")
    if record.get("version") != VERSION:
        raise RecordError(f"{where} has format {record.get('version')!r}; this shardwidget reads {VERSION}: update it")
    entries = record.get("exercises")
    names = (record.get("set"), record.get("set_version"), record.get("student"))
    if not isinstance(entries, list) or not all(map(_is_entry, entries)) or not all(isinstance(n, str) for n in names):
        raise RecordError(f"{where} holds a damaged record: fields are missing or of the wrong kind")
    try:
        text_of(record).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise RecordError(f"{where} holds a damaged record: {half!a} is half of a character") from None
    return record


def refusal(record: dict[str, Any], mine: dict[str, Any], where: str) -> str:
    """Why a record is not restored for a set; empty if it is."""
    if record["set"] != mine["set"]:
        return f"{where} is a record of the set {record['set']!r}; this is {mine['set']!r}"
    if record["student"] != mine["student"]:
        return f"{where} is the record of {_student(record)}; this set is for {_student(mine)}"
    if record["set_version"] != mine["set_version"]:
        return (
            f"{where} is a record of another version of this set, {record['set_version']}; this is "
            f"{mine['set_version']}"
        )
    return ""


def merged(ours: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Our record, with everything that another of the same set and student has in addition: no progress is lost."""
    theirs = {e["name"]: e for e in other["exercises"]}
    entries = []
    for entry in ours["exercises"]:
        old = theirs.get(entry["name"])
        if old is None or old["identity"] != entry["identity"]:
            entries.append(entry)
            continue
        best = old if (old["attempts"], old["passed"]) > (entry["attempts"], entry["passed"]) else entry
        passed = old if old["passed"] and not entry["passed"] else entry
        hints = max(old["hints"], entry["hints"])
        entries.append(best | {"hints": hints, "passed": passed["passed"], "passed_by": passed["passed_by"]})
    return ours | {"passed": sum(e["passed"] for e in entries), "exercises": entries}


def write(path: Path, record: dict[str, Any]) -> None:
    """Writes a record completely or not at all.

    Raises:
        OSError: it cannot be written there.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text_of(record))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def file_name(name: str, student: str) -> str:
    """Name of the file that a set and its student share."""
    words = [re.sub(r"[^\w.-]+", "-", part).strip("-.").lower() for part in (name, student)]
    return "-".join([*(w for w in words if w), "exercises"]) + ".json"


def _student(record: dict[str, Any]) -> str:
    return repr(record["student"]) if record["student"] else "no named student"


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and all(type(entry.get(key)) is kind for key, kind in _ENTRY.items())
        and 0 <= entry["attempts"] <= MOST
        and 0 <= entry["hints"] <= MOST
        and all(isinstance(v, str) for key in ("answer", "passed_by") for v in entry[key].values())
    )
