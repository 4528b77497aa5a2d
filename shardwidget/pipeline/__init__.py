"""Pipeline schedules: generators, the simulator, what is wrong with an impossible one. Nothing here uses JAX.

```python
from shardwidget import pipeline
run = pipeline.one_f_one_b(4, 8).simulate()
run.makespan, run.bubble_of_total, run.peak_activations      # 33.0, 3/11, (4, 3, 2, 1)
pipeline.schedule([["0F0", "0B0"], ["1F0", "1B0"]])          # an order of your own
```
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
