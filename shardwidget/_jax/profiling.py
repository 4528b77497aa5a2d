"""JAX's profiler, without its files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import jax


def is_profiling() -> bool:
    """Whether a profile is being taken in this process, as far as JAX knows."""
    from jax._src import profiler

    state: Any = profiler._profile_state
    running = "session" if hasattr(state, "session") else "profile_session"  # JAX 0.12; 0.9 – 0.11
    return getattr(state, running) is not None


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

    def stop(self) -> bytes:
        """Stops the profiler.

        Returns:
            An ``XSpace``, what ``.xplane.pb`` files hold.
        """
        # The public ways write everything twice, once as JSON, which takes longer than the program; or, as of JAX 0.12,
        # return an object that can only be read event by event.
        from jax._src import profiler

        state: Any = profiler._profile_state
        with state.lock:
            try:
                return (state.profile_session if self._session is None else self._session._raw_session).stop()
            finally:
                if self._session is not None:
                    self._session._raw_session, self._session._is_running = None, False
                state.reset()
                getattr(profiler, "clear_metadata", lambda: None)()  # JAX 0.10 and later
