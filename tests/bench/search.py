"""``read.search`` on steps of many kinds: how fast it estimates, and how its order compares with the compiler's.

``make bench`` compiles every candidate of some small steps for v5e 4×4, and the best few of one with experts.
``python -m tests.bench.search all`` does so for all steps of ``tests.search_models``, and for v5p 4×4×4 too, which
takes hours on two cores; ``python -m tests.bench.search gpt_unrolled lora`` for some of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

PROGRAM = """
import json, os, resource, tempfile, time
import jax, numpy as np
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
from shardwidget import read
from shardwidget.document import to_wire
from shardwidget.read._search.ranking import _ranks
from tests import searches
from tests.search_models import MODELS

def spearman(a, b):
    ranks = [_ranks(x) for x in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1]) if all(map(np.std, ranks)) else None

found = {}
step, args = searches.gpt(12, 2048, 8192, 16, 32768, 256, 1024)
for name, axes, most in (("two axes", (), 2), ("three axes", (), 3)):
    if name == "three axes" and not %(all)r: continue
    begun, first = time.perf_counter(), None
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    def seen(search):
        global first
        first = first or time.perf_counter() - begun
    search = read.search(step, *args, mesh="v5p:4x4x4", compiled=0, most_axes=most, progress=seen)
    found[name] = {
        "n": len(search.candidates), "s": time.perf_counter() - begun, "first": first,
        "bytes": len(json.dumps(to_wire(search), default=str)),
        "grew": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used) * 1024,
    }
models = {}
for kind, mesh in [(kind, mesh) for kind in %(kinds)r for mesh in %(meshes)r]:
    step, args = MODELS[kind](8)
    begun = time.process_time()
    search = read.search(step, *args, mesh=mesh, compiled=99 if kind != "moe" else 8)
    of = [c for c in search.candidates if c.compiled]
    if not of: continue
    moved = lambda f: f.exposed_s + f.hidden_s
    compiled = [c.compiled for c in of]
    best = min(c.compiled.time_s for c in of if c.fits)
    by_estimate = sorted((c for c in of if c.fits), key=lambda c: c.estimated.time_s)
    models[f"{kind} on {search.target}"] = {
        "n": len(search.candidates), "of": len(of), "failed": sum(bool(c.failure) for c in search.candidates),
        "moved": spearman([moved(c.estimated) for c in of], [moved(c) for c in compiled]),
        "memory": spearman([c.estimated.bytes_per_device for c in of], [c.bytes_per_device for c in compiled]),
        "first": by_estimate[0].compiled.time_s / best - 1,
        "answer": min(c.compiled.time_s for c in by_estimate[:8]) / best - 1, "s": time.process_time() - begun,
    }
print(json.dumps({"speed": found, "models": models}))
"""

KINDS = ("mlp", "embeddings", "conv", "moe")
MESHES = ("v5e:4x4", "v5p:4x4x4")


def rows(kinds: Sequence[str] = KINDS, *, everything: bool = False) -> list[Row]:
    """Times of a search, then for each model the rank correlations, and what its estimates cost."""
    options = {"all": everything, "kinds": kinds, "meshes": MESHES if everything else MESHES[:1]}
    found = measure(PROGRAM % options)
    table = []
    for name, each in found["speed"].items():
        reach = "≤ 12 s" if name == "two axes" else "≤ 60 s"
        beside = f"first after {milliseconds(each['first'])}, document {kilobytes(each['bytes'])}"
        beside += f", {each['grew'] / 2**20:.0f} MiB more"
        what = f"search, {each['n']} candidates of 12 layers on 64 chips"
        table.append(Row(what, milliseconds(each["s"]), reach, beside))
    for kind, each in found["models"].items():
        moved, memory = (f"{each[k]:.2f}" if each[k] is not None else "-" for k in ("moved", "memory"))
        what = f"search of {kind}: {each['of']} of {each['n']} compiled"
        ours = f"rank {moved} sent, {memory} memory; answer {each['answer']:+.0%}"
        beside = f"first estimate {each['first']:+.0%} to the best compiled"
        table.append(Row(what, ours, "≥ 0.9, ≥ 0.85, ≤ 5 %", beside))
    return table


if __name__ == "__main__":
    from tests.bench.table import show
    from tests.search_models import MODELS

    asked = sys.argv[1:]
    show(rows(tuple(MODELS), everything=True) if asked == ["all"] else rows(asked or KINDS))
