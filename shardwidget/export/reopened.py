"""What JupyterLab and Notebook 7 show of a widget whose kernel is gone.

Of the output that holds a widget they draw the widget or, once its kernel is gone, "Error displaying widget: model not
found"; they never look at the picture beside it. So a second output follows the first. It is only a style sheet: as
long as the widget before it is drawn, and in every viewer that has no such widget or drops styles, it shows nothing.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re

NOTE = "As it was when the cell was run. Run the cell again for the widget."

# Jupyter's renderer gives the output this class once the widget is there or known to be lost; only then it is empty.
_LOST = ".jp-OutputArea-child:has(> .jupyter-widgets):not(:has(> .jupyter-widgets > *))"

_HTML = """<style>
.jp-OutputArea-child:has(> * > .{key}):not({lost} + *), {lost}:has(+ * > * > .{key}), .{key} {{ display: none }}
{lost} + * > * > .{key} {{ display: block }}
.{key}::before {{ display: block; {shown} }}
.{key}::after {{ content: "{note}"; color: #6b7280; font: 12px system-ui, sans-serif }}
</style><div class="{key}" role="img" aria-label="{title}"></div>"""


def reopened(picture: str | None, text: str, title: str) -> str:
    """The second output, as HTML.

    Args:
        picture: what the widget shows, as SVG; None where it cannot be drawn.
        text: the same as text, which is shown without a picture.
        title: the same in one line.
    """
    shown = _text(text) if picture is None else _background(picture)
    key = "shardwidget-" + hashlib.sha256(shown.encode()).hexdigest()[:12]
    return _HTML.format(key=key, lost=_LOST, shown=shown, note=_quoted(NOTE), title=html.escape(title))


def _background(picture: str) -> str:
    """An SVG as the background of a box of its size, which is smaller where there is less room."""
    size = re.match(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', picture)
    width, height = size.groups() if size else ("960", "540")
    data = base64.b64encode(picture.encode()).decode("ascii")
    return (
        f'content: ""; max-width: {width}px; aspect-ratio: {width} / {height}; print-color-adjust: exact; '
        f"background: url(data:image/svg+xml;base64,{data}) 0 0 / contain no-repeat"
    )


def _text(text: str) -> str:
    return f'content: "{_quoted(text)}"; white-space: pre; font: 13px/1.25 monospace'


def _quoted(text: str) -> str:
    """Text within a CSS string, where nothing of it can end the string or the style sheet."""
    return re.sub(r"[^\w .,:;=()\[\]-]", lambda c: f"\\{ord(c[0]):x} ", text)
