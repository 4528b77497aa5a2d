"""What JAX's messages mean. JAX 0.9 – 0.12: their texts, which carry what no attribute of an exception does."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import jax

from shardwidget.document import FailureKind

TRACED_VALUE = (
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.TracerArrayConversionError,
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
)
"""What is raised where Python needs the concrete number of a traced value."""


def kind_of(error: Exception) -> FailureKind:
    """Why JAX refuses a program; ``other`` where the message is not known."""
    words = str(error)
    if is_sharding_type_error(error):
        return "sharding_type"
    if "out_specs which require replication" in words:
        return "out_specs"
    if "carry" in words and "equal types" in words and "manual" in words:
        return "scan_carry"
    if "branches must have equal output types" in words and "manual" in words:
        return "branches"
    if isinstance(error, TRACED_VALUE):
        return "traced_value"
    if "not evenly divisible" in words:
        return "indivisible"
    if "in_specs passed to shard_map" in words and "does not match" in words:
        return "in_specs"
    if is_of_mixed_axes(error) or "unbound axis name" in words or _UNKNOWN_AXIS.search(words):
        return "axis_name"
    if isinstance(error, AssertionError) and not words:
        return "axis_name"
    if found := re.search(r"given an (in|out)_specs entry which is too long", words):
        return "in_specs" if found[1] == "in" else "out_specs"
    if type(error) in (TypeError, ValueError) and re.search("shape|dimension|split_axis", words):
        return "shape"
    return "other"


def is_unsupported(error: Exception) -> bool:
    """Whether a backend cannot run a program: it lacks an operation, or has no devices to run on."""
    unimplemented = isinstance(error, jax.errors.JaxRuntimeError) and "UNIMPLEMENTED" in str(error)
    # lax.pbroadcast is for GPUs.
    no_rule = isinstance(error, NotImplementedError) and "translation rule for primitive" in str(error)
    return unimplemented or no_rule or is_of_topology(error)


def is_of_parts(error: Exception) -> bool:
    """Whether an operation, or a spec, does not take values that are unreduced."""
    return "unreduced" in str(error)


def is_of_mixed_axes(error: Exception) -> bool:
    """Whether a value varies over some of the axes that a collective names, and is the same along others."""
    return "axis_name which corresponds to one of" in str(error)


class Pieces(NamedTuple):
    """A dimension that a collective does not cut into as many pieces as there are devices in a group."""

    size: int
    """Its elements in a block."""
    devices: int
    stacked: bool
    """Whether a piece is to be one element: the collective is not tiled."""


def uneven_pieces(error: Exception) -> Pieces | None:
    """Why a collective cannot cut its operand; None for any other error."""
    for pattern, stacked in _UNEVEN.items():
        if found := re.search(pattern, str(error)):
            return Pieces(int(found["size"]), int(found["devices"]), stacked)
    return None


_UNEVEN = {
    r"split_axis \((?P<size>\d+)\) has to be divisible by .* \((?P<devices>\d+)\)": False,
    r"scatter dimension size (?P<size>\d+) must be divisible by shard_count (?P<devices>\d+)": False,
    r"scatter dimension size (?P<size>\d+) must match shard count (?P<devices>\d+)": True,
    r"equal x\.shape\[split_axis\], but they are (?P<devices>\d+) and (?P<size>\d+)": True,
}
"""By what JAX says, whether a piece is to be one element."""


def is_of_kind(error: Exception) -> bool:
    """Whether it would take partial sums, and is given maxima or minima. JAX 0.12."""
    return "unreduced_kind" in str(error)


def is_of_other_hardware(error: Exception) -> bool:
    """Whether a kernel or a custom call is for hardware that is not here: no engine can run it. JAX 0.9 – 0.12."""
    words = "Only interpret mode is supported on|Cannot lower pallas_call on platform|No FFI handler registered"
    return re.search(words, str(error)) is not None


def is_of_topology(error: Exception) -> bool:
    """Whether a mesh has no devices to run on: it is a topology, to compile for. JAX 0.9 has other words than 0.10."""
    words = ("MakeArraysFromHostBuffer", "Cannot copy array to non-addressable device")
    return isinstance(error, jax.errors.JaxRuntimeError) and any(word in str(error) for word in words)


def is_of_another_mesh(error: Exception) -> bool:
    """Whether a value is on a mesh with other axis types than the mesh that it is used on."""
    return re.search(r"context mesh .* should match the (aval mesh|mesh passed)", str(error), re.DOTALL) is not None


def is_of_no_mesh(error: Exception) -> bool:
    """Whether a spec names axes where no mesh is set, or another one. JAX 0.9 – 0.12."""
    words = "requires a non-empty mesh in context|not under a mesh context|Resource axis: .* is not found in mesh"
    return re.search(words, str(error)) is not None


class Forbidden(NamedTuple):
    """A collective that ``jax.sharding.no_collectives`` forbids."""

    axis: str
    operation: str
    why: Literal["acts", "sums", "ends", "moves"]
    """Why the operation is one: it is called so, or its result needs one."""


def forbidden(error: Exception) -> Forbidden | None:
    """Which collective is forbidden; None for any other error. JAX 0.11 – 0.12: the class and the words are private."""
    words = str(error)
    found = re.search(r"across axis '(\w+)' is forbidden .*, but `(\w+)`", words)
    if type(error).__name__ != "ForbiddenCollectiveError" or found is None:
        return None
    sums = "contracts over" in words or "consumes unreduced" in words
    moves, ends = "changes the sharded dimension" in words, "loses sharding" in words
    return Forbidden(found[1], found[2], "sums" if sums else "moves" if moves else "ends" if ends else "acts")


def is_sharding_type_error(error: Exception) -> bool:
    """Whether types on Explicit axes leave the sharding of a result ambiguous. The class is private."""
    return type(error).__name__ == "ShardingTypeError"


def is_of_spec(error: Exception) -> bool:
    """Whether JAX refuses a spec: axes named twice or not there, sizes that they do not divide, too many entries."""
    words = (
        "evenly divi|is not found in mesh|values of rank at least|must be equal to aval's ndim|"
        "cannot contain axis names that are of type"
    )
    return type(error).__name__ == "DuplicateSpecError" or re.search(words, str(error)) is not None


def is_too_long(error: Exception) -> bool:
    """Whether a spec has more entries than its array has dimensions."""
    return "too long" in str(error)


def is_wrong_arguments(error: Exception) -> bool:
    """Whether the arguments may have a form that the function does not take."""
    return isinstance(error, TypeError) or "pytree structure" in str(error)


def is_wrong_result(error: Exception) -> bool:
    """Whether the function returned something that is not an array, such as a string."""
    return isinstance(error, TypeError) and "returned a value of type" in str(error)


def is_of_no_array(error: Exception) -> bool:
    """Whether a transformation was given, or a function that it calls returned, something that is not an array.

    JAX 0.9 – 0.12: the words are the same for both.
    """
    return isinstance(error, TypeError) and re.search(r"is not a valid JAX (array )?type", str(error)) is not None


def is_of_other_devices(error: Exception) -> bool:
    """Whether the arguments of a program are on different devices."""
    return "incompatible devices" in str(error)


def is_mesh_set_within_jit(error: Exception) -> bool:
    """Whether a mesh is set in a function that is traced."""
    return "can only be used outside of `jax.jit`" in str(error)


def is_not_an_array(error: Exception) -> bool:
    """Whether a leaf of an argument is something that JAX has no type for, such as a function in a module."""
    return isinstance(error, TypeError) and "as an abstract array" in str(error)


def is_ref_closed_over(error: Exception) -> bool:
    """Whether the body of a ``shard_map`` closes over a ``jax.Ref``. JAX 0.10 – 0.12 stop with an AttributeError."""
    return isinstance(error, AttributeError) and "'AbstractRef' object has no attribute" in str(error)


def is_carry_mismatch(error: Exception) -> bool:
    """Whether what a loop's body returns has another type than its carry."""
    return "input carry" in str(error) or "carry input" in str(error)


