"""``read.fetch``: an array's placement with the values of all its shards, those of other processes too."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import jax

from shardwidget import _jax
from shardwidget._config import config
from shardwidget.document import Placement, Values
from shardwidget.read._numbers import element_format
from shardwidget.read._placement import placement
from shardwidget.read._processes.together import processes_of, together
from shardwidget.read._values import DELETED, numbers_of, sampled
from shardwidget.read._window import sample_shape, sample_steps


def fetch(x: Any, *, name: str = "", limit: int | None = None) -> Placement:
    """Reads where an array's shards live, with their values, including the shards of other processes.

    In a program of several processes all of them call it together. It first prints how many bytes each of them gets;
    they go through the coordination service of ``jax.distributed``, not over the interconnect.

    Args:
        x: a ``jax.Array``.
        name: what to call it.
        limit: the most bytes of values in all; None for ``config.values``. Of larger arrays a sample is read.

    Returns:
        The placement, its values among it. ``ArrayView`` shows it, in another process too.

    Raises:
        TypeError: ``x`` is not a live array of numbers.
        ValueError: the array was deleted or donated.
        TimeoutError: a process was not there in ``config.arrival`` seconds, or did not answer; the message names it.
    """
    reason, typed = numbers_of(x)
    if reason:
        raise (ValueError if reason == DELETED else TypeError)(reason)
    limit = config.values if limit is None else limit
    here = placement(x, name=name)
    local = [shard.device.id for shard in typed.addressable_shards]
    # As many elements of each shard as there would be if all of them were here.
    own = sampled(x, local, limit=limit * len(local) // len(here.device_ids))
    if not processes_of(typed.sharding.device_set):
        return replace(here, values=own)
    size = _bytes(typed, limit // len(here.device_ids))
    does = f"sends samples of {_jax.type_text(jax.typeof(typed))}, {size:,} bytes for each shard, to every process"
    with together(does, typed.sharding.device_set) as gathering:
        assert gathering is not None
        found = [pickle.loads(data) for data in gathering.exchange(pickle.dumps(own)).values()]
    blocks = {block.device_id: block for values in found for block in values.blocks}
    notes = dict.fromkeys(values.note for values in found if values.note)
    ordered = tuple(blocks[device] for device in here.device_ids if device in blocks)
    return replace(here, values=Values(ordered, "; ".join(notes)))


def _bytes(x: jax.Array, most: int) -> int:
    """Bytes of the sample of a shard."""
    shape, width = x.sharding.shard_shape(x.shape), int(element_format(x.dtype)[1:])
    return math.prod(sample_shape(shape, sample_steps(shape, most // width))) * width
