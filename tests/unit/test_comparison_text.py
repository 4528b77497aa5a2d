"""A comparison as text and as a table: every value, nothing silently left out, the user's names as text."""

import re
from dataclasses import replace

import pytest

from shardwidget.document import Comparison, Row, Source
from shardwidget.export.comparison import MOST, MOST_LINES, picture, table, tally
from shardwidget.findings.comparison import folded, typed, verdict
from tests.comparisons import COMPARISONS, arrays, hostile, layer, refused, scopes, stopped, training
from tests.markup import Parsed


def test_a_result_of_a_row_that_differs_is_no_second_row_that_differs():
    doc = layer()
    (odd,) = (row for row in doc.rows if any(v.agreement == "differs" for v in row.values))
    names = tuple(v.name for v in odd.values)
    result = replace(odd, primitive="outputs", inputs=names, error=None, collectives=())
    assert verdict([*doc.rows, result], doc.program).endswith("; 1 row differs")
    other = replace(result, inputs=("another",))
    assert verdict([*doc.rows, other], doc.program).endswith("; 2 rows differ")


def test_of_a_long_message_the_headline_has_the_beginning():
    doc = layer()
    (stop,) = (row for row in doc.rows if row.error)
    failure = stop.error
    assert failure

    def headline(message: str) -> str:
        error = replace(failure, error="AssertionError", explanation="", message=message)
        return verdict([replace(stop, error=error, values=())], doc.program)

    assert headline("blocks differ. See above") == "Line 4 stops on an Explicit mesh: blocks differ"
    long = headline("the blocks of " + "a very long name, " * 20)
    assert long == f"Line 4 stops on an Explicit mesh: the blocks of {'a very long name, ' * 4}a…"
    assert headline("x" * 200) == f"Line 4 stops on an Explicit mesh: {'x' * 90}…"


def test_text_of_a_comparison():
    lines = picture(layer()).splitlines()
    assert lines[0] == "layer: line 4 stops on an Explicit mesh: ShardingTypeError; 1 row differs"
    assert lines[1] == "7 rows on mesh x=4 y=2: 1 type error, 1 placement differs, 2 collectives inserted"
    assert lines[2:4] == [
        "1. 4: y = r @ w2  dot_general: ShardingTypeError",
        "   fixed by: y = jnp.matmul(r, w2, out_sharding=P('x', None))",
    ]
    assert lines[4].split("  ")[0] == "source"
    assert "compiled from Auto" in lines[4]
    (product,) = (line for line in lines if line.startswith("2: h = x @ w1"))
    cells = ["2: h = x @ w1", "dot_general", "f32[128@x,256@y]", "f32[128,256]", "f32[128@x,256@y]", "same"]
    assert re.split(r" {2,}", product) == cells
    text = " ".join(line.strip() for line in lines)
    stop = layer().rows[3].error
    assert stop
    assert f"JAX: {stop.message}" in text
    assert "used below: y = jnp.matmul(r, w2, out_sharding=P('x', None))  gives f32[128@x,16]" in text
    assert "or: y = jnp.matmul(r, w2, out_sharding=P('x', 'y'))" in text
    assert "all-reduce over y: f32[32,16], 2 KiB per device, inserted by the compiler" in text
    assert "DIFFERS. scale is split on y and the compiler carried that back to the matmul." in text


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (layer, "7 rows on mesh x=4 y=2: 1 type error, 1 placement differs, 2 collectives inserted"),
        (training, "1 placement differs, 4 collectives inserted, 4 replications"),
        (arrays, "4 rows on mesh x=4 y=2: 1 placement differs"),
        (scopes, "8 rows on mesh x=4 y=2: nothing to compare"),
        (lambda: replace(layer(), rows=layer().rows[:3]), "3 rows on mesh x=4 y=2: all the same"),
    ],
)
def test_the_second_line_counts(make, words):
    assert any(line.endswith(words) for line in picture(make()).splitlines()[:2])


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_value_has_a_line_and_a_row(name):
    c: Comparison = COMPARISONS[name]()
    parsed = Parsed(table(c))
    # Rows of a line that say the same are one.
    listed = [rows[-1] for rows in folded(c.rows)]
    values = sum(max(1, len(row.values)) for row in listed)
    under = sum(len(row.collectives) for row in c.rows)
    under += sum(bool(row.error.explanation) + 1 + len(row.fixes) for row in c.rows if row.error)
    assert parsed.elements.count("tr") == 1 + values + under
    assert parsed.elements.count("td") == 5 * values + under
    for row in listed:
        for v in row.values:
            concrete = v.concrete and (typed(v, v.concrete) if c.of == "function" else v.concrete.text)
            for text in (v.explicit and v.explicit.text, v.auto, concrete):
                assert not text or text in "".join(parsed.words)


