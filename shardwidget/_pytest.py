"""The fixture ``sharding_baseline`` of pytest, and its option ``--update-sharding``.

pytest imports this in every project where shardwidget is installed, so it imports nothing else until it is used.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from shardwidget.document import Memory, Model, Program

FOLDER = "sharding"
"""Beside a test's file: where its baselines are."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--update-sharding``."""
    group = parser.getgroup("shardwidget")
    group.addoption("--update-sharding", action="store_true", help="write the files of sharding_baseline anew")


@pytest.fixture
def sharding_baseline(request: pytest.FixtureRequest) -> ShardingBaseline:
    """Compares a program, a model or a memory with a file in the repository.

    ```python
    def test_step(sharding_baseline):
        sharding_baseline(read.program(step, state, batch))
    ```

    The file is ``sharding/TEST.txt``, beside the test's. ``pytest --update-sharding`` writes it.
    """
    return ShardingBaseline(request)


class ShardingBaseline:
    """What ``sharding_baseline`` gives a test."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._folder = request.path.parent / FOLDER
        self._test = f"{request.path.stem}.{request.node.name}"
        self._update = bool(request.config.getoption("--update-sharding"))

    def __call__(self, document: Program | Model | Memory, name: str = "") -> None:
        """Fails if the document is not as the file says.

        Args:
            document: what ``read.program``, ``read.model`` or ``read.memory`` returns.
            name: which one, where a test has several.

        Raises:
            AssertionError: it differs, or there is no file. A page beside the file has what differs, and what there is.
            TypeError: it is another document.
        """
        __tracebackhide__ = True
        from shardwidget.testing.baseline import baseline, differences, parsed
        from shardwidget.widgets._base import page as page_of
        from shardwidget.widgets._show import show

        now, path = baseline(document), self._path(name)
        page = path.with_suffix(".html")
        if self._update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(now.text(), encoding="utf-8")
        elif not path.exists():
            raise AssertionError(f"there is no {path}. Write it and commit it: pytest --update-sharding")
        else:
            diff = differences(str(path), parsed(path.read_text(encoding="utf-8")), now)
            if diff.rows:
                page.write_text(page_of(diff.name, show(diff), show(document)), encoding="utf-8")
                raise AssertionError(
                    f"{diff}\nAs a page, with what it is now: {page}. If this is meant: pytest --update-sharding"
                )
        page.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        file = re.sub(r"[^\w.\[\]-]+", "_", f"{self._test}.{name}" if name else self._test)
        return self._folder / f"{file}.txt"
