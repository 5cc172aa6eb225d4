"""A person writes and the bot answers, through the three real functions with the real SDKs on the wires."""

import re
import time

import pytest

from simulator.gemini.script import call, rate_limited, unavailable
from simulator.line.switches import DeliverySwitches, Fault
from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.support import recorded


def test_a_greeting_is_answered_and_marked_as_read(platform: Platform, person: Person) -> None:
    person.says("こんにちは")

    assert "こんにちは" in person.hears_next(after=0)
    platform.settle()
    assert all(
        message.is_read
        for message in platform.do(lambda stack: list(stack.line.chat(person.id).messages))
        if message.sender_id == person.id
    )


def test_the_bot_remembers_what_was_said(person: Person) -> None:
    person.says("My name is Momoko.")
    person.hears_next(after=0)

    person.says("What is my name?")

    assert "Momoko" in person.hears_next(after=1)


def test_thanks_get_a_short_answer_and_an_acknowledgement_none(platform: Platform, person: Person) -> None:
    person.says("ありがとう")
    assert person.hears_next(after=0) == "どういたしまして。"

    person.says("了解です")
    platform.settle()

    assert len(person.hears()) == 1
    assert any(b'"skipped"' in data for name, data in platform.bucket().items() if person.id in name)


def test_one_persons_words_do_not_reach_another_person(platform: Platform, person: Person) -> None:
    other = Person(platform, "other")
    person.says("My name is Momoko.")
    person.hears_next(after=0)

    other.says("What is my name?")

    assert "Momoko" not in other.hears_next(after=0)


def test_a_follow_is_greeted(platform: Platform, person: Person) -> None:
    platform.do(lambda stack: stack.line.unfollow(person.id))
    platform.do(lambda stack: stack.line.follow(person.id))

    assert "Aizuchi" in person.hears_next(after=0)


def test_duplicates_from_line_and_from_pubsub_are_answered_once(platform: Platform, person: Person) -> None:
    platform.do(lambda stack: setattr(stack.line, "switches", DeliverySwitches(duplicates=2)))
    platform.chaos(duplicate_probability=1.0, lost_acknowledgement_probability=0.3)

    person.says("hello")
    person.hears_next(after=0)
    platform.do(lambda stack: setattr(stack.line, "switches", DeliverySwitches()))
    platform.chaos()
    platform.settle()

    assert len(person.hears()) == 1


def test_a_failed_publish_is_redelivered_by_line(platform: Platform, person: Person) -> None:
    platform.do(
        lambda stack: setattr(
            stack.line, "switches", DeliverySwitches(redelivers=True, redelivery_interval_s=0.2, redelivery_count=9)
        )
    )
    platform.chaos(unavailable_before_probability=1.0)
    person.says("hello")
    wait_until_refused(platform)
    platform.chaos()

    assert person.hears_next(after=0)
    platform.do(lambda stack: setattr(stack.line, "switches", DeliverySwitches()))


def wait_until_refused(platform: Platform) -> None:
    """Wait until the webhook has answered a delivery with 503."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        statuses = platform.do(lambda stack: [attempt.status for attempt in stack.line.deliveries])
        if 503 in statuses:
            return
        platform.pause(0.05)
    raise AssertionError(f"no delivery was refused: {statuses}")


def test_a_brief_model_outage_only_delays_the_answer(platform: Platform, person: Person) -> None:
    platform.do(
        lambda stack: stack.gemini.script(
            [unavailable(), rate_limited(retry_delay_s=0.1), call("reply", {"message": "back again"})]
        )
    )

    person.says("hello")

    assert person.hears_next(after=0) == "back again"


def test_a_lasting_model_outage_gets_an_apology(platform: Platform, person: Person) -> None:
    platform.do(lambda stack: stack.gemini.script([unavailable()] * 3))

    person.says("hello")

    assert person.hears_next(after=0).startswith("Sorry")


def test_a_lost_answer_of_line_does_not_repeat_the_reply(platform: Platform, person: Person) -> None:
    platform.do(lambda stack: stack.line.faults.add(Fault(path="/v2/bot/message/reply", nth=1, answer="cut")))

    person.says("hello")
    person.hears_next(after=0)
    platform.settle()

    assert len(person.hears()) == 1
    assert any(b'"kind":"replied"' in data for name, data in platform.bucket().items() if person.id in name)


def test_a_withdrawn_message_is_in_no_object_of_the_bucket(platform: Platform, person: Person) -> None:
    secret = person.says("my word is swordfish, note it please")
    person.hears_next(after=0)
    person.says("what did I say?")
    person.hears_next(after=1)
    assert any(b"swordfish" in data for data in platform.bucket().values())

    person.unsends(secret)
    platform.settle()

    assert not any(b"swordfish" in data for data in platform.bucket().values())
    person.says("what is my word?")
    assert "swordfish" not in person.hears_next(after=2)


def test_emoji_sequences_arrive_whole(platform: Platform, person: Person) -> None:
    long = "👨‍👩‍👧" * 70
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": long})]))

    person.says("family?")

    assert person.hears_next(after=0) == long


@pytest.mark.parametrize("part", ["webhook", "agent_worker", "unsend"])
def test_logs_hold_no_words_and_no_ids(platform: Platform, person: Person, part: str) -> None:
    message = person.says("my word is swordfish")
    person.hears_next(after=0)
    person.unsends(message)
    platform.settle()

    log = (platform.folder / "logs" / f"{part}.log").read_text(encoding="utf-8")
    assert "swordfish" not in log
    assert person.id not in log
    assert not re.search(r"[UCR][0-9a-f]{32}", log)
    assert recorded.USER not in log
