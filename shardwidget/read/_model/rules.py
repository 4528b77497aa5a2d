"""What rules would do to a tree: its leaves as they would be split, and what came of each rule.

A rule is for paths, ``params/.*kernel → P('data', 'model')``, and the last that matches counts; or for a logical name
of dimensions, ``('embed', 'model')``, in flax's order of precedence. The front end reads the same lines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget.document import Ints
from shardwidget.document.leaf import LeafType, RuleEffect
from shardwidget.document.model import Model
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._model.flags import flagged
from shardwidget.read._model.leaves import type_text

_SPEC = r"(?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec)\s*\(.*\)"
_ARROW = re.compile(rf"(.*?)\s*(?:→|->|=>|:)\s*({_SPEC})")
_PAIR = re.compile(rf"\(\s*r?(['\"])(.*)\1\s*,\s*({_SPEC})\s*\)\s*,?")
_LOGICAL = re.compile(r"\(\s*(['\"])([^'\"]+)\1\s*,\s*(.+?)\s*,?\s*\)\s*,?")

NO_RULE = (
    "a rule is a path and a spec, params/embed → P('model', None), or a pair for a logical name, ('embed', 'model')"
)
TWICE = "ValueError: Unsupported: Dimensions occur more than once in array names."

Rules = str | Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class Rule:
    """One line."""

    text: str
    pattern: re.Pattern[str] | None = None
    spec: P | None = None
    logical: tuple[str, tuple[str, ...]] | None = None
    """A logical name and the mesh axes for it."""
    fault: str = ""
    """Why it is no rule."""


@dataclass
class _RuleOutcome:
    """What came of a rule so far."""

    matches: int = 0
    counts: int = 0
    copies: set[tuple[int, int]] | None = None
    refused: int = 0
    refused_path: str = ""
    error: str = ""


def ruled(model: Model, rules: Rules) -> Model:
    """The tree as rules would place it, on its main mesh; leaves that no rule matches stay as they are."""
    read = read_rules(rules)
    mesh = AbstractMesh(
        tuple(a.size for a in model.mesh.axes),
        tuple(a.name for a in model.mesh.axes),
        axis_types=tuple(AxisType[a.type] for a in model.mesh.axes),
    )
    counts = [_RuleOutcome() for _ in read]
    types, index_of = list(model.types), {kind: at for at, kind in enumerate(model.types)}
    leaf_type = model.leaf_type.array().tolist()
    known: dict[tuple[int, tuple[int, ...]], LeafType | str] = {}
    for leaf, (name, index) in enumerate(zip(model.names, leaf_type, strict=True)):
        kind = model.types[index]
        if not model.mesh.axes or not _applies(kind):
            continue
        by, spec = _decided(read, kind, name, counts)
        if not by:
            continue
        key = (index, by)
        if key not in known:
            known[key] = _placed(kind, spec, mesh)
        after = known[key]
        for at in by:
            _count(counts[at], model.sizes[index][2], after, model, name)
        if not isinstance(after, str):
            leaf_type[leaf] = index_of.setdefault(after, len(types))
            if leaf_type[leaf] == len(types):
                types.append(after)
    effects = tuple(_effect(rule, count) for rule, count in zip(read, counts, strict=True))
    return flagged(
        replace(
            model,
            types=tuple(types),
            leaf_type=Ints.pack(leaf_type),
            rules=effects,
            bytes_per_device_before=model.bytes_per_device,
        )
    )


def read_rules(rules: Rules) -> list[Rule]:
    """Rules as text, one a line, without comments; or pairs, as T5X and flax take them.

    Raises:
        TypeError: they are neither.
    """
    if isinstance(rules, str):
        lines = (line.strip() for line in rules.split("\n"))
        return [_read(line) for line in lines if line and not line.startswith("#")]
    out = []
    for pair in rules:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)):
            raise TypeError(f"rules are text, one a line, or pairs ('pattern', P(...)); got {pair!r}")
        name, to = pair
        if isinstance(to, P):
            out.append(_of_path(f"{name} → {spec_text(to)}", name, to))
        else:
            axes = () if to is None else (to,) if isinstance(to, str) else tuple(to)
            out.append(Rule(repr(tuple(pair)), logical=(name, axes)))
    return out


def _read(text: str) -> Rule:
    pair = _PAIR.fullmatch(text)
    arrow = _ARROW.fullmatch(text)
    if pair or arrow:
        source, code = (pair[2], pair[3]) if pair else (arrow[1], arrow[2]) if arrow else ("", "")
        spec = _spec(code)
        return Rule(text, fault=f"{code} is not a PartitionSpec") if spec is None else _of_path(text, source, spec)
    if named := _LOGICAL.fullmatch(text):
        axes = named[3]
        spec = _spec(f"P(({axes[1:-1]},))" if axes.startswith("[") else f"P({axes})")
        if spec is not None and len(spec) == 1:
            entry = spec[0]
            of = () if entry is None else (entry,) if isinstance(entry, str) else tuple(entry)
            return Rule(text, logical=(named[2], of))
    return Rule(text, fault=NO_RULE)


def _of_path(text: str, source: str, spec: P) -> Rule:
    try:
        return Rule(text, re.compile(source), spec)
    except re.error as error:
        return Rule(text, fault=f"{source!r} is not a pattern: {error}")


def _spec(code: str) -> P | None:
    """A spec that is written as code; nothing is run."""
    try:
        call = ast.parse(code, mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        entries = [P.UNCONSTRAINED if _loose(arg) else ast.literal_eval(arg) for arg in call.args]
        return P(*entries, **{k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg})
    except (SyntaxError, ValueError, TypeError):
        return None


def _loose(arg: ast.expr) -> bool:
    return isinstance(arg, ast.Attribute) and arg.attr == "UNCONSTRAINED"


def _applies(kind: LeafType) -> bool:
    """Not to what was moved to host memory on purpose, or deleted, nor to what devices cannot hold."""
    return kind.is_array and kind.state != "deleted" and not kind.offloaded and kind.device_bits > 0


def _decided(
    rules: Sequence[Rule], kind: LeafType, name: str, counts: list[_RuleOutcome]
) -> tuple[tuple[int, ...], P | None]:
    """The rules that decide a leaf, and the spec that they give; None where flax refuses its logical names."""
    named = [at for at, rule in enumerate(rules) if rule.logical] if kind.logical else []
    mine = tuple(at for at in named if (found := rules[at].logical) and found[0] in kind.logical)
    matching = [at for at, rule in enumerate(rules) if rule.pattern and rule.pattern.search(name)]
    for at in (*mine, *matching):
        counts[at].matches += 1
    if matching:
        return (matching[-1],), rules[matching[-1]].spec
    if not mine:
        return (), None
    return mine, _logical_spec(kind.logical, [found for at in named if (found := rules[at].logical)])


def _logical_spec(names: tuple[str, ...], rules: Sequence[tuple[str, tuple[str, ...]]]) -> P | None:
    """The spec of named dimensions, as ``flax.linen.logical_to_mesh_axes`` gives it; None where it refuses them."""
    real = [name for name in names if name]
    if len(set(real)) < len(real):
        return None
    used: set[str] = set()
    found: dict[str, tuple[str, ...]] = {}
    for name, axes in rules:
        if name in names and name not in found and not used.intersection(axes):
            found[name] = axes
            used.update(axes)
    return P(*(found.get(name) or None for name in names))


def _placed(kind: LeafType, spec: P | None, mesh: AbstractMesh) -> LeafType | str:
    """The type of leaves under a rule; JAX's words where it refuses it."""
    if spec is None:
        return TWICE
    try:
        sharding = NamedSharding(mesh, spec)
        sharding.shard_shape(kind.shape)
    except Exception as error:  # JAX's own, of any class.
        return f"{type(error).__name__}: {error}"
    dims = dims_of_spec(kind.shape, spec)
    return LeafType(
        type=type_text(kind.type.partition("[")[0], kind.shape, dims),
        state="abstract",
        shape=kind.shape,
        dtype=kind.dtype,
        bits=kind.device_bits,
        mesh=0,
        dims=dims,
        spec=spec_text(spec),
        sharding="NamedSharding",
        unreduced=tuple(name for name in mesh.axis_names if name in spec.unreduced),
        reduced=tuple(name for name in mesh.axis_names if name in spec.reduced),
        logical=kind.logical,
        device_bits=kind.device_bits,
    )


def _count(count: _RuleOutcome, before: int, after: LeafType | str, model: Model, name: str) -> None:
    count.counts += 1
    if isinstance(after, str):
        count.refused += 1
        count.refused_path, count.error = count.refused_path or name, count.error or after
        return
    copies = after.placement(model.meshes, model.jax_version).copies
    count.copies = (count.copies or set()) | {(before, copies)}


def _effect(rule: Rule, count: _RuleOutcome) -> RuleEffect:
    copies = next(iter(count.copies)) if count.copies and len(count.copies) == 1 else None
    error = rule.fault or count.error
    return RuleEffect(rule.text, count.matches, count.counts, copies, count.refused, count.refused_path, error)
