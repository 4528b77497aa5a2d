"""Documents without a kernel: as one HTML page, a picture, a film, a plain table, or text.

Each kind of document has a module of its name here, with ``headline`` (one line), ``picture`` (text) and ``table``
(HTML without scripts). ``shardwidget._registry`` finds it, and documents and widgets describe themselves with it.

- Words: ``listing`` has the columns, tables and units of all of them; ``placement`` is made of ``text`` and ``table``,
  which lay tiles out by ``grid``, with ``words`` and ``color``. ``values`` prints an array's values.
- Pages: ``html`` makes a page or a fragment: the table, the widget's state (``state``) and the front end (``bundle``).
- Pictures: ``svg`` runs the front end's own painter in a small JavaScript engine. ``images`` makes PNG and GIF of its
  SVG, ``video`` WebM with a browser.
- ``reopened`` is what a notebook shows of a widget whose kernel is gone.

Traps: text from the user is escaped wherever it enters HTML. Hosts drop styles and scripts, so a table has only
elements and inline styles that JupyterLab's sanitiser keeps. A page may request nothing: its policy forbids it. A
picture is drawn from the widget's state by the front end; only colours of tiles, for the plain table, are stated in
both languages.
"""
