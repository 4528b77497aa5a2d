"""What readers reply to arguments that they cannot read: what they got, what is legal, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

LEGAL = (
    "Legal forms: a jax.Array or a jax.Ref; a jax.ShapeDtypeStruct with sharding=; a tuple (shape, dtype, sharding); "
    "a jax.sharding.Mesh or AbstractMesh."
)


EMPTY_MESH = "The mesh is empty: it has no devices to show. Make one with jax.make_mesh((4, 2), ('x', 'y'))."

NO_SHARDING = (
    "{what} has no sharding, so there is nothing to place. Give it one: "
    "jax.ShapeDtypeStruct({shape}, {dtype!r}, sharding=NamedSharding(mesh, PartitionSpec(...)))."
)

UNKNOWN_SHAPE = "the shape {shape} is not known: every size must be an integer, 0 or more."

TRACER = (
    "got a tracer of type {type}: inside jit, grad, vmap or shard_map a value has a type but no placement yet. "
    "Read the array outside the traced function (what goes in or what comes out), "
    "or its type inside: print(jax.typeof(x))."
)

STRIDED = (
    "{sharding} gives device {device} the index {index}. Only contiguous slices (a start, a stop and a step of 1) "
    "and single integers can be shown."
)

UNMAPPED = (
    "{sharding} does not say which device holds which slice of shape {shape}: {words}\n"
    "Give a jax.sharding.NamedSharding, or a sharding whose devices_indices_map(shape) works."
)


def type_of(x: Any) -> str:
    """The name of a value's type, as users know it."""
    name = type(x).__name__
    return "jax.Array" if name == "ArrayImpl" else name


def does_not_fit(shape: tuple[int, ...], words: Exception) -> str:
    """For a sharding that cannot cut a shape, in JAX's words."""
    return (
        f"{words}\nGive a sharding that fits the shape {shape}: at most one PartitionSpec entry for each dimension, "
        "and mesh axes whose sizes multiply to a divisor of that dimension's size."
    )


def not_an_array(x: Any) -> TypeError:
    """For an argument of no legal form."""
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    hint = ""
    if kind.startswith("numpy.") or isinstance(x, bool | int | float | complex):
        hint = " It lives in the host's memory, on no device: jnp.asarray(x) makes a jax.Array from it."
    elif isinstance(x, tuple | list | dict):
        hint = (
            f" A {type(x).__name__} of {len(x)} is not one of these: ModelView and read.model take pytrees of arrays."
        )
    elif kind.endswith("Sharding"):
        hint = " A sharding alone has no shape: give (shape, dtype, sharding), or sharding.mesh for the mesh."
    elif kind.endswith("PartitionSpec") or kind == "jax.P":
        hint = " A PartitionSpec alone has no mesh: give (shape, dtype, NamedSharding(mesh, spec))."
    return TypeError(f"cannot read a {kind} as an array.{hint} {LEGAL}")


def not_a_triple(x: tuple, reason: str) -> TypeError:
    """For a tuple of three that is not (shape, dtype, sharding)."""
    kinds = ", ".join(type(part).__name__ for part in x)
    return TypeError(
        f"cannot read the tuple ({kinds}) as (shape, dtype, sharding): {reason}. "
        "Write ((8, 16), 'float32', NamedSharding(mesh, PartitionSpec('x', 'y')))."
    )


NO_DATA = "{what} holds no values"
DELETED = "the array was deleted or donated; its values are gone"
KEYS = "random keys are opaque and hold no numbers; jax.random.key_data(x) gives their bits"


def remote(device_ids: Sequence[int]) -> str:
    """For devices of other processes."""
    return f"{_devices(device_ids)} of another process cannot be read from here"


def over_limit(device_ids: Sequence[int], limit: int) -> str:
    """For devices left out because even one element of each is too much."""
    return f"{_devices(device_ids)} left out: at most {limit} bytes are read at a time"


def unreadable(device_id: int, error: Exception) -> str:
    """For a shard whose read failed, in the runtime's words."""
    return f"device {device_id} could not be read: {type(error).__name__}: {str(error).strip()}"


