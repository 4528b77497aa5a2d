"""Where equations, functions and exceptions come from: the user's files, lines and names."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import re
import traceback
import types
from typing import TYPE_CHECKING, Any, Protocol

from shardwidget._jax.jaxprs import OpenJaxpr

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
"""The folder of this package, whose frames are not the user's."""
FIRST = OURS + "first.py"
"""The program of this package that stands for one of the user's."""
SHIMS = os.path.dirname(__file__) + os.sep
"""The folder of this package whose frames may be between the user's lines and JAX's."""


class Frame(Protocol):
    """A place in a program, as JAX keeps it: lines from 1, columns from 0. JAX 0.9 – 0.12: the class is private."""

    file_name: str
    function_name: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int


def is_ours(file: str) -> bool:
    """Whether a file is one of this package's."""
    return file.startswith(OURS) and file != FIRST


@functools.lru_cache(1024)  # It is asked for each frame of each instruction.
def is_user_file(file: str) -> bool:
    """Whether a file is the user's: not JAX's, Python's or this package's.

    JAX 0.9 – 0.12: private.
    """
    from jax._src import source_info_util

    return source_info_util.is_user_filename(file) and not is_ours(file)


def is_library_file(file: str) -> bool:
    """Whether a file belongs to an installed package: flax, optax and others, which most users did not write."""
    return file != FIRST and any(f"{os.sep}{folder}{os.sep}" in file for folder in ("site-packages", "dist-packages"))


def user_frames(eqn: JaxprEqn) -> list[Frame]:
    """Frames of the user's program that an equation comes from, innermost first: file, function, lines and columns.

    JAX 0.9 – 0.12: private.
    """
    return list(_user_frames(eqn.source_info.traceback))


@functools.lru_cache(maxsize=1024)  # Names, scopes, places and words all ask for those of one equation.
def _user_frames(called_from: Any) -> tuple[Frame, ...]:
    from jax._src import source_info_util

    frames: Any = source_info_util.user_frames(called_from)
    # Under ``fixing``, this package is between the user's line and JAX.
    return tuple(f for f in frames if not f.file_name.startswith(SHIMS))


def calls_reshard(eqn: JaxprEqn) -> bool:
    """Whether the user's program calls ``jax.reshard`` for a ``reshard`` equation: most are JAX's own.

    JAX 0.9 – 0.12: private. ``jax.tree.map`` may be in between.
    """
    frames = getattr(eqn.source_info.traceback, "frames", ())
    callers = [after for frame, after in itertools.pairwise(frames) if frame.function_name == "reshard"]
    return any(is_user_file(f.file_name) or f.function_name.startswith("tree_map") for f in callers)


def current_location(*, beyond_libraries: bool = False) -> tuple[str, int, int] | None:
    """File, line and column of the user's expression that is running; None where there is none.

    From Python's own stack: JAX does not know who called a function whose trace it has cached.

    Args:
        beyond_libraries: whether the line of a library that is not JAX counts for the line that called it.
    """
    frame = inspect.currentframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if is_user_file(file) and not (beyond_libraries and is_library_file(file)):
            break
        frame = frame.f_back
    if frame is None:
        return None
    line, _, column, _ = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    return frame.f_code.co_filename, line or 0, column or 0


def raise_location(error: BaseException) -> tuple[str, int, str] | None:
    """The user's file, line and function that an exception comes from; None where it is not from the user's code."""
    steps = traceback.walk_tb(error.__traceback__)
    found = [(f.f_code.co_filename, line, f.f_code.co_name) for f, line in steps]
    return next((at for at in reversed(found) if is_user_file(at[0])), None)


