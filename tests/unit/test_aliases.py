"""Which arrays have their memory in common."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shardwidget import _jax
from shardwidget.read._model.aliases import aliases

memories = st.lists(st.frozensets(st.integers(0, 3), min_size=1), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(memory=memories)
def test_the_largest_memory_stands_for_its_parts_and_of_equal_ones_the_first(
    memory: list[frozenset[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jax, "memory_at", lambda k: tuple(memory[k]))
    found = aliases(range(len(memory)), [0] * len(memory), frozenset({0}))
    for k, mine in enumerate(memory):
        others = [o for o, other in enumerate(memory) if mine < other or (mine == other and o < k)]
        assert found.get(k) == max(others, key=lambda o: (len(memory[o]), -o), default=None)
