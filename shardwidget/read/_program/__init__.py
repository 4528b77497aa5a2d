"""``read.program``: the collectives of a compiled program.

``module`` reads the module's text, ``loops`` finds out what runs how often, ``groups`` expands the notations for who
takes part, ``axes`` finds the user's mesh axes in them, ``source`` the user's line; ``collective`` puts a document
together, ``entry`` is what users call.
"""
