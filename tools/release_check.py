"""What must hold of a release: `make release-check` builds it twice and tries it as its users would.

The sdist and the wheel are built from the commit, installed into clean environments on every supported Python that is
on PATH, without Node, and asked to draw; their metadata, licences and sizes are checked. Environments are filled from
the package index.
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

MOST_BYTES = 3_000_000
"""Of a wheel."""

DRAW = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax, jax.numpy as jnp, pathlib, shardwidget as sw
from jax.sharding import NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((4, 2), ("x", "y"))
a = jax.device_put(jnp.zeros((8, 16)), NamedSharding(mesh, P("x", "y")))
sw.ArrayView(a).to_html("array.html")
f = jax.shard_map(lambda b: jax.lax.psum(b, "y"), mesh=mesh, in_specs=P("x", "y"), out_specs=P("x"))
sw.ShardMapStepper(f, a).to_html("steps.html")
print(sw.__version__, *(pathlib.Path(page).stat().st_size for page in ("array.html", "steps.html")))
"""


def main() -> int:
    """Prints a line for each check; returns 1 where one failed."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            sdist, wheel = _built(Path(folder))
            _checked(wheel)
            version = wheel.name.split("-")[1]
            tried = [python for v in PYTHONS if (python := shutil.which(f"python{v}"))] or [sys.executable]
            for python in tried:
                _installed(python, wheel, version, Path(folder))
            _installed(tried[0], sdist, version, Path(folder))
        except (AssertionError, subprocess.CalledProcessError) as error:
            print(f"FAILED: {error}\n{getattr(error, 'stderr', '') or ''}", file=sys.stderr)
            return 1
    return 0


def _built(folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel; two builds must be equal."""
    made: list[list[Path]] = []
    for name in ("first", "second"):
        _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / name, ROOT)
        made.append(sorted((folder / name).iterdir()))
    for one, other in zip(*made, strict=True):
        assert one.read_bytes() == other.read_bytes(), f"two builds of {one.name} differ"
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
    drawn, *sizes = _run(inside, "-c", DRAW, cwd=place, env=env).split()
    assert drawn == version, f"{drawn} was installed in place of {version}"
    doctor = _run(inside, "-m", "shardwidget", "doctor", cwd=place, env=env)
    assert doctor.strip(), "doctor says nothing"
    _say(f"{Path(python).name}, {made.name}: drawn in pages of {' and '.join(sizes)} bytes; doctor runs")


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
