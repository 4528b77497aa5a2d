"""Speed and size of shardwidget beside the alternatives: ``make bench``. It reports, and fails only on errors."""
