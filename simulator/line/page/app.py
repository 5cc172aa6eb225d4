"""The web page for a chat with the bot: static files, the state as JSON, a stream of changes, and the actions."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ..answers import HEADERS, answer, refusal
from ..control.message_actions import IMAGE_TYPES
from ..control.routes import control_routes
from ..platform import LinePlatform
from .panels import Panel, fill_slots
from .setup import Setup
from .snapshot import snapshot

HEARTBEAT_S: Final = 15
_STATIC: Final = Path(__file__).parent / "static"


def page_routes(
    platform: LinePlatform, about: Mapping[str, Any], panels: Sequence[Panel] = (), *, setup: Setup | None = None
) -> list[BaseRoute]:
    """Return the routes of the page.

    `about` is shown unchanged: `{"model": "stand-in", "notice": "..."}` says that no real model is connected; any other `model`, for
    example "gemini-3.6-flash", is named in the page's bar. With `setup` the page says how to connect a bot.
    """
    page = _Page(platform, about, panels, setup)
    return [
        Route("/", page.index),
        Route("/simulator/state", page.state),
        Route("/simulator/events", page.events),
        Route("/simulator/media/{line_message_id}", page.media),
        *(route for panel in panels for route in panel.routes),
        Route("/simulator/rich_menu/{rich_menu_id}", page.rich_menu),
        *([Route("/simulator/setup", page.setup)] if setup is not None else []),
        *control_routes(platform),
        Mount("/static", StaticFiles(directory=_STATIC)),
        *(panel.mount() for panel in panels),
    ]


class _Page:
    def __init__(
        self, platform: LinePlatform, about: Mapping[str, Any], panels: Sequence[Panel], setup: Setup | None
    ) -> None:
        self._platform = platform
        self._about = about
        self._panels = panels
        self._setup = setup
        self._html = fill_slots((_STATIC / "index.html").read_text(encoding="utf-8"), panels)

    async def index(self, _request: Request) -> Response:
        return HTMLResponse(self._html, headers=HEADERS)

    async def state(self, _request: Request) -> Response:
        state = snapshot(self._platform, self._about) | {"has_setup": self._setup is not None}
        for panel in self._panels:
            state |= panel.state()
        return answer(state)

    async def events(self, _request: Request) -> Response:
        return StreamingResponse(self._changes(), media_type="text/event-stream", headers=HEADERS)

    async def media(self, request: Request) -> Response:
        media = self._platform.media.get(request.path_params["line_message_id"])
        if media is None or media.content_type not in IMAGE_TYPES:
            return refusal("there is no such image", HTTPStatus.NOT_FOUND)
        return Response(media.content, media_type=media.content_type, headers=HEADERS)

    async def rich_menu(self, request: Request) -> Response:
        """Return the image of a rich menu."""
        menu = self._platform.rich_menus.menus.get(request.path_params["rich_menu_id"])
        if menu is None or menu.image is None:
            return refusal("there is no such image", HTTPStatus.NOT_FOUND)
        return Response(menu.image, media_type=menu.content_type, headers=HEADERS)

    async def setup(self, _request: Request) -> Response:
        """Return the settings for connecting a bot."""
        return answer({} if self._setup is None else self._setup.view(self._platform))

    async def _changes(self) -> AsyncIterator[bytes]:
        """Yield `changed` after every change of the state, and the events of the panels.  Several in quick succession become one."""
        due: set[str] = {"changed", *(name for panel in self._panels for name, _ in panel.changes)}
        woken = asyncio.Event()

        def notify(name: str) -> None:
            due.add(name)
            woken.set()

        stop_listening = [self._platform.listen(partial(notify, "changed"))]
        for panel in self._panels:
            stop_listening += [listen(partial(notify, name)) for name, listen in panel.changes]
        try:
            yield b"retry: 500\n\n"
            while True:
                for name in sorted(due):
                    due.discard(name)
                    yield f"event: {name}\ndata: {{}}\n\n".encode()
                if due:
                    continue
                woken.clear()
                try:
                    await asyncio.wait_for(woken.wait(), HEARTBEAT_S)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            for stop in stop_listening:
                stop()
