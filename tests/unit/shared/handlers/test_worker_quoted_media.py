"""Quoted media that memory does not know: fetched by their ids, within the rules that keep withdrawals and erasures whole."""

from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import MediaPart
from shared.conversation.quoted_media import QUOTED_FETCH_S, QUOTES_FETCHED
from shared.conversation.records import MessageRecord
from shared.errors import StorageUnavailableError
from tests.support import recorded
from tests.support.archives import put_segment
from tests.support.chats import everything_in, message
from tests.support.people import START_MS, Person
from tests.support.pushed import PushedWorker, message_ids

OLD = "573001"
JPEG = HeldContent(data=b"\xff\xd8 a red bicycle", content_type="image/jpeg")
SEEN = [MediaPart(content_type="image/jpeg", source=JPEG.data)]
RED = calling(("reply", {"message": "赤い自転車です"}))
UNKNOWN = "引用メッセージ: 見つかりません"


@pytest.fixture
def friend(worker: PushedWorker) -> Person:
    worker.media.contents[OLD] = JPEG
    return Person(worker, is_in_group=False)


def asks(friend: Person, *thinks: Any, quotes: str = OLD) -> dict[str, Any]:  # noqa: ANN401 - steps of the model
    return friend.sends(friend.events.text("これ何色？", quotedMessageId=quotes), *(thinks or (RED,)))


def test_an_unknown_quoted_picture_is_fetched_and_shown(friend: Person) -> None:
    asks(friend)

    assert friend.worker.looked_at == SEEN
    assert '引用メッセージ: "[image]"\n質問: これ何色？' in friend.worker.prompt()


def test_what_the_quoted_picture_gave_names_it(friend: Person) -> None:
    outcome = friend.worker.outcome(asks(friend))

    assert OLD in message_ids(outcome)
    assert outcome["provenance"]["since_ms"] == 0


def test_a_second_quote_of_the_picture_does_not_fetch_it_again(friend: Person) -> None:
    asks(friend)
    asks(friend)

    assert friend.worker.looked_at == SEEN
    assert friend.worker.media.asked == 1


def test_a_text_cannot_be_fetched_and_the_turn_goes_on(friend: Person) -> None:
    asks(friend, quotes="573002")

    assert UNKNOWN in friend.worker.prompt()
    assert friend.worker.said == ["赤い自転車です"]


def test_nothing_is_fetched_in_a_chat_that_was_ever_erased(friend: Person) -> None:
    friend.worker.erase(recorded.USER, until_ms=START_MS)

    asks(friend)

    assert friend.worker.media.asked == 0
    assert UNKNOWN in friend.worker.prompt()


def test_a_withdrawn_quote_is_not_fetched(friend: Person) -> None:
    friend.worker.withdraw(recorded.USER, OLD)

    asks(friend)

    assert friend.worker.media.asked == 0
    assert friend.worker.looked_at == []


def test_a_picture_withdrawn_during_its_fetch_is_neither_shown_nor_kept(friend: Person) -> None:
    friend.worker.media.after = lambda *_: friend.worker.withdraw(recorded.USER, OLD)
    asks(friend)

    assert friend.worker.looked_at == []
    assert "bicycle" not in everything_in(friend.worker.store)


def test_withdrawing_the_quoted_picture_takes_the_answer_that_saw_it(friend: Person) -> None:
    asks(friend)

    friend.worker.withdraw(recorded.USER, OLD)

    left = everything_in(friend.worker.store)
    assert "赤い" not in left
    assert "bicycle" not in left


def test_any_later_erasure_takes_what_the_quoted_picture_gave(friend: Person) -> None:
    asks(friend)

    friend.worker.erase(recorded.USER, until_ms=START_MS - 1)

    left = everything_in(friend.worker.store)
    assert "これ何色" in left
    assert "赤い" not in left
    assert "bicycle" not in left


def test_an_erasure_while_the_model_thinks_begins_the_turn_again_without_the_picture(friend: Person) -> None:
    def erase_then_answer(_: object) -> Any:  # noqa: ANN401 - a step of the model
        friend.worker.erase(recorded.USER, until_ms=START_MS - 1)
        return RED

    asks(friend, erase_then_answer, calling(("reply", {"message": "わかりません"})))

    assert friend.worker.said == ["わかりません"]
    assert friend.worker.looked_at == []


