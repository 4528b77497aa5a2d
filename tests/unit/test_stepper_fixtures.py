"""The front end is tested against what Python says today."""

import pytest

from tests.fixtures import FILES, FOLDER


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_what_python_says(name):
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == FILES[name](), "run `python -m tests.fixtures` and look at what changes"
