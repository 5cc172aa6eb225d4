"""Notion through notion-client, at version 2025-09-03 of the API.

Retries happen here, until the deadline. A request with a rate limit (429, 529) or a conflict (409) had no effect, and is always
retried; a request with a lost answer or 5xx only if it reads. After a write without an answer the caller checks for the effect.
Source: notion-client 3.1.0, client.py (its own retries are off; it does not know 529 and passes httpx's transport errors on);
Notion API reference, "Status codes" and "Request limits"; docs/notion-facts.md.
"""

import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

import httpx
from notion_client import Client
from notion_client.errors import HTTPResponseError, NotionClientErrorBase

from shared.adapters.notion_answers import block_of, fault_in, page_of, readable, refusal, schema_of
from shared.adapters.pool_transport import PoolTransport
from shared.agent.model import Json
from shared.clock import Deadline
from shared.settings.notion import NotionSettings
from shared.settings.secret import Secret
from shared.tools.notion.port import (
    Block,
    NotionRefusedError,
    NotionUnavailableError,
    Page,
    Person,
    PropertyValues,
    QueryResult,
    Schema,
)

_REQUEST_TIMEOUT_MS: Final = 5_000  # for each phase: connecting, sending, waiting
_LEAST_REQUEST_S: Final = 0.5
_CONNECT_S: Final = 3.0
_PAGE_SIZE: Final = 100
_PEOPLE_LIMIT: Final = 1_000
_NOT_FOUND: Final = 404


