"""What JAX counts as a collective but sends nothing: an index, changes of type, the second half of a collective."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.blocks import seats
from shardwidget.collectives.statement import Call, Statement
from shardwidget.document import Semantics


def _index(call: Call, blocks: Any, xp: Any) -> Any:
    return xp.asarray(seats(call)[1], dtype=np.int32)


def _same(call: Call, blocks: Any, xp: Any) -> Any:
    return blocks


AXIS_INDEX = Statement(
    "axis_index", Semantics(""), _index, sentence="Every device gets its index along {axes}. Nothing is sent."
)
PVARY = Statement(
    "pvary",
    Semantics(""),
    _same,
    requested_by=("pcast", "pvary"),
    sentence="From here on, {value} is typed as varying over {axes}. No element changes, nothing is sent.",
    inserted_sentence=(
        "JAX types {value} as varying over {axes}, to match other values. No element changes, nothing is sent."
    ),
)
PREDUCED = Statement("preduced", Semantics(""), _same)
VARY_UNREDUCED_CAST = Statement("vary_unreduced_cast", Semantics(""), _same)
REDUCED_VARY_CAST = Statement("reduced_vary_cast", Semantics(""), _same)
DONE = Statement("done", Semantics(""), _same)
"""The second half of a collective that was started before."""
