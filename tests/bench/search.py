"""``read.search`` on steps of many kinds: what it takes, and how its order compares with the compiler's.

``make bench`` compiles every candidate of small steps for v5e 4×4 and v5p 4×4×4, and the best few of one with experts.
``python -m tests.bench.search all`` does so for all steps of ``tests.search_models``: every candidate of those that
compile in a few seconds, the best 8 of the others. Each row is printed as it ends; together they take an hour of one
core. ``python -m tests.bench.search gpt_unrolled lora`` does so for some.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.bench.browser import median_ms, p95_ms, scripted_ms
from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

COST = """
import json, os, resource, sys, tempfile, time
import jax
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
from shardwidget import read
from shardwidget.document import to_wire
from tests import searches

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

axes = int(sys.argv[1])
step, args = searches.gpt(12, 2048, 8192, 16, 32768, 256, 1024)
used, cpu, first, compiling = most(), time.process_time(), None, None
begun = time.perf_counter()

def seen(search):
    global first, compiling
    first = first or time.perf_counter() - begun
    if search.compiling >= 0:
        compiling = compiling or (time.process_time(), most())

search = read.search(step, *args, mesh="v5p:4x4x4", compiled=int(axes == 2), most_axes=axes, progress=seen)
ended, at_end = compiling or (time.process_time(), most())
print(json.dumps({
    "n": len(search.candidates), "s": search.estimating_s, "cpu": ended - cpu, "first": first,
    "bytes": len(json.dumps(to_wire(search), default=str)), "grew": at_end - used,
    "compiled": sum(c.compiled is not None for c in search.candidates),
    "compile": time.process_time() - ended, "all": most() - used,
}))
"""

ORDER = """
import json, os, sys, tempfile, time
import jax, numpy as np
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
from shardwidget import read
from shardwidget.read._search.ranking import _ranks
from tests.search_models import MODELS

def spearman(a, b):
    ranks = [_ranks(x) for x in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1]) if all(map(np.std, ranks)) else None

kind, mesh, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
step, args = MODELS[kind](8)
search = read.search(step, *args, mesh=mesh, compiled=wanted)
of = [c for c in search.candidates if c.compiled]
moved = lambda f: f.exposed_s + f.hidden_s
# All fit: these steps are small. The answer is the best of the 8 that the estimate puts first.
best = min(c.compiled.time_s for c in of)
listed = sorted(of, key=lambda c: c.estimated.time_s)
print(json.dumps({
    "target": search.target, "n": len(search.candidates), "of": len(of),
    "failed": sum(bool(c.failure) for c in search.candidates),
    "moved": spearman([moved(c.estimated) for c in of], [moved(c.compiled) for c in of]),
    "memory": spearman([c.estimated.bytes_per_device for c in of], [c.bytes_per_device for c in of]),
    "first": listed[0].compiled.time_s / best - 1,
    "answer": min(c.compiled.time_s for c in listed[:8]) / best - 1,
    "s": time.process_time(),
}))
"""

# Devices of a CPU share its cores, and move bytes through the same memory: what is estimated for chips with links of
# their own is not what they take.
MEASURED = """
import json, time
import jax
jax.config.update("jax_num_cpu_devices", 8)
import numpy as np
from shardwidget import read
from shardwidget.read._search.ranking import _ranks
from tests import searches

step, (params, x, y) = searches.mlp(1024, (128, 512, 512, 128))
search = read.search(step, params, x, y, compiled=0, most_axes=2)
taken = {c.title: [] for c in search.candidates}
for _ in range(6):
    for c in search.candidates:
        names = {"params": jax.tree.map(np.asarray, params), "x": x, "y": y}
        exec(c.code, names)
        state = [names[n] for n in ("params", "x", "y")]
        state[0], value = step(*state)
        jax.block_until_ready((state[0], value))
        begun = time.perf_counter()
        jax.block_until_ready(step(*state))
        taken[c.title].append(time.perf_counter() - begun)
