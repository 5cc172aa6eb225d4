"""Commands, delivered as events: what they answer, what they erase, and what a redelivery finds."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock
from shared.adapters.memory.scripted_model import calling
from shared.bus.endpoint import REQUEST_S
from shared.line.messaging import SENDING_S, is_sendable
from shared.line.phrases import Phrase, phrase
from shared.turns.lease import open_turn
from shared.turns.outbox import ENDING_S
from tests.support import push, recorded
from tests.support.chats import conversations_on, everything_in
from tests.support.people import START_MS, Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker, UnreliableStore

HELLO = calling(("reply", {"message": "swordfish、覚えた"}))


@pytest.mark.parametrize("spelling", ["/help", "／help", "／ＨＥＬＰ", " /Help "])
def test_help_is_answered_without_the_model(friend: Person, spelling: str) -> None:
    friend.says(spelling)

    assert friend.worker.said == [japanese(Phrase.HELP_FRIEND)]
    assert friend.worker.model.requests == []


@pytest.mark.parametrize(
    ("command", "locale"),
    [("/วิธีใช้", "th"), ("วิธีใช้", "th"), ("／說明", "zh-TW"), ("/ヘルプ", "ja"), ("/help", "en"), ("/?", "en")],
)
def test_a_command_by_a_name_of_a_language_is_answered_in_it(friend: Person, command: str, locale: str) -> None:
    friend.says("good morning to you all", HELLO)
    friend.says(command)
    assert friend.worker.said[-1] == phrase(Phrase.HELP_FRIEND, locale=locale, bot_name="Aizuchi")

    friend.says("/language en")
    friend.says(command)
    assert friend.worker.said[-1] == english(Phrase.HELP_FRIEND)  # a choice counts first


def test_command_in_a_group_needs_no_mention(member: Person) -> None:
    member.says("/help")

    assert member.worker.said == [japanese(Phrase.HELP_GROUP)]


def test_chat_id_is_sent_to_the_user_and_masked_for_the_model(member: Person) -> None:
    member.says("/id")
    assert member.worker.said == [japanese(Phrase.ID, id=recorded.GROUP)]

    member.says("Aizuchi、今のは何？", HELLO)
    assert recorded.GROUP not in member.worker.prompt()
    assert "[ID]" in member.worker.prompt()


def test_unknown_command_is_answered_by_the_model(friend: Person) -> None:
    friend.says("/dance", HELLO)

    assert "] /dance" in friend.worker.prompt()


def test_command_in_standby_is_context_only(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.worker.deliver({**friend.events.text("/reset"), "mode": "standby"})

    assert len(friend.worker.said) == 1
    assert "my word is swordfish" in everything_in(friend.worker.store)


@pytest.mark.parametrize(
    ("command", "words"),
    [("/reset", Phrase.RESET_DONE), ("/exit", Phrase.GOODBYE_FRIEND), ("/bye", Phrase.GOODBYE_FRIEND)],
)
def test_reset_erases_older_messages_and_keeps_later_ones(friend: Person, command: str, words: Phrase) -> None:
    friend.says("my word is swordfish", HELLO)
    reset = friend.events.text(command)
    friend.says("and the garden is green", calling(("reply", {"message": "緑"})))

    friend.worker.deliver(reset)

    assert friend.worker.said[-1] == english(words)
    assert "swordfish" not in everything_in(friend.worker.store)
    friend.says("what do you know?", HELLO)
    assert "garden is green" in friend.worker.prompt()
    assert english(words) in friend.worker.prompt()


def test_reset_waits_for_no_second_pass_and_a_tick_carries_it_out(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    began_s = friend.worker.clock.monotonic_s()

    friend.says("/reset")
    assert friend.worker.clock.monotonic_s() - began_s < 5
    assert friend.worker.store.list("due/")

    friend.worker.clock.move(120)
    friend.worker.push(push.tick())

    assert friend.worker.store.list("due/") == ()


@pytest.mark.parametrize("command", ["/reset", "/exit", "/forget", "/id", "/help"])
@pytest.mark.parametrize("is_in_group", [False, True])
def test_redelivered_command_is_answered_once(worker: PushedWorker, command: str, *, is_in_group: bool) -> None:
    person = Person(worker, is_in_group=is_in_group)
    event = person.says(command)

    assert worker.deliver(event) == 204

    assert len(worker.said) == 1


def test_redelivered_reset_spares_later_messages(friend: Person) -> None:
    reset = friend.says("/reset")
    friend.says("my word is swordfish", HELLO)

    friend.worker.deliver(reset)

    assert "my word is swordfish" in everything_in(friend.worker.store)


@pytest.mark.parametrize("command", ["/reset", "/exit"])
def test_entries_outlive_a_reset_and_a_later_unsend(friend: Person, command: str) -> None:
    entry = friend.files("garden")
    friend.says(command)
    friend.worker.withdraw(recorded.USER, "m999", timestamp_ms=START_MS)

    assert friend.worker.store.read(entry) is not None
    friend.says("what do you know?", HELLO)
    assert "garden" in friend.worker.prompt()


def test_reset_in_a_group_does_not_leave_it(member: Person) -> None:
    member.confirms("/reset")

    assert member.worker.said[-1] == japanese(Phrase.RESET_DONE)
    assert member.worker.line.chats_left == []


@pytest.mark.parametrize("is_in_group", [False, True])
def test_the_help_is_a_card_with_three_examples_that_are_answered(worker: PushedWorker, *, is_in_group: bool) -> None:
    person = Person(worker, is_in_group=is_in_group)
    event = person.says("/help")

    (message,) = worker.line.replied[event["replyToken"]]
    assert message.card is not None
    assert is_sendable([message])
    assert message.text == japanese(Phrase.HELP_GROUP if is_in_group else Phrase.HELP_FRIEND)
    assert all(button.label in message.text for button in message.card.buttons)
    example = message.card.buttons[1]
    pressed = person.sends(
        person.events.event("postback", postback={"data": example.value}), calling(("reply", {"message": "はい！"}))
    )
    assert [answer.text for answer in worker.line.replied[pressed["replyToken"]]] == ["はい！"]
    assert example.label in worker.prompt()


@pytest.mark.parametrize(("is_in_group", "count"), [(False, 3), (True, 0)])
def test_without_cards_the_help_of_a_1_to_1_chat_has_examples_to_tap(
    pool: ThreadPoolExecutor, count: int, *, is_in_group: bool
) -> None:
    worker = PushedWorker(pool, is_rich=False)
    event = Person(worker, is_in_group=is_in_group).says("/help")

    (message,) = worker.line.replied[event["replyToken"]]
    assert (message.card, len(message.quick_replies)) == (None, count)


def test_export_me_names_the_operators_procedure_and_the_id_in_a_1_to_1_chat_only(
    friend: Person, worker: PushedWorker
) -> None:
    friend.says("/export me")
    member = Person(worker, is_in_group=True)
    member.events.skip(3)

    member.says("/export me")

    assert worker.said == [japanese(Phrase.EXPORT_ME, id=recorded.USER), japanese(Phrase.EXPORT_ME_GROUP)]


class SlowBucket(UnreliableStore):
    """A bucket that takes half a minute to delete an object."""

    clock: FixedClock | None = None

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        if self.clock is not None:
            self.clock.move(30)
        return super().delete(name, generation=generation)


@pytest.mark.parametrize("messages", [1, 2, 3])
def test_a_command_that_has_erased_for_long_waits_only_until_its_request_ends(
    pool: ThreadPoolExecutor, messages: int
) -> None:
    store = SlowBucket()
    friend = Person(PushedWorker(pool, store=store), is_in_group=False)
    clock = friend.worker.clock
    for _ in range(messages):
        friend.says("my word is swordfish", HELLO)
    reset = friend.events.text("/reset")
    chat = conversations_on(store, pool, clock, lease_s=1_000).of(friend.events.chat_id)
    assert open_turn(chat, chat.turn.read()) is not None
    began_s, store.clock = clock.monotonic_s(), clock

    assert friend.worker.deliver(reset) == 503  # its token lives, so it comes again

    assert friend.worker.said == ["swordfish、覚えた"] * messages
    assert clock.monotonic_s() - began_s == pytest.approx(REQUEST_S - SENDING_S - ENDING_S, abs=1)


@pytest.mark.parametrize("command", ["/id", "/export me"])
def test_an_id_that_is_told_can_be_copied(friend: Person, worker: PushedWorker, command: str) -> None:
    asked = friend.says(command)

    (message,) = worker.line.replied[asked["replyToken"]]
    assert message.card is not None
    assert is_sendable([message])
    assert recorded.USER in message.text
    ((button,),) = (row.buttons for row in message.card.rows)
    assert (button.action, button.value) == ("copy", recorded.USER)
