"""Pictures in time as WebM: Chromium records them from a canvas. Needs Playwright for Python and a browser for it."""

from __future__ import annotations

import base64
import io
import os
import shutil
import threading
from typing import Any

from shardwidget.export import images
from shardwidget.export.svg import Frames

_NO_PLAYWRIGHT = (
    "writing WebM needs a browser that encodes it, which Playwright drives: pip install playwright, then playwright "
    "install chromium (a Chromium or Chrome that is already installed will do). to_gif() and to_svg(animate=True) "
    "need no browser."
)

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# A video runs on the clock of the canvas that it is recorded from: it takes as long to make as it lasts.
_RECORD = """async ({ pictures, times }) => {
  const bitmaps = await Promise.all(pictures.map(async (data) =>
    createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob())));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [bitmaps[0].width, bitmaps[0].height];
  const context = canvas.getContext("2d");
  context.drawImage(bitmaps[0], 0, 0);
  const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
  const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
  if (!mimeType) throw new Error("this browser cannot encode WebM");
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType, videoBitsPerSecond: 4e6 });
  const pieces = [];
  recorder.ondataavailable = (event) => pieces.push(event.data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start();
  const begun = performance.now();
  let until = 0;
  for (const [k, bitmap] of bitmaps.entries()) {
    until += times[k];
    // Drawn again and again: a canvas that does not change gives no frames.
    do {
      context.drawImage(bitmap, 0, 0);
      await new Promise(requestAnimationFrame);
    } while (performance.now() - begun < until);
  }
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
}"""


def webm(frames: Frames) -> bytes:
    """Pictures in time as a WebM video. This takes as long as the video lasts.

    Args:
        frames: what ``svg.frames`` gave.

    Raises:
        ImportError: Playwright or the extra ``shardwidget[images]`` is not installed.
        RuntimeError: there is no Chromium, or it cannot encode; or no font was found.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise ImportError(_NO_PLAYWRIGHT) from None
    pictures = [base64.b64encode(_png(picture)).decode("ascii") for picture in images.pixels(frames)]
    given = {"pictures": pictures, "times": list(frames.times)}
    results: list[bytes | Exception] = []

    def record() -> None:
        try:
            with sync_playwright() as playwright:
                results.append(_recorded(playwright, given))
        except Exception as error:
            results.append(error)

    # Playwright's synchronous functions refuse a thread with an event loop, such as a notebook's.
    thread = threading.Thread(target=record, name="shardwidget-webm")
    thread.start()
    thread.join()
    [result] = results
    if isinstance(result, Exception):
        raise RuntimeError(f"the browser recorded no video: {result}") from result
    return result


def _recorded(playwright: Any, given: dict[str, Any]) -> bytes:
    named = os.environ.get("SHARDWIDGET_CHROMIUM") or next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    flags = ["--disable-gpu", "--disable-background-networking", "--no-first-run"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")
    browser = playwright.chromium.launch(executable_path=named, args=flags)
    try:
        return base64.b64decode(browser.new_page().evaluate(_RECORD, given))
    finally:
        browser.close()


def _png(picture: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, format="PNG", compress_level=1)
    return out.getvalue()
