"""Assertions about shardings, for tests.

```python
from shardwidget.testing import assert_no_collectives, assert_sharded

def test_step():
    assert_no_collectives(step, state, batch, axis="data", kind="all-gather")
    assert_sharded(state.params, {"embed": P("model", None), "layers/.*/w": P(None, "model")})
```

What compiles (``collectives``, ``memory``) runs nothing: arguments are arrays, or shapes with shardings, also on
``shardwidget.tpu_mesh``. A failure names the line, the axis, the bytes. An assertion that would pass whatever the
program does fails too: on a mesh of one device, or by a rule that matches nothing. A wrong call raises ``ValueError``
or ``TypeError``, and never passes for a failed test.
"""

from shardwidget.testing.collectives import assert_collectives, assert_no_collectives
from shardwidget.testing.memory import assert_memory
from shardwidget.testing.placements import assert_placement, assert_sharded

__all__ = ["assert_collectives", "assert_memory", "assert_no_collectives", "assert_placement", "assert_sharded"]
