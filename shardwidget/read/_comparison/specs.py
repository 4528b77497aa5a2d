"""Why JAX refuses a spec of a ``shard_map``, or the carry of a loop: what came, what is legal, what to write."""

from __future__ import annotations

from shardwidget import _jax
from shardwidget._format import count, joined

DIFFERS = (
    "{which} {spec} says that a result is the same along {axes}, and it may differ there. To concatenate its blocks, "
    "name {axes} in the spec; otherwise make them the same before the return, as jax.lax.psum(…, {quoted}) does."
)

TOO_LONG = (
    "{which} {spec} has {entries}, and {type} has {dimensions}: a spec has at most one for each. Give a shorter spec, "
    "or {value}."
)

UNKNOWN_AXIS = "{which} names {axis!r}, and this shard_map maps over {known}: name one of these, or none."

NO_SPEC = "{which} is {what}, of type {type}: give a PartitionSpec, as jax.P('x'), or a tree of them."

STRUCTURE = (
    "{which} is not a tree of the same form as {of} ({how}): give one spec for each array, or one for all of them."
)

CARRY = (
    "The carry {name} enters a turn as {before} and leaves it as {after}: a carry keeps its type. Start the loop with "
    "the type that its body returns, or reshard what the body returns."
)

NO_AXIS = "A collective names an axis that no shard_map around it maps over: name one of its mesh's axes."


def explained(error: Exception) -> tuple[tuple[str, ...], str]:
    """The axes that an error is about, and what to do; nothing for one that is about something else."""
    if carries := _jax.messages.carries(error):
        name, before, after = carries[0]
        return (), CARRY.format(name=name, before=before.text, after=after.text)
    if isinstance(error, AssertionError) and _jax.messages.kind_of(error) == "axis_name":
        return (), NO_AXIS
    refused = _jax.refused_spec(error)
    if refused is None:
        return (), ""
    which, axes = refused.which, refused.axes
    results = which.startswith("out")
    if refused.why == "differs":
        quoted = repr(axes[0]) if len(axes) == 1 else repr(axes)
        return axes, DIFFERS.format(which=which, spec=refused.spec, axes=joined(axes), quoted=quoted)
    if refused.why == "unknown_axis":
        return (), UNKNOWN_AXIS.format(which=which, axis=axes[0], known=joined(refused.known))
    if refused.why == "no_spec":
        return (), NO_SPEC.format(
            which=which, what=repr(refused.spec) if refused.type == "str" else refused.spec, type=refused.type
        )
    if refused.why == "structure":
        of = "what the function returns" if results else "its arguments"
        return (), STRUCTURE.format(which=which, of=of, how=refused.spec)
    value = "return a value with another dimension, as x[None] has" if results else "pass a value with more dimensions"
    dimensions = count(refused.rank, "dimension") if refused.rank else "no dimension"
    entries = count(refused.entries, "entry", "entries")
    return (), TOO_LONG.format(
        which=which, spec=refused.spec, entries=entries, type=refused.type, dimensions=dimensions, value=value
    )
