"""The command ``shardwidget``: what the readers find, for terminals, scripts and pull requests.

What is asked of comes from a file: of Python, ``train.py::case``, where ``case`` is a function that returns
``(f, args)`` or a tree; of a document, ``.json`` or a saved page; or the text of a compiled module. A reader makes a
document of it, which is printed, or written as JSON, Markdown or a page. The exit status is 0; 1 where ``diff`` finds a
difference; 2 where something is wrong with what was given.
"""

from __future__ import annotations

import argparse
import inspect
import math
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shardwidget._json import load
from shardwidget.document import (
    Comparison,
    ComparisonDiff,
    Document,
    Memory,
    MemoryDiff,
    Model,
    ModelComparison,
    Program,
    ProgramDiff,
    Search,
    SearchDiff,
    Trace,
    TraceDiff,
)

READERS = ("program", "memory", "model", "comparison", "trace", "search", "schedule", "run", "overlap")
DIFFS = READERS[:6]
"""What has a difference."""

MOST_LINES = 60
"""Lines of Markdown; what is left out is counted."""

EPILOG = """\
FILE.py::NAME names a function that returns (f, args), or a tree for `model`:

    def case():
        mesh = jax.make_mesh((4, 2), ("data", "model"))
        x = jax.ShapeDtypeStruct((64, 512), "float32", sharding=NamedSharding(mesh, P("data")))
        return step, (x,)

    shardwidget program train.py::case --devices 8
    shardwidget memory train.py::case --tpu v5e:4x4 --axes data=4,model=4    (then: def case(mesh))
    shardwidget program train.py::case --json > before.json
    shardwidget diff before.json train.py::case
"""


class UsageError(Exception):
    """What was given cannot be used; the message says why and what can."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status."""
    options = _parser().parse_args(argv)
    try:
        status = options.run(options)
        sys.stdout.flush()
    except UsageError as error:
        print(f"shardwidget: {error}", file=sys.stderr)
    except BrokenPipeError:  # Who reads the output, such as head, has enough.
        sys.stdout = None
        return 0
    except Exception as error:  # The user's file may raise anything.
        said, *more = str(error).strip().split("\n") or [""]
        rest = " … (--traceback shows all)" if more and not options.traceback else ""
        print(f"shardwidget: {type(error).__name__}: {said}{rest}", file=sys.stderr)
        if options.traceback:
            traceback.print_exc()
    else:
        return status
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shardwidget",
        description="What shardwidget finds, for terminals, scripts and pull requests.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for reader in READERS:
        command = commands.add_parser(reader, help=f"what read.{reader} finds")
        command.add_argument("source", metavar="FILE", help="FILE.py::NAME, or a .json, .html, .hlo or .xplane.pb file")
        form = command.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="as JSON")
        form.add_argument("--md", action="store_true", help="as Markdown of bounded length")
        form.add_argument("--html", metavar="OUT", help="write a page that opens from disk")
        _add_mesh(command)
        if reader == "run":
            what = "what ran, of a .xplane.pb file; if not given, the program in it that ran longest"
            command.add_argument("--program", metavar="FILE.py::NAME", help=what)
        command.set_defaults(run=_read, reader=reader)
    command = commands.add_parser("diff", help="what differs; the exit status is 1 where something does")
    command.add_argument("before", metavar="BEFORE")
    command.add_argument("after", metavar="AFTER")
    command.add_argument("--of", choices=DIFFS, help="of FILE.py::NAME; else what the other one is, or a program")
    _add_mesh(command)
    command.set_defaults(run=_diff)
    command = commands.add_parser("doctor", help="why a display may not work")
    command.set_defaults(run=_doctor, traceback=False)
    return parser


