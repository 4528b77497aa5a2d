"""The forms that answers take: every spelling of the same thing is the same, and nothing from outside is evaluated."""

import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

from shardwidget.read._entries import spec_text
from shardwidget.teach import forms, types
from shardwidget.teach.forms import AnswerError


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("P('x', None)", P("x", None)),
        ('P("x")', P("x")),
        ("PartitionSpec(('x', 'y'))", P(("x", "y"))),
        ("jax.P(None, ['x', 'y'])", P(None, ("x", "y"))),
        ("jax.sharding.PartitionSpec()", P()),
        (" 'x', None ", P("x", None)),
        ("('x', None)", P("x", None)),
        ("None", P(None)),
        ("P('x', P.UNCONSTRAINED)", P("x", P.UNCONSTRAINED)),
        ("P('x', unreduced={'y'})", P("x", unreduced=frozenset({"y"}))),
        ("P(reduced=frozenset({'y'}))", P(reduced=frozenset({"y"}))),
    ],
)
def test_a_spec_in_every_spelling(text, spec):
    assert forms.read_spec(text) == spec
    assert forms.read_spec(spec) is spec
    assert forms.read_spec(spec_text(spec)) == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing is filled in"),
        ("P(", "is not a PartitionSpec"),
        ("P(x)", "names of mesh axes are strings: write 'x'"),
        ("P(1)", "1 is not an entry"),
        ("P('x', axis='y')", "no argument 'axis'"),
        ("P(unreduced='y')", "not a set of axis names"),
        ("P(**d)", "no argument 'None'"),
        ("P(*d)", "not an entry"),
        ("open('f')", "not a PartitionSpec"),
        ("P(__import__('os').getpid())", "not an entry"),
        ("P(('x', ('y',)))", "not an entry"),
        ("(" * 3000, "is not a PartitionSpec"),
        ("'x'," * 5000, "at most 10000"),
        (3, "got a int"),
        (("x", None), "got a tuple"),
    ],
)
def test_what_is_not_a_spec_is_refused(text, words):
    with pytest.raises(AnswerError, match=words):
        forms.read_spec(text)


STRUCT = (
    "ShapeDtypeStruct(shape=(8, 4), dtype=float32, sharding=NamedSharding(mesh={mesh}('x': 4, 'y': 2, "
    "axis_types=({kinds})), spec={spec}, memory_kind=device))"
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("f32[8@x,16]", "f32[8@x,16]"),
        (" float32 [ 8 @ x , 16 ] ", "f32[8@x,16]"),
        ("bf16[8@(x,y)]", "bf16[8@(x,y)]"),
        ("bfloat16[8@(x, y)]", "bf16[8@(x,y)]"),
        ("f32[]", "f32[]"),
        ("i32[8]{U:y}", "i32[8]{U:y}"),
        ("int32[8]{U:(y,x), R:z}", "i32[8]{R:z, U:(x,y)}"),
        ("bool[2]", "bool[2]"),
        ("ShapedArray(float32[8@x,4])", "f32[8@x,4]"),
        ("ShapedArray(float32[], weak_type=True)", "f32[]"),
        ("ShapeDtypeStruct(shape=(8, 4), dtype=float32)", "f32[8,4]"),
        ("ShapeDtypeStruct(shape=(), dtype=int32, weak_type=True)", "i32[]"),
        ("ShapeDtypeStruct(shape=(8,), dtype=bfloat16, sharding=None)", "bf16[8]"),
        # JAX 0.9 writes PartitionSpec, later versions P.
        (STRUCT.format(mesh="Mesh", kinds="Explicit, Explicit", spec="PartitionSpec('x',)"), "f32[8@x,4]"),
        (STRUCT.format(mesh="Mesh", kinds="Explicit, Explicit", spec="P('x',)"), "f32[8@x,4]"),
        (STRUCT.format(mesh="Mesh", kinds="Explicit, Explicit", spec="P(None, ('y', 'x'))"), "f32[8,4@(y,x)]"),
        (STRUCT.format(mesh="Mesh", kinds="Explicit, Explicit", spec="P(unreduced={'y'})"), "f32[8,4]{U:y}"),
        (STRUCT.format(mesh="AbstractMesh", kinds="Explicit, Auto", spec="P('x', 'y')"), "f32[8@x,4]"),
    ],
)
def test_a_type_in_every_spelling(text, plain):
    assert types.read_type(text) == types.read_type(plain)
    assert str(types.read_type(text)) == plain


