"""MCP_SERVERS: what it may name, and how a fault in it is told at start."""

import json
from typing import Any

import pytest

from shared.settings.reader import EnvironmentReader
from shared.settings.tool_servers import MOST_SERVERS, ServerHeaders, tool_server_settings
from shared.tools.mcp.port import ToolUse

WEATHER: dict[str, Any] = {
    "name": "weather",
    "url": "https://weather.example/mcp",
    "tools": {"get-forecast": "reads"},
    "chats": "*",
}
CHAT = "C" + "0" * 32


class ChangingSecret:
    """A secret that somebody changes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self) -> str:
        return self.text

    def read_again(self) -> bool:
        return True


def reader(*servers: object, **env: str) -> EnvironmentReader:
    return EnvironmentReader({"MCP_SERVERS": json.dumps(list(servers)), **env})


def test_without_the_setting_there_is_no_server() -> None:
    assert tool_server_settings(EnvironmentReader({})) == ()


def test_a_server_has_an_address_allowed_tools_chats_and_headers_from_secrets() -> None:
    shop = {
        **WEATHER,
        "name": "shop",
        "tools": {"order": "acts"},
        "chats": [CHAT],
    }
    settings = reader(WEATHER, shop, MCP_HEADERS=json.dumps({"shop": {"Authorization": "Bearer secret"}}))

    weather, connected = tool_server_settings(settings)

    assert settings.faults == []
    assert (weather.url, weather.uses, weather.conversations) == (
        "https://weather.example/mcp",
        {"get-forecast": ToolUse.READS},
        None,
    )
    assert (connected.uses, connected.conversations) == ({"order": ToolUse.ACTS}, frozenset({CHAT}))
    assert (connected.headers(), weather.headers()) == ({"Authorization": "Bearer secret"}, {})
    assert "secret" not in repr(connected)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": "My Shop"}, "`name`"),
        ({"name": None}, "`name`"),
        ({"url": "http://weather.example/mcp"}, "https"),
        ({"url": "https://user:secret@weather.example/mcp"}, "https"),
        ({"url": 7}, "https"),
        ({"tools": {"get-forecast": "everything"}}, '"reads" or "acts"'),
        ({"tools": ["get-forecast"]}, '"reads" or "acts"'),
        ({"chats": []}, "`chats`"),
        ({"chats": ["everybody"]}, "`chats`"),
        ({"command": "npx something"}, "a field beside"),
    ],
)
def test_a_fault_names_the_place_in_the_list_and_no_value(change: dict[str, object], fault: str) -> None:
    settings = reader(WEATHER, {**WEATHER, "name": "shop", **change})

    tool_server_settings(settings)

    (sentence,) = settings.faults
    assert sentence.startswith("server 2 of MCP_SERVERS ")
    assert fault in sentence
    assert "secret" not in sentence


@pytest.mark.parametrize("text", ["secret", "[]", "{}", '{"weather": "secret"}', '{"weather": {"x\\r\\ny": "secret"}}'])
def test_malformed_headers_are_told_without_their_value(text: str) -> None:
    settings = reader(WEATHER, MCP_HEADERS=text)

    tool_server_settings(settings)

    (sentence,) = settings.faults
    assert sentence.startswith("MCP_HEADERS must be a JSON object")
    assert "secret" not in sentence


def test_headers_are_those_of_the_secret_at_the_moment_and_none_once_it_is_malformed() -> None:
    secret = ChangingSecret(json.dumps({"weather": {"Authorization": "old"}}))
    headers = ServerHeaders(server="weather", secret=secret)
    assert headers() == {"Authorization": "old"}

    secret.text = json.dumps({"weather": {"Authorization": "new"}})
    assert headers() == {"Authorization": "new"}

    secret.text = "{"
    assert headers() == {}


def test_a_server_on_this_machine_may_be_reached_without_tls() -> None:
    settings = reader({**WEATHER, "url": "http://127.0.0.1:3001/mcp"})

    assert tool_server_settings(settings)[0].url == "http://127.0.0.1:3001/mcp"
    assert settings.faults == []


@pytest.mark.parametrize("text", ["{", "{}", "[]", "7", "[" * 100_000])
def test_what_is_no_list_of_servers_is_told_with_an_example(text: str) -> None:
    settings = EnvironmentReader({"MCP_SERVERS": text})

    assert tool_server_settings(settings) == ()
    assert "such as [{" in settings.faults[0]


def test_two_servers_of_a_name_and_too_many_servers_are_refused() -> None:
    alike, many = (
        reader(WEATHER, WEATHER),
        reader(*[{**WEATHER, "name": f"s{number}"} for number in range(MOST_SERVERS + 1)]),
    )

    tool_server_settings(alike)
    tool_server_settings(many)

    assert alike.faults == ["MCP_SERVERS names two servers alike"]
    assert f"1 to {MOST_SERVERS}" in many.faults[0]