def from_user(error: Exception) -> Exception:
    """An exception whose traceback has only the user's frames."""
    steps, users = error.__traceback__, None
    kept = []
    while steps is not None:
        if is_user_file(steps.tb_frame.f_code.co_filename):
            kept.append(steps)
        steps = steps.tb_next
    for step in reversed(kept):
        users = types.TracebackType(users, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return error.with_traceback(users)


def stack_within(stack: str, eqn: JaxprEqn) -> str:
    """The name stack of an equation, within those around it: ``transpose(jvp())/mlp``.

    JAX 0.9 – 0.12: ``source_info`` of an equation is not documented.
    """
    return f"{stack}/{_stack_text(eqn.source_info.name_stack)}"


def named_scopes(eqn: JaxprEqn) -> tuple[str, ...]:
    """The named scopes that an equation was traced in, outermost first.

    JAX 0.9 – 0.12: ``source_info`` of an equation is not documented.
    """
    return _scopes_of(eqn.source_info.name_stack)


# Most equations share their stacks, which take long to write.
_stack_text = functools.lru_cache(1024)(str)


@functools.lru_cache(1024)
def _scopes_of(stack: Any) -> tuple[str, ...]:
    return tuple(name for name in _stack_text(stack).split("/") if name)


def is_forward(stack: str) -> bool:
    """Whether equations of a name stack belong to the forward pass, in a program with a gradient or without."""
    return "transpose(" not in stack


def is_differentiated(stack: str) -> bool:
    """Whether equations of a name stack belong to a function that is differentiated."""
    return "jvp(" in stack


def named(eqn: JaxprEqn, name: str) -> Any:
    """An equation in one more named scope.

    JAX 0.9 – 0.12: ``source_info`` of an equation is not documented.
    """
    info = eqn.source_info
    return eqn.replace(source_info=info.replace(name_stack=info.name_stack.extend(name)))


def function_place(jaxpr: Any) -> tuple[str, int]:
    """File and first line of the traced function; line 0 where JAX does not know it.

    JAX 0.9 – 0.12: ``func_src_info`` is ``name at file:line``.
    """
    text = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None) or ""
    file, _, line = text.partition(" at ")[2].rpartition(":")
    return (file, int(line)) if file and line.isdigit() else ("", 0)


def function_name(jaxpr: Any) -> str:
    """Name of the traced function, without what it is nested in; empty where JAX does not know it.

    JAX 0.9 – 0.12: ``debug_info`` of a jaxpr is not documented.
    """
    info = getattr(jaxpr, "debug_info", None)
    return (getattr(info, "func_name", None) or "").rpartition(".")[2]


def argument_names(jaxpr: Any) -> tuple[str, ...]:
    """Names of a traced function's parameters, one for each flat argument; empty where JAX does not know them.

    JAX 0.9 – 0.12: ``debug_info`` of a jaxpr is not documented.
    """
    info = getattr(jaxpr, "debug_info", None)
    names = tuple(name or "" for name in (getattr(info, "arg_names", None) or ()))
    # What an open jaxpr closes over comes before its parameters.
    return ("",) * (len(jaxpr.invars) - len(names)) + names if isinstance(jaxpr, OpenJaxpr) else names


def call_stack(eqn: JaxprEqn) -> int:
    """A number for the Python call stack that an equation was traced from, JAX's own frames included.

    JAX 0.9 – 0.12: ``source_info`` of an equation is not documented; tracebacks hash by their frames.
    """
    return hash(eqn.source_info.traceback)


def gradient_of(f: Any) -> tuple[str, tuple[int, ...], bool] | None:
    """What ``jax.grad`` or ``jax.value_and_grad`` made a function from.

    JAX 0.9 – 0.12: only the function's docstring tells it.

    Returns:
        Name of the function that is differentiated, positions of the arguments, and whether its value is returned too;
        None for any other function.
    """
    found = _GRADIENT.match(getattr(f, "__doc__", None) or "")
    if found is None:
        return None
    return found[2], tuple(int(n) for n in re.findall(r"\d+", found[3])), found[1] != "Gradient"


_GRADIENT = re.compile(r"(Gradient|Value and gradient) of (\S+) with respect to positional argument\(s\) ([\d, ()]+)\.")


def static_parameters(f: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Positions (negative ones count from the end) and names of the static arguments of a jitted function.

    JAX 0.9 – 0.12: private; what is not jitted has none.
    """
    info = getattr(f, "_jit_info", None)
    return tuple(getattr(info, "static_argnums", None) or ()), tuple(getattr(info, "static_argnames", None) or ())
