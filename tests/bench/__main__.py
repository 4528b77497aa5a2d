"""Runs benchmarks one after another, and prints a table of each as it ends: ``python -m tests.bench [part …]``."""

import importlib
import sys

from tests.bench.table import show

PARTS = (
    "placement",
    "browser",
    "trace",
    "corpus",
    "stepper",
    "read_comparison",
    "comparison",
    "program",
    "why",
    "model",
    "inspector",
    "playground",
    "pipeline",
    "reshard",
    "run",
    "search",
    "kernel",
    "many",
    "sizes",
    "guide",
    "imports",
    "memory",
)


def main(names: list[str]) -> None:
    """Prints the tables of some parts; of all, if none is named."""
    # Some say how many devices a CPU is, which must be said before any part runs.
    for part in [importlib.import_module(f"tests.bench.{name}") for name in names or PARTS]:
        show(part.rows())
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
