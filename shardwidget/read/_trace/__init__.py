"""``read.trace``: a program of ``shard_map`` regions run step by step.

- ``entry`` is called; ``arguments`` are checked and filled.
- ``plan`` walks the jaxpr; ``run`` runs the plan, on the mesh or, with ``host``, on one device.
- ``program`` compiles, limits and caches, by ``key``; ``values`` are read; results are ``placed``.
- ``build``, ``draft``, ``steps``, ``scopes``, ``names``, ``sources``, ``collective``, ``words`` and ``printed`` make
  the document.
- ``failure`` and ``fixes`` explain a program that stops.
"""
