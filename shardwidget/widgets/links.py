"""``LinksView``: a mesh on the links of its chips."""

from __future__ import annotations

from typing import Any

from traitlets import Bunch, Int, TraitError, validate

from shardwidget import read
from shardwidget.document import Links, Program
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked


class LinksView(DocumentWidget[Links]):
    """Which links between chips the transfers of a mesh cross: device orders side by side.

    ```python
    LinksView({"by hosts": by_hosts, "make_mesh": mesh})
    LinksView(mesh, program=read.program(step, state, batch))   # with the bytes of its collectives
    ```

    Attributes:
        order: index of the order that is looked at, in ``document.orders``. A click arrives here too.
    """

    bundle = "links.js"
    _kept = ("order",)

    order = Int(0).tag(sync=True)

    def __init__(
        self,
        mesh: Any = None,
        *,
        program: Program | None = None,
        topology: str | None = None,
        order: int = 0,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Shows the links.

        Args:
            mesh: a ``Links``, or what ``read.links`` takes.
            program: as of ``read.links``.
            topology: as of ``read.links``.
            order: the order that is looked at first.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: as ``read.links``, or an argument is unknown.
            ValueError: as ``read.links``.
            TraitError: there is no such order.
        """
        checked(type(self), traits)
        found = mesh if isinstance(mesh, Links) else read.links(mesh, program=program, topology=topology)
        super().__init__(found, mode=mode, order=order, **traits)

    @validate("order")
    def _check_order(self, proposal: Bunch) -> int:
        value, count = proposal["value"], len(self.document.orders)
        if not 0 <= value < count:
            raise TraitError(f"order must be 0 to {count - 1}; got {value!r}")
        return value
