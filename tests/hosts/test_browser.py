"""A page that stands still ends its own test, and no other."""

import pytest
from playwright.sync_api import Error


def test_a_page_that_stands_still_is_ended_and_the_next_test_has_another_browser(chromium):
    # Opened first: Playwright may never answer if the browser is killed while a page opens, which can take seconds.
    page = chromium.running().new_page()
    with chromium.watched(1) as ended, pytest.raises(Error, match="closed"):
        page.evaluate("for (;;);")
    assert ended.is_set()
    with chromium.watched(1000) as ended:
        page = chromium.running().new_page()
        assert page.evaluate("1 + 1") == 2
        page.close()
    assert not ended.is_set()
