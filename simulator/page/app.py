"""The web page for a chat with the bot: static files, the state as JSON, a stream of changes, and the actions."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from simulator.line.errors import ImpossibleActionError
from simulator.line.media import Media
from simulator.line.platform import LinePlatform
from simulator.notion.lists import lists_view
from simulator.notion.workspace import Workspace
from simulator.page.actions import ACTIONS
from simulator.page.knowledge import KnowledgeReader
from simulator.page.snapshot import snapshot, trace_view
from simulator.trace.trace import Trace

IMAGE_BYTES: Final = 10 * 1024 * 1024
HEARTBEAT_S: Final = 15
_STATIC: Final = Path(__file__).parent / "static"
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page_routes(
    platform: LinePlatform,
    about: Mapping[str, Any],
    trace: Trace,
    notion: Workspace | None = None,
    knowledge: KnowledgeReader | None = None,
) -> list[BaseRoute]:
    """Return the routes of the page.

    `about` is shown unchanged: `{"model": "stand-in", "notice": "..."}` says that no real model is connected; any other `model`
    is named in the page's bar. `trace` has the steps of each event, `notion` the lists, `knowledge` the filed entries.
    """
    page = _Page(platform, about, trace, notion, knowledge)
    return [
        Route("/", page.index),
        Route("/simulator/state", page.state),
        Route("/simulator/events", page.events),
        Route("/simulator/trace/{webhook_event_id}", page.trace),
        Route("/simulator/filed/{chat_id}", page.knowledge),
        Route("/simulator/filed/{chat_id}/{path:path}", page.entry),
        Route("/simulator/media/{line_message_id}", page.media),
        Route("/simulator/image", page.image, methods=["POST"]),
        Route("/simulator/{action}", page.act, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]


class _Page:
    def __init__(
        self,
        platform: LinePlatform,
        about: Mapping[str, Any],
        trace: Trace,
        notion: Workspace | None,
        knowledge: KnowledgeReader | None,
    ) -> None:
        self._platform = platform
        self._about = about
        self._trace = trace
        self._notion = notion
        self._knowledge = knowledge

    async def index(self, _request: Request) -> Response:
        return FileResponse(_STATIC / "index.html", headers=_HEADERS)

    async def state(self, _request: Request) -> Response:
        lists = [] if self._notion is None else lists_view(self._notion)
        return JSONResponse({**snapshot(self._platform, self._about), "lists": lists}, headers=_HEADERS)

    async def events(self, _request: Request) -> Response:
        return StreamingResponse(self._changes(), media_type="text/event-stream", headers=_HEADERS)

    async def trace(self, request: Request) -> Response:
        """Return the steps of an event; none for an unknown event, e.g. of an earlier run."""
        webhook_event_id = request.path_params["webhook_event_id"]
        return JSONResponse(trace_view(self._trace.event(webhook_event_id)), headers=_HEADERS)

    async def knowledge(self, request: Request) -> Response:
        """Return the entries of a chat; none without a bucket."""
        chat_id = request.path_params["chat_id"]
        if chat_id not in self._platform.chats:
            return _refusal("there is no such chat", HTTPStatus.NOT_FOUND)
        found = {"index": None, "entries": []} if self._knowledge is None else await self._knowledge.of(chat_id)
        return JSONResponse(found, headers=_HEADERS)

    async def entry(self, request: Request) -> Response:
        """Return `{"text"}`, the text of one entry in the bucket."""
        chat_id, path = request.path_params["chat_id"], request.path_params["path"]
        is_known = self._knowledge is not None and chat_id in self._platform.chats
        text = await self._knowledge.entry(chat_id, path) if is_known and self._knowledge is not None else None
        if text is None:
            return _refusal("there is no such entry", HTTPStatus.NOT_FOUND)
        return JSONResponse({"text": text}, headers=_HEADERS)

    async def media(self, request: Request) -> Response:
        media = self._platform.media.get(request.path_params["line_message_id"])
        if media is None or not media.content_type.startswith("image/"):
            return _refusal("there is no such image", HTTPStatus.NOT_FOUND)
        return Response(media.content, media_type=media.content_type, headers=_HEADERS)

    async def image(self, request: Request) -> Response:
        """Send an image: the body is its bytes, `user_id` and `chat_id` are in the query."""
        content_type = request.headers.get("content-type", "")
        content = await request.body()
        if (
            content_type not in {"image/jpeg", "image/png", "image/gif", "image/webp"}
            or not 0 < len(content) <= IMAGE_BYTES
        ):
            return _refusal("only images of at most 10 MB can be sent", HTTPStatus.UNPROCESSABLE_ENTITY)
        media = Media(content=content, content_type=content_type)
        try:
            event = self._platform.send_image(request.query_params["user_id"], request.query_params["chat_id"], media)
        except (ImpossibleActionError, KeyError) as error:
            return _refusal(str(error), HTTPStatus.CONFLICT)
        return JSONResponse({"webhook_event_id": event.webhook_event_id, "line_message_id": event.line_message_id})

    async def act(self, request: Request) -> Response:
        """Carry out an action: 409 where a person cannot do it, 400 for a malformed body.

        Only JSON is accepted: a form on a foreign web page cannot send it, so it cannot act for the person.
        """
        action = ACTIONS.get(request.path_params["action"])
        if action is None:
            return _refusal("there is no such action", HTTPStatus.NOT_FOUND)
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return _refusal("the body has to be JSON", HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        try:
            return JSONResponse(action(self._platform, json.loads(await request.body())), headers=_HEADERS)
        except ImpossibleActionError as error:
            return _refusal(str(error), HTTPStatus.CONFLICT)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return _refusal(f"malformed: {error}", HTTPStatus.BAD_REQUEST)

    async def _changes(self) -> AsyncIterator[bytes]:
        """Yield `changed` after every change of the state, `traced` after every step, `filed` after every write to entries.

        Several in quick succession become one.
        """
        due: set[str] = {"changed", "traced", "filed"}
        woken = asyncio.Event()

        def tell(name: str) -> None:
            due.add(name)
            woken.set()

        stop_listening = [self._platform.listen(partial(tell, "changed")), self._trace.listen(partial(tell, "traced"))]
        if self._notion is not None:
            stop_listening.append(self._notion.listen(partial(tell, "changed")))
        if self._knowledge is not None:
            stop_listening.append(self._knowledge.listen(partial(tell, "filed")))
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


def _refusal(message: str, status: HTTPStatus) -> Response:
    return JSONResponse({"message": message}, status_code=status, headers=_HEADERS)
