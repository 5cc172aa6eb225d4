"""A local Notion: the endpoints used by the bot, with Notion's rules for tokens, versions, sizes and rates.

Source: Notion API reference; docs/notion-facts.md. Every answer carries `x-notion-request-id`.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simulator.line.responses import cut_json_response
from simulator.notion.errors import NotionError, invalid_value, not_found, validation_error
from simulator.notion.filters import lets_through
from simulator.notion.rules import empty_value, new_blocks, property_values
from simulator.notion.switches import Call, Faults, Rate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from starlette.requests import Request

    from simulator.line.faults import RequestFaults
    from simulator.notion.switches import Fault
    from simulator.notion.workspace import JsonObject, Workspace

VERSION = "2025-09-03"
MAX_BODY_BYTES = 500 * 1024
_PAGE_SIZE = 100
_Thing = TypeVar("_Thing")


class NotionStandIn:
    """The API of a workspace, for a token."""

    def __init__(self, workspace: Workspace, *, token: str, monotonic_s: Callable[[], float]) -> None:
        self.workspace = workspace
        self.rate = Rate(monotonic_s=monotonic_s)
        self.faults = Faults()
        self.calls: list[Call] = []
        self._token = token
        routes: tuple[tuple[str, str, Callable[[Request, JsonObject], JsonObject]], ...] = (
            ("GET", "users/me", self._bot_user),
            ("GET", "users", self._users),
            ("GET", "databases/{id}", self._database),
            ("GET", "data_sources/{id}", self._data_source),
            ("POST", "data_sources/{id}/query", self._query),
            ("POST", "pages", self._create_page),
            ("GET", "pages/{id}", self._page),
            ("PATCH", "pages/{id}", self._update_page),
            ("GET", "blocks/{id}/children", self._blocks),
            ("PATCH", "blocks/{id}/children", self._append),
        )
        self.app = Starlette(
            routes=[Route(f"/v1/{path}", self._endpoint(handle), methods=[method]) for method, path, handle in routes]
        )

    def _endpoint(self, handle: Callable[[Request, JsonObject], JsonObject]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            raw = await request.body()
            call = Call(method=request.method, path=request.url.path.removeprefix("/v1/"))
            self.calls.append(call)
            faults = self.faults.match(call)
            await faults.before(asyncio.sleep)
            request_id = self.workspace.new_id()
            try:
                body = self._carry_out(handle, request, raw, faults)
            except NotionError as error:
                retry = {"retry-after": str(error.retry_after_s)} if error.retry_after_s is not None else {}
                headers = {"x-notion-request-id": request_id, **retry}
                return JSONResponse(error.body(request_id), status_code=error.status, headers=headers)
            if faults.lost_answer == "cut":
                return cut_json_response("application/json")
            return JSONResponse({**body, "request_id": request_id}, headers={"x-notion-request-id": request_id})

        return respond

    def _carry_out(
        self,
        handle: Callable[[Request, JsonObject], JsonObject],
        request: Request,
        raw: bytes,
        faults: RequestFaults[Fault],
    ) -> JsonObject:
        if faults.error is not None and faults.error_status is not None:
            raise NotionError(faults.error_status, "Something went wrong.", None, faults.error.retry_after_s)
        self._admit(request)
        body = handle(request, _body_of(raw))
        faults.after()
        if faults.lost_answer == "unavailable":
            raise NotionError(503, "Notion is unavailable.")
        return body

    def _admit(self, request: Request) -> None:
        if request.headers.get("authorization") != f"Bearer {self._token}":
            raise NotionError(401, "API token is invalid.")
        version = request.headers.get("notion-version")
        if version is None:
            raise NotionError(400, "Notion-Version header should be defined.", "missing_version")
        if version != VERSION:
            raise validation_error(f"Notion-Version header should be `{VERSION}` here, instead was `{version}`.")
        self.rate.spend()

    def _bot_user(self, _: Request, __: JsonObject) -> JsonObject:
        return self.workspace.users[self.workspace.bot_id]

    def _users(self, request: Request, _: JsonObject) -> JsonObject:
        return _listing(list(self.workspace.users.values()), request.query_params, "user")

    def _database(self, request: Request, _: JsonObject) -> JsonObject:
        return _find("database", self.workspace.databases, request)

    def _data_source(self, request: Request, _: JsonObject) -> JsonObject:
        return _find("data_source", self.workspace.data_sources, request)

    def _query(self, request: Request, body: JsonObject) -> JsonObject:
        source = _find("data_source", self.workspace.data_sources, request)
        columns = source["properties"]
        pages = [page for page in self.workspace.pages.values() if page["parent"]["data_source_id"] == source["id"]]
        filter_ = body.get("filter")
        if filter_ is not None:
            pages = [page for page in pages if lets_through(filter_, page, columns)]
        for sort in reversed(body.get("sorts", [])):
            if sort.get("timestamp") not in {"created_time", "last_edited_time"}:
                raise validation_error("body.sorts: only timestamps are known to this stand-in.")
            pages.reverse()  # the latest first among the pages of one minute
            pages.sort(key=lambda page: str(page[sort["timestamp"]]), reverse=sort.get("direction") == "descending")
        return _listing([page for page in pages if not page["in_trash"]], body, "page_or_data_source")

    def _create_page(self, _: Request, body: JsonObject) -> JsonObject:
        parent = body.get("parent")
        source_id = parent.get("data_source_id") if isinstance(parent, dict) else None
        if not isinstance(source_id, str):
            raise validation_error("body.parent.data_source_id should be defined.")
        source = self.workspace.data_sources.get(source_id)
        if source is None:
            raise not_found("data_source", source_id)
        columns = source["properties"]
        values = property_values(self.workspace, columns, body.get("properties", {}))
        bot = {"object": "user", "id": self.workspace.bot_id}
        page_id, now = self.workspace.new_id(), self.workspace.now()
        page: JsonObject = {
            "object": "page",
            "id": page_id,
            "created_time": now,
            "last_edited_time": now,
            "created_by": bot,
            "last_edited_by": bot,
            "in_trash": False,
            "archived": False,
            "parent": {
                "type": "data_source_id",
                "data_source_id": source_id,
                "database_id": source["parent"]["database_id"],
            },
            "properties": {name: values.get(name, empty_value(column)) for name, column in columns.items()},
            "url": f"https://www.notion.so/{page_id.replace('-', '')}",
        }
        self.workspace.pages[page_id] = page
        self.workspace.blocks[page_id] = []
        self.workspace.save_and_notify()
        return page

    def _page(self, request: Request, _: JsonObject) -> JsonObject:
        return _find("page", self.workspace.pages, request)

    def _update_page(self, request: Request, body: JsonObject) -> JsonObject:
        page = _find("page", self.workspace.pages, request)
        if page["in_trash"]:
            raise invalid_value("Can't edit block that is archived. You must unarchive the block before editing.")
        columns = self.workspace.data_sources[page["parent"]["data_source_id"]]["properties"]
        page["properties"] |= property_values(self.workspace, columns, body.get("properties", {}))
        if isinstance(body.get("in_trash"), bool):
            page["in_trash"] = page["archived"] = body["in_trash"]
        page["last_edited_time"] = self.workspace.now()
        self.workspace.save_and_notify()
        return page

    def _blocks(self, request: Request, _: JsonObject) -> JsonObject:
        return _listing(_find("block", self.workspace.blocks, request), request.query_params, "block")

    def _append(self, request: Request, body: JsonObject) -> JsonObject:
        blocks = _find("block", self.workspace.blocks, request)
        appended = new_blocks(self.workspace, body.get("children"))
        blocks += appended
        self.workspace.save_and_notify()
        return {"object": "list", "results": appended, "next_cursor": None, "has_more": False, "type": "block"}


def _find(kind: str, objects: Mapping[str, _Thing], request: Request) -> _Thing:
    identity = str(request.path_params["id"])
    if identity not in objects:
        raise not_found(kind, identity)
    return objects[identity]


def _listing(objects: Sequence[JsonObject], paging: Any, type_: str) -> JsonObject:  # noqa: ANN401 - a body or a query
    try:
        size = int(paging.get("page_size") or _PAGE_SIZE)
        start = int(paging.get("start_cursor") or 0)
    except ValueError:
        raise validation_error("start_cursor or page_size is no valid value.") from None
    if not 0 < size <= _PAGE_SIZE:
        raise validation_error(f"body.page_size should be ≤ `{_PAGE_SIZE}`, instead was `{size}`.")
    has_more = start + size < len(objects)
    return {
        "object": "list",
        "results": list(objects[start : start + size]),
        "next_cursor": str(start + size) if has_more else None,
        "has_more": has_more,
        "type": type_,
    }


def _body_of(raw: bytes) -> JsonObject:
    if len(raw) > MAX_BODY_BYTES:
        raise NotionError(400, "Request body too large.")
    if not raw:
        return {}
    try:
        body = json.loads(raw)
    except ValueError:
        raise NotionError(400, "Error parsing JSON body.", "invalid_json") from None
    if not isinstance(body, dict):
        raise validation_error("body should be an object.")
    return body
