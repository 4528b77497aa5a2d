"""Exercises in words: what is asked and how far the reader has got. Never more than the page shows."""

from __future__ import annotations

from shardwidget.document import Exercises, Question
from shardwidget.document.columns import EXERCISES
from shardwidget.export import listing
from shardwidget.export.words import clip


def headline(sheet: Exercises) -> str:
    """Name of the set and how many are passed; of a single exercise its name and state."""
    if len(sheet.questions) == 1 and not sheet.name:
        return f"{clip(sheet.questions[0].name, 60)}: {_state(sheet.questions[0])}"
    passed = sum(q.passed for q in sheet.questions)
    who = f" · {clip(sheet.student, 40)}" if sheet.student else ""
    return f"{clip(sheet.name, 60)}{who}: {passed} of {len(sheet.questions)} exercises passed"


def picture(sheet: Exercises, current: int = 0) -> str:
    """The exercise on screen in lines of text, under a list of all."""
    question = sheet.questions[current]
    lines = [headline(sheet)]
    if len(sheet.questions) > 1:
        lines += [f"{'▸' if i == current else ' '} {_row(i, q)}" for i, q in enumerate(sheet.questions)]
    lines += ["", question.prompt, *([question.goal] if question.goal else [])]
    for figure in question.figures:
        lines += [*figure.types, *(figure.listing.lines if figure.listing else ())]
        lines += [f"{t.title}: {'; '.join(' '.join(row) for row in t.rows)}" for t in figure.tables]
    lines += [f"{f.label}: {clip(_given(question, f.name), 90) or '…'}" for f in question.fields]
    if question.feedback is not None:
        lines += [*feedback(question)]
    return "\n".join([*lines, *(f"Hint: {hint}" for hint in question.hints)])


def table(sheet: Exercises) -> str:
    """The exercises as an HTML table that survives a notebook's sanitiser: inline style, no script."""
    rows: list[listing.Row] = [
        {
            "at": str(i + 1),
            "exercise": clip(q.name, 60),
            "asks": q.prompt,
            "answer": clip(", ".join(g.text for g in q.answer), 90),
            "state": ". ".join([_state(q), *feedback(q)]),
        }
        for i, q in enumerate(sheet.questions)
    ]
    notes = listing.paragraphs(sheet.notes)
    return listing.table(headline(sheet), EXERCISES, rows, before=notes)


def feedback(question: Question) -> list[str]:
    """What came of the last answer, in sentences."""
    found = question.feedback
    if found is None:
        return []
    head = {"right": "Right.", "partly": "Partly right.", "wrong": "Not yet.", "malformed": "Not counted."}[
        found.verdict
    ]
    said = [f"{found.error}: {found.said}"] if found.error else []
    return [" ".join(part for part in (head, found.message, found.question) if part), *said]


def _row(number: int, question: Question) -> str:
    return f"{'●' if question.passed else '○'} {number + 1:2}  {clip(question.name, 40)}: {_state(question)}"


def _state(question: Question) -> str:
    if not question.attempts:
        return "not answered yet"
    times = "1 attempt" if question.attempts == 1 else f"{question.attempts} attempts"
    return f"{'passed' if question.passed else 'not yet'}, {times}"


def _given(question: Question, field: str) -> str:
    return next((g.text for g in question.answer if g.field == field), "")
