"""The front end is tested against what Python says today."""

import json
from typing import Any

import jax
import pytest

from tests.fixtures import FILES, FOLDER

OF_JAX = ("jax_version", "space", "sums", "terms", "wordings")
"""What each version of JAX words differently."""


def without_words(data: Any) -> Any:
    """A document without what each version of JAX words differently."""
    if isinstance(data, dict):
        return {key: without_words(value) for key, value in data.items() if key not in OF_JAX}
    return [without_words(value) for value in data] if isinstance(data, list) else data


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_what_python_says(name):
    written = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    said = json.loads(FILES[name]())
    if name == "kernel/kernels.json":
        for document in (written, said):
            del document["race"]["ops"]["values"]  # What a device reads there depends on which write is first.
            if jax.__version_info__ < (0, 10):  # Its kernels on cores do not know the names of their buffers.
                del document["cores"]
    assert without_words(written) == without_words(said), "run `python -m tests.fixtures` and look at what changes"
