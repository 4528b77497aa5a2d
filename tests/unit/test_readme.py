"""The README's code, as its reader would run it."""

import re
from pathlib import Path

import shardwidget as sw

README = Path(__file__).parents[2] / "README.md"


def test_the_code_of_the_readme_runs(monkeypatch):
    shown, show = [], sw.show
    monkeypatch.setattr(sw, "show", lambda *args: shown.append(show(*args)))
    code = "\n".join(re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL))
    exec(compile(code, "README.md", "exec"), {})
    assert [type(view).__name__ for view in shown] == ["ArrayView", "ShardMapStepper"]
    assert shown[1].document.error is None
