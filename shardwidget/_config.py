"""``shardwidget.config``: how widgets are displayed and how much they carry, for a session or a ``with`` block."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from typing import Any, Generic, Literal, TypeVar, cast, overload

T = TypeVar("T")

Mode = Literal["auto", "widget", "html"]
Theme = Literal["auto", "light", "dark"]
Palette = Literal["standard", "colorblind"]


class Option(Generic[T]):
    """An option of ``Config``: its value in force, else that of its environment variable, else its default."""

    def __init__(self, default: T, legal: str, read: Callable[[Any], T]) -> None:
        self.default = default
        self.legal = legal
        self.read = read

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.variable = f"SHARDWIDGET_{name.upper()}"

    @overload
    def __get__(self, config: None, owner: type) -> Option[T]: ...
    @overload
    def __get__(self, config: Config, owner: type) -> T: ...
    def __get__(self, config: Config | None, owner: type) -> Option[T] | T:
        """The value in force."""
        if config is None:
            return self
        for values in (config._context.get(), config._session):  # noqa: SLF001
            if self.name in values:
                return cast("T", values[self.name])
        given = os.environ.get(self.variable)
        return self.default if given is None else self.checked(given, f" in the environment variable {self.variable}")

    def __set__(self, config: Config, value: T) -> None:
        """Sets the option for the innermost ``with`` block, or for the session outside of one."""
        config._set({self.name: self.checked(value)})  # noqa: SLF001

    def checked(self, value: Any, source: str = "") -> T:
        """The value, if it is legal.

        Raises:
            ValueError: it is not.
        """
        try:
            return self.read(value)
        except (TypeError, ValueError):
            raise ValueError(f"{self.name} must be {self.legal}; got {value!r}{source}") from None


def _one_of(*legal: str) -> tuple[str, Callable[[Any], Any]]:
    def read(value: Any) -> Any:
        return legal[legal.index(value)]

    return " or ".join(map(repr, legal)), read


def _bytes(value: Any) -> int:
    if isinstance(value, bool | float) or (count := int(value)) < 0:
        raise ValueError
    return count


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not 0 < (seconds := float(value)) < math.inf:
        raise ValueError
    return seconds


class Config:
    """Options of this session.

    ```python
    sw.config.theme = "dark"                      # from now on
    with sw.config(mode="html", theme="light"):   # in this block, and in this thread or task alone
        display(sw.show(x))
    ```

    The default of each comes from an environment variable, ``SHARDWIDGET_MODE`` and so on. What is already displayed
    does not change.

    Attributes:
        mode: ``"widget"``, ``"html"`` for output that plays without a kernel when the notebook is opened again, or
            ``"auto"`` for what the front end of the running cell can show.
        theme: ``"light"``, ``"dark"``, or ``"auto"`` to follow the page.
        palette: ``"standard"``, or ``"colorblind"`` for colours that everyone can tell apart.
        values: the most bytes of values that a widget requests at a time, and that a saved page carries.
        keep: the most bytes of values that a trace keeps in full.
        arrival: seconds that a process waits for the others at a call that several processes make together.
    """

    mode: Option[Mode] = Option("auto", *_one_of("auto", "widget", "html"))
    theme: Option[Theme] = Option("auto", *_one_of("auto", "light", "dark"))
    palette: Option[Palette] = Option("standard", *_one_of("standard", "colorblind"))
    values: Option[int] = Option(2**20, "a number of bytes, 0 or more", _bytes)
    keep: Option[int] = Option(2**24, "a number of bytes, 0 or more", _bytes)
    arrival: Option[float] = Option(60.0, "a number of seconds, more than 0", _seconds)

    def __init__(self) -> None:
        object.__setattr__(self, "_session", {})
        # A thread or a task sees only its own blocks.
        object.__setattr__(self, "_context", ContextVar("shardwidget.config", default=_NONE))

    _session: Mapping[str, Any]
    _context: ContextVar[Mapping[str, Any]]

    @contextlib.contextmanager
    def _within(self, values: Mapping[str, Any]) -> Iterator[Config]:
        token = self._context.set({**self._context.get(), **values, _INSIDE: True})
        try:
            yield self
        finally:
            self._context.reset(token)

    def __call__(self, **options: Any) -> contextlib.AbstractContextManager[Config]:
        """Options for a ``with`` block.

        Raises:
            TypeError: there is no such option.
            ValueError: a value is not legal.
        """
        for name in options:
            if name not in _names():
                raise TypeError(f"config has no option {name!r}.{_near(name)} Its options are {', '.join(_names())}.")
        return self._within({name: getattr(Config, name).checked(value) for name, value in options.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an option; a misspelt one is refused."""
        if name not in _names():
            raise AttributeError(f"config has no option {name!r}.{_near(name)} Its options are {', '.join(_names())}.")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return _names()

    def __repr__(self) -> str:
        return f"config({', '.join(f'{name}={getattr(self, name)!r}' for name in _names())})"

    def _set(self, values: Mapping[str, Any]) -> None:
        inside = self._context.get()
        if inside.get(_INSIDE):
            self._context.set({**inside, **values})
        else:
            object.__setattr__(self, "_session", {**self._session, **values})


_INSIDE = ""
_NONE: Mapping[str, Any] = {}


def _names() -> list[str]:
    return [name for name, value in vars(Config).items() if isinstance(value, Option)]


def _near(name: str) -> str:
    found = get_close_matches(name, _names(), n=1)
    return f" Did you mean {found[0]!r}?" if found else ""


config = Config()
