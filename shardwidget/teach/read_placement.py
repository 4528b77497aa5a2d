"""Reading a placement: which devices hold an element, what shape a block has, how many copies and bytes there are."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jax.sharding import NamedSharding

from shardwidget import read
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Figure, Part, Placement
from shardwidget.read._placement import as_typed
from shardwidget.teach import forms, layouts
from shardwidget.teach.kind import Answer, AnswerError, Kind, verdict

ASKS = '"local shape", "copies", "bytes per device", "devices of element (5, 3)", "slice of device 3"'


class ReadPlacement(Kind):
    """Asks what a sharding means for an array.

    Args:
        x: anything that ``read.placement`` takes.
        ask: ``"local shape"``, ``"copies"``, ``"bytes per device"``, ``"devices of element (5, 3)"``,
            ``"slice of device 3"``, or a list of these.
        picture: whether to show the array cut and placed, rather than only its type and the mesh.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: the question is not one of these, or the array does not have that element or device.
    """

    task = "read_placement"

    def __init__(
        self, x: Any, ask: str | Sequence[str] = "local shape", *, picture: bool = False, **options: Any
    ) -> None:
        super().__init__(options)
        self._placement = p = read.placement(x)
        if p.shape is None:
            raise ValueError("a mesh alone has no array; give an array, or (shape, dtype, sharding)")
        sharding = as_typed(x).sharding
        self._jax_mesh = sharding.mesh if isinstance(sharding, NamedSharding) else None
        texts = [ask] if isinstance(ask, str) else list(ask)
        self._quantities = [_ask(text, p) for text in texts]
        self.mesh = p.mesh
        self.fields = tuple(
            Field(f"part{i}", a.label, a.form, example=a.example(p)) for i, a in enumerate(self._quantities)
        )
        shown = p if picture else Placement(p.mesh, None, state="abstract")
        self.figures = (Figure("", shown, types=() if picture else (f"{p.type}   {layouts.spec_of(p)}",)),)
        self.prompt = f"`{p.type}` is sharded over the mesh as `{layouts.spec_of(p)}`. Read its placement."
        self.hints = tuple(dict.fromkeys(a.hint for a in self._quantities))

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        p = self._placement
        return f"{p.type} {layouts.spec_of(p)} {p.mesh.shape} {[a.label for a in self._quantities]}"

    def read_field(self, field: Field, value: Any) -> Any:
        """What the question reads."""
        return self._of(field).read(value, self._placement)

    def public_field(self, field: Field, value: Any) -> Any:
        """Bounds as slices; everything else as it is."""
        return tuple(slice(*b) for b in value) if field.label.startswith("slice") else value

    def write_field(self, field: Field, value: Any) -> str:
        """What the question writes."""
        return self._of(field).write(value)

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        parts, questions, figure = [], [], None
        for field in self.fields:
            ask, value = self._of(field), answer[field.name]
            part = ask.judge(field.name, value, self._placement)
            parts.append(part)
            if not part.right:
                questions.append(ask.question)
                figure = figure or self._figure(ask, value)
        right = "All of it agrees with JAX." if len(parts) > 1 else "JAX says the same."
        if all(p.right for p in parts):
            return verdict(parts, right, figure=Figure("the placement", self._placement))
        return verdict(parts, question=questions[0], figure=figure)

    def _of(self, field: Field) -> _Ask:
        return self._quantities[int(field.name.removeprefix("part"))]

    def _figure(self, ask: _Ask, value: Any) -> Figure | None:
        """A layout of this array in which the answer would be right."""
        p = self._placement
        if self._jax_mesh is None or p.shape is None:
            return None
        found = layouts.find(p.shape, p.dtype, self._jax_mesh, lambda other: ask.true_of(value, other))
        return None if found is None else Figure("here it would be right", found)


@dataclass(frozen=True)
class _Ask:
    label: str
    form: Any
    examples: tuple[str, ...]
    """Examples of answers, of which the first that is not correct is shown; empty to show only the form."""
    question: str
    hint: str
    read: Callable[[Any, Placement], Any]
    write: Callable[[Any], str]
    true_of: Callable[[Any, Placement], bool]
    note: Callable[[Any, Placement], str]
    cells: Callable[[Any, Placement], tuple[bool, ...]] = lambda value, p: ()
    """Which of several things that are filled in are right."""

    def example(self, p: Placement) -> str:
        """An answer of the right form that is not right."""
        if self.form == "devices":
            return ""
        if self.examples:
            return next(e for e in self.examples if not self.true_of(self.read(e, p), p))
        rank = len(p.dims)
        return f"[{', '.join(['…:…'] * rank)}]" if self.label.startswith("slice") else f"({', '.join(['…'] * rank)})"

    def judge(self, name: str, value: Any, p: Placement) -> Part:
        right = self.true_of(value, p)
        return Part(name, right, "" if right else self.note(value, p), self.cells(value, p))


def _ask(text: str, p: Placement) -> _Ask:
    words = " ".join(text.lower().split())
    if words in _PLAIN:
        return _PLAIN[words]
    if found := re.fullmatch(r"devices of element (\(.*\)|\d+)", words):
        return _devices_of(_element(found[1], p))
    if found := re.fullmatch(r"slice of device (\d+)", words):
        device = int(found[1])
        if device not in p.device_ids:
            raise ValueError(f"ask={text!r}: the mesh has no device {device}; it has {_some(p.device_ids)}")
        return _slice_of(device)
    raise ValueError(f"ask={text!r} is not known; ask for {ASKS}, or a list of these")


def _element(text: str, p: Placement) -> tuple[int, ...]:
    shape = p.shape or ()
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    index: Any = value if isinstance(value, tuple) else (value,)
    if len(index) != len(shape) or not all(
        isinstance(i, int) and 0 <= i < n for i, n in zip(index, shape, strict=False)
    ):
        raise ValueError(f"element {text} is not in an array of shape {shape}")
    return tuple(map(int, index))


# ── What can be asked ─────────────────────────────────────────────────────────────────────────────────────────────────


def _shape_note(value: tuple[int, ...], p: Placement) -> str:
    notes = []
    for d, (size, n) in enumerate(zip(p.shape or (), value, strict=True)):
        if n != p.shard_shape[d]:
            axes = p.dims[d].axes
            cut = f"dim {d} is split over {' and '.join(axes)}" if axes else f"no mesh axis splits dim {d}"
            pieces = (
                f"blocks of {n} would cut its {size} into {size / n:.4g} pieces" if n else "a block of 0 holds nothing"
            )
            notes.append(f"Dim {d} is off: {cut}; {pieces}.")
    return " ".join(notes)


def _read_shape(value: Any, p: Placement) -> tuple[int, ...]:
    shape = forms.read_shape(value)
    if len(shape) != len(p.dims):
        raise AnswerError(f"write {len(p.dims)} sizes, one for each dimension; got {shape}")
    return shape


def _copies_note(value: int, p: Placement) -> str:
    if value == 0:
        return "There is at least one copy of everything."
    pieces = p.mesh.size / value
    whole = f"{pieces:.0f} different blocks" if pieces == int(pieces) else "no whole number of different blocks"
    return f"With {value} copies of each block, {p.mesh.size} devices would hold {whole}."


def _bytes_note(value: int, p: Placement) -> str:
    each = p.bits / 8
    if value == p.nbytes:
        return f"{byte_count(value)} is the whole array, held once."
    if value == math.prod(p.shard_shape):
        return f"{value} is the number of elements of a block; each of them takes {each:g} B."
    return f"{byte_count(value)} would be a block of {value / each:g} elements of {each:g} B each."


_PLAIN = {
    "local shape": _Ask(
        "local shape", "text", (),
        "Into how many pieces does the spec cut each dimension?",
        "A dimension of size n over axes of sizes a and b is cut into blocks of n / (a·b).",
        _read_shape, str, lambda v, p: v == p.shard_shape, _shape_note,
        lambda v, p: tuple(a == b for a, b in zip(v, p.shard_shape, strict=True)),
    ),
    "copies": _Ask(
        "copies of each block", "text", ("3", "5"),
        "Which mesh axes does the spec leave out, and how many devices are along them?",
        "Devices that differ only along an axis that the spec leaves out hold the same block.",
        lambda v, p: forms.read_count(v), str, lambda v, p: v == p.copies, _copies_note,
    ),
    "bytes per device": _Ask(
        "bytes per device", "text", ("1.5 KiB", "20 B"),
        "What is the local shape, and how many bytes does one element take?",
        "The bytes on a device are the elements of its block times the bytes of one element.",
        lambda v, p: forms.read_bytes(v), byte_count, lambda v, p: v == p.bytes_per_device, _bytes_note,
    ),
}  # fmt: skip
_PLAIN["bytes"] = _PLAIN["bytes per device"]


def _devices_of(index: tuple[int, ...]) -> _Ask:
    def read_ids(value: Any, p: Placement) -> frozenset[int]:
        ids = forms.read_devices(value)
        if unknown := sorted(ids - set(p.device_ids)):
            raise AnswerError(f"the mesh has no device {unknown[0]}; it has {_some(p.device_ids)}")
        return ids

    def holders(p: Placement) -> frozenset[int]:
        return frozenset(
            d for d in p.device_ids if all(s.start <= i < s.stop for i, s in zip(index, p.slices(d), strict=True))
        )

    def note(value: frozenset[int], p: Placement) -> str:
        truth = holders(p)
        if wrong := sorted(value - truth):
            device = wrong[0]
            off = next(d for d, s in enumerate(p.slices(device)) if not s.start <= index[d] < s.stop)
            s = p.slices(device)[off]
            more = f" {len(wrong)} of the devices that you name do not hold it." if len(wrong) > 1 else ""
            return f"Device {device} holds {s.start}:{s.stop} of dim {off}, and {index[off]} is not in it.{more}"
        return f"{_named(value)} hold{'s' * (len(value) == 1)} it, but not alone."

    text = str(index) if len(index) != 1 else f"({index[0]},)"
    return _Ask(
        f"devices that hold element {text}", "devices", (),
        "Which block is it in, along each dimension? Which devices differ only along an axis that is left out?",
        "Find the coordinate along each mesh axis of the spec; axes that the spec leaves out may have any coordinate.",
        read_ids, lambda v: ", ".join(map(str, sorted(v))), lambda v, p: v == holders(p), note,
        lambda v, p: tuple(d in holders(p) for d in sorted(v)),
    )  # fmt: skip


def _slice_of(device: int) -> _Ask:
    def truth(p: Placement) -> tuple[tuple[int, int], ...]:
        return tuple((s.start, s.stop) for s in p.slices(device))

    def note(value: tuple[tuple[int, int], ...], p: Placement) -> str:
        notes = []
        for d, (mine, theirs) in enumerate(zip(value, truth(p), strict=True)):
            if mine != theirs:
                length = mine[1] - mine[0]
                right = length == theirs[1] - theirs[0]
                why = (
                    "the length is right, the start is not"
                    if right
                    else f"a block of {length} is not what the spec cuts"
                )
                notes.append(f"Dim {d} is off: {why}.")
        return " ".join(notes)

    return _Ask(
        f"slice that device {device} holds", "text", (),
        f"What are the mesh coordinates of device {device}, and which of them count for each dimension?",
        "A device's coordinate along an axis is the number of its block in the dimension that the axis splits.",
        lambda v, p: forms.read_slices(v, p.shape or ()),
        lambda v: f"[{', '.join(f'{a}:{b}' for a, b in v)}]",
        lambda v, p: v == truth(p), note,
        lambda v, p: tuple(a == b for a, b in zip(v, truth(p), strict=True)),
    )  # fmt: skip


def _named(ids: frozenset[int]) -> str:
    listed = ", ".join(map(str, sorted(ids)))
    return f"Device {listed}" if len(ids) == 1 else f"Devices {listed}"


def _some(ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, ids[:8])) + (f" … {ids[-1]}" if len(ids) > 8 else "")
