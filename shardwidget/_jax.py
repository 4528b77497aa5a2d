"""The one room for what JAX does not promise: private names, undocumented methods, differences between versions.

Each shim names the JAX versions that it was run on. A text that a version cannot give is an empty string, never an
error: HLO and Shardy texts explain a sharding, nothing is computed from them.
"""

from __future__ import annotations

import functools
from typing import Any

import jax

LONGEST_TEXT = 4096
"""Characters kept of an HLO or Shardy text, which spells out every device where the order is no pattern."""


def type_text(aval: Any) -> str:
    """A type as jaxprs print it, with short dtypes: ``f32[8@x,16]{U:y}``.

    JAX 0.9 – 0.12: ``str_short`` is not documented; ``str`` of a type is, and has long dtypes.
    """
    return aval.str_short(short_dtypes=True)


def partitions(spec: jax.sharding.PartitionSpec) -> tuple[Any, ...]:
    """The entries of a PartitionSpec: None, a name, a tuple of names or ``P.UNCONSTRAINED``.

    JAX 0.9: a spec with unreduced axes refuses to be iterated and ``partitions`` is private; public from 0.10 on.
    """
    return spec.partitions if hasattr(spec, "partitions") else spec._partitions


def logical_device_ids(sharding: jax.sharding.Sharding) -> tuple[int, ...] | None:
    """A NamedSharding's own permutation of its mesh's devices, if it has one.

    JAX 0.9 – 0.12: a private constructor argument, which ``jit`` and ``device_put`` set.
    """
    return getattr(sharding, "_logical_device_ids", None)


def unreduced_kind(spec: jax.sharding.PartitionSpec) -> str:
    """What the parts on a spec's unreduced axes are combined by.

    JAX 0.12: ``unreduced_kind`` is ``sum``, ``max`` or ``min``; before, it is always a sum.
    """
    kind = getattr(spec, "unreduced_kind", None)
    return "sum" if kind is None else kind.name.lower()


def hlo_text(sharding: jax.sharding.Sharding, rank: int) -> str:
    """The HLO sharding of an array of this rank, ``{devices=[4,2]<=[8]}``; empty where JAX has none.

    JAX 0.9 – 0.12: private method.
    """
    try:
        return _clip(str(sharding._to_xla_hlo_sharding(rank)))
    except Exception:
        return ""


def shardy_text(sharding: jax.sharding.Sharding, rank: int) -> str:
    """The Shardy attribute of an array of this rank, ``#sdy.sharding<mesh<["x"=4]>, [{"x"}]>``, or empty.

    JAX 0.9 – 0.12: private method; ``build`` takes a cache of attributes from 0.10 on. JAX 0.9.0 ends the process when
    a GSPMDSharding whose devices follow no pattern is asked, so only the classes that answer safely are. (For a
    GSPMDSharding, JAX would make up axis names.)
    """
    if not isinstance(sharding, jax.sharding.NamedSharding | jax.sharding.SingleDeviceSharding):
        return ""
    try:
        with _mlir_context():
            sdy: Any = sharding._to_sdy_sharding(rank)
            try:
                return _clip(str(sdy.build({})))
            except TypeError:
                return _clip(str(sdy.build()))
    except Exception:
        return ""


@functools.lru_cache(maxsize=1)
def _mlir_context() -> Any:
    # Making one takes 1.5 ms and more; building an attribute in one takes 20 µs.
    from jax._src.interpreters import mlir

    return mlir.make_ir_context()


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} … ({len(text)} characters)"
