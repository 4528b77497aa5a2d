"""JAX's profiler, without its files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import jax
from jax.profiler import ProfileData


class ProfilerSession:
    """A profile of what runs in this process between ``start`` and ``stop``. Nothing is written to disk."""

    def __init__(self) -> None:
        self._session: Any = None

    def start(self) -> None:
        """Starts the profiler.

        Raises:
            RuntimeError: a profile is running.
        """
        from jax._src import profiler

        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        options.enable_hlo_proto = False
        session: Any = getattr(profiler, "ProfileSession", None)
        if session is not None:  # JAX 0.12
            self._session = session(profiler_options=options)
            self._session.start()
        else:
            # The folder is where files would go; it is created only when they are written.
            jax.profiler.start_trace(str(Path(tempfile.gettempdir()) / "shardwidget"), profiler_options=options)

    def stop(self) -> Any:
        """Stops the profiler.

        Returns:
            A ``ProfileData``.
        """
        if self._session is not None:
            return self._session.stop()
        # JAX 0.9 – 0.11: the public way writes everything twice, once as JSON, which takes longer than the program.
        from jax._src import profiler

        state: Any = profiler._profile_state
        with state.lock:
            try:
                return ProfileData.from_serialized_xspace(state.profile_session.stop())
            finally:
                state.reset()
