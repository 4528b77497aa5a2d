"""``AlgorithmView``: two algorithms of a collective side by side, on one clock."""

from __future__ import annotations

from typing import Any

from traitlets import Int, List, TraitError, Unicode, validate

from shardwidget.collectives.compared import compare
from shardwidget.cost import DEFAULT, Interconnect, interconnects, networks
from shardwidget.document import Algorithms
from shardwidget.widgets._base import DocumentWidget, Mode
from shardwidget.widgets._options import checked


class AlgorithmView(DocumentWidget[Algorithms]):
    """Two algorithms of a collective on one clock: what each link carries when, and from which size on each is faster.

    ```python
    AlgorithmView("psum", 8)                       # 1 MiB on each of 8 devices
    AlgorithmView("all_gather", 16, nbytes=4096, interconnect="H100")
    ShardMapStepper(f, x).algorithms()             # the collective of the step that is shown
    ```

    Times are estimates by a model with two numbers: what a message takes to start, and the bandwidth of a link, which
    messages that pass it at the same time share.

    Attributes:
        nbytes: bytes of a device's block; the browser's slider sets it too.
        pair: names of the two algorithms.
    """

    bundle = "algorithms.js"
    _kept = ("nbytes", "pair")

    nbytes = Int(2**20).tag(sync=True)
    pair = List(Unicode()).tag(sync=True)

    def __init__(
        self,
        collective: str,
        n: int,
        *,
        nbytes: int = 2**20,
        pair: tuple[str, str] | None = None,
        interconnect: str | Interconnect | None = None,
        start: float = 1e-6,
        mode: Mode | None = None,
        **traits: Any,
    ) -> None:
        """Compares the algorithms of a collective.

        Args:
            collective: JAX's name for it: ``"psum"``, ``"all_gather"``, ``"psum_scatter"``, ``"all_to_all"`` ….
            n: devices of a group, 2 to 64.
            nbytes: bytes of a device's block, the operand, up to 2³⁰.
            pair: names of two algorithms; None for the ring and halving-doubling, where n is a power of two.
            interconnect: what times are estimated for first: a name in ``shardwidget.cost.INTERCONNECTS``, or an
                ``Interconnect`` of your own numbers.
            start: seconds that a message takes to start, however far it goes.
            mode: ``"widget"``, or ``"html"`` to display a copy that needs no kernel; None for ``config.mode``.
            **traits: traits of every ipywidget, such as ``layout=``.

        Raises:
            TypeError: an argument is unknown.
            ValueError: the collective has no algorithms, or a number is out of range.
            TraitError: there is no such pair of algorithms.
        """
        checked(type(self), traits)
        document = compare(collective, n, nbytes, networks(interconnects(interconnect or DEFAULT)), start)
        names = [one.plan.algorithm for one in document.algorithms]
        chosen = list(pair) if pair is not None else [names[0], names[-1]]
        super().__init__(document, mode=mode, nbytes=nbytes, pair=chosen, **traits)

    @validate("nbytes")
    def _check_nbytes(self, proposal: Any) -> int:
        value = proposal["value"]
        if not 1 <= value <= 2**30:
            raise TraitError(f"nbytes must be 1 to {2**30}; got {value!r}")
        return value

    @validate("pair")
    def _check_pair(self, proposal: Any) -> list[str]:
        value = proposal["value"]
        names = [one.plan.algorithm for one in self.document.algorithms]
        if len(value) != 2 or not set(value) <= set(names):
            raise TraitError(f"pair must be two of {', '.join(map(repr, names))}; got {value!r}")
        return value
