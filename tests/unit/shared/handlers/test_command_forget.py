"""/forget: the question, and the button that confirms it."""

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.conversation.history_reader import OUTCOMES_READ
from shared.errors import StorageUnavailableError
from shared.line.phrases import Phrase
from shared.reminders.reminder import Reminder, ReminderState
from shared.storage.codec import encode
from shared.turns.deferral import CONFIRMED_WITHIN_MS
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import START_MS, Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker, nothing

HELLO = calling(("reply", {"message": "swordfish、覚えた"}))


def test_forget_erases_nothing_before_the_button_is_pressed(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    question = english(Phrase.FORGET_QUESTION, erased="1 message", until="13:50")
    assert friend.worker.said[-1] == question
    assert "swordfish" in everything_in(friend.worker.store)


def test_press_erases_everything_and_is_confirmed(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    friend.presses(friend.newest_button)

    assert friend.worker.said[-1] == english(Phrase.FORGET_DONE)
    assert "swordfish" not in everything_in(friend.worker.store)
    watermark = friend.worker.conversations.of(recorded.USER).amendments.watermark()
    assert watermark.entries_ms == watermark.timestamp_ms == START_MS + 3_000 - 1


def test_press_erases_entries_that_a_reset_spared(friend: Person) -> None:
    friend.files("garden")
    friend.says("/reset")
    friend.says("/forget")

    friend.presses(friend.newest_button)

    assert "garden" not in everything_in(friend.worker.store)


def test_redelivered_press_erases_and_confirms_once(friend: Person) -> None:
    friend.says("/forget")
    press = friend.presses(friend.newest_button)
    friend.says("my word is swordfish", HELLO)

    friend.worker.deliver(press)

    assert friend.worker.said.count(japanese(Phrase.FORGET_DONE)) == 1
    assert "my word is swordfish" in everything_in(friend.worker.store)


def test_a_question_can_be_confirmed_however_many_commands_follow_it(friend: Person) -> None:
    friend.says("/forget")
    button = friend.newest_button
    for _ in range(OUTCOMES_READ + 5):
        friend.says("/help")

    friend.presses(button)

    assert friend.worker.said[-1] == japanese(Phrase.FORGET_DONE)


def test_redelivered_press_completes_the_erasure_of_a_dead_worker(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")
    press = friend.events.event("postback", postback={"data": friend.newest_button})
    friend.worker.store.is_down = True
    assert friend.worker.deliver(press) == 503
    friend.worker.store.is_down = False

    friend.worker.deliver(press)

    assert friend.worker.said[-1] == english(Phrase.FORGET_DONE)
    assert "swordfish" not in everything_in(friend.worker.store)


def test_redelivered_press_is_confirmed_however_many_commands_follow_the_erasure_of_a_dead_worker(
    friend: Person,
) -> None:
    friend.says("my word is swordfish", HELLO)
    press = friend.question("/forget")
    turn = friend.worker.conversations.of(friend.events.chat_id).names.turn

    def fail(call: str, name: str) -> None:
        if (call, name) == ("replace", turn):
            raise StorageUnavailableError("down")

    friend.worker.store.before = fail
    assert friend.worker.deliver(press) == 503
    friend.worker.store.before = nothing
    for _ in range(OUTCOMES_READ + 5):
        friend.says("/help")

    friend.worker.deliver(press)

    assert friend.worker.said[-1] == english(Phrase.FORGET_DONE)


@pytest.mark.parametrize("age_ms", [0, CONFIRMED_WITHIN_MS])
def test_press_within_ten_minutes_of_the_question_confirms(friend: Person, age_ms: int) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    friend.presses(friend.newest_button, timestamp=START_MS + 2_000 + age_ms)

    assert "swordfish" not in everything_in(friend.worker.store)


def test_press_of_an_expired_button_changes_nothing_and_says_so(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    friend.presses(friend.newest_button, timestamp=START_MS + 2_000 + CONFIRMED_WITHIN_MS + 1)

    assert friend.worker.said[-1] == english(Phrase.PRESS_EXPIRED)
    assert "swordfish" in everything_in(friend.worker.store)


def test_press_that_comes_before_its_question_does_nothing(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    late = friend.events.text("/forget")
    press = friend.presses(f"confirm:{late['webhookEventId']}")
    friend.sends(late)

    assert friend.worker.deliver({**press, "timestamp": late["timestamp"] - 1}) == 204

    assert "my word is swordfish" in everything_in(friend.worker.store)
    assert english(Phrase.FORGET_DONE) not in friend.worker.said


def test_press_of_a_button_of_another_chat_erases_nothing(friend: Person, worker: PushedWorker) -> None:
    friend.says("/forget")
    member = Person(worker, is_in_group=True)
    member.says("my word is swordfish")
    member.events.skip(5)  # ids and tokens that the friend's chat does not use

    member.presses(friend.newest_button)

    assert "swordfish" in everything_in(worker.store)
    assert worker.said[-1] == english(Phrase.PRESS_VOID)


def test_press_that_names_another_answer_of_the_chat_erases_nothing(friend: Person) -> None:
    event = friend.says("my word is swordfish", HELLO)

    friend.presses(f"confirm:{event['webhookEventId']}")

    assert "swordfish" in everything_in(friend.worker.store)


@pytest.mark.parametrize(("again_after_ms", "is_told"), [(-1, False), (0, True), (1, True), (60_000, True)])
def test_a_second_press_changes_nothing_and_is_told_unless_the_erasure_covers_it(
    friend: Person, again_after_ms: int, *, is_told: bool
) -> None:
    first = friend.confirms("/forget")
    friend.says("my word is swordfish", HELLO)
    said = list(friend.worker.said)

    friend.presses(first["postback"]["data"], timestamp=first["timestamp"] + again_after_ms)

    assert friend.worker.said == [*said, *([english(Phrase.PRESS_REPEATED)] if is_told else [])]
    assert "my word is swordfish" in everything_in(friend.worker.store)


@pytest.mark.parametrize("is_older_first", [True, False])
def test_two_presses_at_once_erase_and_confirm_once(friend: Person, *, is_older_first: bool) -> None:
    older = friend.question("/forget")
    newer = friend.events.event("postback", postback=older["postback"])
    first, second = (older, newer) if is_older_first else (newer, older)

    def press_meanwhile(call: str, name: str) -> None:
        if call == "create" and name.endswith("-press.outcome.json"):
            friend.worker.store.before = nothing
            friend.sends(second)

    friend.worker.store.before = press_meanwhile
    friend.sends(first)

    assert friend.worker.said.count(japanese(Phrase.FORGET_DONE)) == 1
    watermark = friend.worker.conversations.of(friend.events.chat_id).amendments.watermark()
    assert watermark.timestamp_ms == second["timestamp"] - 1


def test_press_after_an_unsend_of_the_command_does_nothing(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    press = friend.question("/forget")
    friend.worker.withdraw(recorded.USER, "m2")

    friend.sends(press)

    assert "swordfish" in everything_in(friend.worker.store)
    assert english(Phrase.FORGET_DONE) not in friend.worker.said


def test_a_command_that_was_withdrawn_before_it_came_asks_nothing(friend: Person) -> None:
    friend.worker.withdraw(recorded.USER, "m1")

    friend.says("/forget")

    assert friend.worker.said == []


@pytest.mark.parametrize("command", ["/forget", "/reset", "/exit", "/bye"])
def test_press_by_somebody_who_is_not_in_the_group_changes_nothing(member: Person, command: str) -> None:
    member.says("my word is swordfish")
    press = member.question(command)
    stranger = "U" + "9" * 32
    member.worker.profiles.strangers.add(stranger)

    member.sends({**press, "source": {**press["source"], "userId": stranger}})
    member.sends({**press, "source": {"type": "group", "groupId": recorded.GROUP}})

    assert "swordfish" in everything_in(member.worker.store)
    assert member.worker.said[1:] == [english(Phrase.PRESS_VOID)]


def test_press_counts_where_line_does_not_say_who_is_a_member(member: Person) -> None:
    member.says("my word is swordfish")
    press = member.question("/forget")
    member.worker.profiles.is_down = True

    member.sends(press)

    assert "swordfish" not in everything_in(member.worker.store)


@pytest.mark.parametrize("command", ["/reset", "/exit", "/bye", "/forget"])
def test_nothing_that_others_said_is_erased_unasked_in_a_group(member: Person, command: str) -> None:
    member.says("my word is swordfish")

    member.says(command)

    assert "swordfish" in everything_in(member.worker.store)
    assert member.worker.line.chats_left == []
    assert "1 message" in member.worker.said[-1]


def test_the_question_counts_what_would_go(friend: Person) -> None:
    friend.files("garden")
    friend.worker.store.create(f"media/{recorded.USER}/m9", b"x")
    friend.worker.store.create(f"media/{recorded.USER}/m9.json", b"{}")
    for number, state in enumerate((ReminderState.OPEN, ReminderState.DONE)):
        reminder = Reminder(id=f"r{number:010}", text="x", start="2027-01-01T09:00", zone="Asia/Tokyo", state=state)
        friend.worker.store.create(f"reminders/{recorded.USER}/{reminder.id}.json", encode(reminder))

    friend.says("/forget")

    assert friend.worker.said[-1] == english(
        Phrase.FORGET_QUESTION, erased="1 message, 1 media file, 1 note, 1 reminder", until="13:50"
    )


def test_forget_me_takes_back_what_one_person_said_and_what_came_from_it(worker: PushedWorker) -> None:
    member = Person(worker, is_in_group=True)
    other = "U" + "2" * 32
    member.says("@Aizuchi my word is swordfish", HELLO)
    member.sends(member.events.text("mine is haddock", by=other))
    member.says("one more: swordfish again")

    member.says("/forget me")

    assert worker.said[-1] == english(Phrase.FORGET_ME_DONE, messages="2")
    left = everything_in(worker.store)
    assert "swordfish" not in left
    assert "mine is haddock" in left


def test_forget_me_takes_back_what_was_folded_and_filed(worker: PushedWorker) -> None:
    member = Person(worker, is_in_group=True)
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "garden"}]
    captures = calling(("classify_and_capture", {"text": "garden"}))
    member.says("@Aizuchi an idea: garden", captures, calling(("reply", {"message": "filed"})))
    for number in range(30):
        member.says(f"swordfish number {number}")
    member.says("@Aizuchi hello", HELLO)

    member.says("/forget me")

    left = everything_in(worker.store)
    assert "swordfish" not in left
    assert "garden" not in left


def test_redelivered_forget_me_spares_what_came_since(member: Person) -> None:
    member.says("my word is swordfish")
    command = member.says("/forget me")
    member.says("my word is haddock")

    assert member.worker.deliver(command) == 204

    assert len(member.worker.said) == 1
    assert "haddock" in everything_in(member.worker.store)


def test_forget_me_of_a_person_without_an_id_says_what_to_do(member: Person) -> None:
    command = member.events.text("/forget me")

    member.sends({**command, "source": {"type": "group", "groupId": recorded.GROUP}})

    assert member.worker.said == [japanese(Phrase.FORGET_ME_UNNAMED)]
