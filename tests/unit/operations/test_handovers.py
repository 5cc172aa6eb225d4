"""`make handover` and `make waiting`."""

import pytest

from operations.handovers import HandoverCommands
from shared import logs
from shared.conversation.silences import SilenceKind, handover, pause
from shared.errors import UnusableIdError
from tests.support import recorded
from tests.unit.operations.conftest import Bucket


def desk(bucket: Bucket, *, is_keyed: bool = False) -> HandoverCommands:
    return HandoverCommands(conversations=bucket.conversations, clock=bucket.clock, shows_pseudonyms=is_keyed)


def test_a_chat_is_handed_over_for_the_minutes_and_given_back(bucket: Bucket) -> None:
    silences = bucket.conversations.of(recorded.USER).silences

    desk(bucket).begin(recorded.USER, minutes=30)
    begun_ms = bucket.clock.now_ms()
    bucket.clock.move(60)

    assert silences.read().at(begun_ms) is SilenceKind.HANDOVER
    assert silences.read().at(begun_ms + 30 * 60_000) is None
    assert desk(bucket).end(recorded.USER)
    assert silences.read().now(bucket.clock.now_ms()) is None
    assert not desk(bucket).end(recorded.USER)


def test_giving_a_chat_back_leaves_the_pause_of_its_people(bucket: Bucket) -> None:
    silences = bucket.conversations.of(recorded.USER).silences
    silences.add(lambda _: pause("p1", at_ms=bucket.clock.now_ms()))
    desk(bucket).begin(recorded.USER, minutes=30)

    assert desk(bucket).end(recorded.USER)

    assert silences.read().at(bucket.clock.now_ms()) is SilenceKind.PAUSE


def test_chats_whose_people_asked_are_listed_first(bucket: Bucket) -> None:
    desk(bucket).begin(recorded.USER, minutes=30)
    at_ms = bucket.clock.now_ms() + 1
    bucket.conversations.of(recorded.GROUP).silences.add(
        lambda _: handover("h1", at_ms=at_ms, minutes=30, is_asked=True)
    )
    bucket.store.create("silences/put there by hand.json", b"{}")

    asked, taken, count = desk(bucket, is_keyed=True).lines()

    assert asked.startswith(f"{recorded.GROUP}  asked for a person  since 20")
    assert asked.endswith(f"UTC  in the logs {logs.pseudonym(recorded.GROUP)}")
    assert taken.startswith(f"{recorded.USER}  taken over  since 20")
    assert count == "2 chats are handed over to a person"


def test_no_chat_has_an_id_of_another_form(bucket: Bucket) -> None:
    with pytest.raises(UnusableIdError):
        desk(bucket).begin("../U", minutes=1)
