"""Requests to the page of one LINE harness."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
from starlette.applications import Starlette

from simulator.line.harness import LineHarness
from simulator.line.page.app import page_routes
from simulator.line.page.panels import Panel

APPS: WeakKeyDictionary[LineHarness, Starlette] = WeakKeyDictionary()
ABOUT = {"model": "stand-in", "notice": "Answers come from a script."}


def app_of(line: LineHarness) -> Starlette:
    """Return the harness's app with the page, always the same."""
    if line not in APPS:
        APPS[line] = line.platform.app_with(page_routes(line.platform, ABOUT))
    return APPS[line]


def ask(
    line: LineHarness,
    method: str,
    path: str,
    *,
    panels: Sequence[Panel] = (),
    **request: Any,  # noqa: ANN401 - whatever httpx2 takes
) -> httpx2.Response:
    app = app_of(line) if not panels else line.platform.app_with(page_routes(line.platform, ABOUT, panels))

    async def send() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://page.test") as client:
            response = await client.request(method, path, **request)
        await line.platform.wait_until_settled()
        return response

    return line.run(send())


def act(line: LineHarness, action: str, **body: object) -> httpx2.Response:
    return ask(line, "POST", f"/simulator/{action}", json={"user_id": line.user_id, "chat_id": line.user_id} | body)


def state(line: LineHarness) -> dict[str, Any]:
    return dict(ask(line, "GET", "/simulator/state").json())