def _add_mesh(command: argparse.ArgumentParser) -> None:
    command.add_argument("--devices", type=int, metavar="N", help="use N CPU devices")
    command.add_argument("--tpu", metavar="TOPOLOGY", help="call NAME with a mesh of TPUs: v5p:4x4x4")
    command.add_argument("--axes", metavar="AXES", help="axes of the mesh: data=4,model=4")
    command.add_argument("--traceback", action="store_true", help="show Python's traceback of an error")


def _read(options: argparse.Namespace) -> int:
    document = _document(options.source, options.reader, options)
    if options.json:
        print(document.to_json())
    elif options.md:
        print(_markdown(document))
    elif options.html:
        from shardwidget.widgets._show import show

        print(show(document).to_html(options.html))
    else:
        print(document)
    return 0


def _diff(options: argparse.Namespace) -> int:
    kinds = [_kind_of(source) for source in (options.before, options.after)]
    of = options.of or next(filter(None, kinds), "program")
    before, after = (_document(source, of, options) for source in (options.before, options.after))
    if type(before) is not type(after):
        raise UsageError(f"{options.before} is a {before.kind}, {options.after} is a {after.kind}")  # pyright: ignore
    if isinstance(before, Comparison | Memory | Model | Program | Search | Trace):
        diff = before.diff(after)  # pyright: ignore[reportArgumentType]  they are of one type
        print(diff)
        return int(_differs(diff))
    kind = before.kind  # pyright: ignore[reportAttributeAccessIssue]  every document has one
    raise UsageError(f"{options.before} is a {kind}, which has no difference; a {', a '.join(DIFFS)} has one")


def _kind_of(source: str) -> str:
    """What a file of a document holds; empty for other files."""
    path = Path(source)
    return load(path).kind if path.is_file() and source.endswith((".json", ".html")) else ""


def _differs(diff: ProgramDiff | MemoryDiff | ModelComparison | ComparisonDiff | SearchDiff | TraceDiff) -> bool:
    if isinstance(diff, TraceDiff):
        return diff.first >= 0
    return bool(diff.differing if isinstance(diff, ProgramDiff | ModelComparison) else diff.changes)


def _doctor(options: argparse.Namespace) -> int:
    del options
    from shardwidget._doctor import doctor

    print(doctor())
    return 0


def _markdown(document: Document) -> str:
    """The first line in bold, and the rest as it is printed, at most ``MOST_LINES`` lines."""
    first, *rest = repr(document).splitlines()
    room = MOST_LINES - 4  # Beside the first line, an empty one and the fences.
    left = len(rest) - room
    shown = [*rest[: room - 1], f"… {left + 1} more lines: --json has all"] if left > 0 else rest
    return "\n".join([f"**{first.strip()}**", *(["", "```text", *shown, "```"] if shown else [])])


def _document(source: str, reader: str, options: argparse.Namespace) -> Document:
    path, _, name = source.partition("::")
    if not Path(path).is_file():
        what = f"{path} is a folder" if Path(path).is_dir() else f"there is no file {path}"
        raise UsageError(f"{what}. Give FILE.py::NAME, or a .json, .html, .hlo or .xplane.pb file.")
    if name and not path.endswith(".py"):
        raise UsageError(f"{source} names a function, and {path} is no Python: shardwidget {reader} {path}")
    if name:
        return _of_python(Path(path), name, reader, options)
    if path.endswith((".json", ".html")):
        document = load(path)
        if document.kind != reader:
            command = f"shardwidget {document.kind} {path}" if document.kind in READERS else f"give a {reader}"
            raise UsageError(f"{path} is a {document.kind}: {command}")
        return document
    if path.endswith(".py"):
        raise UsageError(f"which function of {path}? Give {path}::NAME, a function that returns (f, args).")
    from shardwidget import read

    if path.endswith(".xplane.pb"):
        if reader != "run":
            raise UsageError(f"{path} is a profile: shardwidget run {path} --axes data=4,model=2")
        if options.program is None:
            return read.run(path, mesh=_mesh(options) if options.axes or options.tpu else None)
        file, _, name = options.program.partition("::")
        if not (name and Path(file).is_file()):
            raise UsageError(f"there is no {options.program}: shardwidget run {path} --program FILE.py::NAME")
        return read.run(path, program=_program(Path(file), name, options))
    if reader not in ("program", "memory"):
        raise UsageError(f"{path} is the text of a program: shardwidget program {path} --axes data=4,model=2")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text: give what compiled.as_text() writes, as a .hlo file") from None
    mesh = _mesh(options)
    if not read.program(text, mesh=mesh).instructions:
        raise UsageError(f"{path} is not the text of a compiled module: give what compiled.as_text() writes")
    return getattr(read, reader)(text, mesh=mesh, name=Path(path).stem)


