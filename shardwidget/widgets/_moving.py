"""What widgets with a moving picture can do in addition: save an SVG that plays by itself, GIF and WebM."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar, Literal, TypeVar

from shardwidget.export import images, svg, video
from shardwidget.widgets import _sharing
from shardwidget.widgets._base import DocumentWidget, Shown, give

Theme = Literal["light", "dark"]

_Film = TypeVar("_Film", str, svg.Frames)


class MovingWidget(DocumentWidget[Shown]):
    """A widget that plays: steps of a trace, a collective of a program, the playhead of a schedule."""

    _others: ClassVar[str] = ""
    """A sentence for the message that nothing moves: what else could be played."""

    def _saves(self) -> _sharing.Kinds:
        return _sharing.STILL + _sharing.MOVING

    def to_svg(
        self,
        path: str | PathLike[str] | None = None,
        *,
        width: int = 960,
        theme: Theme | None = None,
        animate: bool = False,
        steps: range | None = None,
        speed: float = 0.5,
    ) -> str:
        """Saves what is shown as an SVG picture, without a browser.

        Args:
            path: where to write; None to get the text.
            width: width of the picture in CSS pixels; the height follows.
            theme: colours for a light or a dark page; None for the theme that the widget was made with, or light.
            animate: whether it plays, by itself and in an endless loop, even as an image in a page. Readers who prefer
                reduced motion see its last moment.
            steps: for a ``ShardMapStepper``, which steps to play; None for the one that is shown, or, where it opens in
                space-time, for all.
            speed: how many times as fast as in the widget it plays.

        Returns:
            The path, or the text.

        Raises:
            ImportError: the extra ``shardwidget[svg]`` is not installed.
            ValueError: an option is not a legal one, or nothing moves.
        """
        if not animate:
            if steps is not None:
                raise ValueError("steps= needs animate=True: only an animation plays steps")
            return super().to_svg(path, width=width, theme=theme)
        options = self._film_options(width, theme, steps, speed)
        return give(self._moving(svg.film(self._state(complete=False), **options)), path)

    def to_gif(
        self,
        path: str | PathLike[str] | None = None,
        *,
        width: int = 960,
        theme: Theme | None = None,
        steps: range | None = None,
        speed: float = 0.5,
        rate: float = 20,
    ) -> str | bytes:
        """Saves the animation as a GIF that loops, without a browser.

        Args:
            path: where to write; None to get the bytes.
            width: width of the picture in pixels; the height follows.
            theme: colours for a light or a dark page; None for the theme that the widget was made with, or light.
            steps: for a ``ShardMapStepper``, which steps to play, ``range(2, 5)``; None for the one that is shown, or,
                where it opens in space-time, for all.
            speed: how many times as fast as in the widget it plays.
            rate: pictures per second, 1 to 50.

        Returns:
            The path, or the bytes.

        Raises:
            ImportError: the extra ``shardwidget[images]`` is not installed.
            RuntimeError: this machine has no font to draw text with.
            ValueError: an option is not a legal one, or nothing moves.
        """
        return give(images.gif(self._frames(width, theme, steps, speed, rate)), path)

    def to_webm(
        self,
        path: str | PathLike[str] | None = None,
        *,
        width: int = 960,
        theme: Theme | None = None,
        steps: range | None = None,
        speed: float = 0.5,
        rate: float = 30,
    ) -> str | bytes:
        """Saves the animation as a WebM video, which Chromium records. This takes as long as the video lasts.

        Args:
            path: where to write; None to get the bytes.
            width: as in ``to_gif``.
            theme: as in ``to_gif``.
            steps: as in ``to_gif``.
            speed: as in ``to_gif``.
            rate: as in ``to_gif``.

        Returns:
            The path, or the bytes.

        Raises:
            ImportError: Playwright for Python or the extra ``shardwidget[images]`` is not installed.
            RuntimeError: there is no Chromium or Chrome that Playwright can start, or no font.
            ValueError: an option is not a legal one, or nothing moves.
        """
        return give(video.webm(self._frames(width, theme, steps, speed, rate)), path)

    def _frames(self, width: int, theme: Theme | None, steps: range | None, speed: float, rate: float) -> svg.Frames:
        options = self._film_options(width, theme, steps, speed)
        return self._moving(svg.frames(self._state(complete=False), rate=rate, **options))

    def _film_options(self, width: int, theme: Theme | None, steps: range | None, speed: float) -> dict[str, Any]:
        given = None if steps is None else self._film_steps(steps)
        return {"width": width, "theme": self._theme(theme), "steps": given, "speed": speed}

    def _film_steps(self, steps: range) -> tuple[int, int]:
        """The first and last of the steps to play, checked."""
        raise ValueError(f"steps= is for a ShardMapStepper; a {type(self).__name__} plays what it shows")

    def _moving(self, film: _Film | None) -> _Film:
        if not film:
            raise ValueError(
                f"nothing moves in what this {type(self).__name__} shows: to_svg() and to_png() save it as it is."
                f"{self._others}"
            )
        return film
