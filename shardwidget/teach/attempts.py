"""How far one reader has got with one exercise: answers, attempts, hints, and whether it is passed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from shardwidget.document import Feedback, Given, Question
from shardwidget.teach.errands import Judging, Source, here
from shardwidget.teach.kind import Answer, Kind


@dataclass
class Attempts:
    """One reader's work on an exercise.

    Once passed it stays passed: trying another answer afterwards loses nothing.
    """

    kind: Kind
    name: str
    prompt: str | None
    """The question in the teacher's words; None takes the kind's."""
    hints: tuple[str, ...]
    count: int = 0
    """The number of answers that were judged; one that is given twice in a row counts once."""
    shown: int = 0
    """The number of hints that were asked for."""
    passed: bool = False
    answer: tuple[Given, ...] = ()
    """The last answer that was judged."""
    passed_by: tuple[Given, ...] = ()
    """The last answer that passed."""
    feedback: Feedback | None = None
    identity: str = field(default="", init=False)

    def __post_init__(self) -> None:
        # The kind's own prompt may state what this version of JAX says; the exercise is the same with another.
        text = f"{self.kind.task}\n{self.prompt}\n{self.kind.identity()}"
        self.identity = hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:12]

    def give(self, answer: Answer) -> Feedback:
        """Judges an answer that ``kind.read`` took."""
        given = self.kind.write(answer)
        try:
            self.feedback = self.kind.judge(answer)
        except Exception as error:
            self.refuse(f"this could not be judged: {type(error).__name__}: {error}")
            raise
        if given != self.answer:
            self.count += 1
        self.answer = given
        if self.feedback.verdict == "right":
            self.passed, self.passed_by = True, given
        return self.feedback

    def refuse(self, reason: str) -> None:
        """States why an answer does not count, for example because it does not have the required form."""
        self.feedback = Feedback("malformed", reason[:1].upper() + reason[1:] + ".")

    def hint(self) -> str:
        """The next hint; empty when there is none left."""
        if self.shown == len(self.hints):
            return ""
        self.shown += 1
        return self.hints[self.shown - 1]

    def question(self, target: str) -> Question:
        """The exercise as a document.

        Args:
            target: what a cell calls it.
        """
        kind = self.kind
        return Question(
            name=self.name,
            target=target,
            task=kind.task,
            prompt=self.kind.prompt if self.prompt is None else self.prompt,
            mesh=kind.mesh,
            fields=kind.fields,
            playground=kind.playground,
            figures=kind.figures,
            goal="" if kind.says_goal and self.prompt is None else kind.goal,
            hints=self.hints[: self.shown],
            hints_left=len(self.hints) - self.shown,
            attempts=self.count,
            passed=self.passed,
            answer=self.answer,
            feedback=self.feedback,
        )

    def entry(self) -> dict[str, Any]:
        """What a record keeps, as JSON."""
        return {
            "name": self.name,
            "identity": self.identity,
            "attempts": self.count,
            "hints": self.shown,
            "passed": self.passed,
            "answer": _json(self.answer),
            "passed_by": _json(self.passed_by),
        }

    def restore(self, entry: dict[str, Any]) -> None:
        """Restores what a record kept.

        Answers are judged again: what passes is what JAX says now. A function is not run from a record: the cell
        that assigns it passes the exercise when it is run again.
        """
        self.count = max(self.count, entry["attempts"])
        self.shown = max(self.shown, min(entry["hints"], len(self.hints)))
        self.answer, self.passed_by = given_of(entry["answer"]), given_of(entry["passed_by"])
        if self.kind.asks_for_code:
            if self.answer and not self.passed:
                self.refuse("this function comes from a record: run the cell that assigns it again")
            return
        if entry["passed"]:
            again = self._again(self.passed_by)
            self.passed = self.passed or (again is not None and again.verdict == "right")
        self.feedback = self._again(self.answer)

    def _again(self, given: tuple[Given, ...]) -> Feedback | None:
        try:
            return here(judging_again(self.kind, given)) if given else None
        except Exception:
            # An answer that can no longer be read stays in the record as it is.
            return None


def judging_again(kind: Kind, given: tuple[Given, ...]) -> Judging:
    """The judgement of a recorded answer now, with its functions.

    Raises:
        Exception: it cannot be read or judged.
    """
    texts: dict[str, Any] = {g.field: g.text for g in given}
    for part in kind.fields:
        if part.form == "code":
            texts[part.name] = Source(texts.get(part.name, ""), kind.names)
    return kind.judging(kind.read(texts))


def _json(given: tuple[Given, ...]) -> dict[str, str]:
    return {g.field: g.text for g in given}


def given_of(answer: dict[str, str]) -> tuple[Given, ...]:
    """An answer as a record keeps it."""
    return tuple(Given(field, text) for field, text in answer.items())
