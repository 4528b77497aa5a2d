"""Messages of protocol buffers, written by hand."""


def integer(value: int) -> bytes:
    """An integer with seven bits per byte."""
    out = b""
    while value >= 128:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def message(*pairs: tuple[int, int | bytes]) -> bytes:
    """A message of numbered fields."""
    out = b""
    for number, value in pairs:
        if isinstance(value, int):
            out += integer(number << 3) + integer(value)
        else:
            out += integer(number << 3 | 2) + integer(len(value)) + value
    return out
