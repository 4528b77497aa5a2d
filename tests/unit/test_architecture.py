"""Every path that `docs/architecture.md` names is there."""

import re
from pathlib import Path

import pytest

# No JAX has a part in it.
pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
ROOMS = ("shardwidget", "js", "tests", "docs", "tools")
BUILT = {"loader.js", "array-parts.js", "stepper-parts.js", "program-pages.js"}


def paths() -> set[str]:
    """Of files by their names' ends, of folders by a slash; names in capitals stand for any."""
    quoted = set(re.findall(r"`([\w./-]+(?:\.(?:py|tsx?|json|css|grit|toml|js)|/))`", TEXT))
    return {path for path in quoted if not re.search(r"[A-Z]{4,}", path)} - BUILT


@pytest.fixture(scope="module")
def there() -> list[str]:
    found = [p for room in ROOMS for p in (ROOT / room).rglob("*") if "node_modules" not in p.parts]
    return [f"/{p.relative_to(ROOT).as_posix()}{'/' * p.is_dir()}" for p in [*found, *ROOT.glob("*")]]


def test_every_path_is_there(there: list[str]):
    assert len(paths()) > 80
    assert [path for path in sorted(paths()) if not any(place.endswith(f"/{path}") for place in there)] == []


def test_every_package_and_every_room_is_described():
    packages = {p.parent.name for p in (ROOT / "shardwidget").glob("*/__init__.py")} - {"_extension"}
    rooms = {p.name for p in (ROOT / "js/src").iterdir() if p.is_dir()}
    assert [name for name in sorted(packages) if f"`{name}/`" not in TEXT] == []
    assert [name for name in sorted(rooms) if f"`{name}" not in TEXT] == []
