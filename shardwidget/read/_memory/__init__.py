"""Reading of what is alive while a compiled program runs: ``read.memory``."""
