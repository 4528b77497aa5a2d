"""Elements of any JAX dtype, as formats that a browser reads, and their range."""

from __future__ import annotations

import functools
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

Format = Literal["f4", "f8", "i4", "u4", "i8", "u8", "b1", "c8", "c16"]


@functools.lru_cache
def element_format(dtype: np.dtype) -> Format:
    """The smallest of the formats that hold every value of a dtype exactly."""
    wide = dtype.itemsize == 8
    if jnp.issubdtype(dtype, jnp.bool_):
        return "b1"
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return "c8" if wide else "c16"
    if jnp.issubdtype(dtype, jnp.floating):
        return "f8" if wide else "f4"
    if jnp.issubdtype(dtype, jnp.unsignedinteger):
        return "u8" if wide else "u4"
    return "i8" if wide else "i4"


def summarise(x: np.ndarray) -> tuple[float, float, str, str, int, int]:
    """Least and greatest finite value, both as the dtype prints them, and the numbers of NaNs and infinities.

    Complex values count by magnitude. Without a finite value the range is 0 and its texts are empty.
    """
    with np.errstate(all="ignore"):
        wide = x.astype(element_format(x.dtype))
        nan = np.isnan(wide)
        nans, infs = int(np.count_nonzero(nan)), int(np.count_nonzero(np.isinf(wide) & ~nan))
        finite = wide[np.isfinite(wide)]
        if np.iscomplexobj(finite):
            finite = np.abs(finite)
    if not finite.size:
        return 0.0, 0.0, "", "", nans, infs
    low, high = finite.min(), finite.max()
    return float(low), float(high), _text(low, x.dtype), _text(high, x.dtype), nans, infs


def _text(value: Any, dtype: DTypeLike) -> str:
    return str(value if jnp.issubdtype(dtype, jnp.complexfloating) else value.astype(dtype))
