"""The version of shardwidget."""

__version__ = "0.1.0"
