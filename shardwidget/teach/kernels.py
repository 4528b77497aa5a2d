"""What exercises show of a Pallas kernel."""

from __future__ import annotations

from jax.sharding import AbstractMesh, AxisType

from shardwidget.document import Listing, Mesh
from shardwidget.read._kernel.asked import AskedKernel
from shardwidget.teach import layouts
from shardwidget.teach.source import listing_text


def kernel_listing(kernel: AskedKernel, source: str | None) -> Listing:
    """A kernel's text.

    Raises:
        ValueError: it cannot be read.
    """
    listing = kernel.listing
    if source is None and listing is None:
        raise ValueError(f"the source of {kernel.name} cannot be read; give it as source='def {kernel.name}(…): …'")
    return listing_text(source if source is not None else "\n".join(listing.lines if listing else ()))


def mesh_of_kernel(kernel: AskedKernel) -> Mesh:
    """The mesh that a kernel runs on."""
    names, sizes = zip(*kernel.axes, strict=True)
    return layouts.mesh_document(AbstractMesh(sizes, names, axis_types=(AxisType.Auto,) * len(names)))
