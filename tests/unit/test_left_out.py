"""A constraint that is left out: the line reads as if it had never had one, and gives the same."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import pytest

from shardwidget.read._instead.source import Sources

CONSTRAINED = "jax.lax.with_sharding_constraint"

LINES = {
    "y = W(x, s)": "y = x",
    "x = W(x, s)  # rows": "# x = W(x, s)  # rows",
    "x: jax.Array = W(x, s)": "# x: jax.Array = W(x, s)",
    "x['w'] = W(x[\"w\"], s)": "# x['w'] = W(x[\"w\"], s)",
    "x = W(\n    x,\n    s,\n)": "# x = W(\n#     x,\n#     s,\n# )",
    "x = x + 1; x = W(x, s)": "x = x + 1",
    "x = W(x, s); x = x + 1": "x = x + 1",
    "if s: x = W(x, s)": "if s: pass",
    "x = W(x, s) if s else x": "# x = W(x, s) if s else x",
    "y = W(x, s) if s else x": "y = x",
    "y = W(x + 1, s) @ x": "y = (x + 1) @ x",
    "y = x - W(x - 1, s)": "y = x - (x - 1)",
    "y = f(W(x + 1, s))": "y = f(x + 1)",
    "y = W(x +\n      1, s)": "y = (x +\n      1)",
    "x = jax.tree.map(lambda a: W(a, s), x)": "# x = jax.tree.map(lambda a: W(a, s), x)",
    "y = jax.tree.map(lambda a: W(a, s), x)": "y = x",
    "y = jax.tree.map(lambda a: W(a * 2, s), x)": "y = jax.tree.map(lambda a: a * 2, x)",
}


@pytest.mark.parametrize("line", LINES)
def test_the_line_without_a_constraint(line: str, tmp_path: Path) -> None:
    indented = "".join(f"    {part}\n" for part in line.replace("W(", f"{CONSTRAINED}(").split("\n"))
    file = tmp_path / "program.py"
    file.write_text(f"import jax\n\n\ndef program(x, s, f=abs):\n{indented}    return x\n")
    program = runpy.run_path(str(file))["program"]
    sources = Sources(program, jax.make_mesh((1,), ("x",), devices=jax.devices()[:1]))
    (change,) = (c for c in sources.left_out() if c.what == "leave out the constraint of line 5")
    assert change.fix.code.replace(f"{CONSTRAINED}(", "W(") == LINES[line]
    assert sources.swaps(change)
