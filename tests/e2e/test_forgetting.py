"""After an unsend no byte of the bucket holds the words, in any object that the bot has made of them; nor after its second pass."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from shared.storage.due_marker import DUE_PREFIX, DueMarker
from simulator.gemini.script import Hold, call
from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.e2e.test_trace import trace
from tests.support.stacks import running_stack

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


def assert_forgotten(platform: Platform, words: str = SECRET) -> None:
    """No object holds the words once the event was acknowledged, and after a tick no second pass is left."""
    platform.settle()
    assert names_holding(platform, words) == []
    platform.carry_out_due()
    assert platform.names(DUE_PREFIX) == []
    assert names_holding(platform, words) == []


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

    assert_forgotten(platform)
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
    assert_forgotten(platform)

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

    assert_forgotten(held_deliveries)
    assert person.hears() == []
    assert any(line["message"] == "withdrawn_message_unknown" for line in held_deliveries.log_lines("unsend"))


def test_an_unsend_during_the_model_call_prevents_the_answer(platform: Platform, person: Person) -> None:
    hold = Hold()
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": f"{SECRET}, noted"}).held(hold)]))
    secret = person.says(f"my word is {SECRET}")
    hold.wait_until_reached(PATIENCE_S)

    person.unsends(secret)
    trace(platform, secret, until="acknowledged")
    hold.release()

    assert_forgotten(platform)
    assert person.hears() == []


def test_an_unsend_waits_for_no_lease_and_leaves_its_second_pass_to_a_tick(tmp_path: Path) -> None:
    hold, lease_s = Hold(), 60
    with running_stack(tmp_path, more_env={"SETTLE_MS": "0", "LEASE_S": str(lease_s)}) as (loop, stack):
        platform = Platform(loop, stack, tmp_path)
        person = Person(platform, "hasty")
        platform.do(lambda stack: stack.gemini.script([call("reply", {"message": f"{SECRET}, noted"}).held(hold)]))
        secret = person.says(f"my word is {SECRET}")
        hold.wait_until_reached(PATIENCE_S)
        message = f"journal/{person.id}/{secret}.json"
        stored = platform.bucket()[message]
        asked_ms = platform.do(lambda stack: stack.line.now_ms())

        person.unsends(secret)
        steps = trace(platform, secret, until="acknowledged")

        handled = [line for line in platform.log_lines("agent_worker") if line["message"] == "event_handled"]
        assert handled == []  # the model is still thinking, for which it has less time than a lease
        assert not [step for step in steps if step["is_failed"] or step["is_repeated"]]
        (marker,) = map(DueMarker.parse, platform.names(DUE_PREFIX))
        assert (marker.kind, marker.conversation_id, marker.id) == ("withdrawal", person.id, secret)
        assert marker.due_ms >= asked_ms + lease_s * 1_000
        assert names_holding(platform) == []

        hold.release()
        platform.settle()
        assert person.hears() == []
        assert names_holding(platform) == []

        platform.put(message, stored)  # by a writer that stalled until now
        platform.carry_out_due()
        assert names_holding(platform) == []
        assert platform.names(DUE_PREFIX) == []


def test_an_unsend_delivered_twice_at_once_leaves_no_text(platform: Platform, person: Person) -> None:
    secret = person.says(f"my word is {SECRET}")
    person.hears_next(after=0)
    platform.chaos(duplicate_probability=1.0)

    person.unsends(secret)

    assert_forgotten(platform)


def test_an_edit_changes_what_is_remembered(platform: Platform, group: Group) -> None:
    message = group.says(f"my word is {SECRET}")
    platform.settle()

    group.edits(message, "my word is trout")

    assert_forgotten(platform)
    group.says("what is my word?", to_bot=True)
    platform.settle()
    assert "trout" in platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def test_a_block_erases_the_chat(platform: Platform, person: Person) -> None:
    person.says(f"my word is {SECRET}")
    person.hears_next(after=0)

    platform.do(lambda stack: stack.line.unfollow(person.id))

    assert_forgotten(platform)
    assert platform.names(f"journal/{person.id}/") == []


def test_leaving_a_group_erases_it(platform: Platform, group: Group) -> None:
    group.says(f"my word is {SECRET}", to_bot=True)
    platform.settle()

    platform.do(lambda stack: stack.line.leave(group.id))

    assert_forgotten(platform)


def test_concurrent_unsends_keep_every_other_message(platform: Platform, person: Person) -> None:
    secrets = [person.says(f"{SECRET} {number}") for number in range(8)]
    kept = person.says("and this may stay")
    platform.settle()

    with ThreadPoolExecutor(8) as people:
        list(people.map(person.unsends, secrets))

    assert_forgotten(platform)
    assert f"journal/{person.id}/{kept}.json" in names_holding(platform, "and this may stay")
