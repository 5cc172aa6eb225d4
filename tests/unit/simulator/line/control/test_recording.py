"""A conversation is recorded, replayed on another platform, and put there as a seed."""

import json
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest

from simulator.line.control.recording import Recorder, RecordingError, Replay, read_recording
from simulator.line.harness import LineHarness
from simulator.line.ids import Ids
from simulator.line.page.app import page_routes
from tests.unit.simulator.line.page.requests import ask


class Echo:
    """Lets a bot answer every text with the same text."""

    def __init__(self, line: LineHarness, prefix: str = "") -> None:
        self.line = line
        line.platform.on_event = lambda name, facts: self._answer(facts) if name == "webhook_delivered" else None
        self.prefix = prefix

    def _answer(self, facts: dict[str, Any]) -> None:
        event = next(one for one in self.line.platform.events if one.webhook_event_id == facts["webhook_event_id"])
        if facts["type"] == "message" and event.chat_id is not None:
            text = {"type": "text", "text": self.prefix + event.fields["message"]["text"]}
            self.line.platform.say_as_bot(self.line.platform.chat(event.chat_id), (text,))


def record(line: LineHarness) -> dict[str, Any]:
    """Record a chat, a group with a new person, a quote of the bot and an unsend."""
    Echo(line)
    app = line.platform.app_with(page_routes(line.platform, {}))

    async def talk() -> dict[str, Any]:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://page.test") as client:

            async def do(action: str, **body: object) -> dict[str, Any]:
                answer = await client.post(f"/simulator/{action}", json=body)
                assert answer.status_code == 200, answer.text
                await line.platform.wait_until_settled()
                return dict(answer.json())

            first = await do("say", user_id=line.user_id, chat_id=line.user_id, text="hello")
            bot_said = list(line.platform.chat(line.user_id).messages)[-1].line_message_id
            await do("say", user_id=line.user_id, chat_id=line.user_id, text="that?", quoting=bot_said)
            hana = (await do("add_person", display_name="Hana"))["user_id"]
            group = (await do("create_group", name="Lunch", user_ids=[line.user_id, hana]))["chat_id"]
            await do("join", chat_id=group)
            await do("say", user_id=hana, chat_id=group, text="at ten")
            await do("unsend", user_id=line.user_id, line_message_id=first["line_message_id"])
            return dict((await client.get("/simulator/recording")).json())

    return line.run(talk())


def test_a_recording_replays_with_other_ids(line: LineHarness) -> None:
    recording = json.loads(json.dumps(record(line)))

    with LineHarness() as other:
        other.platform.ids = Ids(Random(99))
        Echo(other)
        played = other.run(Replay(other.platform).play(recording, wait_s=1))

        assert played["is_equal"]
        assert [[one["text"] for one in told] for told in played["said"].values()] == [["hello", "that?"], ["at ten"]]
        first, second, *_ = other.platform.chat(other.user_id).entries
        assert (first.is_unsent, second.content["text"]) == (True, "hello")  # type: ignore[union-attr]  # messages


def test_a_replay_says_where_the_bot_answers_otherwise(line: LineHarness) -> None:
    recording = record(line)

    with LineHarness() as other:
        Echo(other, prefix="no: ")
        played = ask(other, "POST", "/simulator/replay", json={"recording": recording, "wait_s": 0.1}).json()

    assert not played["is_equal"]
    assert [told[0]["text"] for told in played["expected"].values()] == ["hello", "at ten"]


def test_a_seed_shows_the_messages_and_delivers_none(line: LineHarness, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(record(line)), encoding="utf-8")

    with LineHarness() as other:
        Replay(other.platform).seed(read_recording(path))

        chats = list(other.platform.chats.values())
        assert [len(list(chat.messages)) for chat in chats] == [4, 0, 2]
        assert {message.delivery.value for chat in chats for message in chat.messages} == {"delivered", "none"}
        assert other.webhook.bodies == []


@pytest.mark.parametrize(
    "recording",
    [
        None, 7, [], {}, {"version": 2, "people": [], "steps": []}, {"version": 1, "people": [7], "steps": []},
        {"version": 1, "people": [], "steps": [7]}, {"version": 1, "people": [], "steps": [{"action": "fly", "body": {}}]},
        {"version": 1, "people": [], "steps": [{"action": "say", "body": {}}]},
        {"version": 1, "people": [], "steps": [{"bot": {"chat_id": "U", "messages": [], "ids": [7]}}]},
        {"version": 1, "people": [], "steps": [{"bot": {"chat_id": "U", "messages": [{"type": "text", "text": "x"}]}}]},
        {"version": 1, "people": [], "steps": [{}] * 2_001},
    ],
)  # fmt: skip
def test_what_is_no_recording_is_refused(line: LineHarness, recording: Any) -> None:  # noqa: ANN401 - any JSON
    with pytest.raises(RecordingError):
        Replay(line.platform).seed(recording)

    answer = ask(line, "POST", "/simulator/replay", json={"recording": recording, "wait_s": 0})
    assert answer.status_code in {200, 400, 409}


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff")

    for name in ("x", "none"):
        with pytest.raises(RecordingError, match="cannot be read"):
            read_recording(tmp_path / name)


def test_large_content_is_not_recorded(line: LineHarness) -> None:
    recorder = Recorder(line.platform)
    large = {"content_base64": "A" * 100_000, "content_type": "image/png"}

    recorder.note("image", {"user_id": "U", **large}, {})
    recorder.note("image_set", {"images": [large, large]}, {})
    recorder.note("image", {"content_base64": "AAAA"}, {})

    bodies = [step["body"] for step in recorder.recording()["steps"]]
    assert bodies == [{"user_id": "U"}, {"count": 2}, {"content_base64": "AAAA"}]
