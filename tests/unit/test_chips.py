"""Which chip a program is compared with."""

import pytest

from shardwidget.chips import CHIPS, chips


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("TPU v4p TPU v4", "TPU v4"),
        ("TPU v5e TPU v5 lite", "TPU v5e"),
        ("TPU v5p TPU v5", "TPU v5p"),
        ("TPU v6e TPU v6 lite", "TPU v6e"),
        ("TPU7x TPU7x", "TPU7x"),
        ("A100 NVIDIA A100-SXM4-80GB", "A100 80GB"),
        ("A100 NVIDIA A100-SXM4-40GB", "A100 40GB"),
        ("H100 NVIDIA H100 80GB HBM3", "H100"),
        ("B200 NVIDIA B200", "B200"),
        (" cpu", None),
    ],
)
def test_a_device_is_found_by_its_name(kind, name):
    known, at = chips(None, kind)
    assert (None if at is None else known[at].name) == name


def test_every_number_has_a_source():
    assert all(chip.source and chip.bytes % 2**30 == 0 for chip in CHIPS.values())


def test_a_number_of_ones_own_comes_first():
    known, at = chips(24 * 2**30, "TPU v4")
    assert at == 0
    assert (known[0].name, known[0].bytes) == ("own number", 24 * 2**30)


@pytest.mark.parametrize("given", ["TPU v9", 0, -1, True])
def test_what_is_no_chip_is_refused_with_the_legal_ones(given):
    with pytest.raises(ValueError, match=r"is not known. Give one of 'TPU v4'.*or the bytes"):
        chips(given, "")
