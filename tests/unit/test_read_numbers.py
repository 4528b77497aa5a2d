"""Ranges of numbers, at the edges of their dtypes."""

import jax.numpy as jnp
import numpy as np
import pytest

from shardwidget.read._numbers import element_format, summarise


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (np.array([], "float32"), (0.0, 0.0, "", "", 0, 0)),
        (np.array([-0.0], "float32"), (0.0, 0.0, "-0.0", "-0.0", 0, 0)),
        (np.array([0.1, 0.2], "float32"), (float(np.float32(0.1)), float(np.float32(0.2)), "0.1", "0.2", 0, 0)),
        (np.array([1e300, -1e300]), (-1e300, 1e300, "-1e+300", "1e+300", 0, 0)),
        (np.array([np.inf, np.nan, 1], jnp.bfloat16), (1.0, 1.0, "1", "1", 1, 1)),
        (np.array([complex(np.nan, np.inf), 1j], "complex64"), (1.0, 1.0, "1.0", "1.0", 1, 0)),
        (np.array([2**63 - 1, -(2**63)]), (-(2.0**63), 2.0**63, str(-(2**63)), str(2**63 - 1), 0, 0)),
        (np.array([2**64 - 1], "uint64"), (2.0**64, 2.0**64, str(2**64 - 1), str(2**64 - 1), 0, 0)),
        (np.array([True]), (1.0, 1.0, "True", "True", 0, 0)),
    ],
)
def test_summaries(x, expected):
    assert summarise(x) == expected


@pytest.mark.parametrize(
    "dtype",
    [
        *("bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64"),
        *("float8_e4m3fn", "float8_e5m2", "float4_e2m1fn", "bfloat16", "float16", "float32", "float64"),
        *("complex64", "complex128"),
    ],
)
def test_every_number_of_a_dtype_survives_its_format(dtype):
    dtype = jnp.dtype(dtype)
    if jnp.issubdtype(dtype, jnp.integer):
        x = np.array([jnp.iinfo(dtype).min, jnp.iinfo(dtype).max], dtype)
    elif jnp.issubdtype(dtype, jnp.floating):
        x = np.array([jnp.finfo(dtype).max, jnp.finfo(dtype).smallest_subnormal, -0.0], dtype)
    else:
        x = np.array([0, 1], dtype)
    np.testing.assert_array_equal(x.astype(element_format(dtype)).astype(dtype), x)
