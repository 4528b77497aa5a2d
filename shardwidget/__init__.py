"""shardwidget shows where JAX arrays live on a mesh of devices, in the notebook where you work.

```python
import shardwidget as sw
sw.show(x)
```
"""

from shardwidget import read
from shardwidget._doctor import doctor
from shardwidget._show import show
from shardwidget.document import Placement, Trace
from shardwidget.widgets.array_view import ArrayView
from shardwidget.widgets.stepper import ShardMapStepper

__all__ = ["ArrayView", "Placement", "ShardMapStepper", "Trace", "doctor", "read", "show"]
