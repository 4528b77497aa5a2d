"""Size of the front end, a copy of which every notebook saved with its state carries for each widget."""

from __future__ import annotations

import gzip

from shardwidget.export import bundle
from tests.bench.table import Row, kilobytes


def rows() -> list[Row]:
    """The bundle as it is and compressed."""
    text = bundle.read("array.js").encode()
    packed = gzip.compress(text, 9, mtime=0)
    return [
        Row("bundle", kilobytes(len(text)), "≤ 100 KB"),
        Row("bundle, gzip", kilobytes(len(packed)), "≤ 35 KB"),
    ]
