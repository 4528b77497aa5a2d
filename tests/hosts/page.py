"""What a user does with a view on a page: find it, point at a tile or a device, read its text."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

ARRAY, MESH = "logical array", "mesh"


def views(page: Page) -> Locator:
    """Every view that has drawn; the attribute counts its drawings."""
    return page.locator("[data-sw-ready]")


class Panel:
    """The logical array or the mesh of a view: a listbox with the option at its cursor."""

    def __init__(self, view: Locator, name: str):
        self.list = view.get_by_role("listbox", name=name)
        self.option = self.list.get_by_role("option")

    def walk(self, down: int, right: int) -> None:
        """Moves the cursor to a place with the keyboard."""
        self.list.focus()
        for key in ["Home", *["ArrowDown"] * down, *["ArrowRight"] * right]:
            self.list.press(key)

    def spot(self, down: int, right: int) -> tuple[float, float]:
        """The middle of a tile or a device on the page; nothing is lit afterwards."""
        self.walk(down, right)
        box = self.option.bounding_box()
        assert box
        self.list.press("Escape")
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def says(self, *words: str) -> None:
        """Waits until a screen reader would hear these words at the cursor."""
        for word in words:
            expect(self.option).to_have_accessible_name(re.compile(re.escape(word)))

    def pinned(self, yes: bool = True) -> None:
        """Waits until the place at the cursor is pinned, or is not."""
        expect(self.option).to_have_attribute("aria-selected", "true" if yes else "false")


def drawings(view: Locator) -> int:
    """How many times a view has drawn."""
    return int(view.get_attribute("data-sw-ready") or 0)


def wait_frames(page: Page, count: int = 30) -> None:
    """Lets the page draw some frames, as many as anything left running would need to show itself."""
    page.evaluate(
        """async (count) => {
          for (let i = 0; i < count; i++) await new Promise((done) => requestAnimationFrame(done));
        }""",
        count,
    )


def slot(view: Locator, place: int | str) -> Locator:
    """A place of a spec that is edited: a dimension, or one of the two states."""
    return view.locator(f"[data-place='{place}']")


def axis(view: Locator, name: str) -> Locator:
    """A mesh axis, to be taken and put on a place."""
    return view.locator(f".palette [data-chip='{name}']")


def drag(page: Page, chip: Locator, to: Locator, *, drop: bool = True) -> None:
    """Takes a chip and carries it somewhere: both are in the window."""
    to.scroll_into_view_if_needed()
    chip.hover()
    page.mouse.down()
    box = to.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    if drop:
        page.mouse.up()