def test_only_the_newest_few_quotes_are_fetched(friend: Person) -> None:
    chat = friend.worker.conversations.of(recorded.USER)
    for number in range(QUOTES_FETCHED + 2):
        chat.journal.keep(
            replace(message(100 + number, timestamp_ms=START_MS + number), quoted_message_id=f"58000{number}")
        )

    asks(friend)

    assert friend.worker.media.asked == QUOTES_FETCHED
    assert friend.worker.looked_at == SEEN


def test_a_quote_that_line_prepares_too_long_is_left_out(friend: Person) -> None:
    friend.worker.media.delays[OLD] = 99
    began_ms = friend.worker.clock.now_ms()

    asks(friend)

    assert friend.worker.clock.now_ms() - began_ms <= (QUOTED_FETCH_S + 2) * 1_000
    assert UNKNOWN in friend.worker.prompt()


def test_a_bucket_that_fails_leaves_the_quote_unknown(friend: Person) -> None:
    def fail(call: str, name: str) -> None:
        if call == "read" and name.startswith("media/"):
            raise StorageUnavailableError("down")

    friend.worker.store.before = fail
    asks(friend)

    assert UNKNOWN in friend.worker.prompt()
    assert friend.worker.said == ["赤い自転車です"]


def test_a_turn_over_which_a_worker_died_fetches_nothing(friend: Person) -> None:
    chat = friend.worker.conversations.of(recorded.USER)
    seen, now_ms = chat.turn.read(), friend.worker.clock.now_ms()
    thinking = seen.record.followed_by("thinking", now_ms=now_ms, tries=2)
    chat.turn.swap(seen, replace(thinking, expires_ms=now_ms))

    asks(friend)

    assert friend.worker.media.asked == 0


def test_forget_me_of_a_member_takes_pictures_of_unknown_people_and_none_is_fetched_again(worker: PushedWorker) -> None:
    worker.media.contents[OLD] = JPEG
    member = Person(worker, is_in_group=True)
    quoting = member.events.text("@Aizuchi これ何色？", quotedMessageId=OLD)
    member.sends(quoting, RED)
    assert worker.store.list("media/")

    member.says("/forget me")
    assert not worker.store.list("media/")
    member.sends(member.events.text("@Aizuchi これは？", quotedMessageId=OLD), RED)

    assert worker.media.asked == 1
    assert worker.looked_at == []


def picture_by(user_id: str | None) -> MessageRecord:
    return MessageRecord(
        line_message_id=OLD,
        webhook_event_id="e-old",
        timestamp_ms=START_MS - 1,
        type="image",
        addressed=False,
        text="[image]",
        user_id=user_id,
    )


def forgets_after_a_quote_of_an_archived_picture(worker: PushedWorker, *, by: str | None) -> list[str]:
    """A member has the picture shown and takes back everything; return what is kept of the picture."""
    worker.media.contents[OLD] = JPEG
    chat = worker.conversations.of(recorded.GROUP)
    put_segment(chat, [picture_by(by)])
    member = Person(worker, is_in_group=True)
    member.sends(member.events.text("@Aizuchi これ何色？", quotedMessageId=OLD), RED)
    assert worker.looked_at == SEEN
    member.says("/forget me")
    archived = [one.line_message_id for one in chat.archive.read().messages]
    return [one.name.partition("/")[0] for one in worker.store.list("media/")] + archived


def test_forget_me_spares_a_quoted_picture_that_is_archived_as_somebody_elses(worker: PushedWorker) -> None:
    kept = forgets_after_a_quote_of_an_archived_picture(worker, by="U" + "2" * 32)

    assert kept == ["media", "media", OLD]


@pytest.mark.parametrize("author", [recorded.USER, None])
def test_forget_me_takes_a_quoted_picture_that_is_archived_as_ones_own_or_nobodys(
    worker: PushedWorker, author: str | None
) -> None:
    assert forgets_after_a_quote_of_an_archived_picture(worker, by=author) == []


def test_forget_me_spares_a_quoted_picture_whose_own_delivery_came_later(worker: PushedWorker) -> None:
    worker.media.contents[OLD] = JPEG
    member = Person(worker, is_in_group=True)
    member.sends(member.events.text("@Aizuchi これ何色？", quotedMessageId=OLD), RED)
    worker.conversations.of(recorded.GROUP).journal.record(picture_by("U" + "2" * 32))

    member.says("/forget me")

    assert worker.store.list("media/")
    assert worker.store.read(f"journal/{recorded.GROUP}/{OLD}.json") is not None
