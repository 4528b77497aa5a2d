"""A placement in words: one line, a picture made of text, an HTML table."""

from shardwidget.export.table import table
from shardwidget.export.text import picture
from shardwidget.export.words import headline

__all__ = ["headline", "picture", "table"]
