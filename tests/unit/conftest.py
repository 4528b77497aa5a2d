"""Widgets without a notebook talk to a front end that is not there."""

import comm
import pytest

from tests.front_end import FakeComm


@pytest.fixture(autouse=True)
def _front_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comm, "create_comm", FakeComm)
