"""Size of the front end, and of a notebook's outputs, which hold each bundle once."""

from __future__ import annotations

import gzip

import jax

import shardwidget as sw
from shardwidget.export import bundle, html
from tests.bench.table import Row, kilobytes

VIEWS = 20


def rows() -> list[Row]:
    """The bundle as it is and compressed; outputs that play, beside what they have if each is complete."""
    text = bundle.read("array.js").encode()
    mesh = jax.sharding.AbstractMesh((4, 2), ("x", "y"))
    x = jax.ShapeDtypeStruct((8, 16), "float32", sharding=jax.NamedSharding(mesh, jax.P("x", "y")))
    f = jax.shard_map(lambda b: jax.lax.psum(b, "y"), mesh=mesh, in_specs=jax.P("x", "y"), out_specs=jax.P("x"))
    schedule = sw.pipeline.gpipe(2, 4)
    kinds = [sw.ArrayView(x), sw.ShardMapStepper(f, x), sw.PipelineView(schedule), sw.ModelView({"x": x})]
    views = [kinds[k % len(kinds)] for k in range(VIEWS)]
    page = html.Page()
    shared = "".join(view._page_within(page) for view in views).encode()
    complete = "".join(view._fragment() for view in views).encode()
    return [
        Row("bundle", kilobytes(len(text)), "≤ 100 KB"),
        Row("bundle, gzip", kilobytes(_packed(text)), "≤ 35 KB"),
        Row(f"{VIEWS} outputs that play", kilobytes(len(shared)), "each bundle once", kilobytes(len(complete))),
        Row("  gzip", kilobytes(_packed(shared)), "", kilobytes(_packed(complete))),
    ]


def _packed(text: bytes) -> int:
    return len(gzip.compress(text, 9, mtime=0))
