import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore, ScriptedJsonModel, ScriptedModel
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.model import Json, TextContent
from shared.agent.tools import Cited, Tool, TurnContext
from shared.background import ThreadBackground
from shared.bus.endpoint import PushEndpoint
from shared.conversation.object_store import ListedObject
from shared.errors import ModelRefusedError, ModelUnavailableError, StorageUnavailableError
from shared.line.phrases import Phrase
from tests.support import push, recorded
from tests.support.chats import everything_in, memory_on
from tests.support.workers import WorkerPorts, says, worker_on

HELLO = calling(("reply", {"message": "こんにちは！"}))
SKIP = calling(("skip", {"reason": "thanks"}))
OTHER_EVENTS = [
    name
    for name in recorded.NAMES
    if not name.startswith("message-")
    and name not in {"follow", "join", "leave", "unfollow", "unsend", "verification", "several-chats", "redelivered"}
]


class UnreliableStore(MemoryObjectStore):
    """A bucket that can be out of reach."""

    is_down = False

    def list(self, prefix: str) -> tuple[ListedObject, ...]:
        if self.is_down:
            raise StorageUnavailableError("down")
        return super().list(prefix)


class Worker:
    """The worker's own code on in-memory ports, met the way Pub/Sub meets it."""

    def __init__(self, pool: ThreadPoolExecutor, more_tools: Sequence[Tool] = ()) -> None:
        self.store = UnreliableStore()
        self.line = MemoryLineApi()
        self.model = ScriptedModel()
        self.json_model = ScriptedJsonModel()
        self.clock = FixedClock()
        self.done: dict[str, list[str]] = {}
        self.memory = memory_on(self.store, pool, self.clock, shows_entries=True)
        ports = WorkerPorts(
            memory=self.memory,
            line=self.line,
            model=self.model,
            clock=self.clock,
            tools=pool,
            background=ThreadBackground(threads=pool),
            presence=pool,
            more_tools=tuple(more_tools),
            json_model=self.json_model,
            done_before=lambda context: tuple(self.done.get(context.first_line_message_id, ())),
        )
        self._endpoint = PushEndpoint(handle=worker_on(ports), clock=self.clock)

    def deliver(self, event: dict[str, Any], *, thinks: Sequence[Step] = (), published: str = push.PUBLISHED) -> int:
        self.model.steps = list(thinks)
        return self._endpoint("POST", push.envelope(event, published=published))[1]

    @property
    def said(self) -> list[str]:
        return [text for texts in self.line.replies.values() for text in texts]

    def outcome(self, event: dict[str, Any]) -> dict[str, Any]:
        chat = event["source"].get("groupId") or event["source"]["userId"]
        stored = self.store.read(f"journal/{chat}/{event['webhookEventId']}.outcome.json")
        assert stored is not None
        found: dict[str, Any] = json.loads(stored.data)
        return found

    def prompt(self) -> str:
        contents = self.model.requests[-1].contents
        return "\n".join(text for content in contents if isinstance(content, TextContent) for text in content.texts)


@pytest.fixture
def worker() -> Iterator[Worker]:
    with ThreadPoolExecutor(4) as pool:
        yield Worker(pool)


def test_a_message_gets_its_answer_on_its_own_token(worker: Worker) -> None:
    event = recorded.event("message-text")

    assert worker.deliver(event, thinks=[HELLO]) == 204

    assert worker.line.replies == {event["replyToken"]: ("こんにちは！",)}
    assert worker.outcome(event)["kind"] == "replied"
    assert worker.outcome(event)["tools_used"] == ["reply"]
    assert worker.outcome(event)["sent_message_ids"] == ["1-1"]


