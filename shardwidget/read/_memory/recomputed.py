"""The user's functions that could be recomputed in the backward pass: their source with ``jax.checkpoint``, tried.

What is kept for the backward pass is made by lines of functions. Each of these functions, and each that calls it, may
take a decorator. While the program is compiled with it, the user's function calls a decorated copy of itself.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from shardwidget import _jax
from shardwidget.document import Buffer, Fix, Memory
from shardwidget.read._call import function_name
from shardwidget.read._jaxpr.pasted import decorated, pasted, readable
from shardwidget.read._jaxpr.rewrite import Edit, Function, SourceText, source_text, spelled
from shardwidget.read._jaxpr.sources import shown_name
from shardwidget.read._jaxpr.syntax import lines_of, text_of
from shardwidget.read._program.executable import Executable
from shardwidget.read._program.module import Module
from shardwidget.read._program.origin import ModuleFrame, Origins

LARGEST = 3
"""The most lines whose buffers are examined, those that keep the most first."""

_LIBRARIES = {"flax.nnx": "remat", "equinox": "filter_checkpoint"}
"""Modules of libraries with a ``jax.checkpoint`` of their own, which knows what their objects hold besides arrays."""


@dataclass(frozen=True)
class Recomputed:
    """One function, with a decorator."""

    fix: Fix
    file: str
    """The full name of the file."""
    decorator: str
    line: int
    """Where the function is defined, before the change."""


def recomputed(f: Callable[..., Any], memory: Memory, executable: Executable) -> list[list[Recomputed]]:
    """Functions that made what is kept at the peak, the most bytes first, each with the ways to write it."""
    chains = _chains(Module.parse(executable.text))
    found: dict[tuple[str, int, int], list[Recomputed]] = {}
    for source in _largest(memory):
        for frame in chains.get(source, ()):
            text = source_text(frame.file)
            if _DERIVES.search(_line(frame)):
                break  # What is around a derivative is not recomputed for it.
            node = None if _jax.is_library_file(frame.file) else _function(text, frame)
            if node is not None:
                place = (frame.file, node.lineno, node.col_offset)
                if place not in found:
                    found[place] = list(_ways(f, text, node))
    return [ways for ways in found.values() if ways]


_DERIVES = re.compile(r"\b(grad|value_and_grad|vjp|linearize|jacrev|hessian)\(")


def _line(frame: ModuleFrame) -> str:
    lines = lines_of(text_of(frame.file))
    return lines[frame.line - 1] if 0 < frame.line <= len(lines) else ""


_POLICIES = {
    "keeping matrix products": "dots_with_no_batch_dims_saveable",
    "with matrix products in the host's memory": 'offload_dot_with_no_batch_dims("device", "pinned_host")',
}
"""What is kept all the same, in words, and the policy of JAX for it."""


def with_policies(f: Callable[..., Any], way: Recomputed, *, offload: bool) -> Iterator[Recomputed]:
    """The same function with policies, which recompute less.

    Args:
        f: the function that is compiled.
        way: the function that is recomputed, and how.
        offload: whether the devices have a memory of the host's beside their own.
    """
    text, known = source_text(way.file), _names_where(f, way.file)
    node = _defined(text.tree, way.line)
    policies = spelled("jax.checkpoint_policies", text, known)
    for words, policy in list(_POLICIES.items())[: 1 + offload]:
        decorator = _with_option(way.decorator, f"policy={policies}.{policy}", known)
        edit = _decorated(text, node, decorator) if node is not None else None
        if edit is not None:
            fix = replace(way.fix, title=f"{way.fix.title}, {words}", code=edit.code, lines=edit.last - edit.first + 1)
            yield replace(way, fix=fix, decorator=decorator)


def _with_option(decorator: str, option: str, known: Mapping[str, Any]) -> str:
    """A decorator with one more option."""
    if decorator.endswith(")"):
        return f"{decorator[:-1]}, {option})"
    partial = _partial(known)
    return f"{partial}({decorator}, {option})" if partial else f"(lambda f: {decorator}(f, {option}))"


def _partial(known: Mapping[str, Any]) -> str:
    """What ``functools.partial`` is called in a module; empty where it is not imported."""
    return next((name for name in ("functools.partial", "partial") if name.partition(".")[0] in known), "")


def _largest(memory: Memory) -> list[tuple[str, int]]:
    """Lines that made what is alive at the peak and could be made again: file and number."""
    sums: dict[tuple[str, int], int] = {}
    for buffer in memory.alive() if memory.steps else ():
        if buffer.source is not None and _could_go(buffer):
            line = buffer.source.file, buffer.source.line
            sums[line] = sums.get(line, 0) + buffer.bytes
    return sorted(sums, key=lambda line: -sums[line])[:LARGEST]


def _could_go(buffer: Buffer) -> bool:
    return buffer.kind == "kept" and not buffer.backward


def _chains(module: Module) -> dict[tuple[str, int], list[ModuleFrame]]:
    """By file and number of a line, the frames that led to it, innermost first."""
    origins, found = Origins(module), dict[tuple[str, int], list[ModuleFrame]]()
    for computation in module.computations.values():
        for instruction in computation.instructions:
            origin = origins.at(instruction)
            if (source := origin.source) is not None and (source.file, source.line) not in found:
                found[source.file, source.line] = origin.called()
    return found


def _function(text: SourceText, frame: ModuleFrame) -> Function | None:
    """The function that contains the line of a frame."""
    name = frame.function.rpartition(".")[2]
    kind = ast.Lambda if name == "<lambda>" else ast.FunctionDef
    around = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, kind) and node.lineno <= frame.line <= (node.end_lineno or node.lineno)
        if isinstance(node, ast.Lambda) or node.name == name
    ]
    if kind is ast.Lambda and len(around) != 1:
        return None
    return max(around, key=lambda node: node.lineno, default=None)


def _ways(f: Callable[..., Any], text: SourceText, node: Function) -> Iterator[Recomputed]:
    """A definition with ``jax.checkpoint``, then with what the libraries that its file knows have for it."""
    known = _names_where(f, text.file)
    own = (
        f"{name}.{_LIBRARIES[value.__name__]}"
        for name, value in known.items()
        if isinstance(value, types.ModuleType) and value.__name__ in _LIBRARIES
    )
    plain = spelled("jax.checkpoint", text, known)
    for decorator in dict.fromkeys((plain, *own, *_static(node, plain, known))):
        edit = _decorated(text, node, decorator)
        if edit is not None:
            title = f"{decorator} around {getattr(node, 'name', 'the lambda')}"
            lines = edit.last - edit.first + 1
            fix = Fix(title, edit.code, shown_name(text.file), edit.first, lines)
            yield Recomputed(fix, text.file, decorator, node.lineno)


def _static(node: Function, plain: str, known: Mapping[str, Any]) -> Iterator[str]:
    """With the last or the first of the arguments static: a configuration, a flag."""
    partial = _partial(known)
    count = len(node.args.posonlyargs) + len(node.args.args)
    if partial and isinstance(node, ast.FunctionDef) and count > 1:
        for numbers in ((count - 1,), (count - 2, count - 1), (0,))[: count + 1]:
            given = numbers[0] if len(numbers) == 1 else numbers
            yield f"{partial}({plain}, static_argnums={given})"


def _decorated(text: SourceText, node: Function, decorator: str) -> Edit | None:
    if isinstance(node, ast.Lambda):
        return text.edit([(node, f"{decorator}({text.segment(node)})")])
    line = lines_of(text_of(text.file))[node.lineno - 1]
    indentation = line[: len(line) - len(line.lstrip())]
    return text.replaced(node.lineno, node.lineno, f"{indentation}@{decorator}\n{line}")


@contextlib.contextmanager
def standing_in(f: Callable[..., Any], way: Recomputed) -> Iterator[None]:
    """While it lasts, the user's function is recomputed as it says.

    Raises:
        LookupError: what is compiled calls no such function.
    """
    text, functions = source_text(way.file), list(_jax.live_functions(f))
    own = [each for each in functions if _is_at(each.__code__, text, way)]
    swaps = [swap for swap in pasted(functions, way.file, way.fix) if swap[0] not in own]
    swaps += [swap for each in own for swap in decorated(each, eval(way.decorator, each.__globals__))]
    if not swaps:
        raise LookupError(f"nothing that is called is the function of line {way.line} of {way.file}, or makes it")
    with readable(way.fix.applied(text_of(way.file)), way.file), _jax.retracing(swaps, "as they are"):
        yield


def _is_at(code: types.CodeType, text: SourceText, way: Recomputed) -> bool:
    node = text.function(code) if code.co_filename == way.file else None
    return node is not None and node.lineno == way.line


def _defined(tree: ast.Module, line: int) -> Function | None:
    """The function that is defined in a line."""
    return next((n for n in ast.walk(tree) if isinstance(n, Function) and n.lineno == line), None)


def _names_where(f: Any, file: str) -> dict[str, Any]:
    """The names of the module that a file defines; those of the function where that is a notebook's cell."""
    modules = list(sys.modules.values())
    found = next((vars(module) for module in modules if getattr(module, "__file__", None) == file), None)
    if found is not None:
        return found
    while isinstance(f, functools.partial):
        f = f.func
    return getattr(inspect.unwrap(f), "__globals__", None) or vars(sys.modules["__main__"])


def name_of(f: Callable[..., Any]) -> str:
    """The name that a function was assigned to, ``step`` in ``step = jax.jit(loss)``; else its own."""
    names = _names_where(f, "")
    return next((name for name, value in names.items() if value is f and name.isidentifier()), function_name(f))
