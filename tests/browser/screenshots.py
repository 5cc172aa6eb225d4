"""Pictures of pages.  `make screenshots` sets SCREENSHOTS to the folder that keeps them for the documentation."""

import os
from pathlib import Path
from typing import Final

from playwright.sync_api import Error, Page

SCREENSHOTS_FOLDER: Final = os.environ.get("SCREENSHOTS")  # noqa: TID251 - set by `make screenshots`
_TRIES: Final = 4
_NOT_CAPTURED: Final = "Unable to capture screenshot"
"""What Chromium says where its compositor had no frame to give; on a machine that is short of time, the next request succeeds."""


def png_of(page: Page) -> bytes:
    """Return the page's viewport as a PNG."""
    for _ in range(_TRIES - 1):
        try:
            return page.screenshot()
        except Error as error:
            if _NOT_CAPTURED not in str(error):
                raise
    return page.screenshot()


def take_screenshot(page: Page, name: str, folder: Path) -> None:
    """Keep a picture of the page, with the mouse in a corner: in the folder that SCREENSHOTS names, or else in this one."""
    page.mouse.move(0, 0)
    ((Path(SCREENSHOTS_FOLDER) if SCREENSHOTS_FOLDER else folder) / f"{name}.png").write_bytes(png_of(page))
