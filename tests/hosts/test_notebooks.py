"""The notebooks that come with the project: each runs from top to bottom, and everything that it shows is drawn."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.hosts.jupyter import Notebook
from tests.hosts.page import views

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

CLAIMS = {
    "10_several_hosts": {
        "print(len(view.document.values.blocks))": "8",
        "print([v.window.block.array().tolist() for v in stepper.document.variables if v.name == 'partial'])": (
            "[[0, 1, 2, 3, 4, 5, 6, 7]]"
        ),
        "print([lane.position for lane in merged.lanes], [clock.process for clock in merged.clocks])": (
            "[0, 1, 2, 3, 4, 5, 6, 7] [1, 2, 3]"
        ),
        # The host whose devices the others waited for most.
        "late = next(c.last.array() for c in merged.collectives if c.axes == ('data',))\n"
        "print(int(late.reshape(4, 2).sum(axis=1).argmax()))": "2",
        "print(missing.split('.')[0])": "missing after 2 s: process 3",
    }
}
"""By notebook: what it says about its results."""

OUTPUTS = """() => jupyterapp.shell.currentWidget.content.widgets
  .filter(({ model }) => model.type === "code")
  .flatMap(({ model }) => model.outputs.toJSON())"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, jupyter, new_page):
    shutil.copy(path, jupyter.root)
    nb = Notebook(jupyter, new_page(), "lab", path.name)
    nb.run_all()
    outputs = nb.page.evaluate(OUTPUTS)
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []
    shown = sum("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in outputs)
    assert shown > 0
    # Cells out of sight draw when they come into view.
    hosts = nb.page.locator(".shardwidget")
    expect(hosts).to_have_count(shown)
    for i in range(shown):
        hosts.nth(i).scroll_into_view_if_needed()
        expect(views(nb.page).and_(hosts).nth(i)).to_be_visible()
    expect(nb.page.locator(".failure")).to_have_count(0)
    for code, words in CLAIMS.get(path.stem, {}).items():
        assert nb.ask(code) == words
