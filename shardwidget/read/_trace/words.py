"""One sentence or two for each step: what happened, short and exact."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.collectives import Statement, named_axes, statement_of
from shardwidget.document import Collective, Mesh
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._trace.draft import Draft, TracedValue


def sentence(step: Draft, mesh: Mesh | None) -> str:
    """What a step did; ``mesh`` is that of its region."""
    if step.kind in _KINDS:
        return _KINDS[step.kind](step, mesh)
    if step.collective is not None and mesh is not None:
        return f"{_communicates(step, step.collective)} {_groups(step.collective, mesh)}{_under_way(step)}"
    if step.inputs and _jax.is_future(step.inputs[0].aval) and step.outputs:
        future = step.inputs[0].name
        given = names_of(step.outputs)
        return f"Waits until {future} has arrived: {given} has its values. Its bytes were counted at its start."
    statement = statement_of(step.primitive)
    if statement is not None and statement.sentence and not statement.communicates:
        return _sends_nothing(step, statement)
    if step.primitive == "debug_print":
        return "Prints; nothing is computed."
    if step.region is not None and (kernel := _kernel(step)) is not None:
        return f"{_opaque(kernel)} {_gives(step)}"
    if not step.outputs:
        return f"{step.primitive} has an effect and computes nothing; here it is not run."
    what = names_of(step.outputs)
    operands = _operands(step)
    if sends := _unfollowed(step):
        return (
            f"Each device runs {step.primitive}: what it sends ({joined(sends)}) cannot be followed. It gives {what}."
        )
    if step.primitive in _jax.LAYOUTS:
        return f"{what} is laid out otherwise in memory. Its elements are the same, and nothing is sent."
    if step.region is None:
        return f"The program computes {what}{f' from {operands}' if operands else ''}, on whole arrays."
    if not operands:
        return f"Every device makes {what}."
    return f"Each device computes {what} from its own block{'s' * (len(step.inputs) > 1)}: {operands}. Nothing is sent."


def _unfollowed(step: Draft) -> list[str]:
    """The collectives of an equation that is applied as it is, by the names that its JAX has for them."""
    if step.eqn is None or step.region is None or _jax.control_of(step.eqn) is not None:
        return []
    inside = [_jax.name_of(eqn) for eqn in _jax.equations_in(step.eqn)]
    known = ((name, statement_of(name)) for name in inside)
    alone = [step.primitive] if step.primitive in _jax.ONE_SIDED else []
    return list(dict.fromkeys([*alone, *(name for name, found in known if found and found.communicates)]))


def _kernel(step: Draft) -> Any:
    """The equation of a kernel or a custom call, or of the first one in ``pl.run_state`` and its like."""
    if step.eqn is None or _jax.control_of(step.eqn) is not None:
        return None
    equations = [step.eqn] if step.primitive in _jax.OPAQUE else _jax.equations_in(step.eqn)
    return next((eqn for eqn in equations if _jax.name_of(eqn) in _jax.OPAQUE), None)


def _opaque(eqn: Any) -> str:
    """A kernel or a custom call: what is known of what it sends."""
    if _jax.name_of(eqn) == "ffi_call":
        return "Each device calls code that JAX does not see into. Whether it sends cannot be followed."
    name = _jax.kernel_name(eqn) or "without a name"
    sends = _jax.kernel_sends(eqn)
    if sends is None:
        return f"Each device runs the Pallas kernel {name}. Whether it sends cannot be followed: it is not for TPUs."
    if not sends:
        return f"Each device runs the Pallas kernel {name} on its own blocks. Nothing is sent."
    return (
        f"Each device runs the Pallas kernel {name}, which copies to other devices: the values are those before and "
        "after. read.kernel follows its copies, and finds races."
    )


def _gives(step: Draft) -> str:
    """What comes out of a kernel or a custom call: a ``core_map`` leaves it in the refs that it is given."""
    if not step.outputs:
        return f"It works on what {names_of(step.inputs)} hold{'s' * (len(step.inputs) == 1)}."
    return f"It computes {names_of(step.outputs)}{f' from {_operands(step)}' if _operands(step) else ''}."


def _operands(step: Draft) -> str:
    return joined(list(dict.fromkeys([*(v.name for v in step.inputs), *step.literals])))


def _under_way(step: Draft) -> str:
    """What to say of a collective that is only started."""
    if not any(_jax.is_future(value.aval) for value in step.outputs):
        return ""
    name = names_of(step.outputs)
    if step.about.get("thrown away"):
        return f" It is only started, and nobody receives it: without {name}.done(), it is sent for nothing."
    return f" It is only started: {name} is a future, without values until {name}.done()."


def names_of(values: Sequence[TracedValue]) -> str:
    """The names of some values, each once."""
    return joined(list(dict.fromkeys(value.name for value in values)))


def _in_specs(step: Draft, mesh: Mesh | None) -> str:
    node = step.about["node"]
    parts = []
    for value, var, spec in zip(step.outputs, node.eqn.invars, node.control.in_specs, strict=True):
        cuts, others = _cuts(var.aval.shape, spec, node.axes)
        text = joined([f"over {joined(axes)} in dimension {d}" for d, axes in cuts.items()])
        if not cuts:
            parts.append(f"{value.name} is whole on every device")
        else:
            parts.append(f"{value.name} is split {text}{f', and copied along {joined(others)}' if others else ''}")
    return f"{'. '.join(parts)}." if parts else "The function takes no array: there is nothing to split."


def _out_specs(step: Draft, mesh: Mesh | None) -> str:
    node = step.about["node"]
    parts = []
    for value, var, spec in zip(step.outputs, node.eqn.outvars, node.control.out_specs, strict=True):
        cuts, others = _cuts(var.aval.shape, spec, node.axes)
        text = joined([f"along {joined(axes)} in dimension {d}" for d, axes in cuts.items()])
        phrases = [f"blocks are concatenated {text}"] if cuts else []
        if spec.unreduced:
            others = [axis for axis in others if axis not in spec.unreduced]
            phrases.append(f"along {joined(sorted(spec.unreduced))} they are parts of a sum that is still to be taken")
        if others:
            trust = "all copies are equal and one is taken" if node.check_vma else "one copy is taken, unchecked"
            phrases.append(f"along {joined(others)} {trust}")
        parts.append(f"{value.name}: {'; '.join(phrases)}")
    return f"{'. '.join(parts)}." if parts else "The function returns no array."


def _cuts(shape: Sequence[int], spec: PartitionSpec, axes: Sequence[str]) -> tuple[dict[int, tuple], list[str]]:
    """Axes that cut each dimension, and axes that cut none."""
    cuts = {d: dim.axes for d, dim in enumerate(dims_of_spec(tuple(shape), spec)) if dim.axes}
    return cuts, [axis for axis in axes if not any(axis in names for names in cuts.values())]


def _iteration(step: Draft, mesh: Mesh | None) -> str:
    about = step.about
    number = about["number"] + 1
    carries, slices = step.outputs[: about["carries"]], step.outputs[about["carries"] :]
    skipped = f" ({about['skipped']} before it are not shown)" if about["skipped"] else ""
    total = f" of {about['total']}" if about["total"] else ""
    does = [f"carries {names_of(carries)}"] if carries else []
    if slices:
        does.append(f"takes slice {about['slice']} as {names_of(slices)}")
    return f"Iteration {number}{total}{skipped} {joined(does) or 'begins'}."


def _loop_end(step: Draft, mesh: Mesh | None) -> str:
    total, counts = step.about["total"], step.about["counts"]
    ran = f"after {total} iteration{'s' * (total != 1)}" if total else ""
    if counts is not None and np.ndim(counts) and counts.min() != counts.max():
        ran = f"after {counts.min()} to {counts.max()} iterations, a different number on each device"
    stacked = step.outputs[step.about["carries"] :]
    stacks = f"; {names_of(stacked)} stack{'s' * (len(stacked) == 1)} what the iterations returned" if stacked else ""
    return f"The loop ends {ran}{stacks}.".replace("ends .", "ends.").replace("ends ;", "ends;")


def _cond(step: Draft, mesh: Mesh | None) -> str:
    taken, count = step.about["taken"], step.about["branches"]
    if taken is None:
        return f"Each device takes one of {count} branches."
    numbers = np.unique(taken)
    if len(numbers) == 1 or mesh is None:
        who = "All devices take" if np.ndim(taken) else "The program takes"
        return f"{who} branch {int(numbers[0])} of {count} (counted from 0)."
    ids = mesh.device_ids.array()
    text = joined([f"devices {_some(ids[taken == n])} take branch {int(n)}" for n in numbers])
    return f"{text[0].upper()}{text[1:]}."


def _some(ids: np.ndarray) -> str:
    texts = [str(int(i)) for i in ids[:8]]
    return f"{', '.join(texts)} …" if len(ids) > 8 else joined(texts)


_KINDS: dict[str, Callable[[Draft, Mesh | None], str]] = {
    "in_specs": _in_specs,
    "out_specs": _out_specs,
    "iteration": _iteration,
    "loop end": _loop_end,
    "cond": _cond,
    "cond end": lambda step, mesh: f"{names_of(step.outputs) or 'Nothing'} is what the chosen branch returned.",
    "error": lambda step, mesh: step.about["sentence"],
}


def _sends_nothing(step: Draft, statement: Statement) -> str:
    """The sentence stated for what JAX counts as a collective and sends nothing."""
    text = statement.inserted_sentence if step.implicit else statement.sentence
    return text.format(value=names_of(step.inputs) or joined(step.literals), axes=joined(named_axes(step.eqn.params)))


def _communicates(step: Draft, collective: Collective) -> str:
    """The sentence stated for a collective, filled in; and what happens to the type if the blocks are equal."""
    statement = statement_of(collective.kind)
    assert statement is not None
    params, n, axes = step.eqn.params, collective.group_size, joined(collective.axes)
    pairs = params.get("perm", ())
    left = _leaving(step, collective)
    leave = f"{joined(left)} {'leaves' if len(left) == 1 else 'leave'} V"
    if n == 1:
        return f"Each device is alone along {axes}: nothing is sent{f', and {leave}' if left else ''}."
    targets = {t % n for _, t in pairs}
    gaps = [k for k in range(n) if k not in targets]
    text = statement.sentence.format(
        after=f"{leave}: after" if left else "After",
        value=names_of(step.inputs[:1] if statement.joint else step.inputs),
        all=_all(collective),
        part=_part(collective),
        n=n,
        axes=axes,
        blocks="both blocks" if n == 2 else f"all {n} blocks",
        laid="concatenated in" if params.get("tiled") else "stacked in a new",
        split=collective.split_axis,
        concat=collective.concat_axis,
        pairs=(", ".join(f"{s} → {t}" for s, t in pairs[:8]) + (" …" if len(pairs) > 8 else "")) or "none",
        gaps=f" Nothing arrives at {joined(gaps[:8])}, which {'gets' if len(gaps) == 1 else 'get'} zeros."
        if gaps
        else "",
    )
    if not collective.semantics.gathers:
        return text
    if left:
        return f"{text} They are equal now, and {leave}."
    if set(collective.axes) & _jax.manual_types(step.outputs[0].aval)[0]:
        return f"{text} They are equal along {axes} now, yet {axes} stays in V: all_gather is typed varying → varying."
    return text


def _leaving(step: Draft, collective: Collective) -> list[str]:
    """Axes of the collective over which its operand varies and its result does not."""
    before = {axis for value in step.inputs for axis in _jax.manual_types(value.aval)[0]}
    after = _jax.manual_types(step.outputs[0].aval)[0]
    return [axis for axis in collective.axes if axis in before and axis not in after]


def _all(collective: Collective) -> str:
    n = collective.group_size
    return "both devices of a group" if n == 2 else f"all {n} devices of a group"


def _part(collective: Collective) -> str:
    return {2: "half", 3: "third", 4: "quarter", 8: "eighth"}.get(collective.group_size, "part")


def _groups(collective: Collective, mesh: Mesh) -> str:
    number = len(collective.groups)
    if number == 1:
        return "One group: all devices take part."
    others = [axis for axis in mesh.axes if axis.name not in collective.axes and axis.size > 1]
    each = f", one per {joined([a.name for a in others])}" if number == math.prod(a.size for a in others) else ""
    return f"{_NUMBERS.get(number, number)} groups run at once{each}."


_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight"}
