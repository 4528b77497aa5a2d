"""What readers of jaxprs share: values and bodies, the user's source lines and names, scopes.

What an equation enters (calls, loops, branches, ``shard_map``) comes from ``_jax.control_of``.
"""
