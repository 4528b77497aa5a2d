"""Exercises: kinds of questions whose truth comes from JAX, what an answer means, attempts, records and grades.

What a teacher gives (arrays, a function, a schedule) goes in; a ``Question`` comes out for the page, and a ``Feedback``
for each answer. Nothing here draws: ``shardwidget.widgets.exercise`` shows it.

- A ``Kind`` (``kind``, and one file for each) asks JAX for the truth when it is made; one without a truth is refused.
  It states what is shown and the form of the answer, reads an answer, and judges it.
- ``forms`` and ``amount`` read what a student types or a cell assigns, ``source`` what a function says and its lines.
- ``run`` calls functions, ``results`` compares what they give, ``others`` makes other arguments to try an answer with;
  ``layouts`` and ``schedules`` ask for placements and pipelines.
- ``attempts`` counts the answers to one exercise and gives its hints; ``record`` is the JSON of a set, ``variant`` the
  random choices that give each student other numbers.
- ``errands`` are what judging runs of a student's. A class is graded by ``submissions`` (reads records as data),
  ``lanes`` (several at a time), ``places`` (starts and ends processes), ``worker`` (such a process), ``travel`` (what
  goes to it), ``frames`` (what comes back) and ``grading`` (points, and the table).

Traps: no correct answer is stored. What passes is what JAX says when it is asked, so a record is judged again when it
is loaded. ``identity()`` decides whether it belongs to this exercise, and so must be the same in all versions of JAX.
Text from a browser is never evaluated. A function in a record is run in a process of its submission alone, which must
never hold the truth, and what comes back may be forged: it is compared, never believed. Loading a record runs nothing:
it waits for the cell that assigns the function. Feedback says which quantity is wrong, never the correct answer. An
answer of the wrong form raises ``AnswerError`` and is no attempt.
"""
