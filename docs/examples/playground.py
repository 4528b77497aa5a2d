sw.SpecPlayground((8, 16), mesh, spec=P("y", "x"))
