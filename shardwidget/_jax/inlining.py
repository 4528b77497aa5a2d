"""A lowered module without functions: each is inlined into its calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardwidget._jax.propagation import inside, name_of

_PATH = "shardwidget.path"
MOST_OPERATIONS = 40_000
"""The most operations of a program that is recorded, its functions counted at each call."""


def inlined(module: Any) -> bool:
    """Puts the body of each function in place of its calls; False where that makes the module too large."""
    functions = {f.attributes["sym_name"].value: f for f in inside(module) if f.name == "func.func"}
    ready: set[str] = set()
    made = 0

    def prepare(name: str) -> None:
        if name not in ready:
            ready.add(name)
            expand_in(functions[name])

    def expand_in(operation: Any) -> None:
        nonlocal made
        for inner in list(inside(operation)):
            if made > MOST_OPERATIONS:
                return
            if inner.name == "func.call":
                callee = inner.attributes["callee"].value
                prepare(callee)
                made += _expand(inner, functions[callee])
                inner.erase()
            else:
                made += 1
                expand_in(inner)

    prepare("main")
    for name, function in functions.items():
        if name != "main":
            function.erase()
    return made <= MOST_OPERATIONS


def _expand(call: Any, function: Any) -> int:
    """Clones the body of a function before a call, and gives its results to those that use the call's."""
    from jax.extend.mlir import ir

    body = function.regions[0].blocks[0]
    now: dict[Any, Any] = dict(zip(body.arguments, call.operands, strict=True))
    before, count, path = ir.InsertionPoint(call), 0, path_of(call)
    for operation in body.operations:
        original = operation.operation
        if original.name == "func.return":
            for result, value in zip(call.results, original.operands, strict=True):
                result.replace_all_uses_with(now.get(value, value))
            break
        clone = original.clone(ip=before)
        count += _moved(clone, now, path)
        now.update(zip(original.results, clone.results, strict=True))
    return count


def _moved(operation: Any, now: Mapping[Any, Any], path: str) -> int:
    from jax.extend.mlir import ir

    for k, value in enumerate(operation.operands):
        if value in now:
            operation.operands[k] = now[value]
    operation.attributes[_PATH] = ir.StringAttr.get(f"{path}/{path_of(operation)}")
    return 1 + sum(_moved(inner, now, path) for inner in inside(operation))


def erase_unused(operation: Any) -> None:
    """Erases operations that nothing uses.

    jaxlib 0.10: where there are some, Shardy may end the process while it writes its record.
    """
    for inner in reversed(list(inside(operation))):
        has_bodies = len(inner.regions) > 0
        if has_bodies:
            erase_unused(inner)
        results = inner.results
        if not len(results) or any(next(iter(result.uses), None) is not None for result in results):
            continue
        name = inner.name
        if name.startswith("stablehlo.") and name not in _ACTS and (not has_bodies or name in _COMBINES):
            inner.erase()


_ACTS = frozenset(f"stablehlo.{name}" for name in ("custom_call", "infeed", "outfeed", "recv", "send"))
"""Operations without a body that do more than give a result."""

_COMBINES = frozenset(
    f"stablehlo.{name}" for name in ("reduce", "reduce_window", "scatter", "select_and_scatter", "sort")
)
"""Operations whose body combines two elements, and does no more."""


def path_of(operation: Any) -> str:
    """The name stack of an operation, with those of the calls that it was in."""
    attributes = operation.attributes
    return attributes[_PATH].value if _PATH in attributes else name_of(operation.location)
