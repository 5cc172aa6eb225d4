"""What `/forget me` takes back, and which presses confirm an erasure."""

import io
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.conversation.amendment_records import Amendment
from shared.conversation.history import History
from shared.conversation.records import Erasure, Offer, OutcomeRecord
from shared.conversation.snapshot import MemoryLimits
from shared.handlers.question_press import confirmed_question
from shared.line.phrases import Phrase
from shared.turns.deferral import CONFIRMED_WITHIN_MS
from tests.support.chats import answer, everything_in
from tests.support.people import START_MS, Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker
from tests.support.reminders import reminding_tool

YUKI, KENJI = "U" + "1" * 32, "U" + "2" * 32


def question(**changes: Any) -> OutcomeRecord:  # noqa: ANN401 - fields of the outcome
    return replace(answer(1, "really?"), **changes, offer=Offer(asks=Erasure.FORGET))


@pytest.mark.parametrize(
    ("asked", "pressed_after_ms", "refusal"),
    [
        (question(), 0, None),
        (question(), CONFIRMED_WITHIN_MS, None),
        (question(), CONFIRMED_WITHIN_MS + 1, Phrase.PRESS_EXPIRED),
        (question(), -1, Phrase.PRESS_EXPIRED),
        (question(text=None), 1, Phrase.PRESS_VOID),
        (answer(1, "an answer"), 1, Phrase.PRESS_VOID),
        (question(webhook_event_id="e2"), 1, Phrase.PRESS_VOID),
    ],
)
def test_a_question_is_confirmed_within_ten_minutes_while_it_stands(
    asked: OutcomeRecord, pressed_after_ms: int, refusal: Phrase | None
) -> None:
    history = History(outcomes=(answer(9, "other"), asked))

    found = confirmed_question(history, "e1", pressed_ms=asked.timestamp_ms + pressed_after_ms)

    assert found == (refusal or asked)


def test_a_press_that_does_not_count_is_told_why_and_logged(friend: Person, lines: io.StringIO) -> None:
    friend.says("/forget")
    friend.worker.erase(friend.events.chat_id, until_ms=START_MS + 1_500)

    friend.presses(friend.newest_button, timestamp=START_MS + 60_000)

    (refused,) = [line for line in map(json.loads, lines.getvalue().splitlines()) if line["message"] == "press_refused"]
    assert refused["reason"] == "press_void"
    assert friend.worker.said[-1] == japanese(Phrase.PRESS_VOID)


def test_alone_with_the_bot_a_press_needs_no_member(friend: Person) -> None:
    friend.worker.profiles.strangers.add(friend.events.chat_id)

    friend.sends(friend.question("/forget"))

    assert friend.worker.said[-1] == japanese(Phrase.FORGET_DONE)


def test_forget_me_alone_with_the_bot_asks_as_forget_does(friend: Person) -> None:
    entry = friend.files("garden")

    press = friend.question("/forget me")

    assert friend.worker.said[-1] == english(Phrase.FORGET_QUESTION, erased="1 message, 1 note", until="13:50")
    assert friend.worker.store.read(entry) is not None
    friend.sends(press)
    assert friend.worker.said[-1] == english(Phrase.FORGET_DONE)
    assert friend.worker.store.read(entry) is None


def test_a_press_of_another_member_takes_back_nothing_and_is_told_why(member: Person) -> None:
    member.says("my word is swordfish")
    member.asks(
        "forget what I said of the word",
        calling(("forget_messages", {"query": "swordfish"})),
        calling(("reply", {"message": "These?"})),
    )

    member.presses(member.newest_button, by=OTHER)

    assert member.worker.said[-1] == english(Phrase.PRESS_OF_ANOTHER)
    assert "swordfish" in everything_in(member.worker.store)


def test_a_press_without_a_user_id_says_what_to_do(member: Person) -> None:
    press = member.question("/reset")

    member.sends({**press, "source": {"type": "group", "groupId": member.events.chat_id}})

    assert member.worker.said[-1] == japanese(Phrase.PRESS_UNNAMED)


def test_a_press_in_a_group_that_the_bot_has_left_leaves_no_words(member: Person) -> None:
    press = member.confirms("/bye")
    said = list(member.worker.said)

    member.presses(press["postback"]["data"], timestamp=press["timestamp"])

    assert member.worker.said == said


@pytest.mark.parametrize(("before_ms", "is_taken_back"), [(1, True), (0, False), (-1, False)])
def test_forget_me_takes_back_what_is_older_than_the_command(
    member: Person, before_ms: int, *, is_taken_back: bool
) -> None:
    command = member.events.text("/forget me")
    member.sends({**member.events.text("my word is swordfish"), "timestamp": command["timestamp"] - before_ms})

    member.sends(command)

    assert ("swordfish" not in everything_in(member.worker.store)) is is_taken_back


LATE = ["my word is swordfish", "@Aizuchi my word is swordfish"]


@pytest.mark.parametrize("text", LATE)
def test_a_message_that_is_delivered_after_forget_me_is_taken_back_with_the_rest(member: Person, text: str) -> None:
    late = member.events.text(text)
    member.says("/forget me")

    member.sends(late)

    assert member.worker.said == [japanese(Phrase.FORGET_ME_DONE, messages="0")]
    assert "swordfish" not in everything_in(member.worker.store)


