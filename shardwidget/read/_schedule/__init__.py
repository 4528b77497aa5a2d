"""Readers of pipeline schedules, one form a file."""
