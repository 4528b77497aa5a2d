"""Reading of the arrays of a session: ``read.namespace``."""
