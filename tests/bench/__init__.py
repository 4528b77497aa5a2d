"""Speed and size of shardwidget beside the alternatives: ``make bench``. It reports; it fails on errors alone."""