class NotionApi:
    """The workspace of an integration token; safe to share between threads."""

    def __init__(self, settings: NotionSettings, *, chance: random.Random) -> None:
        """Build the client; no connection is opened."""
        silent = logging.getLogger("notion_client.silent")  # the library's log lines quote people's texts
        silent.propagate = False
        silent.addHandler(logging.NullHandler())
        options: dict[str, Any] = {"base_url": settings.base_url} if settings.base_url else {}
        self._client = Client(
            client=httpx.Client(
                auth=_bearer(settings.token),
                transport=cast("httpx.BaseTransport", PoolTransport(httpx, connect_s=_CONNECT_S)),
            ),
            notion_version="2025-09-03",
            timeout_ms=_REQUEST_TIMEOUT_MS,
            retry=False,
            logger=silent,
            log_level=logging.CRITICAL,
            **options,
        )
        self._chance = chance
        self._own_id: str | None = None

    def close(self) -> None:
        """Close every connection.  A function does not call this: its process ends."""
        self._client.close()

    def schema(self, database_id: str, deadline: Deadline) -> Schema:
        database = self._read_or_none(lambda: self._client.databases.retrieve(database_id), deadline)
        if database is None:
            return self._schema(database_id, deadline)
        stated = database.get("data_sources")
        sources = [one for one in stated if isinstance(one, Mapping)] if isinstance(stated, list) else []
        if len(sources) != 1:
            names = ", ".join(f'"{source.get("name")}" ({source.get("id")})' for source in sources)
            raise NotionRefusedError(
                "a database of NOTION_DATABASES has not exactly one data source",
                explanation=f"This database has {len(sources)} data sources: {names or 'none'}. "
                "Its operator has to name one of them by its id.",
            )
        return self._schema(str(sources[0].get("id")), deadline)

    def _schema(self, data_source_id: str, deadline: Deadline) -> Schema:
        answer = self._read(lambda: self._client.data_sources.retrieve(data_source_id), deadline)
        with readable(is_write=False):
            return schema_of(answer)

    def query(self, data_source_id: str, filter_: Json | None, *, limit: int, deadline: Deadline) -> QueryResult:
        parameters: dict[str, Any] = {"sorts": [{"timestamp": "last_edited_time", "direction": "descending"}]}
        if filter_ is not None:
            parameters["filter"] = filter_
        own_id = self._bot_id(deadline)
        pages: list[Page] = []
        for answer in self._list_pages(
            lambda **paging: self._client.data_sources.query(data_source_id, **parameters, **paging), limit, deadline
        ):
            with readable(is_write=False):
                pages += [page_of(page, own_id) for page in answer["results"] if page.get("object") == "page"]
            if len(pages) >= limit:
                return QueryResult(
                    pages=tuple(pages[:limit]), has_more=len(pages) > limit or bool(answer.get("has_more"))
                )
        return QueryResult(pages=tuple(pages), has_more=False)

    def people(self, deadline: Deadline) -> tuple[Person, ...]:
        people: list[Person] = []
        for answer in self._list_pages(self._client.users.list, _PEOPLE_LIMIT, deadline):
            with readable(is_write=False):
                people += [
                    Person(user_id=user["id"], name=user.get("name") or "")
                    for user in answer["results"]
                    if user.get("type") == "person"
                ]
        return tuple(people)

    def create_page(self, data_source_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        own_id = self._bot_id(deadline)  # before the write, so that nothing can fail between its effect and its result
        parent = {"type": "data_source_id", "data_source_id": data_source_id}
        created = self._write(lambda: self._client.pages.create(parent=parent, properties=properties), deadline)
        with readable(is_write=True):
            return page_of(created, own_id)

    def page(self, page_id: str, deadline: Deadline) -> Page | None:
        own_id = self._bot_id(deadline)
        page = self._read_or_none(lambda: self._client.pages.retrieve(page_id), deadline)
        with readable(is_write=False):
            return None if page is None else page_of(page, own_id)

    def update_page(self, page_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        own_id = self._bot_id(deadline)
        changed = self._write(lambda: self._client.pages.update(page_id, properties=properties), deadline)
        with readable(is_write=True):
            return page_of(changed, own_id)

    def append_blocks(self, page_id: str, blocks: Sequence[Json], deadline: Deadline) -> None:
        self._write(lambda: self._client.blocks.children.append(page_id, children=list(blocks)), deadline)

    def blocks(self, page_id: str, *, limit: int, deadline: Deadline) -> tuple[Block, ...] | None:
        own_id = self._bot_id(deadline)
        blocks: list[Block] = []
        for answer in self._list_pages(
            lambda **paging: self._client.blocks.children.list(page_id, **paging), limit + 1, deadline
        ):
            with readable(is_write=False):
                blocks += [block_of(block, own_id) for block in answer["results"]]
            if len(blocks) > limit:
                return None
        return tuple(blocks)

    def _list_pages(self, ask: Callable[..., Any], limit: int, deadline: Deadline) -> Iterator[Mapping[str, Any]]:
        """Yield the pages of a paginated answer until they hold about `limit` results: with `limit=250`, pages of 100, 100 and 50."""
        cursor: str | None = None
        count = 0
        while count < limit:
            paging = {"page_size": min(_PAGE_SIZE, limit - count), "start_cursor": cursor}
            answer = self._read(partial(ask, **paging), deadline)
            with readable(is_write=False):
                results = len(answer["results"])
            yield answer
            count += results
            cursor = answer.get("next_cursor")
            if not answer.get("has_more") or not cursor:
                return

    def _read_or_none(self, ask: Callable[[], Any], deadline: Deadline) -> Mapping[str, Any] | None:
        try:
            return self._read(ask, deadline)
        except NotionRefusedError as refused:
            if isinstance(refused.__cause__, HTTPResponseError) and refused.__cause__.status == _NOT_FOUND:
                return None
            raise

    def _read(self, ask: Callable[[], Any], deadline: Deadline) -> Mapping[str, Any]:
        return self._send(ask, deadline, is_write=False)

    def _write(self, ask: Callable[[], Any], deadline: Deadline) -> Mapping[str, Any]:
        return self._send(ask, deadline, is_write=True)

    def _send(self, ask: Callable[[], Any], deadline: Deadline, *, is_write: bool) -> Mapping[str, Any]:
        attempt = 0
        while deadline.left_s >= _LEAST_REQUEST_S:
            attempt += 1
            try:
                answer: Mapping[str, Any] = ask()
            except (NotionClientErrorBase, httpx.HTTPError, ValueError) as cause:
                self._pause(_fault(cause, is_write=is_write), cause, attempt, deadline)
                continue
            fault = fault_in(answer, is_write=is_write)
            if fault is None:
                return answer
            self._pause(fault, None, attempt, deadline)
        raise NotionUnavailableError("the turn's seconds ran out", may_have_effect=False)

    def _pause(self, fault: Exception, cause: Exception | None, attempt: int, deadline: Deadline) -> None:
        """Wait as long as Notion asks for.  Raises: `fault`, if a retry cannot help or would miss the deadline."""
        if not isinstance(fault, NotionUnavailableError) or fault.may_have_effect:
            raise fault from cause
        asked_s = _retry_after_s(cause)
        pause_s = self._chance.uniform(0.2, 0.6) * attempt if asked_s is None else asked_s
        if not deadline.pause(pause_s, least_s=_LEAST_REQUEST_S):
            raise fault from cause

    def _bot_id(self, deadline: Deadline) -> str:
        """Return the id of this integration's bot."""
        if self._own_id is None:
            answer = self._read(self._client.users.me, deadline)
            with readable(is_write=False):
                self._own_id = str(answer["id"])
        return self._own_id


def _fault(cause: Exception, *, is_write: bool) -> NotionRefusedError | NotionUnavailableError:
    """Return the port's error for an error of the client: 429 may be retried, a 503 after a write may have had an effect."""
    if isinstance(cause, HTTPResponseError):
        code = str(getattr(cause.code, "value", cause.code))
        return refusal(cause.status, code=code, text=str(cause), is_write=is_write)
    never_sent = isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return NotionUnavailableError("Notion gave no readable answer", may_have_effect=is_write and not never_sent)


def _retry_after_s(cause: Exception | None) -> float | None:
    """Return the Retry-After header in seconds, for example 2.0; None without one.

    Source: Notion API reference, "Request limits": whole seconds.
    """
    seconds = cause.headers.get("retry-after") if isinstance(cause, HTTPResponseError) else None
    try:
        return max(0.0, float(seconds)) if seconds else None
    except ValueError:
        return None


def _bearer(token: Secret) -> Callable[[httpx.Request], httpx.Request]:
    """Return a function that signs a request with the token's current value."""

    def sign(request: httpx.Request) -> httpx.Request:
        request.headers["Authorization"] = f"Bearer {token.value()}"
        return request

    return sign
