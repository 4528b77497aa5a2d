"""Names from outside, as text that stays where it is put."""

from __future__ import annotations


def visible(text: str, keep: str = "") -> str:
    r"""Text with escapes for what a terminal would obey or not show: ``\x1b``, ``\n``, ``\u202e``, ``\ud800``.

    These are control characters, ends of lines, marks that turn the direction of writing, and halves of characters.

    Args:
        text: such as a name of an axis, a leaf or a file.
        keep: characters that stay, such as the line ends of several lines.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in text)


def encodable(text: str) -> str:
    """Text with escapes for halves of characters, which no encoding can write."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def short_dtype(name: str) -> str:
    """A dtype as types spell it, as JAX does: ``f32`` for ``float32``, ``bf16``, ``f8_e4m3fn``."""
    return name.replace("float", "f").replace("uint", "u").replace("int", "i").replace("complex", "c")
