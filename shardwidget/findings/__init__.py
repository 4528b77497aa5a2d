"""What is said of a document first: what dominates, what deserves a look, how two differ.

Plain arithmetic and words, without JAX. Readers keep the sentences in the document, so that its text, its card, its
picture and a saved page say the same.

- ``program``: the sentence of a compiled program, and what to look at in it; phases of a training step.
- ``difference``: two programs, line by line.
- ``trace_difference``: two traces, step by step; ``trace_cause``: what they do otherwise where their values part.
"""
