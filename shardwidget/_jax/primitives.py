"""Primitives by what they do, and what the parameters of some mean. JAX 0.9 – 0.12: the names of primitives."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

RENAMED = {"checkpoint": "remat2", "copy_p": "copy", "pjit": "jit"}
"""Other names of primitives, in other versions of JAX, and the one that this package knows them by."""


def known_name(name: str) -> str:
    """The name that this package knows a primitive by; anything else as it is."""
    return RENAMED.get(name, name)


def name_of(what: Any) -> str:
    """The name of an equation's primitive, or of a primitive: the same in all versions of JAX."""
    return known_name(getattr(what, "primitive", what).name)


CALLS = frozenset(
    {
        "jit", "closed_call", "core_call", "remat2", "custom_jvp_call", "custom_vjp_call", "compute_on",
        "eval_jaxpr", "program_order", "xla_metadata_call",
    }
)  # fmt: skip
"""Primitives that call a function with all their operands."""

WRITES = frozenset({"debug_callback", "debug_print"})
"""Primitives that only write something."""

OPAQUE = frozenset({"core_map", "ffi_call", "mpmd_map", "pallas_call"})
"""Primitives that run code of which JAX knows only the arguments and the results."""

ONE_SIDED = frozenset({"psend", "precv"})
"""Primitives that send to one device, or receive from one; JAX 0.9 – 0.12, which announces their end."""

RELAYOUTS = frozenset({"reshard", "sharding_constraint"})
"""Primitives that change how a value is sharded, and nothing else."""

LAYOUTS = frozenset({"layout_constraint", "relayout"})
"""Primitives that change how a value's elements are laid out in memory, and nothing else."""

MOVES = RELAYOUTS | LAYOUTS | {"mesh_cast", "copy_to_host", "optimization_barrier"}
"""Primitives that may place a value, and do not change it."""

PLACES = RELAYOUTS | {"mesh_cast", "device_put"}
"""Primitives that state where a value is placed."""

SHAPE_ONLY = frozenset(
    {
        "broadcast_in_dim", "concatenate", "copy", "expand_dims", "reshape", "rev", "slice", "split",
        "squeeze", "transpose",
    }
)  # fmt: skip
"""Primitives that move elements and compute nothing."""

RESHAPES = frozenset({"broadcast_in_dim", "convert_element_type", "copy", "expand_dims", "reshape", "squeeze"})
"""Primitives whose result is their operand in another shape or dtype."""

INDEXING = frozenset({"lt", "add"})
"""Primitives with which JAX finds an index below 0, and counts it from the start."""

SAME_ELEMENTS = LAYOUTS | {"convert_element_type", "copy", "optimization_barrier", "pvary"}
"""Primitives whose result has the elements of their operand, each in its place."""

ELEMENTWISE = frozenset(
    {
        "abs", "acos", "acosh", "add", "add_any", "and", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil",
        "clamp", "convert_element_type", "copy", "cos", "cosh", "div", "eq", "erf", "erf_inv", "erfc", "exp",
        "exp2", "expm1", "floor", "ge", "gt", "imag", "integer_pow", "is_finite", "le", "lgamma", "log", "log1p",
        "logistic", "lt", "max", "min", "mul", "ne", "neg", "nextafter", "not", "or", "pow", "pvary", "real",
        "reduce_precision", "rem", "round", "rsqrt", "select_n", "shift_left", "shift_right_arithmetic",
        "shift_right_logical", "sign", "sin", "sinh", "sqrt", "square", "stop_gradient", "sub", "tan", "tanh", "xor",
    }
)  # fmt: skip
"""Elementwise primitives: their result is sharded as their operands are."""

ARITHMETIC = frozenset(
    {
        "abs", "add", "cos", "div", "erf", "exp", "floor", "integer_pow", "log", "logistic", "max", "min", "mod", "mul",
        "neg", "pow", "rem", "rsqrt", "sign", "sin", "sqrt", "square", "sub", "tanh",
    }
)  # fmt: skip
"""Elementwise primitives that a model computes with."""

CONTRACTIONS = frozenset({"conv_general_dilated", "dot_general", "ragged_dot", "ragged_dot_general"})
"""Primitives that sum products."""

JOINING = frozenset({"concatenate", "dynamic_update_slice"})
"""Primitives that put arrays into one, which JAX wants to be laid out alike on Explicit axes."""

LINEAR = frozenset({"convert_element_type", "div", "neg"})
"""Some primitives that only scale or cast their first operand, where the others are constants."""

ACCUMULATES = frozenset({"add_any", "scatter-add", "select_n"})
"""Primitives that differentiation adds to a program."""

POSITIONAL = frozenset({"axis_index", "pbroadcast", "pbroadcast_dynamic", "ppermute", "ragged_all_to_all"})
"""Collectives whose meaning depends on which device is where."""

PPERMUTE_IN_MESH_ORDER = jax.__version_info__ < (0, 11)
"""Whether ``ppermute`` over several axes counts ranks in the order of the mesh, whatever order they are given in."""

GATHERS_INVARYING = jax.__version_info__ >= (0, 10)
"""Whether ``all_gather`` takes ``to="invarying"``: JAX 0.9 has that under a private name alone."""


def print_text(params: dict[str, Any], values: list[Any]) -> str:
    """What ``jax.debug.print`` writes for some operands.

    JAX 0.9 – 0.12: operands that are not arrays are kept apart, put back by a private function.
    """
    from jax._src import debugging

    args, kwargs = debugging.merge_callback_args(params["in_tree"], values, params["static_args"])
    if not params["has_placeholders"]:
        return " ".join((params["fmt"], *map(str, args)))
    with np.printoptions(**dict(params["np_printoptions"])):
        return params["fmt"].format(*args, **kwargs)
