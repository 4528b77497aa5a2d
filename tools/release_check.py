"""What must hold of a release: `make release-check` builds it twice and tries it as its users would.

The sdist and the wheel are built from the commit, installed into clean environments on every supported Python that is
on PATH, without Node, and asked to draw the quickstart; metadata, licences and sizes are checked, and links to files.
Environments are filled from the package index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")

QUICKSTART = ROOT / "notebooks" / "00_quickstart.ipynb"

MOST_BYTES = 3_000_000
"""Of a wheel."""

DRAW = """
import sys, json
import shardwidget as sw
from shardwidget._example import last_value
cell = "".join(next(c for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code")["source"])
view = last_value(cell.replace("%pip", "pass  #"), "quickstart", {})
view.to_html("page.html")
print(sw.__version__, view.document.to_json("steps.json"))
"""
"""The first cell of the quickstart."""

LOAD = """
import sys
from importlib.util import find_spec
assert find_spec("jax") is None, "there is a JAX"
import shardwidget as sw
sw.show(sw.load(sys.argv[1])).to_html("page.html")
print(sw.__version__)
"""

LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
OURS = re.compile(
    r"https://(?:colab\.research\.google\.com/|nbviewer\.org/|kaggle\.com/kernels/welcome\?src=https://)?github(?:\.com)?/shardwidget/shardwidget/blob/main/(.+)"
)


def main() -> int:
    """Prints a line for each check; returns 1 where one failed."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            sdist, wheel = _built(Path(folder))
            _checked(wheel)
            _linked()
            version = wheel.name.split("-")[1]
            here = {v: python for v in PYTHONS if (python := _python(v))}
            if missing := [v for v in PYTHONS if v not in here]:
                _say(f"not here, so not tried: Python {', '.join(missing)}")
            tried = list(here.values()) or [sys.executable]
            for python in tried:
                _installed(python, wheel, version, Path(folder))
            _installed(tried[0], sdist, version, Path(folder))
            _without_jax(tried[0], wheel, version, Path(folder))
        except (AssertionError, subprocess.CalledProcessError) as error:
            print(f"FAILED: {error}\n{getattr(error, 'stderr', '') or ''}", file=sys.stderr)
            return 1
    return 0


def _python(version: str) -> str | None:
    """Where a version of Python is; pyenv has a program of that name on PATH for each that it could have, too."""
    found = shutil.which(f"python{version}")
    return found if found and subprocess.run([found, "--version"], capture_output=True).returncode == 0 else None


def _built(folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel; two builds must be equal."""
    made: list[list[Path]] = []
    for name in ("first", "second"):
        _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / name, ROOT)
        made.append(sorted((folder / name).iterdir()))
    for one, other in zip(*made, strict=True):
        assert one.read_bytes() == other.read_bytes(), f"two builds of {one.name} differ"
    for one in (ROOT / "dist").glob("*"):
        assert one.read_bytes() == (folder / "first" / one.name).read_bytes(), f"dist/{one.name} is another build"
    sdist, wheel = made[0][::-1] if made[0][0].suffix == ".whl" else made[0]
    _say(f"built twice, and equal: {sdist.name}, {wheel.name}")
    return sdist, wheel


def _checked(wheel: Path) -> None:
    """Size, licences and metadata of a wheel, and that its version stands once in the sources."""
    version = wheel.name.split("-")[1]
    size = wheel.stat().st_size
    assert size <= MOST_BYTES, f"the wheel has {size} bytes; at most {MOST_BYTES} are allowed"
    with zipfile.ZipFile(wheel) as archive:
        info = f"shardwidget-{version}.dist-info"
        metadata = archive.read(f"{info}/METADATA").decode()
        for licence in ("LICENSE", "NOTICE"):
            assert archive.read(f"{info}/licenses/{licence}"), f"{licence} is empty"
    for field in ("Summary", "License-Expression", "Requires-Python", "Project-URL", "Description-Content-Type"):
        assert re.search(rf"^{field}: \S", metadata, re.MULTILINE), f"METADATA has no {field}"
    tracked = _run("git", "-C", ROOT, "grep", "-lFw", version, "--", "*.py", "pyproject.toml", "*.json").split()
    places = [p for p in tracked if not p.startswith(("js/tests", "js/package-lock", "tests/", "docs/"))]
    assert places == ["shardwidget/_version.py"], f"the version {version} stands in {', '.join(places)}"
    _say(f"wheel: {size / 1e6:.2f} MB, licences, metadata, one version")


def _installed(python: str, made: Path, version: str, folder: Path) -> None:
    """Installs a build into a clean environment and draws there, without Node."""
    place = folder / f"{Path(python).name} {made.suffix}"
    _run(python, "-m", "venv", place)
    inside = place / "bin" / "python"
    env = _without_node()
    _run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", made, env=env)
    drawn, _ = _run(inside, "-c", DRAW, QUICKSTART, cwd=place, env=env).split()
    assert drawn == version, f"{drawn} was installed in place of {version}"
    doctor = _run(inside, "-m", "shardwidget", "doctor", cwd=place, env=env)
    assert doctor.strip(), "doctor says nothing"
    size = (place / "page.html").stat().st_size
    (place / "steps.json").replace(folder / "steps.json")
    _say(f"{Path(python).name}, {made.name}: the quickstart is a page of {size} bytes; doctor runs")


def _without_jax(python: str, wheel: Path, version: str, folder: Path) -> None:
    """A document that was saved is shown where there is no JAX, as in a browser's Python."""
    place = folder / "without jax"
    _run(python, "-m", "venv", place)
    inside = place / "bin" / "python"
    _run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "anywidget", "numpy")
    _run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", wheel)
    assert _run(inside, "-c", LOAD, folder / "steps.json", cwd=place, env=_without_node()).strip() == version
    _say("without JAX: a saved document is loaded and drawn")


def _linked() -> None:
    """Links to files of this repository, relative or by its address, in its pages and notebooks."""
    pages = _run("git", "-C", ROOT, "ls-files", "*.md", "*.ipynb").split()
    count = 0
    for name in pages:
        text = (ROOT / name).read_text(encoding="utf-8")
        for found in LINK.finditer(
            re.sub(r"^```.*?^```", "", text.replace('\\"', '"'), flags=re.DOTALL | re.MULTILINE)
        ):
            address = (found[1] or found[2]).partition("#")[0]
            ours = OURS.fullmatch(address)
            if address == "" or (re.match(r"[a-z]+:", address) and not ours):
                continue
            place = ROOT / ours[1] if ours else (ROOT / name).parent / address
            assert place.exists(), f"{name} links to {address}, which is not there"
            count += 1
    _say(f"links: {count} to files of this repository, all there")


def _without_node() -> dict[str, str]:
    """The environment with no folder on PATH that has npm, and no hint to skip a build."""
    folders = [f for f in os.environ["PATH"].split(os.pathsep) if not Path(f, "npm").exists()]
    keep = {k: v for k, v in os.environ.items() if k not in ("SKIP_JUPYTER_BUILDER", "PYTHONPATH", "VIRTUAL_ENV")}
    return keep | {"PATH": os.pathsep.join(folders), "JAX_PLATFORMS": "cpu"}


def _run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done: Sequence[str] = [str(part) for part in command]
    return subprocess.run(done, cwd=cwd, env=env, check=True, capture_output=True, text=True).stdout


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
