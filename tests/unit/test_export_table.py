"""The plain table: only what a sanitiser keeps, everything escaped, colours by place, nothing silently left out."""

import re

import pytest

from shardwidget.document import Placement
from shardwidget.export.color import tile_color
from shardwidget.export.table import table
from tests.markup import HOSTILE, Parsed
from tests.placements import mesh, placement


def cells(html: str) -> list[tuple[str, str]]:
    """Colour and text of each tile."""
    return re.findall(r"<td [^>]*background:(#[0-9a-f]{6})[^>]*>([^<]*)</td>", html)


def test_colours_are_those_of_the_design():
    eight = ["#aad1fd", "#5a9be2", "#baf3d0", "#5ec48e", "#e6cf98", "#bc962e", "#f3b7cd", "#d17399"]
    assert [tile_color((i, j), (4, 2)) for i in range(4) for j in range(2)] == eight


def test_a_tile_has_the_colour_of_its_place_and_the_ids_of_its_devices():
    on = mesh(x=4, y=2)
    split = cells(table(placement(on, (8, 16), (("x",), ("y",)))))
    assert [text for _, text in split] == list("01234567")
    assert [color for color, _ in split] == [tile_color((i, j), (4, 2)) for i in range(4) for j in range(2)]
    whole = cells(table(placement(on, (8, 16), (("x",),))))
    assert [text for _, text in whole] == ["0=1", "2=3", "4=5", "6=7"]


@pytest.mark.parametrize("rank", range(9))
def test_only_what_a_sanitiser_keeps(rank: int):
    on = mesh(x=2, y=2, z=2)
    parsed = Parsed(table(placement(on, (2,) * rank, (("x",), ("y",), ("z",)))))
    assert set(parsed.elements) <= {"div", "p", "table", "tr", "th", "td"}
    assert parsed.attributes <= {"style", "colspan"}
    assert "device ids" in "".join(parsed.words)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_the_user_named_comes_out_as_text(text: str):
    on = mesh(**{text: 2})
    kinds = {"name": text, "dtype": text, "type": text, "spec": text, "memory_kind": text, "unreduced": (text,)}
    for x in (placement(on, (4, 4), ((), (text,)), **kinds), Placement(on, None, name=text)):
        parsed = Parsed(table(x))
        assert set(parsed.elements) <= {"div", "p", "table", "tr", "th", "td"}
        assert text[:8] in "".join(parsed.words)
        assert len("".join(parsed.words)) < 2_000


def test_rows_and_columns_beyond_the_limit_are_counted():
    html = table(placement(mesh(x=128, y=32), (128, 32), (("x",), ("y",))))
    assert len(cells(html)) == 64 * 16
    assert "Not shown: 64 more rows and 16 more columns." in html
    assert "Not shown" not in table(placement(mesh(x=64), (64, 1), (("x",),)))


def test_rows_are_counted_over_facets():
    html = table(placement(mesh(x=3, y=32, z=2), (3, 32, 2), (("x",), ("y",), ("z",))))
    assert html.count("<td") == 64 * 2
    assert "Not shown: 32 more rows." in html
    assert [title for title in ("dim 0 x=0", "dim 0 x=1", "dim 0 x=2") if title in html] == ["dim 0 x=0", "dim 0 x=1"]


def test_unreduced_tiles_have_a_dashed_edge():
    on = mesh(x=2, y=2)
    assert "dashed" in table(placement(on, (4,), (("x",),), unreduced=("y",)))
    assert "dashed" not in table(placement(on, (4,), (("x",),)))