def test_the_reply_carries_the_footnotes_of_the_turn() -> None:
    seen: list[TurnContext] = []

    def search(_: Json, context: TurnContext) -> Cited:
        seen.append(context)
        return Cited(result={}, footnote="[1] example.com\nhttps://example.com")

    anything: Json = {"type": "object", "properties": {"query": {"type": "string"}}}
    tool = Tool(name="web_search", description="", parameters=anything, response={"type": "object"}, run=search)
    event = recorded.event("message-text")

    with ThreadPoolExecutor(4) as pool:
        worker = Worker(pool, [tool])
        worker.deliver(event, thinks=[calling(("web_search", {"query": "x"})), calling(("web_search", {})), HELLO])

    assert worker.said == ["こんにちは！\n\n[1] example.com\nhttps://example.com"]
    assert seen[0].first_line_message_id == event["message"]["id"]
    assert seen[0].seen_message_ids == {event["message"]["id"]}


def test_the_prompt_ends_with_what_an_earlier_attempt_did(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.done = {event["message"]["id"]: ["An earlier attempt did it."], "other": ["Something else."]}

    worker.deliver(event, thinks=[HELLO])

    assert worker.prompt().endswith("\n[note] An earlier attempt did it.")


def test_thanks_get_no_answer(worker: Worker) -> None:
    event = recorded.event("message-text")

    assert worker.deliver(event, thinks=[SKIP]) == 204
    assert worker.line.calls == 0
    assert worker.outcome(event)["kind"] == "skipped"


@pytest.mark.parametrize("name", [name for name in recorded.NAMES if name.startswith("message-")])
def test_every_kind_of_message_is_kept(worker: Worker, name: str) -> None:
    event = recorded.event(name)

    if event["type"] == "message":
        assert worker.deliver(event, thinks=[HELLO]) == 204
        names = [listed.name for listed in worker.store.list("journal/")]
        assert any(one.endswith(f"/{event['message']['id']}.json") for one in names)


def test_the_next_prompt_holds_what_was_said_before(worker: Worker) -> None:
    worker.deliver(recorded.event("message-text"), thinks=[HELLO])
    worker.deliver(recorded.event("message-location"), thinks=[HELLO])

    assert "こんにちは 😀" in worker.prompt()
    assert "こんにちは！" in worker.prompt()
    assert worker.prompt().endswith("[location: 東京駅, 東京都千代田区丸の内1-9-1, 35.68123 139.76712]")


def test_a_redelivered_message_is_answered_once(worker: Worker) -> None:
    event = recorded.event("message-text")

    worker.deliver(event, thinks=[HELLO])
    again = worker.deliver({**event, "deliveryContext": {"isRedelivery": True}})

    assert again == 204
    assert worker.line.calls == 1


def test_in_a_group_only_who_addresses_the_bot_is_answered(worker: Worker) -> None:
    assert worker.deliver(recorded.event("message-text-in-group")) == 204
    assert worker.line.calls == 0

    worker.deliver(recorded.event("message-text-mentioning-the-bot"), thinks=[HELLO])
    assert worker.said == ["こんにちは！"]
    assert "お昼どうする？" in worker.prompt()


def test_in_standby_nothing_is_said_and_the_message_is_context(worker: Worker) -> None:
    assert worker.deliver(recorded.event("message-standby")) == 204
    assert worker.line.calls == 0

    worker.deliver(recorded.event("message-text"), thinks=[HELLO])
    assert "担当者さんいますか" in worker.prompt()


def test_without_a_token_nothing_is_asked_of_the_model(worker: Worker) -> None:
    assert worker.deliver(recorded.event("message-text", replyToken=None)) == 204
    assert worker.model.requests == []


@pytest.mark.parametrize(("name", "expected"), [("follow", Phrase.GREETING_FRIEND), ("join", Phrase.GREETING_GROUP)])
def test_a_friend_and_a_group_are_greeted_once(worker: Worker, name: str, expected: Phrase) -> None:
    event = recorded.event(name)

    assert [worker.deliver(event), worker.deliver(event)] == [204, 204]
    assert worker.said == [says(expected)]
    assert worker.line.calls == 1


@pytest.mark.parametrize("name", OTHER_EVENTS)
def test_every_other_event_is_acknowledged_and_left_alone(worker: Worker, name: str) -> None:
    assert worker.deliver(recorded.event(name)) == 204
    assert worker.line.calls == 0
    assert worker.store.list("") == ()


@pytest.mark.parametrize(
    ("thinks", "apology"),
    [
        ([ModelUnavailableError("503")] * 3, Phrase.APOLOGY_BUSY),
        ([ModelRefusedError("400")], Phrase.APOLOGY_BUSY),
        ([unusable("SAFETY")], Phrase.APOLOGY_REFUSED),
        ([calling(("fly", {}))] * 8, Phrase.APOLOGY_BUSY),
    ],
)
def test_whoever_asked_is_never_left_in_silence(worker: Worker, thinks: list[Step], apology: Phrase) -> None:
    event = recorded.event("message-text")

    assert worker.deliver(event, thinks=thinks) == 204
    assert worker.said == [says(apology)]
    assert worker.outcome(event)["kind"] == "apologised"


def test_a_token_that_died_is_remembered_as_not_delivered(worker: Worker) -> None:
    worker.line.fates = ["refused"]

    worker.deliver(recorded.event("message-text"), thinks=[HELLO])

    assert worker.outcome(recorded.event("message-text"))["kind"] == "undelivered"
    worker.deliver(recorded.event("message-sticker"), thinks=[HELLO])
    assert "did not reach anybody" in worker.prompt()


def test_broken_storage_is_delivered_again_and_nothing_is_lost(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.store.is_down = True
    assert worker.deliver(event) == 503

    worker.store.is_down = False
    assert worker.deliver(event, thinks=[HELLO]) == 204
    assert worker.said == ["こんにちは！"]


def test_a_message_that_is_withdrawn_while_the_model_thinks_gets_no_answer(worker: Worker) -> None:
    event = recorded.event("message-text")

    def taken_back(_: object) -> Any:  # noqa: ANN401 - a step of the script
        worker.memory.withdrawal.withdraw(recorded.USER, event["message"]["id"], timestamp_ms=2)
        return HELLO

    assert worker.deliver(event, thinks=[taken_back]) == 204
    assert worker.line.calls == 0
    assert "こんにちは" not in everything_in(worker.store)


def test_a_withdrawn_message_that_comes_late_is_not_answered(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.memory.withdrawal.withdraw(recorded.USER, event["message"]["id"], timestamp_ms=2)

    assert worker.deliver(event) == 204
    assert worker.model.requests == []


def test_the_bot_shows_that_it_listens(worker: Worker) -> None:
    worker.deliver(recorded.event("message-text"), thinks=[HELLO])

    assert worker.line.loading_shown_to == [recorded.USER]
    assert worker.line.marked_as_read == [recorded.event("message-text")["message"]["markAsReadToken"]]


def test_in_a_group_there_is_no_loading_animation(worker: Worker) -> None:
    worker.deliver(recorded.event("message-text-mentioning-the-bot"), thinks=[HELLO])

    assert worker.line.loading_shown_to == []


def test_an_event_of_no_chat_is_acknowledged(worker: Worker) -> None:
    assert worker.deliver(recorded.event("message-text", source={"type": "user"})) == 204
    assert worker.store.list("") == ()


def test_an_edit_changes_what_the_next_prompt_shows(worker: Worker) -> None:
    worker.deliver(recorded.event("message-text-in-group"))
    edited = recorded.event("message-edited")
    edited["message"]["id"] = recorded.event("message-text-in-group")["message"]["id"]

    assert worker.deliver(edited) == 204
    worker.deliver(recorded.event("message-text-mentioning-the-bot"), thinks=[HELLO])

    assert "お昼どうしよう？" in worker.prompt()
    assert "お昼どうする？" not in worker.prompt()


@pytest.mark.parametrize(("first", "leaves"), [("message-text", "unfollow"), ("message-text-in-group", "leave")])
def test_who_leaves_is_forgotten(worker: Worker, first: str, leaves: str) -> None:
    worker.deliver(recorded.event(first), thinks=[HELLO])
    text = recorded.event(first)["message"]["text"]
    assert text in everything_in(worker.store)

    assert worker.deliver(recorded.event(leaves, timestamp=2**41)) == 204

    assert text not in everything_in(worker.store)
    assert "こんにちは！" not in everything_in(worker.store)


def test_a_leave_that_comes_late_spares_the_group_that_was_joined_since(worker: Worker) -> None:
    event = recorded.event("message-text-in-group")
    worker.deliver(event)

    assert worker.deliver(recorded.event("leave", timestamp=event["timestamp"] - 1)) == 204

    assert event["message"]["text"] in everything_in(worker.store)


def test_a_press_of_somebody_elses_button_finds_nothing_here(worker: Worker) -> None:
    worker.deliver(recorded.event("message-text"), thinks=[HELLO])

    assert worker.deliver(recorded.event("postback", postback={"data": "late:01FZ74A0TDDPYRVKNK77XK9999"})) == 204

    assert worker.said == ["こんにちは！", says(Phrase.NOTHING_TO_SHOW)]
    assert len(worker.model.requests) == 1


def test_a_chat_that_has_grown_is_folded_and_summed_up_after_the_answer(worker: Worker) -> None:
    recap = calling(("write_recap", {"text": "They said hello many times."}))
    journalled = []
    for number in range(1, 65):
        event = recorded.event("message-text", webhookEventId=f"e{number:04}", replyToken=f"t{number:04}")
        event["message"] = {**event["message"], "id": f"m{number:04}"}
        event["timestamp"] += number
        out_of_sight = number == 63  # the third time that 21 messages are folded: 13 more than stay verbatim
        assert worker.deliver(event, thinks=[HELLO, recap] if out_of_sight else [HELLO]) == 204
        journalled.append(len(worker.store.list("journal/")) // 2)

    assert [number for number, left in enumerate(journalled, start=1) if not left] == [21, 42, 63]
    assert "summed up: They said hello many times." in worker.prompt()


def test_what_a_turn_files_is_written_after_its_commit_and_shown_to_the_next(worker: Worker) -> None:
    first, second = recorded.event("message-text"), recorded.event("message-location")
    capture = calling(("classify_and_capture", {"text": "こんにちは"}))
    listing = calling(("list_entries", {}))
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    worker.deliver(first, thinks=[capture, HELLO])
    worker.deliver(second, thinks=[listing, HELLO])

    outcome = worker.outcome(first)
    assert (outcome["filed_entry_path"], outcome["filed_confidence"]) == ("ideas/挨拶.md", 0.8)
    assert outcome["writes"] == []  # made, and not kept a second time
    assert worker.store.read(f"entries/{recorded.USER}/ideas/挨拶.md") is not None
    assert "[挨拶](ideas/挨拶.md)" in worker.prompt()
    assert "[note] Filed then: ideas/挨拶.md" in worker.prompt()
    assert first["message"]["id"] in worker.outcome(second)["saw"]


def test_what_was_filed_goes_with_the_message_that_it_came_from(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]
    worker.deliver(event, thinks=[calling(("classify_and_capture", {"text": "こんにちは"})), HELLO])

    worker.memory.withdrawal.withdraw(recorded.USER, event["message"]["id"], timestamp_ms=2)

    assert "挨拶" not in everything_in(worker.store)
    assert "こんにちは" not in everything_in(worker.store)


def test_nothing_is_filed_by_a_turn_whose_message_is_taken_back_while_it_runs(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    def taken_back(_: object) -> Any:  # noqa: ANN401 - a step of the script
        worker.memory.withdrawal.withdraw(recorded.USER, event["message"]["id"], timestamp_ms=2)
        return HELLO

    worker.deliver(event, thinks=[calling(("classify_and_capture", {"text": "こんにちは"})), taken_back])

    assert worker.store.list("entries/") == ()


def test_a_turn_that_ends_in_an_apology_files_nothing(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    worker.deliver(event, thinks=[calling(("classify_and_capture", {"text": "x"})), unusable("SAFETY")])

    assert worker.outcome(event)["kind"] == "apologised"
    assert worker.outcome(event)["writes"] == []
