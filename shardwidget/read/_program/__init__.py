"""Reading of compiled programs: the text of a module, groups, axes, loops, source lines."""
