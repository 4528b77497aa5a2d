"""JupyterLab and Notebook 7: run, look, point, click, and Python sees it."""

from __future__ import annotations
from collections.abc import Callable
import pytest
from playwright.sync_api import Page, expect
from tests.hosts.jupyter import SETUP, JupyterServer, Notebook

APPS = ["lab", "notebook"]


@pytest.mark.parametrize("app", APPS)
def test_tmp(app, jupyter, new_page):
    nb = Notebook(jupyter, new_page(), app, jupyter.write(SETUP, "view = sw.show(x)\nview"))
    nb.run_all()
    print(nb.ask("print(view.document)"))
    expect(nb.page.get_by_text("shardwidget", exact=True).last).to_be_visible()
