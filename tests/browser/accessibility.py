"""What axe finds on a page.  Source: Deque, axe-core, "Rule descriptions"."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def findings(page: Page) -> list[str]:
    """Return each finding of axe by its rule and the element: `color-contrast #text`, for example.  The bot colours its own messages."""
    results = Axe().run(page, context={"exclude": [[".flex-bubble"]]})
    return [
        f"{violation['id']} {' '.join(map(str, node['target']))}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
