"""``KernelView``: a Pallas kernel on all devices, in the order that shows what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traitlets import Bunch, Int, TraitError, validate

from shardwidget import read
from shardwidget.document import Kernel, KernelFault
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked


class KernelView(DocumentWidget[Kernel]):
    """A Pallas kernel that sends: slots, copies, semaphores and waits of all devices, and what nothing orders.

    ```python
    KernelView(all_gather, x)
    KernelView(read.kernel(...))
    ```

    Attributes:
        fault: index of the fault that is shown, in ``document.faults``. A click arrives here too.
    """

    bundle = "kernel.js"
    _kept = ("fault",)

    fault = Int(0).tag(sync=True)

    def __init__(
        self,
        f: Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        which: int | None = None,
        cores: int = 1,
        fault: int = 0,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Follows a kernel, and shows it.

        Args:
            f: a ``Kernel``, or what ``read.kernel`` takes: a function that calls the kernel.
            *args: its arguments, on CPU devices.
            kwargs: its keyword arguments.
            which: which of the function's kernels; None for the first that sends.
            cores: cores of each device.
            fault: the fault that is shown first.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            NotImplementedError: as ``read.kernel``.
            TypeError: as ``read.kernel``, or an argument is unknown.
            ValueError: as ``read.kernel``.
            TraitError: there is no such fault.
        """
        checked(type(self), traits)
        if isinstance(f, Kernel):
            if args or kwargs or which is not None:
                raise TypeError("a Kernel has its function and its arguments: give KernelView(kernel) alone")
            kernel = f
        else:
            kernel = read.kernel(f, *args, kwargs=kwargs, which=which, cores=cores)
        super().__init__(kernel, mode=mode, fault=fault, **traits)

    @property
    def selection(self) -> KernelFault | None:
        """The fault that is shown; None where there is none."""
        return self.document.faults[self.fault] if self.document.faults else None

    @validate("fault")
    def _check_fault(self, proposal: Bunch) -> int:
        value, count = proposal["value"], len(self.document.faults)
        if not 0 <= value < max(1, count):
            raise TraitError(f"fault must be from 0 to {max(1, count) - 1}; got {value!r}")
        return value
