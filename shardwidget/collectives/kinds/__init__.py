"""The statements of all collectives, one family a module."""
