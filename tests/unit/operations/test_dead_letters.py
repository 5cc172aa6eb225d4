import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from operations.dead_letters import DeadLetter, DeadLetters, Verdict, summary
from shared.adapters.memory import MemoryEventBus
from shared.bus.messages import bus_messages
from shared.conversation.records import OutcomeKind, outcome_of
from shared.errors import PublishFailedError, StorageUnavailableError
from shared.handlers.unsend import withdrawal_of
from shared.line.webhook_body import parse_webhook_body
from tests.support import push, recorded, schemas
from tests.support.chats import reader
from tests.unit.operations.conftest import SECRET_WORDS, Bucket, message

CHAT = recorded.USER
ADDED = {
    "CloudPubSubDeadLetterSourceSubscription": "aizuchi-agent-worker",
    "CloudPubSubDeadLetterSourceDeliveryCount": "20",
    "CloudPubSubDeadLetterSourceTopicPublishTime": "2026-11-21T04:40:01.123+00:00",
}


class MemoryDeadLetterQueue:
    """Letters that wait, that are held until their deadline, and that are gone."""

    def __init__(self) -> None:
        self.waiting: list[DeadLetter] = []
        self.held: list[DeadLetter] = []

    def pull(self, most: int) -> tuple[DeadLetter, ...]:
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        self.held += taken
        return tuple(taken)

    def acknowledge(self, letter: DeadLetter) -> None:
        self.held.remove(letter)

    def release(self, letter: DeadLetter) -> None:
        self.held.remove(letter)
        self.waiting.append(letter)


class Desk:
    """An operator's desk: letters in, the topic, and the chats."""

    def __init__(self, bucket: Bucket) -> None:
        self.bucket = bucket
        self.queue = MemoryDeadLetterQueue()
        self.bus = MemoryEventBus()
        self.letters = DeadLetters(
            queue=self.queue, bus=self.bus, conversations=bucket.conversations, reader=reader(), clock=bucket.clock
        )

    def receive(self, event: Mapping[str, object]) -> DeadLetter:
        body = json.dumps({"destination": "U1", "events": [event]}).encode()
        (published,) = bus_messages(parse_webhook_body(body))
        return self.receive_data(published.data, {**published.attributes, **ADDED})

    def receive_data(self, data: bytes, attributes: Mapping[str, str]) -> DeadLetter:
        number = len(self.queue.waiting) + 1
        letter = DeadLetter(
            subscription="projects/p/subscriptions/aizuchi-dead-letters",
            ack_id=f"ack-{number}",
            pubsub_message_id=str(number),
            published_ms=self.bucket.clock.now_ms() - 5 * 60_000,
            data=data,
            attributes=attributes,
        )
        self.queue.waiting.append(letter)
        return letter


@pytest.fixture
def desk(bucket: Bucket) -> Desk:
    return Desk(bucket)


def message_event(text: str = SECRET_WORDS) -> dict[str, object]:
    event = recorded.event("message-text")
    return {**event, "message": {**event["message"], "text": text}}


def line_message_id() -> str:
    return str(recorded.event("message-text")["message"]["id"])


def test_look_leaves_every_letter_waiting(desk: Desk) -> None:
    letter = desk.receive(message_event())

    (explained,) = desk.letters.explain_all(most=10)

    assert explained.verdict is Verdict.REPLAY
    assert desk.queue.waiting == [letter]
    assert desk.bus.published == []


def test_explanation_holds_no_text_and_no_ids_of_people(desk: Desk) -> None:
    desk.receive({**message_event(), "timestamp": desk.bucket.clock.now_ms() - 9 * 60_000})

    (explained,) = desk.letters.explain_all(most=10)

    for private in (SECRET_WORDS, recorded.USER, str(recorded.event("message-text")["replyToken"])):
        assert private not in explained.line
    for fact in ("type=message", "attempts=20", "minutes=9", "from=aizuchi-agent-worker"):
        assert fact in explained.line


def test_an_event_without_a_timestamp_is_as_old_as_its_letter(desk: Desk) -> None:
    event = message_event()
    del event["timestamp"]
    desk.receive(event)

    (explained,) = desk.letters.explain_all(most=10)

    assert "minutes=5" in explained.line


def test_explanation_holds_the_chat_id_on_request(desk: Desk) -> None:
    desk.receive(message_event())

    (explained,) = replace(desk.letters, shows_ids=True).explain_all(most=10)

    assert f"conversation={CHAT}" in explained.line


def test_replay_publishes_the_event_as_it_was_first_published(desk: Desk) -> None:
    desk.receive(message_event())

    desk.letters.replay(most=10)

    (published,) = desk.bus.published
    assert json.loads(published.data)["event"] == message_event()
    schemas.validator("events/bus-attributes").validate(dict(published.attributes))
    assert desk.queue.waiting == desk.queue.held == []


def test_withdrawn_message_is_dropped(desk: Desk) -> None:
    desk.receive(message_event())
    withdrawal_of(desk.bucket.clock).withdraw(desk.bucket.chat, line_message_id(), timestamp_ms=2)

    (explained,) = desk.letters.replay(most=10)

    assert explained.verdict is Verdict.WITHDRAWN
    assert desk.bus.published == []
    assert desk.queue.waiting == []


