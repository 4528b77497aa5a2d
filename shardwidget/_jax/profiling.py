"""JAX's profiler, without its files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import jax


class Profile:
    """A profile of this process, of what runs between ``start`` and ``stop``. Nothing is written to the disk."""

    def start(self) -> None:
        """Starts the profiler.

        Raises:
            RuntimeError: a profile is running.
        """
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        options.enable_hlo_proto = False
        # The folder is where files would go; it is made when they are written.
        jax.profiler.start_trace(str(Path(tempfile.gettempdir()) / "shardwidget"), profiler_options=options)

    def stop(self) -> bytes:
        """Stops the profiler.

        Returns:
            A serialised ``XSpace``.
        """
        # JAX 0.9 – 0.12: what is public writes all of it twice, once as JSON, which takes longer than the program.
        from jax._src import profiler

        state: Any = profiler._profile_state
        with state.lock:
            try:
                return state.profile_session.stop()
            finally:
                state.reset()
