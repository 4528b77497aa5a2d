"""``read.links``: a mesh on the links of its chips."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import numpy as np

from shardwidget import cost
from shardwidget._format import byte_count, count
from shardwidget.collectives import statement_of_opcode
from shardwidget.document import Crossing, DeviceOrder, HloCollective, Ints, Links, Mesh, Program
from shardwidget.read._links.crossing import Box, crossing, every_pair, rings
from shardwidget.read._mesh import read_mesh
from shardwidget.read._target import interconnect_of, target_of, wraps_of

NO_COORDINATES = (
    "the devices of the mesh ({kind}) have no coordinates on chips, so which links they use is not known. Give a mesh "
    "of TPUs, such as shardwidget.tpu_mesh('v5e:4x4', ('data', 'model'))."
)

ABSTRACT = (
    "an AbstractMesh has no devices. Say which chips it is meant for: read.links(mesh, topology='v5e:4x4') puts it on "
    "them as jax.make_mesh does."
)

SLICES = "the mesh spans several slices, between which there are no links: give the mesh of one slice."

NO_BOX = "the devices of the mesh fill no box of chips, so which links are between them is not known."

NO_MESHES = "links takes a Mesh, an AbstractMesh with topology=, or a dict of meshes by name; got {got}."

OTHER_PROGRAM = "the program {name!r} runs on {theirs} devices, the mesh has {ours}."

PAIRS = 4
"""The most pairs of a permutation that are named."""

JAX_ORDER = "jax.make_mesh"
"""What the order is called that JAX gives the same devices."""


def links(
    mesh: Any = None,
    *,
    program: Program | None = None,
    topology: str | None = None,
) -> Links:
    """Shows which links between chips the transfers of a mesh cross, and how many share one.

    Every group of devices along a mesh axis passes its blocks round a ring, in the order of the mesh; all axes do at
    once. With a program its collectives do, each with the bytes that it sends: an all-to-all from each device to each
    other one, a permutation along its pairs.

    Args:
        mesh: a mesh of TPUs, such as ``tpu_mesh`` makes; several by name, in a dict; or an ``AbstractMesh`` with
            ``topology``. One mesh alone stands beside the order that ``jax.make_mesh`` gives its devices, where that is
            another. None takes the program's.
        program: what ``read.program`` read for a mesh of this shape.
        topology: the chips of an ``AbstractMesh``: ``v5p:4x4x4``.

    Raises:
        TypeError: it is no mesh.
        ValueError: the devices have no coordinates, are on several slices, or fill no box; or the program has another
            number of devices.
        ImportError: ``topology`` is given, and libtpu is not installed.
    """
    return of_meshes(_named(mesh, program, topology), program)


def of_meshes(named: Mapping[str, Mesh], program: Program | None = None) -> Links:
    """The same of meshes that are documents already."""
    orders = [_order(name, one, program) for name, one in named.items()]
    return Links(tuple(orders), target_of(orders[0].mesh), _answer(orders), program.name if program else "")


def _named(mesh: Any, program: Program | None, topology: str | None) -> dict[str, Mesh]:
    if mesh is None and program is not None:
        return {"as compiled": program.mesh} | _beside(program.mesh)
    given = dict(mesh) if isinstance(mesh, Mapping) else {"": mesh}
    found: dict[str, Mesh] = {}
    for name, one in given.items():
        if isinstance(one, jax.sharding.AbstractMesh):
            if topology is None:
                raise ValueError(ABSTRACT)
            from shardwidget._tpu import tpu_mesh

            one = tpu_mesh(topology, one.axis_names, shape=one.axis_sizes)
            name = name or JAX_ORDER
        if not isinstance(one, jax.sharding.Mesh):
            raise TypeError(NO_MESHES.format(got=f"a {type(one).__name__}"))
        found[name] = read_mesh(one)
        if len(given) == 1 and not name:
            other = _beside(found[""])
            found = {"this mesh" if other else JAX_ORDER: found[""]} | other
    if not found:
        raise TypeError(NO_MESHES.format(got="an empty dict"))
    return found


def _beside(mesh: Mesh) -> dict[str, Mesh]:
    """The same devices in the order that JAX gives them; empty where that is this one, or it finds none."""
    from jax.experimental import mesh_utils

    if not mesh.coords or mesh.slices is not None:
        return {}
    ids = mesh.device_ids.array().tolist()
    places = list(zip(*(column.array().tolist() for column in mesh.coords), strict=True))
    cores: dict[tuple[int, ...], int] = {}
    devices = []
    for position in np.argsort(ids).tolist():
        core = cores[places[position]] = cores.get(places[position], -1) + 1
        coords = (*places[position], 0, 0)[:3]  # JAX expects three.
        devices.append(_Device(ids[position], coords, core, mesh.kind, mesh.platform, position))
    with contextlib.suppress(AssertionError, NotImplementedError, ValueError):
        made = mesh_utils.create_device_mesh(mesh.shape, devices, allow_split_physical_axes=False)
        order = [device.position for device in made.flat]
        if order != list(range(mesh.size)):
            return {JAX_ORDER: _ordered(mesh, order)}
    return {}


class _Device(NamedTuple):
    """What JAX asks of a device to order it: one of a program that was read from a file is not here."""

    id: int
    coords: tuple[int, ...]
    core_on_chip: int
    device_kind: str
    platform: str
    position: int
    process_index: int = 0


def _ordered(mesh: Mesh, order: Sequence[int]) -> Mesh:
    """A mesh with its devices in another order."""

    def moved(column: Ints) -> Ints:
        return Ints.pack(column.array().ravel()[list(order)].reshape(column.array().shape))

    coords = tuple(moved(column) for column in mesh.coords)
    return replace(mesh, device_ids=moved(mesh.device_ids), process=moved(mesh.process), coords=coords)


def _order(name: str, mesh: Mesh, program: Program | None) -> DeviceOrder:
    if not mesh.coords:
        raise ValueError(NO_COORDINATES.format(kind=mesh.kind or mesh.platform or "abstract"))
    if mesh.slices is not None:
        raise ValueError(SLICES)
    if program is not None and program.mesh.size != mesh.size:
        raise ValueError(OTHER_PROGRAM.format(name=program.name, theirs=program.mesh.size, ours=mesh.size))
    at = np.stack([column.array() for column in mesh.coords])
    at = at - at.min(axis=1, keepdims=True)
    chips, wraps = tuple(int(c.max()) + 1 for c in at), wraps_of(mesh)
    if mesh.size % math.prod(chips) or len({tuple(c) for c in at.T.tolist()}) != math.prod(chips):
        raise ValueError(NO_BOX)
    kept = [k for k, size in enumerate(chips) if size > 1 or len(chips) <= 2]
    box = Box(tuple(chips[k] for k in kept), tuple(wraps[k] for k in kept), at[kept], mesh.process.array())
    found = _of_program(program, box) if program is not None else _of_axes(mesh, box)
    there = box.links.ravel()
    hops = sum((c.load.array() for c in found), np.zeros(len(there), int))
    carried = sum((c.load.array() * c.bytes for c in found), np.zeros(len(there), int))
    weight = carried if carried.any() else hops
    heaviest = divmod(int(weight.argmax()), math.prod(box.chips)) if weight.any() else (-1, -1)
    most, ici = int(carried.max(initial=0)), cost.INTERCONNECTS.get(interconnect_of(mesh.kind))
    return DeviceOrder(
        name=name,
        mesh=mesh,
        chips=box.chips,
        wraps=box.wraps,
        devices_a_chip=mesh.size // math.prod(chips),
        links=int(there.sum()),
        crossings=tuple(found),
        busiest=int(hops.max(initial=0)),
        idle=int((there & (hops == 0)).sum()),
        bytes=most,
        most=heaviest,
        seconds=most / ici.bandwidth if ici else 0.0,
    )


def _of_axes(mesh: Mesh, box: Box) -> list[Crossing]:
    positions = np.arange(mesh.size).reshape(mesh.shape)
    found = []
    for k, axis in enumerate(mesh.axes):
        if axis.size > 1:
            groups = np.moveaxis(positions, k, -1).reshape(-1, axis.size)
            found.append(crossing(axis.name, (axis.name,), groups, rings(groups), box, 0))
    return found


def _of_program(program: Program, box: Box) -> list[Crossing]:
    """Its collectives, those with the same hops as one."""
    found: dict[tuple[Any, ...], Crossing] = {}
    for k, c in enumerate(program.collectives):
        groups = c.positions.array().reshape(-1, c.group_size) if c.group_size else np.zeros((0, 1), int)
        if c.group_size < 2 and not c.pairs:
            continue
        sent, over = c.bytes_per_device * (c.times or 1), ", ".join(c.axes) or "irregular groups"
        name = over
        if c.pairs:
            hops = np.array([pair for pair in c.pairs if pair[0] != pair[1]], int).reshape(-1, 2)
            name = f"{over}, {c.kind}"
        elif statement_of_opcode(c.kind).semantics.by_origin:
            hops, sent, name = every_pair(groups), -(-sent // (c.group_size - 1)), f"{over}, {c.kind}"
        else:
            hops = rings(groups)
        made = replace(crossing(name, c.axes, groups, hops, box, sent), collectives=(k,))
        key = (made.name, hops.tobytes())  # The same on every order of devices.
        known = found.get(key)
        if known is not None:
            made = replace(known, bytes=known.bytes + made.bytes, collectives=(*known.collectives, k))
        found[key] = made
    several = Counter(c.name for c in found.values())
    named = (
        replace(
            c,
            of=_in_words(program, c.collectives),
            name=_of_pairs(c, program.collectives[c.collectives[0]]) if several[c.name] > 1 else c.name,
        )
        for c in found.values()
    )
    return sorted(named, key=lambda one: -one.bytes)


def _of_pairs(crossing: Crossing, c: HloCollective) -> str:
    """A permutation by its pairs, as ranks of its groups: ``model, 0→1 2→3``; all to one side as ``model, +1``."""
    ranks = {p: k % c.group_size for k, p in enumerate(c.positions.array().tolist())}
    pairs = sorted({(ranks.get(a, a), ranks.get(b, b)) for a, b in c.pairs if a != b})
    over = ", ".join(crossing.axes) or "irregular groups"
    apart = {(b - a) % c.group_size for a, b in pairs}
    if len(pairs) == c.group_size and len(apart) == 1:
        return f"{over}, +{apart.pop()}"
    shown = " ".join(f"{a}→{b}" for a, b in pairs[:PAIRS])
    return f"{over}, {shown}{' …' if len(pairs) > PAIRS else ''}"


def _in_words(program: Program, collectives: Sequence[int]) -> tuple[str, ...]:
    """Collectives by kind and line, the most bytes first."""
    sent = dict[tuple[str, int], list[int]]()
    for k in collectives:
        c = program.collectives[k]
        sent.setdefault((c.kind, c.source.line if c.source else 0), []).append(c.bytes_per_device * (c.times or 1))
    order = sorted(sent.items(), key=lambda one: -sum(one[1]))
    return tuple(
        (count(len(each), kind) if len(each) > 1 else kind) + (f", line {line}" if line else "")
        for (kind, line), each in order
    )


def _answer(orders: Sequence[DeviceOrder]) -> str:
    if all(not order.crossings for order in orders):
        return "No transfers: no device sends anything"
    if any(order.bytes for order in orders):
        words = [(o, o.bytes, f"{byte_count(o.bytes)} on the busiest link") for o in orders]
    else:
        words = [(o, o.busiest, _shared(o)) for o in orders]
    if len(words) == 1:
        (order, _, said), *_ = words
        return f"{said[0].upper()}{said[1:]}{_because(order)}"
    words.sort(key=lambda one: one[1])
    if len({w[1] for w in words}) == 1:
        return f"The same in {count(len(words), 'order')}: {words[0][2]}"
    return "; ".join(f"{order.name}: {said}" for order, _, said in itertools.chain(words[:1], words[-1:]))


def _shared(order: DeviceOrder) -> str:
    return "no link is shared" if order.busiest <= 1 else f"the busiest link carries {order.busiest} transfers"


def _because(order: DeviceOrder) -> str:
    """Why links are shared, where each axis for itself shares them."""
    far = [c for c in order.crossings if c.most_links > 1]
    if not far or order.busiest <= 1:
        return ""
    if not any(order.wraps):
        return ": there is no wraparound, so rings go back over their own links"
    return f": a hop over {far[0].name} crosses up to {far[0].most_links} links"
