"""One browser for all tests, which is ended where a page stands still: ``page.evaluate`` itself waits for ever."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

from playwright.sync_api import Browser, BrowserContext, Playwright

from tests.hosts.server import HANG

# With the GPU process off, software drawing is as fast as it gets; the others keep the browser, and with the last its
# pages, from the network. (A route that refuses requests would turn the cache off.)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


class Chromium:
    """The browser."""

    def __init__(self, playwright: Playwright):
        self._playwright = playwright
        self._browser: Browser | None = None
        self._common: BrowserContext | None = None
        self._process = 0

    def running(self) -> Browser:
        """The browser, started anew where it has ended."""
        if self._browser is None or not self._browser.is_connected():
            program = os.environ.get("SHARDWIDGET_CHROMIUM", "/usr/bin/chromium")
            launch = self._playwright.chromium.launch
            self._browser = launch(executable_path=program, args=FLAGS, timeout=1000 * HANG)
            session = self._browser.new_browser_cdp_session()
            about = session.send("SystemInfo.getProcessInfo")["processInfo"]
            session.detach()
            self._process = next(process["id"] for process in about if process["type"] == "browser")
        return self._browser

    def common(self) -> BrowserContext:
        """A context for pages that ask for nothing special: what JupyterLab consists of is loaded and compiled once."""
        browser = self.running()
        if self._common not in browser.contexts:
            self._common = browser.new_context()
        return self._common

    @contextlib.contextmanager
    def watched(self, seconds: float) -> Iterator[threading.Event]:
        """Ends the browser, and sets what it yields, if the block takes longer: what waits for a page raises then."""
        browser, ended = self.running(), threading.Event()

        def end() -> None:
            ended.set()
            os.kill(self._process, signal.SIGKILL)

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            yield ended
        finally:
            timer.cancel()
            timer.join()
            if ended.is_set():
                browser.close()

    def close(self) -> None:
        """Ends it."""
        if self._browser is not None:
            self._browser.close()
