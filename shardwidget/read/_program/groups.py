"""Who takes part together: the four ways in which XLA writes groups of devices, all as positions.

A number in a group is a position in the program's device assignment, which is that of ``mesh.devices.flat``.
Grammar: openxla/xla, ``xla/hlo/ir/collective_device_list.h`` and ``mesh_and_axis.h``.
"""

from __future__ import annotations

import itertools
import math
import re

import numpy as np

Groups = tuple[tuple[int, ...], ...]

_LISTED = re.compile(r"replica_groups=\{((?:\{[\d,\s]*\},?\s*)*)\}")
_IOTA = re.compile(r"replica_groups=(\[[\d,]+\]<=\[[\d,]+\](?:T\([\d,]+\))?)")
_MESH = re.compile(r"replica_groups=(@?mesh\[([^\]]*)\](?:,?\s*device_ids=\((.*?)\))?\s*\{([^}]*)\})")
_PAIRS = re.compile(r"source_target_pairs=(\{(?:\{\d+,\d+\},?\s*)*\})")


class GroupsError(ValueError):
    """Groups in a form that is not known."""


def groups_of(attributes: str, devices: int) -> tuple[Groups, str]:
    """The groups of a collective and how XLA writes them.

    Args:
        attributes: of the instruction.
        devices: number of devices of the program.

    Raises:
        GroupsError: they are written in none of the known ways, or do not fit the devices.
    """
    if found := _MESH.search(attributes):
        groups = _mesh_groups(found[2], found[3], found[4])
        text = f"replica_groups={found[1]}"
    elif found := _IOTA.search(attributes):
        groups, text = _rows(_iota(found[1])), found[0]
    elif found := _LISTED.search(attributes):
        listed = [tuple(map(int, _numbers(row))) for row in re.findall(r"\{([\d,\s]*)\}", found[1])]
        groups, text = tuple(row for row in listed if row), found[0]
        if not groups:  # nothing written: all together
            groups = (tuple(range(devices)),)
    else:
        raise GroupsError("it names no groups in a known form")
    flat = [p for group in groups for p in group]
    if not flat or max(flat) >= devices or len(set(flat)) != len(flat):
        raise GroupsError(f"its groups {text} do not fit {devices} devices")
    return groups, text


def pairs_of(attributes: str, devices: int) -> tuple[Groups, str]:
    """The (source, target) pairs of a permutation, and how XLA writes them.

    Raises:
        GroupsError: there are none, or they do not fit the devices.
    """
    found = _PAIRS.search(attributes)
    if not found:
        raise GroupsError("it names no pairs")
    pairs = tuple((int(a), int(b)) for a, b in re.findall(r"\{(\d+),(\d+)\}", found[1]))
    if any(p >= devices for pair in pairs for p in pair):
        raise GroupsError(f"its pairs do not fit {devices} devices")
    return pairs, found[0]


def _iota(text: str) -> np.ndarray:
    """``[2,4]<=[4,2]T(1,0)``: the numbers 0, 1, … in the second shape, transposed, in the first shape."""
    shape, dims, order = re.fullmatch(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", text).groups()  # type: ignore[union-attr]
    numbers = np.arange(math.prod(_numbers(dims))).reshape(_numbers(dims))
    if order:
        numbers = numbers.transpose(_numbers(order))
    return numbers.reshape(_numbers(shape))


def _mesh_groups(axes: str, ids: str | None, chosen: str) -> Groups:
    """``mesh['a'=4,'b'=2] {'a'}``, with ``device_ids=(…)`` and sub-axes ``'a':(2)2``.

    A sub-axis ``(m)k`` of an axis of size n is the middle digit of n written as m · k · n/(m·k).
    """
    named = re.findall(r"'([^']*)'\s*=\s*(\d+)", axes)
    names, sizes = [name for name, _ in named], [int(size) for _, size in named]
    positions = np.arange(math.prod(sizes))
    if ids:
        listed = re.sub(r"^\s*\[\d+\](?=<=)|\s", "", ids)
        if "<=" in ids:
            positions = _iota(
                re.sub(r"^\s*<=", f"[{positions.size}]<=", ids if ids.lstrip()[0] == "[" else listed)
            ).ravel()
        else:
            positions = np.array([int(n) for n in re.findall(r"\d+", ids)])
    wanted = re.findall(r"'([^']*)'(?::\((\d+)\)(\d+))?", chosen)
    # Every axis that a sub-axis is taken of is written as three digits.
    digits: list[tuple[str, int, int]] = []  # axis, product of the digits before it, size
    for name, size in zip(names, sizes, strict=True):
        cuts = {1, size}
        for axis, before, part in wanted:
            if axis == name and part:
                cuts |= {int(before), int(before) * int(part)}
        edges = sorted(cuts)
        if any(b % a for a, b in itertools.pairwise(edges)):
            raise GroupsError(f"sub-axes of {name!r} overlap")
        digits += [(name, a, b // a) for a, b in itertools.pairwise(edges)] or [(name, 1, 1)]
    inside: list[int] = []
    for axis, before, part in wanted:
        whole = [k for k, (name, _, _) in enumerate(digits) if name == axis]
        if not whole:
            raise GroupsError(f"the mesh has no axis {axis!r}")
        low, high = (int(before), int(before) * int(part)) if part else (1, sizes[names.index(axis)])
        inside += [k for k in whole if low <= digits[k][1] and digits[k][1] * digits[k][2] <= high]
    outside = [k for k in range(len(digits)) if k not in inside]
    grid = positions.reshape([size for _, _, size in digits]).transpose(outside + inside)
    return _rows(grid.reshape(-1, math.prod(digits[k][2] for k in inside)))


def _rows(numbers: np.ndarray) -> Groups:
    if numbers.ndim != 2:
        raise GroupsError(f"groups are rows of a table; got shape {numbers.shape}")
    return tuple(map(tuple, numbers.tolist()))


def _numbers(text: str) -> list[int]:
    return [int(n) for n in text.split(",") if n.strip()]
