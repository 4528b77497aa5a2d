"""The TypeScript types are those of the Python documents."""

import subprocess
import sys
from pathlib import Path

import pytest

# No JAX has a part in it.
pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "js/generate_types.py", "--check", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


def test_committed_types_are_fresh():
    result = check()
    assert result.returncode == 0, result.stderr


def test_a_changed_field_is_stale(tmp_path: Path):
    source = (ROOT / "js/src/core/document.gen.ts").read_text()
    changed = source.replace("readonly bits: number;", "readonly bits: string;")
    assert changed != source
    assert_stale(tmp_path, changed)


def test_a_missing_file_is_stale(tmp_path: Path):
    assert_stale(tmp_path, None)


def assert_stale(folder: Path, text: str | None):
    target = folder / "document.gen.ts"
    if text is not None:
        target.write_text(text)
    result = check("--target", str(folder))
    assert result.returncode == 1
    assert f"{target} is stale: run `python js/generate_types.py`" in result.stderr
    assert (target.read_text() if target.exists() else None) == text
