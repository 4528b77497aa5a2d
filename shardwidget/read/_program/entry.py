"""``read.program``: a compiled program as a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import AbstractMesh, Mesh, NamedSharding

from shardwidget import _jax, cost
from shardwidget.document import Memory, Program, Work
from shardwidget.document import Mesh as MeshDocument
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._program.collect import collect
from shardwidget.read._program.module import Module, parse
from shardwidget.read._program.target import interconnect_of, target_of, wraps_of


def program(
    f: Callable[..., Any] | jax.stages.Lowered | jax.stages.Compiled,
    *args: Any,
    mesh: Mesh | None = None,
    name: str | None = None,
    interconnect: str | cost.Interconnect | None = None,
) -> Program:
    """Compiles a function, without running it, and reads the collectives that are in the result.

    Args:
        f: a function, jitted or not; or what ``jax.jit(f).lower(…)`` or ``.compile()`` gave.
        *args: the function's arguments: arrays, or ``jax.ShapeDtypeStruct`` with a sharding, which need no data.
        mesh: the mesh whose axes are named; None finds it in the arguments, in the program and around it.
        name: what to call the program; None takes the function's name.
        interconnect: what times are estimated for first: a name in ``cost.INTERCONNECTS`` or an ``Interconnect``; None
            takes the one that fits the devices.

    Returns:
        The program. One without collectives has an empty ``collectives``.

    Raises:
        TypeError: ``f`` is none of these, or arguments come with a program that is lowered or compiled already.
        ValueError: the mesh is not that of the program; or it has no devices to compile for.
    """
    if isinstance(f, jax.stages.Compiled | jax.stages.Lowered):
        if args:
            raise TypeError(
                f"a {type(f).__name__} program takes no arguments here: program(lowered), program(compiled), or "
                f"program(f, *args); got {len(args)} arguments"
            )
        compiled = f if isinstance(f, jax.stages.Compiled) else f.compile()
        return of_compiled(compiled, mesh or mesh_of(compiled), name=name or "", interconnect=interconnect)
    if not callable(f):
        raise TypeError(
            "program takes a function and its arguments, a jax.stages.Lowered or a jax.stages.Compiled; got "
            f"{type(f).__name__}"
        )
    found = mesh or _mesh_in(args) or _context_mesh()
    if isinstance(found, AbstractMesh):
        raise ValueError(_ABSTRACT)
    jitted: Any = f if hasattr(f, "trace") else jax.jit(f)
    traced = jitted.trace(*args)
    found = found or _mesh_in_jaxpr(traced.jaxpr)
    compiled = traced.lower().compile()
    return of_compiled(
        compiled, found or mesh_of(compiled), name=name or getattr(f, "__name__", ""), interconnect=interconnect
    )


_ABSTRACT = (
    "an AbstractMesh has no devices to compile for. Give arguments with shardings on a jax.make_mesh(…), or on a TPU "
    "topology, which needs no TPU: shardwidget.tpu_mesh('v5e:4x4', ('data', 'model'))"
)


def of_compiled(
    compiled: jax.stages.Compiled,
    mesh: Mesh | None,
    *,
    name: str = "",
    interconnect: str | cost.Interconnect | None = None,
) -> Program:
    """A compiled program as a document.

    Args:
        compiled: the program.
        mesh: the mesh whose axes are named; None draws the program's devices in a row.
        name: what to call it.
        interconnect: what times are estimated for first.

    Raises:
        ValueError: the mesh has another number of devices than the program.
    """
    module = parse(compiled.as_text() or "")
    document = _mesh_document(compiled, module, mesh)
    first = interconnect_of(document, interconnect)
    known = list(cost.INTERCONNECTS.values())
    if first not in known:
        known.insert(0, first)
    found = collect(module, document, known)
    return Program(
        mesh=document,
        collectives=found.collectives,
        plans=found.plans,
        interconnects=tuple(i.name for i in known),
        interconnect=known.index(first),
        wraps=wraps_of(document),
        name=name,
        target=target_of(document),
        instructions=module.instructions,
        memory=_memory(compiled),
        work=_work(compiled),
        listings=found.listings,
        unread=found.unread,
        note=_note(module, mesh),
        jax_version=jax.__version__,
    )


def mesh_of(compiled: jax.stages.Compiled) -> Mesh | None:
    """The mesh of a compiled program's arguments and results; None where none names one."""
    return _mesh_in((compiled.input_shardings, compiled.output_shardings))


