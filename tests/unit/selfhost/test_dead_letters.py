"""The dead letters of a self-hosted process: what the command shows, and what goes with a withdrawal."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from operations.dead_letters import DeadLetters, Verdict, without_withdrawn_words
from selfhost.dead_letters import SqliteDeadLetterQueue, WithdrawnMessages
from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.adapters.sqlite.event_queue import MOST_ATTEMPTS
from shared.bus.messages import BusMessage, bus_messages
from shared.conversation.amendment_records import Amendment
from shared.conversation.store import Conversations
from shared.handlers.unsend import withdrawal_of
from shared.line.webhook_body import parse_webhook_body
from tests.support import recorded
from tests.support.chats import reader

SECRET = "swordfish"
MESSAGE_ID = "573000000000000001"


class Machine:
    """A queue and chats in one folder, without a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FixedClock()
        self.database = Database(folder)
        self.queue = SqliteEventQueue(self.database, clock=self.clock)
        self.conversations = Conversations.on(
            SqliteObjectStore(self.database, clock=self.clock),
            reads=ThreadPoolExecutor(1),
            clock=self.clock,
            lease_s=25.0,
        )
        self.drop_withdrawn = WithdrawnMessages(
            queue=self.queue, remainder=lambda letter: without_withdrawn_words(letter, self.conversations)
        )

    def publish(
        self, text: str, line_message_id: str = MESSAGE_ID, *, kind: str = "message", later_ms: int = 0
    ) -> None:
        event = recorded.event("message-text")
        event = {
            **event,
            "type": kind,
            "timestamp": event["timestamp"] + later_ms,
            "webhookEventId": f"event-{line_message_id}-{kind}",
            "message": {**event["message"], "id": line_message_id, "text": text},
        }
        body = json.dumps({"destination": "U1", "events": [event]}).encode()
        self.queue.publish(bus_messages(parse_webhook_body(body)))

    def fail(self, times: int = MOST_ATTEMPTS) -> None:
        for _ in range(times):
            for message in self.queue.take(100):
                self.queue.refuse(message)
            pause_s = self.queue.next_due_s()
            self.clock.move(pause_s if pause_s is not None else 0.0)

    def withdraw(self, line_message_id: str = MESSAGE_ID) -> None:
        chat = self.conversations.of(recorded.USER)
        withdrawal_of(self.clock).withdraw(chat, line_message_id, timestamp_ms=self.clock.now_ms())

    def edit(self, text: str, *, later_ms: int) -> None:
        timestamp_ms = recorded.event("message-text")["timestamp"] + later_ms
        amendment = Amendment(line_message_id=MESSAGE_ID, timestamp_ms=timestamp_ms, text=text)
        self.conversations.of(recorded.USER).amendments.amend(amendment)

    def files_with(self, word: str) -> list[str]:
        self.database.truncate_log()
        return [path.name for path in self.folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]

    def letters(self) -> DeadLetters:
        return DeadLetters(
            queue=SqliteDeadLetterQueue(queue=self.queue),
            bus=self.queue,
            conversations=self.conversations,
            reader=reader(),
            clock=self.clock,
        )

    def close(self) -> None:
        self.database.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with closing(Machine(tmp_path)) as opened:
        yield opened


def test_the_command_shows_each_letter_once(machine: Machine) -> None:
    for number in range(3):
        machine.publish("words", str(number))
    machine.fail()

    assert [explanation.verdict for explanation in machine.letters().explain_all(most=10)] == [Verdict.REPLAY] * 3
    assert len(machine.letters().explain_all(most=2)) == 2


def test_a_replay_makes_the_letters_events_again(machine: Machine) -> None:
    machine.publish("words")
    machine.fail()

    machine.letters().replay(most=10)

    assert machine.queue.counts() == (1, 0)


def test_the_dead_letter_of_a_withdrawn_message_is_in_no_file(machine: Machine) -> None:
    machine.publish(SECRET)
    machine.publish("another", "2")
    machine.fail()
    assert machine.files_with(SECRET)

    machine.withdraw()
    machine.drop_withdrawn()

    assert machine.files_with(SECRET) == []
    assert machine.queue.counts() == (0, 1)


def test_the_dead_letter_of_an_edit_goes_with_its_message(machine: Machine) -> None:
    machine.publish(SECRET, kind="messageEdited")
    machine.fail()

    machine.withdraw()
    machine.drop_withdrawn()

    assert machine.files_with(SECRET) == []


def test_a_withdrawn_message_that_waits_for_another_attempt_is_in_no_file(machine: Machine) -> None:
    machine.publish(SECRET)
    machine.fail(9)
    for message in machine.queue.take(1):
        machine.queue.refuse(message)  # for 512 s
    assert machine.files_with(SECRET)

    machine.withdraw()
    machine.drop_withdrawn()

    assert machine.files_with(SECRET) == []


def test_the_dead_letters_of_an_erased_chat_are_in_no_file(machine: Machine) -> None:
    machine.publish(SECRET)
    machine.fail()

    machine.conversations.of(recorded.USER).amendments.erase(machine.clock.now_ms())
    machine.drop_withdrawn()

    assert machine.files_with(SECRET) == []


def test_the_dead_letters_of_a_person_who_took_everything_back_are_in_no_file(machine: Machine) -> None:
    machine.publish(SECRET)
    machine.fail()

    machine.conversations.of(recorded.USER).amendments.forget_member(recorded.USER, until_ms=machine.clock.now_ms())
    machine.drop_withdrawn()

    assert machine.files_with(SECRET) == []


def test_the_dead_letter_of_an_older_edit_is_in_no_file(machine: Machine) -> None:
    machine.publish(SECRET, kind="messageEdited", later_ms=1)
    machine.publish("the newest", kind="messageEdited", later_ms=2)
    machine.fail()

    machine.edit("the newest", later_ms=2)
    machine.drop_withdrawn()

    assert machine.files_with(SECRET) == []
    assert machine.queue.counts() == (0, 1)


def test_the_dead_letter_of_an_edited_message_has_the_newest_words(machine: Machine) -> None:
    machine.publish(SECRET)
    machine.fail()

    machine.edit("the newest", later_ms=1)
    for _ in range(2):
        machine.drop_withdrawn()

    assert machine.files_with(SECRET) == []
    (letter,) = machine.queue.dead_letters(2)
    assert json.loads(letter.data)["event"]["message"]["text"] == "the newest"
    assert [explanation.verdict for explanation in machine.letters().explain_all(most=10)] == [Verdict.REPLAY]


def test_the_dead_letter_of_a_message_whose_edit_came_before_it_stays(machine: Machine) -> None:
    machine.edit("older", later_ms=-1)
    machine.publish("words")
    machine.fail()

    machine.drop_withdrawn()

    assert machine.files_with("words")


def test_what_cannot_be_read_stays_and_holds_up_nothing(machine: Machine) -> None:
    machine.queue.publish([BusMessage(data=b"no event", attributes={"type": "message"})])
    machine.publish(SECRET)
    machine.fail()

    machine.withdraw()
    machine.drop_withdrawn()

    assert machine.queue.counts() == (0, 1)
    assert machine.files_with(SECRET) == []
