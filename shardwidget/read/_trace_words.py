"""One sentence for each step: what happened, short and exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.document import Mesh
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._trace_draft import Draft, Value


def sentence(step: Draft, mesh: Mesh | None) -> str:
    """What a step did; ``mesh`` is that of its region."""
    writer = {
        "in_specs": _in_specs,
        "out_specs": _out_specs,
        "iteration": _iteration,
        "loop end": _loop_end,
        "cond": _cond,
        "error": lambda step, mesh: step.about["sentence"],
        "cond end": lambda step, mesh: "Each device goes on with what its branch returned.",
    }.get(step.kind)
    if writer is not None:
        return writer(step, mesh)
    if step.collective is not None and mesh is not None:
        return _collective(step, mesh)
    name = step.primitive
    if name == "pvary" and step.implicit:
        return (
            f"{_called(step.inputs) or joined(step.literals)} is typed as varying over {joined(step.eqn.params['axes'])}, to meet a value that "
            "does; nothing is sent and no element changes."
        )
    if name == "pvary":
        return f"From here on {_called(step.inputs)} counts as varying over {joined(step.eqn.params['axes'])}; nothing is sent."
    if name == "axis_index":
        return f"Every device learns its index along {joined(_tuple(step.eqn.params['axis_name']))}."
    if name == "debug_print":
        return "Prints; nothing is computed."
    if not step.outputs:
        return f"{name} has an effect and computes nothing; here it is not run."
    made = f"{name} computes {_called(step.outputs)}"
    if step.inputs:
        made += f" from {_called(step.inputs)}"
    elif step.literals:
        made += f" from {joined(step.literals)}"
    return f"{made}{', each device from its own block' if step.region is not None and step.inputs else ''}."


def joined(words: Sequence[Any], last: str = "and") -> str:
    """a; a and b; a, b and c."""
    texts = [str(word) for word in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}" if texts else ""


def spec_text(spec: PartitionSpec) -> str:
    """A PartitionSpec as it is written: ``P('x', None)``."""
    parts = [repr(entry) for entry in _jax.partitions(spec)]
    for state in ("unreduced", "reduced"):
        if axes := getattr(spec, state):
            parts.append(f"{state}={{{', '.join(map(repr, sorted(axes)))}}}")
    return f"P({', '.join(parts)})"


def _called(values: Sequence[Value]) -> str:
    return joined(list(dict.fromkeys(value.name for value in values)))


def _tuple(names: Any) -> tuple[Any, ...]:
    return tuple(names) if isinstance(names, tuple | list) else (names,)


def _in_specs(step: Draft, mesh: Mesh | None) -> str:
    node = step.about["node"]
    parts = []
    for value, var, spec in zip(step.outputs, node.eqn.invars, node.eqn.params["in_specs"], strict=True):
        cuts = _cuts(var.aval.shape, spec)
        copied = [axis for axis in node.axes if not any(axis in cut for cut in cuts.values())]
        text = joined([f"dim {d} over {joined(axes)}" for d, axes in cuts.items()])
        if not cuts:
            parts.append(f"{value.name} is whole on every device")
        elif copied:
            parts.append(f"{value.name} is cut in {text} and copied along {joined(copied)}")
        else:
            parts.append(f"{value.name} is cut in {text}")
    return "; ".join(parts).join(("", ".")) if parts else "There is nothing to cut: the function takes no array."


def _out_specs(step: Draft, mesh: Mesh | None) -> str:
    node = step.about["node"]
    parts = []
    for value, var, spec in zip(step.outputs, node.eqn.outvars, node.eqn.params["out_specs"], strict=True):
        cuts = _cuts(var.aval.shape, spec)
        untiled = [axis for axis in node.axes if not any(axis in cut for cut in cuts.values())]
        text = joined([f"along {joined(axes)} in dim {d}" for d, axes in cuts.items()])
        phrase = (
            f"{value.name}: blocks are concatenated {text}" if cuts else f"{value.name}: one block is taken as it is"
        )
        if untiled:
            phrase += f"; un-tiled along {joined(untiled)}, where all copies are equal"
        parts.append(phrase)
    return ". ".join(parts) + "."


def _cuts(shape: Sequence[int], spec: PartitionSpec) -> dict[int, tuple[str, ...]]:
    return {d: dim.axes for d, dim in enumerate(dims_of_spec(tuple(shape), spec)) if dim.axes}


def _iteration(step: Draft, mesh: Mesh | None) -> str:
    about = step.about
    text = f"Iteration {about['number'] + 1} of {about['total']}"
    if about["skipped"] > 0:
        text += f" ({about['skipped']} before it are not shown)"
    carries, slices = step.outputs[: about["carries"]], step.outputs[about["carries"] :]
    if carries:
        text += f": carries {_called(carries)}"
    if slices:
        text += f"{' and takes' if carries else ': takes'} slice {about['number'] + 1}" + (
            f" as {_called(slices)}" if slices else ""
        )
    return text + "."


def _loop_end(step: Draft, mesh: Mesh | None) -> str:
    about = step.about
    counts = about.get("counts")
    if counts is not None and np.ndim(counts) and np.any(counts != counts.flat[0]):
        return f"The loop ends: devices ran {int(counts.min())} to {int(counts.max())} iterations."
    stacked = step.outputs[about["carries"] :]
    text = f"The loop ends after {about['total']} iteration{'s' * (about['total'] != 1)}"
    return text + (f"; {_called(stacked)} stacks what each returned." if stacked else ".")


def _cond(step: Draft, mesh: Mesh | None) -> str:
    taken = step.about["taken"]
    if taken is None:
        return f"Chooses one of {step.about['branches']} branches on each device."
    numbers = np.unique(taken)
    if len(numbers) == 1:
        return f"{'All devices take' if np.ndim(taken) else 'The program takes'} branch {int(numbers[0])} of {step.about['branches']}."
    ids = mesh.device_ids.array() if mesh is not None else np.arange(taken.size)
    return joined([f"devices {_some(ids[taken == n])} take branch {int(n)}" for n in numbers]).capitalize() + "."


def _some(ids: np.ndarray) -> str:
    texts = [str(int(i)) for i in ids[:8]]
    return f"{', '.join(texts)} …" if len(ids) > 8 else joined(texts)


def _collective(step: Draft, mesh: Mesh) -> str:
    collective = step.collective
    assert collective is not None
    axes = joined(collective.axes)
    what = _MEANING[collective.kind].format(
        x=_called(step.inputs), y=_called(step.outputs), axes=axes, n=collective.group_size
    )
    return f"{what} {_typing(step, axes)}{_groups(step, mesh)}"


_MEANING = {
    "psum": "Every device of a group gets the sum of {x} over its {n} devices.",
    "pmax": "Every device of a group gets the element-wise maximum of {x} over its {n} devices.",
    "pmin": "Every device of a group gets the element-wise minimum of {x} over its {n} devices.",
    "all_gather": "Every device of a group gets the blocks of all {n}, in order along {axes}.",
    "reduce_scatter": "{x} is summed over the {n} devices of a group, and each keeps its own part of the sum.",
    "all_to_all": "Every device cuts {x} into {n} pieces and sends the k-th to the k-th device of its group.",
    "ragged_all_to_all": "Every device sends rows of {x} to the devices of its group, as many as it says for each.",
    "ppermute": "Blocks of {x} move along {axes}, one to each destination; zeros stand where none arrives.",
    "pbroadcast": "One device of each group copies {x} to the others.",
}


def _typing(step: Draft, axes: str) -> str:
    """What happens to the axes that the value varies over."""
    assert step.collective is not None
    before = _jax.manual_types(step.inputs[0].aval)[0] if step.inputs else frozenset()
    after = _jax.manual_types(step.outputs[0].aval)[0]
    left = [axis for axis in step.collective.axes if axis in before and axis not in after]
    if left:
        return f"{joined(left)} {'leaves' if len(left) == 1 else 'leave'} V: all hold the same block. "
    if step.collective.kind == "all_gather" and set(step.collective.axes) <= after:
        return f"The blocks are equal along {axes} now, yet {axes} stays in V: all_gather is typed varying → varying. "
    return ""


def _groups(step: Draft, mesh: Mesh) -> str:
    collective = step.collective
    assert collective is not None
    number = len(collective.groups)
    if number == 1:
        return "One group: all devices take part."
    others = [axis.name for axis in mesh.axes if axis.name not in collective.axes]
    each = (
        f", one per {joined(others)}"
        if others
        and number * collective.group_size == mesh.size
        and number == np.prod([a.size for a in mesh.axes if a.name in others])
        else ""
    )
    return f"{_NUMBERS.get(number, str(number))} groups run at once{each}."


_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight"}
