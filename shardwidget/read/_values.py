"""``read.values``: the numbers that devices hold, whole, or as the sample that a view shows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import jax
import numpy as np

from shardwidget import _jax
from shardwidget.document import Block, Values
from shardwidget.read._numbers import element_format, summarise
from shardwidget.read._placement import as_typed
from shardwidget.read._window import sample_shape, sample_steps

NO_DATA = "{what} holds no values"

DELETED = "the array was deleted or donated; its values are gone"

KEYS = "random keys are opaque and hold no numbers; jax.random.key_data(x) gives their bits"

WHOLE = 2**20
"""Bytes up to which a shard is read whole, so that its range is exact; of a larger one only the sample is read."""


def values(x: Any, devices: Iterable[int] | None = None) -> dict[int, np.ndarray]:
    """Copies shards to the host.

    Args:
        x: a ``jax.Array``.
        devices: ids of the devices to read; None for all that this process can address.

    Returns:
        By device id, the shard that the device holds. With unreduced axes that is a partial sum.

    Raises:
        TypeError: ``x`` is not a live array of numbers: it is abstract, a mesh, or an array of random keys; or
            ``devices`` is a single id.
        ValueError: the array was deleted or donated, or a device belongs to another process.
        KeyError: the array is on no such device.
    """
    reason, typed = numbers_of(x)
    if reason:
        raise (ValueError if reason == DELETED else TypeError)(reason)
    if isinstance(devices, int):
        raise TypeError(f"devices must be ids in a list, or None for all: values(x, [{devices}]); got {devices}")
    shards = {shard.device.id: shard.data for shard in typed.addressable_shards}
    wanted = list(shards) if devices is None else list(dict.fromkeys(devices))
    if remote := [device for device in wanted if device not in shards]:
        _check_known(typed, remote)
        raise ValueError(_remote(remote))
    return {device: np.asarray(shards[device]) for device in wanted}


def sampled(x: Any, device_ids: Iterable[int], *, limit: int = 2**20) -> Values:
    """Reads a sample of the shards of some devices.

    Only shards that this process can address are read. Of a shard larger than 1 MiB only the sample leaves the device.

    Args:
        x: what ``read.placement`` takes. Only a live ``jax.Array`` has values; otherwise
            the note says why there are none.
        device_ids: devices of ``x``'s sharding; ids given twice are read once.
        limit: the most bytes of all blocks' data together.

    Returns:
        One block for each device that could be read, in the order asked for, and a note of what was left out.

    Raises:
        TypeError: ``x`` has no form that ``read.placement`` takes.
        KeyError: the array is on no such device.
    """
    reason, x = numbers_of(x)
    if reason:
        return Values(note=reason)

    wanted = list(dict.fromkeys(device_ids))
    shards = {shard.device.id: shard.data for shard in x.addressable_shards}
    local = [device for device in wanted if device in shards]
    remote = [device for device in wanted if device not in shards]
    notes = []
    if remote:
        _check_known(x, remote)
        notes.append(_remote(remote))

    width = int(element_format(x.dtype)[1:])
    most = max(0, limit) // width
    if len(local) > most:
        notes.append(_over_limit(local[most:], limit))
        local = local[:most]
    blocks = []
    for device in local:
        steps = sample_steps(shards[device].shape, most // len(local))
        try:
            blocks.append(_block(device, shards[device], steps))
        except Exception as error:  # What a runtime raises differs by platform; one bad shard must not hide the rest.
            notes.append(_unreadable(device, error))
    sizes = {block.steps for block in blocks if max(block.steps, default=1) > 1}
    if sizes:
        notes.append(_sampled_note(sizes))
    return Values(tuple(blocks), "; ".join(notes))


def numbers_of(x: Any) -> tuple[str, Any]:
    """Why this has no numbers to read, empty if it has; and the array."""
    if isinstance(x, jax.sharding.Mesh | jax.sharding.AbstractMesh):
        return NO_DATA.format(what="a mesh"), None
    x = as_typed(x)
    if isinstance(x, jax.ShapeDtypeStruct):
        return NO_DATA.format(what="an abstract array"), None
    if x.is_deleted():
        return DELETED, None
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        return KEYS, None
    return "", x


def is_gone(x: Any) -> bool:
    """Whether the values of an array were deleted or donated."""
    x = _jax.held_array(x)
    return isinstance(x, jax.Array) and x.is_deleted()


def is_ready(x: Any) -> bool:
    """Whether an array has been computed, so that reading its values does not wait; true of what has no values."""
    x = _jax.held_array(x)
    return not isinstance(x, jax.Array) or x.is_deleted() or _jax.is_ready(x)


def wait_for(x: Any) -> None:
    """Waits until an array has been computed, or cannot be any more: reading its values then says why."""
    with contextlib.suppress(Exception):
        jax.block_until_ready(_jax.held_array(x))


def _check_known(x: jax.Array, device_ids: Sequence[int]) -> None:
    known = {device.id for device in x.sharding.device_set}
    for device in device_ids:
        if device not in known:
            raise KeyError(_no_such_device(device, known))


def _block(device_id: int, shard: jax.Array, steps: tuple[int, ...]) -> Block:
    exact = shard.nbytes <= WHOLE
    read = jax.device_get(shard if exact else _sample_on_device(shard, steps))
    sample = read[tuple(slice(None, None, step) for step in steps)] if exact else read
    kind = element_format(shard.dtype)
    low, high, low_text, high_text, nans, infs = summarise(read)
    return Block(
        device_id=device_id,
        shape=sample_shape(shard.shape, steps),
        steps=steps,
        format=kind,
        data=sample.astype(f"<{kind}").tobytes(),
        low=low,
        high=high,
        low_text=low_text,
        high_text=high_text,
        exact=read.shape == shard.shape,
        nans=nans,
        infs=infs,
    )


def _sample_on_device(shard: jax.Array, steps: tuple[int, ...]) -> jax.Array:
    # A mesh that the user has set spans more devices than a shard is on, and JAX refuses to compute with both.
    # JAX 0.9 cannot unset a mesh, so set one of the shard's own device.
    with jax.set_mesh(jax.sharding.Mesh(np.array(list(shard.devices())), ("device",))):
        return jax.lax.slice(shard, (0,) * shard.ndim, shard.shape, steps)


def _remote(device_ids: Sequence[int]) -> str:
    """For devices of other processes."""
    return f"{_devices(device_ids)} of another process cannot be read from here"


def _over_limit(device_ids: Sequence[int], limit: int) -> str:
    """For devices left out because even one element of each is too much."""
    return f"{_devices(device_ids)} left out: at most {limit} bytes are read at a time"


def _unreadable(device_id: int, error: Exception) -> str:
    """For a shard whose read failed, in the runtime's words."""
    return f"device {device_id} could not be read: {type(error).__name__}: {str(error).strip()}"


def _sampled_note(steps: Iterable[tuple[int, ...]]) -> str:
    """For shards of which only a sample is here."""
    each = " and ".join(f"[{', '.join(f'::{s}' if s > 1 else ':' for s in one)}]" for one in sorted(steps))
    return f"shards are sampled as {each}"


def _no_such_device(device_id: int, known: Iterable[int]) -> str:
    """For a device that the array is not on."""
    return f"the array is not on device {device_id}; it is on {_devices(sorted(known))}"


def _devices(ids: Sequence[int], most: int = 12) -> str:
    listed = ", ".join(map(str, ids[:most])) + (" …" if len(ids) > most else "")
    return f"device{'s' if len(ids) > 1 else ''} {listed}"
