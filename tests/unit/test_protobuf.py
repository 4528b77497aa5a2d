"""Messages of protocol buffers: one field by field, and many at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwidget.read._protobuf import columns, fields, padded
from tests.protobuf import integer, message


def test_fields_come_in_their_order():
    text = message((1, 300), (3, b"name"), (35, 2**40), (1, 0))
    assert list(fields(text)) == [(1, 300), (3, b"name"), (35, 2**40), (1, 0)]
    floats = integer(2 << 3 | 1) + bytes(8) + integer(4 << 3 | 5) + bytes(4)
    assert list(fields(floats)) == [(2, bytes(8)), (4, bytes(4))]
    assert list(fields(b"")) == []


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_a_message_that_is_cut_short_is_refused(cut):
    with pytest.raises(ValueError, match="ends within field"):
        list(fields(message((1, 300), (3, b"name"))[:-cut] + b"\x80" * (cut == 5)))


def test_a_type_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="field 1 is of the unknown wire type 3"):
        list(fields(bytes([1 << 3 | 3])))


FLOAT, DOUBLE = integer(4 << 3 | 5) + bytes(4), integer(2 << 3 | 1) + bytes(8)
FIELD = st.tuples(st.integers(1, 40), st.integers(0, 2**63 - 1) | st.binary(max_size=200))


def at_once(messages: list[bytes]) -> list[list[tuple[int, int | bytes]]]:
    """The fields of messages that stand behind one another, read together."""
    data = b"".join(messages)
    ends = np.cumsum([len(m) for m in messages])
    found = [[] for _ in messages]
    for column in columns(padded(data), ends - [len(m) for m in messages], ends):
        for at, number, value, size in zip(*(c.tolist() for c in column), strict=True):
            found[at].append((number, value if size < 0 else data[value : value + size]))
    return found


@given(st.lists(st.lists(FIELD | st.sampled_from([FLOAT, DOUBLE]), max_size=6), max_size=5))
def test_many_messages_are_read_as_one_by_one(lists):
    messages = [b"".join(f if isinstance(f, bytes) else message(f) for f in each) for each in lists]
    assert at_once(messages) == [list(fields(m)) for m in messages]


def test_integers_are_signed():
    assert at_once([message((1, 2**64 - 5))]) == [[(1, -5)]]


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_of_many_one_that_is_cut_short_is_refused(cut):
    whole = message((1, 300), (3, b"name"))
    with pytest.raises(ValueError, match="ends within field"):
        at_once([whole, whole[:-cut] + b"\x80" * (cut == 5)])


@pytest.mark.parametrize("size", [2**40, 2**63 + 5, 2**64 - 1])
def test_a_size_past_the_end_is_refused(size):
    with pytest.raises(ValueError, match="ends within field 3"):
        at_once([integer(3 << 3 | 2) + integer(size)])


def test_of_many_a_type_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="field 1 is of the unknown wire type 3"):
        at_once([message((1, 2)), bytes([1 << 3 | 3])])
