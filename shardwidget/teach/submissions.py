"""The records of a class in a folder: read as data, each once, before anything of them is run."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shardwidget._format import byte_count
from shardwidget.teach import record as records
from shardwidget.teach.record import RecordError

MOST = 2**22
"""Bytes of the largest record that is read."""


@dataclass(frozen=True)
class Submission:
    """A file that is a record, or should be one."""

    where: str
    """Its path in the folder."""
    record: dict[str, Any] | None = None
    """Its content; None where that is not graded."""
    student: str = ""
    """Whose it is: the name in the record, or else the first folder of its path."""
    note: str = ""
    """Why it is not graded, or what is to be known of it."""


def submissions(folder: Path) -> list[Submission]:
    """Every record under a folder, or why it cannot be read; copies say of what.

    Other files are ignored, and nothing is written.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    found = [one for path in _files(folder) for one in _read(path, os.path.relpath(path, folder))]
    return _with_copies(found)


def folders(folder: Path) -> list[str]:
    """The names of the folders in a folder, without hidden ones."""
    with os.scandir(folder) as entries:
        return sorted(e.name for e in entries if os.path.isdir(e.path) and not e.name.startswith("."))


def owner(where: str) -> str:
    """Whose a file is by its path: the first folder's, or else the file's own name."""
    parts = Path(where).parts
    return parts[0] if len(parts) > 1 else Path(where).stem


def _files(folder: Path) -> Iterator[str]:
    """The files that may be records, and folders that cannot be opened. Folders may lie deeper than Python recurses."""
    waiting = [os.fspath(folder)]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as opened:
                entries = sorted(opened, key=lambda entry: entry.name)
        except OSError:
            yield place
            continue
        inner, files = [], []
        for entry in entries:
            (inner if entry.is_dir(follow_symlinks=False) else files).append(entry.path)
        yield from (path for path in files if path.lower().endswith(".json"))
        waiting += reversed(inner)


def _read(path: str, where: str) -> Iterator[Submission]:
    try:
        text = _text(path)
        if records.FORMAT in text:
            record = records.parse(text, where)
            yield Submission(where, record, record["student"] or owner(where))
    except (OSError, UnicodeDecodeError) as error:
        yield Submission(where, None, owner(where), f"cannot be read: {error}")
    except RecordError as error:
        yield Submission(where, None, owner(where), str(error))


def _text(path: str) -> str:
    """The text of a regular file.

    Raises:
        OSError: it is something else, such as a pipe, which would not end; or too large.
    """
    kind = os.lstat(path)
    if not stat.S_ISREG(kind.st_mode):
        raise OSError("it is no regular file")
    # What it is may have changed since: neither a link nor a pipe is waited for.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("it is no regular file")
        data = file.read(MOST + 1)
    if len(data) > MOST and records.FORMAT.encode() in data:
        raise OSError(f"it has more than {byte_count(MOST)}")
    return data.decode("utf-8-sig") if len(data) <= MOST else ""


def _with_copies(found: Sequence[Submission]) -> list[Submission]:
    """Submissions with notes on those of one student, and on those with the same answers."""
    same = defaultdict(list)
    for one in found:
        if one.record is not None and one.record["student"]:
            same[one.student].append(one)
    notes: dict[str, Submission] = {}
    for ones in same.values():
        if len(ones) > 1:
            notes |= {one.where: one for one in _of_one_student(ones)}
    changed = [notes.get(one.where, one) for one in found]
    return _with_equals(changed)


def _of_one_student(ones: Sequence[Submission]) -> Iterator[Submission]:
    student = ones[0].student
    own = [one for one in ones if student in Path(one.where).parts or student in Path(one.where).stem] or list(ones)
    for one in ones:
        first = next(other for other in own if one not in own or other.record == one.record)
        if one not in own:
            note = f"the record is that of {student!r}, who has one in {first.where}: it is not graded"
            yield replace(one, record=None, student=owner(one.where), note=note)
        elif first is not one:
            yield replace(one, record=None, note=f"the same record as {first.where}")
        else:
            others = [other.where for other in own if other.record != one.record]
            more = f"{student!r} has another record in {others[0]}" if others else ""
            yield replace(one, note=more)


def _with_equals(found: Sequence[Submission]) -> list[Submission]:
    """Notes where every answer, attempt and hint is another student's."""
    first: dict[str, Submission] = {}
    out = []
    for one in found:
        work = "" if one.record is None else _work(one.record)
        other = first.setdefault(work, one) if work else one
        if other.student != one.student:
            one = replace(
                one,
                note="; ".join(
                    [*filter(None, [one.note]), f"all answers, attempts and hints are those of {other.where}"]
                ),
            )
        out.append(one)
    return out


def _work(record: dict[str, Any]) -> str:
    """What a student did; empty where many do the same, because all is right at once or nothing is done."""
    entries = record["exercises"]
    detours = sum(entry["attempts"] + entry["hints"] for entry in entries) - len(entries)
    if detours < 2:
        return ""
    return repr([{key: value for key, value in entry.items() if key != "identity"} for entry in entries])
