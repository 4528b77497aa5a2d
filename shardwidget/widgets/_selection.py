"""What can be selected: a dict that names one thing, or None. The same in every widget; each lists its forms."""

from __future__ import annotations

import operator
from typing import Any

from traitlets import Any as AnyTrait
from traitlets import TraitError, TraitType

from shardwidget.document import MpmdPlacement, Placement


def index_trait(key: str) -> TraitType[Any, Any]:
    """A two-way trait that holds ``{key: value}`` or None; in the browser it is the value: an index, or a path."""
    return AnyTrait(None, allow_none=True).tag(
        sync=True,
        to_json=lambda value, _: None if value is None else value[key],
        from_json=lambda value, _: None if value is None else {key: value},
    )


def selected_index(selection: Any, key: str, count: int) -> dict[str, int] | None:
    """A selection of one of ``count`` things, with a plain integer.

    Raises:
        TraitError: it is of another form, or there is no such thing.
    """
    if selection is None:
        return None
    legal = f'None or {{"{key}": 0 to {count - 1}}}' if count else f"None: there is no {key} to select"
    if isinstance(selection, dict) and set(selection) == {key}:
        index = selection[key]
        if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < count:
            return {key: index}
    raise TraitError(f"selection must be {legal}; got {selection!r}")


FORMS = 'None, {"device": id}, {"tile": [part of each dimension]} or {"axis": name}'


def selected(selection: Any, document: Placement | MpmdPlacement) -> dict[str, Any] | None:
    """A selection as it goes to the front end, with plain integers; of an array on groups, one of these.

    Besides ``FORMS``, ``{"device": id, "tile": [...]}`` is legal, where the device holds the tile: it is what the
    front end sends for a shard.

    Raises:
        TraitError: it is of no legal form, or names what this document does not have.
    """
    if isinstance(document, MpmdPlacement):
        return selected_index(selection, "group", document.groups)
    if selection is None:
        return None
    if not isinstance(selection, dict) or set(selection) not in ({"device"}, {"tile"}, {"axis"}, {"device", "tile"}):
        raise TraitError(f"selection must be {FORMS}; got {selection!r}")
    if "axis" in selection:
        return {"axis": _axis(selection["axis"], document)}
    out: dict[str, Any] = {}
    if "device" in selection:
        out["device"] = _device(selection["device"], document)
    if "tile" in selection:
        out["tile"] = _tile(selection["tile"], document)
    if len(out) == 2 and out["tile"] != (held := list(document.tile(out["device"]))):
        raise TraitError(f"device {out['device']} holds the tile {held}, not {out['tile']}")
    return out


def _axis(name: Any, document: Placement) -> str:
    names = [axis.name for axis in document.mesh.axes]
    if name not in names:
        raise TraitError(f"no mesh axis {name!r} to select; this mesh has {', '.join(map(repr, names)) or 'none'}")
    return name


def _device(device: Any, document: Placement) -> int:
    ids = document.device_ids
    if device not in ids:
        some = ", ".join(map(str, ids[:8])) + (f" … {ids[-1]}" if len(ids) > 8 else "")
        raise TraitError(f"no device {device!r} to select; the {len(ids)} devices of this mesh are {some}")
    return operator.index(device)


def _tile(tile: Any, document: Placement) -> list[int]:
    grid = document.grid
    try:
        parts = [operator.index(part) for part in tile]
        if len(parts) == len(grid) and all(0 <= part < count for part, count in zip(parts, grid, strict=True)):
            return parts
    except TypeError:
        pass
    raise TraitError(
        f"no tile {tile!r} to select; a tile is one part number for each dimension, and they have {list(grid)} parts"
    )
