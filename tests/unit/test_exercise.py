"""``Exercise`` on the Python side: its traits, what the browser asks of it, ``check``, and what it saves."""

import json
import re
import subprocess
import sys

import jax
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.export import bundle, svg
from shardwidget.export import exercise as sheets
from tests.front_end import FakeComm

MESH = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


@pytest.fixture
def spec() -> sw.Exercise:
    return sw.Exercise.write_spec((8, 16), MESH, local_shape=(4, 4), hints=["first hint", "second hint"], name="spec")


def front_end(exercise) -> FakeComm:
    """The connection, which displaying opens."""
    exercise._repr_mimebundle_()
    assert isinstance(exercise.comm, FakeComm)
    return exercise.comm


def test_an_answer_goes_both_ways(spec):
    seen = []
    spec.observe(lambda change: seen.append((change["name"], change["new"])), ["answer", "passed", "attempts"])
    spec.answer = P("x", "y")
    assert (spec.answer, spec.passed, spec.attempts) == (P("x", "y"), False, 1)
    front_end(spec).from_browser(_asked={"n": 1, "do": "answer", "question": 0, "answer": {"spec": "P('y','x')"}})
    assert (spec.answer, spec.passed, spec.attempts) == (P("y", "x"), True, 2)
    assert ("passed", True) in seen
    assert ("answer", P("y", "x")) in seen
    state = front_end(spec).states[-1]
    assert (state["_heard"], state["_document"]) == (1, to_wire(spec.document))


def test_the_same_answer_again_counts_once(spec):
    for _ in range(3):
        spec.answer = P("x", "y")
        front_end(spec).from_browser(
            _asked={"n": spec.attempts, "do": "answer", "question": 0, "answer": {"spec": "P('x', 'y')"}}
        )
    assert spec.attempts == 1
    spec.answer = P("y")
    spec.answer = P("x", "y")
    assert spec.attempts == 3


def test_what_is_passed_stays_passed(spec):
    spec.answer = P("y", "x")
    spec.answer = P()
    assert (spec.passed, spec.attempts) == (True, 2)
    assert spec.document.questions[0].feedback.verdict == "wrong"
    spec.check()


def test_a_malformed_answer_loses_nothing(spec):
    spec.answer = P("x", "y")
    with pytest.warns(UserWarning, match="spec: not counted: names of mesh axes are strings: write 'y'") as said:
        spec.answer = "P(y)"
    # The warning is at the line that answers.
    assert [w.filename for w in said] == [__file__]
    assert (spec.answer, spec.attempts) == (P("x", "y"), 1)
    with pytest.raises(AssertionError, match=r"spec: the last answer does not count\. Names of mesh axes are strings"):
        spec.check()
    front_end(spec).from_browser(_asked={"n": 1, "do": "answer", "question": 0, "answer": {"spec": "P(y)"}})
    question = spec.document.questions[0]
    assert (spec.answer, spec.attempts, question.attempts) == (P("x", "y"), 1, 1)
    assert question.feedback.verdict == "malformed"
    assert question.feedback.message.startswith("Names of mesh axes are strings")
    assert question.answer[0].text == "P('x', 'y')"
    spec.answer = P("y", "x")
    assert spec.passed


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"n": 1},
        {"n": 1, "do": "answer", "question": 0},
        {"n": 1, "do": "answer", "question": 0, "answer": {}},
        {"n": 1, "do": "answer", "question": 0, "answer": {"spec": None}},
        {"n": 1, "do": "answer", "question": 0, "answer": {"nothing": "P()"}},
        {"n": 1, "do": "answer", "question": 7, "answer": {"spec": "P()"}},
        {"n": 1, "do": "answer", "question": "0", "answer": {"spec": "P()"}},
        {"n": 1, "do": "grade", "question": 0},
    ],
)
def test_nonsense_from_a_browser_does_nothing(spec, asked):
    front_end(spec).from_browser(_asked=asked)
    assert (spec.answer, spec.attempts, spec.passed) == (None, 0, False)


def test_the_browser_cannot_pass_it(spec):
    front_end(spec).from_browser(passed=True, attempts=5, answer="P('y', 'x')")
    assert (spec.answer, spec.attempts, spec.passed) == (None, 0, False)
    for name in ("passed", "attempts"):
        with pytest.raises(TraitError, match="read-only"):
            setattr(spec, name, 1)


def test_check_says_what_is_off(spec):
    with pytest.raises(AssertionError, match=r"spec: not answered yet.*exercise\.answer"):
        spec.check()
    spec.answer = P("x", "y")
    with pytest.raises(
        AssertionError, match=r"spec: not yet, after 1 attempt\. 8 rows over x=4 leave 2; blocks need 4\."
    ):
        spec.check()
    spec.answer = P("x", "x")
    with pytest.raises(AssertionError, match=r"after 2 attempts.*DuplicateSpecError: A single NamedSharding"):
        spec.check()
    spec.answer = P("y", "x")
    spec.check()


def test_no_feedback_prints_the_answer(spec):
    for wrong in (P("x", "y"), P(), P("x"), P("y"), P(("x", "y")), P(None, "x")):
        spec.answer = wrong
        feedback = spec.document.questions[0].feedback
        words = f"{feedback.message} {feedback.question} {feedback.gives} {sheets.feedback(spec.document.questions[0])}"
        assert "'y', 'x'" not in words
        assert "y" not in feedback.question


