"""The saved page in Firefox, once: it draws, and the keyboard works."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import shardwidget as sw
from tests.hosts.server import LONGEST

SCRIPT = Path(__file__).with_name("firefox.mjs")


def test_firefox(tmp_path, put):
    path = tmp_path / "saved.html"
    sw.ArrayView(put("x", "y"), name="x").to_html(path)
    program = os.environ.get("SHARDWIDGET_FIREFOX", "/usr/bin/firefox-esr")
    command = ["node", str(SCRIPT), program, path.as_uri(), str(tmp_path / "firefox.png")]
    here = os.environ | {"HOME": str(tmp_path)}
    done = subprocess.run(command, env=here, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["heard"].startswith("x[4:6, 8:16]; f32[2,8]")
    assert "device 5 at x=2, y=1" in found["linked"]
    assert found["drawn"] > 100
    assert found["asked"] == []
