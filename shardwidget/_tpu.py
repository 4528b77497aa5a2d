"""``tpu_mesh``: a mesh of TPU devices that this machine does not have, to compile for."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jax.sharding import AxisType, Mesh

_FORM = re.compile(r"^[A-Za-z0-9]+:\d+(x\d+)*$")

_ODD_FORM = "topology must be a string like 'v5e:4x4' (generation, chips along each physical axis); got {topology!r}"

_REFUSED = (
    "libtpu refuses the topology {topology!r}: {words}. Generations that it knows are v2, v3, v4, v5e, v5p, v6e and "
    "tpu7x; chips come in hosts of 2x2: 'v5e:4x4', 'v5p:2x2x4', 'v6e:16x16', 'tpu7x:2x2x1'"
)

_ODD_NAMES = "mesh axes need distinct string names; got {names}"

_ODD_TYPES = "axis_types must be one AxisType for all {count} axes, or one for each; got {types}"

_NO_LIBTPU = (
    "compiling for a TPU needs libtpu, which comes with the optional extra and runs on Linux on x86-64: "
    'pip install "shardwidget[tpu]"'
)

_CHIP = {"v4": "megacore"}
"""How libtpu is to make devices of a chip where that is not its default: one of both cores, as JAX does on a v4."""

_PROCESSORS = Path("/sys/devices/system/cpu")
_NO_PROCESSORS = (
    f"libtpu counts processors in {_PROCESSORS}, which does not exist here, and would abort: make /sys visible "
    "(in a container or chroot: mount -t sysfs sysfs /sys)"
)


def tpu_mesh(
    topology: str,
    axis_names: Sequence[str],
    *,
    shape: Sequence[int] | None = None,
    num_slices: int = 1,
    axis_types: AxisType | Sequence[AxisType] = AxisType.Auto,
) -> Mesh:
    """A mesh over a TPU topology. Programs compile for it on any machine; they cannot run.

    ```python
    mesh = tpu_mesh("v5e:4x4", ("data", "model"))
    x = jax.ShapeDtypeStruct((1024, 512), "bfloat16", sharding=NamedSharding(mesh, P("data", "model")))
    CompiledProgram(f, x)
    ```

    Args:
        topology: generation and chips along each physical axis: ``v5e:4x4``, ``v5p:2x2x2``, ``tpu7x:2x2x1``. A chip is
            one device; on v2, v3 and TPU7x it is two, one for each core.
        axis_names: names of the mesh axes.
        shape: their sizes; None takes the topology's own (with several slices, their number first; the devices of a
            chip last), or all devices for one axis.
        num_slices: slices of this topology, connected by the data centre network. The first axis spans the slices,
            or the slices and then a part of each: its size must be a multiple of ``num_slices``.
        axis_types: a type for all axes, or one for each.

    Raises:
        ImportError: libtpu is not installed, or cannot work here.
        ValueError: the topology is not known to libtpu, or names, shape and devices do not fit together.
    """
    names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
    types = (axis_types,) * len(names) if isinstance(axis_types, AxisType) else tuple(axis_types)
    if not isinstance(topology, str) or not _FORM.match(topology):
        raise ValueError(_ODD_FORM.format(topology=topology))
    if not names or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise ValueError(_ODD_NAMES.format(names=names))
    if len(types) != len(names):
        raise ValueError(_ODD_TYPES.format(count=len(names), types=types))
    if not isinstance(num_slices, int) or num_slices < 1:
        raise ValueError(f"num_slices must be a whole number of slices, 1 or more; got {num_slices!r}")
    description = _describe(topology, num_slices)
    sizes = _sizes(topology, num_slices, len(description.devices), names, shape)
    return Mesh(grid(description, num_slices, sizes, names), names, axis_types=types)


def _sizes(
    topology: str, slices: int, count: int, names: tuple[str, ...], shape: Sequence[int] | None
) -> tuple[int, ...]:
    """The sizes of the mesh axes: as given, else those of the physical axes, or all devices for one axis."""
    chips = (slices,) * (slices > 1) + tuple(int(n) for n in topology.partition(":")[2].split("x"))
    if slices > 1:
        topology = f"{slices} slices of {topology}"
    wanted = f"give shape=, {len(names)} sizes with the product {count}"
    if shape is not None:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if len(shape) != len(names) or min(shape) < 1 or math.prod(shape) != count:
            raise ValueError(
                f"{topology} has {count} devices, which do not fill a mesh of {names} with sizes {shape}: {wanted}"
            )
        if shape[0] % slices:
            raise ValueError(
                f"the first axis, {names[0]!r}, spans the {slices} slices: its size must be a multiple of "
                f"{slices}, got {shape[0]}"
            )
        return shape
    if len(names) == 1:
        return (count,)
    cores = count // math.prod(chips)
    if cores > 1 and len(names) == len(chips) + 1:
        chips += (cores,)
    if len(names) != len(chips) or math.prod(chips) != count:
        raise ValueError(
            f"{topology} has {count} devices on {len(chips)} physical axes, which do not determine the sizes of "
            f"the {len(names)} mesh axes {names}: {wanted}"
        )
    return chips


def grid(description: Any, slices: int, sizes: tuple[int, ...], names: tuple[str, ...]) -> np.ndarray:
    """The devices as JAX would lay them out, with fast links along each axis; row by row if it finds none."""
    from jax.experimental import mesh_utils, topologies

    if slices > 1:
        inside = (sizes[0] // slices, *sizes[1:])
        try:
            return mesh_utils.create_hybrid_device_mesh(inside, (slices, *[1] * len(inside[1:])), description.devices)
        except (AssertionError, NotImplementedError, ValueError):
            rows = sorted(description.devices, key=lambda d: (d.slice_index, *d.coords, d.core_on_chip))
            return np.array(rows).reshape(sizes)

    try:
        return topologies.make_mesh(description, sizes, names).devices
    except (AssertionError, NotImplementedError):  # Two cores a chip, or sizes that fit no axes of the chips.
        return np.array(sorted(description.devices, key=lambda d: (*d.coords, d.core_on_chip))).reshape(sizes)


def _describe(topology: str, slices: int) -> Any:
    if importlib.util.find_spec("libtpu") is None:
        raise ImportError(_NO_LIBTPU)
    from jax.experimental import topologies

    if not _PROCESSORS.is_dir():
        raise ImportError(_NO_PROCESSORS)
    try:
        with _no_questions():
            more = {"num_slices": slices} if slices > 1 else {}
            return topologies.get_topology_desc(platform="tpu", topology_name=topology, **_of_chips(topology), **more)
    except Exception as error:
        words = str(error).partition("\n")[0].removeprefix("INVALID_ARGUMENT: ").rstrip(".")
        raise ValueError(_REFUSED.format(topology=topology, words=words)) from error


def _of_chips(topology: str) -> dict[str, Any]:
    """What libtpu must be told about the chips: which devices they are, and of hosts with fewer than 2x2."""
    generation, _, sizes = topology.lower().partition(":")
    host = [min(2, int(size)) for size in sizes.split("x")[:2]]
    given: dict[str, Any] = {"chip_config_name": _CHIP[generation]} if generation in _CHIP else {}
    return given | {"chips_per_host_bounds": [*host, *[1] * (3 - len(host))]} if 1 in host else given


@contextlib.contextmanager
def _no_questions() -> Iterator[None]:
    """Keeps libtpu from asking this machine which TPU it is, and from keeping other processes out of its library."""
    wanted = {
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        "TPU_ACCELERATOR_TYPE": "v5litepod-16",
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_WORKER_HOSTNAMES": "localhost",
    }
    is_tpu = any(any(Path("/dev").glob(pattern)) for pattern in ("accel*", "vfio/*"))
    added = [key for key in wanted if key not in os.environ and not is_tpu]
    os.environ.update({key: wanted[key] for key in added})
    try:
        yield
    finally:
        for key in added:
            os.environ.pop(key, None)
