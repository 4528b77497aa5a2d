"""What to write instead of a line that communicates: candidates, each compiled before it is offered.

``source`` changes the user's lines (a constraint that is left out, put otherwise, or added), ``boundary`` the shardings
of arguments and results. ``communication`` compiles them and keeps what lowers communication; ``remedies`` is the
reader, which asks it, or ``read._memory`` where the peak of memory is to be lower.
"""
