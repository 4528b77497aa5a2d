"""``read.trace``: a program run step by step.

- ``trace`` is called; ``arguments`` are checked and filled; ``reading`` does what follows.
- ``planner`` walks the jaxpr and makes a plan of ``nodes``, which say where values are written.
- ``recorder`` runs the plan, by ``mesh_engine`` or ``host_engine``; ``runnable`` limits and compiles it, with
  operations ``fusing`` or not, ``cache`` keeps it.
- ``written`` values and ``global_values`` are read, at ``positions`` of a mesh; results are ``placed``.
- ``steps`` walks over the plan and makes drafts of steps (``draft``); ``collective``, ``words`` and ``printed``
  describe what they do; ``build`` makes the document from them.
- ``_failures`` explains a program that stops; ``against`` finds where one differs from one device, ``auto`` without
  ``shard_map``.
"""
