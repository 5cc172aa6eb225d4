"""Withdrawn means gone: after an unsend no byte of the bucket holds the words, whatever the bot has made of them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from simulator.gemini.script import Hold, call
from tests.e2e.conftest import PATIENCE_S, Person, Platform

BURST = 5
SECRET = "swordfish"


class Group:
    """A group with the bot in it, in which everybody but one only chats."""

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


def holds(platform: Platform, words: str = SECRET) -> list[str]:
    """Which objects of the bucket hold the words."""
    return [name for name, data in platform.bucket().items() if words.encode() in data]


def test_a_text_and_the_answers_that_repeat_it_are_gone_and_no_prompt_holds_them(
    platform: Platform, person: Person
) -> None:
    secret = person.says(f"my word is {SECRET}")
    person.hears_next(after=0)
    person.says("what is my word?")  # the stand-in repeats it
    assert SECRET in person.hears_next(after=1)
    person.says("what did I say?")
    person.hears_next(after=2)
    platform.settle()
    assert len(holds(platform)) >= 3

    person.unsends(secret)
    platform.settle()

    assert holds(platform) == []
    person.says("what is my word?")
    assert SECRET not in person.hears_next(after=3)
    assert SECRET not in platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def chatter(platform: Platform, group: Group, numbers: Iterable[int]) -> None:
    """Members write to each other, in bursts that a busy machine's webhook confirms within LINE's time limit."""
    for number in numbers:
        group.says(f"fish number {number}")
        if number % BURST == 0:
            platform.settle()
    platform.settle()


def test_a_message_inside_a_recap_is_gone_and_the_recap_is_written_anew_without_it(
    platform: Platform, group: Group
) -> None:
    secret = group.says(f"my word is {SECRET}")
    chatter(platform, group, range(85))  # more than compactions leave verbatim, wherever they folded before
    group.says("hello", to_bot=True)
    platform.settle()
    snapshot = f"snapshots/{group.id}.json"
    assert b'"recaps":[{"text":' in platform.bucket()[snapshot]
    assert snapshot in holds(platform)

    group.unsends(secret)
    platform.settle()
    assert holds(platform) == []

    chatter(platform, group, range(85, 115))
    group.says("hello", to_bot=True)
    platform.settle()
    assert b"fish number 0 /" in platform.bucket()[snapshot]
    assert holds(platform) == []


@pytest.fixture
def holding(platform: Platform) -> Iterator[Platform]:
    """LINE holds deliveries back until they are released by hand."""
    usual = platform.do(lambda stack: stack.line.switches)
    platform.do(lambda stack: setattr(stack.line, "switches", replace(usual, holds=True)))
    yield platform
    platform.do(lambda stack: setattr(stack.line, "switches", usual))


def test_an_unsend_that_comes_before_its_message_keeps_it_out(holding: Platform) -> None:
    person = Person(holding, "hasty")
    said = holding.do(lambda stack: stack.line.say(person.id, person.id, f"my word is {SECRET}"))
    unsent = holding.do(lambda stack: stack.line.unsend(person.id, str(said.line_message_id)))
    holding.do(lambda stack: stack.line.courier.release(unsent.webhook_event_id))
    holding.settle()
    holding.do(lambda stack: stack.line.courier.release(said.webhook_event_id))
    holding.settle()

    assert person.hears() == []
    assert holds(holding) == []
    assert any(line["message"] == "withdrawn_message_unknown" for line in holding.log_lines("unsend"))


def test_an_unsend_while_the_model_is_thinking_leaves_nothing_said(platform: Platform, person: Person) -> None:
    hold = Hold()
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": f"{SECRET}, noted"}).held(hold)]))
    secret = person.says(f"my word is {SECRET}")
    hold.wait_until_reached(PATIENCE_S)

    person.unsends(secret)
    platform.pause(1.0)  # the unsend passes; it waits for the last writers only
    hold.release()
    platform.settle()

    assert person.hears() == []
    assert holds(platform) == []


def test_an_unsend_that_is_delivered_twice_at_once_changes_nothing_more(platform: Platform, person: Person) -> None:
    secret = person.says(f"my word is {SECRET}")
    person.hears_next(after=0)
    platform.chaos(duplicate_probability=1.0)

    person.unsends(secret)
    platform.settle()

    assert holds(platform) == []


def test_an_edit_changes_what_is_remembered(platform: Platform, group: Group) -> None:
    message = group.says(f"my word is {SECRET}")
    platform.settle()

    group.edits(message, "my word is trout")
    platform.settle()

    assert holds(platform) == []
    group.says("what is my word?", to_bot=True)
    platform.settle()
    assert "trout" in platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def test_who_blocks_the_bot_is_forgotten(platform: Platform, person: Person) -> None:
    person.says(f"my word is {SECRET}")
    person.hears_next(after=0)

    platform.do(lambda stack: stack.line.unfollow(person.id))
    platform.settle()

    assert holds(platform) == []
    assert [name for name in platform.bucket() if name.startswith(f"journal/{person.id}/")] == []


def test_a_group_that_the_bot_has_left_is_forgotten(platform: Platform, group: Group) -> None:
    group.says(f"my word is {SECRET}", to_bot=True)
    platform.settle()

    platform.do(lambda stack: stack.line.leave(group.id))
    platform.settle()

    assert holds(platform) == []


def test_many_unsends_at_once_leave_every_other_word(platform: Platform, person: Person) -> None:
    secrets = [person.says(f"{SECRET} {number}") for number in range(8)]
    kept = person.says("and this may stay")
    platform.settle()

    with ThreadPoolExecutor(8) as people:
        list(people.map(person.unsends, secrets))
    platform.settle()

    assert holds(platform) == []
    assert f"journal/{person.id}/{kept}.json" in holds(platform, "and this may stay")
