"""What JAX says of the specs of a ``shard_map`` that it refuses. JAX 0.9 – 0.12: only the texts carry it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple


class RefusedSpec(NamedTuple):
    """A spec of a ``shard_map`` that JAX refuses."""

    why: Literal["differs", "too_long", "unknown_axis", "no_spec", "structure"]
    which: str
    """``out_specs``, with the path to the spec where there are several: ``out_specs['w']``."""
    spec: str = ""
    """As JAX prints it; for ``no_spec``, what stands in its place; for ``structure``, how the trees differ."""
    axes: tuple[str, ...] = ()
    """Along which the result may differ; or the one that is unknown."""
    known: tuple[str, ...] = ()
    """The axes that the ``shard_map`` maps over, where one is unknown."""
    type: str = ""
    """Of the value that the spec is too long for; or the class of what is no spec."""
    entries: int = 0
    rank: int = 0
    """How many entries the spec has, and how many dimensions the value."""


def refused_spec(error: Exception) -> RefusedSpec | None:
    """The first spec that an error is about; None where it is about something else."""
    words = str(error)
    if found := _DIFFERS.search(words):
        which, spec, several, one = found.groups()
        return RefusedSpec("differs", which, spec, _listed(several or one))
    if found := _TOO_LONG.search(words):
        which, spec, entries, type_, rank = found.groups()
        return RefusedSpec("too_long", which, spec, type=type_, entries=int(entries), rank=int(rank))
    if found := _UNKNOWN_AXIS.search(words):
        known, which, axis = found.groups()
        return RefusedSpec("unknown_axis", which, axes=(axis,), known=tuple(sorted(_listed(known))))
    if found := _NO_SPEC.search(words):
        which, what, class_ = found.groups()
        return RefusedSpec("no_spec", which, what, type=class_)
    if found := _STRUCTURE.search(words):
        return RefusedSpec("structure", found[2], " ".join(found[1].split()))
    return None


_DIFFERS = re.compile(
    r"(out_specs\S*) is (.+?) which implies that the corresponding output value is "
    r"(?:only varying across mesh axes \{[^}]*\} and not \{([^}]*)\}|replicated across mesh axis '([^']*)')"
)
_TOO_LONG = re.compile(
    r"((?:in|out)_specs\S*) is (.+?) which has length (\d+), but .+? has shape (\w+\[.*?\])\S*, which has rank (\d+)"
)
_UNKNOWN_AXIS = re.compile(
    r"marked as manual \(frozenset\(\{(.*?)\}\)\).*?((?:in|out)_specs\S*) refers to '([^']*)'", re.DOTALL
)
_NO_SPEC = re.compile(r"((?:in|out)_specs\S*) is (.+?) of type (\w+)")
_STRUCTURE = re.compile(r"pytree structure error: (.+?) at key path\s+shard_map ((?:in|out)_specs\S*)")


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip(" '\"") for name in names.split(",") if name.strip())