def _of_python(path: Path, name: str, reader: str, options: argparse.Namespace) -> Document:
    from shardwidget import read

    if reader == "model":
        return read.model(_returned(path, name, options), name=name)
    f, *args = _program(path, name, options)
    # A topology by its name: what is compiled for it is kept.
    return read.search(f, *args, mesh=options.tpu) if reader == "search" else getattr(read, reader)(f, *args)


def _returned(path: Path, name: str, options: argparse.Namespace) -> Any:
    """What a function of the user's file returns."""
    if options.devices:
        import jax

        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_num_cpu_devices", options.devices)
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        names = runpy.run_path(str(path), run_name=path.stem)
        case = names.get(name)
        if not callable(case):
            known = ", ".join(key for key, value in names.items() if inspect.isfunction(value)) or "none"
            raise UsageError(f"{path} has no function {name}; its functions are: {known}")
        return _call(case, name, options)
    except SystemExit as ended:
        raise UsageError(f"{path}::{name} ended Python, sys.exit({ended.code!r}): it must return (f, args)") from ended


def _program(path: Path, name: str, options: argparse.Namespace) -> tuple[Any, ...]:
    """The function that one of the user's file returns, and its arguments."""
    found = _returned(path, name, options)
    if not (isinstance(found, tuple) and len(found) == 2 and callable(found[0]) and isinstance(found[1], tuple | list)):
        given = f"a tuple of {len(found)}" if isinstance(found, tuple) else f"a {type(found).__name__}"
        raise UsageError(f"{name} must return (f, args), a function and a tuple of its arguments; it returned {given}")
    f, args = found
    return f, *args


def _call(case: Callable[..., Any], name: str, options: argparse.Namespace) -> Any:
    """What the user's function returns; it takes a mesh where one is asked for."""
    takes_mesh = bool(inspect.signature(case).parameters)
    if not (options.tpu or options.axes):
        if takes_mesh:
            raise UsageError(f"{name} takes a mesh: give --tpu v5e:4x4 --axes data=4,model=4, or --axes data=4,model=2")
        return case()
    if not takes_mesh:
        raise UsageError(f"--tpu and --axes make a mesh, which {name} does not take: write def {name}(mesh)")
    return case(_mesh(options))


def _mesh(options: argparse.Namespace) -> Any:
    """The mesh of ``--tpu`` and ``--axes``; without ``--tpu`` of CPU devices."""
    import jax

    sizes = _sizes(options.axes) if options.axes else {}
    if options.tpu:
        from shardwidget._tpu import tpu_mesh

        names = tuple(sizes) or ("devices",)
        return tpu_mesh(options.tpu, names, shape=tuple(sizes.values()) or None)
    if not sizes:
        raise UsageError("a mesh is needed: give --axes data=4,model=2")
    if options.devices is None:
        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_num_cpu_devices", math.prod(sizes.values()))
    return jax.make_mesh(tuple(sizes.values()), tuple(sizes), axis_types=(jax.sharding.AxisType.Auto,) * len(sizes))


def _sizes(text: str) -> dict[str, int]:
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {name.strip(): int(size) for name, size in pairs}
    except ValueError:
        raise UsageError(f"--axes {text} is not of the form data=4,model=4") from None
