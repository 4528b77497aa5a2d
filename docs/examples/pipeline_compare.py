from shardwidget import pipeline

sw.PipelineView.compare(
    {
        "1F1B": pipeline.one_f_one_b(4, 8),
        "Interleaved": pipeline.interleaved_1f1b(8, 8, ranks=4),
        "ZB-H1": pipeline.zb_h1(4, 8),
    }
)