def sampled(steps: Iterable[tuple[int, ...]]) -> str:
    """For shards of which only a sample is here."""
    each = " and ".join(f"[{', '.join(f'::{s}' if s > 1 else ':' for s in one)}]" for one in sorted(steps))
    return f"shards are sampled as {each}"


def no_such_device(device_id: int, known: Iterable[int]) -> str:
    """For a device that the array is not on."""
    return f"the array is not on device {device_id}; it is on {_devices(sorted(known))}"


def _devices(ids: Sequence[int], most: int = 12) -> str:
    listed = ", ".join(map(str, ids[:most])) + (" …" if len(ids) > most else "")
    return f"device{'s' if len(ids) > 1 else ''} {listed}"


# ── read.trace ────────────────────────────────────────────────────────────────────────────────────────────────────

NO_SHARD_MAP = (
    "{name} calls no jax.shard_map, so there are no steps on devices to show. Wrap the part that runs on each device "
    "in jax.shard_map(f, mesh=mesh, in_specs=…, out_specs=…). To compare the shardings of a program without one, "
    "op by op, use ShardingComparison({name}, *args)."
)

NO_SUCH_ENGINE = (
    "engine must be None, which runs on the mesh's own devices, or 'host', which simulates them; got {engine!r}."
)

UNREDUCED_ON_HOST = (
    "an argument of type {type} holds parts of a sum on several devices, which one device cannot simulate. "
    "Leave out engine='host', or pass jax.reshard(x, P(...)) instead."
)

ONE_ORDER_OF_DEVICES = (
    "simulated on the host: its regions order devices differently, or use different ones, and one program cannot"
)

DELETED_ARGUMENT = (
    "{name} was deleted or donated to another call, so nothing can be run on it. Make the array again, or give a "
    "jax.ShapeDtypeStruct of its shape, dtype and sharding"
)
CLOSED_OVER = "an array that the function closes over"
SIMULATED = "simulated on the host: this mesh cannot run it ({words})"
SIMULATED_TOPOLOGY = "simulated on the host: this mesh is a topology, to compile for"
NAN_DROPPED = (
    "{name} has dropped a NaN: on CPUs, what XLA compiles for a maximum or minimum may give a number although an "
    "operand is NaN"
)

NOT_RUN = "the steps before the error could not be run: {words}"

WRONG_ARGUMENTS = (
    "{words}\nGive read.trace the function and then its arguments, each as you would call it: read.trace({call})."
)

WRONG_RESULT = (
    "{words}\nA function that is traced returns arrays, numbers, or trees of them. Leave the other values out of what "
    "it returns."
)

# ── read.program ──────────────────────────────────────────────────────────────────────────────────────────────────────

NO_PROGRAM = (
    "cannot compile a value of type {type}. Give a function and then its arguments, (f, x, w), "
    "or what jax.jit(f).lower(x, w) or its .compile() gave, or the text of a compiled module with mesh=."
)

TEXT_ALONE = (
    "the text of a module names devices only by number. Give the mesh that it was compiled for: "
    "read.program(text, mesh=jax.make_mesh((4, 2), ('x', 'y')))."
)

NO_TEXT = (
    "the text is neither an HLO module (what compiled.as_text() gives, from its line 'HloModule …' on), nor an "
    "instruction of one, nor groups as XLA writes them: replica_groups={{{{0,1}},{{2,3}}}}, [2,4]<=[8], "
    "source_target_pairs={{{{0,1}},{{1,0}}}}. It begins with {start!r}."
)

TRACED_ARGUMENT = (
    "the argument {name} is a tracer of type {type}: inside jit, grad, vmap or shard_map a value has a type but no "
    "sharding yet, so the program would be a different one. Call this outside the traced function, with arrays or with "
    "jax.ShapeDtypeStruct(shape, dtype, sharding=...)."
)

NO_FUNCTION = (
    "there is no function to trace: got a {type}. Give a function and then its arguments, each as you would call it: "
    "(f, x, w)."
)

