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

MOST_LINES, LONGEST_LINE = 12, 60
"""The most lines of the user's that are listed with a constraint, and the most letters of one."""

_VMAPPED = " in vmap"

_CODE = """\
import re

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh({shape}, {names}, axis_types=(AxisType.Auto,) * {count})
specs = {{{specs}}}  # by the end of a path, * is any number; all others are P()


def placed(name, tree):
    def place(path, x):
        if not hasattr(x, "dtype"):  # a number or a function in a module
            return x
        path = re.sub(r"\\['?(.*?)'?\\]", r".\\1", name + jax.tree_util.keystr(path))
        of = {{path, re.sub(r"\\d+", "*", path)}}
        fits = (s for e, s in specs.items() if e in of or e[0] == "." and any(p.endswith(e) for p in of))
        return jax.device_put(x, NamedSharding(mesh, next(fits, P())))

    return jax.tree_util.tree_map_with_path(place, tree)


{calls}
"""

_CONSTRAIN = """
# Constrain these values, x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(...))):
{lines}
"""

_IN_VMAP = """\
# In vmap: leave its dimension out of the spec, and give the axes there to jax.vmap(..., spmd_axis_name=...).
"""

_BY_JIT = """
# jax.jit has shardings of its own. Leave its in_shardings= and out_shardings= out: it follows the arguments.
"""

_OWN = """
# Take out your own constraints, which are on another mesh: {lines}
"""


def code_of(
    sizes: Sequence[tuple[str, int]], specs: Sequence[PartitionSpec], step: Step, lines: Sequence[str] | None
) -> str:
    """The code of a candidate.

    Args:
        sizes: its axes.
        specs: of each leaf.
        step: the step.
        lines: where constraints go, each a line; None keeps the user's own.
    """
    names, shape = tuple(n for n, _ in sizes) or ("data",), tuple(s for _, s in sizes) or (1,)
    ends = _ends(step.names, specs)
    written = "".join(f"\n    {end!r}: {spec_text(spec)}," for end, spec in ends.items())
    held = [name for name, paths in step.arguments if set(paths) & set(step.names)]
    calls = "\n".join(f"{name} = placed({name!r}, {name})" for name in held if name.isidentifier())
    code = _CODE.format(
        shape=shape, names=names, count=len(names), specs=f"{written}\n" if written else "", calls=calls
    )
    if lines is None:
        return code
    if step.asks_by_jit:
        code += _BY_JIT
    if own := step.own_constraints():
        code += _OWN.format(lines=", ".join(own[:MOST_LINES]))
    shown = [f"#   {line}" for line in lines[:MOST_LINES]]
    if more := len(lines) - len(shown):
        shown.append(f"#   and {more} more line{'s' * (more > 1)}")
    code += _CONSTRAIN.format(lines="\n".join(shown)) if shown else ""
    return code + (_IN_VMAP if any(_VMAPPED in line for line in lines) else "")


def spec_text(spec: PartitionSpec) -> str:
    """``P('fsdp', None, ('data', 'seq'))``."""
    return f"P({', '.join(map(repr, spec))})"


def _ends(paths: Sequence[str], specs: Sequence[PartitionSpec]) -> dict[str, PartitionSpec]:
    """For each spec that splits, the shortest ends of paths that no path with another spec has.

    Numbers are ``*`` in them, unless they tell specs apart: ``w1`` and ``w2``.
    """
    texts = [re.sub(r"\['?(.*?)'?\]", r".\1", path) for path in paths]
    ends = [[*_ends_of(re.sub(r"\d+", "*", text)), *_ends_of(text)] for text in texts]
    of: dict[str, set[PartitionSpec]] = {}
    for each, spec in zip(ends, specs, strict=True):
        for end in each:
            of.setdefault(end, set()).add(spec)
    split = [(each, spec) for each, spec in zip(ends, specs, strict=True) if spec != PartitionSpec()]
    return {next((e for e in each if len(of[e]) == 1), each[-1]): spec for each, spec in split}


def _ends_of(path: str) -> list[str]:
    """The ends of a path, the shortest first: ``.up``, ``.layers.up``, ``params.layers.up``."""
    parts = re.findall(r"\.?[^.]+", path)
    return ["".join(parts[k:]) for k in reversed(range(len(parts)))]


def constraints_of(plan: Plan, step: Step, roles: Roles) -> tuple[list[str], list[Source]]:
    """The lines whose values a plan constrains, in words with the specs, and as sources.

    Gradients need none: a gradient is constrained as its value is.
    """
    found: dict[tuple[Source, str, str], None] = {}
    for v, eqn, stack in step.pins:
        groups = step.dims.of(v)
        if roles.batch.isdisjoint(groups) or not _jax.is_forward(stack):
            continue
        frames = frames_of(eqn)
        spec = spec_of(plan.entries(groups, v.aval.shape, roles))
        if frames and plan.sizes:
            type_ = _jax.type_text(v.aval) + _VMAPPED * ("vmap(" in stack)
            found.setdefault((source_of(own_frame(frames)), type_, spec_text(spec)))
    lines = [f"{s.file}:{s.line}  {_short(s.text)}  # {type_}: {spec}" for s, type_, spec in found]
    return lines, list(dict.fromkeys(source for source, *_ in found))


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1].rstrip() + "…"
