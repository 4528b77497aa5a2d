"""What ``jax.debug.print`` writes, found from the values that it was given: the instrumented program prints nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.extend.core import JaxprEqn, Literal

from shardwidget import _jax
from shardwidget.document import Mesh
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.written import WrittenTensors

LONGEST = 4000
"""The most characters kept of what one step prints."""
NOT_KEPT = "(not shown: {name} was not kept whole)"


def printed(
    eqn: JaxprEqn, operands: Sequence[Any], written: WrittenTensors, mesh: Mesh | None, active: np.ndarray | None
) -> str:
    """The text of one ``debug_print``; in a region a paragraph for each text, headed by the devices that write it.

    Args:
        eqn: the equation.
        operands: its operands, ``Value`` or ``Literal``.
        written: the values.
        mesh: of the region; None outside of one.
        active: at each mesh position whether it executes; None for all.
    """
    if _jax.name_of(eqn) != "debug_print":
        return ""
    positions = range(1) if mesh is None else np.flatnonzero(active) if active is not None else range(mesh.size)
    ids = [0] if mesh is None else mesh.device_ids.array()
    texts: dict[str, list[int]] = {}
    for at in positions:
        texts.setdefault(_text(eqn, operands, written, int(at)), []).append(int(ids[at]))
    if mesh is None or (len(texts) == 1 and active is None):
        text = next(iter(texts))
    else:
        text = "\n".join(f"device{'s' * (len(on) > 1)} {', '.join(map(str, on))}: {t}" for t, on in texts.items())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _text(eqn: JaxprEqn, operands: Sequence[Any], written: WrittenTensors, at: int) -> str:
    values = []
    for operand in operands:
        if isinstance(operand, Literal):
            values.append(np.asarray(operand.val))
            continue
        value = value_at(operand, written, at)
        if value is None:
            return NOT_KEPT.format(name=operand.name or "an operand")
        values.append(value)
    return _jax.print_text(eqn.params, values)


def value_at(value: TracedValue, written: WrittenTensors, at: int) -> np.ndarray | None:
    """A whole value, at a mesh position if it is a block; None where it was not kept."""
    if value.array is not None:
        return np.asarray(value.array)
    if value.site is None:
        return None
    if value.site.level.region is None:
        whole = written.whole(value.site, value.slots)
        return None if whole is None else np.asarray(whole)
    if value.site.tensor >= 0:
        return written.block(value.site, value.slots, at)
    if value.site.corner == value.site.shape:
        return written.corner(value.site, value.slots, at).astype(value.site.dtype)
    return None