def _mesh_document(compiled: jax.stages.Compiled, module: Module, mesh: Mesh | None) -> MeshDocument:
    if mesh is None:
        devices = _devices_in((compiled.input_shardings, compiled.output_shardings)) or jax.devices()[: module.devices]
        return read_devices(devices)
    if mesh.size != module.devices and module.devices > 1:
        raise ValueError(
            f"the program runs on {module.devices} devices and the mesh has {mesh.size} "
            f"({dict(mesh.shape)}): give the mesh that it was compiled for"
        )
    return read_mesh(mesh)


def _mesh_in(tree: Any) -> Any:
    """The mesh of the first NamedSharding in a tree of arrays or shardings; the largest, where there are several."""
    leaves = jax.tree.leaves(tree, is_leaf=lambda x: isinstance(x, jax.sharding.Sharding))
    shardings = (x if isinstance(x, jax.sharding.Sharding) else getattr(x, "sharding", None) for x in leaves)
    meshes = [s.mesh for s in shardings if isinstance(s, NamedSharding) and s.mesh.size]
    return max(meshes, key=lambda m: m.size, default=None)


def _devices_in(tree: Any) -> list[Any]:
    leaves = jax.tree.leaves(tree, is_leaf=lambda x: isinstance(x, jax.sharding.Sharding))
    sets = [s.device_set for s in leaves if isinstance(s, jax.sharding.Sharding)]
    return sorted(max(sets, key=len, default=set()), key=lambda d: d.id)


def _context_mesh() -> Mesh | None:
    mesh = jax.sharding.get_mesh()
    return None if mesh.empty else mesh


def _mesh_in_jaxpr(jaxpr: Any) -> Mesh | None:
    """The concrete mesh of a ``shard_map`` or of a sharding in a program."""
    for eqn in _jax.open_jaxpr(jaxpr)[0].eqns:
        for value in eqn.params.values():
            for item in value if isinstance(value, (tuple, list)) else (value,):
                if isinstance(item, Mesh) and not item.empty:
                    return item
                if isinstance(item, NamedSharding) and isinstance(item.mesh, Mesh):
                    return item.mesh
                if hasattr(item, "eqns") or hasattr(item, "jaxpr"):
                    found = _mesh_in_jaxpr(item)
                    if found is not None:
                        return found
    return None


def _memory(compiled: jax.stages.Compiled) -> Memory | None:
    found = _quietly(compiled.memory_analysis)
    if found is None:
        return None
    return Memory(
        arguments=int(found.argument_size_in_bytes),
        outputs=int(found.output_size_in_bytes),
        temporaries=int(found.temp_size_in_bytes),
        aliased=int(found.alias_size_in_bytes),
        code=int(found.generated_code_size_in_bytes),
    )


def _work(compiled: jax.stages.Compiled) -> Work | None:
    found = _quietly(compiled.cost_analysis)
    if not found:
        return None
    figures = found[0] if isinstance(found, (list, tuple)) else found

    def figure(key: str) -> float:
        value = float(figures.get(key, -1))
        return value if value >= 0 else -1

    return Work(figure("flops"), figure("bytes accessed"), figure("optimal_seconds"))


def _quietly(ask: Callable[[], Any]) -> Any:
    """An analysis that not every backend can make."""
    try:
        return ask()
    except Exception:
        return None


def _note(module: Module, mesh: Mesh | None) -> str:
    if not module.entry:
        return "The text of the module could not be read, so its collectives are not known."
    if mesh is None and module.devices > 1:
        return "No mesh is known, so groups are named by devices: give mesh= to name its axes."
    return ""
