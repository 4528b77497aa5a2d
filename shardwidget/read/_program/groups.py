"""Who takes part in a collective together: XLA's notations, expanded to positions in the device assignment.

Groups are written out, ``{{0,1},{2,3}}``; as an iota, ``[2,4]<=[4,2]T(1,0)``; or by axes of XLA's own mesh,
``mesh['a'=4,'b'=2] {'a'}``, with its devices permuted, ``mesh[…], device_ids=([2,4]T(1,0)) {…}``, and with parts of
axes, ``'a':(2)2``. What the ids count depends on other attributes: openxla.org/xla/operation_semantics, "AllReduce",
and ``GetCollectiveOpGroupMode`` in XLA.
"""

from __future__ import annotations

import math
import re

import numpy as np

from shardwidget._text import visible

_IOTA = re.compile(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
_MESH = re.compile(
    r"@?(?:maximal_)?mesh[\[<](?P<axes>[^\]>]*)[\]>]"
    r"(?:, device_ids=\((?P<ids>[^{]*)\)|\(devices=\[[\d,]+\](?P<old>[^{]*)\))? \{(?P<over>[^}]*)\}"
)
_WRITTEN = re.compile(r"\{(?:\{[\d,\s]*\}(?:,\s*)?)*\}")

Groups = tuple[tuple[int, ...], ...]


def groups_text(text: str) -> str:
    """The attribute as the instruction writes it; empty where it has none."""
    found = re.search(r"(?:replica_groups|source_target_pairs)=", text)
    if not found:
        return ""
    rest = text[found.end() :].removeprefix('"')
    value = next((m for pattern in (_IOTA, _MESH, _WRITTEN) if (m := pattern.match(rest))), None)
    return found[0] + (value[0] if value else rest.partition(", ")[0])


def expand(text: str) -> Groups:
    """The ids of each group, in rank order, of any notation (without ``replica_groups=``).

    Raises:
        ValueError: it is in none of the known notations.
    """
    try:
        if found := _IOTA.fullmatch(text):
            return _rows(_iota(found[2], found[3]).reshape(_numbers(found[1])))
        if found := _MESH.fullmatch(text):
            return _of_mesh(found)
    except (KeyError, ValueError) as error:
        raise ValueError(f"its groups are inconsistent: {text}") from error
    if _WRITTEN.fullmatch(text):
        return tuple(tuple(_numbers(group)) for group in re.findall(r"\{([\d,\s]*)\}", text[1:-1]))
    raise ValueError(f"its groups are in an unknown notation: {visible(text)}")


def meaning_of(text: str, groups: Groups, devices: int) -> str:
    """What a notation means: ``{}: one group of all 8 devices``; empty where there is none.

    Args:
        text: as the instruction writes it, with ``replica_groups=``.
        groups: the groups it expands to, repeated for every copy of the module that runs.
        devices: devices of the program.
    """
    if not text:
        return ""
    if text.startswith("source_target_pairs"):
        return "each pair {source,target} sends a block"
    sizes = sorted({len(group) for group in groups})
    count = len(groups)
    if sizes == [1]:
        return f"{f'each of {count} devices is' if count > 1 else 'one device,'} alone: nothing is sent"
    every = "one group of all" if count == 1 and sizes == [devices] else f"{count} group{'s' * (count > 1)} of"
    how = ""
    if _WRITTEN.fullmatch(value := text.partition("=")[2]):
        how = " (no group is written, which means all together)" if value == "{}" else ""
    elif found := _IOTA.fullmatch(value):
        turned = f", with axes {found[3]} of it in this order," if found[3] else ""
        how = f" (the ids counted in the shape [{found[2]}]{turned} and read in rows of {_numbers(found[1])[-1]})"
    elif _MESH.fullmatch(value):
        how = " (along the axes in braces, of XLA's own mesh)"
    return f"{every} {' or '.join(map(str, sizes))} devices{how}"


def positions(
    groups: Groups, replicas: int, partitions: int, *, channel: bool, flattened: bool, crosses: bool
) -> Groups:
    """Groups of ids as groups of positions in the device assignment, ``replica · partitions + partition``.

    Args:
        groups: groups of ids; empty for one group of all.
        replicas: replicas of the module.
        partitions: partitions of the module.
        channel: whether the instruction has a ``channel_id``.
        flattened: whether it has ``use_global_device_ids``: ids are positions.
        crosses: whether it is of the kinds whose ids are partitions once there is a channel (all-to-all,
            collective-permute, collective-broadcast); of the others they are replicas, and each group takes all
            partitions.
    """
    if channel and flattened:
        return groups or (tuple(range(replicas * partitions)),)
    if channel and crosses:
        groups = groups or (tuple(range(partitions)),)
        return tuple(tuple(r * partitions + p for p in group) for r in range(replicas) for group in groups)
    groups = groups or (tuple(range(replicas)),)
    if channel:
        return tuple(tuple(r * partitions + p for r in group for p in range(partitions)) for group in groups)
    return tuple(tuple(r * partitions + p for r in group) for p in range(partitions) for group in groups)


def modes(text: str) -> tuple[bool, bool]:
    """Whether an instruction has a channel, and whether its ids count all devices."""
    return "channel_id=" in text, "use_global_device_ids=true" in text


def _of_mesh(found: re.Match[str]) -> Groups:
    axes = dict(_axis(part, "=") for part in _split(found["axes"]))
    sizes = {name: int(size) for name, size in axes.items()}
    ids = np.arange(math.prod(sizes.values()))
    written = found["ids"] or found["old"]
    if written:
        transposed = re.fullmatch(r"(?:<=)?\[([\d,]+)\](?:T\(([\d,]+)\))?", written)
        ids = _iota(transposed[1], transposed[2]) if transposed else np.array(_numbers(written))
    over = [_axis(part, ":") for part in _split(found["over"])]
    # Each axis is cut where a part of it begins or ends, so that groups span whole digits.
    cuts = {name: {1, size} for name, size in sizes.items()}
    wanted = []
    for name, part in over:
        before, size = map(int, part[1:].split(")")) if part else (1, sizes[name])
        cuts[name] |= {before, before * size}
        wanted.append((name, before, before * size))
    digits = [
        (name, low, high)
        for name in sizes
        for low, high in zip(sorted(cuts[name]), sorted(cuts[name])[1:], strict=False)
    ]
    chosen = [digits.index(part) for part in wanted if part[1] < part[2]]
    others = [k for k in range(len(digits)) if k not in chosen]
    shape = [high // low for _, low, high in digits]
    n = math.prod(shape[k] for k in chosen)
    return _rows(ids.reshape(shape).transpose(others + chosen).reshape(-1, n))


def _split(text: str) -> list[str]:
    return [part for part in re.split(r",(?![^(]*\))", text) if part]


def _axis(text: str, mark: str) -> tuple[str, str]:
    name, _, rest = text.partition(mark)
    return name.strip().strip("'\""), rest


def _iota(shape: str, order: str | None) -> np.ndarray:
    sizes = _numbers(shape)
    ids = np.arange(math.prod(sizes)).reshape(sizes)
    return (ids.transpose(_numbers(order)) if order else ids).ravel()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _rows(array: np.ndarray) -> Groups:
    return tuple(map(tuple, array.tolist()))
