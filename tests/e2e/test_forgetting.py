"""After an unsend no byte of the bucket holds the words, in any object that the bot has made of them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from simulator.gemini.script import Hold, call
from tests.e2e.conftest import PATIENCE_S, Person, Platform

BURST = 5
SECRET = "swordfish"


class Group:
    """A group with the bot in it; its first member does everything."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self.members = [Person(platform, name) for name in ("yuki", "kenji")]
        ids = tuple(member.id for member in self.members)
        self.id = platform.do(lambda stack: stack.line.create_group("fishing", ids)).chat_id
        platform.do(lambda stack: stack.line.join(self.id))
        platform.settle()

    def says(self, text: str, *, to_bot: bool = False) -> str:
        member = self.members[0]
        event = self._platform.do(
            lambda stack: stack.line.say(
                member.id,
                self.id,
                f"@Aizuchi {text}" if to_bot else text,
                mentioning=[stack.line.account.user_id] if to_bot else [],
            )
        )
        return str(event.line_message_id)

    def unsends(self, line_message_id: str) -> None:
        self.members[0].unsends(line_message_id)

    def edits(self, line_message_id: str, text: str) -> None:
        self._platform.do(lambda stack: stack.line.edit(self.members[0].id, line_message_id, text))


@pytest.fixture
def group(platform: Platform) -> Group:
    return Group(platform)


def names_holding(platform: Platform, words: str = SECRET) -> list[str]:
    """Return the names of the objects that hold the words."""
    return [name for name, data in platform.bucket().items() if words.encode() in data]


def test_an_unsend_removes_a_text_and_the_answers_that_repeat_it(platform: Platform, person: Person) -> None:
    secret = person.says(f"my word is {SECRET}")
    person.hears_next(after=0)
    person.says("what is my word?")  # the stand-in repeats it
    assert SECRET in person.hears_next(after=1)
    person.says("what did I say?")
    person.hears_next(after=2)
    platform.settle()
    assert len(names_holding(platform)) >= 3

    person.unsends(secret)
    platform.settle()

    assert names_holding(platform) == []
    person.says("what is my word?")
    assert SECRET not in person.hears_next(after=3)
    assert SECRET not in platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def chatter(platform: Platform, group: Group, numbers: Iterable[int]) -> None:
    """Send numbered messages that are not for the bot, in bursts that a busy webhook can confirm within LINE's time limit."""
    for number in numbers:
        group.says(f"fish number {number}")
        if number % BURST == 0:
            platform.settle()
    platform.settle()


def test_an_unsend_rewrites_the_recap_that_holds_the_message(platform: Platform, group: Group) -> None:
    secret = group.says(f"my word is {SECRET}")
    chatter(platform, group, range(85))  # more than a compaction leaves verbatim, wherever it began
    group.says("hello", to_bot=True)
    platform.settle()
    snapshot = f"snapshots/{group.id}.json"
    assert b'"recaps":[{"text":' in platform.bucket()[snapshot]
    assert snapshot in names_holding(platform)

    group.unsends(secret)
    platform.settle()
    assert names_holding(platform) == []

    chatter(platform, group, range(85, 115))
    group.says("hello", to_bot=True)
    platform.settle()
    assert b"fish number 0 /" in platform.bucket()[snapshot]
    assert names_holding(platform) == []


@pytest.fixture
def held_deliveries(platform: Platform) -> Iterator[Platform]:
    """LINE holds back deliveries until the test releases them."""
    usual = platform.do(lambda stack: stack.line.switches)
    platform.do(lambda stack: setattr(stack.line, "switches", replace(usual, holds=True)))
    yield platform
    platform.do(lambda stack: setattr(stack.line, "switches", usual))


def test_an_unsend_that_comes_before_its_message_keeps_it_out(held_deliveries: Platform) -> None:
    person = Person(held_deliveries, "hasty")
    said = held_deliveries.do(lambda stack: stack.line.say(person.id, person.id, f"my word is {SECRET}"))
    unsent = held_deliveries.do(lambda stack: stack.line.unsend(person.id, str(said.line_message_id)))
    held_deliveries.do(lambda stack: stack.line.courier.release(unsent.webhook_event_id))
    held_deliveries.settle()
    held_deliveries.do(lambda stack: stack.line.courier.release(said.webhook_event_id))
    held_deliveries.settle()

    assert person.hears() == []
    assert names_holding(held_deliveries) == []
    assert any(line["message"] == "withdrawn_message_unknown" for line in held_deliveries.log_lines("unsend"))


def test_an_unsend_during_the_model_call_prevents_the_answer(platform: Platform, person: Person) -> None:
    hold = Hold()
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": f"{SECRET}, noted"}).held(hold)]))
    secret = person.says(f"my word is {SECRET}")
    hold.wait_until_reached(PATIENCE_S)

    person.unsends(secret)
    platform.pause(1.0)  # the unsend finishes its first pass meanwhile
    hold.release()
    platform.settle()

    assert person.hears() == []
    assert names_holding(platform) == []


def test_an_unsend_delivered_twice_at_once_leaves_no_text(platform: Platform, person: Person) -> None:
    secret = person.says(f"my word is {SECRET}")
    person.hears_next(after=0)
    platform.chaos(duplicate_probability=1.0)

    person.unsends(secret)
    platform.settle()

    assert names_holding(platform) == []


def test_an_edit_changes_what_is_remembered(platform: Platform, group: Group) -> None:
    message = group.says(f"my word is {SECRET}")
    platform.settle()

    group.edits(message, "my word is trout")
    platform.settle()

    assert names_holding(platform) == []
    group.says("what is my word?", to_bot=True)
    platform.settle()
    assert "trout" in platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def test_a_block_erases_the_chat(platform: Platform, person: Person) -> None:
    person.says(f"my word is {SECRET}")
    person.hears_next(after=0)

    platform.do(lambda stack: stack.line.unfollow(person.id))
    platform.settle()

    assert names_holding(platform) == []
    assert [name for name in platform.bucket() if name.startswith(f"journal/{person.id}/")] == []


def test_leaving_a_group_erases_it(platform: Platform, group: Group) -> None:
    group.says(f"my word is {SECRET}", to_bot=True)
    platform.settle()

    platform.do(lambda stack: stack.line.leave(group.id))
    platform.settle()

    assert names_holding(platform) == []


def test_concurrent_unsends_keep_every_other_message(platform: Platform, person: Person) -> None:
    secrets = [person.says(f"{SECRET} {number}") for number in range(8)]
    kept = person.says("and this may stay")
    platform.settle()

    with ThreadPoolExecutor(8) as people:
        list(people.map(person.unsends, secrets))
    platform.settle()

    assert names_holding(platform) == []
    assert f"journal/{person.id}/{kept}.json" in names_holding(platform, "and this may stay")
