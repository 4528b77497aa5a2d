"""Exercises: kinds of questions whose truth comes from JAX, what an answer means, attempts and records.

One kind per file. A ``Kind`` states what is shown and in what form it is answered, reads an answer, and judges it.
``Attempts`` counts; ``Record`` keeps. Nothing here draws: ``shardwidget.widgets.exercise`` shows it.
"""
