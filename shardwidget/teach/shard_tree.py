"""Sharding a tree by rules, so that no device holds more than a given number of bytes."""

from __future__ import annotations

import re
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import read
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Part
from shardwidget.read._entries import spec_text
from shardwidget.teach import layouts
from shardwidget.teach.errands import Judging, Matches
from shardwidget.teach.forms import AnswerError, checked, read_spec
from shardwidget.teach.kind import Answer, Kind

Rules = tuple[tuple[str, PartitionSpec], ...]

FORM = "rules, such as embed → P('model', None); several are separated by a semicolon"
_RULE = re.compile(r"(.+?)\s*(?:→|->|=>|:)\s*(P.*)")


class ShardTree(Kind):
    """Asks for rules, ``pattern → P(...)``, after which no device holds more than ``below`` bytes of a tree.

    Nothing is moved.

    Args:
        tree: what ``read.model`` takes.
        below: the most bytes that a device may hold.
        **options: ``prompt hints name mode``.

    Raises:
        TypeError: there is no array in it.
        ValueError: it is below that already, or nothing is on a mesh with axes.
    """

    task = "shard_tree"
    says_goal = True
    hints = (
        "A pattern is searched in the path, params/layers/0/up; the last rule that matches an array counts.",
        "sw.ModelView(tree, rules=...) shows what every rule saves. Begin with what is copied.",
    )

    def __init__(self, tree: Any, *, below: int, **options: Any) -> None:
        super().__init__(options)
        self._tree = tree
        self._model = read.model(tree)
        self._mesh = layouts.mesh_of(jax.tree.leaves(tree))
        if self._mesh is None:
            raise ValueError("the exercise has no truth: no array of this tree is on a mesh with axes")
        now = self._model.bytes_per_device
        if now <= below:
            raise ValueError(f"a device holds {byte_count(now)} already, which is not above {below}")
        self._below = below
        self.mesh = self._model.mesh
        self.figures = (layouts.figure_of_tree(self._model),)
        self.goal = f"at most {byte_count(below)}"
        self.prompt = (
            f"The fullest device holds `{byte_count(now)}` of this tree. Write rules, `pattern → P(...)`, after which "
            f"no device holds more than `{byte_count(below)}`. Separate several with semicolons."
        )
        self.fields = (Field("rules", "rules", "text", example="pattern → P(…); …"),)

    def identity(self) -> str:
        """The types of all leaves, and the goal."""
        return str([(leaf.path, leaf.type) for leaf in self._model.leaves] + [self._below])

    def read_field(self, field: Field, value: Any) -> Rules:
        """Rules as text, or pairs of a pattern and a spec."""
        if not isinstance(value, str):
            value = "; ".join(f"{pattern} → {spec_text(spec)}" for pattern, spec in value)
        out = []
        for text in filter(None, map(str.strip, re.split(r"[;\n]", checked(value, FORM)))):
            found = _RULE.fullmatch(text)
            if found is None:
                raise AnswerError(f"{text[:80]!r} is not a rule; write {FORM}")
            try:
                re.compile(found[1])
            except (re.error, OverflowError, RecursionError) as error:
                raise AnswerError(f"{found[1][:80]!r} is not a pattern: {error}") from error
            out.append((found[1], read_spec(found[2])))
        return tuple(out)

    def write_field(self, field: Field, value: Rules) -> str:
        """The rules as text."""
        return "; ".join(f"{pattern} → {spec_text(spec)}" for pattern, spec in value)

    def judging(self, answer: Answer) -> Judging:
        """Applies the rules to the shapes."""
        rules: Rules = answer["rules"]
        names = tuple(self._model.names)
        found = yield Matches(tuple(pattern for pattern, _ in rules), names)
        if unused := [rule[0] for rule, matches in zip(rules, found, strict=True) if not any(matches)]:
            note = f"No array has {unused[0][:80]!r} in its path."
            return Feedback("wrong", note, "How are the paths written?", parts=(Part("rules", False, note),))
        leaf = iter(range(len(names)))

        def typed(x: Any) -> Any:
            number = next(leaf)
            specs = [spec for (_, spec), matches in zip(rules, found, strict=True) if matches[number]]
            spec = specs[-1] if specs else None
            if spec is None or not hasattr(x, "dtype"):
                return x
            sharding = NamedSharding(self._mesh, spec)
            sharding.shard_shape(x.shape)
            return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding)

        try:
            tried = jax.tree.map(typed, self._tree, is_leaf=lambda x: x is None)
            held = read.model(tried).bytes_per_device
        except ValueError as error:
            part = Part("rules", False, "JAX refuses a spec.")
            said = str(error)
            return Feedback(
                "wrong",
                "JAX refuses a spec.",
                "Which dimension is not divisible?",
                parts=(part,),
                error="ValueError",
                said=said,
            )
        gives = f"{byte_count(held)} on the fullest device"
        if held <= self._below:
            return Feedback("right", f"The fullest device holds {byte_count(held)}.", "", gives, (Part("rules", True),))
        note = f"The fullest device holds {byte_count(held)}."
        kind = "partly" if held < self._model.bytes_per_device else "wrong"
        return Feedback(kind, note, "What is the largest array on it now?", gives, (Part("rules", False, note),))