def test_replay_of_an_answered_event_publishes_nothing(desk: Desk) -> None:
    desk.receive(message_event())
    webhook_event_id = str(message_event()["webhookEventId"])
    record = replace(message(line_message_id()), webhook_event_id=webhook_event_id)
    desk.bucket.chat.journal.record(record)
    desk.bucket.chat.journal.record_outcome(outcome_of([record], OutcomeKind.REPLIED))

    (explained,) = desk.letters.replay(most=10)

    assert explained.verdict is Verdict.ANSWERED
    assert desk.bus.published == []


def test_message_covered_by_the_outcome_of_another_counts_as_answered(desk: Desk) -> None:
    desk.receive(message_event())
    record = replace(message(line_message_id()), webhook_event_id=str(message_event()["webhookEventId"]))
    later = replace(message("later"), webhook_event_id="later-event")
    for message_record in (record, later):
        desk.bucket.chat.journal.record(message_record)
    desk.bucket.chat.journal.record_outcome(outcome_of([record, later], OutcomeKind.SKIPPED))

    assert desk.letters.explain_all(most=10)[0].verdict is Verdict.ANSWERED


def test_an_edit_of_an_answered_message_is_replayed(desk: Desk) -> None:
    desk.receive({**message_event("my pin is a secret"), "type": "messageEdited", "webhookEventId": "edit-event"})
    record = message(line_message_id())
    desk.bucket.chat.journal.record(record)
    desk.bucket.chat.journal.record_outcome(outcome_of([record], OutcomeKind.REPLIED))

    (explained,) = desk.letters.replay(most=10)

    assert explained.verdict is Verdict.REPLAY
    assert [one.attributes["type"] for one in desk.bus.published] == ["messageEdited"]


def test_recorded_message_without_an_outcome_is_replayed(desk: Desk) -> None:
    desk.receive(message_event())
    desk.bucket.chat.journal.record(message(line_message_id()))

    assert desk.letters.explain_all(most=10)[0].verdict is Verdict.REPLAY


def test_a_chat_that_cannot_be_read_holds_up_no_letter_of_another(desk: Desk) -> None:
    unreadable = desk.receive(message_event())
    other = {"type": "group", "groupId": recorded.GROUP}
    desk.receive({**recorded.event("unsend"), "source": other})
    desk.receive({**message_event(), "source": other})
    desk.bucket.store.create(desk.bucket.chat.names.turn, b"no record")

    verdicts = [one.verdict for one in desk.letters.explain_all(most=10)]
    desk.letters.replay(most=10)

    assert verdicts == [Verdict.REPLAY_UNSEND, Verdict.UNREADABLE, Verdict.REPLAY]
    assert len(desk.bus.published) == 2
    assert desk.queue.waiting == [unreadable]
    assert desk.queue.held == []


def test_letters_wait_again_where_the_bucket_does_not_answer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    letter = desk.receive(message_event())

    def fail(_: str) -> None:
        raise StorageUnavailableError("the bucket is down")

    monkeypatch.setattr(desk.bucket.store, "read", fail)
    with pytest.raises(StorageUnavailableError, match="down"):
        desk.letters.explain_all(most=10)

    assert desk.queue.waiting == [letter]
    assert desk.queue.held == []


def test_unsends_are_replayed_first(desk: Desk) -> None:
    desk.receive(message_event())
    desk.receive(recorded.event("unsend"))

    first, second = desk.letters.replay(most=10)

    assert (first.verdict, second.verdict) == (Verdict.REPLAY_UNSEND, Verdict.REPLAY)
    assert [one.attributes["type"] for one in desk.bus.published] == ["unsend", "message"]


@pytest.mark.parametrize("data", [b"", b"\xff", b"{}", b'{"event": {"type": "message"}}'])
def test_letter_that_cannot_be_parsed_is_dropped(desk: Desk, data: bytes) -> None:
    desk.receive_data(data, {"type": "a\nb"})

    (explained,) = desk.letters.replay(most=10)

    assert explained.verdict is Verdict.UNUSABLE
    assert "\n" not in explained.line
    assert desk.bus.published == []
    assert desk.queue.waiting == []


def test_a_tick_is_dropped(desk: Desk) -> None:
    desk.receive_data(push.TICK, {"type": "tick", **ADDED})

    (explained,) = desk.letters.replay(most=10)

    assert explained.verdict is Verdict.PAST_TICK
    assert "type=tick" in explained.line
    assert desk.bus.published == []
    assert desk.queue.held + desk.queue.waiting == []


def test_failed_publish_releases_every_letter(desk: Desk) -> None:
    letters = [desk.receive(message_event()), desk.receive(recorded.event("unsend"))]
    desk.bus.is_down = True

    with pytest.raises(PublishFailedError, match="down"):
        desk.letters.replay(most=10)

    assert sorted(one.ack_id for one in desk.queue.waiting) == sorted(one.ack_id for one in letters)
    assert desk.queue.held == []


def test_look_takes_at_most_the_requested_number_of_letters(desk: Desk) -> None:
    for _ in range(3):
        desk.receive(message_event())

    assert len(desk.letters.explain_all(most=2)) == 2
    assert summary(desk.letters.explain_all(most=3)) == "3 x replay"


def test_summary_of_an_empty_queue_says_no_dead_letters(desk: Desk) -> None:
    assert summary(desk.letters.replay(most=10)) == "no dead letters"
