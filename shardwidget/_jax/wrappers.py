"""Functions that other libraries compile: ``nnx.jit`` of flax, ``filter_jit`` of equinox."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import jax


def lowered_by_library(f: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> jax.stages.Lowered | None:
    """What a library's jitted function lowers to, with its own donations; None for JAX's and for plain functions.

    equinox 0.13: ``lower`` returns a module that holds JAX's own. It takes arrays, and no shapes.
    """
    shapes = any(isinstance(x, jax.ShapeDtypeStruct) for x in jax.tree.leaves((args, kwargs)))
    if _library(f) != "equinox" or not hasattr(f, "lower") or shapes:
        return None
    lowered = getattr(f.lower(*args, **kwargs), "lowered", None)
    return lowered if isinstance(lowered, jax.stages.Lowered) else None


def traced_by_jax(traced: Any) -> Any:
    """What ``trace`` gave, without what a library wraps it in. flax 0.12: ``nnx.jit`` has a class of its own for it."""
    return traced if hasattr(traced, "jaxpr") else getattr(traced, "traced", traced)


def parameters_of_library(f: Any, arguments: Sequence[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """What the user calls a parameter of the compiled program, by the name that a library's ``jit`` gives it.

    flax 0.12: the arrays of a module, in order, are its ``states``. equinox 0.13: all leaves of the first argument, and
    of the others together, in dicts of donated and of other ones.

    Args:
        f: the function.
        arguments: the name of each argument, and those of its leaves.
    """
    if _library(f) == "flax":
        return {f"{name}.states[0][{k}]": leaf for name, leaves in arguments for k, leaf in enumerate(leaves)}
    if _library(f) == "equinox" and arguments:
        parts = {"first": arguments[0][1], "rest": [leaf for _, leaves in arguments[1:] for leaf in leaves]}
        return {
            f"dynamic_{which}['{part}'][{k}]": leaf
            for which in ("donate", "nodonate")
            for part, leaves in parts.items()
            for k, leaf in enumerate(leaves)
        }
    return {}


def writes_arguments(f: Any) -> bool:
    """Whether a function may write into its arguments, which its compiled program then returns: ``nnx.jit`` of flax."""
    return _library(f) == "flax"


def traces_arrays_alone(f: Any) -> bool:
    """Whether Python's numbers and booleans are not traced: equinox's ``filter_jit`` takes them as they are."""
    return _library(f) == "equinox" and hasattr(f, "lower")


def donating(f: Any, arguments: tuple[int, ...]) -> tuple[Any, str] | None:
    """A function jitted with donations, and what jits it, as code; None where its library does not take their numbers.

    ``jax.jit`` of a function that ``nnx.jit`` made would drop what that writes into its arguments. flax 0.12: the
    options are attributes. equinox 0.13: ``filter_jit`` donates all arguments, or all except the first.
    """
    if _library(f) == "equinox":
        return None
    if _library(f) != "flax":
        return jax.jit(f, donate_argnums=arguments), "jax.jit"
    options = {name: getattr(f, name) for name in ("in_shardings", "out_shardings", "static_argnums")}
    return sys.modules["flax.nnx"].jit(f.__wrapped__, donate_argnums=arguments, **options), "nnx.jit"


def donation_of(f: Any) -> str:
    """How the library that compiles a function is asked to donate, as code."""
    options = {"flax": "nnx.jit(f, donate_argnums=...)", "equinox": 'eqx.filter_jit(f, donate="all")'}
    return options.get(_library(f), "jax.jit(f, donate_argnums=...)")


def _library(f: Any) -> str:
    return type(f).__module__.partition(".")[0]
