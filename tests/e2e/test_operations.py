"""What docs/operations.md tells an operator to do, played on the local stack: rotations, a restore, alerts."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from operations.conversations import exported
from operations.restoration import restore
from shared.adapters.gcs import GcsObjectStore
from shared.clock import SystemClock
from shared.settings.secret import LEAST_S
from simulator.functions import HISTORY_BUCKET, PROJECT_ID
from simulator.gemini.script import unavailable
from simulator.stack import CHANNEL_ACCESS_TOKEN, CHANNEL_SECRET
from tests.e2e.conftest import Person, Platform
from tests.infra.monitoring import Monitoring
from tests.infra.offline import PLANS
from tests.support import recorded
from tests.support.stacks import running_stack

NEW_SECRET = "a-new-channel-secret"


class Secrets:
    """The mounted files of the secrets."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.write("LINE_CHANNEL_SECRET", CHANNEL_SECRET)
        self.write("LINE_CHANNEL_ACCESS_TOKEN", CHANNEL_ACCESS_TOKEN)

    def write(self, name: str, value: str) -> None:
        (self._folder / name).write_text(value, encoding="utf-8")

    def remove(self, name: str) -> None:
        (self._folder / name).unlink()

    @property
    def env(self) -> dict[str, str]:
        return {f"{path.name}_FILE": str(path) for path in self._folder.iterdir()}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    return Secrets(tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def operated(secrets: Secrets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("operated")
    env = {"SETTLE_MS": "0", "HEARTBEAT_MINUTES": "1", **secrets.env}
    with running_stack(folder, more_env=env) as (loop, stack):
        yield Platform(loop, stack, folder)


def firing(platform: Platform, *, now_ms: int | None = None) -> set[str]:
    """Return the alerts that the functions' lines raise now, or at another time."""
    monitoring = Monitoring(plan=json.loads(PLANS.read_text(encoding="utf-8"))["full"])
    for function in ("webhook", "agent_worker", "unsend"):
        monitoring.read_log(function, platform.log_lines(function))
    return monitoring.firing(at_s=(now_ms or SystemClock().now_ms()) / 1_000 + 1)


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


def test_a_lost_chat_is_restored_from_its_export(operated: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(operated, "loses a chat")
    person.says("my bicycle is green")
    person.hears_next(after=0)
    operated.settle()
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", operated.stack.children["storage"].url)
    store = GcsObjectStore(project_id=PROJECT_ID, bucket=HISTORY_BUCKET, connections=1)
    lines = list(exported(store, person.id))
    before = {json.loads(line)["name"] for line in lines}

    for name in before:
        operated.remove(name)
    assert list(exported(store, person.id)) == []
    began_s = time.monotonic()
    restored = restore(store, lines)

    assert (restored.created, restored.present) == (len(lines), 0)
    assert list(exported(store, person.id)) == lines
    assert time.monotonic() - began_s < 30
    said = len(person.hears())
    person.says("and my car is red")
    assert person.hears_next(after=said)


def test_alerts_are_raised_by_the_lines_of_the_running_functions(operated: Platform, secrets: Secrets) -> None:
    person = Person(operated, "raises alerts")
    person.says("hello")
    person.hears_next(after=0)
    operated.settle()
    before = firing(operated)

    # signature_refusals: somebody guesses
    for _ in range(5):
        operated.post(recorded.body("message-text"), signature="c29tZWJvZHkgZ3Vlc3Nlcw==")
    # webhook_5xx: Pub/Sub does not take the events
    signature = recorded.signature(recorded.body("message-text"), NEW_SECRET)
    operated.chaos(unavailable_before_probability=1.0)
    for _ in range(3):
        operated.post(recorded.body("message-text"), signature=signature)
    operated.chaos()
    # apology_rate: the model stays unavailable
    for turn in range(1, 5):
        operated.do(lambda stack: stack.gemini.script([unavailable()] * 3))
        person.says(f"are you there? {turn}")
        person.hears_next(after=turn)
    # memory_fails: records were changed by hand
    for number in range(5):
        operated.put(f"journal/{person.id}/odd{number}.json", b"no record")
    person.says("and now?")
    operated.settle()
    # markers_stay: a newer release made a marker
    operated.put(f"due/20260101T0000/newer-kind.{person.id}.m1")
    operated.tick()
    operated.remove(f"due/20260101T0000/newer-kind.{person.id}.m1")
    # secrets_unreadable: the version was disabled
    secrets.remove("LINE_CHANNEL_SECRET")
    operated.pause(LEAST_S)
    operated.post(recorded.body("message-text"), signature="c29tZWJvZHkgZ3Vlc3Nlcw==")
    secrets.write("LINE_CHANNEL_SECRET", NEW_SECRET)

    raised = firing(operated) - before
    assert {
        "apology_rate",
        "markers_stay",
        "memory_fails",
        "secrets_unreadable",
        "signature_refusals",
        "webhook_5xx",
    } <= raised


def test_silence_is_an_alert_until_a_tick_and_a_heartbeat_came(operated: Platform) -> None:
    operated.tick()

    assert firing(operated).isdisjoint({"ticks_stop", "webhook_silent", "no_deliveries"})

    much_later_ms = SystemClock().now_ms() + 2 * 86_400_000
    assert {"ticks_stop", "webhook_silent", "no_deliveries"} <= firing(operated, now_ms=much_later_ms)


def test_a_heartbeat_that_the_webhook_refuses_is_reported(operated: Platform) -> None:
    operated.do(lambda stack: setattr(stack.line.courier, "channel_secret", "another channel's"))

    operated.tick()

    lost = [line for line in operated.log_lines("agent_worker") if line["message"] == "heartbeat_lost"]
    assert lost[-1]["status"] == 401
    operated.do(lambda stack: setattr(stack.line.courier, "channel_secret", NEW_SECRET))
