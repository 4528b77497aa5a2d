"""Measurements in a Python process of their own: what is imported or cached here must not count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any


def measure(program: str, *arguments: object) -> Any:
    """Runs a program and returns the JSON that it prints.

    Raises:
        subprocess.CalledProcessError: the program failed; what it wrote to stderr is on ours.
    """
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout)
