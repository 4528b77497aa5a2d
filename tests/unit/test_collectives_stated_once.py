"""Nothing but ``collectives/`` matches a collective by its name, so that a new one needs no other module."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from shardwidget.collectives import OPCODES, STATEMENTS

# No JAX has a part in it.
pytestmark = pytest.mark.once

PACKAGE = Path(__file__).parents[2] / "shardwidget"

OF_JAX_AND_XLA = {name for s in STATEMENTS for name in (s.kind, *s.primitives, s.transfer)} | OPCODES
FUNCTIONS = {f.function for s in STATEMENTS if s.completes for f in (s.completes.reducer, s.completes.mean) if f}
NAMES = (OF_JAX_AND_XLA | FUNCTIONS | {name for s in STATEMENTS for name in s.requested_by}) - {"", "done"}
"""``done`` is the kind of every second half of a collective, and an English word."""

EXCEPT = {
    "_jax/failures.py": "a function of JAX's that may be in a stack of frames",
    "_jax/inlining.py": "operations that do more than give a result",
    "_jax/primitives.py": "primitives by what they do to elements",
    "document/beside.py": "what one device does without",
    "document/difference.py": "an equation that changes no value",
    "document/overlap.py": "what a ring of permutations is together",
    "document/unsharded.py": "what depends on where a device is",
    "read/_kernel/words.py": "what a device does with a block, in words",
    "read/_program/rings.py": "what a ring of permutations is together",
    "read/_search/walk.py": "Shardy's operations by XLA's names",
    "read/_schedule/steps.py": "devices of a pipeline pass data on by ppermute",
    "read/_schedule/ticks.py": "devices of a pipeline pass data on by ppermute",
    "teach/choose_collective.py": "the exercise asks for a collective by its name",
}


def matched(source: str) -> Iterator[str]:
    """The names of collectives that a module has as texts, whole or with one of XLA's endings for halves."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.removesuffix("-start").removesuffix("-done")
            if name in NAMES:
                yield f"line {node.lineno}: {node.value!r}"


def modules() -> dict[str, str]:
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    return {name: path.read_text() for name, path in sorted(paths.items()) if not name.startswith("collectives/")}


def test_no_other_module_names_a_collective():
    found = {name: list(matched(text)) for name, text in modules().items()}
    assert {name for name, names in found.items() if names} == set(EXCEPT), found


@pytest.mark.parametrize(
    "source",
    ["c.kind == 'all-gather'", "opcode in ('send', 'all-reduce')", "'psum_invariant'", "'all-gather-done'", "'pmean'"],
)
def test_a_name_is_found(source):
    assert list(matched(source))
