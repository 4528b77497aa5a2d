"""Widgets: one class for each kind of document."""
