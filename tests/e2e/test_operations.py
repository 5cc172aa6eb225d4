"""What docs/operations.md tells an operator to do, played on the local stack: rotations, a restore, a lost heartbeat."""

import json
import re
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from operations.conversations import exported
from operations.restoration import restore
from shared.adapters.gcs import GcsObjectStore
from shared.clock import SystemClock
from shared.settings.secret import LEAST_S
from simulator.functions import HISTORY_BUCKET, PROJECT_ID
from tests.e2e.conftest import Person, Platform, Secrets
from tests.support.stacks import running_stack

NEW_SECRET = "a-new-channel-secret"


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    return Secrets(tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def operated(secrets: Secrets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("operated")
    env = {"SETTLE_MS": "0", "HEARTBEAT_MINUTES": "1", **secrets.env}
    with running_stack(folder, more_env=env) as (loop, stack):
        yield Platform(loop, stack, folder)


def contents(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Return the content of every line, with its name.

    An event has the name of its kind and its id, because it is written anew, and not when LINE sent it, because no reader asks for that.
    """
    objects = [json.loads(line) for line in lines]
    return sorted(
        (
            re.sub(r"^amended/[^/]*/[0-9]+\.(.+)\.[0-9a-f]+\.json$", r"amended/\1", stored["name"]),
            json.dumps(_without_time(stored), sort_keys=True),
        )
        for stored in objects
    )


def _without_time(line: dict[str, Any]) -> object:
    is_event = line["name"].startswith("amended/")
    return {name: value for name, value in line["json"].items() if not (is_event and name == "timestamp_ms")}


def refused(platform: Platform) -> int:
    return len([line for line in platform.log_lines("webhook") if line["message"] == "webhook_rejected"])


def test_the_channel_secret_is_rotated_without_a_deployment(operated: Platform, secrets: Secrets) -> None:
    person = Person(operated, "rotates the secret")
    person.says("before")
    person.hears_next(after=0)
    said = len(person.hears())
    processes = {name: child.pid for name, child in operated.stack.children.items()}

    operated.do(lambda stack: setattr(stack.line.courier, "channel_secret", NEW_SECRET))
    person.says("meanwhile")  # signed with the secret that the webhook has not read
    operated.settle()
    refusals = refused(operated)
    secrets.write("LINE_CHANNEL_SECRET", NEW_SECRET)
    operated.pause(LEAST_S)
    person.says("afterwards")

    assert "afterwards" in person.hears_next(after=said)
    assert refusals >= 1
    assert {name: child.pid for name, child in operated.stack.children.items()} == processes
    assert [line["file"] for line in operated.log_lines("webhook") if line["message"] == "secret_changed"]


def test_the_access_token_is_rotated_without_a_deployment(operated: Platform, secrets: Secrets) -> None:
    person = Person(operated, "rotates the token")
    person.says("before")
    said = len([person.hears_next(after=0)])

    secrets.write("LINE_CHANNEL_ACCESS_TOKEN", "a-new-access-token")
    operated.do(lambda stack: setattr(stack.line, "channel_access_token", "a-new-access-token"))
    operated.pause(LEAST_S)
    person.says("afterwards")

    assert "afterwards" in person.hears_next(after=said)
    assert not [line for line in operated.log_lines("agent_worker") if line["message"] == "reply_refused"]


def test_a_lost_chat_is_restored_from_its_export(operated: Platform) -> None:
    person = Person(operated, "loses a chat")
    person.says("my bicycle is green")
    person.hears_next(after=0)
    withdrawn_id = person.says("my word is swordfish")
    person.hears_next(after=1)
    operated.settle()
    person.unsends(withdrawn_id)
    operated.settle()
    emulator_host = operated.stack.children["storage"].url
    store = GcsObjectStore(project_id=PROJECT_ID, bucket=HISTORY_BUCKET, emulator_host=emulator_host, connections=1)
    lines = list(exported(store, person.id))
    assert not [line for line in lines if "swordfish" in line]
    before = {json.loads(line)["name"] for line in lines}

    for name in before:
        operated.remove(name)
    assert list(exported(store, person.id)) == []
    began_s = time.monotonic()
    restored = restore(store, lines, clock=SystemClock())

    assert (restored.created, restored.present) == (len(lines), 0)
    assert contents(exported(store, person.id)) == contents(lines)
    assert restore(store, lines, clock=SystemClock()).created == 0
    assert time.monotonic() - began_s < 30
    said = len(person.hears())
    person.says("and my car is red")
    assert person.hears_next(after=said)


def test_a_heartbeat_that_the_webhook_refuses_is_reported(operated: Platform) -> None:
    operated.do(lambda stack: setattr(stack.line.courier, "channel_secret", "another channel's"))

    operated.tick()

    lost = [line for line in operated.log_lines("agent_worker") if line["message"] == "heartbeat_lost"]
    assert lost[-1]["status"] == 401
    operated.do(lambda stack: setattr(stack.line.courier, "channel_secret", NEW_SECRET))
