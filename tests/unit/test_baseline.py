"""The fixture ``sharding_baseline``: what it writes, and what it says of differences."""

import pytest

import shardwidget
from shardwidget.testing.baseline import Baseline, baseline, differences, parsed
from tests.memories import MEMORIES
from tests.models import MODELS
from tests.programs import PROGRAMS

pytest_plugins = ["pytester"]

EXAMPLES = {
    "program": lambda: PROGRAMS["training"](),
    "loop": lambda: PROGRAMS["ring"](),
    "hostile": lambda: PROGRAMS["hostile"](),
    "model": lambda: MODELS["state"](),
    "memory": lambda: MEMORIES["training"](),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_file_is_read_as_it_was_written(name):
    made = baseline(EXAMPLES[name]())
    assert made.rows
    assert parsed(made.text()) == made.rows
    assert differences("x.txt", parsed(made.text()), made).rows == ()


def test_a_program_is_a_readable_text():
    lines = baseline(PROGRAMS["ring"]()).text().splitlines()
    assert lines[0] == "# The collectives of step for TPU v5e 4×2: bytes that a device sends in a call, runs."
    assert lines[2] == "      14680064 B  ×1    | all-gather over i | y = h @ params.w_out"


def test_differences_name_what_is_new_gone_and_changed_the_largest_first():
    before = {"all-gather over data | a": (2048, 1), "all-reduce over data | b": (8, 1), "same | c": (4, 2)}
    rows = {"all-gather over data | a": (4096, 1), "all-to-all over data | d": (512, 3), "same | c": (4, 2)}
    diff = differences("step.txt", before, Baseline("", rows, "runs"))
    assert repr(diff).splitlines() == [
        "step.txt: 3 differences, first all-gather over data | a: 2 KiB ×1 before, 4 KiB ×1 now",
        "         what                      before    now",
        "changed  all-gather over data | a  2 KiB ×1  4 KiB ×1",
        "new      all-to-all over data | d            512 B ×3",
        "gone     all-reduce over data | b  8 B ×1",
        "Bytes on a device × runs. 1 row as before.",
    ]


def test_many_differences_are_counted():
    rows = {f"all-gather over data | line {n}": (n, 1) for n in range(40)}
    text = repr(differences("step.txt", {}, Baseline("", rows, "runs")))
    assert "40 differences, first all-gather over data | line 39: new, 39 B ×1" in text
    assert "… 10 more differences: .rows has all" in text


@pytest.mark.parametrize(("size", "found"), [(1029, 0), (1031, 1), (971, 0), (969, 1)])
def test_bytes_of_a_memory_may_be_off_a_little(size, found):
    now = Baseline("", {"peak": (size, 1)}, "buffers", 0.03)
    assert len(differences("x.txt", {"peak": (1000, 1)}, now).rows) == found


@pytest.mark.parametrize("line", ["12 B | x", "many B ×1 | x", "12 B ×1 x"])
def test_a_damaged_file_says_where(line):
    with pytest.raises(ValueError, match="line 2 is not one of a baseline"):
        parsed(f"# about\n{line}\n")


def test_only_some_documents_have_one():
    with pytest.raises(TypeError, match=r"what read.program, read.model or read.memory returns; got a dict"):
        baseline({})  # pyright: ignore


TEST = """
import json
from dataclasses import replace
from pathlib import Path
from tests.models import MODELS

def test_tree(sharding_baseline):
    model = MODELS["state"]()
    if Path("changed").exists():
        model = replace(model, types=tuple(replace(t, bits=2 * t.bits) for t in model.types))
    sharding_baseline(model)
"""


@pytest.mark.once
def test_a_baseline_in_a_project(pytester: pytest.Pytester, request: pytest.FixtureRequest):
    pytester.syspathinsert(request.config.rootpath)
    pytester.makepyfile(test_train=TEST)
    file, page = (
        pytester.path / "sharding/test_train.test_tree.txt",
        pytester.path / "sharding/test_train.test_tree.html",
    )

    def run(*options: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)

    run().stdout.fnmatch_lines(["*AssertionError: there is no */sharding/test_train.test_tree.txt. Write it*"])
    run("--update-sharding").assert_outcomes(passed=1)
    assert "params/" in file.read_text(encoding="utf-8")
    run().assert_outcomes(passed=1)
    (pytester.path / "changed").touch()
    run().stdout.fnmatch_lines(["*test_tree.txt: * differences, first *", "*As a page, with what it is now: *.html.*"])
    assert shardwidget.load(page, number=0).kind == "baseline diff"
    assert shardwidget.load(page, number=1).kind == "model"
    run("--update-sharding").assert_outcomes(passed=1)
    assert not page.exists()
    # And as a project does, in a process of its own.
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
