"""The command `line-simulator` and the server that it runs."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import httpx2
import pytest

from simulator.line import __main__ as command
from simulator.line.control.recording import RecordingError
from simulator.line.servers import PortInUseError
from simulator.line.standalone import Standalone, StandaloneSettings

RECORDING = {
    "version": 1,
    "people": [{"user_id": "U1", "display_name": "Momo"}],
    "steps": [
        {"action": "say", "body": {"user_id": "U1", "chat_id": "U1", "text": "hello"}},
        {"bot": {"chat_id": "U1", "messages": [{"type": "text", "text": "hi"}], "ids": ["1"]}},
    ],
}


def asked(path: str, **settings: Any) -> Any:  # noqa: ANN401 - settings, and JSON
    async def ask() -> Any:  # noqa: ANN401 - JSON
        async with (
            Standalone(StandaloneSettings(port=0, **settings)) as server,
            httpx2.AsyncClient(trust_env=False, base_url=server.url) as client,
        ):
            return (await client.get(path)).json()

    return asyncio.run(ask())


def test_the_first_screen_is_told_the_secret_and_the_token() -> None:
    told = asked("/simulator/setup", webhook_url="http://bot:1/", channel_secret="s", channel_access_token="t")

    assert told == {
        "channel_id": "1234567890",
        "channel_secret": "s",
        "channel_access_token": "t",
        "webhook_url": "http://bot:1/",
    }


def test_a_seed_is_there_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "seed.json"
    path.write_text(json.dumps(RECORDING), encoding="utf-8")

    [chat] = asked("/simulator/state", seed_chat=path)["chats"]

    assert [entry["content"]["text"] for entry in chat["entries"]] == ["hello", "hi"]


def test_people_survive_a_restart_with_a_folder(tmp_path: Path) -> None:
    first = asked("/simulator/state", folder=tmp_path)["people"]

    assert asked("/simulator/state", folder=tmp_path)["people"] == first
    assert asked("/simulator/state")["people"] != first


def test_a_wrong_seed_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read"):
        asked("/", seed_chat=tmp_path / "none")


def test_a_used_port_stops_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUseError):
            asyncio.run(Standalone(StandaloneSettings(port=port)).__aenter__())

        assert command.main(["--port", str(port), "--host", "0.0.0.0"]) == 1

    told = capsys.readouterr().err
    assert "0.0.0.0 is reached from outside" in told
    assert f"0.0.0.0:{port} cannot be used" in told


def test_secrets_are_not_in_the_representation_of_settings() -> None:
    assert "hush" not in repr(StandaloneSettings(channel_secret="hush", channel_access_token="hush"))