def asks_for_out_sharding(error: Exception) -> bool:
    """Whether a function of JAX says that it needs ``out_sharding``."""
    return "out_sharding" in str(error)


def is_contraction(error: Exception) -> bool:
    """Whether the dimensions that do not fit are those that a product sums over."""
    return "contracting" in str(error)


_UNKNOWN_AXIS = re.compile(r"(in|out)_specs\S* refers to *'?(\w+)?")


def unknown_axis(error: Exception) -> tuple[Literal["in_specs", "out_specs", ""], str]:
    """Which specs name an axis that the mesh does not have (empty if something else names it), and the axis."""
    words = str(error)
    if found := _UNKNOWN_AXIS.search(words):
        return ("in_specs" if found[1] == "in" else "out_specs"), found[2] or ""
    unbound = re.search(r"unbound axis name:? *'?(\w+)", words)
    return "", unbound[1] if unbound else ""


class PrintedType(NamedTuple):
    """A type as JAX prints it in a message: ``float32[8@x,16]{V:y}``."""

    text: str

    @property
    def varying(self) -> frozenset[str]:
        """Mesh axes over which it varies."""
        found = re.search(r"V:\(?([^)}]*)", self.text) or re.search(r"\{([^}:]*)\}", self.text)  # Older: ``{x,y}``.
        return frozenset(part.strip() for part in found[1].split(",")) if found else frozenset()

    @property
    def dims(self) -> tuple[tuple[str, ...], ...]:
        """The mesh axes of each dimension."""
        found = re.search(r"\[(.*?)\]", self.text)
        sizes = re.findall(r"\d+(?:@(?:\(([^)]*)\)|([^,]+)))?", found[1]) if found else []
        return tuple(tuple(filter(None, map(str.strip, (several or one).split(",")))) for several, one in sizes)


