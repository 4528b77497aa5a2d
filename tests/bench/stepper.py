"""Script time of a frame while a ring all-reduce plays on 64 devices, and the size of the stepper's front end.

All script that the page runs in a frame is counted, as Chromium's profiler counts it; the page's clock is held, so that
every frame is measured alone. What the front end says of its drawing stands beside it.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from shardwidget.document import to_wire
from shardwidget.export import bundle, html
from shardwidget.export import trace as steps
from tests.bench.browser import median_ms, open_measured, p95_ms, script_ms
from tests.bench.process import measure
from tests.bench.table import Row, kilobytes
from tests.traces import psum

FRAMES = 300
WARM = 20

# Frames come when they are asked for, 16 ms apart.
HOLD = """
window.now = 0;
window.asked = [];
window.requestAnimationFrame = (call) => window.asked.push(call);
window.frame = () => {
  window.now += 16;
  for (const call of window.asked.splice(0)) call(window.now);
};
"""
SAVE = """
import sys
import jax
import jax.numpy as jnp
import shardwidget as sw

jax.config.update("jax_num_cpu_devices", 4)
mesh = jax.make_mesh((4,), ("x",))
on_mesh = dict(mesh=mesh, in_specs=jax.P("x"), out_specs=jax.P("x"))
RING = [(i, (i + 1) % 4) for i in range(4)]


def long(x):
    for _ in range(65):
        x = jnp.sin(x)
        x = x + 1
    return jax.lax.ppermute(x, "x", RING)


def ring_attention(q, k, v):
    def hop(carry, _):
        k, v, total, norm = carry
        w = jnp.exp(q @ k.T)
        k, v, total, norm = k, v, total + w @ v, norm + w.sum(1, keepdims=True)
        return (*(jax.lax.ppermute(a, "x", RING) for a in (k, v)), total, norm), None

    start = k, v, jnp.zeros_like(q), jnp.zeros_like(q[:, :1])
    (_, _, total, norm), _ = jax.lax.scan(hop, start, None, length=4)
    return total / norm


blocks = [jax.random.normal(jax.random.key(i), (8, 2)) for i in range(3)]
f, inputs = {"long": (long, blocks[:1]), "ring_attention": (ring_attention, blocks)}[sys.argv[2]]
sw.ShardMapStepper(jax.shard_map(f, **on_mesh), *inputs).to_html(sys.argv[1])
print("null")
"""
START = """() => {
  const card = document.querySelector(".shardwidget").shadowRoot.querySelector(".card");
  for (const key of ["Home", " "])
    card.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
}"""
PLAY = """() => {
  const buttons = [...document.querySelector(".shardwidget").shadowRoot.querySelectorAll("button")];
  buttons.find((button) => button.textContent === "ring").click();
}"""


def rows() -> list[Row]:
    """A frame of the play, and bytes of the bundle."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        saved = Path(folder) / "stepper.html"
        trace = psum(data=8, model=8)
        at = next(i for i, step in enumerate(trace.steps) if step.collective)
        state = {"_document": to_wire(trace), "_static": True, "step": at, "watch": []}
        saved.write_text(html.page("psum", html.fragment(state, steps.table(trace), "stepper.js")), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        script, drawing = _frames(browser, saved, PLAY)
        if len(drawing) < FRAMES - 1:
            raise RuntimeError(f"only {len(drawing)} of {FRAMES} frames changed the picture")
        longest = {}
        for name in ("ring_attention", "long"):
            page = Path(folder) / f"{name}.html"
            measure(SAVE, page, name)
            longest[name] = max(_frames(browser, page, START)[0])
        browser.close()
    text = bundle.read("stepper.js").encode()
    packed = gzip.compress(text, 9, mtime=0)
    return [
        Row(
            "a frame of a ring all-reduce, 64 devices",
            median_ms(script),
            "≤ 4 ms median",
            f"its drawing {median_ms(drawing)}",
        ),
        Row(f"  p95 of {len(script)} frames", p95_ms(script), "≤ 8 ms p95", f"its drawing {p95_ms(drawing)}"),
        Row("the longest frame while ring attention plays", f"{longest['ring_attention']:.1f} ms", "≤ 50 ms"),
        Row("the longest frame while 131 steps play", f"{longest['long']:.1f} ms", "≤ 50 ms"),
        Row("bundle of the stepper", kilobytes(len(text)), "≤ 180 KB with every widget"),
        Row("bundle of the stepper, gzip", kilobytes(len(packed)), "≤ 60 KB with every widget"),
    ]


def _frames(browser: Browser, saved: Path, play: str) -> tuple[list[float], list[float]]:
    """Milliseconds of all script and of the drawing alone, for each frame."""
    page, profiler = open_measured(browser, saved, 1240, 900)
    page.evaluate(HOLD)
    page.evaluate(play)
    script = []
    for _ in range(WARM + FRAMES):
        before = script_ms(profiler)
        page.evaluate("frame()")
        script.append(script_ms(profiler) - before)
    drawing = page.evaluate("measured['sw:frame']")[WARM:]
    page.close()
    # Space-time changes at some frames alone.
    if not drawing:
        raise RuntimeError("no frame changed the picture")
    return script[WARM:], drawing
