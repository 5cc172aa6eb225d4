"""The listings of tool servers: stored in the bucket, renewed by ticks, read without asking a server.

No turn waits for a tool server's listing. A tick asks each server whose stored listing is older than its `ttlMs`; turns read the stored
listing, at most once a minute an instance. Example: a tool added at 09:00, with a `ttlMs` of ten minutes, is offered by 09:12.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Final

from shared import logs
from shared.clock import Clock, Deadline
from shared.errors import AizuchiError, CorruptRecordError
from shared.frozen import frozen
from shared.storage.codec import decode, encode
from shared.storage.object_store import ObjectStore
from shared.tools.mcp.port import MOST_TOOLS, SCHEMA_LIMIT, ConnectedServer, Listing, ServedTool
from shared.unknown_fields import Extensible

ASKED_S: Final = 10.0
"""Seconds for one server's listing."""
READ_AGAIN_S: Final = 60.0
LEAST_TTL_MS: Final = 60_000
MOST_TTL_MS: Final = 3_600_000
_USUAL_TTL_MS: Final = 600_000
_DESCRIPTION_LIMIT: Final = 2_000  # characters that are stored


@frozen
class StoredTool(Extensible):
    """A tool as its server described it; `schema` is JSON text, for example `{"type": "object"}`."""

    name: str
    description: str = field(repr=False)
    schema: str = field(repr=False)


@frozen
class ListingRecord(Extensible):
    """The record `tool-servers/{name}.json`; the listing is asked for anew at `due_ms`."""

    version: int = 1
    listed_ms: int
    due_ms: int
    tools: tuple[StoredTool, ...]


@dataclass(slots=True, kw_only=True)
class _Cached:
    listings: Mapping[str, Listing] | None = None
    until_s: float = 0.0
    lock: Lock = field(default_factory=Lock, repr=False)


@frozen
class ToolListings:
    """The stored listings of the connected servers; safe to share between threads."""

    store: ObjectStore
    servers: Sequence[ConnectedServer]
    clock: Clock = field(repr=False)
    threads: Executor = field(repr=False)
    _cached: _Cached = field(default_factory=_Cached, repr=False)

    def renewals(self) -> tuple[Callable[[], None], ...]:
        """Return a renewal for each server.

        A renewal asks for the listing, if it is due, and stores it; a server that fails keeps its last listing. It never raises.
        """
        return tuple(partial(self._renew_safely, connected) for connected in self.servers)

    def _renew_safely(self, connected: ConnectedServer) -> None:
        try:
            self._renew(connected)
        except AizuchiError as cause:
            logs.warning("tool_server_not_listed", server=connected.name, error_type=type(cause).__name__)

    def read(self) -> Mapping[str, Listing]:
        """Return the listings by server; empty while the bucket does not answer.

        The first call reads the bucket; a call a minute later returns the last listings, and has them read again meanwhile.
        """
        cached = self._cached
        with cached.lock:
            is_first, is_old = cached.listings is None, self.clock.monotonic_s() >= cached.until_s
            if is_first or is_old:
                cached.until_s = self.clock.monotonic_s() + READ_AGAIN_S
            if is_first:
                cached.listings = self._read_all() or {}
            listings = {} if cached.listings is None else cached.listings
        if is_old and not is_first:
            self.threads.submit(self._read_again)
        return listings

    def _read_again(self) -> None:
        listings = self._read_all()
        with self._cached.lock:
            if listings is not None:
                self._cached.listings = listings

    def _read_all(self) -> dict[str, Listing] | None:
        try:
            records = {connected.name: self._stored(connected.name) for connected in self.servers}
        except AizuchiError as cause:
            logs.warning("tool_listings_not_read", error_type=type(cause).__name__)
            return None
        return {name: _listing_of(record) for name, record in records.items() if record is not None}

    def _renew(self, connected: ConnectedServer) -> None:
        now_ms, name = self.clock.now_ms(), _object_name(connected.name)
        stored = self.store.read(name)
        last = _record_of(stored.data) if stored is not None else None
        if last is not None and now_ms < last.due_ms:
            return
        listing = connected.server.list_tools(Deadline.after(self.clock, ASKED_S))
        ttl_ms = _USUAL_TTL_MS if listing.ttl_ms is None else min(max(listing.ttl_ms, LEAST_TTL_MS), MOST_TTL_MS)
        usable = (tool for tool in listing.tools if tool.name in connected.uses)
        record = ListingRecord(
            listed_ms=now_ms,
            due_ms=now_ms + ttl_ms,
            tools=tuple(
                tool for tool in map(_stored_tool, list(usable)[:MOST_TOOLS]) if len(tool.schema) <= SCHEMA_LIMIT
            ),
        )
        missing = connected.uses.keys() - {tool.name for tool in record.tools}
        if missing:
            logs.warning("tool_server_lacks_tools", server=connected.name, count=len(missing))
        if last is None or last.tools != record.tools:
            logs.info("tool_server_listed", server=connected.name, tools=len(record.tools))
        if stored is None:
            self.store.create(name, encode(record))
        else:  # another tick that was faster has stored as good a listing
            self.store.replace(name, encode(record), generation=stored.generation)

    def _stored(self, server: str) -> ListingRecord | None:
        stored = self.store.read(_object_name(server))
        return _record_of(stored.data) if stored is not None else None


def _object_name(server: str) -> str:
    return f"tool-servers/{server}.json"


def _stored_tool(tool: ServedTool) -> StoredTool:
    return StoredTool(
        name=tool.name,
        description=tool.description[:_DESCRIPTION_LIMIT],
        schema=json.dumps(tool.input_schema, ensure_ascii=True, sort_keys=True),
    )


def _record_of(data: bytes) -> ListingRecord | None:
    """Return the record; None for a corrupt one, which the next listing replaces."""
    try:
        return decode(ListingRecord, data)
    except CorruptRecordError:
        return None


def _listing_of(record: ListingRecord) -> Listing:
    return Listing(
        tools=tuple(
            ServedTool(name=tool.name, description=tool.description, input_schema=json.loads(tool.schema))
            for tool in record.tools
        )
    )
