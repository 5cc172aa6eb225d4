import json
import random
import zoneinfo
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from functions.agent_worker.answer import Answer, Knowledge
from functions.agent_worker.dispatch import Dispatch
from functions.agent_worker.greet import Greet
from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore, ScriptedJsonModel, ScriptedModel
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.executor import ToolExecutor
from shared.agent.limits import Limits
from shared.agent.loop import Agent
from shared.agent.model import TextContent
from shared.agent.prompt import Chat
from shared.agent.tools import Registry, Tool, load_schema
from shared.bus.endpoint import PushEndpoint
from shared.conversation.object_store import ListedObject
from shared.conversation.records import OutcomeRecord, decode
from shared.conversation.speaking import Speaker
from shared.conversation.turn_taking import TurnTaking
from shared.errors import ModelRefusedError, ModelUnavailableError, StorageUnavailableError
from shared.knowledge.classification import Classifier
from shared.knowledge.filing import Filing
from shared.knowledge.index import KnowledgeIndex
from shared.knowledge.overlay import EntryOverlay
from shared.knowledge.stored_entries import StoredEntries
from shared.knowledge.writes import EntryWrites
from shared.line.phrases import Phrase, phrase
from shared.tools.core import core_tools
from shared.tools.knowledge import KnowledgeTools
from shared.tools.knowledge_reading import KnowledgeReadingTools
from tests.support import push, recorded
from tests.support.chats import journal_on, turns_on

HELLO = calling(("reply", {"message": "こんにちは！"}))
SKIP = calling(("skip", {"reason": "thanks"}))
OTHER_EVENTS = [
    name
    for name in recorded.NAMES
    if not name.startswith("message-")
    and name not in {"follow", "join", "verification", "several-chats", "redelivered"}
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

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.store = UnreliableStore()
        self.line = MemoryLineApi()
        self.model = ScriptedModel()
        self.json_model = ScriptedJsonModel()
        self.entries = StoredEntries(store=self.store, reads=pool)
        self.clock = FixedClock()
        turns = turns_on(self.store, self.clock)
        self.journal = journal_on(self.store, pool, turns)
        speaker = Speaker(journal=self.journal, line=self.line, clock=self.clock)
        agent = Agent(
            model=self.model,
            tools=ToolExecutor(registry=Registry((*core_tools(), *self.knowledge_tools())), threads=pool),
            limits=Limits(),
            clock=self.clock,
            chance=random.Random(1),
        )
        taking = TurnTaking(
            journal=self.journal,
            turns=turns,
            speaker=speaker,
            background=pool,
            clock=self.clock,
            chance=random.Random(1),
        )
        answer = Answer(
            journal=self.journal,
            turns=taking,
            agent=agent,
            chat=Chat(),
            presence=self.line,
            background=pool,
            clock=self.clock,
            settle_s=0.5,
            system_instruction=lambda: "be kind",
            phrase=self.says,
            knowledge=Knowledge(index=KnowledgeIndex(entries=self.entries).read, overlay=self.overlay),
        )
        greet = Greet(journal=self.journal, speaker=speaker, phrase=self.says)
        self._endpoint = PushEndpoint(handle=Dispatch(answer=answer, greet=greet), clock=self.clock)

    def knowledge_tools(self) -> tuple[Tool, ...]:
        classifier = Classifier(model=self.json_model, schema=load_schema("classify_and_capture.classification"))
        filing = Filing(new_id=lambda: "id", threshold=0.6)
        changing = KnowledgeTools(classifier=classifier, filing=filing, time_zone=zoneinfo.ZoneInfo("Asia/Tokyo"))
        return (*changing.tools(), *KnowledgeReadingTools(time_zone=changing.time_zone, locale="ja").tools())

    def overlay(self, conversation_id: str, sequence: int) -> EntryOverlay:
        return EntryOverlay(entries=self.entries, conversation_id=conversation_id, sequence=sequence)

    @staticmethod
    def says(which: Phrase) -> str:
        return phrase(which, locale="ja", bot_name="Aizuchi")

    def deliver(self, event: dict[str, Any], *, thinks: Sequence[Step] = ()) -> int:
        self.model.steps = list(thinks)
        return self._endpoint("POST", push.envelope(event))[1]

    @property
    def said(self) -> list[str]:
        return [text for texts in self.line.replies.values() for text in texts]

    def outcome(self, event: dict[str, Any]) -> dict[str, Any]:
        chat = event["source"].get("groupId") or event["source"]["userId"]
        stored = self.store.read(f"journal/{chat}/{event['webhookEventId']}.outcome.json")
        assert stored is not None
        found: dict[str, Any] = json.loads(stored.data)
        return found

    @property
    def everything(self) -> str:
        stored = (self.store.read(listed.name) for listed in self.store.list(""))
        return " ".join(one.data.decode() for one in stored if one)

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
    assert worker.said == [Worker.says(expected)]
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
    assert worker.said == [Worker.says(apology)]
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
        worker.journal.withdraw(recorded.USER, event["message"]["id"], timestamp_ms=2)
        return HELLO

    assert worker.deliver(event, thinks=[taken_back]) == 204
    assert worker.line.calls == 0
    assert "こんにちは" not in worker.everything


def test_a_withdrawn_message_that_comes_late_is_not_answered(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.journal.withdraw(recorded.USER, event["message"]["id"], timestamp_ms=2)

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


def test_what_a_turn_files_is_staged_in_its_outcome_with_what_the_model_saw(worker: Worker) -> None:
    first, second = recorded.event("message-text"), recorded.event("message-location")
    capture = calling(("classify_and_capture", {"text": "こんにちは"}))
    listing = calling(("list_entries", {}))
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    worker.deliver(first, thinks=[capture, HELLO])
    outcome = decode(OutcomeRecord, json.dumps(worker.outcome(first)).encode())
    EntryWrites(entries=worker.entries).apply(first["source"]["userId"], replace(outcome, sequence=1))
    worker.deliver(second, thinks=[listing, HELLO])

    assert (outcome.filed_entry_path, outcome.filed_confidence) == ("ideas/挨拶.md", 0.8)
    assert [one.path for one in outcome.writes] == ["ideas/挨拶.md", "undo.json"]
    assert "[挨拶](ideas/挨拶.md)" in worker.prompt()
    assert "[note] Filed then: ideas/挨拶.md" in worker.prompt()
    assert first["message"]["id"] in worker.outcome(second)["saw"]
    assert worker.outcome(second)["writes"] == []


def test_a_turn_that_ends_in_an_apology_files_nothing(worker: Worker) -> None:
    event = recorded.event("message-text")
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    worker.deliver(event, thinks=[calling(("classify_and_capture", {"text": "x"})), unusable("SAFETY")])

    assert worker.outcome(event)["kind"] == "apologised"
    assert worker.outcome(event)["writes"] == []
