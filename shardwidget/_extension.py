"""``%load_ext shardwidget``: arrays display as views, ``%sharding`` and ``%%collectives``. Off until it is loaded."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np

from shardwidget import _jax, read
from shardwidget.document import CompileCause, Program, Programs
from shardwidget.read._namespace.namespace import running, visible
from shardwidget.read._recompiled import Signature, explained, signature
from shardwidget.widgets._show import show

MOST_LEAVES = 20
"""The most leaves of a tree that is displayed as a view; a larger tree keeps its own representation."""

KEY = "_shardwidget_extension"

MOST_KEPT = 200
"""The most compiled calls of earlier cells that ``%%collectives`` compares with."""

REDEFINED = (CompileCause("function", "", "", ""),)
"""A cell that runs again defines its functions again: not worth a line."""

NO_NAMES = "give names or expressions that hold arrays: %sharding x params['w']"


def load(shell: Any) -> None:
    """Adds formatters and magics to an IPython; a second time it does nothing."""
    if not hasattr(shell, KEY):
        setattr(shell, KEY, Extension(shell).start())


def unload(shell: Any) -> None:
    """Puts everything back as it was."""
    extension = shell.__dict__.pop(KEY, None)
    if extension is not None:
        extension.stop()


@dataclass
class Extension:
    """What was added to a shell, and what was there before."""

    shell: Any
    formatters: list[tuple[dict[type, Any], type, Any]] = field(default_factory=list)
    magics: dict[tuple[str, str], Any] = field(default_factory=dict)
    compiled: list[Signature] = field(default_factory=list)
    """What ``%%collectives`` saw compiled, the last cell last."""

    def start(self) -> Extension:
        """Adds them."""
        formats = self.shell.display_formatter
        for formatter, shows in (
            (formats.ipython_display_formatter, _display),
            (formats.mimebundle_formatter, _bundle),
        ):
            for of in (jax.Array, jax.Ref, dict, list, tuple):
                self.formatters.append((formatter.type_printers, of, formatter.type_printers.get(of)))
                formatter.for_type(of, shows)
        self._magic("line", "sharding", self.sharding)
        self._magic("cell", "collectives", self.collectives)
        return self

    def stop(self) -> None:
        """Removes them."""
        for printers, of, before in self.formatters:
            _put(printers, of, before)
        for (kind, name), before in self.magics.items():
            _put(self.shell.magics_manager.magics[kind], name, before)
            # IPython keeps a second reference to what users register.
            _put(vars(self.shell.magics_manager.user_magics), name, before)

    def sharding(self, line: str) -> None:
        """``%sharding NAME…``: shows where arrays live; without a name, those of every name that holds arrays."""
        from IPython.display import display

        if not line.strip():
            print(read.namespace(self.shell.user_ns))
            return
        for name in _expressions(line):
            try:
                value = eval(name, self.shell.user_global_ns, self.shell.user_ns)
            except Exception as error:
                print(f"%sharding {name}: {type(error).__name__}: {error}; {NO_NAMES}")
                continue
            try:
                view = show(value, name=name)
            except (TypeError, ValueError) as error:
                print(f"%sharding {name}: {error}")
                continue
            if getattr(self.shell, "kernel", None) is None:
                print(view)
            else:
                display(view)

    def collectives(self, line: str, cell: str) -> None:
        """``%%collectives``: runs the cell, lists the collectives of what is compiled in it, and why it is again."""
        from IPython.core.error import UsageError
        from IPython.display import display

        with _numbered(self.shell), _jax.compilations() as compiled, _jax.compiled_calls(signature) as calls:
            result = _ran(self.shell, _as_typed(cell))
        texts = [text for text in map(_jax.module_text, compiled) if text]
        programs = [read_module(text, self.shell.user_ns) for text in texts]
        found = [program for program in programs if isinstance(program, Program) and program.collectives]
        if found and getattr(self.shell, "kernel", None) is not None:
            display(show(_together(found)))
        else:
            print(*found, sep="\n")
        faults = [program for program in programs if isinstance(program, str)]
        for fault in faults:
            print(fault)
        quiet = len(programs) - len(found) - len(faults)
        print(_summary(len(programs), quiet))
        again = explained("this cell", calls, self.compiled)
        if any(call.causes != REDEFINED for call in again.again):
            print(again)
        self.compiled = [*self.compiled, *(call for call, _ in calls if call.own)][-MOST_KEPT:]
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            # IPython has shown it. This ends "Run All", in one line.
            raise UsageError(f"the cell raised {type(error).__name__}, see above") from error

    def _magic(self, kind: str, name: str, function: Callable[..., None]) -> None:
        self.magics[kind, name] = self.shell.magics_manager.magics[kind].get(name)
        self.shell.register_magic_function(function, kind, name)


def _together(programs: list[Program]) -> Program | Programs:
    """The programs as one document, names told apart."""
    if len(programs) == 1:
        return programs[0]
    count = Counter[str]()
    named = []
    for program in programs:
        count[program.name] += 1
        number = count[program.name]
        named.append(replace(program, name=f"{program.name} ({number})") if number > 1 else program)
    return Programs(programs[0].mesh, tuple(named))


@contextlib.contextmanager
def _numbered(shell: Any) -> Iterator[None]:
    """IPython counts the cell before it runs: what runs within it would have the number of the next one."""
    cells, frame, count = shell.compile._filename_map, sys._getframe(), shell.execution_count  # noqa: SLF001
    while frame is not None and frame.f_code.co_filename not in cells:
        frame = frame.f_back
    try:
        if frame is not None:
            shell.execution_count = cells[frame.f_code.co_filename]
        yield
    finally:
        shell.execution_count = count


def _as_typed(cell: str) -> str:
    """The cell with a first line in place of the magic's, so that its lines have the numbers that the user sees."""
    return cell if cell.lstrip().startswith("%%") else f"# %%collectives\n{cell}"