def test_hints_come_in_order(spec):
    assert spec.document.questions[0].hints == ()
    assert "first hint" not in json.dumps(to_wire(spec.document), default=str)
    assert spec.hint() == "first hint"
    front_end(spec).from_browser(_asked={"n": 1, "do": "hint", "question": 0})
    assert spec.document.questions[0].hints == ("first hint", "second hint")
    assert spec.document.questions[0].hints_left == 0
    assert spec.hint() == "There are no more hints."
    assert spec.attempts == 0


def test_the_truth_is_not_sent(spec):
    hidden = sw.Exercise.predict_type(
        lambda a: a.T, jax.ShapeDtypeStruct((8, 6), "float32", sharding=sharding("x", "y"))
    )
    assert "f32[6@y,8@x]" not in json.dumps(to_wire(hidden.document), default=str)
    assert "'y', 'x'" not in json.dumps(to_wire(spec.document), default=str)


def sharding(*spec):
    return NamedSharding(MESH, P(*spec))


def test_it_opens_no_connection_until_it_is_displayed(spec):
    assert spec.comm is None
    spec.answer = P("x", "y")
    (state,) = front_end(spec).states
    assert state["_esm"] == bundle.read("exercise.js")
    assert state["_document"] == to_wire(spec.document)
    other = sw.Exercise.write_spec((8, 16), MESH, copies=2)
    assert other.model_id == front_end(other).comm_id


def test_a_notebook_gets_the_widget_a_table_and_text(spec):
    spec.answer = "P('x', 'y')"
    data, _ = spec._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == spec.model_id
    assert data["text/plain"] == repr(spec)
    assert repr(spec).splitlines()[0] == "spec: not yet, 1 attempt"
    assert "Not yet. 8 rows over x=4" in repr(spec)
    assert "<table" in data["text/html"]
    assert "<script" not in data["text/html"]


def test_text_of_the_teacher_stays_text():
    e = sw.Exercise.write_spec((8, 16), MESH, copies=1, prompt="<img src=x onerror=alert(1)>", name="<b>")
    data, _ = e._repr_mimebundle_()
    assert "<img src=x" not in data["text/html"]
    assert "<b>:" not in data["text/html"]
    assert "<img src=x" not in e.to_html()


def test_a_saved_page_and_a_picture(spec, tmp_path):
    spec.answer = P("x", "y")
    page = spec.to_html()
    found = re.search(r'data-sw="state">(.*?)</script>', page)
    assert found
    state = json.loads(found[1])
    assert (state["_static"], state["current"]) == (True, 0)
    assert state["_document"]["questions"][0]["feedback"]["gives"] == "f32[2,8]"
    picture = spec.to_svg(tmp_path / "e.svg", width=600)
    text = (tmp_path / "e.svg").read_text(encoding="utf-8")
    assert (picture, text[:5]) == (str(tmp_path / "e.svg"), "<svg ")
    assert "[0:2, 0:8]" in text
    code = sw.Exercise.predict_error(lambda a: a, jax.ShapeDtypeStruct((8,), "float32", sharding=sharding("x")))
    assert svg.available()
    assert code.to_svg().startswith("<svg ")


def test_html_mode_needs_no_front_end():
    e = sw.Exercise.write_spec((8, 16), MESH, copies=1, mode="html")
    data, metadata = e._repr_mimebundle_()
    assert (set(data), metadata, e.comm) == ({"text/plain", "text/html"}, {}, None)


def test_wrong_arguments_are_answered():
    with pytest.raises(TypeError, match=r"no argument 'colour'. Its keyword arguments are prompt, hints, name, mode"):
        sw.Exercise.write_spec((8, 16), MESH, copies=1, colour=1)
    with pytest.raises(TypeError, match="hints must be a list of texts"):
        sw.Exercise.write_spec((8, 16), MESH, copies=1, hints="one")


def test_a_variant_follows_from_its_seed():
    def make(draw):
        n = draw.choice([8, 16, 24, 32, 40, 48, 56, 64])
        return sw.Exercise.write_spec((n, 16), MESH, local_shape=(n // 2, 4))

    prompts = {
        seed: sw.Exercise.variant(make, seed=seed).document.questions[0].prompt for seed in ("ada", "bob", "eve", 1)
    }
    assert prompts == {seed: sw.Exercise.variant(make, seed=seed).document.questions[0].prompt for seed in prompts}
    assert len(set(prompts.values())) > 1
    # The same on every machine and Python.
    assert "f32[32,16]" in prompts["ada"]


def test_an_answer_that_cannot_be_judged_is_said_and_not_counted(spec, monkeypatch):
    def fails(answer):
        raise RuntimeError("no device")

    with monkeypatch.context() as patch:
        patch.setattr(spec._attempts.kind, "judge", fails)
        front_end(spec).from_browser(_asked={"n": 1, "do": "answer", "question": 0, "answer": {"spec": "P()"}})
    assert (spec.attempts, spec.document.questions[0].feedback.verdict) == (0, "malformed")
    assert "RuntimeError: no device" in spec.document.questions[0].feedback.message
    spec.answer = P("y", "x")
    assert spec.passed


IMPORTED = """
import sys
import shardwidget
print([m for m in sys.modules if m.startswith("shardwidget.") and ("teach" in m or "widgets.exercise" in m)])
shardwidget.Exercise
print("shardwidget.teach.kind" in sys.modules)
"""


@pytest.mark.once
def test_importing_shardwidget_does_not_import_exercises():
    command = [sys.executable, "-c", IMPORTED]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    assert out.split() == ["[]", "True"]
    assert {"Exercise", "ExerciseSet"} <= set(dir(sw))
