"""The command `line-simulator` and the server that it runs."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import httpx2
import pytest

from simulator.line import __main__ as command
from simulator.line.channel_settings import ChannelsError, read_channels
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
    assert "0.0.0.0 is open to other machines" in told
    assert f"0.0.0.0:{port} cannot be used" in told


def test_secrets_are_not_in_the_representation_of_settings() -> None:
    assert "hush" not in repr(StandaloneSettings(channel_secret="hush", channel_access_token="hush"))


def channel(number: int, **changes: str) -> dict[str, str]:
    named = {"name": f"Bot {number}", "channel_id": f"{number}", "secret": f"s{number}", "token": f"t{number}"}
    return {**named, "webhook": f"http://bot:{number}/", **changes}


def channels_file(tmp_path: Path, *channels: object) -> Path:
    path = tmp_path / "channels.json"
    path.write_text(json.dumps(list(channels)), encoding="utf-8")
    return path


def test_several_channels_are_told_apart_by_their_tokens(tmp_path: Path) -> None:
    first, *more = read_channels(channels_file(tmp_path, channel(1), channel(2)))
    form = {"grant_type": "client_credentials", "client_id": "2", "client_secret": "s2"}

    async def ask() -> list[Any]:
        settings = StandaloneSettings(
            port=0,
            bot_name=first.bot_name,
            channel_id=first.channel_id,
            channel_secret=first.channel_secret,
            channel_access_token=first.channel_access_token,
            more_channels=tuple(more),
        )
        async with Standalone(settings) as server, httpx2.AsyncClient(trust_env=False) as client:
            issued = (await client.post(f"{server.url}/oauth2/v3/token", data=form)).json()["access_token"]
            names = [
                (await client.get(f"{address}/v2/bot/info", headers={"Authorization": f"Bearer {token}"})).json()
                for address, token in (
                    (server.url, "t1"),
                    (server.url, "t2"),
                    (server.url, issued),
                    (server.urls[1], "t1"),
                )
            ]
            verified = await client.get(f"{server.url}/oauth2/v2.1/verify", params={"access_token": issued})
            refused = await client.get(f"{server.url}/v2/bot/info", headers={"Authorization": "Bearer t3"})
            pages = [
                (await client.get(f"{address}/simulator/state")).json()["bot"]["display_name"]
                for address in server.urls
            ]
            return [
                [info["displayName"] for info in names],
                len({info["userId"] for info in names}),
                verified.json()["client_id"],
                refused.status_code,
                pages,
            ]

    assert asyncio.run(ask()) == [["Bot 1", "Bot 2", "Bot 2", "Bot 1"], 2, "2", 401, ["Bot 1", "Bot 2"]]


@pytest.mark.parametrize(
    ("channels", "told"),
    [
        ([], "has to be a list"),
        ([channel(1), channel(1)], "same channel_id"),
        ([channel(1), channel(2, token="t1")], "same channel_access_token"),
        ([{"name": "x"}], "channel 1"),
        ([channel(1, secret="")], "has to be a text"),
        (["x"], "channel 1"),
    ],
)
def test_a_file_of_channels_that_cannot_be_used_says_why(tmp_path: Path, channels: list[object], told: str) -> None:
    with pytest.raises(ChannelsError, match=told):
        read_channels(channels_file(tmp_path, *channels))


def test_the_command_says_why_its_channels_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--channels", str(tmp_path / "none.json")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_there_are_as_many_people_at_the_start_as_asked_for() -> None:
    assert len(asked("/simulator/state", people=30)["people"]) == 30
