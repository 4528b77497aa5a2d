"""The progress of a measurement or of several compiles, below the cell that runs them."""

from __future__ import annotations

from typing import Any


class Progress:
    """A line in the notebook that shows how many calls were made, and disappears at the end. Elsewhere: nothing."""

    def __init__(self, doing: str = "measuring: call") -> None:
        self._doing = doing
        self._handle: Any = None

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int, of: int) -> None:
        """Shows how many of the calls were made."""
        text = {"text/plain": f"{self._doing} {done} of {of}"}
        if self._handle is not None:
            self._handle.update(text, raw=True)
        elif in_notebook():
            from IPython.display import display

            self._handle = display(text, raw=True, display_id=True)

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)


def in_notebook() -> bool:
    """Whether there is a kernel that shows what is displayed."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None
