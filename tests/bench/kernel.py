"""Script time of a frame while an order of a Pallas kernel plays: 8 devices with 200 events each.

As for the stepper, all script of the page is counted, and the page's clock is held: each frame shows another moment.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P
from playwright.sync_api import sync_playwright

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.export import html
from shardwidget.export import kernel as words
from tests.bench.browser import median_ms, open_measured, p95_ms, script_ms
from tests.bench.stepper import HOLD
from tests.bench.table import Row

jax.config.update("jax_num_cpu_devices", 8)

N, STEPS = 8, 28
FRAMES, WARM = 100, 10
NEXT = "() => { for (let k = 0; k < 3; k++) { window.now += 84; window.frame(); } }"
"""To the next moment: each lasts 220 ms, and no frame counts for more than 100."""
PLAY = """() => document.querySelector(".shardwidget").shadowRoot.querySelector("[aria-label^=play]").click()"""


def _turn(x_ref: Any, out_ref: Any, slots: Any, sent: Any, came: Any, free: Any) -> None:
    """Blocks go round a ring several times, through two slots."""
    me = lax.axis_index("x")
    right, left = lax.rem(me + 1, N), lax.rem(me + N - 1, N)
    barrier = pltpu.get_barrier_semaphore()
    for other in (left, right):
        pl.semaphore_signal(barrier, device_id=(other,))
    pl.semaphore_wait(barrier, 2)
    pltpu.sync_copy(x_ref, slots.at[0])
    for step in range(STEPS):
        now, then = step % 2, (step + 1) % 2
        if step > 0:
            pl.semaphore_wait(free, 1)
        send = pltpu.make_async_remote_copy(slots.at[now], slots.at[then], sent, came, device_id=(right,))
        send.start()
        send.wait()
        pltpu.sync_copy(slots.at[then], out_ref.at[(step + 1) % N])
        if step < STEPS - 1:
            pl.semaphore_signal(free, device_id=(left,))


def turning() -> sw.Kernel:
    """The kernel, read."""
    mesh = jax.make_mesh((N,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    block = (8, 128)
    dma = pltpu.SemaphoreType.DMA
    call = pl.pallas_call(
        _turn,
        out_shape=jax.ShapeDtypeStruct((N, *block), jnp.float32),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[pltpu.VMEM((2, *block), jnp.float32), dma, dma, pltpu.SemaphoreType.REGULAR],
        compiler_params=pltpu.CompilerParams(collective_id=0, has_side_effects=True),
    )
    f = jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    return sw.read.kernel(f, jnp.ones((N * block[0], block[1])))


def rows() -> list[Row]:
    """A frame of the play."""
    kernel = turning()
    events = len(kernel.ops) / N
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        saved = Path(folder) / "kernel.html"
        state = {"_document": to_wire(kernel), "_static": True, "fault": 0}
        saved.write_text(html.page("ring", html.fragment(state, words.table(kernel), "kernel.js")), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        page, profiler = open_measured(browser, saved, 1240, 900)
        page.evaluate(HOLD)
        page.evaluate(PLAY)
        script = []
        for _ in range(WARM + FRAMES):
            before = script_ms(profiler)
            page.evaluate(NEXT)
            script.append(script_ms(profiler) - before)
        browser.close()
    frames = script[WARM:]
    return [
        Row(f"a frame of a kernel, {N} devices × {events:.0f} events", median_ms(frames), "≤ 4 ms median"),
        Row(f"  p95 of {len(frames)} frames", p95_ms(frames), "≤ 8 ms p95"),
    ]
