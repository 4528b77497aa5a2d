"""``read.model``: a whole tree of arrays, where its bytes are, and what deserves a look in it.

Any pytree goes in, a ``Model`` comes out. No data is touched. ``model`` is called.

- ``tree`` flattens it into paths and leaves, and opens what JAX takes for a leaf but holds arrays. It makes the nodes
  in preorder, and finds nodes side by side that differ only in a number, such as layers (``folds``).
- ``leaves`` reads what each leaf is: state, type, mesh. Equal leaves share one entry. ``logical`` finds the names that
  flax keeps for dimensions.
- ``model`` puts the mesh with the most devices and bytes first and makes the document, without flags.
- ``flags`` then finds leaves that take more memory of a device than they need to, among others of the same role.
- ``rules`` gives the tree as rules would place it, from the document alone, and what came of each rule.

Traps: leaves are of any class, and reading one may raise: that becomes its ``note``, never an error of the tree. Trees
have thousands of leaves, so whatever is the same for equal leaves is computed once. A flag that is worth less than 1 %
of what the fullest device holds is left out.
"""
