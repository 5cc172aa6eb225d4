"""A test of somebody's bot against the LINE simulator: pip install aizuchi-line-simulator line-bot-sdk pytest, then pytest.

It starts both, talks to the bot through the control API, and checks what the bot said.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BOT = Path(__file__).parent / "echo_bot.py"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Line:
    """The control API; `openapi.json` of the server describes every action."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/simulator/{path}") as answer:
            return json.load(answer)

    def do(self, action: str, **body: Any) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/simulator/{action}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def texts(self, chat_id: str, count: int) -> list[str]:
        told = self.get(f"bot_messages?chat_id={chat_id}&count={count}&wait_s=5")["messages"]
        return [one["content"]["text"] for one in told]


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(port)


@pytest.fixture(scope="module")
def line() -> Iterator[Line]:
    port, bot_port = free_port(), free_port()
    simulator = [
        sys.executable,
        "-m",
        "line_simulator",
        "--port",
        str(port),
        "--webhook",
        f"http://127.0.0.1:{bot_port}/",
    ]
    env = {**os.environ, "LINE_API": f"http://127.0.0.1:{port}"}
    with subprocess.Popen(simulator) as one, subprocess.Popen([sys.executable, BOT, str(bot_port)], env=env) as other:
        try:
            wait_for(port)
            wait_for(bot_port)
            yield Line(f"http://127.0.0.1:{port}")
        finally:
            one.terminate()
            other.terminate()


@pytest.fixture
def person(line: Line) -> str:
    return str(line.do("reset")["user_id"])


def test_the_bot_repeats_a_text(line: Line, person: str) -> None:
    line.do("say", user_id=person, chat_id=person, text="hello")

    assert line.texts(person, 1) == ["hello"]


def test_the_bot_is_silent_about_a_sticker(line: Line, person: str) -> None:
    line.do("sticker", user_id=person, chat_id=person)
    line.do("wait")

    assert line.get("deliveries")["deliveries"][-1]["status"] == 200
    assert line.texts(person, 0) == []


def test_a_reply_that_comes_too_late_is_lost(line: Line, person: str) -> None:
    line.do("switches", holds=True)
    line.do("say", user_id=person, chat_id=person, text="slow")
    line.do("add_fault", path="/v2/bot/message/reply", error_status=400)
    line.do("release")
    line.do("wait")

    assert line.texts(person, 0) == []


def test_a_forged_delivery_is_refused(line: Line, person: str) -> None:
    line.do("raw_delivery", body='{"events":[]}', signature="forged")
    line.do("wait")

    assert line.get("deliveries")["deliveries"][-1]["status"] == 401


def test_a_recorded_conversation_still_goes_the_same_way(line: Line, person: str) -> None:
    for text in ("one", "two"):
        line.do("say", user_id=person, chat_id=person, text=text)
        line.do("wait")
    recording = line.get("recording")
    line.do("reset")

    played = line.do("replay", recording=recording, wait_s=5)

    assert played["is_equal"]
