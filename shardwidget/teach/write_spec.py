"""Writing a spec: one that gives a picture, a local shape, a number of copies; or one that JAX rejects."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Figure, Part, Placement
from shardwidget.read._entries import spec_text
from shardwidget.read._spec import playground
from shardwidget.teach import layouts
from shardwidget.teach.kind import Answer, Kind, verdict

GOALS = "gives=P(…), local_shape=(…), copies=n, bytes_per_device=n, rejected=True"

MEANINGS = {
    "DuplicateSpecError": "A mesh axis has one coordinate per device: it cannot pick a row block and a column block "
    "independently.",
    "IndivisibleError": "A dimension must divide by the number of devices that it is split over.",
}
"""What JAX's refusals mean, by class."""


class WriteSpec(Kind):
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

    Raises:
        ValueError: there is no goal, or no spec reaches it.
    """

    task = "write_spec"
    says_goal = True

    def __init__(
        self,
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
    ) -> None:
        super().__init__(options)
        self._shape, self._jax_mesh, self._dtype = tuple(shape), mesh, str(np.dtype(dtype))
        self._rejected = rejected
        self._local, self._copies, self._bytes = local_shape, copies, bytes_per_device
        plain = layouts.place(self._shape, self._dtype, mesh, PartitionSpec())
        self.mesh = plain.mesh
        self._target = None if gives is None else layouts.place(self._shape, self._dtype, mesh, gives)
        if local_shape is not None and len(local_shape) != len(self._shape):
            raise ValueError(f"local_shape={local_shape} does not have the rank of the array's shape {self._shape}")
        wanted = [w for w in (gives, local_shape, copies, bytes_per_device) if w is not None]
        if bool(wanted) == bool(rejected):
            raise ValueError(f"state what the spec should give: {GOALS}; rejected cannot be combined with another goal")
        there_is = self._target is not None or bool(rejected)
        if not there_is and layouts.find(self._shape, self._dtype, mesh, lambda p: not self._off(p)) is None:
            raise ValueError(f"no spec of this mesh splits an array of shape {self._shape} {self._words()}")
        short = _jax.type_text(plain_type(self._shape, self._dtype))
        self._short = short.partition("[")[0]
        self.fields = (Field("spec", "spec", "spec", example=f"P({', '.join('…' * len(self._shape))})"),)
        self.playground = playground(self._shape, mesh, dtype=self._dtype, fixed=True)
        if self._target is not None:
            # Without its name, type and spec: they are the answer.
            t = self._target
            self.figures = (Figure("wanted", Placement(t.mesh, t.shape, t.dims, t.dtype, t.bits,
                                   unreduced=t.unreduced, unreduced_kind=t.unreduced_kind, reduced=t.reduced,
                                   state="abstract")),)  # fmt: skip
        if rejected:
            what = f"a `{rejected}`" if isinstance(rejected, str) else "an error"
            self.prompt = f"Write a spec for `{short}` that makes JAX raise {what}."
            self.hints = (
                "JAX asks three things of a spec: axes that the mesh has, each at most once, and divisible sizes.",
            )
        else:
            self.prompt = f"Split `{short}` {self._words()}."
            self.hints = ("Each dimension's size, divided by its block's, is the product of the axes that split it.",)
        if local_shape is not None:
            self.goal = f"{self._short}[{','.join(map(str, local_shape))}]"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        target = None if self._target is None else layouts.spec_of(self._target)
        return f"{self._shape} {self._dtype} {self.mesh.shape} {target} {self._words()} {self._rejected}"

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        spec = answer["spec"]
        try:
            placement = layouts.place(self._shape, self._dtype, self._jax_mesh, spec)
        except Exception as error:
            return self._refused(error)
        figure = Figure(spec_text(spec), placement)
        gives = f"{self._short}[{','.join(map(str, placement.shard_shape))}]"
        if self._rejected:
            message = (
                f"JAX accepts {spec_text(spec)}: every axis is in the mesh, is used once, and divides its dimension."
            )
            question = "Which of these three can you break?"
            return Feedback("wrong", message, question, gives, (Part("spec", False),), figure)
        off = self._off(placement)
        if not off:
            message = f"Each device holds {gives}, {_copies(placement.copies)}."
            return Feedback("right", message, "", gives, (Part("spec", True),), figure)
        some = len(off) < self._count()
        message = " ".join(note for note, _ in off)
        return Feedback(
            "partly" if some else "wrong", message, off[0][1], gives, (Part("spec", False, message),), figure
        )

    def _refused(self, error: Exception) -> Feedback:
        name = type(error).__name__
        said: Any = {"error": name, "said": str(error)}
        meaning = MEANINGS.get(name, "") or _meaning(str(error))
        wanted = self._rejected is True or self._rejected == name
        if wanted:
            return verdict([Part("spec", True)], f"Rejected, as asked. {meaning}".strip(), **said)
        message = f"JAX refuses this spec. {meaning}".strip()
        question = (
            f"What makes a {self._rejected}?" if self._rejected else "Which entry of the spec does JAX's message name?"
        )
        return Feedback("wrong", message, question, parts=(Part("spec", False, message),), **said)

    def _off(self, p: Placement) -> list[tuple[str, str]]:
        """Quantities that are not as asked, each with the next question."""
        off = []
        for d, (size, need) in enumerate(zip(self._shape, self._wanted_shape(), strict=False)):
            if p.shard_shape[d] != need:
                question = (
                    f"What cuts {size} into pieces of {need}?"
                    if need < size
                    else "Which entry leaves a dimension unsplit?"
                )
                off.append((_division(p, d, need), question))
        if self._target is not None and not off and not layouts.same(self._target, p):
            for d in range(len(self._shape)):
                if any(p.slices(i)[d] != self._target.slices(i)[d] for i in p.device_ids):
                    note = f"Dim {d} has blocks of the right size, but on other devices than in the picture."
                    off.append((note, f"Along which mesh axis do the devices of the picture change block in dim {d}?"))
            if not off:
                alike = set(p.unreduced) == set(self._target.unreduced)
                asks = "How are the parts combined?" if alike else "Which axes hold parts of a sum in the picture?"
                off.append(("The states differ.", asks))
        if self._copies is not None and p.copies != self._copies:
            note = f"Each block is on {_devices(p.copies)}; {_devices(self._copies)} should hold it."
            off.append((note, "Which axes does the spec leave out?"))
        if self._bytes is not None and p.bytes_per_device != self._bytes:
            note = f"A device holds {byte_count(p.bytes_per_device)}; {byte_count(self._bytes)} is asked for."
            off.append((note, "Into how many pieces must the array be cut?"))
        return off

    def _wanted_shape(self) -> tuple[int, ...]:
        if self._local is not None:
            return tuple(self._local)
        # If no shape is asked for, none can be wrong.
        return self._target.shard_shape if self._target is not None else ()

    def _count(self) -> int:
        shape = len(self._shape) if self._local is not None or self._target is not None else 0
        return shape + (self._copies is not None) + (self._bytes is not None)

    def _words(self) -> str:
        if self._target is not None:
            return "as in the picture"
        held = [] if self._local is None else [f"a block of {tuple(self._local)}"]
        if self._bytes is not None:
            held.append(byte_count(self._bytes))
        words = [f"every device holds {' of '.join(held)}"] if held else []
        if self._copies is not None:
            words.append("no block is copied" if self._copies == 1 else f"{self._copies} devices hold each block")
        return "so that " + " and ".join(words) if words else ""


def plain_type(shape: tuple[int, ...], dtype: str) -> Any:
    """The type of an array on no mesh."""
    import jax

    return jax.typeof(jax.ShapeDtypeStruct(shape, dtype))


def _division(p: Placement, d: int, need: int) -> str:
    size, axes = p.dims[d].size, p.dims[d].axes
    got, unit = p.shard_shape[d], "rows" if d == 0 else "columns" if d == 1 and len(p.dims) == 2 else "elements"
    if not axes:
        return f"Nothing cuts the {size} {unit} of dim {d}; blocks need {need}."
    over = " and ".join(f"{a}={next(x.size for x in p.mesh.axes if x.name == a)}" for a in axes)
    return f"{size} {unit} over {over} leave {got}; blocks need {need}."


def _meaning(words: str) -> str:
    if "divide" in words or "divisible" in words:
        return MEANINGS["IndivisibleError"]
    if "not found in mesh" in words:
        return "A spec names axes of the mesh, and this mesh does not have that axis."
    if "rank" in words or "ndim" in words:
        return "A spec has at most one entry for each dimension."
    return ""


def _copies(count: int) -> str:
    return "one copy of each" if count == 1 else f"{count} copies of each"


def _devices(count: int) -> str:
    return "1 device" if count == 1 else f"{count} devices"
