"""Finding the array of a tree that takes more of a device than it needs to."""

from __future__ import annotations

from typing import Any

from shardwidget import read
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Figure, Part
from shardwidget.document.leaf import Leaf
from shardwidget.teach.forms import AnswerError, checked
from shardwidget.teach.kind import Answer, Kind


class FindLeaf(Kind):
    """Asks which array of a tree takes more of a device than it needs to.

    It is the one with the worst flag of ``read.model``; any of that flag's leaves is right.

    Args:
        tree: what ``read.model`` takes.
        **options: ``prompt hints name mode``.

    Raises:
        TypeError: there is no array in it.
        ValueError: nothing in it is flagged.
    """

    task = "find_leaf"
    prompt = "One array of this tree takes more of each device than it needs to. Which one?"
    hints = (
        "sw.ModelView(tree), sorted by the bytes that are spent on copies.",
        "The bytes of an array that no mesh axis divides are the same on every device. Which large array is not split?",
    )

    def __init__(self, tree: Any, **options: Any) -> None:
        super().__init__(options)
        self._model = read.model(tree)
        if not any(flag.cost for flag in self._model.flags):
            raise ValueError("the exercise has no truth: no array of this tree takes more than it needs to")
        self._worst = {self._model.names[leaf] for leaf in self._model.flags[0].leaves.array().tolist()}
        self.mesh = self._model.mesh
        leaves = self._model.leaves
        self.figures = (Figure("", types=tuple(f"{leaf.name}: {leaf.type}" for leaf in leaves)),)
        other = next((name for name in self._model.names if name not in self._worst), "…/…")
        self.fields = (Field("path", "array", "choice", tuple(leaf.name for leaf in leaves), example=other),)

    def identity(self) -> str:
        """The types of all leaves."""
        return str([(leaf.path, leaf.type) for leaf in self._model.leaves])

    def read_field(self, field: Field, value: Any) -> str:
        """A path, as rules or as code write it."""
        given = checked(value, f"a path, such as {field.example}").strip()
        for leaf in self._model.leaves:
            if given in (leaf.name, leaf.path):
                return leaf.name
        raise AnswerError(f"no array of this tree has the path {given}; the first is {self._model.leaves[0].name}")

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what is flagged."""
        leaf = next(leaf for leaf in self._model.leaves if leaf.name == answer["path"])
        gives = f"{byte_count(leaf.bytes_per_device)} on a device"
        figure = self._figure(leaf)
        if leaf.name in self._worst:
            return Feedback("right", leaf.flags[0].reason, "", gives, (Part("path", True),), figure)
        if leaf.flags:
            note = "It takes more than it needs to, but another array costs more."
            return Feedback("partly", note, "Which costs most?", gives, (Part("path", False, note),), figure)
        note = f"It takes {gives}, and no mesh axis would usefully divide it further."
        question = "Which array is on every device, or on only one?"
        return Feedback("wrong", note, question, gives, (Part("path", False, note),), figure)

    def _figure(self, leaf: Leaf) -> Figure | None:
        if leaf.kind.mesh < 0:
            return None
        return Figure(f"{leaf.name}: {leaf.type}", leaf.kind.placement(self._model.meshes, self._model.jax_version))
