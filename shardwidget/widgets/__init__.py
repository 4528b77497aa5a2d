"""Widgets: one class for each kind of document, each in a file of its own.

An object of the user's, or a document, goes in; ``shardwidget.read`` makes the document, and the class hands it to
``DocumentWidget`` (``_base``) with the traits of its front end. From there it goes to the browser (``_document``, with
the bundle that draws it), and to the page, SVG, PNG, table and text that ``shardwidget.export`` makes of the same data.

- ``_options`` refuses unknown keyword arguments, ``_selection`` checks what is selected; both name the legal forms.
- ``_moving`` adds films to a widget, ``_sharing`` the menu that saves pictures, ``_progress`` a line below the cell.
- ``_sources`` gives the widgets of a Jupyter kernel one copy of each bundle.
- ``_sheet`` is what ``Exercise`` and ``ExerciseSet`` have in common.

Nothing here asks JAX itself. Python and the browser talk through traits only, never messages: every host has traits,
and a saved notebook keeps them. What the browser asks for later (values of a device, a picture to save) is a trait that
it sets, and a second trait with the answer.

Traps: a saved page and a picture have no kernel and draw from ``_state()``, so a trait that the front end needs must be
in it. An output holds the widget, its picture and table for viewers without widgets; a second output stands in when the
kernel is gone. Unknown attributes raise, because a misspelt trait would change nothing on screen.
"""