CALLED_WITH = (
    "{function}{takes} was not given these arguments. Give the function and then its arguments, each as you would "
    "call it; keyword arguments as kwargs={{...}}."
)

NOT_ARRAYS = (
    "shard_map and jit take arrays, and an argument holds something else{words}. Split it before: with equinox, "
    "params, static = eqx.partition(model, eqx.is_array). Pass params, and write model = eqx.combine(params, static) "
    "inside the function."
)

SHARED_LINES = (
    "JAX 0.9 reuses its trace of jitted functions such as jnp.roll, so these lines may be those of an earlier call. "
    "Given the function and its arguments instead, each call has its own."
)

STATIC_VALUES = (
    "jax.jit traces Python's numbers and booleans like arrays: {words}. To use such a value in Python, make it static, "
    "jax.jit({function}, static_argnames={static!r}), or give functools.partial({function}, ...) of it."
)

NO_KEYWORDS = "kwargs must be a dict of the function's keyword arguments by name, kwargs={{'scale': 0.5}}; got {got}."

LOST_WRITES = (
    "{function} writes into its arguments ({names}), and jax.jit keeps only what a function returns: what is computed "
    "for those writes alone is not in this program. Return them, or, with flax, give nnx.jit({function})."
)

PASSED_ON = "Arguments that are not arrays are passed to the function as they are: {words}."

ONE_MESH = "put all of them on one mesh, jax.device_put(x, jax.NamedSharding(mesh, spec))"

MIXED_MESHES = "{words}. A program runs on one set of devices, in one order: " + ONE_MESH + "."

REGION_ELSEWHERE = (
    "{words}, and {function} runs a shard_map on {mesh}. jit takes arguments that are on the devices that it runs on, "
    "in the same order: " + ONE_MESH + "{simulated}."
)

SIMULATED_ELSEWHERE = "; or simulate the devices, engine='host', which takes arguments from anywhere"

REGION_OF_OTHER_AXES = (
    "{words}, and {function} runs a shard_map on {mesh}: to run it there, put all on one mesh, "
    "jax.device_put(x, jax.NamedSharding(mesh, spec))"
)

NOT_ON_REGION = (
    "{words}. A comparison is on one mesh: put the arguments on that of the shard_map, "
    "jax.device_put(x, jax.NamedSharding(mesh, spec))."
)

NOT_ONE_MESH = (
    "{words}. A comparison is on one mesh: " + ONE_MESH + "; or give the mesh meant for all of them, mesh=mesh."
)

PROGRAM_ARGUMENTS = (
    "a {type} is already lowered for its arguments; it was given {count} more. Give it alone, "
    "or the function and its arguments, (f, x, w)."
)

ABSTRACT_PROGRAM = (
    "the mesh is abstract: a program is compiled for devices. Give mesh=jax.make_mesh(...) of the same axes, "
    "or compile for TPUs that this machine does not have: mesh=shardwidget.tpu_mesh('v5e:4x4', ('data', 'model'))."
)

NO_MESH_OF_PROGRAM = (
    "mesh= must be a jax.sharding.Mesh, as jax.make_mesh((4, 2), ('x', 'y')) makes it, or left out; got a {type}."
)

OTHER_MESH = (
    "the program is compiled for {program}, and the mesh {shape} has {mesh}. "
    "Give the mesh that its arguments are on, or leave mesh= out: it is then found in the program."
)

NO_PROGRAMS = "there are no programs to compare. Give some by name: {'data parallel': (f, x, w), 'sharded': compiled}."

UNNAMED_PROGRAMS = (
    "programs to compare are given by name, in a dict: {{'data parallel': (f, x, w), 'sharded': compiled}}; "
    "got a {type}."
)

EMPTY_PROGRAM = "the program {name!r} is an empty tuple. Give a function and its arguments: {{{name!r}: (f, x, w)}}."

OF_PROGRAM = "This is about {name!r}, one of the programs to compare."

NOTHING_TO_RUN = (
    "{what}, so there is nothing to measure. Call it with arrays on devices of this machine: "
    "jax.device_put(values, sharding)."
)

