"""Measurements in a Python process of their own: what is imported or cached here must not count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def measure(program: str, *arguments: object) -> Any:
    """Runs a program and returns the JSON that it prints.

    Raises:
        subprocess.CalledProcessError: the program failed; what it wrote to stderr is on ours.
    """
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": os.getcwd()}
    with tempfile.TemporaryDirectory(prefix="shardwidget-") as folder:
        file = Path(folder, "program.py")  # As users' code, it has lines that can be read.
        file.write_text(program)
        command = [sys.executable, str(file), *map(str, arguments)]
        ended = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environment)
    return json.loads(ended.stdout)
