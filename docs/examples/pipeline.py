from shardwidget import pipeline

grid = AbstractMesh((4, 2), ("stage", "data"))
sw.PipelineView(pipeline.one_f_one_b(4, 8), mesh=grid, follow=3, moment=11.5)