COMPILED_ALONE = (
    "the program came compiled, without the {count} arguments to call it with, so there is nothing to measure. "
    "Give the function and its arguments, (f, x, w), or call shardwidget.read.time_program(compiled, (x, w))."
)

NO_COUNT = "n must be a whole number of calls, 1 or more; got {n!r}."


# ── Run ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

PROFILING = (
    "a profile is already being taken (jax.profiler), and two cannot run at once in one process. "
    "Stop it first: jax.profiler.stop_trace()."
)

DAMAGED_PROFILE = (
    "the profile cannot be read ({size} bytes): it is cut off or is not an .xplane.pb file. {error}. "
    "Take it again: with jax.profiler.trace(folder): …"
)

NO_PROFILE = "{path!r} cannot be read: {error}. Give the .xplane.pb file that jax.profiler.trace wrote."

NO_EVENTS = (
    "the profile has no events of compiled programs (it has {planes}). Run the program inside the profile, "
    "and wait for its results there: jax.block_until_ready(f(x))."
)

OTHER_PROGRAM = (
    "the profile has no events of {module}: it has {found}. Give the program that ran: program=(f, x, w), "
    "with the same shapes and shardings."
)

OTHER_INSTRUCTIONS = (
    "the profile has events of {module}, and only {share:.0%} of their time is in instructions that this program has: "
    "it was compiled from other code or for other shapes. Unknown instructions: {names}."
)

NO_PROGRAM_OF_PROFILE = (
    "a profile needs the program that ran: program=(f, x, w), or program=jax.jit(f).lower(x, w).compile(); got {what}."
)

OTHER_DEVICES_OF_PROFILE = (
    "the profile has device {device} of its host, and the program runs on {count} devices of process {process}. "
    "Give the process whose profile it is: process=."
)

ONE_MEASURED = "a profile that was already taken needs no arguments to call; got {count} arguments."


# ── SpecPlayground ────────────────────────────────────────────────────────────────────────────────────────────────────

NO_SHAPE = (
    "cannot edit the spec of {what}. Give a shape and a mesh, SpecPlayground((8, 16), mesh), or a jax.Array, "
    "SpecPlayground(x)."
)

NO_MESH = (
    "a spec is edited on a mesh; got {what}. Give a jax.sharding.Mesh, jax.make_mesh((4, 2), ('x', 'y')), "
    "or an AbstractMesh."
)

NO_MESH_TO_EDIT = "there is no mesh to edit a spec on. Give one: SpecPlayground(x, jax.make_mesh((4, 2), ('x', 'y')))."

ODD_AXES = "the mesh axes {names} must be strings: a spec is edited by their names."

MANUAL_AXES = (
    "{mesh} has Manual axes, which exist only inside jax.shard_map, where specs cannot name them. "
    "Give the mesh from outside."
)

OTHER_DEVICES = (
    "{mesh} has other devices than this playground's mesh, or the same in another order. "
    "Make another playground: SpecPlayground(shape, mesh)."
)

NO_NAMED_SHARDING = "the sharding must be a NamedSharding, such as NamedSharding(mesh, P('x', None)); got {what}."

OWN_MEMORY = (
    "{sharding} has a memory kind or an order of devices of its own, which cannot be edited here. "
    "Give NamedSharding(mesh, spec)."
)

NO_ARRAY = "there is no array to move. Make the playground of one: SpecPlayground(x), or SpecPlayground(x, mesh)."

ABSTRACT_TARGET = "{mesh} is abstract: it has {count} positions and no devices, so no array can be moved there."

SUMS_ON_AUTO = (
    "{mesh} has Auto axes, and JAX makes no unreduced values there: some versions refuse to, others return another "
    "value. Make all axes Explicit, or remove the unreduced axes from the spec."
)

INVALID_SPEC = "JAX does not accept the spec on screen, so nothing was moved. {error}"


def first_line(error: BaseException) -> str:
    """The first line of an exception's words, or its class where it has none."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
