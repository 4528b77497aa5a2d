"""Pipeline schedules: generators, the simulator, what is wrong with an impossible one. Nothing here uses JAX.

```python
from shardwidget import pipeline
run = pipeline.one_f_one_b(4, 8).simulate()
run.makespan, run.bubble_of_total, run.peak_activations      # 33.0, 3/11, (4, 3, 2, 1)
pipeline.schedule([["0F0", "0B0"], ["1F0", "1B0"]])          # an order of your own
```

- ``generators`` make the orders of papers, ``lists`` one of the user's own; both give a ``Schedule``. A generated one
  travels as its recipe, and its order is made when it is asked for.
- ``tasks`` writes tasks as text, tuples and columns.
- ``check`` refuses an order with tasks that are missing, repeated or misplaced; ``simulation`` finds deadlocks, and
  when each task runs, who idles, what is kept and what is sent.
- ``formulas`` state what papers say of a schedule, beside what the simulator finds.

The front end generates and simulates by the same rules (``js/src/pipeline/model``), so a slider needs no kernel:
whatever changes here must change there, and a test compares every number.
"""

from shardwidget.document.simulation import Link, Simulation, TimedTask
from shardwidget.pipeline.formulas import FORMULAS, Formula, Sizes
from shardwidget.pipeline.generators import (
    circular,
    dualpipe_v,
    eager_1f1b,
    gpipe,
    interleaved_1f1b,
    one_f_one_b,
    zb_h1,
    zb_v,
)
from shardwidget.pipeline.lists import schedule

__all__ = [
    "FORMULAS",
    "Formula",
    "Link",
    "Simulation",
    "Sizes",
    "TimedTask",
    "circular",
    "dualpipe_v",
    "eager_1f1b",
    "gpipe",
    "interleaved_1f1b",
    "one_f_one_b",
    "schedule",
    "zb_h1",
    "zb_v",
]
