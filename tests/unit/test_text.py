"""The Unicode picture: what is in it, that it is aligned, and how it reports what it leaves out."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwidget._format import byte_count
from shardwidget.document import Cut, Dim, Ints, Placement
from shardwidget.export.text import picture
from shardwidget.export.words import clip
from tests.placements import mesh, placement


def grid_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.endswith(tuple("┐┤┘│╎"))]


def tiles(text: str) -> list[str]:
    rows = [re.split("[│╎]", line)[1:-1] for line in text.splitlines() if line.endswith(("│", "╎"))]
    return [tile.strip() for row in rows for tile in row]


def test_two_dimensions():
    x = placement(mesh(x=4, y=2), (8, 16), (("x",), ("y",)), type="f32[8@x,16@y]", spec="P('x', 'y')")
    assert (
        picture(x)
        == """\
x: f32[8@x,16@y]  P('x', 'y')
512 B array · 64 B on each of 8 devices · 1 copy
mesh x=4 y=2 · 8 × cpu
In the tiles: device ids.

dim 0 ↓ dim 1 →   y=0 0:8   y=1 8:16
                ┌─────────┬──────────┐
x=0 0:2         │    0    │    1     │
                ├─────────┼──────────┤
x=1 2:4         │    2    │    3     │
                ├─────────┼──────────┤
x=2 4:6         │    4    │    5     │
                ├─────────┼──────────┤
x=3 6:8         │    6    │    7     │
                └─────────┴──────────┘"""
    )


def test_copies_and_partial_sums_are_joined_by_different_signs():
    on = mesh(z=2, y=2, x=2)
    text = picture(placement(on, (4,), (("x",),), unreduced=("y",)))
    assert "╎ 0=4+2=6 ╎ 1=5+3=7 ╎" in text
    assert "2 copies over z, 32 B spent on replicas" in text
    assert "Unreduced over y" in text
    assert "= joins copies; + joins partial sums." in text

    largest = picture(dataclasses.replace(placement(on, (4,), (("x",),), unreduced=("y",)), unreduced_kind="max"))
    assert "Unreduced over y: the partial maxima are still to be combined." in largest
    assert "= joins copies; + joins partial maxima." in largest

    plain = picture(placement(on, (4,), (("x",),)))
    assert "│ 0=2=4=6 │ 1=3=5=7 │" in plain
    assert "partial" not in plain


def test_a_dimension_over_two_axes_is_labelled_with_both():
    text = picture(placement(mesh(x=4, y=2), (16,), (("y", "x"),)))
    assert "y=0,x=3 6:8" in text
    assert "y=1,x=0 8:10" in text


def test_facets_for_a_third_split_dimension():
    text = picture(placement(mesh(x=2, y=2, z=2), (2, 2, 4, 4), ((), ("x",), ("y",), ("z",))))
    first, second = text.split("dim 1 x=1 1:2")
    assert "dim 1 x=0 0:1" in first
    assert "│    2    │    3    │" in first
    assert "│    6    │    7    │" in second


def test_rows_and_columns_can_be_chosen():
    x = placement(mesh(x=4, y=2), (8, 16), (("x",), ("y",)))
    turned = picture(x, row_dim=1, column_dim=0)
    assert "\ny=0 0:8 " in turned
    assert tiles(turned) == ["0", "2", "4", "6", "1", "3", "5", "7"]
    assert picture(x, row_dim=0) == picture(x, column_dim=1) == picture(x)


def test_a_mesh_alone():
    text = picture(Placement(mesh(a=2, b=2, c=2), None))
    assert text.startswith("mesh a=2 b=2 c=2 · 8 × cpu\n")
    assert "\nc=1\n" in text
    assert tiles(text) == ["0", "2", "4", "6", "1", "3", "5", "7"]
    assert "array" not in text


@pytest.mark.parametrize("rank", range(9))
def test_every_rank_names_every_device_once(rank: int):
    on = mesh(x=2, y=2)
    split = ((),) * (rank - 2) + (("x",), ("y",)) if rank > 1 else (("x", "y"),) * rank
    drawn = tiles(picture(placement(on, (4,) * rank, split)))
    assert sorted(device for tile in drawn for device in tile.split("=")) == ["0", "1", "2", "3"]


def test_what_is_left_out_is_counted():
    text = picture(placement(mesh(x=64, y=64), (64, 6400), (("x",), ("y",))))
    assert text.endswith("Shown: 16 of 64 rows, 8 of 64 columns.")
    assert len(text.splitlines()) < 50
    assert "0=1=2=3=4=5=6=7 …56 more" in picture(placement(mesh(x=64), (4,)))
    facets = picture(placement(mesh(x=8, y=2, z=2), (8, 2, 2), (("x",), ("y",), ("z",))))
    assert facets.endswith("Shown: 4 of 8 facets.")


def test_states():
    on = mesh(x=2)
    assert "Deleted" in picture(placement(on, (4,), (("x",),), state="deleted"))
    assert "without data" in picture(placement(on, (4,), (("x",),), state="abstract"))
    assert "Reduced over x" in picture(placement(on, (4,), reduced=("x",)))
    loose = dataclasses.replace(placement(on, (4,)), dims=(Dim(4, unconstrained=True),))
    assert "Unconstrained: dim 0" in picture(loose)
    abstract = placement(dataclasses.replace(on, abstract=True, kind="", platform=""), (4,), (("x",),))
    assert "positions in the abstract mesh" in picture(abstract)


def test_devices_of_other_processes_are_marked():
    text = picture(placement(mesh([0, 0, 1, 1], x=4), (8,), (("x",),)))
    assert tiles(text) == ["0", "1", "2@1", "3@1"]
    assert "this process (0) cannot read" in text


def test_an_index_map_of_the_shardings_own():
    cut = Cut(starts=Ints.pack([0, 3]), stops=Ints.pack([3, 8]), part=Ints.pack([1, 0]))
    x = dataclasses.replace(placement(mesh(i=2), (8,)), dims=(Dim(8, cut=cut),))
    text = picture(dataclasses.replace(x, mesh=dataclasses.replace(x.mesh, axes=())))
    assert "0:3   3:8" in text
    assert "│  1  │  0  │" in text
    assert "at most 20 B" in text


@given(name=st.text(min_size=1, max_size=60), rank=st.integers(0, 4))
def test_any_axis_name_leaves_the_boxes_aligned(name: str, rank: int):
    text = picture(placement(mesh(**{name: 4}), (8,) * rank, ((name,),) * min(rank, 1)))
    assert len({len(line) for line in grid_lines(text)}) == 1
    assert all(c.isprintable() or c == "\n" for c in text)


def test_a_very_long_axis_name_is_cut_short():
    text = picture(placement(mesh(**{"a" * 10_000: 4}), (8,), (("a" * 10_000,),), type="f32[8@" + "a" * 10_000 + "]"))
    assert max(map(len, text.splitlines())) < 200
    assert "aaaaaaaaaaa…=3 6:8" in text


def test_byte_counts():
    assert [byte_count(n) for n in (0, 512, 1023, 1024, 1536, 2**30, 3 * 2**40)] == [
        "0 B",
        "512 B",
        "1023 B",
        "1 KiB",
        "1.5 KiB",
        "1 GiB",
        "3 TiB",
    ]


def test_clip():
    assert clip("abc", 3) == "abc"
    assert clip("abcd", 3) == "ab…"
    assert clip("a\nb\x1b", 9) == r"a\nb\x1b"
    assert clip("\u202e\ud800", 7) == "\\u202e…"
