"""Reading of a whole tree of arrays: ``read.model``."""