least = [min(t) for t in taken.values()]
ranks = [_ranks(v) for v in (least, [c.time_s for c in search.candidates])]
print(json.dumps({
    "n": len(least), "rank": float(np.corrcoef(*ranks)[0, 1]), "first": least[0] / min(least) - 1,
    "best": next(iter(taken)), "ms": [min(least) * 1e3, max(least) * 1e3],
}))
"""

MESHES = ("v5e:4x4", "v5p:4x4x4")
EVERY = 99
"""More than there are candidates."""
SMALL = {"mlp": EVERY, "embeddings": EVERY, "conv": EVERY, "equinox": EVERY, "tiny": EVERY, "moe": 2}
"""How many candidates ``make bench`` compiles of each step."""
QUICK = ("mlp", "embeddings", "conv", "equinox", "tiny", "accumulated", "gpt_scanned", "gpt_unrolled", "lora")
"""Steps of which every candidate is compiled otherwise too."""
LISTED = 8
"""How many are compiled of the others, as ``read.search`` does."""

CANDIDATES = 2000
# A card draws in the frame after its state has changed.
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NEXT = f"""() => {{
  const list = document.querySelector(".shardwidget").shadowRoot.querySelector("[role=listbox]");
  list.dispatchEvent(new KeyboardEvent("keydown", {{ key: "ArrowDown", bubbles: true, composed: true }}));
  return {FRAMES};
}}"""
SCROLL = f"""() => {{
  document.querySelector(".shardwidget").shadowRoot.querySelector(".list").scrollTop += 97;
  return {FRAMES};
}}"""

# Over the whole chart by golden steps: most points are near a candidate.
HOVER = f"""(n) => {{
  const chart = document.querySelector(".shardwidget").shadowRoot.querySelector(".sides .picture");
  const {{ x, y, width, height }} = chart.getBoundingClientRect();
  const at = {{ clientX: x + width * ((n * 0.381966) % 1), clientY: y + height * ((n * 0.618034) % 1) }};
  chart.dispatchEvent(new PointerEvent("pointermove", {{ ...at, bubbles: true, composed: true }}));
  return {FRAMES};
}}"""


def rows() -> list[Row]:
    """What a search takes, in the page too; then for each model the rank correlations, and what its estimates cost."""
    return [*_cost(), *_frames(), _measured(), *(_order(kind, mesh, n) for kind, n in SMALL.items() for mesh in MESHES)]


def _cost() -> Iterator[Row]:
    for axes, most in ((2, 12), (3, 60)):
        found: dict[str, Any] = measure(COST, axes)
        what = f"search, {found['n']} candidates of 12 layers on 64 chips"
        beside = f"{milliseconds(found['cpu'])} of CPU, with the trace"
        yield Row(what, milliseconds(found["s"]), f"≤ {most} s on 2 idle cores", beside)
        yield Row("  the first of them", milliseconds(found["first"]), "≤ 3 s")
        yield Row("  its document", kilobytes(found["bytes"]), "≤ 200 KB")
        yield Row("  memory of the process", f"{found['grew'] / 2**20:.0f} MiB more", "≤ 2 GB more")
        if found["compiled"]:
            each = milliseconds(found["compile"] / found["compiled"])
            yield Row("  one compiled at low effort", f"{each} of CPU", "≤ 20 s of CPU")
            yield Row("  memory of the process with that", f"{found['all'] / 2**20:.0f} MiB more", "≤ 2 GB more")


def _frames() -> Iterator[Row]:
    import shardwidget as sw
    from tests.searches import many

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        saved = Path(folder, "search.html")
        sw.SearchView(many(CANDIDATES)).to_html(saved)
        first, of = scripted_ms(browser, saved, [NEXT, SCROLL, HOVER], 40)
        browser.close()
    yield Row(f"first picture of {CANDIDATES} candidates", f"{first:.1f} ms", "", "all script of the page")
    for what, ms in zip(("to the next candidate", "while scrolling", "while hovering"), of, strict=True):
        yield Row(f"  a frame {what}", median_ms(ms), "≤ 4 ms median", f"p95 {p95_ms(ms)}")


def _measured() -> Row:
    """How the order of candidates on 8 CPU devices compares with what they take there."""
    found = measure(MEASURED)
    low, high = found["ms"]
    ours = f"rank {found['rank']:.2f}; first estimate {found['first']:+.0%} to the fastest measured"
    beside = f"from {low:.1f} to {high:.1f} ms; CPU devices share cores and memory"
    return Row(f"an MLP on 8 CPU devices: {found['n']} measured", ours, "", beside)


def _order(kind: str, mesh: str, wanted: int) -> Row:
    """How the order of a model's candidates compares with the compiler's."""
    found = measure(ORDER, kind, mesh, wanted)
    moved, memory = (f"{found[k]:.2f}" if found[k] is not None else "-" for k in ("moved", "memory"))
    failed = f", {found['failed']} failed" if found["failed"] else ""
    what = f"search of {kind}, {found['target']}: {found['of']} of {found['n']} compiled{failed}"
    ours = f"rank {moved} sent, {memory} memory; answer {found['answer']:+.0%}"
    beside = f"first estimate {found['first']:+.0%} to the best compiled; {milliseconds(found['s'])} of CPU"
    return Row(what, ours, "≥ 0.9, ≥ 0.85, ≤ 5 %", beside)


def _main(asked: Sequence[str]) -> None:
    """Prints a row for each model and target, as it ends."""
    from tests.search_models import MODELS

    for kind in MODELS if list(asked) == ["all"] else asked:
        for mesh in MESHES:
            row = _order(kind, mesh, EVERY if kind in QUICK else LISTED)
            print(f"{row.what:66}{row.ours:50}{row.reach:24}{row.rival}", flush=True)


if __name__ == "__main__":
    _main(sys.argv[1:] or tuple(SMALL))
