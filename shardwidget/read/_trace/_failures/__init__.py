"""A program that stops: how far it got (``stopped``), and why, with what fixes it (``failure``, one file per cause)."""
