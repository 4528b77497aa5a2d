"""Only ``shardwidget._jax`` touches what JAX does not promise."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from shardwidget import _jax

PACKAGE = Path(__file__).parents[2] / "shardwidget"

UNDOCUMENTED = frozenset(
    {
        "ctx", "debug_info", "get_bind_params", "manual_axis_type", "name_stack", "source_info", "str_short", "vma",
        "xla_metadata",
    }
)  # fmt: skip
"""Attributes of JAX's objects that its documentation does not name."""
VERSIONED = frozenset(
    {
        "body_jaxpr", "body_nconsts", "branches", "call_jaxpr", "cond_jaxpr", "cond_nconsts", "const_lengths", "ft_in",
        "in_shardings", "jaxpr", "jaxprs", "length", "manual_axes", "newly_manual_axes", "num_carry", "num_consts",
        "out_shardings", "reverse", "unroll",
    }
)  # fmt: skip
"""Parameters of control flow, whose names are not the same in all versions."""
PRIVATE = ("jax._src", "jaxlib")
OTHERS = frozenset({"_filename_map", "_replace"})
"""Such names of others: IPython's, and Python's own, of a NamedTuple."""
PRIMITIVES = (
    _jax.CALLS | _jax.WRITES | _jax.MOVES | _jax.PLACES | _jax.SHAPE_ONLY | _jax.ELEMENTWISE | _jax.CONTRACTIONS
)
CONTROL = frozenset({"scan", "while", "cond", "shard_map"})


def leaks(source: str) -> Iterator[str]:
    """What a module touches that JAX does not promise."""
    for node in ast.walk(ast.parse(source)):
        at = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            names = [module, *(alias.name for alias in node.names), *(f"{module}.{a.name}" for a in node.names)]
            yield from (f"{at}: import {name}" for name in names if name.startswith(PRIVATE))
        elif isinstance(node, ast.Attribute):
            mine = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "sys", "shardwidget")
            mine |= isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
            if node.attr == "name" and ast.unparse(node.value).split(".")[-1] == "primitive":
                yield f"{at}: {ast.unparse(node)}, where _jax.name_of knows names of other versions"
            elif node.attr in UNDOCUMENTED or (node.attr == "_src"):
                yield f"{at}: .{node.attr}"
            elif node.attr.startswith("_") and not node.attr.startswith("__") and not mine | (node.attr in OTHERS):
                yield f"{at}: {ast.unparse(node)}"
        elif isinstance(node, ast.Subscript) and _is_params(node.value):
            yield from (f"{at}: params[{key!r}]" for key in _texts([node.slice]) if key in VERSIONED)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_params(node.func.value):
            yield from (f"{at}: params.get({key!r})" for key in _texts(node.args[:1]) if key in VERSIONED)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            names = [n for n in _texts(node.args[1:2]) if not n.startswith("__") and n not in OTHERS]
            yield from (f"{at}: {node.func.id} {n}" for n in names if n in UNDOCUMENTED or n.startswith("_"))
        elif isinstance(node, ast.Set | ast.Tuple | ast.List) and _is_meaning(node):
            yield f"{at}: primitives {ast.unparse(node)}"
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            right = ast.unparse(node.comparators[0])
            yield from (f"{at}: {text!r} in {right}" for text in _texts([node.left]) if right.startswith("str("))


def _is_params(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] == "params"


def _is_meaning(node: ast.Set | ast.Tuple | ast.List) -> bool:
    """Whether it lists primitives that have a meaning in common."""
    names = _texts(node.elts)
    return len(names) > 1 and len(names) == len(node.elts) and set(names) <= PRIMITIVES | CONTROL


def _texts(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


MODULES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for folder in ("read", "teach", "collectives", "document")
    for path in (PACKAGE / folder).rglob("*.py")
)


@pytest.mark.parametrize("module", [*MODULES, "cost.py", "_doctor.py", "_tpu.py"])
def test_nothing_private_is_touched(module):
    found = list(leaks((PACKAGE / module).read_text()))
    # Elsewhere "copy" and "add" are not primitives.
    assert [leak for leak in found if module.startswith("read/") or ": primitives " not in leak] == []


@pytest.mark.parametrize(
    "source",
    [
        "from jax._src import core",
        "import jaxlib.xla_client",
        "eqn.ctx.cur_abstract_mesh",
        "str(eqn.source_info)",
        "sharding._device_assignment",
        "eqn.params['newly_manual_axes']",
        "params.get('num_carry')",
        "getattr(jaxpr, 'debug_info', None)",
        "'too long' in str(error)",
        "name in ('scan', 'while')",
        "eqn.primitive.name == 'scan'",
    ],
)
def test_a_leak_is_found(source):
    assert list(leaks(source))


@pytest.mark.parametrize("file", sorted((PACKAGE / "_jax").rglob("*.py")), ids=lambda file: file.stem)
def test_jax_extend_is_imported_where_it_is_used(file):
    """It imports Pallas: half of the time that ``import shardwidget`` would take."""
    imports = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports if "jax.extend" in ast.unparse(node)] == []