def _ran(shell: Any, cell: str) -> Any:
    """The result of a cell. One that awaits, where a notebook's own loop is running, has a loop in another thread."""
    try:
        asyncio.get_running_loop()
        transformed = shell.transform_cell(cell)
    except (RuntimeError, SyntaxError):  # No loop is running; IPython says what is wrong with the cell.
        return shell.run_cell(cell)
    if not shell.should_run_async(cell, transformed_cell=transformed):
        return shell.run_cell(cell)
    context = contextvars.copy_context()  # What it displays belongs to this cell.
    with ThreadPoolExecutor(1) as thread:
        running_cell = shell.run_cell_async(cell, transformed_cell=transformed)
        return thread.submit(context.run, asyncio.run, running_cell).result()


def _put(table: dict[Any, Any], key: Any, before: Any) -> None:
    if before is None:
        table.pop(key, None)
    else:
        table[key] = before


def _display(value: Any) -> None:
    """Displays an array, or a small tree of nothing but arrays, as a view does in a notebook.

    Raises:
        NotImplementedError: there is no view, or no notebook. IPython then goes on to ``_bundle`` and to its own text.
    """
    try:
        view = _view(value)
        if view is not None:
            view._ipython_display_()
            return
    except Exception as error:
        # The user sees what JAX prints, as without the extension.
        raise NotImplementedError from error
    raise NotImplementedError


def _bundle(value: Any, include: Any = None, exclude: Any = None) -> Any:
    """The view of an array, or of a small tree of nothing but arrays; None leaves the representation as it was.

    IPython still prints its own text of dicts, lists and tuples; the view is displayed beside it.
    """
    try:
        view = _view(value)
        return None if view is None else view._repr_mimebundle_(include=include, exclude=exclude)
    except Exception:
        return None


def _view(value: Any) -> Any:
    return show(value, name=_name_of(value)) if _is_shown(value) else None


def _name_of(value: Any) -> str:
    """The user's own name for a value; empty where it has none."""
    shell = running()
    names = visible(shell.user_ns) if shell is not None else {}
    return next((name for name, held in names.items() if held is value), "")


def _is_shown(value: Any) -> bool:
    if isinstance(value, jax.Array | jax.Ref):
        # The value of a scalar says it all.
        return value.ndim > 0
    if _jax.children(value) is None or len(value) > MOST_LEAVES:
        return False
    leaves = jax.tree.leaves(value)
    return 0 < len(leaves) <= MOST_LEAVES and all(isinstance(x, jax.Array | jax.Ref) for x in leaves)


def _expressions(line: str) -> list[str]:
    """The expressions in a line, separated by spaces; spaces inside an expression do not separate."""
    out: list[str] = []
    for word in line.split():
        if out and not _compiles(out[-1]):
            out[-1] += f" {word}"
        else:
            out.append(word)
    return out


def _compiles(text: str) -> bool:
    try:
        compile(text, "<%sharding>", "eval")
    except SyntaxError:
        return False
    return True


def read_module(text: str, names: dict[str, Any]) -> Program | str | None:
    """The collectives of a module; or why it cannot be read; None for a module of one device."""
    devices = int(match[1]) if (match := re.search(r"num_partitions=(\d+)", text.partition("\n")[0])) else 1
    if devices == 1:
        return None
    mesh = _mesh(names, devices)
    name = text.split(None, 2)[1].rstrip(",").removeprefix("jit_")
    if mesh is None:
        return f"{name}: no mesh of {devices} devices is set, and no variable holds one: the mesh axes are not known."
    try:
        return read.program(text, mesh=mesh, name=name)
    except (TypeError, ValueError) as error:
        return f"{name}: {error}"


def _mesh(names: dict[str, Any], devices: int) -> Any:
    """The mesh that a program for this many devices was made for: the one set, or that of a name or an array."""
    set_ = jax.sharding.get_mesh()
    meshes = [_jax.entered_mesh() if set_.empty else set_]
    values = [value for name, value in list(names.items()) if not name.startswith("_")]
    meshes += [value for value in values if isinstance(value, jax.sharding.Mesh)]
    meshes += [getattr(x.sharding, "mesh", None) for x in values if isinstance(x, jax.Array | jax.Ref)]
    fitting = (m for m in meshes if isinstance(m, jax.sharding.Mesh) and np.size(m.devices) == devices)
    return next(fitting, None)


def _summary(all_of_them: int, quiet: int) -> str:
    if all_of_them == 0:
        return "Nothing was compiled in this cell: what is already compiled runs as it is."
    functions = "1 function was" if all_of_them == 1 else f"{all_of_them} functions were"
    return f"{functions} compiled in this cell, {quiet} of them without collectives."
