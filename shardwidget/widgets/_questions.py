"""What can be asked: a constructor for each kind of question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from shardwidget.teach.choose_collective import ChooseCollective
from shardwidget.teach.choose_threshold import ChooseThreshold
from shardwidget.teach.fill_block import FillBlock
from shardwidget.teach.find_leaf import FindLeaf
from shardwidget.teach.kind import Kind
from shardwidget.teach.lower_communication import LowerCommunication
from shardwidget.teach.order_tasks import OrderTasks
from shardwidget.teach.predict_error import PredictError
from shardwidget.teach.predict_peak import PredictPeak
from shardwidget.teach.predict_type import PredictType
from shardwidget.teach.put_specs import PutSpecs
from shardwidget.teach.read_placement import ReadPlacement
from shardwidget.teach.read_schedule import ReadSchedule
from shardwidget.teach.repair import Repair
from shardwidget.teach.shard_tree import ShardTree
from shardwidget.teach.variant import draw
from shardwidget.teach.write_spec import WriteSpec

Asked = TypeVar("Asked")


class Questions:
    """The constructors of an exercise."""

    @classmethod
    @abstractmethod
    def _ask(cls, kind: Kind, options: dict[str, Any]) -> Self:
        """An exercise of this kind, with ``prompt hints name mode``."""

    @classmethod
    def read_placement(
        cls, x: Any, ask: str | Sequence[str] = "local shape", *, picture: bool = False, **options: Any
    ) -> Self:
        """Asks what a sharding means for an array.

        Args:
            x: anything that ``read.placement`` takes.
            ask: ``"local shape"``, ``"copies"``, ``"bytes per device"``, ``"devices of element (5, 3)"``,
                ``"slice of device 3"``, or a list of these.
            picture: whether to show the array cut and placed, rather than only its type and the mesh.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(ReadPlacement(x, ask, picture=picture), options)

    @classmethod
    def write_spec(
        cls,
        shape: tuple[int, ...],
        mesh: Any,
        *,
        dtype: Any = "float32",
        gives: Any = None,
        local_shape: tuple[int, ...] | None = None,
        copies: int | None = None,
        bytes_per_device: int | None = None,
        rejected: bool | str = False,
        **options: Any,
    ) -> Self:
        """Asks for a PartitionSpec; every spec with the effect is right.

        Args:
            shape: shape of the array.
            mesh: a ``Mesh`` or ``AbstractMesh``.
            dtype: dtype of the array.
            gives: a spec; its picture is shown and must be reproduced.
            local_shape: shape of each device's block.
            copies: devices that hold each block.
            bytes_per_device: bytes of each device's block.
            rejected: True for a spec that JAX refuses; the name of an exception's class to ask for that one.
            **options: ``prompt hints name mode``.
        """
        kind = WriteSpec(
            shape,
            mesh,
            dtype=dtype,
            gives=gives,
            local_shape=local_shape,
            copies=copies,
            bytes_per_device=bytes_per_device,
            rejected=rejected,
        )
        return cls._ask(kind, options)

    @classmethod
    def predict_type(cls, f: Callable[..., Any], *args: Any, source: str | None = None, **options: Any) -> Self:
        """Asks for the type of ``f(*args)`` on an Explicit mesh.

        Args:
            f: a function with one array as its result.
            *args: arrays, or ``jax.ShapeDtypeStruct`` with shardings.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(PredictType(f, *args, source=source), options)

    @classmethod
    def predict_error(
        cls,
        f: Callable[..., Any],
        *args: Any,
        among: Sequence[str] | None = None,
        source: str | None = None,
        **options: Any,
    ) -> Self:
        """Asks which exception ``f(*args)`` raises, or whether it runs.

        Args:
            f: a function.
            *args: its arguments; with ``jax.ShapeDtypeStruct`` among them it is traced and not run.
            among: names of the classes to choose from; None takes the common ones.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(PredictError(f, *args, among=among, source=source), options)

    @classmethod
    def choose_collective(cls, before: Any, after: Any, **options: Any) -> Self:
        """Asks for the collective that turns one layout of an array into another.

        Args:
            before: an array, a ``jax.ShapeDtypeStruct`` with a sharding, or ``(shape, dtype, sharding)``.
            after: the same, of the same shape and on the same mesh.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(ChooseCollective(before, after), options)

    @classmethod
    def fill_block(
        cls,
        f: Callable[..., Any],
        *args: Any,
        device: int,
        step: int | None = None,
        source: str | None = None,
        **options: Any,
    ) -> Self:
        """Asks for the values that a device holds after a collective.

        Args:
            f: a function that calls ``jax.shard_map``.
            *args: its arguments.
            device: the device whose block is asked for.
            step: index of the step in ``read.trace(f, *args).steps``; None takes the first collective.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(FillBlock(f, *args, device=device, step=step, source=source), options)

    @classmethod
    def put_specs(
        cls,
        body: Callable[..., Any],
        *args: Any,
        mesh: Any,
        gives: Any,
        at_most: int | None = None,
        source: str | None = None,
        **options: Any,
    ) -> Self:
        """Asks for the in_specs and out_specs with which a body gives what it should.

        Args:
            body: what runs on each device.
            *args: whole arrays; each gets one in_spec.
            mesh: a ``Mesh`` or ``AbstractMesh``; without devices it is simulated.
            gives: an array, or a function of the arguments.
            at_most: bytes of the arguments that a device may hold.
            source: the text to show; None reads that of ``body``.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(PutSpecs(body, *args, mesh=mesh, gives=gives, at_most=at_most, source=source), options)

    @classmethod
    def repair(cls, f: Callable[..., Any], *args: Any, gives: Any, source: str | None = None, **options: Any) -> Self:
        """Asks for a fixed function, which a cell assigns: ``exercise.answer = fixed``.

        Args:
            f: the broken one.
            *args: arguments that both are called with.
            gives: the expected result: a value, or a function of the arguments.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(Repair(f, *args, gives=gives, source=source), options)

    @classmethod
    def lower_communication(
        cls, f: Callable[..., Any], *args: Any, below: int | None = None, source: str | None = None, **options: Any
    ) -> Self:
        """Asks for a function with the same result that sends less, which a cell assigns.

        Args:
            f: a function that sends too much.
            *args: arguments on a mesh with devices.
            below: the most bytes that a device may send in the compiled program; None asks for less than ``f`` sends.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(LowerCommunication(f, *args, below=below, source=source), options)

    @classmethod
    def read_schedule(cls, schedule: Any, **options: Any) -> Self:
        """Asks for a pipeline schedule's bubble, and for the most activations that a rank keeps.

        Args:
            schedule: what ``read.schedule`` takes.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(ReadSchedule(schedule), options)

    @classmethod
    def order_tasks(cls, schedule: Any, *, rank: int, **options: Any) -> Self:
        """Asks for the order of one rank's tasks; the simulator judges it.

        Args:
            schedule: what ``read.schedule`` takes.
            rank: whose tasks.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(OrderTasks(schedule, rank), options)

    @classmethod
    def find_leaf(cls, tree: Any, **options: Any) -> Self:
        """Asks which array of a tree takes more of a device than it needs to.

        Args:
            tree: what ``read.model`` takes.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(FindLeaf(tree), options)

    @classmethod
    def shard_tree(cls, tree: Any, *, below: int, **options: Any) -> Self:
        """Asks for rules, ``pattern → P(...)``, after which no device holds more than ``below`` bytes of a tree.

        Args:
            tree: what ``read.model`` takes.
            below: the most bytes that a device may hold.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(ShardTree(tree, below=below), options)

    @classmethod
    def predict_peak(
        cls, f: Callable[..., Any], *args: Any, within: float = 0.1, source: str | None = None, **options: Any
    ) -> Self:
        """Asks how many bytes a device holds at the peak of a compiled program.

        Args:
            f: a function.
            *args: its arguments, on a mesh with devices.
            within: how far an answer may be off, as a fraction of the truth.
            source: the text to show; None reads that of ``f``.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(PredictPeak(f, *args, within=within, source=source), options)

    @classmethod
    def choose_threshold(cls, plan: Any, *, at_most: int, **options: Any) -> Self:
        """Asks for the threshold of a reshard plan that keeps every device within a limit, in the fewest chunks.

        Args:
            plan: what ``read.reshard_plan`` returns, to groups or from them.
            at_most: bytes that a device may hold at any moment.
            **options: ``prompt hints name mode``.
        """
        return cls._ask(ChooseThreshold(plan, at_most), options)

    @classmethod
    def variant(cls, make: Callable[[Any], Asked], *, seed: Any) -> Asked:
        """Makes an exercise whose numbers follow from a seed.

        Args:
            make: takes a ``random.Random`` and returns an exercise.
            seed: for example a student's name. The same seed gives the same exercise on every machine.
        """
        return make(draw(seed))