def test_types_that_differ_are_told_apart():
    texts = ["f32[8@x,16]", "f32[8,16@x]", "f32[8@(x,y)]", "f32[8@(y,x)]", "f32[8]{U:x}", "f32[8]", "i32[8]", "f32[4]"]
    assert len({types.read_type(t) for t in texts}) == len(texts)


@pytest.mark.parametrize(
    "text",
    [
        *("", "f32", "f32(8)", "f32[8@]", "f32[a]", "f32[8]{y}", "f32[8]{U:y", "[8]", 8, "f32[8@x@y]"),
        *("ShapeDtypeStruct(8)", STRUCT.format(mesh="Mesh", kinds="Explicit, Explicit", spec="P('x', None, 'y')")),
    ],
)
def test_what_is_no_type_is_refused(text):
    with pytest.raises(AnswerError):
        types.read_type(text)


def test_bytes_in_every_unit():
    assert {forms.read_bytes(b) for b in ("1024", "1024 B", "1 KiB", "1.0KiB", "1kib", 1024, np.int64(1024))} == {1024}
    for bad in ("", "1 KB", "many", "-1", "0.3 B", "1e9", 1.5, True, -1):
        with pytest.raises(AnswerError):
            forms.read_bytes(bad)


def test_devices_in_any_order():
    assert {forms.read_devices(d) for d in ("1, 0", "{0, 1}", "0 1", "[1;0]", [1, 0], {0, 1}, (0, 1, 1))} == {
        frozenset((0, 1))
    }
    for bad in ("", "a", "0 .. 3", [-1], [1.5], ["x"]):
        with pytest.raises(AnswerError):
            forms.read_devices(bad)


def test_shapes_and_slices():
    assert {forms.read_shape(s) for s in ("(2, 8)", "2,8", "[2, 8]", "2×8", (2, 8), [2, 8])} == {(2, 8)}
    assert forms.read_shape("()") == ()
    assert {forms.read_shape(s) for s in ("4", "(4,)", 4)} == {(4,)}
    for bad in ("", "a, b", "(2, -1)", "2.5", None):
        with pytest.raises(AnswerError):
            forms.read_shape(bad)
    same = ("[4:6, 0:16]", "x[4:6, :]", "4:6, :16", (slice(4, 6), slice(None)))
    assert {forms.read_slices(s, (8, 16)) for s in same} == {((4, 6), (0, 16))}
    for bad in ("[4:6]", "[4, 6]", "[4:6:2, :]", "", (1, 2), 7):
        with pytest.raises(AnswerError):
            forms.read_slices(bad, (8, 16))


def test_numbers_fill_a_block():
    for same in (
        "1, 2\n3, 4",
        "[[1, 2], [3, 4]]",
        "1 2; 3 4",
        [[1, 2], [3, 4]],
        np.arange(1, 5).reshape(2, 2),
        "1 2 3 4",
    ):
        np.testing.assert_array_equal(forms.read_numbers(same, (2, 2)), [[1, 2], [3, 4]])
    assert forms.read_numbers("−1", (1, 1)) == -1
    for bad in ("", "1 2 3", "1 2 3 x", "1" * 50, [[1], [2], [3]], object(), [[1, 2, 3, 4]]):
        with pytest.raises(AnswerError):
            forms.read_numbers(bad, (2, 2))
    block = np.array([[1.5, 1e-7], [3.0, 123456.0]])
    np.testing.assert_allclose(forms.read_numbers(forms.grid_text(block), (2, 2)), block)
