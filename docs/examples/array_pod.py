pod = AbstractMesh((64, 64), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
sw.show(((65536, 65536), "bfloat16", NamedSharding(pod, P("data", "model"))), name="weights")
