"""What JAX itself says, in the form that tests compare with."""

from jax.sharding import PartitionSpec

from shardwidget import _jax


def index_map(x, sharding=None) -> dict[int, tuple[slice, ...]]:
    """JAX's index map with both ends of every slice written out."""
    return {
        device.id: tuple(slice(*part.indices(size)[:2]) for part, size in zip(index, x.shape, strict=True))
        for device, index in (sharding or x.sharding).devices_indices_map(x.shape).items()
    }


def without_sums(spec: PartitionSpec) -> PartitionSpec:
    return PartitionSpec(*_jax.partitions(spec))
