"""``read.program``: the collectives of a compiled program.

``module`` reads the module's text, ``loops`` finds how often everything runs, ``groups`` expands the notations for who
takes part, ``axes`` finds the user's mesh axes in them, ``origin`` the user's line; ``hlo_collective`` makes the
collectives of a document, ``programs`` is what users call.
"""
