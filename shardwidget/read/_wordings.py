"""JAX's words for shardings that it refuses, as patterns for a page that has no JAX to ask."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import _jax
from shardwidget.document import Forbids, SpecDraft, Terms, Wording
from shardwidget.document.playground import RefusalKind

# Names and numbers that JAX's messages do not use themselves.
_A, _B, _C = "qa1", "qb2", "qc3"
_PARTS, _SIZE, _DIMS = 17, 977, 7


def terms(of: Mesh | AbstractMesh) -> Terms:
    """How this JAX spells shardings on such a mesh, and refuses them: provoked, and made into patterns."""
    alone = AbstractMesh((1,), (_A,), axis_types=(AxisType.Explicit,))
    # An abstract mesh may know which devices it stands for, and then prints them.
    alone = alone if isinstance(of, Mesh) else of.update((1,), (_A,), (AxisType.Explicit,))
    device = Mesh(of.devices.flat[:1], (_A,), axis_types=(AxisType.Explicit,)) if isinstance(of, Mesh) else alone
    spec = repr(P()).removesuffix("()")
    return Terms(
        wordings=_wordings(),
        spec=spec,
        sums=repr(P(unreduced=frozenset({_A}))).removeprefix(f"{spec}(unreduced={{'{_A}'}}").removesuffix(")"),
        mesh=_mesh(device),
        abstract_mesh=_mesh(alone),
        sharding=_sharding(device),
        abstract_sharding=_sharding(alone),
        hlo_counts_ones=_jax.hlo_text(NamedSharding(alone, P(_A)), 1) != "{replicated}",
    )


def forbids(before: SpecDraft) -> Forbids | None:
    """What ``jax.sharding.no_collectives`` forbids here, in this JAX's words; None where it forbids nothing."""
    axes = _jax.forbidden_axes()
    if not axes:
        return None
    mesh = AbstractMesh((_PARTS,), (_A,), axis_types=(AxisType.Explicit,))
    ways = {"sums": (P(unreduced=frozenset({_A})), P()), "gathers": (P(_A), P()), "moves": (P(_A), P(None, _A))}
    words: dict[str, str] = {}
    error = ""
    for way, (one, other) in ways.items():
        said = forbidden(NamedSharding(mesh, one), NamedSharding(mesh, other), (_PARTS, _PARTS), [_A])
        error, _, text = said.partition(": ")
        words[way] = text.replace(_A, "{axis}")
    return Forbids(axes, before, error, **words)


def forbidden(before: NamedSharding, after: NamedSharding, shape: tuple[int, ...], axes: Iterable[str]) -> str:
    """JAX's class and words for ``jax.reshard`` where collectives over some axes are forbidden; empty if it may."""
    x = jax.ShapeDtypeStruct(shape, "float32", sharding=before)
    mesh = before.mesh if isinstance(before.mesh, AbstractMesh) else before.mesh.abstract_mesh
    try:
        with _jax.forbidding(axes), jax.sharding.use_abstract_mesh(mesh):
            jax.eval_shape(lambda x: jax.reshard(x, after), x)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def check(sharding: NamedSharding, shape: tuple[int, ...]) -> None:
    """Asks JAX whether an array of this shape can have the sharding.

    Raises:
        ValueError: it cannot.
    """
    sharding.check_compatible_aval(shape)
    sharding.shard_shape(shape)


def _mesh(mesh: Mesh | AbstractMesh) -> str:
    return str(mesh).replace(f"'{_A}': 1", "{axes}").replace("(Explicit,)", "{types}")


def _sharding(mesh: Mesh | AbstractMesh) -> str:
    return repr(NamedSharding(mesh, P())).replace(str(mesh), "{mesh}").replace(repr(P()), "{spec}")


# Once and for all: these errors do not depend on the user's mesh.
@functools.lru_cache(maxsize=1)
def _wordings() -> tuple[Wording, ...]:
    return tuple(_provoked())


def _provoked() -> Iterator[Wording]:
    explicit = AbstractMesh((13, _PARTS), (_A, _B), axis_types=(AxisType.Explicit,) * 2)
    auto = AbstractMesh((13, _PARTS), (_A, _B), axis_types=(AxisType.Auto,) * 2)
    one, two = frozenset({_A}), frozenset({_A, _B})
    last = P(*[None] * (_DIMS - 1), _B)
    shape = (_SIZE,) * _DIMS
    partitions = {"partitions": repr((_A,))}

    def on(kind: RefusalKind, mesh: AbstractMesh, spec: P, **quotes: str) -> Iterator[Wording]:
        names, types = repr(tuple(mesh.axis_names)), repr(tuple(mesh.axis_types))
        quotes = {"spec": repr(spec), "mesh": str(mesh), "names": names, "types": types, **quotes}
        yield from _wording(kind, lambda: NamedSharding(mesh, spec), quotes)

    def fitted(kind: RefusalKind, shape: tuple[int, ...], **quotes: str) -> Iterator[Wording]:
        sharding = NamedSharding(explicit, last)
        quotes = {"sharding": repr(sharding), "shape": repr(shape), **quotes}
        yield from _wording(kind, lambda: check(sharding, shape), quotes)

    sets = {"unreduced": repr(two), "reduced": repr(one)}
    yield from _wording("states_overlap", lambda: P(unreduced=two, reduced=one), sets)
    yield from _wording("unreduced_overlap", lambda: P(_A, unreduced=one), {"unreduced": repr(one), **partitions})
    yield from _wording("reduced_overlap", lambda: P(_A, reduced=one), {"reduced": repr(one), **partitions})
    yield from on("repeated", explicit, P(_A, _A, _B, _B), repeated=f"`{_A}`, `{_B}`")
    yield from on("unknown", explicit, P(_C), axis=_C)
    yield from on("unconstrained", explicit, P(P.UNCONSTRAINED))
    yield from on("unreduced_unknown", explicit, P(unreduced=frozenset({_C})), axis=_C)
    yield from on("unreduced_auto", auto, P(unreduced=one), unreduced=repr(one))
    yield from on("reduced_unknown", explicit, P(reduced=frozenset({_C})), axis=_C)
    yield from on("reduced_auto", auto, P(reduced=one), reduced=repr(one))
    yield from fitted("rank", (_SIZE,) * 5, entries=str(_DIMS), rank="5")
    yield from fitted("scalar_rank", (), entries=str(_DIMS), rank="0")
    factors = [1] * (_DIMS - 1) + [_PARTS]
    spelled = {"factor_list": repr(factors), "factor_tuple": repr(tuple(factors))}
    numbers = {"dim": str(_DIMS - 1), "size": str(_SIZE), "parts": str(_PARTS)}
    yield from fitted("indivisible", shape, **spelled, **numbers)


def _wording(kind: RefusalKind, provoke: Callable[[], object], quotes: dict[str, str]) -> Iterator[Wording]:
    """JAX's message, with what it quotes as ``{fields}``; nothing where JAX accepts this."""
    try:
        provoke()
    except Exception as error:
        text = str(error)
        for field, quoted in sorted(quotes.items(), key=lambda item: -len(item[1])):
            text = re.sub(rf"(?<!\w){re.escape(quoted)}(?!\w)", f"{{{field}}}", text)
        yield Wording(kind, type(error).__name__, text)
