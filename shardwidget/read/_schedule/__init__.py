"""Readers of pipeline schedules, one file for each form."""
