"""A trace as text and as a table: every step, nothing silently left out, the user's names as text."""

import re
from dataclasses import replace

import pytest

from shardwidget.document import Failure, Fix
from shardwidget.export import trace as export
from shardwidget.export.trace import MOST, facts, headline, picture, table, verdict
from tests.markup import HOSTILE, Parsed
from tests.traces import TRACES, Program, error, psum, scan

LINES = [line.strip() for line in psum().listings[0].lines]


def test_text_of_a_trace():
    rows = [re.split(r" {2,}", line.strip()) for line in picture(psum()).splitlines()]
    assert rows == [
        ["f: first collective: step 3, cell 3:5: psum of p over y."],
        ["5 steps on mesh x=4 y=2, run on its devices"],
        ["step", "gives", "communication", "source"],
        ["0", "in_specs", "a f32[2,2]{V:(x,y)}, b f32[2,4]{V:y}", f"cell 3:1 {LINES[0]}"],
        ["1", "pvary (implicit)", "b f32[2,4]{V:(x,y)}", "cell 3:4 p = a @ b"],
        ["2", "dot_general", "p f32[2,4]{V:(x,y)}", "cell 3:4 p = a @ b"],
        ["3", "psum_invariant", "s f32[2,4]{V:x}", "over y, 32 B per device", f"cell 3:5 {LINES[4]}"],
        ["4", "out_specs", "out f32[8@x,4]", "cell 3:2 out_specs=P('x'))"],
    ]


@pytest.mark.parametrize("name", TRACES)
def test_every_trace_has_a_line_and_a_row_for_each_step(name):
    trace = TRACES[name]()
    lines = picture(trace).splitlines()
    assert lines[0] == headline(trace)
    begin = 2 + len(verdict(trace))
    for number, step in enumerate(trace.steps):
        assert lines[begin + number].split()[:2] == [str(number), step.primitive]
    parsed = Parsed(table(trace))
    assert parsed.elements.count("tr") == 1 + len(trace.steps)
    assert parsed.elements.count("td") == parsed.elements.count("th") * len(trace.steps)


@pytest.mark.parametrize(
    ("engine", "words"), [("mesh", "run on its devices"), ("host", "simulated on the host"), ("types", "types only")]
)
def test_the_second_line_says_where_the_values_come_from(engine, words):
    assert facts(replace(psum(), engine=engine)) == f"5 steps on mesh x=4 y=2, {words}"
    assert headline(replace(psum(), name="")).startswith("f: first collective")


def test_where_a_program_stops_and_why():
    trace = error()
    assert facts(trace).endswith("stops with ValueError")
    stops, *fixes, said = verdict(trace)
    assert picture(trace).splitlines()[0] == f"f: {stops}"
    promise = "Along i, y is not the same block on all devices, but out_specs P() says that it is."
    assert stops.startswith(f"stops at step {trace.event}")
    assert stops.endswith(promise)
    assert trace.error is not None
    assert len(fixes) == (1 + len(trace.error.fixes) if trace.error.fixes else 0)
    assert said == "ValueError: shard_map applied to the function 'f' was given out_specs which require replication"
    assert any(promise in words for words in Parsed(table(trace)).words)


def test_a_long_trace_is_cut_and_says_so(monkeypatch):
    f = Program(i=2)
    (x,) = f.arguments(("x", scan().variables[0].value(0).repeat(2, 0)[:2], ("i", None)))
    for _ in range(MOST + 40):
        x = f.local("add", "x", lambda v: v + 1, x)
    trace = f.trace()
    lines = picture(trace).splitlines()
    assert len(lines) == MOST - 1
    assert (
        lines[2] == f"… {len(trace.steps) - 55} steps before"
    )  # Without a collective, the last step is the first to see.
    rest = "… 41 more steps: `trace.steps`, or `view.document.steps` of a stepper, has them all"
    monkeypatch.setattr(export, "LARGEST", MOST)
    parsed = Parsed(table(trace))
    assert parsed.elements.count("tr") == 1 + MOST
    assert parsed.words[-1] == rest


def test_a_table_has_every_step_and_of_a_long_trace_the_later_iterations_of_a_loop_in_one_row(monkeypatch):
    trace = scan()
    loops = [s for s in trace.steps if s.scope >= 0 and trace.scopes[s.scope].kind == "iteration"]
    assert Parsed(table(trace)).elements.count("tr") == 1 + len(trace.steps)
    monkeypatch.setattr(export, "WHOLE", len(trace.steps) - 1)
    parsed = Parsed(table(trace))
    first = sum(trace.scopes[s.scope].iteration == 0 for s in loops)
    assert parsed.elements.count("tr") == 1 + len(trace.steps) - len(loops) + first + 1
    assert "scan, iteration 2 to 12 of 12" in parsed.words
    assert f"{len(loops) - first} steps" in parsed.words


def test_exactly_as_many_steps_as_are_listed_are_not_cut():
    trace = psum()
    steps = (trace.steps * MOST)[: MOST - 3]
    assert "more step" not in picture(replace(trace, steps=steps))
    assert "… 3 more steps:" in picture(replace(trace, steps=(*steps, steps[0])))


def test_the_step_to_look_at_first_is_listed_however_late_it_is():
    trace = psum()
    local, collective = trace.steps[1], trace.steps[3]
    lines = picture(replace(trace, steps=(*[local] * 70, collective, *[local] * 40))).splitlines()
    assert len(lines) <= MOST
    assert "… 42 steps before" in lines
    assert any(line.split()[:2] == ["70", "psum_invariant"] for line in lines)
    assert lines[-1].startswith("… 14 more steps")


@pytest.mark.parametrize("text", HOSTILE)
def test_what_the_user_named_comes_out_as_text(text):
    trace = error()
    evil = tuple(replace(v, name=text, type=text) for v in trace.variables)
    steps = tuple(
        replace(
            s, outputs=tuple(evil[v.id] for v in s.outputs), source=s.source and replace(s.source, text=text, file=text)
        )
        for s in trace.steps
    )
    failure = Failure("ValueError", text, text, fixes=(Fix(text, text),), kind="user")
    html = table(replace(trace, name=text, steps=steps, variables=evil, error=failure))
    parsed = Parsed(html)
    assert set(parsed.elements) == {"div", "p", "b", "table", "tr", "th", "td"}
    assert parsed.attributes == {"style"}
    assert text[:30] in "".join(parsed.words)


def test_lines_stay_short_whatever_the_names():
    trace = psum()
    long = "n" * 10_000
    steps = tuple(replace(s, outputs=tuple(replace(v, name=long) for v in s.outputs)) for s in trace.steps)
    assert max(map(len, picture(replace(trace, steps=steps, name=long)).splitlines())) < 220