@pytest.mark.parametrize("text", LATE)
def test_what_others_said_and_what_comes_later_stays_after_forget_me(member: Person, text: str) -> None:
    other = member.events.text(text, by="U" + "9" * 32)
    member.says("/forget me")
    later = member.events.text("and mine is haddock")

    member.sends(other, calling(("reply", {"message": "I see"})))
    member.sends(later)

    kept = everything_in(member.worker.store)
    assert "swordfish" in kept
    assert "haddock" in kept


def test_an_edit_that_is_delivered_after_forget_me_is_taken_back(member: Person) -> None:
    late = member.events.text("my word is haddock")
    edit = member.events.event("messageEdited", message={**late["message"], "text": "my word is swordfish"})
    member.says("/forget me")

    member.sends(edit)
    assert "swordfish" not in everything_in(member.worker.store)
    member.sends(late)

    assert "haddock" not in everything_in(member.worker.store)


def test_forget_me_takes_back_the_edit_of_a_message_that_never_came(member: Person) -> None:
    never = member.events.text("my word is haddock")
    member.sends(member.events.event("messageEdited", message={**never["message"], "text": "my word is swordfish"}))

    member.says("/forget me")

    assert "swordfish" not in everything_in(member.worker.store)


def test_an_older_forget_me_takes_nothing_back_from_a_newer_one(member: Person) -> None:
    older = member.events.text("/forget me")
    late = member.events.text("my word is swordfish")
    member.says("/forget me")

    member.sends(older)
    member.sends(late)

    assert "swordfish" not in everything_in(member.worker.store)


def test_a_member_who_was_forgotten_is_not_named(member: Person) -> None:
    command = member.says("/forget me")

    assert command["source"]["userId"] not in everything_in(member.worker.store)


def test_a_late_message_stays_taken_back_beside_hundreds_of_newer_withdrawals(member: Person) -> None:
    late = member.events.text("@Aizuchi my word is swordfish")
    member.says("/forget me")
    chat = member.worker.conversations.of(member.events.chat_id)
    for number in range(300):
        chat.amendments.amend(Amendment(line_message_id=str(number), timestamp_ms=member.worker.clock.now_ms()))

    member.sends(late)

    assert "swordfish" not in everything_in(member.worker.store)


def test_a_confirmed_reset_of_a_group_spares_its_entries(member: Person) -> None:
    member.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "garden"}]
    captures = calling(("classify_and_capture", {"text": "garden"}))
    member.says("@Aizuchi an idea: garden, swordfish", captures, calling(("reply", {"message": "filed"})))

    member.sends(member.question("/reset"))

    left = everything_in(member.worker.store)
    assert member.worker.said[-1] == english(Phrase.RESET_DONE)
    assert "ideas/garden.md" in left
    assert "swordfish" not in left


OTHER = "U" + "9" * 32


@pytest.fixture
def forgetful(pool: ThreadPoolExecutor) -> Person:
    """A person in a group without an archive, whose memory ends after two messages."""
    memory = MemoryLimits(journalled=1, verbatim=1, summed_up=100, recaps_at_once=0)
    worker = PushedWorker(pool, [reminding_tool()], archive_days=0, memory=memory)
    return Person(worker, is_in_group=True)


def leave_the_memory(person: Person, words: str) -> None:
    """Others talk with the bot until no message is stored that holds the words."""
    for number in range(3):
        person.asks(f"tea {number}", calling(("reply", {"message": "enjoy"})), by=OTHER)
    conversation = person.worker.conversations.of(person.events.chat_id)
    messages = (*conversation.snapshot.read().record.messages, *conversation.journal.read_messages())
    assert not any(words in one.text for one in messages)


def test_forget_me_takes_back_an_answer_whose_question_has_left_the_memory(forgetful: Person) -> None:
    forgetful.asks("my word is swordfish", calling(("reply", {"message": "noted"})))
    forgetful.asks("which word?", calling(("reply", {"message": "it is swordfish"})), by=OTHER)
    forgetful.asks("mine is haddock", calling(("reply", {"message": "haddock, noted"})), by=OTHER)
    leave_the_memory(forgetful, "swordfish")
    assert "it is swordfish" in everything_in(forgetful.worker.store)

    forgetful.says("/forget me")

    kept = everything_in(forgetful.worker.store)
    assert "swordfish" not in kept
    assert "haddock, noted" not in kept  # its prompt held the message, too
    assert forgetful.worker.said[-1] == japanese(Phrase.FORGET_ME_DONE, messages="0")


def test_forget_me_takes_back_an_entry_whose_message_has_left_the_memory(forgetful: Person) -> None:
    forgetful.files("garden")
    leave_the_memory(forgetful, "garden")

    forgetful.says("/forget me")

    assert "garden" not in everything_in(forgetful.worker.store)


def test_forget_me_takes_back_a_reminder_whose_message_has_left_the_memory(forgetful: Person) -> None:
    remind = calling(("remind", {"text": "water the garden", "minutes": 600}))
    forgetful.asks("remind us of the garden", remind, calling(("reply", {"message": "I will"})))
    leave_the_memory(forgetful, "garden")

    forgetful.says("/forget me")

    assert "garden" not in everything_in(forgetful.worker.store)


def test_what_others_filed_stays_after_forget_me(forgetful: Person) -> None:
    entry = forgetful.files("garden")
    leave_the_memory(forgetful, "garden")

    forgetful.sends(forgetful.events.text("/forget me", by=OTHER))

    assert forgetful.worker.store.read(entry) is not None
