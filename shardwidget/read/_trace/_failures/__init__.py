"""A program that stops: how far it came (``stopped``), and why, with what fixes it (``failure``, one file a cause)."""
