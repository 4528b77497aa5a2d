"""What several readers reply to arguments that they cannot read. What one file alone says is in that file."""

from __future__ import annotations

from typing import Any

EMPTY_MESH = "The mesh is empty: it has no devices to show. Make one with jax.make_mesh((4, 2), ('x', 'y'))."

NO_SHARDING = (
    "{what} has no sharding, so there is nothing to place. Give it one: "
    "jax.ShapeDtypeStruct({shape}, {dtype!r}, sharding=NamedSharding(mesh, PartitionSpec(...)))."
)

TRACER = (
    "got a tracer of type {type}: inside jit, grad, vmap or shard_map a value has a type but no placement yet. "
    "Read the array outside the traced function (what goes in or what comes out), "
    "or its type inside: print(jax.typeof(x))."
)

ONE_MESH = "put all of them on one mesh, jax.device_put(x, jax.NamedSharding(mesh, spec))"

REGION_ELSEWHERE = (
    "{words}, and {function} runs a shard_map on {mesh}. jit takes arguments that are on the devices that it runs on, "
    "in the same order: " + ONE_MESH + "{simulated}."
)

NO_MESH_OF_PROGRAM = (
    "mesh= must be a jax.sharding.Mesh, as jax.make_mesh((4, 2), ('x', 'y')) makes it, or left out; got a {type}."
)

NO_SHARD_MAP = (
    "{name} calls no jax.shard_map, so there are no steps on devices to show. Wrap the part that runs on each device "
    "in jax.shard_map(f, mesh=mesh, in_specs=…, out_specs=…). To compare the shardings of a program without one, "
    "op by op, use ShardingComparison({name}, *args)."
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


def first_line(error: BaseException) -> str:
    """The first line of an exception's words, or its class where it has none."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
