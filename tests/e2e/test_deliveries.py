"""Valid and invalid requests to the webhook and to a worker, and how the programs start."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.functions import REPOSITORY
from simulator.pubsub import Message
from simulator.stack import TOPIC
from tests.e2e.conftest import Platform
from tests.support import push, recorded
from tests.support.serving import plain_http
from tests.support.stacks import BASE_ENV


@pytest.mark.parametrize("name", recorded.NAMES)
def test_every_recorded_delivery_is_accepted_and_handled(platform: Platform, name: str) -> None:
    handled = {part: len(closing_lines(platform, part)) for part in ("agent_worker", "unsend")}

    answer = platform.post(recorded.body(name))
    platform.settle()

    assert (answer.status_code, answer.text) == (200, "OK")
    types = [event["type"] for event in recorded.events(name)]
    assert len(closing_lines(platform, "unsend")) - handled["unsend"] == types.count("unsend")
    lines = closing_lines(platform, "agent_worker")[handled["agent_worker"] :]
    assert len(lines) == len(types) - types.count("unsend")
    assert {line["status"] for line in lines} <= {204}


def closing_lines(platform: Platform, part: str) -> list[dict[str, object]]:
    return [line for line in platform.log_lines(part) if line["message"] == "event_handled"]


def test_a_batch_of_several_chats_is_published_in_one_call(platform: Platform) -> None:
    before = len(platform.published)

    platform.post(recorded.body("several-chats"))

    assert len(platform.published) - before == len(recorded.events("several-chats"))


@pytest.mark.parametrize(
    ("body", "signature", "status", "said"),
    [
        (recorded.body("message-text"), "wrong", 401, "x-line-signature"),
        (recorded.body("message-text"), "", 401, "x-line-signature"),
        (recorded.body("message-text")[:-9], None, 400, "not JSON"),
        (b'{"hello": 1}', None, 400, "destination"),
        (b"x" * (2 * 1024 * 1024), None, 413, "1048576 bytes"),
    ],
)
def test_an_invalid_delivery_is_refused_in_one_line_and_not_published(
    platform: Platform, body: bytes, signature: str | None, status: int, said: str
) -> None:
    before = len(platform.published)

    answer = platform.post(body, signature=signature)

    assert answer.status_code == status
    assert said in answer.text
    assert "\n" not in answer.text
    assert len(platform.published) == before
    assert platform.post(recorded.body("verification")).status_code == 200


def test_only_post_is_answered(platform: Platform) -> None:
    with plain_http() as http:
        assert http.get(platform.webhook_url).status_code == 405
        assert http.get(platform.worker_url).status_code == 405


def test_a_worker_accepts_envelopes_only(platform: Platform) -> None:
    with plain_http() as http:
        assert http.post(platform.worker_url, content=b"hello").status_code == 400
        assert http.post(platform.worker_url, content=push.envelope(recorded.event("beacon"))).status_code == 204


def test_a_message_without_an_event_is_dropped(platform: Platform) -> None:
    platform.do(
        lambda stack: stack.pubsub.publish(
            TOPIC, [Message(data=b"\x00 no event"), Message(attributes={"type": "message"})]
        )
    )

    platform.settle()

    assert [line["outcome"] for line in closing_lines(platform, "agent_worker")[-2:]] == ["dropped", "dropped"]


@pytest.mark.parametrize(
    ("function", "missing"),
    [
        ("webhook", ["GOOGLE_CLOUD_PROJECT", "EVENTS_TOPIC", "LINE_CHANNEL_SECRET"]),
        ("agent_worker", ["GOOGLE_CLOUD_PROJECT", "HISTORY_BUCKET", "LINE_CHANNEL_ACCESS_TOKEN", "GEMINI_API_KEY"]),
        ("unsend", ["GOOGLE_CLOUD_PROJECT", "HISTORY_BUCKET"]),
    ],
)
def test_a_function_without_settings_names_them_in_one_line_and_stops(function: str, missing: list[str]) -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "functions_framework",
            "--source",
            f"functions/{function}/main.py",
            "--target",
            function,
            "--port",
            "1",
        ],
        env={**BASE_ENV, "PYTHONPATH": str(REPOSITORY)},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 1
    assert len(ended.stderr.strip().splitlines()) == 1
    assert all(name in ended.stderr for name in missing)


def test_an_occupied_port_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as occupied:
        occupied.bind(("127.0.0.1", 0))
        occupied.listen()
        port = occupied.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "-m", "simulator", "--port", str(port), "--data", str(tmp_path)],
            env=BASE_ENV,
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert ended.returncode == 1
    assert ended.stderr == f"port {port} is in use; take another one with: make run PORT={port + 1}\n"


def test_recorded_deliveries_have_lines_format() -> None:
    for name in recorded.NAMES:
        assert set(json.loads(recorded.body(name))) == {"destination", "events"}
