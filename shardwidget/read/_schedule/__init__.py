"""``read.schedule``: a pipeline schedule, from whatever holds one.

``schedule`` is called, and tells the forms apart: a ``Schedule``, lists of tasks, text, JaxPP's objects, a function.

- One file reads each form: ``table_text`` PyTorch's CSV, ``mpmd_text`` Shardy's ``mpmd`` dialect, ``task_lists`` task
  objects, ``compiled`` JaxPP's programs. ``sizes`` finds the bytes that stages send.
- ``function`` reads a function that pipelines in a ``shard_map``: ``ticks`` cuts the program at every ``ppermute``,
  ``probe`` runs it with one microbatch changed after another, and what differs shows which device works on which.
  ``steps`` finds the ticks in a trace of the function.

Traps: JaxPP is never imported: its objects are read by their attributes. A pipeline is probed on the host engine, so it
must run there, and the number of its ticks must be known before it runs. Every schedule is simulated before it is
returned, so that an impossible one raises here.
"""
