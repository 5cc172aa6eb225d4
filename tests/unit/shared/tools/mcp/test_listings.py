"""Listings of tool servers: asked for by ticks, stored in the bucket, read by turns without asking a server."""

from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryToolServer
from shared.errors import StorageUnavailableError
from shared.tools.mcp.listings import LEAST_TTL_MS, MOST_TTL_MS, READ_AGAIN_S, ToolListings
from shared.tools.mcp.port import ConnectedServer, ToolUse
from tests.support.inline import InlineExecutor
from tests.support.pushed import UnreliableStore

USUAL_S = 600.0
STRING = {"type": "object", "properties": {"city": {"type": "string"}}}


class Connected:
    """Two servers, `weather` with an allowed tool and one that nobody allowed, and the listings of an instance."""

    def __init__(self) -> None:
        self.store = UnreliableStore()
        self.clock = FixedClock()
        self.weather, self.shop = MemoryToolServer(), MemoryToolServer()
        self.weather.add("forecast", str, description="Tells the weather.", schema=STRING)
        self.weather.add("format-disk", str, schema=STRING)
        self.shop.add("order", str, schema=STRING)
        self.listings = self.of_an_instance()

    def of_an_instance(self) -> ToolListings:
        servers = (
            ConnectedServer(name="weather", server=self.weather, uses={"forecast": ToolUse.READS}, conversations=None),
            ConnectedServer(name="shop", server=self.shop, uses={"order": ToolUse.ACTS}, conversations=None),
        )
        return ToolListings(store=self.store, servers=servers, clock=self.clock, threads=InlineExecutor())

    def ticks(self, *, after_s: float = 0.0) -> None:
        self.clock.move(after_s)
        for renew in self.listings.renewals():
            renew()

    def names(self, listings: ToolListings | None = None) -> list[str]:
        read = (listings or self.of_an_instance()).read()
        return sorted(tool.name for listing in read.values() for tool in listing.tools)


@pytest.fixture
def connected() -> Connected:
    return Connected()


def test_before_a_tick_there_is_no_tool_and_no_server_is_asked(connected: Connected) -> None:
    assert connected.names() == []
    assert connected.weather.listed == 0


def test_a_tick_stores_the_allowed_tools_of_every_server_for_all_instances(connected: Connected) -> None:
    connected.ticks()

    assert connected.names() == ["forecast", "order"]
    forecast = connected.of_an_instance().read()["weather"].tools[0]
    assert (forecast.description, forecast.input_schema) == ("Tells the weather.", STRING)


def test_a_listing_is_asked_for_again_after_ten_minutes(connected: Connected) -> None:
    connected.ticks()
    connected.ticks(after_s=USUAL_S - 1)
    assert connected.weather.listed == 1

    connected.ticks(after_s=1)
    assert connected.weather.listed == 2


@pytest.mark.parametrize(("ttl_ms", "kept_ms"), [(120_000, 120_000), (1, LEAST_TTL_MS), (10**12, MOST_TTL_MS)])
def test_a_server_says_for_how_long_its_listing_is_good_within_bounds(
    connected: Connected, ttl_ms: int, kept_ms: int
) -> None:
    connected.weather.ttl_ms = ttl_ms
    connected.ticks()
    connected.ticks(after_s=kept_ms / 1_000 - 1)
    assert connected.weather.listed == 1

    connected.ticks(after_s=1)
    assert connected.weather.listed == 2


def test_a_dead_server_keeps_its_last_listing_and_costs_the_others_nothing(connected: Connected) -> None:
    connected.ticks()
    connected.weather.is_down = True
    connected.shop.add("order", str, description="new", schema=STRING)
    connected.ticks(after_s=USUAL_S)

    assert connected.names() == ["forecast", "order"]
    assert connected.of_an_instance().read()["shop"].tools[0].description == "new"


def test_a_tool_that_the_server_lists_no_more_is_offered_no_more(connected: Connected) -> None:
    connected.ticks()
    del connected.shop.tools["order"]
    connected.ticks(after_s=USUAL_S)

    assert connected.names() == ["forecast"]


def test_an_instance_reads_the_bucket_once_a_minute_and_sees_a_change_a_minute_later(connected: Connected) -> None:
    connected.ticks()
    instance = connected.of_an_instance()
    assert connected.names(instance) == ["forecast", "order"]
    reads: list[str] = []
    connected.store.before = lambda call, name: reads.append(name) if call == "read" else None
    del connected.shop.tools["order"]
    connected.ticks(after_s=USUAL_S)
    reads.clear()

    instance.read()  # is answered by the last listings, while they are read again
    assert connected.names(instance) == ["forecast"]
    connected.clock.move(READ_AGAIN_S - 1)
    connected.names(instance)

    assert reads == ["tool-servers/weather.json", "tool-servers/shop.json"]


def test_while_the_bucket_does_not_answer_the_last_listings_are_used(connected: Connected) -> None:
    connected.ticks()
    instance = connected.of_an_instance()
    connected.names(instance)

    def fail(call: str, _: str) -> None:
        raise StorageUnavailableError(call)

    connected.store.before = fail
    connected.clock.move(READ_AGAIN_S)
    assert connected.names(instance) == ["forecast", "order"]
    assert connected.names(instance) == ["forecast", "order"]
    assert connected.names() == []


def test_a_corrupt_listing_is_replaced(connected: Connected) -> None:
    connected.store.create("tool-servers/weather.json", b"{")
    assert connected.names() == []

    connected.ticks()

    assert "forecast" in connected.names()


def test_a_listing_longer_than_its_bounds_is_cut(connected: Connected) -> None:
    long = {"type": "object", "properties": {"city": {"type": "string", "description": "x" * 20_000}}}
    connected.weather.add("forecast", str, description="x" * 10_000, schema=long)
    connected.shop.tools["order"] = (replace(connected.shop.tools["order"][0], description="y" * 10_000), str)
    connected.ticks()

    assert connected.names() == ["order"]
    assert len(connected.of_an_instance().read()["shop"].tools[0].description) == 2_000
