"""Commands, met as events: what they say, what they erase, and what a second delivery finds."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelResponse
from shared.errors import LineUnavailableError
from shared.handlers.forget_question import GOOD_FOR_MS
from shared.line.phrases import Phrase
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.pushed import PushedWorker
from tests.support.workers import says

HELLO = calling(("reply", {"message": "swordfish、覚えた"}))
START_MS = 1_763_700_000_000
ENTRY = f"entries/{recorded.USER}/ideas/garden.md"


class Person:
    """Somebody in a chat with the bot; every event is a second later than the one before."""

    def __init__(self, worker: PushedWorker, *, in_group: bool) -> None:
        self.worker = worker
        self._group = in_group
        self._numbers = itertools.count(1)

    @property
    def chat_id(self) -> str:
        return recorded.GROUP if self._group else recorded.USER

    def event(self, kind: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of the event
        number = next(self._numbers)
        person = {"type": "user", "userId": recorded.USER}
        return {
            "type": kind,
            "mode": "active",
            "timestamp": START_MS + number * 1_000,
            "source": {"type": "group", "groupId": recorded.GROUP, "userId": recorded.USER} if self._group else person,
            "webhookEventId": f"event{number}",
            "replyToken": f"token{number}",
            "deliveryContext": {"isRedelivery": False},
            **more,
        }

    def text(self, text: str) -> dict[str, Any]:
        event = self.event("message")
        return {**event, "message": {"id": event["webhookEventId"].replace("event", "m"), "type": "text", "text": text}}

    def says(self, text: str, *thinks: ModelResponse) -> dict[str, Any]:
        event = self.text(text)
        assert self.worker.deliver(event, thinks=thinks) == 204
        return event

    def presses(self, data: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        event = self.event("postback", postback={"data": data}, **more)
        assert self.worker.deliver(event) == 204
        return event

    def button(self) -> str:
        """What the newest button of the bot carries."""
        buttons = [one.button for several in self.worker.line.replied.values() for one in several if one.button]
        return buttons[-1].data


@pytest.fixture
def worker() -> Iterator[PushedWorker]:
    with ThreadPoolExecutor(16) as pool:
        yield PushedWorker(pool)


@pytest.fixture
def friend(worker: PushedWorker) -> Person:
    return Person(worker, in_group=False)


@pytest.fixture
def member(worker: PushedWorker) -> Person:
    return Person(worker, in_group=True)


def files(friend: Person) -> None:
    """Something is filed in the chat."""
    friend.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "garden"}]
    friend.says("an idea: garden", calling(("classify_and_capture", {"text": "garden"})), HELLO)
    assert friend.worker.store.read(ENTRY) is not None


@pytest.mark.parametrize("spelled", ["/help", "／help", "／ＨＥＬＰ", " /Help "])
def test_help_is_told_without_the_model(friend: Person, spelled: str) -> None:
    friend.says(spelled)

    assert friend.worker.said == [says(Phrase.HELP_FRIEND)]
    assert friend.worker.model.requests == []


def test_in_a_group_a_command_needs_no_mention(member: Person) -> None:
    member.says("/help")

    assert member.worker.said == [says(Phrase.HELP_GROUP)]


def test_the_id_of_the_chat_is_told_as_it_is_and_hidden_from_the_model(member: Person) -> None:
    member.says("/id")
    assert member.worker.said == [says(Phrase.ID, id=recorded.GROUP)]

    member.says("Aizuchi、今のは何？", HELLO)
    assert recorded.GROUP not in member.worker.prompt()
    assert "[ID]" in member.worker.prompt()


def test_an_unknown_command_goes_to_the_model(friend: Person) -> None:
    friend.says("/dance", HELLO)

    assert "] /dance" in friend.worker.prompt()


def test_in_standby_a_command_is_context_only(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.worker.deliver({**friend.text("/reset"), "mode": "standby"})

    assert len(friend.worker.said) == 1
    assert "my word is swordfish" in everything_in(friend.worker.store)


@pytest.mark.parametrize(
    ("command", "words"),
    [("/reset", Phrase.RESET_DONE), ("/exit", Phrase.GOODBYE_FRIEND), ("/bye", Phrase.GOODBYE_FRIEND)],
)
def test_a_reset_forgets_what_is_older_and_says_so_and_keeps_what_came_later(
    friend: Person, command: str, words: Phrase
) -> None:
    friend.says("my word is swordfish", HELLO)
    reset = friend.text(command)
    friend.says("and the garden is green", calling(("reply", {"message": "緑"})))

    friend.worker.deliver(reset)

    assert friend.worker.said[-1] == says(words)
    assert "swordfish" not in everything_in(friend.worker.store)
    friend.says("what do you know?", HELLO)
    assert "garden is green" in friend.worker.prompt()
    assert says(words) in friend.worker.prompt()


def test_the_words_are_said_before_the_second_pass(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    began_s = friend.worker.clock.monotonic_s()
    said_s: list[float] = []
    reply = friend.worker.line.reply

    def noted(*args: Any) -> Any:  # noqa: ANN401 - as it is called
        said_s.append(friend.worker.clock.monotonic_s())
        return reply(*args)

    friend.worker.line.reply = noted  # type: ignore[method-assign,assignment]
    friend.says("/reset")

    assert said_s[0] - began_s < 5
    assert friend.worker.clock.monotonic_s() - began_s >= 30


@pytest.mark.parametrize("command", ["/reset", "/exit", "/forget", "/id", "/help"])
@pytest.mark.parametrize("in_group", [False, True])
def test_a_command_that_comes_twice_is_answered_once(worker: PushedWorker, command: str, *, in_group: bool) -> None:
    person = Person(worker, in_group=in_group)
    event = person.says(command)

    assert worker.deliver(event) == 204

    assert len(worker.said) == 1


def test_a_redelivered_reset_spares_what_was_said_since(friend: Person) -> None:
    reset = friend.says("/reset")
    friend.says("my word is swordfish", HELLO)

    friend.worker.deliver(reset)

    assert "my word is swordfish" in everything_in(friend.worker.store)


@pytest.mark.parametrize("command", ["/reset", "/exit"])
def test_what_was_filed_outlives_a_reset_and_an_unsend_after_it(friend: Person, command: str) -> None:
    files(friend)
    friend.says(command)
    friend.worker.memory.withdrawal.withdraw(recorded.USER, "m999", timestamp_ms=START_MS)

    assert friend.worker.store.read(ENTRY) is not None
    friend.says("what do you know?", HELLO)
    assert "garden" in friend.worker.prompt()


class TestForget:
    """/forget asks first."""

    def test_nothing_is_erased_before_the_button_is_pressed(self, friend: Person) -> None:
        friend.says("my word is swordfish", HELLO)
        friend.says("/forget")

        assert friend.worker.said[-1] == says(Phrase.FORGET_QUESTION)
        assert "swordfish" in everything_in(friend.worker.store)

    def test_the_button_erases_everything_and_says_what(self, friend: Person) -> None:
        friend.says("my word is swordfish", HELLO)
        friend.says("/forget")

        friend.presses(friend.button())

        assert friend.worker.said[-1] == says(Phrase.FORGET_DONE)
        assert "swordfish" not in everything_in(friend.worker.store)
        watermark = friend.worker.memory.amendments.watermark(recorded.USER)
        assert watermark.entries_ms == watermark.timestamp_ms == START_MS + 3_000 - 1

    def test_what_was_filed_goes_too(self, friend: Person) -> None:
        files(friend)
        friend.says("/reset")
        friend.says("/forget")

        friend.presses(friend.button())

        assert "garden" not in everything_in(friend.worker.store)

    def test_a_press_that_comes_twice_erases_and_tells_once(self, friend: Person) -> None:
        friend.says("/forget")
        press = friend.presses(friend.button())
        friend.says("my word is swordfish", HELLO)

        friend.worker.deliver(press)

        assert friend.worker.said.count(says(Phrase.FORGET_DONE)) == 1
        assert "my word is swordfish" in everything_in(friend.worker.store)

    def test_a_press_whose_worker_died_half_way_is_carried_to_its_end(self, friend: Person) -> None:
        friend.says("my word is swordfish", HELLO)
        friend.says("/forget")
        press = friend.event("postback", postback={"data": friend.button()})
        friend.worker.memory.withdrawal.erase(recorded.USER, until_ms=press["timestamp"] - 1)

        friend.worker.deliver(press)

        assert friend.worker.said[-1] == says(Phrase.FORGET_DONE)

    def test_a_button_that_is_too_old_asks_anew(self, friend: Person) -> None:
        friend.says("my word is swordfish", HELLO)
        friend.says("/forget")

        friend.presses(friend.button(), timestamp=START_MS + 2_000 + GOOD_FOR_MS + 1)

        assert friend.worker.said[-1] == says(Phrase.FORGET_QUESTION)
        assert "swordfish" in everything_in(friend.worker.store)

    def test_another_chats_button_erases_nothing_here(self, friend: Person, worker: PushedWorker) -> None:
        friend.says("/forget")
        member = Person(worker, in_group=True)
        member.says("my word is swordfish")
        for _ in range(5):
            next(member._numbers)  # noqa: SLF001 - ids of their own

        member.presses(friend.button())

        assert "swordfish" in everything_in(worker.store)
        assert worker.said[-1] == says(Phrase.FORGET_QUESTION)

    def test_any_other_button_of_the_chat_is_none_of_these(self, friend: Person) -> None:
        answered = friend.says("my word is swordfish", HELLO)

        friend.presses(f"forget:{answered['webhookEventId']}")

        assert "swordfish" in everything_in(friend.worker.store)


class TestLeaving:
    """/exit and /bye in groups."""

    @pytest.mark.parametrize("command", ["/exit", "/bye"])
    def test_goodbye_is_said_then_the_bot_leaves_and_nothing_is_kept(self, member: Person, command: str) -> None:
        member.says("my word is swordfish")

        member.says(command)

        assert member.worker.said == [says(Phrase.GOODBYE_GROUP)]
        assert member.worker.line.chats_left == [recorded.GROUP]
        assert "swordfish" not in everything_in(member.worker.store)
        assert says(Phrase.GOODBYE_GROUP) not in everything_in(member.worker.store)

    def test_a_group_that_was_joined_before_is_left(self, member: Person) -> None:
        member.worker.deliver(member.event("join"))

        member.says("/exit")

        assert member.worker.line.chats_left == [recorded.GROUP]

    def test_a_redelivered_exit_never_leaves_a_group_joined_since(self, member: Person) -> None:
        leaving = member.says("/exit")
        member.worker.line.chats_left.clear()
        member.worker.deliver(member.event("join"))

        assert member.worker.deliver(leaving) == 204

        assert member.worker.line.chats_left == []

    def test_not_even_where_the_worker_died_after_leaving(self, member: Person) -> None:
        leaving = member.text("/exit")
        dies_after_leaving(member, leaving)
        assert member.worker.line.chats_left == [recorded.GROUP]
        member.worker.line.chats_left.clear()
        member.worker.deliver(member.event("join"))
        member.says("Aizuchi、my word is swordfish", HELLO)

        assert member.worker.deliver(leaving) == 204

        assert member.worker.line.chats_left == []
        assert "my word is swordfish" in everything_in(member.worker.store)

    def test_an_exit_from_before_a_join_does_not_leave(self, member: Person) -> None:
        late = member.text("/exit")
        member.worker.deliver(member.event("join"))

        member.worker.deliver(late)

        assert member.worker.line.chats_left == []
        assert member.worker.said == [says(Phrase.GREETING_GROUP)]

    def test_where_line_does_not_let_it_leave_it_tries_again(self, member: Person) -> None:
        leaving = member.text("/exit")
        leave = member.worker.line.leave

        def refuses(_: str) -> None:
            raise LineUnavailableError("503")

        member.worker.line.leave = refuses  # type: ignore[method-assign,assignment]
        assert member.worker.deliver(leaving) == 503
        member.worker.line.leave = leave  # type: ignore[method-assign]

        assert member.worker.deliver(leaving) == 204
        assert member.worker.line.chats_left == [recorded.GROUP]
        assert member.worker.said == [says(Phrase.GOODBYE_GROUP)]

    def test_a_reset_in_a_group_does_not_leave_it(self, member: Person) -> None:
        member.says("/reset")

        assert member.worker.said == [says(Phrase.RESET_DONE)]
        assert member.worker.line.chats_left == []


def dies_after_leaving(member: Person, leaving: dict[str, Any]) -> None:
    """The worker leaves the group, and is never heard of again."""
    leave = member.worker.line.leave

    def leaves_and_dies(conversation_id: str) -> None:
        leave(conversation_id)
        raise LineUnavailableError("as if killed")

    member.worker.line.leave = leaves_and_dies  # type: ignore[method-assign]
    assert member.worker.deliver(leaving) == 503
    member.worker.line.leave = leave  # type: ignore[method-assign]