def test_a_note_and_an_error_without_a_way_on_are_there():
    assert picture(scopes()).endswith("sw.tpu_mesh('v5e:2x4', ('x', 'y')).")
    assert "sw.tpu_mesh" in Parsed(table(scopes())).words[-1]
    text = picture(stopped())
    assert "JAX: Contracting" in text
    assert "used below" not in text


def test_a_fix_that_no_row_follows_from_comes_first_and_jax_s_words_are_on_one_line():
    text = picture(refused())
    first, fix = text.splitlines()[2:4]
    assert first.endswith("error: TypeError")
    assert fix.strip() == "fixed by: return jax.lax.scan(body, jax.reshard(x, P(None, 'y')), None, length=3)[0]"
    assert "fix: return jax.lax.scan" in text
    assert "\\n" not in text


def test_arrays_have_names_types_and_shardings():
    lines = picture(arrays()).splitlines()
    assert lines[1].split() == ["array", "type", "sharding", "type", "vs", "sharding"]
    assert "params['b']  f32[16]" in lines[3]
    assert "DIFFERS." in lines[3]


def test_a_long_comparison_is_cut_and_says_so():
    base = layer()
    lines = tuple(replace(base.rows[1], source=Source("a.py", k, "", "f")) for k in range(100))
    c = replace(base, rows=lines)
    text = picture(c).splitlines()
    assert len(text) <= MOST_LINES
    assert text[-1].startswith("… 44 more rows as typed: comparison.rows and comparison.to_json()")
    assert Parsed(table(c)).words[-1] == f"… {len(lines) - MOST} more rows"
    assert "more" not in picture(replace(c, rows=lines[: MOST_LINES - 3]))


def test_of_rows_that_do_not_fit_those_that_differ_come_first():
    base = layer()
    equal = [replace(base.rows[1], source=Source("a.py", k, "", "f")) for k in range(100)]
    odd = next(row for row in base.rows if any(v.agreement == "differs" for v in row.values))
    odd = replace(odd, error=None, collectives=())
    late = [replace(odd, source=Source("a.py", 200 + k, "", "f")) for k in range(3)]
    text = picture(replace(base, rows=(*equal, *late))).splitlines()
    assert len(text) <= MOST_LINES
    rows = text[text.index(next(line for line in text if line.startswith("source"))) + 1 :]
    assert rows[0].startswith("200:")
    assert [line[:4] for line in rows if "DIFFERS" in line] == ["200:", "201:", "202:"]
    assert "200: " in (again := picture(replace(base, rows=(*equal, *late * 40))))
    assert again.count("40 times") == 3
    many = [replace(odd, source=Source("a.py", 200 + k, "", "f")) for k in range(90)]
    many = picture(replace(base, rows=(*equal, *many))).splitlines()
    assert len(many) <= MOST_LINES
    assert re.match(r"… \d+ more rows to look at, 100 more rows as typed: comparison.rows", many[-1])


def test_rows_of_one_line_with_equal_shardings_are_one():
    base = layer()
    one, other = base.rows[1], base.rows[3]
    text = picture(replace(base, rows=(one, one, one, other)))
    assert text.count("2: h = x @ w1  dot_general  3 ops") == 1
    assert [len(rows) for rows in folded((one, one, replace(one, remark="gathered"), one, other))] == [2, 1, 1, 1]


def test_what_the_user_named_comes_out_as_text_on_short_lines():
    parsed = Parsed(table(hostile()))
    assert set(parsed.elements) == {"div", "p", "b", "table", "tr", "th", "td"}
    assert parsed.attributes == {"style", "colspan"}
    assert "<script>alert(1)</script>" in "".join(parsed.words)
    assert max(map(len, picture(hostile()).splitlines()[:-1])) < 260


def test_results_come_last_however_long_a_program_is_and_inspected_places_say_so():
    base = layer()
    results = replace(base.rows[4], primitive="outputs", source=None)
    rolled = replace(base.rows[1], inspected=True)
    lines = picture(replace(base, rows=(*base.rows, *([rolled] * MOST), results))).splitlines()
    assert any("f32[128@x,256@y] (inspected)" in line for line in lines)
    assert lines[-1].startswith("outputs")


def test_a_result_that_differs_where_it_is_made_is_counted_once():
    c = training()
    made = next(row for row in c.rows if any(v.agreement == "differs" for v in row.values))
    ends = Row("outputs", tuple(replace(v, name="d loss/d w") for v in made.values), inputs=(made.values[0].name,))
    assert tally(replace(c, rows=(*c.rows, ends))) == tally(c)
    elsewhere = replace(ends, inputs=("another",))
    assert tally(replace(c, rows=(*c.rows, elsewhere)))[0] == "2 placements differ"
