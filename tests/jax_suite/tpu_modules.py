"""Modules that the TPU compiler wrote for the programs of ``test_memory``, with its own figures.

To compile them takes minutes: ``python -m tests.jax_suite.tpu_modules`` records them anew.
"""

import functools
import gzip
import json
import re
from pathlib import Path
from typing import NamedTuple

RECORDED = Path(__file__).with_suffix(".json.gz")

_UNREAD = ("metadata", "frontend_attributes", "sharding", "replica_groups")
"""Attributes of instructions that memory does not follow from."""
_ALIASING = re.compile(r'"aliasing_operands":\{"lists":\[(?:\{"indices":\[[^\]]*\]\},?)*\]\}')


class Recorded(NamedTuple):
    """A compiled program."""

    text: str
    peak: int
    """The compiler's ``peak_memory_in_bytes``."""
    version: str
    """Of JAX."""


@functools.cache
def load() -> dict[str, Recorded]:
    """The recorded modules by name."""
    return {name: Recorded(*each) for name, each in json.loads(gzip.decompress(RECORDED.read_bytes())).items()}


def shortened(text: str) -> str:
    """A module without what nothing about memory follows from."""
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    for name in _UNREAD:
        while (at := line.find(f", {name}={{")) >= 0:
            line = line[:at] + line[_end(line, line.index("{", at)) :]
    at = line.find(", backend_config={")
    if at < 0:
        return line
    end = _end(line, line.index("{", at))
    kept = _ALIASING.search(line[at:end])
    return f"{line[:at]}{f', backend_config={{{kept[0]}}}' if kept else ''}{line[end:]}"


def _end(line: str, at: int) -> int:
    """Where the bracket that opens at a place is closed."""
    depth, quoted = 0, False
    for k in range(at, len(line)):
        quoted ^= line[k] == '"' and line[k - 1] != "\\"
        depth += 0 if quoted else (line[k] in "{[") - (line[k] in "}]")
        if depth == 0:
            return k + 1
    return len(line)


def record() -> None:
    """Compiles the programs for eight chips, too large for the memory on the chip, and writes their modules."""
    import jax
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    import shardwidget as sw

    jax.config.update("jax_num_cpu_devices", 8)
    from tests.jax_suite.test_memory import PROGRAMS

    mesh = sw.tpu_mesh("v5e:2x4", ("data", "model"))

    def typed(shape, *spec):
        return jax.ShapeDtypeStruct(shape, "bfloat16", sharding=NamedSharding(mesh, P(*spec)))

    w = {"up": typed((3, 1024, 4096), None, "data", "model"), "down": typed((3, 4096, 1024), None, "model", "data")}
    x = typed((256, 1024, 1024), "data")
    found = {}
    for name, (f, donated) in PROGRAMS.items():
        compiled = jax.jit(f, donate_argnums=donated).lower(w, x).compile()
        stats = compiled.memory_analysis()
        assert stats
        found[name] = Recorded(shortened(compiled.as_text() or ""), stats.peak_memory_in_bytes, jax.__version__)
    RECORDED.write_bytes(gzip.compress(json.dumps(found).encode(), mtime=0))


if __name__ == "__main__":
    record()
