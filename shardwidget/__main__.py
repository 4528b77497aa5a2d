"""``python -m shardwidget``."""

import sys

from shardwidget._cli import main

if __name__ == "__main__":
    sys.exit(main())