class Carry(NamedTuple):
    """A carry of a loop whose type changes."""

    name: str
    before: PrintedType
    """Its type when it enters an iteration."""
    after: PrintedType
    """When it leaves one."""

    @property
    def number(self) -> int:
        """Its index in the flat carry; -1 where the name does not show it."""
        found = re.search(r"\[(\d+)\]", self.name)
        return int(found[1]) if found else -1

    @property
    def path(self) -> tuple[int | str, ...]:
        """Where it is in the tree of carries: ``(1, "k")`` for ``c[1]['k']``."""
        return _path(self.name)


def carries(error: Exception) -> list[Carry]:
    """The carries whose types change."""
    found = _CARRY.findall(str(error))
    return [Carry(name, PrintedType(before), PrintedType(after)) for name, before, after in found]


_CARRY = re.compile(
    r"input carry (?:component )?(\S+) has type (.+?) but the corresponding output carry component has type "
    r"(.+?)(?:, so |[.;]\n)"
)


class Branch(NamedTuple):
    """A result of a branch of a ``cond``."""

    name: str
    """The name of the branch."""
    path: tuple[int | str, ...]
    """Where the result is in what the branch returns."""
    type: PrintedType


def branches(error: Exception) -> list[tuple[Branch, Branch]]:
    """Pairs of results of two branches that have different types; none where the message does not name them."""
    return [
        (Branch(one, path := _path(at), PrintedType(of)), Branch(other, path, PrintedType(to)))
        for one, at, of, other, to in _BRANCHES.findall(str(error))
    ]


_BRANCHES = re.compile(
    r"output of (.+?)(?: at path (\S+))? has type (.+?) but the corresponding output of (.+?)(?: at path \S+)? has "
    r"type (.+?), so "
)


def _path(text: str) -> tuple[int | str, ...]:
    """The keys in a path of a pytree as JAX prints it."""
    found = re.findall(r"\[(?:(\d+)|'([^']*)')\]", text)
    return tuple(int(number) if number else key for number, key in found)


def without_shardings(text: str) -> str:
    """A message, with the shardings left out of the types in it."""
    return re.sub(r"@(?:\([^)]*\)|\w+)", "", text)


def rename(error: Exception, wrapper: Any, f: Any, function: str, names: Sequence[str]) -> None:
    """Names the user's function and arguments in an exception's message, where JAX names a wrapper that it traced.

    JAX 0.9 – 0.12: ``call at file.py:7 for jit. … depends on the value of the argument arrays[0].``

    Args:
        error: changed in place.
        wrapper: what was traced. It takes ``*arrays``.
        f: the function that it calls.
        function: its name.
        names: of the arrays.
    """
    theirs = _place(wrapper)
    if not error.args or not isinstance(error.args[0], str) or theirs not in error.args[0]:
        return
    words = error.args[0].replace(f"{wrapper.__name__}{theirs}", f"{function}{_place(f)}")
    words = re.sub(r"\barrays\[(\d+)\]", lambda found: names[int(found[1])], words)
    error.args = (words, *error.args[1:])


def _place(f: Any) -> str:
    """Where a function is written, as JAX says it: `` at file.py:7``; empty where it is not Python."""
    while isinstance(f, functools.partial):
        f = f.func
    code = getattr(inspect.unwrap(f), "__code__", None)
    return "" if code is None else f" at {code.co_filename}:{code.co_firstlineno}"


def needs_too_much_memory(error: Exception) -> bool:
    """Whether the memory of the device is too small; not the one on the chip (VMEM), which no schedule fills."""
    said = str(error)
    return "RESOURCE_EXHAUSTED" in said and not any(other in said.lower() for other in ("vmem", "smem"))
