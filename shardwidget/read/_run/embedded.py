"""The program that a profile holds: XLA's profiler writes the modules of what ran beside their events."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from shardwidget import _jax
from shardwidget.read._protobuf import fields
from shardwidget.read._run.trace import longest
from shardwidget.read._run.xspace import planes

NO_MODULE = (
    "the profile does not hold {module}, the program that ran longest: give the one that ran, program=(f, x, w), or "
    "program=jax.jit(f).lower(x, w).compile()."
)

CHOSEN = "This is the program of {count} in the profile that ran longest; another is read with program=(f, x, w)."

ALONE = "The program is the one that the profile holds, without its mesh: give mesh= for the names of its axes."

_PLANE, _STAT = "/host:metadata", "Hlo Proto"
_KINDS = {"TPU": "tpu", "GPU": "gpu"}


@dataclass(frozen=True)
class Embedded:
    """A program from a profile."""

    text: str
    """The module, as XLA prints it."""
    platform: str
    note: str

    @property
    def size(self) -> int:
        """The devices that groups of its collectives name, from 0: a profile leaves out how many there are."""
        iota = (math.prod(map(int, found.split(","))) for found in re.findall(r"<=\[([\d,]+)\]", self.text))
        listed = re.findall(r"(?:replica_groups|source_target_pairs)=\{(\{[\d,{}]*\})\}", self.text)
        return max([1, *iota, *(int(k) + 1 for groups in listed for k in re.findall(r"\d+", groups))])

    def on(self, size: int) -> str:
        """The text, with the number of devices in its head."""
        head, end, rest = self.text.partition("\n")
        return f"{head}{'' if 'num_partitions=' in head else f', num_partitions={size}'}{end}{rest}"

    def devices(self, size: int) -> tuple[Any, ...]:
        """What stands for so many devices, of which a profile says no more than the platform."""
        kind = {"platform": self.platform, "device_kind": self.platform, "process_index": 0}
        return tuple(SimpleNamespace(id=k, **kind) for k in range(size))


def program_in(data: bytes) -> Embedded:
    """The program of a profile that ran longest, as far as the profile holds it.

    It also holds modules that were compiled before, and did not run in it.

    Args:
        data: an ``XSpace``, what ``.xplane.pb`` files hold.

    Raises:
        ValueError: the data cannot be read, nothing ran, or the program that ran longest is not in it.
    """
    ran = longest(data)
    ((module, number), _), *others = ran.most_common()
    every = planes(data)
    protos = {name: proto for plane in every if plane.name == _PLANE for name, proto in plane.payloads(_STAT).items()}
    proto = protos.get(f"{module}({number})") or protos.get(module)
    # The first field of an HloProto is the module.
    parts = (part for number, part in fields(proto or b"") if number == 1 and isinstance(part, bytes))
    text = _jax.text_of_proto(next(parts, b""))
    if not text:
        raise ValueError(NO_MODULE.format(module=module))
    kinds = (kind for plane in every for kind in _KINDS if plane.name.startswith(f"/device:{kind}:"))
    return Embedded(text, _KINDS.get(next(kinds, ""), "cpu"), CHOSEN.format(count=len(ran)) if others else "")
