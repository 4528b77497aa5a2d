"""A fake front end: what it was sent, and what it would send; and a fake kernel."""

from comm.base_comm import BaseComm


class FakeComm(BaseComm):
    """A connection to a front end that keeps what it is sent."""

    def __init__(self, *args, **kwargs):
        self.states: list[dict] = []
        super().__init__(*args, **kwargs)

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        state = (data or {}).get("state")
        if state is not None:
            # Buffers go beside the state; their paths say where they belong.
            for path, buffer in zip((data or {})["buffer_paths"], buffers or [], strict=True):
                at = state
                for key in path[:-1]:
                    at = at[key]
                at[path[-1]] = bytes(buffer)
            self.states.append(state)

    def from_browser(self, **state):
        """What the front end's ``save_changes`` sends."""
        self.handle_msg({"content": {"data": {"method": "update", "state": state, "buffer_paths": []}}, "buffers": []})


class Kernel:
    """What IPython has in a Jupyter kernel: a name."""
