"""Where a program reduces what the devices of an axis have only a part of, and what completes that there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from shardwidget import _jax
from shardwidget.read._jaxpr.rewrite import SourceText, last_name, source_text
from shardwidget.read._jaxpr.syntax import span_of
from shardwidget.read._trace._failures.explanation import quoted
from shardwidget.read._trace._failures.reducer import axes_that_cut
from shardwidget.read._trace.draft import Draft, TracedValue
from shardwidget.read._trace.steps import Writer

GATHERED = "jax.lax.all_gather({}, AXES, axis=DIM, tiled=True, to='invarying')"
"""An operand made whole; ``DIM`` is the dimension that the axes cut."""

_STACKED = "jax.lax.all_gather({}, AXES, to='invarying')"

_SUM, _MEAN = "jax.lax.psum({}, AXES)", "jax.lax.pmean({}, AXES)"
"""A sum, and one that is divided by the size of a block further on."""

BY_NAME = {
    "sum": [_SUM, _MEAN],
    "mean": ["jax.lax.pmean({}, AXES)"],
    "average": ["jax.lax.pmean({}, AXES)"],
    "max": ["jax.lax.pmax({}, AXES)"],
    "amax": ["jax.lax.pmax({}, AXES)"],
    "min": ["jax.lax.pmin({}, AXES)"],
    "amin": ["jax.lax.pmin({}, AXES)"],
    "norm": ["jnp.sqrt(jax.lax.psum({} ** 2, AXES))", "jax.lax.psum({}, AXES)", "jax.lax.pmax({}, AXES)"],
    "prod": [f"jnp.prod({_STACKED}, axis=0)"],
    "logsumexp": [f"jax.nn.logsumexp({_STACKED}, axis=0)"],
    "any": ["jax.lax.psum(jnp.int32({}), AXES) > 0"],
    "all": ["jax.lax.psum(jnp.int32(~{}), AXES) == 0"],
}
"""What completes the result of a function of ``jax.numpy`` and the like, the likeliest first."""

BY_PRIMITIVE = {
    "dot_general": [_SUM, _MEAN],
    "reduce_sum": [_SUM, _MEAN],
    "reduce_max": BY_NAME["max"],
    "reduce_min": BY_NAME["min"],
    "reduce_prod": BY_NAME["prod"],
    "reduce_or": BY_NAME["any"],
    "reduce_and": BY_NAME["all"],
    "argmax": [],
    "argmin": [],
    "cumsum": [],
    "sort": [],
}
"""What completes the result of a primitive, the likeliest first; empty where only the whole operand does."""


@dataclass
class Part:
    """An expression of the user's that reduces blocks which are parts of something larger."""

    source: SourceText
    node: ast.expr
    axes: list[str] = field(default_factory=list)
    """The mesh axes over which its result is a part."""
    primitives: list[str] = field(default_factory=list)
    steps: list[Draft] = field(default_factory=list)

    def completed(self) -> list[str]:
        """Code that completes it, around ``{}``, the likeliest first."""
        name = last_name(self.node.func) if isinstance(self.node, ast.Call) else ""
        codes = BY_NAME.get(name) or [code for p in self.primitives for code in BY_PRIMITIVE[p]]
        codes = [code for code in codes if _jax.GATHERS_INVARYING or _STACKED not in code]
        return [code.replace("AXES", quoted(self.axes)) for code in dict.fromkeys(codes)]

    def gathered(self, writer: Writer) -> tuple[ast.expr, str] | None:
        """An operand of it, and code that makes that whole; None where it is not certain how the axes cut it.

        None where no gather gives every device the same by its type, too: the result would be typed as another still.
        """
        node, value = self.node, self.steps[0].inputs[0]
        if not isinstance(node, ast.Call) or not _jax.GATHERS_INVARYING:
            return None
        operand = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
        cut = [d for d in range(value.aval.ndim) if set(axes_that_cut(value, d, writer)) & set(self.axes)]
        if operand is None or len(cut) != 1 or tuple(self.axes) != axes_that_cut(value, cut[0], writer):
            return None
        return operand, GATHERED.replace("AXES", quoted(self.axes)).replace("DIM", str(cut[0]))


def parts_of(writer: Writer, value: TracedValue, axes: Sequence[str]) -> list[Part]:
    """The first expressions, on the way to a value, that reduce a dimension which some axes cut."""
    found: dict[tuple[str, ast.expr], Part] = {}
    for axis in axes:
        for step in _first(writer, value, axis):
            if step.frame is None or _jax.is_library_file(step.frame.file_name):
                continue
            source = source_text(step.frame.file_name)
            node = source.expression(span_of(step.frame))
            if node is None:
                continue
            part = found.setdefault((source.file, node), Part(source, node))
            part.axes += [axis] if axis not in part.axes else []
            part.primitives += [step.primitive] if step.primitive not in part.primitives else []
            part.steps.append(step)
    return list(found.values())


def _first(writer: Writer, value: TracedValue, axis: str) -> Iterator[Draft]:
    """The steps that lead to a value and reduce a dimension that an axis cuts.

    Where that is not known of any, those that reduce something, without those that follow another.
    """
    made = {out: step for step in writer.steps for out in step.outputs}
    every, left = list[Draft](), [value]
    seen = set[int]()
    while left:
        step = made.get(left.pop())
        if step is None or id(step) in seen or step.kind == "in_specs":
            continue
        seen.add(id(step))
        every.append(step)
        left += [v for v in step.inputs if axis in _jax.manual_types(v.aval)[0]]
    reducing = [step for step in every if step.primitive in BY_PRIMITIVE]
    certain = [step for step in reducing if _reduces(writer, step, axis)]
    if certain:
        yield from reversed(certain)
        return
    for step in reversed(reducing):
        before = _ancestors(made, step)
        if not any(id(other) in before for other in reducing if other is not step):
            yield step


def _ancestors(made: dict[TracedValue, Draft], step: Draft) -> set[int]:
    found, left = set[int](), [*step.inputs]
    while left:
        before = made.get(left.pop())
        if before is not None and id(before) not in found:
            found.add(id(before))
            left += before.inputs
    return found


def _reduces(writer: Writer, step: Draft, axis: str) -> bool:
    """Whether a step reduces a dimension that an axis cuts, where that is known."""
    params = step.eqn.params if step.eqn is not None else {}
    if step.primitive == "dot_general":
        (left, right), _ = params["dimension_numbers"]
        return any(
            axis in axes_that_cut(v, d, writer)
            for v, dims in zip(step.inputs, (left, right), strict=False)
            for d in dims
        )
    dims = params.get("axes", (params["axis"],) if "axis" in params else ())
    return any(axis in axes_that_cut(step.inputs[0], d, writer) for d in dims)
