"""Widgets: one class a kind of document."""
