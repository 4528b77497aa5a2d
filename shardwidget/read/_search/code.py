"""A candidate as Python: the mesh, specs by the ends of paths, and where constraints go, by the user's lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.document import Source
from shardwidget.read._jaxpr.sources import frames_of, own_frame, source_of
from shardwidget.read._search.plans import Plan, spec_of
from shardwidget.read._search.roles import Roles
from shardwidget.read._search.step import Step

MOST_LINES = 12
"""The most lines of the user's that are listed with a constraint."""

_CODE = """\
import re

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh({shape}, {names}, axis_types=(AxisType.Auto,) * {count})
specs = {{{specs}}}  # by the end of a path, numbers as 0; all others are P()


def placed(name, tree):
    def place(path, x):
        if not hasattr(x, "dtype"):  # a number or a function in a module
            return x
        path = re.sub(r"\\['?(.*?)'?\\]", r".\\1", name + jax.tree_util.keystr(path))
        end = re.sub(r"\\d+", "0", path)
        spec = next((s for e, s in specs.items() if end.endswith(e)), P())
        return jax.device_put(x, NamedSharding(mesh, spec))

    return jax.tree_util.tree_map_with_path(place, tree)


{calls}
"""

_CONSTRAIN = """
# Constrain these values, x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(...))):
{lines}
"""


def code_of(sizes: Sequence[tuple[str, int]], specs: Sequence[PartitionSpec], step: Step, lines: Sequence[str]) -> str:
    """The code of a candidate.

    Args:
        sizes: its axes.
        specs: of each leaf.
        step: the step.
        lines: where constraints go, each a line.
    """
    names, shape = tuple(n for n, _ in sizes) or ("data",), tuple(s for _, s in sizes) or (1,)
    ends = _ends(step.names, specs)
    written = "".join(f"\n    {end!r}: {spec_text(spec)}," for end, spec in ends.items())
    held = [name for name, paths in step.arguments if set(paths) & set(step.names)]
    calls = "\n".join(f"{name} = placed({name!r}, {name})" for name in held if name.isidentifier())
    code = _CODE.format(
        shape=shape, names=names, count=len(names), specs=f"{written}\n" if written else "", calls=calls
    )
    shown = [f"#   {line}" for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"#   and {len(lines) - MOST_LINES} more lines")
    return code + (_CONSTRAIN.format(lines="\n".join(shown)) if shown else "")


def spec_text(spec: PartitionSpec) -> str:
    """``P('fsdp', None, ('data', 'seq'))``."""
    return f"P({', '.join(map(repr, spec))})"


def _ends(paths: Sequence[str], specs: Sequence[PartitionSpec]) -> dict[str, PartitionSpec]:
    """For each spec that splits, the shortest ends of paths that no path with another spec has."""
    texts = [re.sub(r"\d+", "0", re.sub(r"\['?(.*?)'?\]", r".\1", path)) for path in paths]
    parts = [re.findall(r"\.?[^.]+", text) for text in texts]
    of: dict[str, set[PartitionSpec]] = {}
    for each, spec in zip(parts, specs, strict=True):
        for k in range(len(each)):
            of.setdefault("".join(each[k:]), set()).add(spec)
    found: dict[str, PartitionSpec] = {}
    for each, path, spec in zip(parts, texts, specs, strict=True):
        if spec != PartitionSpec():
            ends = ("".join(each[k:]) for k in reversed(range(len(each))))
            found[next((e for e in ends if len(of[e]) == 1), path)] = spec
    return found


def constraints_of(plan: Plan, step: Step, roles: Roles) -> tuple[list[str], list[Source]]:
    """The lines whose values a plan constrains, in words with the specs, and as sources."""
    found: dict[tuple[Source, str, str], None] = {}
    for v, eqn in step.pins():
        groups = step.dims.of(v)
        if roles.batch.isdisjoint(groups):
            continue
        frames = frames_of(eqn)
        spec = spec_of(plan.entries(groups, v.aval.shape, roles))
        if frames and spec != PartitionSpec():
            found.setdefault((source_of(own_frame(frames)), _jax.type_text(v.aval), spec_text(spec)))
    lines = [f"{s.file}:{s.line}  {s.text[:60]}  # {type_}: {spec}" for s, type_, spec in found]
    return lines, list(dict.fromkeys(source for source, *_ in found))
